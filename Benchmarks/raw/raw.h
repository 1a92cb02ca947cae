// The same rows as Daybook's, written and read by nothing but SQLite: what a ratio is a ratio to.
//
//   raw append FILE EVENTS SUBJECTS BATCH plain|unhashed|triggers|indexes LEDGER
//   raw clients FILE EVENTS SUBJECTS CLIENTS LEDGER
//                               rows of many clients, a thread each, that share commits
//   raw beside FILE QUESTIONS BATCH LEDGER
//                               answers from memory, and how long each takes, while batches are
//                               appended; BATCH is 0: while nothing else happens
//   raw digest FILE
//   raw scan FILE               every row through SQLite, and a simple fold
//   raw records FILE            the same fold over bare packed records, 64 bytes, mapped
//   raw uses FILE               the events of each customer in turn, and each use kept
//   raw rows FILE               the same of every row through SQLite, made such records first
//   raw index FILE              an index on (stream, version)
//   raw subject FILE QUESTIONS  one subject's events through that index, folded
//   raw text FILE LINES         each line of LINES as a row: its number and its text
//   raw version
//
// Every command prints lines of a name and a number, as `daybook-bench sample` does. The file is a
// copy of LEDGER, an empty ledger that Daybook made, without its triggers unless they are asked
// for: the two cannot drift apart. All but `unhashed` carry on the hash over the history. The values
// of the rows are those of Workload.swift; `digest` proves it, and Daybook verifies the hash. `clients`
// writes them in an order that differs from run to run, so of its file only the hash is verified.

#ifndef RAW_H
#define RAW_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>

// What a fold reads of a row.
#define COLUMNS \
    "position, stream, type, occurred_at, signed_at, sequence, source, key, trust, party," \
    " profile, name_a, name_b, name_c, ref, amount, money, time_a, time_b, time_c, flags"

// shared.c
void fail(const char *what, sqlite3 *db);
double now(void);
// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), at any index.
uint64_t word(uint64_t index);
sqlite3 *open_database(const char *path, int flags);
void execute(sqlite3 *db, const char *sql);
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);
void step(sqlite3 *db, sqlite3_stmt *statement);
// The one number that a query answers.
int64_t number(sqlite3 *db, const char *sql);
void report(double seconds, int64_t events);
void report_memory(void);
void report_file(const char *path);

// append.c
int append(char **arguments);
int digest(char **arguments);
// Appends batches until it is told that it is over, and tells of whom each row was.
int64_t append_until(
    const char *path, int64_t subject_count, int64_t batch, const char *ledger,
    void (*written)(int64_t subject), atomic_int *is_over);

// clients.c
int clients(char **arguments);

// beside.c
int beside(char **arguments);

// read.c
int scan(char **arguments);
int records(char **arguments);
int index_streams(char **arguments);
int subject(char **arguments);

// uses.c
int uses(char **arguments);
int rows(char **arguments);

// text.c
int text(char **arguments);

#endif
