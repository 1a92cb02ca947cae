// What Swift cannot express: the processor's own CRC-32C, a hint that memory will be read soon, files that become
// shorter while they are mapped, asking for a file's number without asking for its times, writing out a part of a file,
// threads of our own with a priority, memory that other processes write to, giving freed memory back to the system, a
// table of SQLite that the reader itself goes on, and functions of SQLite that take any number of arguments.
#ifndef CDAYBOOK_H
#define CDAYBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether the processor computes CRC-32C; the functions below must not be called where it does not.
bool daybook_has_crc32c(void);

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of bytes.
uint32_t daybook_crc32c(const void *bytes, size_t count);

// The same of three blocks of one size at once, which takes hardly longer than of one: each step of a checksum waits
// for the one before, and three of them wait together.
void daybook_crc32c_of_three(
    const void *first, const void *second, const void *third, size_t count, uint32_t *checksums);

// Has the processor fetch the cache line of an address that will be read soon; any address will do.
static inline void daybook_will_read(const void *address) { __builtin_prefetch(address, 0, 3); }

// Makes reads of a mapped file survive that another process cuts the file short, or that the disk cannot read it: what
// was there reads as zeros from then on, and the mapping counts as lost. The first call installs a handler of SIGBUS,
// which hands every other fault on to the handler that was installed before.
//
// Returns a number for the functions below; -1 where no slot is free for another one, which is then unprotected.
int daybook_mapping_add(const void *start, size_t byteCount);

// To be called before the memory is unmapped.
void daybook_mapping_remove(int mapping);

// Whether nothing that was read before this call was lost.
//
// A file that is cut short within a page reads as zeros behind its end without any fault, so its end is looked at, too:
// mark points at eight bytes of the mapping, the last of which is the last byte of the file that is not zero, and they
// must be what they were.
bool daybook_mapping_is_whole(int mapping, const void *mark, uint64_t expected);

// Which file a name leads to: the number of its device and its own.
//
// Unlike stat it does not ask for times. Since Linux 6.13 a file whose time of change was asked for gets an exact time
// at its next write, so a process that asks between all writes makes each of them, when it is synced, write the inode
// too.
//
// Returns false when there is no such file, or it cannot be looked at.
bool daybook_file_identity(const char *path, uint64_t *device, uint64_t *number);

// Has the system write a part of a file to the disk, and waits for it. No promise that it is safe there, which only a
// sync gives; but then the sync finds little to do, and syncs of other files need not wait for all of it at once.
//
// Returns 0, or the number of an error, which the sync that follows does not tell again.
int daybook_write_out(int descriptor, int64_t offset, int64_t byteCount);

// Calls body once for each worker, from 0 on, each on a thread of its own, and returns when all have returned. What the
// system gives no thread for is done on the caller's.
//
// With gives_way the threads, on Linux, run when no other thread wants the processor; without it they are as urgent as
// the caller's, which may be one that gives way.
void daybook_on_threads(
    int count, bool gives_way, void (*body)(void *context, int worker), void *context);

// Gives memory that was freed back to the system, where the C library keeps it for later (glibc): after much was freed
// that will not be needed again, in pieces between others. Allocations may wait for it, the longer the more was freed.
void daybook_give_back_memory(void);

struct sqlite3;
struct sqlite3_stmt;

// Numbers of rows that a reader names one after the other, each once it has read the row before: one statement looks
// all of them up, where a statement for each is begun and ended again, which takes a fifth of the reading.
typedef struct {
    // The number that comes next; below 1: none.
    int64_t step;
    // Counts what was named: where it stays, no row was found for the last number, and the walk ends.
    uint64_t named;
} daybook_walk;

// Gives a connection the table daybook_walk(step, walk), of which a row is a number that the walk names, bound by the
// function below:
//
//   SELECT … FROM daybook_walk(?) CROSS JOIN events ON position = step
//
// Returns SQLite's code: 0 when it is so.
int daybook_walk_add(struct sqlite3 *connection);

// Binds a walk, which must stay where it is until the statement is reset.
//
// Returns SQLite's code: 0 when it is so.
int daybook_walk_bind(struct sqlite3_stmt *statement, int index, daybook_walk *walk);

// Has a connection leave the log as it is when it is closed (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), by a function that
// takes any number of arguments.
//
// Returns SQLite's code: 0 when it is so.
int daybook_keep_log_on_close(struct sqlite3 *connection);

// Has SQLite not count the memory of the whole process (SQLITE_CONFIG_MEMSTATUS): it takes a lock for each allocation
// to do so, several for each row that is read.
//
// To be called before SQLite is used. Returns SQLite's code: 0 when it is so, SQLITE_MISUSE where SQLite is in use.
int daybook_count_no_memory_of_sqlite(void);

// The head of the index of SQLite's log: counters and checksums of the last commit.
typedef struct {
    uint64_t words[6];
} daybook_log_head;

// Reads the head from the shared memory of the index, while other processes may write to it: then some words may be of
// the former head and some of the next one, never of another.
daybook_log_head daybook_read_log_head(const void *index);

bool daybook_is_same_log_head(const daybook_log_head *left, const daybook_log_head *right);

#endif
