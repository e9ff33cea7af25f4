#ifndef REEVE_TESTS_ASKING_H
#define REEVE_TESTS_ASKING_H

/* cmocka needs these four headers before its header */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "records/provider.h"

/* public names start with: asking_ */

/* Provider calls for tests. Each call has a reply, which stores the result. The test fails if
 * `done` is called before the call has returned, or twice. Arguments of a call are freed when it
 * returns. */

/* The provider to call, and the function that advances time. Results are in the arena. */
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
        /* reply of a listing of cluster_then that is requested from within `done`; NULL: none */
        *then;
    const char *cluster_then;
};

struct reply *asking_reply(struct asking *asking);

/* Runs iterations until the reply has arrived. Fails the test if it does not arrive. */
struct reply *asking_wait(struct asking *asking, struct reply *reply);

/* Returns the tags of machine `number`. */
struct provider_tags asking_tags(struct arena *arena, const char *cluster, unsigned number);

/* Start a call. */
struct reply *asking_create(struct asking *asking, const char *cluster, unsigned number);
struct reply *asking_list(struct asking *asking, const char *cluster, struct text known);
struct reply *asking_find(struct asking *asking, const char *cluster, struct text id);

/* Make a call, wait, and check that it succeeded. They return the id, the complete listing, or the
 * machine (NULL: it does not exist). */
struct text asking_created(struct asking *asking, const char *cluster, unsigned number);
struct reply *asking_listed(struct asking *asking, const char *cluster);
const struct provider_row *asking_found(struct asking *asking, const char *cluster, struct text id);
void asking_destroyed(struct asking *asking, const char *cluster, struct text id);

/* Sets labels of a machine, or reboots it if they are NULL, and waits. */
struct reply *asking_change(struct asking *asking, const char *cluster, struct text id,
                            const char *labels);

/* Returns the only row with this id in a listing. NULL: there is none. */
const struct provider_row *asking_row(const struct reply *reply, struct text id);

#endif
