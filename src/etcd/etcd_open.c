#include "base/limits.h"
#include "etcd/etcd_parts.h"
#include "etcd/etcd_status.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>

/* Opens the store: determines whether it exists, whether etcd accepts transactions of the required
 * size, and whether data that is sent over this connection arrives. The functions of this file
 * block; no others do. */

enum { TOKEN_BYTES = 16, PROBES = 2, PROBE_TIMEOUTS = 3, STOP_LOOK_MS = 50 };

/* True if opening must stop because the store is being closed. */
static bool is_stopped(const struct etcd_store *store)
{
    return store->is_stopped != NULL && atomic_load(store->is_stopped);
}

bool etcd_open_is_temporary(const struct err *err)
{
    /* R0515 is included, because a member that is stopped or slow does not report a write in time
     * either */
    return err->code == CODE_R0501 || err->code == CODE_R0505 || err->code == CODE_R0511 ||
           err->code == CODE_R0515;
}

/* ---- blocking calls ---- */

struct waited {
    bool has_come;
    struct etcd_reply reply;
};

static void call_came(void *arg, const struct etcd_reply *reply)
{
    struct waited *waited = arg;

    waited->reply = *reply;
    waited->has_come = true;
}

static void link_turn(struct etcd_link *link, int timeout_ms)
{
    struct pollfd descriptor = { .fd = etcd_link_descriptor(link), .events = POLLIN };

    poll(&descriptor, 1, timeout_ms);
    etcd_link_run(link);
}

/* The wait always ends, because every call has a deadline. */
bool etcd_call_wait(struct etcd_store *store, const char *method, struct buf *message,
                    struct text *out, struct err *err)
{
    struct waited waited = { 0 };

    etcd_link_call(store->link, method, buf_text(message), message->arena, call_came, &waited);
    while (!waited.has_come) {
        link_turn(store->link, store->is_stopped == NULL ? -1 : STOP_LOOK_MS);
        if (is_stopped(store)) {
            etcd_link_abort(store->link);
        }
    }
    if (waited.reply.outcome != OUTCOME_OK) {
        *err = waited.reply.err;
        return false;
    }
    *out = waited.reply.message;
    return true;
}

bool etcd_txn_wait(struct etcd_store *store, struct buf *message, struct message_header *header,
                   struct message_txn_answer *answer, struct err *err)
{
    struct text bytes;

    if (!etcd_call_wait(store, "KV/Txn", message, &bytes, err)) {
        return false;
    }
    if (!message_txn_read(message->arena, bytes, LIMIT_ETCD_TXN_OPERATIONS, header, answer)) {
        return err_set(err, CODE_R0518, "an answer of etcd is malformed");
    }
    return true;
}

/* Runs a transaction that only reads: it may be executed twice, so it is repeated if the member
 * reset the connection. */
MUST_CHECK static bool read_wait(struct etcd_store *store, struct buf *message,
                                 struct message_header *header, struct message_txn_answer *answer,
                                 struct err *err)
{
    for (size_t tries = 1; tries < LIMIT_ETCD_CUTS; tries++) {
        if (etcd_txn_wait(store, message, header, answer, err)) {
            return true;
        }
        if (err->code != CODE_R0501 || !etcd_detail_is_reset(err->text)) {
            return false;
        }
    }
    return etcd_txn_wait(store, message, header, answer, err);
}

/* ---- the store's metadata ---- */

/* Reads the bytes of the metadata. */
MUST_CHECK static bool meta_read(const struct etcd_store *store, const struct message_item *item,
                                 struct etcd_meta *out, struct err *err)
{
    struct text payload;

    if (!etcd_value_unpack(ETCD_SECTION_META, TEXT(""), item->value, &payload) ||
        !etcd_meta_unpack(payload, out) ||
        (out->format < ETCD_META_FORMAT && item->create_revision != item->revision)) {
        return err_set(err, CODE_R0506, "the value of '%.*s' differs from what was written",
                       TEXT_ARG(store->meta_key));
    }
    if (out->format > ETCD_META_FORMAT) {
        return err_set(err, CODE_R0508, "the store has format %llu, this version knows up to %d",
                       (unsigned long long)out->format, ETCD_META_FORMAT);
    }
    if (out->format < ETCD_META_FORMAT) {
        out->base = item->revision;
        out->copied = item->revision;
    }
    return true;
}

