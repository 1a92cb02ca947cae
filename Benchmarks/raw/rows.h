// Rows as append.c makes and writes them.

#ifndef ROWS_H
#define ROWS_H

#include "history.h"

enum { BATCH_MAX = 10000 };

// What is known of a customer: the number of the stream, and its last event.
typedef struct {
    int64_t stream, version, position;
} Subject;

typedef struct {
    int64_t subject, position, stream, version, previous, occurred_at, recorded_at, request;
    unsigned char key[16];
    char ref[32];
    int is_new;
} Row;

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *name, *stream, *event;
    History history;
    int is_hashing;
} Writer;

Writer open_writer(const char *path, const char *variant, const char *ledger);
void close_writer(Writer *writer);

// What is known of a row before it has a place.
void make_row(Row *row, int64_t index, int64_t subject_count);
// Gives rows their places after those that are there; returns how many streams there are.
int64_t place_rows(
    Row *rows, int64_t count, int64_t before, Subject *subjects, int64_t stream_count);
// One commit, on disk when it returns; returns how many seconds it took.
double append_batch(Writer *writer, const Row *rows, int64_t start, int64_t count);

#endif
