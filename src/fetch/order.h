#ifndef REEVE_FETCH_ORDER_H
#define REEVE_FETCH_ORDER_H

#include "base/mem.h"
#include "sys/address.h"

/* public names start with: fetch_ */

/* Messages between a manager and reeve-fetch: one order and one answer, each as JSON. The bytes of
 * the file itself go to a descriptor that the manager has opened. */

/* Descriptors of reeve-fetch besides its three standard streams. */
enum { FETCH_FD_OUT = 3, FETCH_FD_CA = 4, FETCH_FD_FILE = 5 };

struct fetch_order {
    struct text url;
    struct text also;   /* URL to use if the first URL does not exist (404); may be empty */
    struct text sha256; /* expected digest; empty: any digest */
    struct fetch_net allowed[LIMIT_FETCH_NETWORKS];
    size_t allowed_count;
    uint64_t deadline_ms; /* time limit for the whole order, in ms */
    uint64_t slow_ms;     /* how long the transfer may be slower than LIMIT_FETCH_SLOW_BYTES per
                           * second, in ms */
    bool has_ca;          /* FETCH_FD_CA is open, with CAs in addition to those of the machine */
    bool has_file;        /* FETCH_FD_FILE is open, and is read instead of fetching a URL */
};

struct fetch_answer {
    bool is_good;
    char digest[65];
    uint64_t bytes;
    struct text url;     /* URL after all redirects */
    struct text version; /* version in one of the URLs; may be empty */
    struct err err;      /* error; set if is_good is false */
    bool is_new;         /* the file did not exist before; set by the manager */
};

struct text fetch_order_format(struct arena *arena, const struct fetch_order *order);

/* Parses an order. Fails with R0650 if it is invalid. */
MUST_CHECK bool fetch_order_parse(struct arena *arena, struct text bytes, struct fetch_order *out,
                                  struct err *err);

struct text fetch_answer_format(struct arena *arena, const struct fetch_answer *answer);

/* Parses an answer. Fails with R0650 if it is invalid. Texts live in the arena or in `bytes`. */
MUST_CHECK bool fetch_answer_parse(struct arena *arena, struct text bytes, struct fetch_answer *out,
                                   struct err *err);

#endif
