#include "base/limits.h"
#include "engine/revoked.h"
#include "engine/tending.h"

#include <assert.h>
#include <stdio.h>

/* names: tended_ tending_ */

/* A machine that goes, or has gone, has its keys taken back (docs/decisions/0064): an entry in the store, from which the list is
 * made that all others get. With classic trust the others are given a block without its keys, and nothing more is needed. */

enum { SWEEP_MS = 10 * 60 * 1000 };

static struct text taken_key(struct arena *arena, const struct tending *tending, struct text token)
{
    return control_key(arena, tending->reconciler->cluster, REVOKED_KIND, token, CACHE_BASE);
}

static const struct cache_bytes *taken_find(const struct tending *tending, struct text token)
{
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    char id[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(id, sizeof(id), "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(token));
    const struct cache_object *object;

    assert(length > 0 && (size_t)length < sizeof(id));
    object = cache_find(tending->reconciler->control->cache, cluster->tenant, TEXT(REVOKED_KIND),
                        (struct text){ id, (size_t)length });
    return object == NULL || object->parts[CACHE_BASE].bytes == NULL ? NULL
                                                                     : &object->parts[CACHE_BASE];
}

bool tended_is_taken(const struct tended *tended)
{
    return taken_find(tended->tending, tended->token) != NULL;
}

/* Are there certificates to be taken back, and somebody who would believe them? With its cluster a machine's authority goes. */
static bool has_certificates(const struct tending *tending)
{
    const struct fleet_cluster *cluster = tending->reconciler->cluster;

    return cluster->is_there && cluster->is_tended && !cluster->is_classic;
}

bool tended_is_leaving(const struct tended *tended)
{
    return tended->is_going && !tended->is_taken && tended->name.length > 0 &&
           has_certificates(tended->tending) &&
           (tended->way.address.length > 0 || tended->state.keys.host.length > 0);
}

/* A key that came with an image is another member's as well: taken back, it would shut that one out. */
static struct text key_alone(const struct tending *tending, struct text token, struct text key)
{
    struct text body = revoked_key_body(key);

    for (const struct tended *one = tending->first; one != NULL && key.length > 0;
         one = one->next) {
        if (!text_is_equal(one->token, token) && !one->is_going && !one->is_taken &&
            (text_is_equal(revoked_key_body(one->state.keys.root), body) ||
             text_is_equal(revoked_key_body(one->state.keys.user), body))) {
            return TEXT("");
        }
    }
    return body;
}

static struct text entry_make(struct arena *arena, const struct tending *tending, struct text token,
                              struct text name, const struct nodes_keys *keys)
{
    const struct control *control = tending->reconciler->control;
    int64_t now_ms = control->ports.wall_ms(control->ports.arg);

    return revoked_format(arena, &(struct revoked){
                                     .id = revoked_id(arena, name, token),
                                     .name = name,
                                     .keys = { key_alone(tending, token, keys->root),
                                               key_alone(tending, token, keys->user) },
                                     .at_ms = now_ms,
                                     .until_ms = now_ms + (int64_t)LIMIT_SIGNER_TTL_MAX_S * 1000,
                                 });
}

void tended_take(struct tended *tended)
{
    struct reconciler *reconciler = tended->tending->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = taken_key(arena, tended->tending, tended->token);
    struct unit *unit;

    if (reconciler_has_unit(reconciler, key)) {
        return;
    }
    unit = unit_add(
        arena, &reconciler->units, key, 0,
        entry_make(arena, tended->tending, tended->token, tended->name, &tended->state.keys));
    unit->is_loose = true;
    unit->event = control_event(arena, reconciler,
                                &(struct event){ .type = "node.revoked",
                                                 .group = tended->group,
                                                 .slot = tended->slot,
                                                 .has_slot = true,
                                                 .fact = TEXT("its machine goes"),
                                                 .token = tended->token,
                                                 .id = tended->id,
                                                 .node = tended->name });
    tended->is_taken = true;
}

void tending_gone_add(struct tending *tending, struct text key, struct text value,
                      struct text event)
{
    struct tending_gone *gone = arena_one(tending->gone_home, struct tending_gone);

    *gone = (struct tending_gone){ .key = key, .value = value, .event = event };
    *tending->gone_last = gone;
    tending->gone_last = &gone->next;
}

void tending_gone_take(struct tending *tending, struct text token, const struct node_state *state)
{
    struct arena *arena = tending->gone_home;

    if (!has_certificates(tending) || state->keys.host.length == 0 ||
        taken_find(tending, token) != NULL) {
        return;
    }
    tending_gone_add(tending, taken_key(arena, tending, token),
                     entry_make(arena, tending, token, state->name, &state->keys),
                     control_event(arena, tending->reconciler,
                                   &(struct event){ .type = "node.revoked",
                                                    .fact = TEXT("its machine has gone"),
                                                    .token = token,
                                                    .node = state->name }));
}

/* ---- what has run out ---- */

static bool is_run_out(struct text bytes, int64_t now_ms)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct revoked revoked;
    struct err err;

    return revoked_parse(arena, bytes, &revoked, &err) && revoked.until_ms < now_ms;
}

/* The newest one names the list (authority_list.c), and stays: with another name all machines would be given the same list. */
void tending_gone_sweep(struct tending *tending)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    const struct control *control = tending->reconciler->control;
    struct text prefix = arena_printf(arena, "/%.*s/" REVOKED_KIND "/%.*s/",
                                      TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));
    int64_t now_ms = control->ports.wall_ms(control->ports.arg);
    const struct cache_object *stays = NULL;

    if (cluster->is_there && tending_now(tending) < tending->sweep_ms) {
        return;
    }
    tending->sweep_ms = tending_now(tending) + SWEEP_MS;
    for (const struct cache_object *object = cache_first(control->cache, prefix); object != NULL;
         object = cache_next(control->cache, prefix, object)) {
        stays =
            stays == NULL || object->parts[CACHE_BASE].revision > stays->parts[CACHE_BASE].revision
                ? object
                : stays;
    }
    for (const struct cache_object *object = cache_first(control->cache, prefix); object != NULL;
         object = cache_next(control->cache, prefix, object)) {
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (base->bytes != NULL &&
            (!cluster->is_there || (object != stays && fleet_machine_find(cluster, token) == NULL &&
                                    is_run_out(blob_text(base->bytes), now_ms)))) {
            tending_gone_add(tending, taken_key(tending->gone_home, tending, token), TEXT(""),
                             TEXT(""));
        }
    }
}
