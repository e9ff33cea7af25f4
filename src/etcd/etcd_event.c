#include "base/limits.h"
#include "base/sort.h"
#include "etcd/etcd_parts.h"

#include <assert.h>

/* Events. The name of an event's key contains all its fields except the body. So events to drop are
 * found without reading their bodies. */

MUST_CHECK static bool event_name_read(const struct etcd_store *store, struct text full,
                                       struct text *name, struct etcd_event_name *out)
{
    return etcd_key_name(store->prefix, ETCD_SECTION_EVENT, full, name) &&
           etcd_event_name_unpack(*name, out);
}

/* Reads an event. Returns false if it is damaged. */
MUST_CHECK static bool etcd_event_read(const struct etcd_store *store,
                                       const struct message_item *item, struct store_event *out,
                                       unsigned *index)
{
    struct etcd_revisions revisions;
    struct etcd_event_name parts;
    struct text name;
    struct text body;

    if (!event_name_read(store, item->key, &name, &parts) ||
        !etcd_item_read(store, ETCD_SECTION_EVENT, name, item, &revisions, &body)) {
        return false;
    }
    *out = (struct store_event){ parts.cluster, body, parts.number, revisions.revision,
                                 parts.time_ms };
    *index = parts.index;
    return true;
}

/* ---- of one cluster ---- */

static void events_found(struct etcd_job *job, struct etcd_scan *scan)
{
    struct store_event *events = arena_array(job->arena, struct store_event, scan->count);

    for (size_t i = 0; i < scan->count; i++) {
        unsigned index;

        if (!etcd_event_read(job->store, &scan->items[i], &events[i], &index)) {
            etcd_job_damaged(job, scan->items[i].key);
            return;
        }
    }
    job->answer.events = events;
    job->answer.count = scan->count;
    job->answer.has_more = scan->has_more;
    etcd_job_end(job, OUTCOME_OK);
}

/* ---- of all clusters ---- */

/* Events of all clusters. etcd sorts them by revision, but in no order within a revision. One
 * transaction has a limited number of events. So a read that requests that many additional events
 * includes all events of its last revision. */
struct feed {
    uint64_t limit;
    /* etcd's revision at which the next page begins */
    uint64_t from;
    /* Only events above `after` and below `before` are returned. These are revisions of the store.
     * For copied events they differ from etcd's revisions, but have the same order. */
    uint64_t after;
    uint64_t before;
    uint64_t last; /* etcd's revision of the last event in the latest page */
    /* true: read in descending order, from the newest event */
    bool is_newest_first;
    struct feed_row *rows;
    size_t count;
    size_t room;
};

struct feed_row {
    struct store_event event;
    uint64_t revision; /* etcd's revision */
    unsigned index;
};

