#include "CDaybook.h"

#include <string.h>

#if defined(__x86_64__)
#define WITH_CRC __attribute__((target("sse4.2")))
#define STEP8(crc, word) __builtin_ia32_crc32di(crc, word)
#define STEP1(crc, byte) __builtin_ia32_crc32qi((uint32_t)(crc), byte)

bool daybook_has_crc32c(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__clang__)
#define WITH_CRC __attribute__((target("crc")))
#else
#define WITH_CRC __attribute__((target("+crc")))
#endif
#define STEP8(crc, word) __builtin_arm_crc32cd((uint32_t)(crc), word)
#define STEP1(crc, byte) __builtin_arm_crc32cb((uint32_t)(crc), byte)

bool daybook_has_crc32c(void) {
#if defined(__linux__)
    return getauxval(AT_HWCAP) & (1 << 7);  // HWCAP_CRC32
#else
    return true;
#endif
}
#else
#define WITH_CRC
#define STEP8(crc, word) ((void)(word), (crc))
#define STEP1(crc, byte) ((void)(byte), (crc))

bool daybook_has_crc32c(void) { return false; }
#endif

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

WITH_CRC uint32_t daybook_crc32c(const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t crc = 0xFFFFFFFF;
    for (; count >= 8; count -= 8, next += 8) crc = STEP8(crc, word_at(next));
    for (; count > 0; count--, next++) crc = STEP1(crc, *next);
    return ~(uint32_t)crc;
}

WITH_CRC void daybook_crc32c_of_three(
    const void *first, const void *second, const void *third, size_t count, uint32_t *checksums) {
    const uint8_t *a = first, *b = second, *c = third;
    uint64_t x = 0xFFFFFFFF, y = 0xFFFFFFFF, z = 0xFFFFFFFF;
    size_t index = 0;
    for (; index + 8 <= count; index += 8) {
        x = STEP8(x, word_at(a + index));
        y = STEP8(y, word_at(b + index));
        z = STEP8(z, word_at(c + index));
    }
    for (; index < count; index++) {
        x = STEP1(x, a[index]);
        y = STEP1(y, b[index]);
        z = STEP1(z, c[index]);
    }
    checksums[0] = ~(uint32_t)x;
    checksums[1] = ~(uint32_t)y;
    checksums[2] = ~(uint32_t)z;
}
