#ifndef REEVE_FETCH_FETCHER_H
#define REEVE_FETCH_FETCHER_H

#include "fetch/order.h"
#include "sys/loop.h"

/* Has reeve-fetch fetch, and keeps what came in a folder, by its digest: DIGEST.so, written once and never over. All on the
 * loop's thread. What a process that talked to the internet says of a digest is not believed: it is made anew here. */
struct fetcher;

struct fetcher_options {
    struct loop *loop;
    const char *program; /* reeve-fetch; absolute */
    const char *folder;  /* made where it is not there; what an earlier life left half is removed */
    const char *ca;      /* file of authorities besides those of the machine; NULL: none */
    const struct fetch_net *allowed; /* copied */
    size_t allowed_count;
    bool takes_files; /* file:///PATH is read */
    uint64_t deadline_ms;
    uint64_t slow_ms;
};

MUST_CHECK bool fetcher_open(const struct fetcher_options *options, struct fetcher **out,
                             struct err *err);

/* One answer to one order; where it is good, the file stands. Texts are valid until it returns. */
typedef void fetcher_done(void *arg, const struct fetch_answer *answer);

/* Fetch. `also` and `sha256` as of an order. `done` comes once, later; with R0650 where nothing can be begun. */
void fetcher_fetch(struct fetcher *fetcher, struct text url, struct text also, struct text sha256,
                   fetcher_done *done, void *arg);

/* Keep bytes that came another way as a file of their digest. R0645: they are too many. R0646: they are no plugin. R0644:
 * their digest is another one than `sha256` (empty: any). */
MUST_CHECK bool fetcher_put(struct fetcher *fetcher, struct text bytes, struct text sha256,
                            struct fetch_answer *out, struct err *err);

/* How many are under way. */
size_t fetcher_count(const struct fetcher *fetcher);

/* Where a file with this digest stands, or would. */
struct text fetcher_path(const struct fetcher *fetcher, struct arena *arena, struct text digest);
bool fetcher_has(const struct fetcher *fetcher, struct text digest);

/* What stands there is not what it is named: away with it. */
void fetcher_remove(const struct fetcher *fetcher, struct text digest);

/* End what is under way: no `done` comes any more. The loop has to turn until fetcher_is_over, before fetcher_free. NULL is
 * allowed in all three. */
void fetcher_close(struct fetcher *fetcher);
bool fetcher_is_over(const struct fetcher *fetcher);
void fetcher_free(struct fetcher *fetcher);

#endif
