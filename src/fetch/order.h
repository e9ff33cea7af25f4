#ifndef REEVE_FETCH_ORDER_H
#define REEVE_FETCH_ORDER_H

#include "base/mem.h"
#include "sys/address.h"

/* names: fetch_ */

/* What a manager and the process that fetches (reeve-fetch) say to each other: one order in, one answer out, each a JSON
 * text. The bytes themselves go to a descriptor that the manager has opened. */

/* The descriptors that reeve-fetch begins with, besides its three streams. */
enum { FETCH_FD_OUT = 3, FETCH_FD_CA = 4, FETCH_FD_FILE = 5 };

struct fetch_order {
    struct text url;
    struct text also;   /* where the first is not there (404); may be empty */
    struct text sha256; /* that the bytes must have; empty: any */
    struct fetch_net allowed[LIMIT_FETCH_NETWORKS];
    size_t allowed_count;
    uint64_t deadline_ms; /* for all of it */
    uint64_t slow_ms;     /* that it may come more slowly than LIMIT_FETCH_SLOW_BYTES a second */
    bool has_ca;          /* FETCH_FD_CA is open: authorities besides those of the machine */
    bool has_file;        /* FETCH_FD_FILE is open: it is read, and nothing is fetched */
};

struct fetch_answer {
    bool is_good;
    char digest[65];
    uint64_t bytes;
    struct text url;     /* where they lay in the end */
    struct text version; /* that an address on the way named; may be empty */
    struct err err;      /* where it is not good */
    bool is_new;         /* its file was not there before; only the manager knows */
};

struct text fetch_order_format(struct arena *arena, const struct fetch_order *order);

/* R0650: it cannot be read. */
MUST_CHECK bool fetch_order_parse(struct arena *arena, struct text bytes, struct fetch_order *out,
                                  struct err *err);

struct text fetch_answer_format(struct arena *arena, const struct fetch_answer *answer);

/* R0650: it cannot be read. Texts live in the arena, or in `bytes`. */
MUST_CHECK bool fetch_answer_parse(struct arena *arena, struct text bytes, struct fetch_answer *out,
                                   struct err *err);

#endif
