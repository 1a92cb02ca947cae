#include "CDaybook.h"

#include <string.h>

// https://www.sqlite.org/c3ref/db_config.html; the program links SQLite in any case.
extern int sqlite3_db_config(struct sqlite3 *connection, int operation, ...);
enum { NO_CHECKPOINT_ON_CLOSE = 1006 };

// https://www.sqlite.org/c3ref/config.html
extern int sqlite3_config(int operation, ...);
enum { MEMORY_STATISTICS = 9 };

int daybook_keep_log_on_close(struct sqlite3 *connection) {
    return sqlite3_db_config(connection, NO_CHECKPOINT_ON_CLOSE, 1, (int *)0);
}

int daybook_count_no_memory_of_sqlite(void) { return sqlite3_config(MEMORY_STATISTICS, 0); }

daybook_log_head daybook_read_log_head(const void *index) {
    daybook_log_head head;
    const uint64_t *words = index;
    for (int word = 0; word < 6; word++)
        head.words[word] = __atomic_load_n(&words[word], __ATOMIC_ACQUIRE);
    return head;
}

bool daybook_is_same_log_head(const daybook_log_head *left, const daybook_log_head *right) {
    return memcmp(left, right, sizeof *left) == 0;
}
