#include "engine/service_parts.h"

#include <assert.h>

/* Which revision stood at a time: the smallest behind which the next event is of later. Halved, for the store knows events
 * by revision and not by time. A clock that went back in between makes it one of the revisions around. */

struct seek {
    struct service *service;
    uint64_t at_ms;
    uint64_t low; /* what is wanted is not below this, and not above that */
    uint64_t high;
    service_seek_done *done;
    void *arg;
};

static void seek_step(struct seek *seek);

static void seek_end(struct seek *seek)
{
    struct err err;

    if (seek->low > 0) {
        seek->done(seek->arg, seek->low, NULL);
        return;
    }
    err_set(&err, CODE_R0503, "nothing is known of that time");
    seek->done(seek->arg, 0, &err);
}

static void event_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct seek *seek = arg;
    uint64_t middle = seek->low + (seek->high - seek->low) / 2;

    if (outcome != OUTCOME_OK) {
        seek->done(seek->arg, 0, &answer->err);
        return;
    }
    if (answer->count == 0 || answer->events[0].time_ms > seek->at_ms) {
        seek->high = middle;
    } else {
        uint64_t reached = answer->events[0].revision;

        seek->low = reached < seek->high ? reached : seek->high;
    }
    seek_step(seek);
}

static void seek_step(struct seek *seek)
{
    assert(seek->low <= seek->high);
    if (seek->low == seek->high) {
        seek_end(seek);
        return;
    }
    store_events(seek->service->store, TEXT(""), seek->low + (seek->high - seek->low) / 2, 1,
                 event_known, seek);
}

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg)
{
    struct seek *seek = arena_one(arena, struct seek);

    *seek = (struct seek){ .service = service,
                           .at_ms = at_ms,
                           .high = cache_revision(service->cache),
                           .done = done,
                           .arg = arg };
    seek_step(seek);
}
