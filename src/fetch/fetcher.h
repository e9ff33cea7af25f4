#ifndef REEVE_FETCH_FETCHER_H
#define REEVE_FETCH_FETCHER_H

#include "fetch/order.h"
#include "sys/loop.h"

/* Fetches plugin files through reeve-fetch, and stores them in a folder by digest: DIGEST.so, which
 * is written once. All functions run on the loop's thread. The digest from reeve-fetch is not
 * trusted, because that process has used the internet; it is computed again here. */
struct fetcher;

struct fetcher_options {
    struct loop *loop;
    const char *program; /* absolute path of reeve-fetch */
    /* created if missing; incomplete files of an earlier process are removed */
    const char *folder;
    const char *ca; /* file with CAs in addition to those of the machine; NULL: none */
    /* networks whose addresses are permitted although they are not public; copied */
    const struct fetch_net *allowed;
    size_t allowed_count;
    bool is_file_url_allowed; /* URLs of the form file:///PATH are permitted */
    uint64_t deadline_ms;
    uint64_t slow_ms;
};

MUST_CHECK bool fetcher_open(const struct fetcher_options *options, struct fetcher **out,
                             struct err *err);

/* Receives the answer to an order. If it is good, the file exists. Its texts are valid until the
 * callback returns. */
typedef void fetcher_done(void *arg, const struct fetch_answer *answer);

/* Fetches a file. `also` and `sha256` are as in struct fetch_order. `done` is called once, later;
 * with R0650 if the fetch cannot be started. */
void fetcher_fetch(struct fetcher *fetcher, struct text url, struct text also, struct text sha256,
                   fetcher_done *done, void *arg);

/* Stores bytes from another source as a file, by digest. Fails with R0645 (too many bytes), R0646
 * (not a plugin), or R0644 (the digest is not `sha256`; an empty `sha256` permits any). */
MUST_CHECK bool fetcher_put(struct fetcher *fetcher, struct text bytes, struct text sha256,
                            struct fetch_answer *out, struct err *err);

/* Returns the number of active orders. */
size_t fetcher_count(const struct fetcher *fetcher);

/* fetcher_path returns the path of the file with this digest, whether or not it exists. fetcher_has
 * returns whether it exists. */
struct text fetcher_path(const struct fetcher *fetcher, struct arena *arena, struct text digest);
bool fetcher_has(const struct fetcher *fetcher, struct text digest);

/* Removes a file, because its content does not match its digest. */
void fetcher_remove(const struct fetcher *fetcher, struct text digest);

/* fetcher_close cancels active orders; `done` is not called for them. After it, run the loop until
 * fetcher_is_over returns true, then call fetcher_free. All three functions accept NULL. */
void fetcher_close(struct fetcher *fetcher);
bool fetcher_is_over(const struct fetcher *fetcher);
void fetcher_free(struct fetcher *fetcher);

#endif
