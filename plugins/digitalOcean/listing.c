#include "ocean.h"

#include "codec/doc_child.h"
#include "exchange.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

/* One listing of all droplets of reeve serves all clusters of the account, because the account has
 * a low rate limit. A caller that arrives while a listing is in progress waits for the next
 * listing, so that its data was read after its request. One caller makes the listing, with its
 * credential; the others wait.
 *
 * Pages shift when droplets are created or deleted. A listing is repeated if an id occurs twice, or
 * if the number of droplets differs from the total that each page states. After three attempts it
 * is reported as incomplete. */

enum {
    OCEAN_LISTING_BYTES = 256 * 1024 * 1024,
    OCEAN_LISTING_TRIES = 3,
    OCEAN_LISTING_PAGE = 200,
    OCEAN_LISTING_EVERY_MS = 10000,
    OCEAN_SWEEP_MS = 3600000,
    /* Maximum number of ids that are read one by one. More ids are first looked up in a listing. */
    OCEAN_IDS_SINGLE = 3
};

/* A complete listing. Callers share it, and the last caller frees it. */
struct ocean_snapshot {
    struct arena *arena;
    struct doc *droplets;
    int64_t *ids; /* memory of the droplets */
    size_t count;
    int32_t result;
    bool is_incomplete;
    struct ocean_answer answer; /* if the result is not OK: the answer */
    unsigned users;
};

struct ocean_listing {
    pthread_mutex_t mutex; /* protects the members below */
    pthread_cond_t changed;
    bool is_active;
    uint64_t started; /* number of listings that were started */
    uint64_t ended;
    uint64_t started_at_ms;
    uint64_t swept_at_ms;
    struct ocean_snapshot *last;
};

struct ocean_listing *ocean_listing_new(void)
{
    struct ocean_listing *listing = rows_resize(NULL, sizeof(*listing));
    pthread_condattr_t clock;