/* Reads the metadata with a transaction. Its second branch is never executed. It has the maximum
 * number of operations, so that etcd rejects the transaction if it does not accept that many. */
bool etcd_meta_find(struct etcd_store *store, struct arena *arena, struct etcd_meta *out,
                    uint64_t *out_revision, bool *out_found, struct err *err)
{
    struct message_header header = { 0 };
    struct message_range range = { .key = store->meta_key };
    struct message_txn_answer answer;
    struct buf message;

    *out = (struct etcd_meta){ .format = ETCD_META_FORMAT_FIRST };
    buf_init(&message, arena);
    message_txn_range_add(&message, MESSAGE_BRANCH_SUCCESS, &range);
    for (size_t i = 0; i < LIMIT_ETCD_TXN_OPERATIONS; i++) {
        message_txn_range_add(&message, MESSAGE_BRANCH_FAILURE, &range);
    }
    if (!read_wait(store, &message, &header, &answer, err)) {
        return false;
    }
    if (answer.count != 1 || !answer.done[0].is_range) {
        return err_set(err, CODE_R0518, "an answer of etcd is malformed");
    }
    store->etcd_id = header.etcd_id;
    *out_found = answer.done[0].found.count > 0;
    if (!*out_found) {
        return true;
    }
    if (!meta_read(store, &answer.done[0].found.items[0], out, err)) {
        return false;
    }
    *out_revision = answer.done[0].found.items[0].revision;
    store->base = out->base;
    store->copied = out->copied;
    store->meta = *out_revision;
    store->revision = 0;
    memcpy(store->incarnation, out->incarnation, sizeof(store->incarnation));
    return etcd_header_is_ours(store, &header) ||
           err_set(err, CODE_R0506, "etcd is at an older revision than the store in it");
}

/* Creates the store, unless another manager has created it in the meantime. */
MUST_CHECK static bool meta_make(struct etcd_store *store, struct arena *arena,
                                 const unsigned char incarnation[16], struct err *err)
{
    struct etcd_meta meta = { .format = ETCD_META_FORMAT_FIRST };
    struct message_header header = { 0 };
    struct message_txn_answer answer;
    struct buf message;
    bool is_found = false;
    uint64_t revision;

    memcpy(meta.incarnation, incarnation, sizeof(meta.incarnation));
    buf_init(&message, arena);
    message_compare_add(&message, store->meta_key, 0);
    message_txn_put_add(
        &message, store->meta_key,
        etcd_value_pack(arena, ETCD_SECTION_META, TEXT(""), etcd_meta_pack(arena, &meta)));
    if (!etcd_txn_wait(store, &message, &header, &answer, err) ||
        !etcd_meta_find(store, arena, &meta, &revision, &is_found, err)) {
        return false;
    }
    return is_found ||
           err_set(err, CODE_R0515, "data that was just written to etcd cannot be read");
}

/* Checks the state of a store that was copied or is being copied. *out_is_due: this process must
 * write the metadata, to complete a move, or to cancel one that was interrupted before its
 * commit. */
MUST_CHECK static bool meta_judge(const struct etcd_store *store, const struct etcd_meta *meta,
                                  bool *out_is_due, struct err *err)
{
    *out_is_due = meta->state == ETCD_META_FROZEN ||
                  (meta->state == ETCD_META_ARRIVING && meta->copied > 0 && store->has_move &&
                   memcmp(meta->move, store->move, sizeof(store->move)) == 0);
    if (meta->state == ETCD_META_MOVED) {
        err_set(err, CODE_R0591, "the store below '%.*s' was moved to %.*s",
                TEXT_ARG(store->prefix), TEXT_ARG(meta->place));
        return err_hint(err, "start the manager with the configuration of that store, or move the "
                             "store back: reeve manager move-store");
    }
    if (meta->state == ETCD_META_ARRIVING && !*out_is_due) {
        err_set(err, CODE_R0592, "a store is being copied to '%.*s' from %.*s",
                TEXT_ARG(store->prefix), TEXT_ARG(meta->place));
        return err_hint(err, "if the command that copies it was interrupted, run it again; the "
                             "manager works with the old store until then");
    }
    return true;
}

