#define _GNU_SOURCE
#include "CDaybook.h"

#include <errno.h>
#include <fcntl.h>

int daybook_write_out(int descriptor, int64_t offset, int64_t byteCount) {
#ifdef __linux__
    int result = sync_file_range(
        descriptor, offset, byteCount,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    if (result == 0) return 0;
    switch (errno) {
    // A file system that cannot do it writes everything at the sync that follows.
    case ENOSYS: case EINVAL: case ESPIPE: case EOPNOTSUPP: return 0;
    default: return errno;
    }
#else
    (void)descriptor, (void)offset, (void)byteCount;
    return 0;
#endif
}