    *listing = (struct ocean_listing){ 0 };
    (void)pthread_mutex_init(&listing->mutex, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&listing->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    return listing;
}

/* Releases a snapshot. Called with the mutex locked. */
static void ocean_snapshot_drop(struct ocean_snapshot *snapshot)
{
    if (snapshot != NULL && --snapshot->users == 0) {
        arena_free(snapshot->arena);
    }
}

void ocean_listing_free(struct ocean_listing *listing)
{
    if (listing == NULL) {
        return;
    }
    ocean_snapshot_drop(listing->last);
    (void)pthread_cond_destroy(&listing->changed);
    (void)pthread_mutex_destroy(&listing->mutex);
    rows_free(listing);
}

/* ---- making a listing ---- */

/* Adds the droplets of one page. Returns false if an id occurs twice. */
static bool ocean_listing_add(struct ocean_snapshot *snapshot, const struct doc *items)
{
    size_t count = doc_is_list(items) ? items->item_count : 0;
    size_t old = snapshot->count;
    bool is_new = true;

    snapshot->droplets =
        arena_grow(snapshot->arena, snapshot->droplets, old * sizeof(*snapshot->droplets),
                   (old + count) * sizeof(*snapshot->droplets));
    snapshot->ids = arena_grow(snapshot->arena, snapshot->ids, old * sizeof(*snapshot->ids),
                               (old + count) * sizeof(*snapshot->ids));
    for (size_t i = 0; i < count; i++) {
        int64_t id = doc_child_number(&items->items[i], "id");

        for (size_t k = 0; k < old; k++) {
            is_new &= snapshot->ids[k] != id;
        }
        snapshot->ids[snapshot->count] = id;
        snapshot->droplets[snapshot->count++] = items->items[i];
    }
    return is_new;
}

/* Reads all pages once. Returns true if they are consistent. On failure the answer has the
 * result. */
static bool ocean_listing_read(struct ocean_call *work, struct ocean_snapshot *snapshot)
{
    bool is_whole = true;

    snapshot->count = 0;
    snapshot->droplets = NULL;
    snapshot->ids = NULL;
    for (unsigned page = 1;; page++) {
        struct ocean_request request = {
            .method = "GET",
            .path =
                arena_printf(work->arena, "/droplets?tag_name=" OCEAN_TAG "&page=%u&per_page=%d",
                             page, OCEAN_LISTING_PAGE),
            .kind = CLASSIFY_READ,
            .priority = HTTP_LISTING,
        };
        const struct doc *items;
        int64_t total;

        if (ocean_send(work, &request, &snapshot->answer) != REEVE_OK) {
            return false;
        }
        items = doc_child(&snapshot->answer.doc, "droplets");
        total = doc_child_number(doc_child(&snapshot->answer.doc, "meta"), "total");
        is_whole &= doc_is_list(items) && ocean_listing_add(snapshot, items);
        if (!doc_is_present(
                doc_child(doc_child(doc_child(&snapshot->answer.doc, "links"), "pages"), "next")) ||
            !doc_is_list(items) || items->item_count == 0) {
            return is_whole && total == (int64_t)snapshot->count;
        }
    }
}

static void ocean_listing_make(struct ocean_call *caller, struct ocean_snapshot *snapshot)
{
    struct ocean_call work = *caller;

    work.arena = snapshot->arena;
    for (unsigned i = 0; i < OCEAN_LISTING_TRIES; i++) {
        bool is_whole = ocean_listing_read(&work, snapshot);

        snapshot->result = snapshot->answer.result;
        snapshot->is_incomplete = !is_whole;
        if (is_whole || snapshot->result != REEVE_OK) {
            return;
        }
    }
}

/* Returns the minimum time between the starts of two listings, in ms: 10 s with the usual rate
 * limit. */
static uint64_t ocean_listing_pause(const struct ocean *ocean)
{
    return (uint64_t)OCEAN_LISTING_EVERY_MS * 3600 / (uint64_t)ocean->settings.requests_per_hour;
}

/* ---- sharing it ---- */

static void ocean_listing_wait(struct ocean_listing *listing, uint64_t until_ms)
{
    struct timespec until = { .tv_sec = (time_t)(until_ms / 1000),
                              .tv_nsec = (long)(until_ms % 1000) * 1000000 };

    (void)pthread_cond_timedwait(&listing->changed, &listing->mutex, &until);
}

/* Makes the next listing. Called with the mutex locked; it is released while the listing is
 * made. */
static void ocean_listing_run(struct ocean_call *work, struct ocean_listing *listing)
{
    struct arena *arena = arena_new(OCEAN_LISTING_BYTES);
    struct ocean_snapshot *snapshot = arena_one(arena, struct ocean_snapshot);

    snapshot->arena = arena;
    snapshot->users = 1;
    listing->is_active = true;
    listing->started++;
    listing->started_at_ms = http_now_ms();
    (void)pthread_mutex_unlock(&listing->mutex);
    ocean_listing_make(work, snapshot);
    (void)pthread_mutex_lock(&listing->mutex);
    listing->is_active = false;
    listing->ended = listing->started;
    ocean_snapshot_drop(listing->last);
    listing->last = snapshot;
    (void)pthread_cond_broadcast(&listing->changed);
}

/* Returns a listing that was started after this call. NULL: the deadline has passed. */
static struct ocean_snapshot *ocean_listing_get(struct ocean_call *work)
{
    struct ocean_listing *listing = work->ocean->listing;
    uint64_t ends_ms = exchange_ends_ms(work->ocean->host, work->call);
    struct ocean_snapshot *found = NULL;
    uint64_t wanted;

