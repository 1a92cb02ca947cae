// The hash over a ledger's history, of the same bytes as Daybook's (RowDigest.swift, HistoryCursor.swift): written
// here a second time, so that each can be compared with the other.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BLOCKS = 64, STRUCTURE = 114 };

typedef struct {
    unsigned char bytes[1024];
    size_t count;
} Buffer;

static void add(Buffer *buffer, const void *bytes, size_t count) {
    if (buffer->count + count > sizeof buffer->bytes) fail("a row is too long to hash", NULL);
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

static void little_endian(Buffer *buffer, uint64_t value, int count) {
    unsigned char bytes[8];
    for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    add(buffer, bytes, (size_t)count);
}

static void add_text(Buffer *buffer, const char *text) {
    size_t count = strlen(text);
    little_endian(buffer, count, 4);
    add(buffer, text, count);
}

// Of a buffer that begins with a byte that says what it is.
static Hash hash_of(const Buffer *buffer) {
    Hash hash;
    SHA256(buffer->bytes, buffer->count, hash.bytes);
    return hash;
}

static uint64_t load(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static uint64_t rotated(uint64_t value, int by) { return value << by | value >> (64 - by); }

static void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
    v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
}

static uint64_t sip_end(uint64_t v[4]) {
    for (int i = 0; i < 4; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012).
static void sip_hash(const uint64_t key[2], const Buffer *buffer, uint64_t out[2]) {
    uint64_t v[4] = {key[0] ^ 0x736F6D6570736575u, key[1] ^ 0x646F72616E646F6Du ^ 0xEE,
                     key[0] ^ 0x6C7967656E657261u, key[1] ^ 0x7465646279746573u};
    for (size_t i = 0; i <= buffer->count; i += 8) {
        size_t rest = buffer->count - i;
        uint64_t word = load(buffer->bytes + i, rest < 8 ? rest : 8);
        if (rest < 8) word |= (uint64_t)buffer->count << 56;
        v[3] ^= word;
        sip_round(v), sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xEE;
    out[0] = sip_end(v);
    v[1] ^= 0xDD;
    out[1] = sip_end(v);
}

Hash row_digest(const History *history, const HashedRow *row) {
    Buffer texts = {.count = 0};
    unsigned char production_customer[] = {0, 0};
    add(&texts, production_customer, 2);
    add(&texts, row->customer, strlen(row->customer));
    uint64_t blinding[2];
    sip_hash(history->key, &texts, blinding);
    texts.count = 0;
    little_endian(&texts, 0x11, 1);
    little_endian(&texts, blinding[0], 8);
    little_endian(&texts, blinding[1], 8);
    const char *all[] = {row->customer, row->source, row->key, row->customer, "", row->meter,
                         "", "", row->reference};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) add_text(&texts, all[i]);
    little_endian(&texts, UINT32_MAX, 4);
    Hash inner = hash_of(&texts);

    const uint64_t none = 1ULL << 63;
    Buffer structure = {.count = 0};
    little_endian(&structure, 0x10, 1);
    add(&structure, production_customer, 2);
    little_endian(&structure, (uint64_t)row->type, 2);
    little_endian(&structure, 1, 2);
    little_endian(&structure, (uint64_t)row->trust, 1);
    little_endian(&structure, 0, 2);
    uint64_t numbers[] = {(uint64_t)row->occurred_at, (uint64_t)row->occurred_at, 0, 1, none,
                          none, none, none, (uint64_t)row->request};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        little_endian(&structure, numbers[i], 8);
    add(&structure, inner.bytes, sizeof inner.bytes);
    if (structure.count != STRUCTURE) fail("count the bytes of a row", NULL);
    return hash_of(&structure);
}

static void open_block(History *history) {
    SHA256_Init(&history->open);
    SHA256_Update(&history->open, "", 1);
}

static Hash ended(SHA256_CTX context) {
    Hash hash;
    SHA256_Final(hash.bytes, &context);
    return hash;
}

static Hash node(Hash left, Hash right) {
    Buffer buffer = {.count = 0};
    little_endian(&buffer, 1, 1);
    add(&buffer, left.bytes, sizeof left.bytes);
    add(&buffer, right.bytes, sizeof right.bytes);
    return hash_of(&buffer);
}

static Hash root(const History *history) {
    Buffer nothing = {.count = 0};
    if (!history->root_count) return hash_of(&nothing);
    Hash top = history->roots[history->root_count - 1];
    for (int i = history->root_count - 2; i >= 0; i--) top = node(history->roots[i], top);
    return top;
}

Hash history_hash(const History *history) {
    Buffer buffer = {.count = 0};
    Hash tree = root(history), open = ended(history->open);
    add(&buffer, "daybook history 1", 17);
    add(&buffer, history->ledger.bytes, 32);
    little_endian(&buffer, (uint64_t)history->position, 8);
    add(&buffer, tree.bytes, 32);
    add(&buffer, open.bytes, 32);
    little_endian(&buffer, (uint64_t)history->names, 8);
    add(&buffer, history->name_hash.bytes, 32);
    little_endian(&buffer, (uint64_t)history->streams, 8);
    add(&buffer, history->stream_hash.bytes, 32);
    return hash_of(&buffer);
}

static const char *meta(sqlite3 *db, const char *key) {
    static char text[128];
    sqlite3_stmt *statement = prepare(db, "SELECT value FROM meta WHERE key = ?");
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_ROW) fail("find what the ledger says of itself", db);
    snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

void open_history(History *history, sqlite3 *db) {
    memset(history, 0, sizeof *history);
    Buffer id = {.count = 0};
    const char *text = meta(db, "ledger_id");
    add(&id, text, strlen(text));
    history->ledger = hash_of(&id);
    text = meta(db, "secret");
    unsigned char secret[16];
    for (int i = 0; i < 16; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        secret[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    history->key[0] = load(secret, 8), history->key[1] = load(secret + 8, 8);
    open_block(history);
    history->last = history_hash(history);
    history->block = prepare(db, "INSERT INTO history_blocks(id, hash) VALUES (?, ?)");
    history->mark = prepare(
        db,
        "INSERT INTO history_marks(position, tree, names, name_hash, streams, stream_hash, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)");
    history->head = prepare(
        db,
        "UPDATE history_head SET position = ?, names = ?, name_hash = ?, streams = ?,"
        " stream_hash = ?, hash = ?, before_position = ?, before_hash = ?");
}

void close_history(History *history) {
    sqlite3_finalize(history->block);
    sqlite3_finalize(history->mark);
    sqlite3_finalize(history->head);
}

static void chain(Hash *hash, int64_t *count, unsigned char tag, const void *bytes, size_t size) {
    Buffer buffer = {.count = 0};
    add(&buffer, &tag, 1);
    add(&buffer, hash->bytes, sizeof hash->bytes);
    add(&buffer, bytes, size);
    *hash = hash_of(&buffer);
    ++*count;
}

void hash_name(History *history, const char *text) {
    chain(&history->name_hash, &history->names, 0x20, text, strlen(text));
}

void hash_stream(History *history, int64_t name) {
    Buffer stream = {.count = 0};
    little_endian(&stream, 0, 2);
    little_endian(&stream, (uint64_t)name, 4);
    chain(&history->stream_hash, &history->streams, 0x21, stream.bytes, stream.count);
}

static void bind_hash(sqlite3_stmt *statement, int index, const Hash *hash) {
    sqlite3_bind_blob(statement, index, hash->bytes, sizeof hash->bytes, SQLITE_STATIC);
}

static void write_mark(History *history, sqlite3 *db) {
    Hash hash = history_hash(history);
    sqlite3_bind_int64(history->mark, 1, history->position);
    sqlite3_bind_blob(history->mark, 2, history->roots, history->root_count * (int)sizeof(Hash),
                      SQLITE_STATIC);
    sqlite3_bind_int64(history->mark, 3, history->names);
    bind_hash(history->mark, 4, &history->name_hash);
    sqlite3_bind_int64(history->mark, 5, history->streams);
    bind_hash(history->mark, 6, &history->stream_hash);
    bind_hash(history->mark, 7, &hash);
    step(db, history->mark);
}

static void end_block(History *history, sqlite3 *db) {
    Hash leaf = ended(history->open), top = leaf;
    open_block(history);
    int64_t block = history->position / BLOCK;
    for (int64_t rest = block - 1; rest & 1; rest >>= 1)
        top = node(history->roots[--history->root_count], top);
    history->roots[history->root_count++] = top;
    sqlite3_bind_int64(history->block, 1, block);
    bind_hash(history->block, 2, &leaf);
    step(db, history->block);
    if (block % MARK_BLOCKS == 0) write_mark(history, db);
}

void hash_row(History *history, sqlite3 *db, int64_t recorded_at, Hash digest) {
    Buffer entry = {.count = 0};
    little_endian(&entry, (uint64_t)recorded_at, 8);
    add(&entry, digest.bytes, sizeof digest.bytes);
    SHA256_Update(&history->open, entry.bytes, entry.count);
    if (++history->position % BLOCK == 0) end_block(history, db);
}

void write_head(History *history, sqlite3 *db, int64_t before) {
    Hash hash = history_hash(history);
    sqlite3_bind_int64(history->head, 1, history->position);
    sqlite3_bind_int64(history->head, 2, history->names);
    bind_hash(history->head, 3, &history->name_hash);
    sqlite3_bind_int64(history->head, 4, history->streams);
    bind_hash(history->head, 5, &history->stream_hash);
    bind_hash(history->head, 6, &hash);
    sqlite3_bind_int64(history->head, 7, before);
    bind_hash(history->head, 8, &history->last);
    step(db, history->head);
    history->last = hash;
}
