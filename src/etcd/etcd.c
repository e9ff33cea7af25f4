#include "etcd/etcd.h"

#include "base/limits.h"
#include "etcd/etcd_parts.h"

#include <assert.h>
#include <poll.h>
#include <string.h>

static struct etcd_store *etcd_of(struct store *store)
{
    return (struct etcd_store *)store; /* `store` is the first member of struct etcd_store */
}

/* ---- jobs ---- */

void etcd_jobs_add(struct etcd_jobs *jobs, struct etcd_job *job)
{
    job->next = NULL;
    if (jobs->last == NULL) {
        jobs->first = job;
    } else {
        jobs->last->next = job;
    }
    jobs->last = job;
}

struct etcd_job *etcd_jobs_take(struct etcd_jobs *jobs)
{
    struct etcd_job *job = jobs->first;

    if (job != NULL) {
        jobs->first = job->next;
        jobs->last = job->next == NULL ? NULL : jobs->last;
        job->next = NULL;
    }
    return job;
}

struct etcd_job *etcd_job_new(struct etcd_store *store, store_done *done, void *arg)
{
    struct etcd_job *job = pool_take(store->jobs);

    assert(job != NULL && "too many calls of the store are in progress");
    job->store = store;
    job->arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    job->done = done;
    job->arg = arg;
    return job;
}

static void job_replied(void *arg, const struct etcd_reply *reply)
{
    struct etcd_job *job = arg;

    etcd_health_note(job->store, reply);
    job->got(job, reply);
}

void etcd_job_send(struct etcd_job *job, const char *method, struct buf *message,
                   void (*got)(struct etcd_job *job, const struct etcd_reply *reply))
{
    job->got = got;
    etcd_link_call(job->store->link, method, buf_text(message), job->arena, job_replied, job);
}

void etcd_job_end(struct etcd_job *job, enum outcome outcome)
{
    struct etcd_store *store = job->store;

    assert(outcome == OUTCOME_OK || job->answer.err.code != CODE_NONE);
    if (job->answer.revision == 0) {
        job->answer.revision = store->revision;
    }
    job->done(job->arg, outcome, &job->answer);
    arena_free(job->arena);
    pool_give(store->jobs, job);
}

void etcd_job_end_later(struct etcd_job *job, enum outcome outcome)
{
    job->outcome = outcome;
    etcd_jobs_add(&job->store->ready, job);
    etcd_link_wake(job->store->link, 0);
}

bool etcd_job_is_open(struct etcd_job *job)
{
    struct etcd_store *store = job->store;

    if (store->is_open) {
        return true;
    }
    /* the error is delayed, because a caller that gets it immediately could retry in a busy loop */
    etcd_finder_err(store, &job->answer.err);
    job->due_ms = etcd_link_now_ms() + LIMIT_ETCD_REFUSE_MS;
    etcd_jobs_add(&store->refused, job);
    etcd_link_wake(store->link, LIMIT_ETCD_REFUSE_MS);
    return false;
}

/* Ends the rejected jobs whose pause is over; with `is_all`, all of them. */
static size_t refused_run(struct etcd_store *store, bool is_all)
{
    struct etcd_jobs due = store->refused;
    uint64_t now_ms = etcd_link_now_ms();
    size_t count = 0;

    store->refused = (struct etcd_jobs){ 0 };
    for (struct etcd_job *job = etcd_jobs_take(&due); job != NULL; job = etcd_jobs_take(&due)) {
        if (is_all || job->due_ms <= now_ms) {
            etcd_job_end(job, OUTCOME_REFUSED);
            count++;
        } else {
            etcd_jobs_add(&store->refused, job);
            etcd_link_wake(store->link, (unsigned)(job->due_ms - now_ms));
        }
    }
    return count;
}

void etcd_job_fail(struct etcd_job *job, const struct etcd_reply *reply)
{
    job->answer = (struct store_answer){ .err = reply->err };
    etcd_job_end(job, reply->outcome);
}