    (void)pthread_mutex_lock(&listing->mutex);
    wanted = listing->started + 1;
    while (listing->ended < wanted) {
        uint64_t now_ms = http_now_ms();
        uint64_t next_ms = listing->started_at_ms + ocean_listing_pause(work->ocean);

        if (now_ms >= ends_ms) {
            break;
        }
        if (listing->is_active) {
            ocean_listing_wait(listing, ends_ms);
        } else if (listing->started > 0 && next_ms > now_ms) {
            ocean_listing_wait(listing, next_ms < ends_ms ? next_ms : ends_ms);
        } else {
            ocean_listing_run(work, listing);
        }
    }
    if (listing->ended >= wanted) {
        found = listing->last;
        found->users++;
    }
    (void)pthread_mutex_unlock(&listing->mutex);
    return found;
}

static void ocean_listing_put(struct ocean_call *work, struct ocean_snapshot *snapshot)
{
    (void)pthread_mutex_lock(&work->ocean->listing->mutex);
    ocean_snapshot_drop(snapshot);
    (void)pthread_mutex_unlock(&work->ocean->listing->mutex);
}

/* Deletes old entries of the journal once an hour. */
static void ocean_sweep(struct ocean_call *work)
{
    struct ocean_listing *listing = work->ocean->listing;
    bool is_due;

    (void)pthread_mutex_lock(&listing->mutex);
    is_due = http_now_ms() > listing->swept_at_ms + OCEAN_SWEEP_MS;
    if (is_due) {
        listing->swept_at_ms = http_now_ms();
    }
    (void)pthread_mutex_unlock(&listing->mutex);
    if (is_due) {
        journal_sweep(&work->ocean->journal);
    }
}

/* ---- describe ---- */

static bool is_ocean_wanted(const struct reeve_query_v1 *query, struct text id)
{
    for (uint32_t i = 0; i < query->id_count; i++) {
        if (text_is_equal(plain_text(query->ids[i]), id)) {
            return true;
        }
    }
    return query->id_count == 0;
}

/* Reports the machines of the cluster in a listing. `seen` (may be NULL) marks the ids of the query
 * that were found. */
static int32_t ocean_report(struct ocean_call *work, const struct reeve_query_v1 *query, bool *seen)
{
    struct ocean_snapshot *snapshot = ocean_listing_get(work);
    int32_t result;

    if (snapshot == NULL) {
        return ocean_fault(work, REEVE_TRANSIENT, "",
                           "the listing of the account was not complete before the deadline");
    }
    result = snapshot->result;
    if (result != REEVE_OK) {
        (void)ocean_refuse(work, "", "list the droplets", &snapshot->answer);
    } else if (snapshot->is_incomplete && query->id_count == 0) {
        work->ocean->host->incomplete(work->call);
    }
    for (size_t i = 0; result == REEVE_OK && i < snapshot->count; i++) {
        struct ocean_machine machine;
        struct text id = doc_child_text(&snapshot->droplets[i], "id");
        bool is_repeated = false;

        for (size_t k = i + 1; snapshot->is_incomplete && k < snapshot->count; k++) {
            is_repeated |= snapshot->ids[k] == snapshot->ids[i];
        }
        ocean_machine_read(work, &snapshot->droplets[i], &machine);
        if (is_repeated || !text_is_equal(machine.cluster, plain_text(query->cluster)) ||
            !is_ocean_wanted(query, id)) {
            continue;
        }
        ocean_machine_row(work, &snapshot->droplets[i], &machine);
        for (uint32_t k = 0; seen != NULL && k < query->id_count; k++) {
            seen[k] |= text_is_equal(plain_text(query->ids[k]), id);
        }
    }
    ocean_listing_put(work, snapshot);
    return result;
}

/* Reports single machines. */
static int32_t ocean_report_ids(struct ocean_call *work, const struct reeve_query_v1 *query,
                                const bool *seen)
{
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct ocean_machine machine;
        struct doc droplet;
        int32_t result;

        if (seen[i]) {
            continue;
        }
        result = ocean_droplet_get(work, plain_text(query->cluster), plain_text(query->ids[i]),
                                   &droplet, &machine);
        if (result == REEVE_OK) {
            ocean_machine_row(work, &droplet, &machine);
        } else if (result != REEVE_GONE) {
            return result;
        }
    }
    return REEVE_OK;
}

int32_t ocean_describe(struct ocean_call *work, const struct reeve_query_v1 *query)
{
    bool *seen = arena_array(work->arena, bool, query->id_count);
    int32_t result = REEVE_OK;

    ocean_sweep(work);
    if (query->id_count == 0 || query->id_count > OCEAN_IDS_SINGLE) {
        result = ocean_report(work, query, seen);
    }
    return result == REEVE_OK ? ocean_report_ids(work, query, seen) : result;
}
