// Answers from memory beside commits: one thread finds a customer by name and copies what is known of them, another one
// appends rows and then counts them where the first one looks. What an answer is made of, rules and words, is left out.
//
// Twenty look-ups are timed as one answer, which then takes about as long as a check of Daybook's. Of single look-ups
// fewer than one in a thousand would meet a commit, and p99.9 would not show it.

#define _POSIX_C_SOURCE 200809L

#include "raw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUSTOMER_COUNT = 1000, PLACE_COUNT = 2048, LOOK_UP_COUNT = 20 };

// As many bytes as Daybook has of a decision, and the count that a commit changes.
typedef struct {
    char name[32];
    int64_t used;
    char rest[816];
} Answer;

static Answer answers[CUSTOMER_COUNT];
// By the hash of their names; -1: none.
static int places[PLACE_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_over;

static const char **asked;
static int64_t batch;

static unsigned place(const char *name) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return (unsigned)(hash ^ hash >> 32) % PLACE_COUNT;
}

static void written(int64_t subject) {
    pthread_mutex_lock(&lock);
    answers[subject].used++;
    pthread_mutex_unlock(&lock);
}

static void *write_rows(void *files) {
    char **arguments = files;
    static int64_t count;
    count = append_until(arguments[0], CUSTOMER_COUNT, batch, arguments[1], written, &is_over);
    return &count;
}

static int by_value(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static int64_t ask(double *seconds, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const char *name = asked[word((uint64_t)i * 4) % CUSTOMER_COUNT];
        double start = now();
        for (int look_up = 0; look_up < LOOK_UP_COUNT; look_up++) {
            unsigned at = place(name);
            Answer answer;
            pthread_mutex_lock(&lock);
            while (strcmp(answers[places[at]].name, name)) at = (at + 1) % PLACE_COUNT;
            answer = answers[places[at]];
            pthread_mutex_unlock(&lock);
            sum += answer.used + answer.rest[(i + look_up) % (int64_t)sizeof answer.rest];
        }
        seconds[i] = now() - start;
    }
    return sum;
}

int beside(char **arguments) {
    int64_t count = atoll(arguments[1]);
    batch = atoll(arguments[2]);
    if (count < 1000) fail("counts out of range", NULL);
    double *seconds = malloc((size_t)count * sizeof *seconds);
    asked = malloc(CUSTOMER_COUNT * sizeof *asked);
    if (!seconds || !asked) fail("allocate", NULL);
    for (int i = 0; i < PLACE_COUNT; i++) places[i] = -1;
    for (int i = 0; i < CUSTOMER_COUNT; i++) {
        snprintf(answers[i].name, sizeof answers[i].name, "customer-%d", i);
        asked[i] = strdup(answers[i].name);
        unsigned at = place(answers[i].name);
        while (places[at] >= 0) at = (at + 1) % PLACE_COUNT;
        places[at] = i;
    }
    pthread_t writer;
    char *files[] = {arguments[0], arguments[3]};
    if (batch && pthread_create(&writer, NULL, write_rows, files)) fail("start a thread", NULL);
    double start = now();
    volatile int64_t sum = ask(seconds, count);
    (void)sum;
    report(now() - start, count);
    void *recorded = NULL;
    atomic_store(&is_over, 1);
    if (batch) pthread_join(writer, &recorded);
    qsort(seconds, (size_t)count, sizeof *seconds, by_value);
    const struct {
        const char *name;
        double share;
    } parts[] = {{"p50_us", 0.5}, {"p99_us", 0.99}, {"p99.9_us", 0.999}};
    for (int i = 0; i < 3; i++)
        printf("%s %.3f\n", parts[i].name, 1e6 * seconds[(int64_t)((double)(count - 1) * parts[i].share)]);
    printf("longest_ms %.3f\n", 1e3 * seconds[count - 1]);
    printf("recorded %lld\n", recorded ? (long long)*(int64_t *)recorded : 0);
    report_memory();
    free(seconds);
    return 0;
}
