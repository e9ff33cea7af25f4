#include "etcd/etcd_counter.h"

#include "base/limits.h"

#include <assert.h>

/* A cached counter. The hash of its key determines its slot. */
struct etcd_slot {
    struct blob *key;             /* NULL: empty slot */
    uint64_t revision;            /* etcd's revision of the counter's newest change; 0: none */
    struct etcd_counter value;    /* current value of the counter */
    const struct etcd_job *owner; /* the transaction that changes the counter at present; NULL:
                                   * none */
};

/* ---- the cache ---- */

void etcd_counters_init(struct etcd_store *store)
{
    store->slots = arena_array(store->memory, struct etcd_slot, LIMIT_ETCD_COUNTERS);
}

void etcd_counters_fini(struct etcd_store *store)
{
    for (size_t i = 0; i < LIMIT_ETCD_COUNTERS; i++) {
        blob_free(store->slots[i].key);
    }
}

bool etcd_moves_take(const struct etcd_job *job, struct etcd_moves *moves)
{
    for (size_t i = 0; i < moves->count; i++) {
        if (moves->counters[i].slot->owner != NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < moves->count; i++) {
        struct etcd_move *counter = &moves->counters[i];
        const struct etcd_slot *slot = counter->slot;

        counter->is_slot_shared = slot->owner == job;
        counter->slot->owner = job;
        if (slot->key != NULL && text_is_equal(blob_text(slot->key), counter->name)) {
            counter->revision = slot->revision;
            counter->value = slot->value;
        }
    }
    return true;
}

static void slot_keep(const struct etcd_move *counter, bool is_known)
{
    struct etcd_slot *slot = counter->slot;

    if (counter->is_slot_shared) {
        return;
    }
    if (!is_known) {
        blob_free(slot->key);
        slot->key = NULL;
        return;
    }
    if (slot->key == NULL || !text_is_equal(blob_text(slot->key), counter->name)) {
        blob_free(slot->key);
        slot->key = blob_new(counter->name);
    }
    slot->revision = counter->revision;
    slot->value = counter->value;
}

void etcd_moves_give(const struct etcd_job *job, const struct etcd_moves *moves, bool is_known)
{
    for (size_t i = 0; i < moves->count; i++) {
        assert(moves->counters[i].slot->owner == job);
        slot_keep(&moves->counters[i], is_known);
    }
    for (size_t i = 0; i < moves->count; i++) {
        moves->counters[i].slot->owner = NULL;
    }
}

/* ---- of one transaction ---- */

struct etcd_move *etcd_move_add(struct etcd_job *job, struct etcd_moves *moves,
                                enum etcd_counts counts, struct text of)
{
    struct etcd_store *store = job->store;
    struct etcd_move *counter = &moves->counters[moves->count++];

    counter->counts = counts;
    counter->of = of;
    counter->name = etcd_counter_name(job->arena, counts, of);
    counter->full = etcd_key_full(job->arena, store->prefix, ETCD_SECTION_COUNTER, counter->name);
    counter->slot = &store->slots[text_hash(counter->name, 0) % LIMIT_ETCD_COUNTERS];
    return counter;
}

struct etcd_move *etcd_move_find(const struct etcd_moves *moves, enum etcd_counts counts,
                                 struct text of)
{
    for (size_t i = 0; i < moves->count; i++) {
        if (moves->counters[i].counts == counts && text_is_equal(moves->counters[i].of, of)) {
            return &moves->counters[i];
        }
    }
    return NULL;
}

bool etcd_moves_read(struct etcd_moves *moves, const struct message_done *done)
{
    for (size_t i = 0; i < moves->count; i++) {
        struct etcd_move *counter = &moves->counters[i];
        const struct message_found *found = &done[i].found;
        struct text payload;

        counter->revision = 0;
        counter->value = (struct etcd_counter){ 0 };
        if (found->count == 0) {
            continue;
        }
        if (!etcd_value_unpack(ETCD_SECTION_COUNTER, counter->name, found->items[0].value,
                               &payload) ||
            !etcd_counter_unpack(payload, &counter->value)) {
            return false;
        }
        counter->revision = found->items[0].revision;
    }
    return true;
}
