#ifndef REEVE_TESTS_ASKING_H
#define REEVE_TESTS_ASKING_H

/* cmocka wants these four before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "records/provider.h"

/* public names start with: asking_ */

/* Calls of a provider for tests: each has a reply, which is kept, and fails the test where `done`
 * comes before the call has returned, or twice. What a call was handed goes away when it has
 * returned. */

/* Whom to ask, and how time goes on. The arena keeps what is told. */
struct asking {
    struct arena *arena;
    struct provider *provider;
    void (*turn)(struct asking *asking);
};

struct reply {
    struct asking *asking;
    bool has_come;
    bool call_has_returned;
    enum outcome outcome;
    struct provider_answer answer;
    struct reply
        *then; /* a listing of cluster_then that is asked for from within `done`; NULL: none */
    const char *cluster_then;
};

struct reply *asking_reply(struct asking *asking);

/* Turn until it has come; fails the test when it never does. */
struct reply *asking_wait(struct asking *asking, struct reply *reply);

/* What machine `number` is stamped with. */
struct provider_tags asking_tags(struct arena *arena, const char *cluster, unsigned number);

/* Begin a call. */
struct reply *asking_create(struct asking *asking, const char *cluster, unsigned number);
struct reply *asking_list(struct asking *asking, const char *cluster, struct text known);
struct reply *asking_find(struct asking *asking, const char *cluster, struct text id);

/* Make a call, wait, and see that it went well: the id; the whole listing; the machine, or NULL
 * where it is not. */
struct text asking_created(struct asking *asking, const char *cluster, unsigned number);
struct reply *asking_listed(struct asking *asking, const char *cluster);
const struct provider_row *asking_found(struct asking *asking, const char *cluster, struct text id);
void asking_destroyed(struct asking *asking, const char *cluster, struct text id);

/* Give a machine labels, or start it anew (NULL), and wait. */
struct reply *asking_change(struct asking *asking, const char *cluster, struct text id,
                            const char *labels);

/* The one row of this id in a listing; NULL: it is not there. */
const struct provider_row *asking_row(const struct reply *reply, struct text id);

#endif
