#include "CDaybook.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

// How far a thread that gives way is below the caller's: 10 below, the scheduler of Linux gives it a ninth of the share,
// and lets the others go before it as soon as they wake up.
#define GIVING_WAY 10
#define NICE_MAX 19

typedef struct {
    void (*body)(void *context, int worker);
    void *context;
    int worker;
    bool gives_way;
    bool runs;
    pthread_t thread;
} daybook_worker;

static void *run(void *argument) {
    daybook_worker *worker = argument;
#ifdef __linux__
    // There a number belongs to a thread, not to a process, and cannot be lowered again: the thread ends with its work.
    if (worker->gives_way) {
        int nice = getpriority(PRIO_PROCESS, 0) + GIVING_WAY;
        setpriority(PRIO_PROCESS, 0, nice < NICE_MAX ? nice : NICE_MAX);
    }
#endif
    worker->body(worker->context, worker->worker);
    return NULL;
}

void daybook_on_threads(
    int count, bool gives_way, void (*body)(void *context, int worker), void *context) {
    daybook_worker *workers = calloc((size_t)count, sizeof(daybook_worker));
    for (int index = 0; workers != NULL && index < count; index++) {
        daybook_worker *worker = &workers[index];
        worker->body = body;
        worker->context = context;
        worker->worker = index;
        worker->gives_way = gives_way;
        worker->runs = pthread_create(&worker->thread, NULL, run, worker) == 0;
    }
    // What has no thread of its own is done here.
    for (int index = 0; index < count; index++) {
        if (workers == NULL || !workers[index].runs) body(context, index);
    }
    for (int index = 0; workers != NULL && index < count; index++) {
        if (workers[index].runs) pthread_join(workers[index].thread, NULL);
    }
    free(workers);
}
