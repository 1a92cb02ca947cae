#include "cdaybookserver.h"

// Says which C library it is.
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Blocks of this size and above are mapped, and given back to the system as soon as they are freed.
static const int mappedByteCount = 256 * 1024;

bool daybook_bound_free_memory(int arenaCount) {
#ifdef __GLIBC__
    return mallopt(M_ARENA_MAX, arenaCount) == 1 && mallopt(M_MMAP_THRESHOLD, mappedByteCount) == 1;
#else
    (void)arenaCount;
    return false;
#endif
}
