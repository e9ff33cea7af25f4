#ifndef LOCAL_PROGRAM_H
#define LOCAL_PROGRAM_H

#include <stdint.h>

/* Runs a program without input and output, and waits for it. The kernel kills it if this thread
 * ends. Returns its exit code (0: success), or -1 if it was not started, was killed, or exceeded
 * limit_ms. */
int program_run(const char *const *argv, uint64_t limit_ms);

#endif
