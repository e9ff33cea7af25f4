#include "base/limits.h"
#include "base/sort.h"
#include "etcd/etcd_parts.h"

#include <assert.h>

/* Lists and histories. An answer of etcd has no size limit, so all data is read in pages, at the
 * revision of the first page. If the values are small, the pages become larger. */

enum { SCAN_TRIES = 4 };

/* ---- scans ---- */

static void scan_send(struct etcd_job *job);

static void scan_restart(struct etcd_job *job, struct etcd_scan *scan)
{
    scan->tries++;
    scan->count = 0;
    scan->bytes = 0;
    scan->start = scan->first;
    scan->at = 0;
    scan_send(job);
}

/* Handles the failure of a page. Some failures lead to another attempt. */
static void scan_failed(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct etcd_scan *scan = job->state;

    if (reply->err.code == CODE_R0518 && reply->status == UINT32_MAX &&
        scan->page > LIMIT_ETCD_PAGE) {
        scan->page = LIMIT_ETCD_PAGE; /* the answer was too large because the values have grown: use
                                       * the smallest page size */
        scan_send(job);
    } else if (reply->err.code == CODE_R0503 && scan->is_newest && scan->tries < SCAN_TRIES) {
        scan_restart(job, scan); /* the revision of the first page has been compacted since: start
                                  * again */
    } else {
        etcd_job_fail(job, reply);
    }
}

static void scan_add(struct etcd_job *job, struct etcd_scan *scan,
                     const struct message_found *found)
{
    if (scan->room - scan->count < found->count) {
        size_t room = (scan->count + found->count) * 2;

        scan->items = arena_grow(job->arena, scan->items, scan->room * sizeof(*scan->items),
                                 room * sizeof(*scan->items));
        scan->room = room;
    }
    for (size_t i = 0; i < found->count; i++) {
        scan->items[scan->count++] = found->items[i];
    }
}

/* Sets the start and the size of the next page. */
static void scan_advance(struct etcd_job *job, struct etcd_scan *scan, size_t answer_bytes,
                         size_t answer_count)
{
    struct text last = scan->items[scan->count - 1].key;
    struct buf start;
    size_t item_bytes = answer_bytes / answer_count + 1;

    buf_init(&start, job->arena);
    buf_add(&start, last);
    buf_add_bytes(&start, 0, 1);
    scan->start = buf_text(&start);
    scan->page = LIMIT_ETCD_PAGE_BYTES / item_bytes;
    if (scan->page < LIMIT_ETCD_PAGE) {
        scan->page = LIMIT_ETCD_PAGE;
    } else if (scan->page > LIMIT_ETCD_PAGE_MAX) {
        scan->page = LIMIT_ETCD_PAGE_MAX;
    }
    job->store->page = scan->page;
}

/* Checks that the keys of a page ascend. Otherwise an invalid answer could cause an endless
 * loop. */
MUST_CHECK static bool items_rise(const struct etcd_scan *scan, const struct message_found *found)
{
    struct text before = scan->start;

    for (size_t i = 0; i < found->count; i++) {
        int order = text_compare(before, found->items[i].key);

        if (order > 0 || (order == 0 && i > 0)) {
            return false;
        }
        before = found->items[i].key;
    }
    return !found->has_more || found->count > 0;
}

static void scan_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct etcd_scan *scan = job->state;
    struct message_header header = { 0 };
    struct message_found found;

    if (reply->outcome != OUTCOME_OK) {
        scan_failed(job, reply);
        return;
    }
    if (!message_found_read(job->arena, reply->message, LIMIT_ETCD_PAGE_MAX, &header, &found) ||
        !items_rise(scan, &found)) {
        etcd_job_not_understood(job);
        return;
    }
    if (!etcd_job_header(job, &header)) {
        return;
    }
    if (scan->at == 0) {
        scan->at = header.revision;
    }
    scan_add(job, scan, &found);
    scan->has_more = found.has_more;
    scan->bytes += reply->message.length;
    if (found.has_more) {
        scan_advance(job, scan, reply->message.length, found.count);
    }
    if (found.has_more && scan->count < scan->limit &&
        (scan->bytes_max == 0 || scan->bytes < scan->bytes_max)) {
        scan_send(job);
        return;
    }
    job->answer.revision = scan->at - job->store->base;
    scan->found(job, scan);
}

