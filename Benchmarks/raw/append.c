// Writing rows, and the proof that two files hold the same ones.

#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    USAGE_RECORDED = 70,
    TRUST_IMPORTED = 2,
    NATIVE = 1,
    STORIES = 2,
    FRAMES_MAX = (32 << 20) / (4096 + 24),
};
static const int64_t FIRST_INSTANT = 1767225600000;
static const int64_t BETWEEN_EVENTS = 37;
static const int64_t RECORDED_LATER = 60000;

static int frame_count;

static void big_endian(unsigned char *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (56 - 8 * i));
}

static int count_frames(void *context, sqlite3 *db, const char *name, int frames) {
    (void)context, (void)db, (void)name;
    frame_count = frames;
    return SQLITE_OK;
}

// Copies an empty ledger, and drops its triggers.
static void copy_ledger(sqlite3 *db, const char *ledger, int keeps_triggers) {
    sqlite3 *source = open_database(ledger, SQLITE_OPEN_READONLY);
    sqlite3_backup *backup = sqlite3_backup_init(db, "main", source, "main");
    if (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE || sqlite3_backup_finish(backup))
        fail("copy the empty ledger", db);
    sqlite3_close(source);
    char drop[256];
    while (!keeps_triggers) {
        sqlite3_stmt *statement =
            prepare(db, "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1");
        int found = sqlite3_step(statement) == SQLITE_ROW;
        if (found)
            snprintf(drop, sizeof drop, "DROP TRIGGER %s",
                     (const char *)sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
        if (!found) break;
        execute(db, drop);
    }
}

Writer open_writer(const char *path, const char *variant, const char *ledger) {
    sqlite3 *db = open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    copy_ledger(db, ledger, !strcmp(variant, "triggers"));
    execute(db, "PRAGMA journal_mode = WAL");
    execute(db, "PRAGMA synchronous = FULL");
    execute(db, "PRAGMA wal_autocheckpoint = 0");
    if (!strcmp(variant, "indexes")) {
        execute(db, "CREATE UNIQUE INDEX events_version ON events(stream, version)");
        execute(db, "CREATE UNIQUE INDEX events_key ON events(source, key)");
    }
    sqlite3_wal_hook(db, count_frames, NULL);
    Writer writer = {.db = db, .is_hashing = strncmp(variant, "unhashed", 8) != 0};
    open_history(&writer.history, db);
    writer.begin = prepare(db, "BEGIN IMMEDIATE");
    writer.commit = prepare(db, "COMMIT");
    writer.name = prepare(db, "INSERT INTO names(id, text) VALUES (?, ?)");
    writer.stream =
        prepare(db, "INSERT INTO streams(id, environment, kind, name) VALUES (?, ?, ?, ?)");
    writer.event = prepare(
        db,
        "INSERT INTO events(position, stream, version, previous, type, v, occurred_at, signed_at,"
        " recorded_at, sequence, source, key, trust, party, profile, name_a, name_b, name_c, ref,"
        " amount, money, time_a, time_b, time_c, flags, request, rest)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    return writer;
}

void make_row(Row *row, int64_t i, int64_t subject_count) {
    uint64_t index = (uint64_t)i * 4;
    row->subject = (int64_t)(word(index) % (uint64_t)subject_count);
    row->occurred_at = FIRST_INSTANT + i * BETWEEN_EVENTS;
    /* A random UUID, version 4 (RFC 9562, 5.4). */
    big_endian(row->key, (word(index + 1) & 0xFFFFFFFFFFFF0FFFULL) | 0x4000);
    big_endian(row->key + 8, (word(index + 2) & 0x3FFFFFFFFFFFFFFFULL) | 1ULL << 63);
    row->request = (int64_t)word(index + 3);
    snprintf(row->ref, sizeof row->ref, "story-%lld", (long long)i);
}

int64_t place_rows(
    Row *rows, int64_t count, int64_t before, Subject *subjects, int64_t stream_count) {
    for (Row *row = rows; row < rows + count; row++) {
        Subject *subject = &subjects[row->subject];
        row->is_new = subject->stream == 0;
        if (row->is_new) subject->stream = ++stream_count;
        row->position = before + (row - rows) + 1;
        row->stream = subject->stream;
        row->version = ++subject->version;
        row->previous = subject->position;
        subject->position = row->position;
        row->recorded_at = FIRST_INSTANT + before * BETWEEN_EVENTS + RECORDED_LATER;
    }
    return stream_count;
}

// Rows are made before the clock runs, as Daybook's are.
static int64_t make_batch(
    Row *rows, int64_t start, int64_t end, Subject *subjects, int64_t subject_count,
    int64_t stream_count) {
    for (int64_t i = start; i < end; i++) make_row(&rows[i - start], i, subject_count);
    return place_rows(rows, end - start, start, subjects, stream_count);
}

static void insert_name(Writer *writer, int64_t id, const char *text) {
    sqlite3_bind_int64(writer->name, 1, id);
    sqlite3_bind_text(writer->name, 2, text, -1, SQLITE_STATIC);
    step(writer->db, writer->name);
    if (writer->is_hashing) hash_name(&writer->history, text);
}

static void insert_names(Writer *writer, const Row *rows, int64_t count) {
    char text[32];
    for (int64_t i = 0; i < count; i++) {
        if (!rows[i].is_new) continue;
        snprintf(text, sizeof text, "customer-%lld", (long long)rows[i].subject);
        insert_name(writer, STORIES + rows[i].stream, text);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!rows[i].is_new) continue;
        sqlite3_bind_int64(writer->stream, 1, rows[i].stream);
        sqlite3_bind_int64(writer->stream, 2, 0);
        sqlite3_bind_int64(writer->stream, 3, 0);
        sqlite3_bind_int64(writer->stream, 4, STORIES + rows[i].stream);
        step(writer->db, writer->stream);
        if (writer->is_hashing) hash_stream(&writer->history, STORIES + rows[i].stream);
    }
}

static void insert_events(Writer *writer, const Row *rows, int64_t count) {
    sqlite3_stmt *event = writer->event;
    for (const Row *row = rows; row < rows + count; row++) {
        sqlite3_bind_int64(event, 1, row->position);
        sqlite3_bind_int64(event, 2, row->stream);
        sqlite3_bind_int64(event, 3, row->version);
        if (row->previous) sqlite3_bind_int64(event, 4, row->previous);
        sqlite3_bind_int64(event, 5, USAGE_RECORDED);
        sqlite3_bind_int64(event, 6, 1);
        sqlite3_bind_int64(event, 7, row->occurred_at);
        sqlite3_bind_int64(event, 9, row->recorded_at);
        sqlite3_bind_int64(event, 11, NATIVE);
        sqlite3_bind_blob(event, 12, row->key, 16, SQLITE_STATIC);
        sqlite3_bind_int64(event, 13, TRUST_IMPORTED);
        sqlite3_bind_int64(event, 14, STORIES + row->stream);
        sqlite3_bind_int64(event, 16, STORIES);
        sqlite3_bind_text(event, 19, row->ref, (int)strlen(row->ref), SQLITE_STATIC);
        sqlite3_bind_int64(event, 20, 1);
        sqlite3_bind_int64(event, 26, row->request);
        step(writer->db, event);
    }
}

static void write_uuid(char *text, const unsigned char *bytes) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *text++ = '-';
        *text++ = digits[bytes[i] >> 4], *text++ = digits[bytes[i] & 15];
    }
    *text = 0;
}

