// Reading: rows through SQLite, one subject through an index, and bare records from memory.

#define _POSIX_C_SOURCE 200809L

#include "raw.h"
#include "packed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What one customer is in the simplest possible fold.
typedef struct {
    int64_t count, amount, last_occurred_at;
    uint64_t keys;
} State;

static void fold_row(sqlite3_stmt *row, State *state) {
    uint64_t half = 0;
    int64_t numbers = 0;
    const void *key = sqlite3_column_blob(row, 7);
    if (sqlite3_column_bytes(row, 7) >= 8) memcpy(&half, key, 8);
    const unsigned char *ref = sqlite3_column_text(row, 14);
    if (ref) half ^= (uint64_t)sqlite3_column_bytes(row, 14) << 32 ^ ref[0];
    for (int column = 4; column < 21; column++)
        if (column != 7 && column != 14 && column != 15)
            numbers += sqlite3_column_int64(row, column);
    state->count += 1;
    state->amount += sqlite3_column_int64(row, 15) + (sqlite3_column_int(row, 2) == 0);
    state->last_occurred_at = sqlite3_column_int64(row, 3);
    state->keys ^= half + (uint64_t)numbers + (uint64_t)sqlite3_column_int64(row, 0);
}

// Printed so that no compiler may leave the fold out; cut so that a double holds it.
static void report_fold(double seconds, int64_t events, const State *states, int64_t stream_max) {
    uint64_t sum = 0;
    for (int64_t i = 0; i <= stream_max; i++) sum += states[i].keys + (uint64_t)states[i].count;
    report(seconds, events);
    printf("sum %llu\n", (unsigned long long)(sum & 0xFFFFFFFF));
    report_memory();
}

int scan(char **arguments) {
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READONLY);
    int64_t stream_max = number(db, "SELECT max(id) FROM streams"), events = 0;
    State *states = calloc((size_t)stream_max + 1, sizeof(State));
    if (!states) fail("allocate", NULL);
    double begin = now();
    sqlite3_stmt *row = prepare(
        db, "SELECT " COLUMNS " FROM events ORDER BY position");
    int code;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t stream = sqlite3_column_int64(row, 1);
        if (stream < 1 || stream > stream_max) fail("a row of no stream", NULL);
        fold_row(row, &states[stream]);
        events += 1;
    }
    if (code != SQLITE_DONE) fail("scan", db);
    double seconds = now() - begin;
    report_fold(seconds, events, states, stream_max);
    sqlite3_finalize(row);
    sqlite3_close(db);
    free(states);
    return 0;
}


static int32_t long_amount(uint16_t field) {
    return field == 0x8000 ? INT32_MIN : (int16_t)field;
}

// The same numbers as of a row, from the variable field where the layout puts each; absent ones are left out.
static void fold_record(
    const Packed *event, int64_t position, const Extension *extensions, State *state) {
    uint64_t reference = event->variable_one[0], numbers = event->customer + event->name_a;
    int32_t amount;
    switch (event->layout_and_trust >> 4) {
    case REFERENCE:
        amount = (int32_t)event->variable_two;
        numbers += event->variable_three;
        break;
    case NAMES:
        reference = 0;
        amount = (int32_t)event->variable_one[0];
        numbers += (event->variable_one[0] >> 32) + (event->variable_one[1] >> 32)
            + (uint32_t)event->variable_one[1] + event->variable_two + event->variable_three;
        break;
    case TIME:
        reference = 0;
        amount = (int32_t)event->variable_one[1];
        numbers += event->variable_one[0] + (event->variable_one[1] >> 32) + event->variable_two
            + event->variable_three;
        break;
    case REFERENCE_TIME:
        amount = long_amount(event->variable_three);
        numbers += (uint64_t)event->occurred_at + event->variable_two;
        break;
    case EXTENDED: {
        const Extension *rest = extensions + event->variable_two;
        amount = rest->amount;
        numbers += (uint64_t)rest->signed_at + (uint64_t)rest->money + (uint64_t)rest->time_a
            + (uint64_t)rest->time_b + (uint64_t)rest->time_c + rest->profile + rest->name_b
            + rest->name_c + rest->sequence + rest->source + event->variable_three;
        break;
    }
    default:
        amount = long_amount(event->variable_three);
        numbers += event->variable_two;
    }
    state->count += 1;
    state->amount += amount + (event->type == 0);
    state->last_occurred_at = event->occurred_at;
    state->keys ^= (event->key[0] ^ reference)
        + numbers + event->sequence + event->source + (event->layout_and_trust & 15)
        + (uint64_t)position;
}

// The file is all packed events, then the extensions of the extended ones.
int records(char **arguments) {
    int file = open(arguments[0], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail(arguments[0], NULL);
    size_t size = (size_t)status.st_size;
    int64_t count = (int64_t)(size / sizeof(Packed)), events = 0, stream_max = 0;
    const Packed *event = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (event == MAP_FAILED) fail("map", NULL);
    // How many events and streams there are is known to a program that keeps segments; it is not timed.
    for (; events < count; events++) {
        if (event[events].layout_and_trust >> 4 == EXTENDED) count -= 1;
        if (event[events].stream > stream_max) stream_max = event[events].stream;
    }
    munmap((void *)event, size);
    State *states = calloc((size_t)stream_max + 1, sizeof(State));
    if (!states) fail("allocate", NULL);
    double begin = now();
    event = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (event == MAP_FAILED) fail("map", NULL);
    const Extension *extensions = (const Extension *)(event + events);
    for (int64_t i = 0; i < events; i++)
        fold_record(&event[i], i + 1, extensions, &states[event[i].stream]);
    report_fold(now() - begin, events, states, stream_max);
    close(file);
    free(states);
    return 0;
}

int index_streams(char **arguments) {
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READWRITE);
    execute(db, "CREATE UNIQUE INDEX events_version ON events(stream, version)");
    if (sqlite3_close(db)) fail("close", db);
    return 0;
}

// A read begins with a customer's name: its number is looked up before the clock runs, because a program
// that answers more than once keeps the names in memory, as Daybook does.
int subject(char **arguments) {
    enum { CUSTOMER = 0, STREAMS_MAX = 1 << 24 };
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READONLY);
    int64_t questions = atoll(arguments[1]), count = 0, events = 0;
    int64_t *streams = malloc(STREAMS_MAX * sizeof(int64_t));
    if (!streams) fail("allocate", NULL);
    sqlite3_stmt *all = prepare(db, "SELECT id FROM streams WHERE kind = ?");
    sqlite3_bind_int64(all, 1, CUSTOMER);
    while (count < STREAMS_MAX && sqlite3_step(all) == SQLITE_ROW)
        streams[count++] = sqlite3_column_int64(all, 0);
    sqlite3_finalize(all);
    if (!count) fail("no customers", NULL);
    State sum = {0};
    sqlite3_stmt *row =
        prepare(db, "SELECT " COLUMNS " FROM events WHERE stream = ? ORDER BY version");
    double begin = now();
    for (int64_t i = 0; i < questions; i++) {
        State state = {0};
        sqlite3_bind_int64(row, 1, streams[word((uint64_t)i) % (uint64_t)count]);
        while (sqlite3_step(row) == SQLITE_ROW) fold_row(row, &state);
        sqlite3_reset(row);
        events += state.count;
        sum.keys ^= state.keys;
    }
    report_fold(now() - begin, questions, &sum, 0);
    printf("events_each %.3f\n", (double)events / (double)questions);
    sqlite3_finalize(row);
    sqlite3_close(db);
    free(streams);
    return 0;
}