static void scan_send(struct etcd_job *job)
{
    struct etcd_scan *scan = job->state;
    uint64_t left = scan->limit - scan->count;
    struct message_range range = {
        .key = scan->start,
        .end = scan->end,
        .limit = left < scan->page ? left : scan->page,
        .revision = scan->at,
        .has_keys_only = scan->has_keys_only,
    };
    struct buf message;

    assert(left > 0);
    buf_init(&message, job->arena);
    message_range_add(&message, &range);
    etcd_job_send(job, "KV/Range", &message, scan_got);
}

void etcd_scan_begin(struct etcd_job *job, const struct etcd_scan *wanted)
{
    struct etcd_scan *scan = arena_one(job->arena, struct etcd_scan);

    *scan = *wanted;
    scan->first = scan->start;
    scan->is_newest = scan->at == 0;
    scan->page = job->store->page == 0 ? LIMIT_ETCD_PAGE : job->store->page;
    job->state = scan;
    scan_send(job);
}

/* ---- lists ---- */

static void list_found(struct etcd_job *job, struct etcd_scan *scan)
{
    struct etcd_store *store = job->store;
    struct store_item *items = arena_array(job->arena, struct store_item, scan->count);
    size_t count = 0;

    for (size_t i = 0; i < scan->count; i++) {
        const struct message_item *item = &scan->items[i];
        struct store_item *out = &items[count];
        struct etcd_revisions revisions;

        if (!etcd_key_name(store->prefix, ETCD_SECTION_OBJECT, item->key, &out->key) ||
            !etcd_item_read(store, ETCD_SECTION_OBJECT, out->key, item, &revisions, &out->value)) {
            etcd_job_damaged(job, item->key);
            return;
        }
        out->create_revision = revisions.created;
        out->revision = revisions.revision;
        count += etcd_name_is_nudge(out->key) ? 0 : 1;
    }
    job->answer.items = items;
    job->answer.count = count;
    job->answer.has_more = scan->has_more;
    etcd_job_end(job, OUTCOME_OK);
}

void etcd_list(struct store *store, const struct store_range *range, store_done *done, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct text begin = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_OBJECT, range->prefix);
    struct etcd_scan scan = {
        .start = begin,
        .end = range->is_exact ? TEXT("") : etcd_key_end(job->arena, begin),
        .limit =
            range->limit == 0 || range->limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : range->limit,
        .bytes_max = range->bytes,
        .found = list_found,
    };

    if (!etcd_job_is_open(job)) {
        return;
    }
    scan.at = range->at_revision == 0 ? 0 : etcd->base + range->at_revision;
    if (range->after.length > 0 && text_compare(range->after, range->prefix) >= 0 &&
        !range->is_exact) {
        struct buf start;

        buf_init(&start, job->arena);
        buf_add(&start, etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_OBJECT, range->after));
        buf_add_bytes(&start, 0, 1); /* the smallest key after the last one */
        scan.start = buf_text(&start);
    }
    if (range->at_revision > 0 && range->at_revision < etcd_copied_revision(etcd)) {
        err_set(&job->answer.err, CODE_R0503, "the revision has been compacted away");
        etcd_job_end_later(job, OUTCOME_REFUSED);
        return;
    }
    if (scan.at > INT64_MAX) {
        err_set(&job->answer.err, CODE_R0503, "the revision does not exist yet");
        etcd_job_end_later(job, OUTCOME_REFUSED);
        return;
    }
    etcd_scan_begin(job, &scan);
}

/* ---- histories ---- */

static int item_is_newer(const void *a, const void *b, void *arg)
{
    const struct store_item *left = a;
    const struct store_item *right = b;

    (void)arg;
    return (left->revision < right->revision) - (left->revision > right->revision);
}