static int row_is_older(const void *a, const void *b, void *arg)
{
    const struct feed *feed = arg;
    const struct feed_row *left = feed->is_newest_first ? b : a;
    const struct feed_row *right = feed->is_newest_first ? a : b;

    if (left->event.revision != right->event.revision) {
        return left->event.revision < right->event.revision ? -1 : 1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

static void feed_send(struct etcd_job *job);

static void feed_end(struct etcd_job *job, bool has_more)
{
    const struct feed *feed = job->state;
    size_t count = feed->count > feed->limit ? (size_t)feed->limit : feed->count;
    struct store_event *events = arena_array(job->arena, struct store_event, count);

    for (size_t i = 0; i < count; i++) {
        events[feed->is_newest_first ? count - 1 - i : i] = feed->rows[i].event;
    }
    job->answer.revision = job->store->revision;
    job->answer.events = events;
    job->answer.count = count;
    job->answer.has_more = has_more || feed->count > count;
    etcd_job_end(job, OUTCOME_OK);
}

/* Adds a page to the result. Returns false if the page is damaged; the job has then ended. */
MUST_CHECK static bool feed_add(struct etcd_job *job, const struct message_found *found)
{
    struct feed *feed = job->state;

    if (feed->room - feed->count < found->count) {
        size_t room = (feed->count + found->count) * 2;

        feed->rows = arena_grow(job->arena, feed->rows, feed->room * sizeof(*feed->rows),
                                room * sizeof(*feed->rows));
        feed->room = room;
    }
    for (size_t i = 0; i < found->count; i++) {
        struct feed_row *row = &feed->rows[feed->count];

        if (!etcd_event_read(job->store, &found->items[i], &row->event, &row->index)) {
            etcd_job_damaged(job, found->items[i].key);
            return false;
        }
        row->revision = found->items[i].revision;
        feed->last = row->revision;
        feed->count += row->event.revision > feed->after && row->event.revision < feed->before;
    }
    return true;
}

static void feed_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct feed *feed = job->state;
    struct message_header header = { 0 };
    struct message_found found;

    if (reply->outcome != OUTCOME_OK) {
        etcd_job_fail(job, reply);
        return;
    }
    if (!message_found_read(job->arena, reply->message, LIMIT_ETCD_PAGE_MAX, &header, &found)) {
        etcd_job_not_understood(job);
        return;
    }
    if (!etcd_job_header(job, &header) || !feed_add(job, &found)) {
        return;
    }
    sort_stable(job->arena, feed->rows, feed->count, sizeof(*feed->rows), row_is_older, feed);
    if (!found.has_more || feed->count >= feed->limit + ETCD_REVISION_EVENTS) {
        feed_end(job, found.has_more);
        return;
    }
    /* the last revision may be incomplete, so the next page begins with it */
    feed->from = feed->last;
    while (feed->count > 0 && feed->rows[feed->count - 1].revision == feed->from) {
        feed->count--;
    }
    feed_send(job);
}

static void feed_send(struct etcd_job *job)
{
    const struct feed *feed = job->state;
    uint64_t left = feed->limit - feed->count + ETCD_REVISION_EVENTS;
    uint64_t page = 2 * ETCD_REVISION_EVENTS; /* more than the maximum number of events in one
                                               * revision */
    struct text begin = etcd_key_full(job->arena, job->store->prefix, ETCD_SECTION_EVENT, TEXT(""));
    struct message_range range = {
        .key = begin,
        .end = etcd_key_end(job->arena, begin),
        .limit = left < page ? left : page,
        .min_mod_revision = feed->is_newest_first ? 0 : feed->from,
        .max_mod_revision = feed->is_newest_first ? feed->from : 0,
        .is_by_revision = true,
        .is_newest_first = feed->is_newest_first,
    };
    struct buf message;

    assert(feed->count < feed->limit + ETCD_REVISION_EVENTS);
    buf_init(&message, job->arena);
    message_range_add(&message, &range);
    etcd_job_send(job, "KV/Range", &message, feed_got);
}

void etcd_events(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                 store_done *done, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct feed *feed;
    struct text all;

    limit = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    if (!etcd_job_is_open(job)) {
        return;
    }
    if (after_number >= INT64_MAX ||
        (after_number >= etcd_copied_revision(etcd) && etcd->base + after_number >= INT64_MAX)) {
        etcd_job_end_later(job, OUTCOME_OK); /* no further events */
        return;
    }
    if (cluster.length > 0) {
        all = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_EVENT,
                            etcd_event_name_from(job->arena, cluster, 0));
        etcd_scan_begin(job, &(struct etcd_scan){
                                 .start = etcd_key_full(
                                     job->arena, etcd->prefix, ETCD_SECTION_EVENT,
                                     etcd_event_name_from(job->arena, cluster, after_number + 1)),
                                 .end = etcd_key_end(job->arena, all),
                                 .limit = limit,
                                 .found = events_found,
                             });
        return;
    }
    feed = arena_one(job->arena, struct feed);
    feed->limit = limit;
    feed->after = after_number;
    feed->before = UINT64_MAX;
    feed->from = after_number < etcd_copied_revision(etcd) ? 0 : etcd->base + after_number + 1;
    job->state = feed;
    feed_send(job);
}

