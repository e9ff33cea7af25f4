#include "base/limits.h"
#include "etcd/etcd_parts.h"

#include <assert.h>

/* Determines whether etcd answers. Every successful call to the quorum proves it. Without calls, a
 * ping checks it: a linearizable read of the store's metadata. While etcd is full, the ping is a
 * write instead, which shows when space is available again. */

struct ping {
    struct etcd_store *store;
    struct arena *arena;
};

void etcd_health_note(struct etcd_store *store, const struct etcd_reply *reply)
{
    struct etcd_health *health = &store->health;
    uint64_t now_ms = etcd_link_now_ms();

    if (reply->outcome == OUTCOME_OK) {
        health->good_ms = now_ms;
        health->bad_ms = 0;
        return;
    }
    if (reply->err.code == CODE_R0501 || reply->err.code == CODE_R0511 ||
        reply->err.code == CODE_R0512 || reply->err.code == CODE_R0513) {
        health->bad_ms = health->bad_ms == 0 ? now_ms : health->bad_ms;
        health->bad = reply->err;
    } /* an error that concerns only this call: etcd did answer */
}

void etcd_health_note_write(struct etcd_store *store, const struct etcd_reply *reply)
{
    /* etcd also rejects a write if it has too many requests, but then the outcome is REFUSED */
    if (reply->err.code == CODE_R0505 && reply->outcome == OUTCOME_UNKNOWN) {
        store->is_full = true;
        store->health.full = reply->err;
    } else if (reply->outcome == OUTCOME_OK) {
        store->is_full = false;
    }
}

static void ping_answered(void *arg, const struct etcd_reply *reply)
{
    struct ping *ping = arg;
    struct etcd_store *store = ping->store;
    struct message_header header = { 0 };

    store->health.is_pinging = false;
    etcd_health_note(store, reply);
    if (store->is_full) {
        etcd_health_note_write(store, reply);
    }
    /* both kinds of answer begin with the header */
    if (reply->outcome == OUTCOME_OK && message_header_read(reply->message, &header) &&
        !etcd_header_is_ours(store, &header)) {
        assert(store->is_other);
    }
    arena_free(ping->arena);
}

static void ping_send(struct etcd_store *store)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ping *ping = arena_one(arena, struct ping);
    struct text key = etcd_key_full(arena, store->prefix, ETCD_SECTION_PROBE, TEXT(""));
    struct buf message;

    *ping = (struct ping){ store, arena };
    store->health.is_pinging = true;
    buf_init(&message, arena);
    if (store->is_full) {
        message_compare_add(&message, store->meta_key, store->meta);
        message_txn_put_add(&message, key, TEXT("room?"));
        etcd_link_call(store->link, "KV/Txn", buf_text(&message), arena, ping_answered, ping);
        return;
    }
    message_range_add(&message, &(struct message_range){
                                    .key = store->meta_key, .limit = 1, .has_keys_only = true });
    etcd_link_call(store->link, "KV/Range", buf_text(&message), arena, ping_answered, ping);
}

static void size_answered(void *arg, const struct etcd_reply *reply)
{
    struct ping *ping = arg;
    struct message_header header = { 0 };
    uint64_t bytes;

    ping->store->health.is_sizing = false;
    if (reply->outcome == OUTCOME_OK && message_status_read(reply->message, &header, &bytes)) {
        ping->store->bytes = bytes;
    }
    arena_free(ping->arena);
}

static void size_ask(struct etcd_store *store)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ping *ping = arena_one(arena, struct ping);

    *ping = (struct ping){ store, arena };
    store->health.is_sizing = true;
    etcd_link_call(store->link, "Maintenance/Status", TEXT(""), arena, size_answered, ping);
}

void etcd_health_run(struct etcd_store *store, uint64_t now_ms)
{
    struct etcd_health *health = &store->health;
    uint64_t good_until_ms = health->good_ms + LIMIT_ETCD_PING_MS;

    if (!store->is_open) {
        return;
    }
    if (!store->is_full && health->bad_ms == 0 && health->ping_ms < good_until_ms) {
        health->ping_ms = good_until_ms;
    }
    if (now_ms >= health->ping_ms) {
        health->ping_ms = now_ms + LIMIT_ETCD_PING_MS;
        if (!health->is_pinging) {
            ping_send(store);
        }
    }
    if (now_ms >= health->size_ms) {
        health->size_ms = now_ms + LIMIT_ETCD_SIZE_MS;
        if (!health->is_sizing) {
            size_ask(store);
        }
    }
    etcd_link_wake(store->link, (unsigned)(health->ping_ms - now_ms));
}

void etcd_health_status(const struct etcd_store *store, struct store_status *out)
{
    const struct etcd_health *health = &store->health;
    uint64_t now_ms = etcd_link_now_ms();

    out->linearizable_age_ms = now_ms - health->good_ms;
    if (!store->is_open) {
        etcd_finder_err(store, &out->problem);
    } else if (store->is_other) {
        err_set(&out->problem, CODE_R0519, "the etcd that answers is not the one that was opened");
        err_hint(&out->problem,
                 "if etcd was restored from a backup on purpose, start the manager again");
    } else if (health->bad_ms != 0 && now_ms - health->good_ms >= LIMIT_ETCD_SILENT_MS) {
        out->problem = health->bad;
    } else if (store->is_full) {
        out->problem = health->full;
    }
    out->is_writable = out->problem.code == CODE_NONE;
}
