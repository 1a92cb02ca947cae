#include "cdaybookserver.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "openapi.yaml"
};

const unsigned char *daybook_openapi(size_t *byteCount) {
    *byteCount = sizeof openapi;
    return openapi;
}