void etcd_job_damaged(struct etcd_job *job, struct text key)
{
    job->answer = (struct store_answer){ 0 };
    err_set(&job->answer.err, CODE_R0506,
            "etcd's value of the key '%.*s' differs from what was written", TEXT_ARG(key));
    etcd_job_end(job, OUTCOME_REFUSED);
}

void etcd_job_not_understood(struct etcd_job *job)
{
    job->answer = (struct store_answer){ 0 };
    err_set(&job->answer.err, CODE_R0518, "an answer of etcd is malformed");
    etcd_job_end(job, OUTCOME_UNKNOWN);
}

/* ---- revisions ---- */

bool etcd_item_read(const struct etcd_store *store, enum etcd_section section, struct text name,
                    const struct message_item *item, struct etcd_revisions *out,
                    struct text *payload)
{
    struct etcd_copied copied;

    if (item->revision > store->copied) {
        out->revision = item->revision - store->base;
        /* for a key that was copied and later changed, the revision of its creation is not known */
        out->created =
            (item->create_revision > store->copied ? item->create_revision : store->copied) -
            store->base;
        return etcd_value_unpack(section, name, item->value, payload);
    }
    if (!etcd_copied_unpack(section, name, item->value, &copied, payload) ||
        copied.revision > etcd_copied_revision(store)) {
        return false;
    }
    *out = (struct etcd_revisions){ copied.revision, copied.created };
    return true;
}

uint64_t etcd_copied_revision(const struct etcd_store *store)
{
    return store->copied - store->base;
}

void etcd_compare_add(struct etcd_store *store, struct buf *message, struct text full,
                      uint64_t revision)
{
    struct text above;
    struct text below;

    if (revision == 0 || revision > etcd_copied_revision(store)) {
        message_compare_add(message, full, revision == 0 ? 0 : revision + store->base);
        return;
    }
    etcd_copied_bounds(message->arena, revision, &above, &below);
    message_compare_value_add(message, full, store->copied, above, below);
}

bool etcd_compare_is_met(const struct etcd_store *store, const struct message_found *found,
                         uint64_t revision)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text above;
    struct text below;

    if (revision == 0 || revision > etcd_copied_revision(store) || found->count == 0) {
        return (found->count == 0 ? 0 : found->items[0].revision) ==
               (revision == 0 ? 0 : revision + store->base);
    }
    etcd_copied_bounds(arena, revision, &above, &below);
    return found->items[0].revision <= store->copied &&
           text_has_prefix(found->items[0].value, above);
}

bool etcd_header_is_ours(struct etcd_store *store, const struct message_header *header)
{
    if (header->etcd_id != store->etcd_id || header->revision < store->meta) {
        store->is_other = true;
    } else if (header->revision - store->base > store->revision) {
        store->revision = header->revision - store->base;
    }
    return !store->is_other;
}

bool etcd_job_header(struct etcd_job *job, const struct message_header *header)
{
    if (!etcd_header_is_ours(job->store, header)) {
        job->answer = (struct store_answer){ 0 };
        err_set(&job->answer.err, CODE_R0519,
                "the etcd that answers is not the one that was opened");
        etcd_job_end(job, OUTCOME_UNKNOWN);
        return false;
    }
    return true;
}

/* ---- compaction ---- */

static void compact_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    const uint64_t *revision = job->state;
    struct message_header header = { 0 };

    if (reply->outcome == OUTCOME_REFUSED && reply->err.code == CODE_R0503 &&
        *revision == job->store->compacted) {
        job->answer.revision = *revision; /* that revision is already compacted: nothing to do */
        etcd_job_end(job, OUTCOME_OK);
        return;
    }
    if (reply->outcome != OUTCOME_OK) {
        etcd_job_fail(job, reply);
        return;
    }
    if (!message_header_read(reply->message, &header)) {
        etcd_job_not_understood(job);
        return;
    }
    if (etcd_job_header(job, &header)) {
        if (*revision > job->store->compacted) {
            job->store->compacted = *revision;
        }
        job->answer.revision = *revision;
        etcd_job_end(job, OUTCOME_OK);
    }
}

