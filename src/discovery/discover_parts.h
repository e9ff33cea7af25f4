#ifndef REEVE_DISCOVERY_DISCOVER_PARTS_H
#define REEVE_DISCOVERY_DISCOVER_PARTS_H

#include "query/query_parts.h"
#include "records/discovered.h"

/* public names start with: discover_ service_ */

/* private to src/discovery */

/* One request to discover machines, and the rows that it creates or updates. */

enum {
    DISCOVER_PORT = 22,
    DISCOVER_ADDRESSES_MAX = 30, /* maximum number of rows in one transaction */
    DISCOVER_BITS_MIN = 22,      /* number of addresses in the largest network */
    DISCOVER_PIECE = 64,         /* addresses of a network in one request */
    DISCOVER_RENEW_MS = 10 * 1000,
};

struct discover_target {
    struct discover *discover;
    struct text address; /* the address as the user gave it */
    struct text host;
    uint16_t port;
    struct text host_key;
    struct err err;   /* why there is no row; code NONE: there is one */
    struct text name; /* name of the machine at the source; empty: its address is the name */
    struct discovered row;
    /* A row of the inventory has this address; that row is updated. */
    bool is_known;
    uint64_t revision;             /* revision of that row */
    const struct discovered *twin; /* another row with its host key; NULL: there is none */
    struct text duplicate;         /* why the new row is marked as a duplicate; empty: it is not */
};

/* The network of a request, and the piece of it that is probed. */
struct discover_network {
    uint32_t first; /* address of the network */
    uint64_t count; /* number of addresses that machines can have */
    uint64_t next;  /* offset of the next piece; `count`: there is no further piece */
    size_t known;   /* number of machines that belong to a cluster or have a row */
};

struct discover {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_discover request;
    struct text source; /* the source: manual, probe, boot */
    const char *why;    /* reason for the status of new rows */
    /* An operation in the transaction of the new rows, if its object is unchanged since it was
     * read. An empty key: there is none. */
    struct store_op use;
    uint64_t use_revision;
    struct discover_network network;
    struct discover_target *targets;
    size_t target_count;
    size_t pending;
    struct doc answer;
    service_done *done;
    void *arg;
};

static inline bool is_discover_port(uint16_t recorded, uint16_t port)
{
    return (recorded == 0 ? DISCOVER_PORT : recorded) == port;
}

/* Reads the access data of a cluster's machine. Returns false if it has none or is being
 * destroyed. */
bool discover_record_read(struct arena *arena, const struct cache_object *object,
                          struct record *out);
struct text discover_records_prefix(const struct discover *discover);

/* discover_record_has returns whether a machine of any cluster of the tenant has the address;
 * *out_name is its name. discover_row_has returns whether a row of the inventory has the address;
 * *out is the row. */
bool discover_record_has(const struct discover *discover, const struct discover_target *target,
                         struct text *out_name);
bool discover_row_has(const struct discover *discover, const struct discover_target *target,
                      struct discovered *out);

/* Creates rows for targets with a host key, updates known rows, and answers the request. */
void discover_write(struct discover *discover);

/* Read the host keys of all targets by key exchanges; then discover_write. */
void discover_keys_read(struct discover *discover);

/* Begins to probe the part of the network in the request (discover_network.c). */
MUST_CHECK bool discover_network_begin(struct discover *discover, struct err *err);

#endif
