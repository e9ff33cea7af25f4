#ifndef REEVE_ETCD_ETCD_DUMP_H
#define REEVE_ETCD_ETCD_DUMP_H

#include "etcd/etcd_parts.h"
#include "state/dump.h"

/* public names start with: etcd_dump */

/* Internal to the etcd driver: reads a whole store at one revision. The calls block. */

/* Receives a key of a section. */
typedef bool etcd_dump_item(void *arg, const struct message_item *item, struct err *err);

/* Passes all keys of a section whose names begin with `begins` to `item`, in order. *at is etcd's
 * revision to read. If it is 0, the newest revision is read, and *at is set to it. */
MUST_CHECK bool etcd_dump_section(struct etcd_store *store, enum etcd_section section,
                                  struct text begins, uint64_t *at, etcd_dump_item *item, void *arg,
                                  struct err *err);

/* Passes the content at the newest revision to a sink. */
MUST_CHECK bool etcd_dump(struct etcd_store *store, const struct store_dump_sink *sink,
                          uint64_t *out_revision, struct err *err);

#endif
