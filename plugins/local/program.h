#ifndef LOCAL_PROGRAM_H
#define LOCAL_PROGRAM_H

#include <stdint.h>

/* Run a program without input and output, which ends with this thread. 0: it went well; else its answer; -1: it
 * was not started, was killed, or took longer than limit_ms. */
int program_run(const char *const *argv, uint64_t limit_ms);

#endif
