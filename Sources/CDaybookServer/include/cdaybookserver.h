// What the server needs of C: a file put into the program when it is built, and the settings of the C library's memory.
#ifndef CDAYBOOKSERVER_H
#define CDAYBOOKSERVER_H

#include <stdbool.h>
#include <stddef.h>

// The description of the server's routes (OpenAPI 3.1, YAML, UTF-8): openapi.yaml.
const unsigned char *daybook_openapi(size_t *byteCount);

// Bounds how much freed memory the C library keeps for later instead of giving it back: at most so many arenas, each of
// which keeps its own, and no arena for large blocks, between which small ones would hold what is free in place.
//
// Returns false where the C library has no such settings (only glibc has them).
bool daybook_bound_free_memory(int arenaCount);

#endif
