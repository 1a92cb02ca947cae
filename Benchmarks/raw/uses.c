// The work of a replay that keeps what customers used, over bare records or over rows, which become such records: the
// events of each customer in turn, their order checked, and each use as the ledger's state has it. Without checksums,
// corrections and words of other events.

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

// As `UsageState.UsageEntry` lies in memory.
typedef struct {
    int64_t at, amount;
    uint32_t meter, covered_by, profile;
    uint64_t reference[2], key[2];
} Use;

// What is folded of one customer, and then of the next one in the same memory.
typedef struct {
    Use *uses;
    size_t use_count, use_room;
    int64_t event_count, newest_at;
    uint64_t newest_key[2];
    uint32_t newest_source, newest_sequence;
} Customer;

enum { READ_AHEAD = 32, USAGE_RECORDED = 70 };

typedef struct {
    const Packed *events;
    int64_t event_count;
    // Which events are of which stream: a counting sort, stable.
    uint32_t *order, *starts;
    int64_t stream_count;
} Shares;

static void sort(Shares *shares) {
    uint32_t *cursors = calloc((size_t)shares->stream_count + 1, sizeof *cursors);
    shares->starts = calloc((size_t)shares->stream_count + 2, sizeof *shares->starts);
    shares->order = malloc((size_t)shares->event_count * sizeof *shares->order);
    if (!cursors || !shares->starts || !shares->order) fail("allocate", NULL);
    for (int64_t i = 0; i < shares->event_count; i++) cursors[shares->events[i].stream] += 1;
    uint32_t next = 0;
    for (int64_t stream = 0; stream <= shares->stream_count; stream++) {
        shares->starts[stream] = next;
        next += cursors[stream];
        cursors[stream] = shares->starts[stream];
    }
    shares->starts[shares->stream_count + 1] = next;
    for (int64_t i = 0; i < shares->event_count; i++)
        shares->order[cursors[shares->events[i].stream]++] = (uint32_t)i;
    free(cursors);
}

static void keep(Customer *customer, const Packed *event) {
    if (customer->use_count == customer->use_room) {
        customer->use_room = customer->use_room ? 2 * customer->use_room : 64;
        customer->uses = realloc(customer->uses, customer->use_room * sizeof(Use));
        if (!customer->uses) fail("allocate", NULL);
    }
    customer->uses[customer->use_count++] = (Use){
        .at = event->occurred_at, .amount = (int32_t)event->variable_two,
        .meter = event->name_a,
        .reference = {event->variable_one[0], event->variable_one[1]},
        .key = {event->key[0], event->key[1]}};
}

// Returns how many events it had; the caller has the rest in `customer`.
static int64_t fold(const Shares *shares, int64_t stream, Customer *customer) {
    uint32_t start = shares->starts[stream], end = shares->starts[stream + 1];
    int64_t last = INT64_MIN;
    for (uint32_t place = start; place < end; place++) {
        int64_t ahead = place + READ_AHEAD;
        if (ahead >= shares->event_count) ahead = shares->event_count - 1;
        __builtin_prefetch(&shares->events[shares->order[ahead]]);
        int64_t at = shares->events[shares->order[place]].occurred_at;
        if (at <= last) fail("events that must be sorted by time", NULL);
        last = at;
    }
    customer->use_count = 0;
    customer->event_count = 0;
    for (uint32_t place = start; place < end; place++) {
        const Packed *event = &shares->events[shares->order[place]];
        customer->event_count += 1;
        customer->newest_at = event->occurred_at;
        customer->newest_source = event->source;
        customer->newest_sequence = event->sequence;
        memcpy(customer->newest_key, event->key, sizeof event->key);
        if (event->type == USAGE_RECORDED) keep(customer, event);
    }
    return end - start;
}