/* ---- the newest ---- */

/* The event numbers of a cluster have no gap, and a counter has the newest number. So the first
 * number to read can be computed. etcd then reads only the requested events and one more, which
 * shows whether older events exist. */

struct newest {
    uint64_t before;
    uint64_t limit;
};

static void newest_found(struct etcd_job *job, struct etcd_scan *scan)
{
    const struct newest *wanted = job->wanted;

    scan->has_more = scan->count > wanted->limit;
    if (scan->has_more) {
        scan->items += scan->count - wanted->limit;
        scan->count = (size_t)wanted->limit;
    }
    events_found(job, scan);
}

/* Reads the newest events. `last` is the number of the newest event, from the counter. */
static void newest_scan(struct etcd_job *job, uint64_t last)
{
    const struct newest *wanted = job->wanted;
    uint64_t after;

    if (wanted->before != 0 && last >= wanted->before) {
        last = wanted->before - 1;
    }
    after = last > wanted->limit + 1 ? last - wanted->limit - 1 : 0;
    if (last == 0) {
        etcd_job_end(job, OUTCOME_OK);
        return;
    }
    etcd_scan_begin(
        job, &(struct etcd_scan){
                 .start = etcd_key_full(job->arena, job->store->prefix, ETCD_SECTION_EVENT,
                                        etcd_event_name_from(job->arena, job->key, after + 1)),
                 .end = etcd_key_full(job->arena, job->store->prefix, ETCD_SECTION_EVENT,
                                      etcd_event_name_from(job->arena, job->key, last + 1)),
                 .limit = last - after,
                 .found = newest_found,
             });
}

static void newest_counted(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct message_header header = { 0 };
    struct etcd_counter counter;
    struct message_found found;
    struct text payload;

    if (reply->outcome != OUTCOME_OK) {
        etcd_job_fail(job, reply);
        return;
    }
    if (!message_found_read(job->arena, reply->message, 1, &header, &found)) {
        etcd_job_not_understood(job);
        return;
    }
    if (!etcd_job_header(job, &header)) {
        return;
    }
    if (found.count == 0) {
        etcd_job_end(job, OUTCOME_OK);
        return;
    }
    if (!etcd_value_unpack(ETCD_SECTION_COUNTER,
                           etcd_counter_name(job->arena, ETCD_COUNTS_EVENTS, job->key),
                           found.items[0].value, &payload) ||
        !etcd_counter_unpack(payload, &counter)) {
        etcd_job_damaged(job, found.items[0].key);
        return;
    }
    newest_scan(job, counter.number);
}

void etcd_events_before(struct store *store, struct text cluster, uint64_t before_number,
                        size_t limit, store_done *done, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct newest *wanted = arena_one(job->arena, struct newest);
    struct message_range range = { .limit = 1 };
    struct feed *feed;
    struct buf message;

    if (!etcd_job_is_open(job)) {
        return;
    }
    limit = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    if (cluster.length == 0) {
        feed = arena_one(job->arena, struct feed);
        feed->limit = limit;
        feed->is_newest_first = true;
        feed->before = before_number == 0 ? UINT64_MAX : before_number;
        feed->from = feed->before > INT64_MAX                         ? INT64_MAX
                     : feed->before <= etcd_copied_revision(etcd) + 1 ? etcd->copied
                     : etcd->base + feed->before - 1 > INT64_MAX      ? INT64_MAX
                                                                 : etcd->base + feed->before - 1;
        job->state = feed;
        feed_send(job);
        return;
    }
    *wanted = (struct newest){ before_number, limit };
    job->wanted = wanted;
    job->key = arena_text(job->arena, cluster);
    range.key = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_COUNTER,
                              etcd_counter_name(job->arena, ETCD_COUNTS_EVENTS, job->key));
    buf_init(&message, job->arena);
    message_range_add(&message, &range);
    etcd_job_send(job, "KV/Range", &message, newest_counted);
}

/* ---- dropping ---- */

