// What Glibc's module for Swift leaves out: the system's extensions of `posix_spawn`.
#define _GNU_SOURCE
#include "cdaybookfixtures.h"

#include <signal.h>
#include <spawn.h>

int daybook_spawn(
    pid_t *identifier, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]) {
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    posix_spawnattr_t attributes;
    failure = posix_spawnattr_init(&attributes);
    if (failure) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    if (folder) failure = posix_spawn_file_actions_addchdir_np(&actions, folder);
    for (int stream = 0; stream < 3 && !failure; stream += 1) {
        failure = posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
    }
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    sigset_t signals;
    sigemptyset(&signals);
    if (!failure) failure = posix_spawnattr_setsigmask(&attributes, &signals);
    const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP};
    for (int index = 0; index < 4; index += 1) sigaddset(&signals, ignored[index]);
    if (!failure) failure = posix_spawnattr_setsigdefault(&attributes, &signals);
    if (!failure) failure = posix_spawnattr_setflags(&attributes, flags);
    if (!failure) {
        failure = posix_spawn(
            identifier, program, &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}
