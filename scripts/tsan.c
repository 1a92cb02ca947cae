// What ThreadSanitizer has to be told about Swift on Linux; linked into what `scripts/tsan` builds, and nowhere else.
//
// Swift's own libraries are not instrumented there. Three things would be reported that are no races:
//
// 1. A `Mutex` (Synchronization) is locked by instrumented code as long as no thread waits. Where one waits, the lock
//    is passed on inside of libswiftSynchronization, and the thread that gets it seems to hold nothing. So the
//    functions for that case are wrapped: the same, with a word to ThreadSanitizer.
// 2. The last owner of an object frees it, and that it is the last one is decided in libswiftCore.
// 3. A task that awaits a continuation which was resumed before goes on at once. That it was is seen by an atomic read
//    in libswift_Concurrency, which tells ThreadSanitizer of a resumption and of the start of a job, but not of this
//    case. So the function that awaits is wrapped: what was released with the task is acquired first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// `Synchronization._MutexHandle`, whose methods take themselves in the register of `self`.
#define SELF __attribute__((swift_context)) void *mutex
#define METHOD __attribute__((swiftcall))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

METHOD void tsan_lock(uint32_t thread, SELF) __asm__(LOCK);
METHOD bool tsan_try_lock(SELF) __asm__(TRY_LOCK);
METHOD void tsan_unlock(SELF) __asm__(UNLOCK);

typedef METHOD void (*lock_method)(uint32_t thread, SELF);
typedef METHOD bool (*try_lock_method)(SELF);
typedef METHOD void (*unlock_method)(SELF);

// The library's own; a toolchain that calls it otherwise must not go on unnoticed.
static void *original(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

METHOD void tsan_lock(uint32_t thread, SELF) {
  ((lock_method)original(LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

METHOD bool tsan_try_lock(SELF) {
  bool is_locked = ((try_lock_method)original(TRY_LOCK))(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

METHOD void tsan_unlock(SELF) {
  __tsan_release(mutex);
  ((unlock_method)original(UNLOCK))(mutex);
}

// The runtime's own: `SWIFT_CC(swiftasync) void swift_continuation_await(ContinuationAsyncContext *)`.
#define ASYNC __attribute__((swiftasynccall))
#define AWAIT "swift_continuation_await"

ASYNC void tsan_await(void *context) __asm__(AWAIT);
typedef ASYNC void (*await_function)(void *context);
METHOD void *swift_task_getCurrent(void);

ASYNC void tsan_await(void *context) {
  await_function await = (await_function)original(AWAIT);
  __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return await(context);
}

const char *__tsan_default_suppressions(void) {
  return "called_from_lib:libswiftCore.so\n"
         "called_from_lib:libswift_Concurrency.so\n"
         "called_from_lib:libFoundation.so\n"
         "called_from_lib:libFoundationEssentials.so\n";
}
