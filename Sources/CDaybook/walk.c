#include "CDaybook.h"

#include <sqlite3.h>
#include <stdlib.h>

// An eponymous virtual table (https://www.sqlite.org/vtab.html#epovtab): it is there for every statement of a
// connection and in no file.
//
//   daybook_walk(step INTEGER, walk HIDDEN)    a row for each number that the walk names; walk is a bound pointer

static const char pointerType[] = "daybook_walk";
enum { STEP_COLUMN = 0, WALK_COLUMN = 1 };

typedef struct {
    sqlite3_vtab_cursor base;
    const daybook_walk *walk;
    // As they were when this row was begun: SQLite may ask for a row again after the reader has named the next one.
    int64_t step;
    uint64_t named;
    bool isOver;
} Cursor;

static int connectTable(
    sqlite3 *connection, void *context, int count, const char *const *arguments,
    sqlite3_vtab **table, char **error) {
    (void)context, (void)count, (void)arguments, (void)error;
    int code = sqlite3_declare_vtab(connection, "CREATE TABLE x(step INTEGER, walk HIDDEN)");
    if (code != SQLITE_OK) return code;
    *table = calloc(1, sizeof **table);
    return *table ? SQLITE_OK : SQLITE_NOMEM;
}

static int disconnectTable(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

// A plan without the walk has nothing to go by.
static int chooseIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int index = 0; index < info->nConstraint; index++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[index];
        if (constraint->iColumn != WALK_COLUMN || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!constraint->usable) return SQLITE_CONSTRAINT;
        info->aConstraintUsage[index].argvIndex = 1;
        info->aConstraintUsage[index].omit = 1;
        info->estimatedCost = 1;
        info->estimatedRows = 10;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int openCursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    *cursor = calloc(1, sizeof(Cursor));
    return *cursor ? SQLITE_OK : SQLITE_NOMEM;
}

static int closeCursor(sqlite3_vtab_cursor *cursor) {
    free(cursor);
    return SQLITE_OK;
}

static int begin(
    sqlite3_vtab_cursor *base, int number, const char *name, int count, sqlite3_value **values) {
    (void)number, (void)name;
    Cursor *cursor = (Cursor *)base;
    cursor->walk = count == 1 ? sqlite3_value_pointer(values[0], pointerType) : NULL;
    // Without a walk there is nothing to say; no rows would look like an answer.
    if (!cursor->walk) return SQLITE_MISUSE;
    cursor->step = cursor->walk->step;
    cursor->named = cursor->walk->named;
    cursor->isOver = cursor->step < 1;
    return SQLITE_OK;
}

static int goOn(sqlite3_vtab_cursor *base) {
    Cursor *cursor = (Cursor *)base;
    // Where no row was found for a number, nothing could name the next one.
    cursor->isOver = cursor->walk->named == cursor->named || cursor->walk->step < 1;
    cursor->step = cursor->walk->step;
    cursor->named = cursor->walk->named;
    return SQLITE_OK;
}

static int isOver(sqlite3_vtab_cursor *base) { return ((Cursor *)base)->isOver; }

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
    if (index == STEP_COLUMN) sqlite3_result_int64(context, ((Cursor *)base)->step);
    return SQLITE_OK;
}

static int rowID(sqlite3_vtab_cursor *base, sqlite3_int64 *number) {
    *number = ((Cursor *)base)->step;
    return SQLITE_OK;
}

static const sqlite3_module walkModule = {
    .xConnect = connectTable,
    .xBestIndex = chooseIndex,
    .xDisconnect = disconnectTable,
    .xOpen = openCursor,
    .xClose = closeCursor,
    .xFilter = begin,
    .xNext = goOn,
    .xEof = isOver,
    .xColumn = column,
    .xRowid = rowID,
};

int daybook_walk_add(struct sqlite3 *connection) {
    return sqlite3_create_module(connection, "daybook_walk", &walkModule, NULL);
}

int daybook_walk_bind(struct sqlite3_stmt *statement, int index, daybook_walk *walk) {
    return sqlite3_bind_pointer(statement, index, walk, pointerType, NULL);
}
