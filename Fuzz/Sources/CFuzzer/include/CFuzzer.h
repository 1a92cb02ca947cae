#ifndef DAYBOOK_CFUZZER_H
#define DAYBOOK_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's driver (LLVM, "Using libFuzzer as a library"): takes its options from the arguments and calls back
// with one input after the other. `-sanitize=fuzzer` links it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));

#endif
