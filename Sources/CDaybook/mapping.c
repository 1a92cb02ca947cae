#include "CDaybook.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Mappings of files that another process may cut short.
//
// A read behind the new end of such a file is SIGBUS, which ends the process. The handler puts zeros in the place of
// the whole mapping, marks it as lost, and lets the read go on; the reader asks afterwards whether it was lost, and
// throws away what was read.
//
// Rules of a signal handler: no lock, no memory, no call that is not async-signal-safe. mmap is a plain system call on
// the systems that we build for, though POSIX does not list it; nothing else is called.

#define SLOTS 65536

struct slot {
    // 0: free, or being filled. Written last, and cleared first.
    _Atomic size_t length;
    _Atomic uintptr_t start;
    _Atomic bool is_taken;
    _Atomic bool is_lost;
};

static struct slot slots[SLOTS];
// Slots from here on were never used.
static _Atomic int end;
// Where the next free slot is looked for.
static _Atomic int next;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction former;
static bool is_installed;

// The handler that was installed before us decides; without one the process ends, as it would have without us.
static void hand_on(int number, siginfo_t *info, void *context) {
    if (former.sa_flags & SA_SIGINFO) {
        former.sa_sigaction(number, info, context);
    } else if (former.sa_handler == SIG_IGN && info->si_code <= 0) {
        // Sent by a process, and ignored. A fault cannot be ignored: the read would be repeated for ever.
    } else if (former.sa_handler == SIG_DFL || former.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL);
        // A fault comes again by itself; what was sent is sent again, and waits until this handler has returned.
        if (info->si_code <= 0) raise(number);
    } else {
        former.sa_handler(number);
    }
}

static void handle(int number, siginfo_t *info, void *context) {
    int saved = errno;
    bool is_ours = false;
    uintptr_t address = (uintptr_t)info->si_addr;
    // A number below 1 says that a process sent it: then there is no address.
    int count = info->si_code > 0 ? atomic_load(&end) : 0;
    for (int index = 0; index < count; index++) {
        struct slot *slot = &slots[index];
        size_t length = atomic_load(&slot->length);
        if (length == 0) continue;
        uintptr_t start = atomic_load(&slot->start);
        if (address < start || address - start >= length) continue;
        // Given to another mapping while we looked? If not, it is the one that is being read, which stays.
        if (atomic_load(&slot->start) != start || atomic_load(&slot->length) != length) continue;
        // Before any reader can see zeros.
        atomic_store(&slot->is_lost, true);
        void *zeros = mmap(
            (void *)start, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) is_ours = true;
    }
    if (!is_ours) hand_on(number, info, context);
    errno = saved;
}

static void install(void) {
    struct sigaction action = {0};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, &action, &former) == 0;
}

int daybook_mapping_add(const void *start, size_t byteCount) {
    pthread_once(&once, install);
    if (!is_installed || byteCount == 0) return -1;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t length = (byteCount + page - 1) / page * page;
    int first = atomic_load(&next);
    for (int step = 0; step < SLOTS; step++) {
        int index = (first + step) % SLOTS;
        struct slot *slot = &slots[index];
        bool expected = false;
        if (atomic_load(&slot->is_taken) ||
            !atomic_compare_exchange_strong(&slot->is_taken, &expected, true))
            continue;
        int known = atomic_load(&end);
        while (known <= index && !atomic_compare_exchange_weak(&end, &known, index + 1)) {}
        atomic_store(&next, (index + 1) % SLOTS);
        atomic_store(&slot->is_lost, false);
        atomic_store(&slot->start, (uintptr_t)start);
        atomic_store(&slot->length, length);
        return index;
    }
    return -1;
}

void daybook_mapping_remove(int index) {
    if (index < 0) return;
    atomic_store(&slots[index].length, 0);
    atomic_store(&slots[index].is_taken, false);
}

bool daybook_mapping_is_whole(int index, const void *mark, uint64_t expected) {
    // What was read before is read before this: zeros are never taken for what was there.
    atomic_thread_fence(memory_order_acquire);
    uint64_t found;
    memcpy(&found, mark, sizeof found);
    atomic_thread_fence(memory_order_acquire);
    return found == expected && (index < 0 || !atomic_load(&slots[index].is_lost));
}