/* Sets the state of the store to active. */
MUST_CHECK static bool meta_activate(struct etcd_store *store, struct arena *arena,
                                     struct etcd_meta *meta, struct err *err)
{
    struct message_header header = { 0 };
    struct message_txn_answer answer;
    struct buf message;
    bool is_found = false;
    uint64_t revision;

    meta->state = ETCD_META_ACTIVE;
    buf_init(&message, arena);
    message_compare_add(&message, store->meta_key, store->meta);
    message_txn_put_add(
        &message, store->meta_key,
        etcd_value_pack(arena, ETCD_SECTION_META, TEXT(""), etcd_meta_pack(arena, meta)));
    return etcd_txn_wait(store, &message, &header, &answer, err) &&
           etcd_meta_find(store, arena, meta, &revision, &is_found, err) &&
           (meta->state == ETCD_META_ACTIVE ||
            err_set(err, CODE_R0592,
                    "another process has changed the state of the store in the "
                    "meantime"));
}

/* ---- connection test ---- */

struct probe {
    struct etcd_store *store;
    char tokens[PROBES][TOKEN_BYTES];
    unsigned seen;
    uint64_t compacted; /* the revision to which etcd is compacted */
    bool is_created;
    bool is_second; /* the second watch is running, from a revision that is not compacted */
    bool has_failed;
    bool is_ended; /* the stream has ended */
    struct err err;
};

static void probe_failed(struct probe *probe, const char *why)
{
    if (!probe->has_failed) {
        err_set(&probe->err, CODE_R0515, "%s", why);
    }
    probe->has_failed = true;
}

static void probe_got(void *arg, struct text message)
{
    struct probe *probe = arg;
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct message_watch_answer answer;

    if (!message_watch_read(arena, message, LIMIT_ETCD_WATCH_EVENTS, &answer)) {
        probe_failed(probe, "a message of etcd's watch is malformed");
        return;
    }
    if (answer.is_canceled && answer.compact_revision == 0) {
        probe_failed(probe, "etcd ended the watch of the probe key");
        err_note(&probe->err, "%.*s", TEXT_ARG(answer.reason));
        return;
    }
    probe->is_created = probe->is_created || answer.is_created;
    if (answer.is_canceled) {
        probe->compacted = answer.compact_revision;
    }
    for (size_t i = 0; i < answer.count; i++) {
        struct text value = answer.events[i].item.value;

        if (probe->seen < PROBES && value.length == TOKEN_BYTES &&
            memcmp(value.data, probe->tokens[probe->seen], TOKEN_BYTES) == 0) {
            probe->seen++;
        }
    }
}

static void probe_ended(void *arg, const struct err *err)
{
    struct probe *probe = arg;

    probe->is_ended = true;
    if (!probe->has_failed) {
        probe->has_failed = true;
        probe->err = *err;
    }
}

static void probe_watch(struct etcd_store *store, struct etcd_stream *stream, struct arena *arena,
                        int64_t id, uint64_t from_revision)
{
    struct text key = etcd_key_full(arena, store->prefix, ETCD_SECTION_PROBE, TEXT(""));
    struct buf message;

    buf_init(&message, arena);
    message_watch_add(&message, id, key, TEXT(""), from_revision);
    etcd_link_stream_send(store->link, stream, buf_text(&message));
}

static bool probe_is_created(const struct probe *probe)
{
    return probe->is_created;
}

static bool probe_is_over(const struct probe *probe)
{
    return probe->seen == PROBES || (probe->compacted > 0 && !probe->is_second);
}

/* Runs the link until the condition is true, or for the time of several call timeouts: a busy
 * member reports a write to watches later than it acknowledges the write. */
