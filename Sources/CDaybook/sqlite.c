#include "CDaybook.h"

// https://www.sqlite.org/c3ref/db_config.html; the program links SQLite in any case.
extern int sqlite3_db_config(struct sqlite3 *connection, int operation, ...);
enum { NO_CHECKPOINT_ON_CLOSE = 1006 };

int daybook_keep_log_on_close(struct sqlite3 *connection) {
    return sqlite3_db_config(connection, NO_CHECKPOINT_ON_CLOSE, 1, (int *)0);
}
