#define _POSIX_C_SOURCE 200809L

#include "raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void fail(const char *what, sqlite3 *db) {
    fprintf(stderr, "raw: %s: %s\n", what, db ? sqlite3_errmsg(db) : "cannot");
    exit(1);
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

uint64_t word(uint64_t index) {
    uint64_t z = 0x6461796264617962u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

sqlite3 *open_database(const char *path, int flags) {
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL)) fail(path, db);
    return db;
}

void execute(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL)) fail(sql, db);
}

sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        fail(sql, db);
    return statement;
}

void step(sqlite3 *db, sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("step", db);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

int64_t number(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = prepare(db, sql);
    if (sqlite3_step(statement) != SQLITE_ROW) fail(sql, db);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

void report(double seconds, int64_t events) {
    printf("seconds %.9f\nevents %lld\n", seconds, (long long)events);
}

// The kernel's high-water mark of this program alone; getrusage would count the program that started it too.
void report_memory(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long long kibibytes;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lld", &kibibytes) == 1)
            printf("peak_bytes %lld\n", kibibytes * 1024);
    if (status) fclose(status);
}

void report_file(const char *path) {
    struct stat file;
    if (stat(path, &file)) fail(path, NULL);
    printf("file_bytes %lld\n", (long long)file.st_size);
}

static const struct {
    const char *name;
    int count;
    int (*run)(char **);
} commands[] = {
    {"append", 6, append},        {"clients", 5, clients}, {"beside", 4, beside},
    {"digest", 1, digest},        {"scan", 1, scan},
    {"records", 1, records},      {"uses", 1, uses},       {"rows", 1, rows},     {"text", 2, text},
    {"index", 1, index_streams},  {"subject", 2, subject},
};

int main(int count, char **arguments) {
    if (count == 2 && !strcmp(arguments[1], "version")) {
        printf("%s\n", sqlite3_libversion());
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (count == commands[i].count + 2 && !strcmp(arguments[1], commands[i].name))
            return commands[i].run(arguments + 2);
    fprintf(stderr, "usage: see the head of raw.h\n");
    return 2;
}