static void etcd_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    struct etcd_store *etcd = etcd_of(store);
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    uint64_t *state = arena_one(job->arena, uint64_t);
    struct buf message;

    if (revision == 0) {
        etcd_job_end_later(job, OUTCOME_OK);
        return;
    }
    if (!etcd_job_is_open(job)) {
        return;
    }
    if (revision < etcd_copied_revision(etcd)) {
        err_set(&job->answer.err, CODE_R0503, "the revision has been compacted away");
        etcd_job_end_later(job, OUTCOME_REFUSED);
        return;
    }
    *state = revision;
    job->state = state;
    buf_init(&message, job->arena);
    message_compact_add(&message, etcd->base + revision);
    etcd_job_send(job, "KV/Compact", &message, compact_got);
}

/* ---- the store itself ---- */

static size_t etcd_run(struct store *store)
{
    struct etcd_store *etcd = etcd_of(store);
    struct etcd_jobs ready = etcd->ready;
    size_t count;

    etcd->ready = (struct etcd_jobs){ 0 }; /* jobs that are added in the meantime wait for the next
                                            * run */
    count = etcd_link_run(etcd->link);
    if (etcd_finder_run(etcd)) {
        etcd->is_watch_due = true;
    }
    count += refused_run(etcd, etcd->is_open);
    for (struct etcd_job *job = etcd_jobs_take(&ready); job != NULL; job = etcd_jobs_take(&ready)) {
        etcd_job_end(job, job->outcome);
        count++;
    }
    etcd_watches_run(etcd);
    etcd_watches_check(etcd, etcd_link_now_ms());
    etcd_health_run(etcd, etcd_link_now_ms());
    return count;
}

static int etcd_descriptor(const struct store *store)
{
    return etcd_link_descriptor(((const struct etcd_store *)store)->link);
}

static void etcd_status(const struct store *store, struct store_status *out)
{
    const struct etcd_store *etcd = (const struct etcd_store *)store;

    *out = (struct store_status){
        .driver = "etcd",
        .revision = etcd->revision,
        .compacted_revision = etcd->compacted,
        .bytes = etcd->bytes,
    };
    memcpy(out->incarnation, etcd->incarnation, sizeof(out->incarnation));
    etcd_health_status(etcd, out);
}

void etcd_store_free(struct etcd_store *etcd)
{
    etcd_finder_stop(etcd);
    etcd_watches_fini(etcd);
    etcd_link_abort(etcd->link); /* the remaining calls are pings and nudges */
    etcd_counters_fini(etcd);
    etcd_link_close(etcd->link);
    pool_free(etcd->jobs);
    arena_free(etcd->memory);
}

/* Waits a while for active calls. Calls that have not ended by then get the outcome UNKNOWN. */
static void etcd_close(struct store *store)
{
    struct etcd_store *etcd = etcd_of(store);
    uint64_t until_ms = etcd_link_now_ms() + LIMIT_ETCD_CLOSE_MS;
    uint64_t now_ms;

    etcd_finder_stop(etcd);
    etcd_watches_fini(etcd);
    while (pool_count(etcd->jobs) > 0 && (now_ms = etcd_link_now_ms()) < until_ms) {
        struct pollfd descriptor = { .fd = etcd_descriptor(store), .events = POLLIN };

        poll(&descriptor, 1, (int)(until_ms - now_ms));
        etcd_run(store);
    }
    while (pool_count(etcd->jobs) > 0) {
        etcd_link_abort(etcd->link);
        etcd_run(store);
    }
    etcd_store_free(etcd);
}

static const struct store_driver etcd_driver = {
    .name = "etcd",
    .close = etcd_close,
    .descriptor = etcd_descriptor,
    .run = etcd_run,
    .status = etcd_status,
    .list = etcd_list,
    .txn = etcd_txn,
    .watch = etcd_watch,
    .watch_close = etcd_watch_close,
    .compact = etcd_compact,
    .events = etcd_events,
    .events_before = etcd_events_before,
    .events_drop = etcd_events_drop,
    .history = etcd_history,
};

