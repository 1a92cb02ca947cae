// Files that the server gives away as they are, put into the program when it is built.
#ifndef CDAYBOOKSERVER_H
#define CDAYBOOKSERVER_H

#include <stddef.h>

// The description of the server's routes (OpenAPI 3.1, YAML, UTF-8): openapi.yaml.
const unsigned char *daybook_openapi(size_t *byteCount);

#endif
