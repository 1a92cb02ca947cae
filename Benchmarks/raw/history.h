#ifndef HISTORY_H
#define HISTORY_H

#include "raw.h"

#include <openssl/sha.h>

enum { BLOCK = 256 };

typedef struct {
    unsigned char bytes[SHA256_DIGEST_LENGTH];
} Hash;

// Where a file's history stands, and what carries it on.
typedef struct {
    uint64_t key[2];
    Hash ledger;
    int64_t position, names, streams;
    Hash name_hash, stream_hash;
    // The complete subtrees of the blocks (RFC 6962, 2.1), the greatest first.
    Hash roots[64];
    int root_count;
    SHA256_CTX open;
    // At the end of the last commit.
    Hash last;
    sqlite3_stmt *block, *mark, *head;
} History;

// What a row of a customer in production says; absent is what the workload never has.
typedef struct {
    const char *customer, *source, *key, *meter, *reference;
    int type, trust;
    int64_t occurred_at, request;
} HashedRow;

// Reads the secret and the id of an empty ledger.
void open_history(History *history, sqlite3 *db);
void close_history(History *history);
Hash row_digest(const History *history, const HashedRow *row);
void hash_name(History *history, const char *text);
void hash_stream(History *history, int64_t name);
// Writes what ends with the row: a block, a mark.
void hash_row(History *history, sqlite3 *db, int64_t recorded_at, Hash digest);
Hash history_hash(const History *history);
// The row that each commit writes anew; `before` is the position before the commit.
void write_head(History *history, sqlite3 *db, int64_t before);

#endif
