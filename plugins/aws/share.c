/* Listings that the clusters of an account share. single_flight decides which caller makes the next
 * listing. The result is stored here, so that it is not copied for each cluster. */
#include "share.h"

#include "exchange.h"

#include <assert.h>
#include <string.h>

enum {
    SHARE_CLUSTERS_LEAST = 8,
    SHARE_CLUSTERS_MAX = 64,
    SHARE_CLUSTER_MS = 600000, /* how long a cluster that requests no listing still counts as
                                * active */
    SHARE_LISTING_BYTES = 256 * 1024 * 1024,
    SHARE_ROWS_FIRST = 64
};

struct share {
    struct single_flight *flight;
    pthread_mutex_t mutex; /* protects the members below */
    struct share_listing *last;
    /* When a cluster last requested a listing, by a hash of its id. */
    struct {
        uint64_t hash;
        uint64_t at_ms; /* 0: the entry is unused */
    } clusters[SHARE_CLUSTERS_MAX];
};

struct share *share_new(void)
{
    struct share *share = rows_resize(NULL, sizeof(*share));

    *share = (struct share){ .flight = single_flight_new() };
    (void)pthread_mutex_init(&share->mutex, NULL);
    return share;
}

/* Releases a listing. Called with the mutex locked. */
static void share_listing_drop(struct share_listing *listing)
{
    if (listing != NULL && --listing->readers == 0) {
        arena_free(listing->arena);
    }
}

void share_free(struct share *share)
{
    if (share != NULL) {
        share_listing_drop(share->last);
        single_flight_free(share->flight);
        (void)pthread_mutex_destroy(&share->mutex);
        rows_free(share);
    }
}

/* ---- list of clusters ---- */

bool share_is_used(struct aws_work *work, struct text cluster)
{
    struct share *share = work->aws->share;
    uint64_t hash = text_hash(cluster, 0);
    uint64_t now_ms = http_now_ms();
    size_t count = 0;
    size_t oldest = 0;
    size_t own = SHARE_CLUSTERS_MAX;

    if (!work->aws->settings.is_sharing) {
        return false;
    }
    (void)pthread_mutex_lock(&share->mutex);
    for (size_t i = 0; i < SHARE_CLUSTERS_MAX; i++) {
        bool is_counted =
            share->clusters[i].at_ms > 0 && now_ms - share->clusters[i].at_ms < SHARE_CLUSTER_MS;

        if (share->clusters[i].at_ms > 0 && share->clusters[i].hash == hash) {
            own = i;
        } else if (is_counted) {
            count++;
        }
        oldest = share->clusters[i].at_ms < share->clusters[oldest].at_ms ? i : oldest;
    }
    own = own < SHARE_CLUSTERS_MAX ? own : oldest;
    share->clusters[own].hash = hash;
    share->clusters[own].at_ms = now_ms;
    (void)pthread_mutex_unlock(&share->mutex);
    return count + 1 >= SHARE_CLUSTERS_LEAST;
}

/* ---- a listing ---- */

static struct reeve_text share_copy(struct arena *arena, struct reeve_text text)
{
    return aws_answer(arena_text(arena, aws_text(text)));
}

void share_row_add(struct share_listing *listing, struct text cluster,
                   const struct reeve_row_v1 *row)
{
    struct arena *arena = listing->arena;
    struct reeve_tag *tags = arena_array(arena, struct reeve_tag, row->tag_count);
    struct share_row *copy;

    if (listing->count == listing->room) {
        size_t room = listing->room == 0 ? SHARE_ROWS_FIRST : listing->room * 2;

        listing->rows = arena_grow(arena, listing->rows, listing->room * sizeof(*listing->rows),
                                   room * sizeof(*listing->rows));
        listing->room = room;
    }
    for (uint32_t i = 0; i < row->tag_count; i++) {
        tags[i] = (struct reeve_tag){ share_copy(arena, row->tags[i].name),
                                      share_copy(arena, row->tags[i].value) };
    }
    copy = &listing->rows[listing->count++];
    *copy = (struct share_row){ .cluster = arena_text(arena, cluster), .row = *row };
    copy->row.tags = tags;
    copy->row.id = share_copy(arena, row->id);
    copy->row.zone = share_copy(arena, row->zone);
    copy->row.address = share_copy(arena, row->address);
    copy->row.properties = share_copy(arena, row->properties);
}

/* Makes the listing, for this caller and for all callers that wait for it. */
static void share_lead(struct aws_work *work, struct share *share,
                       int32_t (*make)(struct aws_work *work, struct share_listing *out))
{
    struct arena *arena = arena_new(SHARE_LISTING_BYTES);
    struct share_listing *listing = arena_one(arena, struct share_listing);

    *listing = (struct share_listing){ .arena = arena, .readers = 1 };
    listing->result = make(work, listing);
    listing->why = arena_text(arena, work->last_fault);
    (void)pthread_mutex_lock(&share->mutex);
    share_listing_drop(share->last);
    share->last = listing;
    (void)pthread_mutex_unlock(&share->mutex);
    single_flight_end(share->flight, TEXT(""), listing->result);
}

static void share_report(struct aws_work *work, struct text cluster,
                         const struct share_listing *listing)
{
    const struct reeve_host_v1 *host = work->aws->host;

    if (listing->is_incomplete) {
        host->incomplete(work->call);
    }
    for (size_t i = 0; i < listing->count; i++) {
        if (text_is_equal(listing->rows[i].cluster, cluster)) {
            host->row(work->call, &listing->rows[i].row);
        }
    }
}

int32_t share_describe(struct aws_work *work, struct text cluster,
                       int32_t (*make)(struct aws_work *work, struct share_listing *out))
{
    struct share *share = work->aws->share;
    struct share_listing *listing;
    struct text nothing;
    int32_t result;
    enum single_flight_role role =
        single_flight_join(share->flight, work->arena,
                           exchange_ends_ms(work->aws->host, work->call), &nothing, &result);

    if (role == SINGLE_FLIGHT_LATE) {
        return aws_refuse(work, REEVE_TRANSIENT, "",
                          "the listing of the account was not complete before the deadline");
    }
    if (role == SINGLE_FLIGHT_LEADER) {
        share_lead(work, share, make);
    }
    /* the last listing is the result of this flight or of a later one */
    (void)pthread_mutex_lock(&share->mutex);
    listing = share->last;
    assert(listing != NULL);
    listing->readers++;
    (void)pthread_mutex_unlock(&share->mutex);
    result = listing->result;
    if (result == REEVE_OK) {
        share_report(work, cluster, listing);
    } else if (role == SINGLE_FLIGHT_SHARED) {
        (void)aws_refuse(work, result, "", "%.*s", TEXT_ARG(listing->why));
    }
    (void)pthread_mutex_lock(&share->mutex);
    share_listing_drop(listing);
    (void)pthread_mutex_unlock(&share->mutex);
    return result;
}