/* Handles the versions of a key in its slots. */
static void versions_found(struct etcd_job *job, struct etcd_scan *scan)
{
    struct etcd_store *store = job->store;
    struct store_item *items = arena_array(job->arena, struct store_item, scan->count);

    for (size_t i = 0; i < scan->count; i++) {
        const struct message_item *item = &scan->items[i];
        struct text name;
        struct text payload;
        struct etcd_revisions revisions;
        struct etcd_counter counter;

        if (!etcd_key_name(store->prefix, ETCD_SECTION_HISTORY, item->key, &name) ||
            !etcd_item_read(store, ETCD_SECTION_HISTORY, name, item, &revisions, &payload) ||
            !etcd_version_unpack(payload, &counter, &items[i].value)) {
            etcd_job_damaged(job, item->key);
            return;
        }
        items[i].key = job->key;
        items[i].revision = revisions.revision;
        items[i].create_revision = counter.created == 0 ? items[i].revision : counter.created;
    }
    sort_stable(job->arena, items, scan->count, sizeof(*items), item_is_newer, NULL);
    job->answer.items = items;
    job->answer.count = scan->count;
    etcd_job_end(job, OUTCOME_OK);
}

/* Reads the history of a key without stored versions, from etcd's own history. It goes back to the
 * creation of the key or to the compacted revision. Each step reads the version before the previous
 * one. */
struct walk {
    struct store_item *items;
    size_t count;
    struct text full;
};

static void walk_send(struct etcd_job *job, uint64_t at);

static void etcd_read_walk_end(struct etcd_job *job)
{
    const struct walk *walk = job->state;

    job->answer.items = walk->items;
    job->answer.count = walk->count;
    etcd_job_end(job, OUTCOME_OK);
}

static void walk_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct etcd_store *store = job->store;
    struct walk *walk = job->state;
    struct message_header header = { 0 };
    struct message_found found;
    struct store_item *item = &walk->items[walk->count];
    struct etcd_revisions revisions;

    if (reply->err.code == CODE_R0503 && walk->count > 0) {
        etcd_read_walk_end(job);
        return;
    }
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
        etcd_read_walk_end(job);
        return;
    }
    if (!etcd_item_read(store, ETCD_SECTION_OBJECT, job->key, &found.items[0], &revisions,
                        &item->value) ||
        found.items[0].revision < found.items[0].create_revision) {
        etcd_job_damaged(job, walk->full);
        return;
    }
    item->key = job->key;
    item->revision = revisions.revision;
    item->create_revision = revisions.created;
    walk->count++;
    /* copied values have no earlier versions in etcd */
    if (walk->count == LIMIT_STORE_HISTORY || item->revision == item->create_revision ||
        found.items[0].revision <= store->copied) {
        etcd_read_walk_end(job);
        return;
    }
    walk_send(job, found.items[0].revision - 1);
}

static void walk_send(struct etcd_job *job, uint64_t at)
{
    const struct walk *walk = job->state;
    struct buf message;

    buf_init(&message, job->arena);
    message_range_add(&message,
                      &(struct message_range){ .key = walk->full, .limit = 1, .revision = at });
    etcd_job_send(job, "KV/Range", &message, walk_got);
}

void etcd_history(struct store *store, struct text key, store_done *done, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct text begin;
    struct walk *walk;

    if (!etcd_job_is_open(job)) {
        return;
    }
    job->key = arena_text(job->arena, key);
    if (etcd_key_has_history(key) && key.length <= LIMIT_STORE_KEY_BYTES) {
        begin = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_HISTORY,
                              etcd_version_names(job->arena, key));
        etcd_scan_begin(job, &(struct etcd_scan){ .start = begin,
                                                  .end = etcd_key_end(job->arena, begin),
                                                  .limit = LIMIT_STORE_HISTORY,
                                                  .found = versions_found });
        return;
    }
    walk = arena_one(job->arena, struct walk);
    walk->items = arena_array(job->arena, struct store_item, LIMIT_STORE_HISTORY);
    walk->full = etcd_key_full(job->arena, etcd->prefix, ETCD_SECTION_OBJECT, key);
    job->state = walk;
    walk_send(job, 0);
}