bool etcd_store_make(const struct etcd_options *options, struct etcd_store **out, struct err *err)
{
    struct etcd_link *link = NULL;
    struct arena *memory;
    struct etcd_store *etcd;

    if (!etcd_link_open(options, &link, err)) {
        return false;
    }
    memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    etcd = arena_one(memory, struct etcd_store);
    etcd->store.driver = &etcd_driver;
    etcd->memory = memory;
    etcd->link = link;
    etcd->prefix = arena_text(memory, text_from(options->prefix));
    etcd->meta_key = etcd_key_full(memory, etcd->prefix, ETCD_SECTION_META, TEXT(""));
    etcd->call_timeout_ms =
        options->call_timeout_ms == 0 ? LIMIT_ETCD_CALL_MS : options->call_timeout_ms;
    etcd->has_move = options->move != NULL;
    if (etcd->has_move) {
        memcpy(etcd->move, options->move, sizeof(etcd->move));
    }
    etcd->jobs = pool_new(sizeof(struct etcd_job), LIMIT_STORE_PENDING);
    etcd_counters_init(etcd);
    etcd_watches_init(etcd);
    *out = etcd;
    return true;
}

struct etcd_store *etcd_store_twin(const struct etcd_store *store, const atomic_bool *is_stopped)
{
    struct etcd_store *twin = NULL;
    struct err err;
    bool is_made = etcd_store_make(etcd_link_options(store->link), &twin, &err);

    assert(is_made && "the options were checked before");
    (void)is_made;
    twin->is_stopped = is_stopped;
    twin->has_move = store->has_move;
    memcpy(twin->move, store->move, sizeof(twin->move));
    return twin;
}

void etcd_store_take(struct etcd_store *store, const struct etcd_store *found)
{
    store->base = found->base;
    store->meta = found->meta;
    store->copied = found->copied;
    store->etcd_id = found->etcd_id;
    store->revision = found->revision;
    store->compacted = found->compacted;
    store->bytes = found->bytes;
    memmove(store->incarnation, found->incarnation, sizeof(store->incarnation));
    store->is_open = true;
    store->health.good_ms = etcd_link_now_ms();
}

/* Opens a store that may wait for etcd. The first attempt is short and uses a separate connection,
 * so that a manager soon answers its clients even if etcd does not answer. */
MUST_CHECK static bool etcd_store_try(struct etcd_store *etcd, const struct etcd_options *options,
                                      const unsigned char incarnation[16], struct err *err)
{
    struct etcd_options brief = *options;
    struct etcd_store *attempt;
    bool is_found;

    if (!options->is_patient || etcd->call_timeout_ms <= LIMIT_ETCD_ATTEMPT_MS) {
        is_found = etcd_store_find(etcd, incarnation, err);
        if (is_found) {
            etcd_store_take(etcd, etcd);
        }
        return is_found;
    }
    brief.call_timeout_ms = LIMIT_ETCD_ATTEMPT_MS;
    if (!etcd_store_make(&brief, &attempt, err)) {
        return false;
    }
    is_found = etcd_store_find(attempt, incarnation, err);
    if (is_found) {
        etcd_store_take(etcd, attempt);
    }
    etcd_store_free(attempt);
    return is_found;
}

bool etcd_reach_set(struct store *store, const struct etcd_options *options, struct err *err)
{
    return etcd_link_reach_set(etcd_of(store)->link, options, err);
}

bool etcd_open(const struct etcd_options *options, const unsigned char incarnation[16],
               struct store **out, struct err *err)
{
    struct etcd_store *etcd;

    if (!etcd_store_make(options, &etcd, err)) {
        return false;
    }
    if (etcd_store_try(etcd, options, incarnation, err)) {
        *out = &etcd->store;
        return true;
    }
    if (options->is_patient && etcd_open_is_temporary(err)) {
        etcd_finder_start(etcd, incarnation, err);
    } else {
        if (options->certificate_file == NULL && err->hint[0] == '\0') {
            err_hint(err, "no client certificate is set; etcd may require one");
        }
        etcd_store_free(etcd);
        return false;
    }
    *out = &etcd->store;
    return true;
}
