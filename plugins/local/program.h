#ifndef LOCAL_PROGRAM_H
#define LOCAL_PROGRAM_H

#include <stdint.h>

/* Runs a program without input and output, which is killed when this thread ends. Returns 0 on
 * success, its exit code, or -1 if it was not started, was killed, or exceeded limit_ms. */
int program_run(const char *const *argv, uint64_t limit_ms);

#endif
