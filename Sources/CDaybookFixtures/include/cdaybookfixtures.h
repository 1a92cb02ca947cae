#ifndef CDAYBOOKFIXTURES_H
#define CDAYBOOKFIXTURES_H

#include <sys/types.h>

/// Has the processor fetch the cache line of an address that will be read soon; any address will do.
static inline void daybook_fetch_ahead(const void *address) { __builtin_prefetch(address, 0, 3); }

/// Starts a program that has three streams and no other descriptor of this process, and that ends by SIGPIPE, SIGTERM,
/// SIGINT and SIGHUP, even where this process ignores them or the calling thread blocks them.
///
/// @param folder Where it runs; NULL: where this process does.
/// @param streams Descriptors of this process for its input, output and errors.
/// @return 0, or an error number of `errno.h`.
int daybook_spawn(
    pid_t *identifier, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]);

#endif
