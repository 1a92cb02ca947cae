// What Swift has no words for: the processor's own CRC-32C, and a hint that memory will be read soon.
#ifndef CDAYBOOK_H
#define CDAYBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether the processor computes CRC-32C; the functions below must not be called where it does not.
bool daybook_has_crc32c(void);

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of bytes.
uint32_t daybook_crc32c(const void *bytes, size_t count);

// The same of three blocks of one size at once, which takes hardly longer than of one: each step of a checksum waits
// for the one before, and three of them wait together.
void daybook_crc32c_of_three(
    const void *first, const void *second, const void *third, size_t count, uint32_t *checksums);

// Has the processor fetch the cache line of an address that will be read soon; any address will do.
static inline void daybook_will_read(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