static void probe_wait(const struct probe *probe, bool (*is_true)(const struct probe *probe))
{
    uint64_t until_ms =
        etcd_link_now_ms() + (uint64_t)PROBE_TIMEOUTS * probe->store->call_timeout_ms;
    uint64_t now_ms;

    while (!probe->has_failed && !is_true(probe) && (now_ms = etcd_link_now_ms()) < until_ms &&
           !is_stopped(probe->store)) {
        int left_ms = (int)(until_ms - now_ms);

        link_turn(probe->store->link, probe->store->is_stopped != NULL && left_ms > STOP_LOOK_MS
                                          ? STOP_LOOK_MS
                                          : left_ms);
    }
}

MUST_CHECK static bool probe_puts(struct etcd_store *store, struct arena *arena,
                                  const struct probe *probe, struct err *err)
{
    struct text key = etcd_key_full(arena, store->prefix, ETCD_SECTION_PROBE, TEXT(""));
    struct message_header header = { 0 };
    struct message_txn_answer answer;

    for (unsigned i = 0; i < PROBES; i++) {
        struct buf message;

        buf_init(&message, arena);
        message_txn_put_add(&message, key, (struct text){ probe->tokens[i], TOKEN_BYTES });
        if (!etcd_txn_wait(store, &message, &header, &answer, err)) {
            return false;
        }
    }
    return true;
}

/* Runs the connection test. Its watch starts from the first revision, so etcd also returns the
 * revision to which it is compacted. */
MUST_CHECK static bool etcd_open_probe_run(struct etcd_store *store, struct arena *arena,
                                           struct probe *probe, struct err *err)
{
    struct etcd_stream_events events = { probe_got, probe_ended, probe };
    struct etcd_stream *stream = etcd_link_stream(store->link, "Watch/Watch", &events);

    probe_watch(store, stream, arena, 1, 1);
    probe_wait(probe, probe_is_created);
    if (!probe->has_failed && !probe_puts(store, arena, probe, &probe->err)) {
        probe->has_failed = true;
    }
    if (!probe->has_failed) {
        probe_wait(probe, probe_is_over);
        if (!probe->has_failed && probe->compacted > 0) {
            probe->is_second = true;
            probe_watch(store, stream, arena, 2, probe->compacted);
            probe_wait(probe, probe_is_over);
        }
        if (probe->seen < PROBES) {
            probe_failed(probe, "a watch did not report what was written");
        }
    }
    if (!probe->is_ended) {
        etcd_link_stream_close(store->link, stream);
    }
    *err = probe->err;
    return !probe->has_failed;
}

/* ---- the whole opening ---- */

static void etcd_open_size_read(struct etcd_store *store, struct arena *arena)
{
    struct message_header header = { 0 };
    struct buf message;
    struct text bytes;
    struct err unused;

    buf_init(&message, arena);
    if (!etcd_call_wait(store, "Maintenance/Status", &message, &bytes, &unused) ||
        !message_status_read(bytes, &header, &store->bytes)) {
        store->bytes = 0; /* the size is only for display, and some users may not read it */
    }
}

bool etcd_store_find(struct etcd_store *store, const unsigned char incarnation[16], struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct probe probe = { .store = store };
    bool is_found = false;
    bool is_due = false;
    struct etcd_meta meta;
    uint64_t revision;

    if (getrandom(probe.tokens, sizeof(probe.tokens), 0) != sizeof(probe.tokens)) {
        return err_set(err, CODE_R0515, "the system returned no random numbers");
    }
    if (!etcd_meta_find(store, arena, &meta, &revision, &is_found, err) ||
        !meta_judge(store, &meta, &is_due, err) ||
        !etcd_open_probe_run(store, arena, &probe, err)) {
        return false;
    }
    if (!is_found && !meta_make(store, arena, incarnation, err)) {
        return false;
    }
    if (is_due && !meta_activate(store, arena, &meta, err)) {
        return false;
    }
    store->compacted = etcd_copied_revision(store);
    if (probe.compacted > store->copied) {
        store->compacted = probe.compacted - store->base;
    }
    etcd_open_size_read(store, arena);
    return true;
}