/* A drop reads the names of all events once, at one revision, and deletes events in transactions.
 * The newest event of each cluster is kept. */
struct drop {
    uint64_t before_ms;
    uint64_t rows_max;
    struct text *doomed; /* full names of the keys to delete */
    size_t count;
    size_t sent;
};

struct drop_row {
    struct text full;
    uint64_t revision;
    uint64_t time_ms;
    unsigned index;
    bool is_newest;
};

static int drop_is_older(const void *a, const void *b, void *arg)
{
    const struct drop_row *left = a;
    const struct drop_row *right = b;

    (void)arg;
    if (left->revision != right->revision) {
        return left->revision < right->revision ? -1 : 1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

static void drop_send(struct etcd_job *job);

static void drop_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct message_header header = { 0 };

    if (reply->outcome != OUTCOME_OK) {
        etcd_job_fail(job, reply);
        return;
    }
    if (!message_header_read(reply->message, &header)) {
        etcd_job_not_understood(job);
        return;
    }
    if (etcd_job_header(job, &header)) {
        drop_send(job);
    }
}

static void drop_send(struct etcd_job *job)
{
    struct drop *drop = job->state;
    struct buf message;

    if (drop->sent == drop->count) {
        job->answer.revision = 0; /* the current cluster */
        etcd_job_end(job, OUTCOME_OK);
        return;
    }
    buf_init(&message, job->arena);
    message_compare_add(&message, job->store->meta_key, job->store->meta);
    for (size_t i = 0; i < LIMIT_STORE_TXN_OPERATIONS && drop->sent < drop->count; i++) {
        message_txn_delete_add(&message, drop->doomed[drop->sent++]);
    }
    etcd_job_send(job, "KV/Txn", &message, drop_got);
}

/* Selects the events to drop. Names are ordered by cluster and number, so the newest event of a
 * cluster is the last one of its group. */
static void names_found(struct etcd_job *job, struct etcd_scan *scan)
{
    struct drop *drop = arena_one(job->arena, struct drop);
    const struct drop *wanted = job->wanted;
    struct drop_row *rows = arena_array(job->arena, struct drop_row, scan->count);
    struct text cluster = TEXT("");
    uint64_t surplus = scan->count > wanted->rows_max ? scan->count - wanted->rows_max : 0;

    for (size_t i = 0; i < scan->count; i++) {
        struct etcd_event_name parts;
        struct text name;

        if (!event_name_read(job->store, scan->items[i].key, &name, &parts)) {
            etcd_job_damaged(job, scan->items[i].key);
            return;
        }
        rows[i] = (struct drop_row){ scan->items[i].key, scan->items[i].revision, parts.time_ms,
                                     parts.index, true };
        if (i > 0 && text_is_equal(cluster, parts.cluster)) {
            rows[i - 1].is_newest = false;
        }
        cluster = parts.cluster;
    }
    sort_stable(job->arena, rows, scan->count, sizeof(*rows), drop_is_older, NULL);
    *drop = *wanted;
    drop->doomed = arena_array(job->arena, struct text, scan->count);
    for (size_t i = 0; i < scan->count; i++) {
        if (!rows[i].is_newest && (rows[i].time_ms < drop->before_ms || i < surplus)) {
            drop->doomed[drop->count++] = rows[i].full;
        }
    }
    job->state = drop;
    drop_send(job);
}

void etcd_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max, store_done *done,
                      void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct drop *wanted = arena_one(job->arena, struct drop);
    struct text all = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_EVENT, TEXT(""));

    if (!etcd_job_is_open(job)) {
        return;
    }
    *wanted = (struct drop){ .before_ms = before_ms, .rows_max = rows_max };
    job->wanted = wanted;
    etcd_scan_begin(job, &(struct etcd_scan){ .start = all,
                                              .end = etcd_key_end(job->arena, all),
                                              .limit = LIMIT_ETCD_EVENTS,
                                              .has_keys_only = true,
                                              .found = names_found });
}
