#ifndef LOCAL_LOCK_H
#define LOCAL_LOCK_H

#include "work.h"

#include <stdbool.h>

/* Locks that hold among the threads of this process and among processes, and end with whoever holds them. They
 * are single bytes of one file, so nothing is left of a lock that nobody needs any more.
 *
 * AUTO(fd) lock = lock_take(work, name): -1 where the work's time is over first. Names that fall on the same
 * byte (one in 2^62) wait for each other, no more. */
int lock_take(struct work *work, const char *name);

/* The same without waiting: -1 where somebody has it. */
int lock_try(struct work *work, const char *name);

/* Has somebody else this lock now? */
bool lock_is_taken(struct work *work, const char *name);

#endif
