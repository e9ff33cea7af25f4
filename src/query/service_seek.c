#include "query/query_parts.h"

#include <assert.h>

/* Finds the revision at a given time: the smallest revision after which the next event is later
 * than that time. It uses binary search, because the store finds events by revision and not by
 * time. If the clock was set back in between, the result is one of several revisions near that
 * time.
 *
 * The same search finds the position in the events of one cluster, which have numbers. */

struct seek {
    struct service *service;
    /* Empty: positions are revisions of all events. Otherwise positions are event numbers of this
     * cluster. */
    struct text cluster;
    /* The search is for the position after this revision. If it is 0, the search is for the
     * position at the time at_ms. */
    uint64_t at_revision;
    uint64_t at_ms;
    /* The result is at least `low` and at most `high`. */
    uint64_t low;
    uint64_t high;
    /* true: report an error if the result is the first position, because the state before it is
     * unknown */
    bool is_to_be_known;
    service_seek_done *done;
    void *arg;
};

static void seek_step(struct seek *seek);

static void seek_end(struct seek *seek)
{
    struct err err;

    if (seek->low > 0 || !seek->is_to_be_known) {
        seek->done(seek->arg, seek->low, NULL);
        return;
    }
    err_set(&err, CODE_R0503, "no revision from that time is stored");
    seek->done(seek->arg, 0, &err);
}

static bool is_event_behind(const struct seek *seek, const struct store_event *event)
{
    return seek->at_revision > 0 ? event->revision > seek->at_revision
                                 : event->time_ms > seek->at_ms;
}

static void event_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct seek *seek = arg;
    uint64_t middle = seek->low + (seek->high - seek->low) / 2;

    if (outcome != OUTCOME_OK) {
        seek->done(seek->arg, 0, &answer->err);
        return;
    }
    if (answer->count == 0 || is_event_behind(seek, &answer->events[0])) {
        seek->high = middle;
    } else {
        uint64_t reached =
            seek->cluster.length > 0 ? answer->events[0].number : answer->events[0].revision;

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
    store_events(seek->service->store, seek->cluster, seek->low + (seek->high - seek->low) / 2, 1,
                 event_known, seek);
}

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg)
{
    struct seek *seek = arena_one(arena, struct seek);

    *seek = (struct seek){ .service = service,
                           .at_ms = at_ms,
                           .high = cache_revision(service->cache),
                           .is_to_be_known = true,
                           .done = done,
                           .arg = arg };
    seek_step(seek);
}

static void newest_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct seek *seek = arg;

    if (outcome != OUTCOME_OK) {
        seek->done(seek->arg, 0, &answer->err);
        return;
    }
    seek->high = answer->count == 0 ? 0 : answer->events[0].number;
    seek_step(seek);
}

void service_seek_events(struct service *service, struct arena *arena,
                         const struct service_seek_events *wanted, service_seek_done *done,
                         void *arg)
{
    struct seek *seek = arena_one(arena, struct seek);

    *seek = (struct seek){ .service = service,
                           .cluster = arena_text(arena, wanted->cluster),
                           .at_revision = wanted->at_revision,
                           .at_ms = wanted->at_ms > 0 ? wanted->at_ms - 1 : 0,
                           .high = cache_revision(service->cache),
                           .done = done,
                           .arg = arg };
    if (seek->cluster.length > 0) {
        store_events_before(service->store, seek->cluster, 0, 1, newest_known, seek);
    } else {
        seek_step(seek);
    }
}
