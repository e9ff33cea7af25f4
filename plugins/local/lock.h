#ifndef LOCAL_LOCK_H
#define LOCAL_LOCK_H

#include "work.h"

#include <stdbool.h>

/* Locks among threads and processes. A lock is one byte of a common file, so unused locks need no
 * cleanup. The kernel releases it when its holder ends.
 *
 * Usage: AUTO(fd) lock = lock_take(work, name). Returns -1 if the deadline passes first. Two names
 * that map to the same byte (probability 1 in 2^62) block each other unnecessarily. */
int lock_take(struct work *work, const char *name);

/* Same as lock_take, without waiting. Returns -1 if the lock is held. */
int lock_try(struct work *work, const char *name);

/* Returns whether another holder has the lock now. */
bool lock_is_taken(struct work *work, const char *name);

#endif