static void hash_events(Writer *writer, const Row *rows, int64_t count) {
    char customer[32], key[37];
    for (const Row *row = rows; row < rows + count; row++) {
        snprintf(customer, sizeof customer, "customer-%lld", (long long)row->subject);
        write_uuid(key, row->key);
        HashedRow texts = {.customer = customer, .source = "native", .key = key,
                           .meter = "stories", .reference = row->ref,
                           .type = USAGE_RECORDED, .trust = TRUST_IMPORTED,
                           .occurred_at = row->occurred_at, .request = row->request};
        Hash digest = row_digest(&writer->history, &texts);
        hash_row(&writer->history, writer->db, row->recorded_at, digest);
    }
    write_head(&writer->history, writer->db, rows[0].position - 1);
}

double append_batch(Writer *writer, const Row *rows, int64_t start, int64_t count) {
    double begin = now();
    step(writer->db, writer->begin);
    if (start == 0) {
        insert_name(writer, NATIVE, "native");
        insert_name(writer, STORIES, "stories");
    }
    insert_names(writer, rows, count);
    insert_events(writer, rows, count);
    if (writer->is_hashing) hash_events(writer, rows, count);
    step(writer->db, writer->commit);
    if (frame_count > FRAMES_MAX)
        sqlite3_wal_checkpoint_v2(writer->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return now() - begin;
}

void close_writer(Writer *writer) {
    close_history(&writer->history);
    sqlite3_finalize(writer->begin);
    sqlite3_finalize(writer->commit);
    sqlite3_finalize(writer->name);
    sqlite3_finalize(writer->stream);
    sqlite3_finalize(writer->event);
    if (sqlite3_close(writer->db)) fail("close", writer->db);
}

int append(char **arguments) {
    const char *path = arguments[0];
    int64_t events = atoll(arguments[1]), subject_count = atoll(arguments[2]);
    int64_t batch = atoll(arguments[3]), stream_count = 0;
    if (events < 1 || subject_count < 1 || batch < 1 || batch > BATCH_MAX)
        fail("counts out of range", NULL);
    Writer writer = open_writer(path, arguments[4], arguments[5]);
    Subject *subjects = calloc((size_t)subject_count, sizeof(Subject));
    Row *rows = malloc((size_t)batch * sizeof(Row));
    if (!subjects || !rows) fail("allocate", NULL);
    double fifths[5] = {0};
    for (int64_t start = 0; start < events; start += batch) {
        int64_t end = start + batch < events ? start + batch : events;
        stream_count = make_batch(rows, start, end, subjects, subject_count, stream_count);
        fifths[start * 5 / events] += append_batch(&writer, rows, start, end - start);
    }
    close_writer(&writer);
    double seconds = fifths[0] + fifths[1] + fifths[2] + fifths[3] + fifths[4];
    report(seconds, events);
    printf("first_fifth_seconds %.9f\nlast_fifth_seconds %.9f\n", fifths[0], fifths[4]);
    report_file(path);
    report_memory();
    free(subjects);
    free(rows);
    return 0;
}

int64_t append_until(
    const char *path, int64_t subject_count, int64_t batch, const char *ledger,
    void (*written)(int64_t subject), atomic_int *is_over) {
    if (batch < 1 || batch > BATCH_MAX) fail("counts out of range", NULL);
    Writer writer = open_writer(path, "plain", ledger);
    Subject *subjects = calloc((size_t)subject_count, sizeof(Subject));
    Row *rows = malloc((size_t)batch * sizeof(Row));
    if (!subjects || !rows) fail("allocate", NULL);
    int64_t count = 0, stream_count = 0;
    for (; !atomic_load(is_over); count += batch) {
        stream_count =
            make_batch(rows, count, count + batch, subjects, subject_count, stream_count);
        append_batch(&writer, rows, count, batch);
        for (int64_t i = 0; i < batch; i++) written(rows[i].subject);
    }
    close_writer(&writer);
    free(subjects);
    free(rows);
    return count;
}

static uint64_t hashed(uint64_t hash, const void *bytes, int count) {
    const unsigned char *byte = bytes;
    for (int i = 0; i < count; i++) hash = (hash ^ byte[i]) * 0x100000001B3u;
    return hash;
}

// FNV-1a over every column's type and content, of all three tables.
int digest(char **arguments) {
    const char *selects[] = {
        "SELECT * FROM names ORDER BY id", "SELECT * FROM streams ORDER BY id",
        "SELECT * FROM events ORDER BY position"};
    sqlite3 *db = open_database(arguments[0], SQLITE_OPEN_READONLY);
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < 3; i++) {
        sqlite3_stmt *row = prepare(db, selects[i]);
        while (sqlite3_step(row) == SQLITE_ROW) {
            for (int column = 0; column < sqlite3_column_count(row); column++) {
                int type = sqlite3_column_type(row, column);
                hash = hashed(hash, &type, sizeof type);
                const void *bytes = sqlite3_column_blob(row, column);
                hash = hashed(hash, bytes, bytes ? sqlite3_column_bytes(row, column) : 0);
            }
        }
        sqlite3_finalize(row);
    }
    sqlite3_close(db);
    printf("digest_high %llu\ndigest_low %llu\n", (unsigned long long)(hash >> 32),
           (unsigned long long)(hash & 0xFFFFFFFF));
    return 0;
}
