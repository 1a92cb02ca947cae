#define _GNU_SOURCE
#include "CDaybook.h"

#include <fcntl.h>

void daybook_write_out(int descriptor, int64_t offset, int64_t byteCount) {
#ifdef __linux__
    // A file system that cannot do it writes everything at the sync that follows.
    (void)sync_file_range(
        descriptor, offset, byteCount,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
#else
    (void)descriptor, (void)offset, (void)byteCount;
#endif
}
