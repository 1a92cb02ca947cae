#define _GNU_SOURCE
#include "CDaybook.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

// How far a thread that gives way is below the caller's: 10 below, the scheduler of Linux gives it a ninth of the
// share.
#define GIVING_WAY 10
#define NICE_MAX 19
// The time in nanoseconds that it asks for at once, far more than the 3 ms that others get. Since Linux 6.12 a thread
// that wakes up and asks for less goes before it at once; else it waits until the next tick, 4 ms with 250 a second.
#define SLICE 100000000

typedef struct {
    void (*body)(void *context, int worker);
    void *context;
    int worker;
    bool gives_way;
    bool runs;
    pthread_t thread;
} daybook_worker;

#ifdef __linux__
// As sched_setattr(2) takes it, of which older C libraries have no declaration.
typedef struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} scheduling;

// There a number belongs to a thread, not to a process, and cannot be lowered again: the thread ends with its work.
static void give_way(void) {
    int below = getpriority(PRIO_PROCESS, 0) + GIVING_WAY;
    int nice = below < NICE_MAX ? below : NICE_MAX;
    // Policy 0 is the usual one.
    scheduling wanted = {.size = sizeof wanted, .nice = nice, .runtime = SLICE};
    if (syscall(SYS_sched_setattr, 0, &wanted, 0) != 0) setpriority(PRIO_PROCESS, 0, nice);
}
#endif

static void *run(void *argument) {
    daybook_worker *worker = argument;
#ifdef __linux__
    if (worker->gives_way) give_way();
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
