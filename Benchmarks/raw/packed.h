// How a segment's records lie in memory.

#ifndef PACKED_H
#define PACKED_H

#include <stddef.h>
#include <stdint.h>

// The packed event of Sources/DaybookEvents/PackedEvent.swift, and what lies beside an extended one.
typedef struct {
    int64_t occurred_at;
    uint64_t key[2], variable_one[2];
    uint32_t stream, customer, name_a, variable_two;
    uint16_t source, sequence, variable_three;
    uint8_t type, layout_and_trust;
} Packed;
typedef struct {
    int64_t signed_at, money, time_a, time_b, time_c;
    int32_t amount;
    uint32_t profile, name_b, name_c, sequence, source;
} Extension;
_Static_assert(sizeof(Packed) == 64 && sizeof(Extension) == 64, "64 bytes each");
_Static_assert(offsetof(Packed, stream) == 40 && offsetof(Packed, type) == 62, "as in Swift");
enum { REFERENCE = 0, REFERENCE_TIME = 4, NAMES = 5, TIME = 6, EXTENDED = 15 };

#endif