static void replay(Shares *shares, double begin) {
    sort(shares);
    Customer customer = {0};
    int64_t count = 0;
    uint64_t sum = 0;
    for (int64_t stream = 1; stream <= shares->stream_count; stream++) {
        count += fold(shares, stream, &customer);
        // So that no compiler may leave the fold out.
        if (customer.use_count) sum ^= customer.uses[customer.use_count - 1].key[0];
        sum += (uint64_t)customer.newest_at + customer.use_count;
    }
    report(now() - begin, count);
    printf("sum %llu\n", (unsigned long long)(sum & 0xFFFFFFFF));
    report_memory();
    free(customer.uses);
    free(shares->order);
    free(shares->starts);
}

int uses(char **arguments) {
    int file = open(arguments[0], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail(arguments[0], NULL);
    size_t size = (size_t)status.st_size;
    Shares shares = {0};
    int64_t record_count = (int64_t)(size / sizeof(Packed));
    const Packed *events = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (events == MAP_FAILED) fail("map", NULL);
    // How many events and streams there are is known to a program that keeps segments; it is not timed.
    for (; shares.event_count < record_count; shares.event_count++) {
        const Packed *event = &events[shares.event_count];
        if (event->layout_and_trust >> 4 == EXTENDED) record_count -= 1;
        if (event->stream > shares.stream_count) shares.stream_count = event->stream;
    }
    munmap((void *)events, size);
    double begin = now();
    shares.events = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (shares.events == MAP_FAILED) fail("map", NULL);
    replay(&shares, begin);
    close(file);
    return 0;
}

// Every column is read; what a record has no place for must be absent in a use.
static void pack(sqlite3_stmt *row, Packed *event) {
    int64_t absent = 0;
    const void *key = sqlite3_column_blob(row, 7);
    int has_key = sqlite3_column_bytes(row, 7) == sizeof event->key;
    if (has_key) memcpy(event->key, key, sizeof event->key);
    const void *reference = sqlite3_column_blob(row, 14);
    int length = sqlite3_column_bytes(row, 14);
    if (length > 0 && length <= 16) memcpy(event->variable_one, reference, (size_t)length);
    event->stream = (uint32_t)sqlite3_column_int64(row, 1);
    event->type = (uint8_t)sqlite3_column_int64(row, 2);
    event->occurred_at = sqlite3_column_int64(row, 3);
    absent |= sqlite3_column_int64(row, 4);
    event->sequence = (uint16_t)sqlite3_column_int64(row, 5);
    event->source = (uint16_t)sqlite3_column_int64(row, 6);
    event->layout_and_trust = (uint8_t)(REFERENCE << 4 | sqlite3_column_int64(row, 8));
    event->customer = (uint32_t)sqlite3_column_int64(row, 9);
    absent |= sqlite3_column_int64(row, 10);
    event->name_a = (uint32_t)sqlite3_column_int64(row, 11);
    absent |= sqlite3_column_int64(row, 12) | sqlite3_column_int64(row, 13);
    event->variable_two = (uint32_t)sqlite3_column_int64(row, 15);
    for (int column = 16; column < 20; column++) absent |= sqlite3_column_int64(row, column);
    event->variable_three = (uint16_t)sqlite3_column_int64(row, 20);
    if (event->type == USAGE_RECORDED && (absent || length > 16 || !has_key))
        fail("a use that is not bare", NULL);
}

int rows(char **arguments) {
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READONLY);
    Shares shares = {.event_count = number(db, "SELECT max(position) FROM events"),
                     .stream_count = number(db, "SELECT max(id) FROM streams")};
    double begin = now();
    Packed *events = calloc((size_t)shares.event_count, sizeof *events);
    if (!events) fail("allocate", NULL);
    sqlite3_stmt *row = prepare(db, "SELECT " COLUMNS " FROM events ORDER BY position");
    int64_t count = 0;
    for (; count < shares.event_count && sqlite3_step(row) == SQLITE_ROW; count++) {
        pack(row, &events[count]);
        if (sqlite3_column_int64(row, 0) != count + 1) fail("a position is missing", db);
        if (events[count].stream > shares.stream_count) fail("a row of no stream", NULL);
    }
    if (count != shares.event_count) fail("scan", db);
    sqlite3_finalize(row);
    shares.events = events;
    replay(&shares, begin);
    sqlite3_close(db);
    free(events);
    return 0;
}
