#ifndef REEVE_MANAGED_STORE_MANAGED_WATCH_H
#define REEVE_MANAGED_STORE_MANAGED_WATCH_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "sys/log.h"
#include "sys/loop.h"

/* public names start with: managed_watch_ */

/* Starts reeve-store again when it has ended while the manager runs, for example because it was
 * killed. A service manager does this as well, and gets time to do it first. reeve-store starts its
 * etcd by itself.
 *
 * Failure: it ends again at once. The next attempts come after pauses of up to a minute, and each
 * is logged. */
struct managed_watch;

/* `data` is the data folder of the manager. *out lives in the arena, which must outlive the loop's
 * children. */
MUST_CHECK bool managed_watch_open(struct arena *arena, struct loop *loop, struct log *log,
                                   const char *data, struct managed_watch **out, struct err *err);

/* Ends the watch, not reeve-store. NULL is allowed. */
void managed_watch_close(struct managed_watch *watch);

#endif
