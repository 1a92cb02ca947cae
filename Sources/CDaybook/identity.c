// For statx.
#define _GNU_SOURCE
#include "CDaybook.h"

#include <fcntl.h>
#include <sys/stat.h>

#if defined(__linux__)
#include <sys/sysmacros.h>
#endif

static bool identity_with_times(const char *path, uint64_t *device, uint64_t *number) {
    struct stat status;
    if (stat(path, &status) != 0) return false;
    *device = (uint64_t)status.st_dev;
    *number = (uint64_t)status.st_ino;
    return true;
}

bool daybook_file_identity(const char *path, uint64_t *device, uint64_t *number) {
#if defined(STATX_INO)
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_INO, &status) == 0 && status.stx_mask & STATX_INO) {
        *device = (uint64_t)makedev(status.stx_dev_major, status.stx_dev_minor);
        *number = status.stx_ino;
        return true;
    }
    // Kernels before 4.11 and some sandboxes do not know the call; any other reason comes again.
#endif
    return identity_with_times(path, device, number);
}
