#ifndef REEVE_ETCD_MEMBER_MEMBER_FILES_H
#define REEVE_ETCD_MEMBER_MEMBER_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: member_files_ */

/* The data in a member's folder. `folder` is its descriptor. */

/* True if the folder has the data of a member. */
bool member_files_has_data(int folder);

/* True if an etcd uses the data: one of a former process that has not ended yet. */
bool member_files_is_used(int folder);

/* Removes the sockets of an etcd that was killed, because it does not start while they exist. */
void member_files_sockets_remove(int folder);

/* Returns the size of the database in bytes, and the free bytes of the disk. */
uint64_t member_files_bytes(int folder);
uint64_t member_files_free_bytes(int folder);

/* Renames the data to aside/NAME.TIME. Succeeds if there are no data. Fails with R0596. */
MUST_CHECK bool member_files_put_aside(int folder, struct text name, int64_t now_ms,
                                       struct err *err);

/* Removes a store that was not made completely. Fails with R0596. */
MUST_CHECK bool member_files_new_remove(int folder, struct err *err);

/* Puts the former data aside and makes the new store the data. May be repeated after a kill. Fails
 * with R0596. */
MUST_CHECK bool member_files_swap(int folder, struct text name, int64_t now_ms, struct err *err);

/* Removes data that were put aside more than LIMIT_MEMBER_ASIDE_S ago. */
void member_files_sweep(int folder, int64_t now_ms);

#endif
