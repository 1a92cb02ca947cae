// The same events as JSON text, one row each: what size is compared with.

#define _POSIX_C_SOURCE 200809L

#include "raw.h"

#include <stdio.h>
#include <stdlib.h>

int text(char **arguments) {
    FILE *lines = fopen(arguments[1], "r");
    if (!lines) fail(arguments[1], NULL);
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    execute(db, "CREATE TABLE events(position INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT");
    execute(db, "BEGIN");
    sqlite3_stmt *row = prepare(db, "INSERT INTO events(position, line) VALUES (?, ?)");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int64_t events = 0;
    double begin = now();
    while ((length = getline(&line, &capacity, lines)) > 0) {
        sqlite3_bind_int64(row, 1, ++events);
        // Without its newline.
        sqlite3_bind_text(row, 2, line, (int)length - 1, SQLITE_STATIC);
        step(db, row);
    }
    execute(db, "COMMIT");
    report(now() - begin, events);
    sqlite3_finalize(row);
    if (sqlite3_close(db)) fail("close", db);
    report_file(arguments[0]);
    free(line);
    fclose(lines);
    return 0;
}
