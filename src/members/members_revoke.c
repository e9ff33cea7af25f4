#include "base/limits.h"
#include "members/members.h"
#include "state/revoked.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: member_ members_ */

/* Revokes the keys of a machine that is removed (docs/decisions/0050). An entry is written to the
 * store; the revocation list that all other members receive is built from these entries. With
 * classic trust it is enough that the other members receive a list of trusted keys without the
 * revoked ones. */

enum { SWEEP_MS = 10 * 60 * 1000 };

static struct text taken_key(struct arena *arena, const struct members *members, struct text token)
{
    return control_key(arena, members->reconciler->cluster, REVOKED_KIND, token, CACHE_BASE);
}

static const struct cache_bytes *taken_find(const struct members *members, struct text token)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    char id[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(id, sizeof(id), "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(token));
    const struct cache_object *object;

    assert(length > 0 && (size_t)length < sizeof(id));
    object = cache_find(members->reconciler->control->cache, cluster->tenant, TEXT(REVOKED_KIND),
                        (struct text){ id, (size_t)length });
    return object == NULL || object->parts[CACHE_BASE].bytes == NULL ? NULL
                                                                     : &object->parts[CACHE_BASE];
}

bool member_is_taken(const struct member *member)
{
    return taken_find(member->members, member->token) != NULL;
}

/* True if there are certificates to revoke, and members that would accept them. The authority of a
 * deleted cluster is deleted with the cluster. */
static bool has_members_revoke_certificates(const struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;

    return cluster->is_there && cluster->is_bootstrapped && !cluster->is_classic;
}

bool member_is_leaving(const struct member *member)
{
    return member->is_going && !member->is_taken && member->name.length > 0 &&
           has_members_revoke_certificates(member->members) &&
           (member->way.address.length > 0 || member->state.keys.host.length > 0);
}

/* Returns the body of the key if no other member has the same key; otherwise empty. Members that
 * were created from one machine image may share a key, and its revocation would lock out the other
 * members. */
static struct text members_revoke_key_alone(const struct members *members, struct text token,
                                            struct text key)
{
    struct text body = revoked_key_body(key);

    for (const struct member *one = members->first; one != NULL && key.length > 0;
         one = one->next) {
        if (!text_is_equal(one->token, token) && !one->is_going && !one->is_taken &&
            (text_is_equal(revoked_key_body(one->state.keys.root), body) ||
             text_is_equal(revoked_key_body(one->state.keys.user), body))) {
            return TEXT("");
        }
    }
    return body;
}

static struct text members_revoke_entry_make(struct arena *arena, const struct members *members,
                                             struct text token, struct text name,
                                             const struct nodes_keys *keys)
{
    const struct control *control = members->reconciler->control;
    int64_t now_ms = control->ports.wall_ms(control->ports.arg);

    return revoked_format(arena,
                          &(struct revoked){
                              .id = revoked_id(arena, name, token),
                              .name = name,
                              .keys = { members_revoke_key_alone(members, token, keys->root),
                                        members_revoke_key_alone(members, token, keys->user) },
                              .at_ms = now_ms,
                              .until_ms = now_ms + (int64_t)LIMIT_SIGNER_TTL_MAX_S * 1000,
                          });
}

void member_take(struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = taken_key(arena, member->members, member->token);
    struct unit *unit;

    if (reconciler_has_unit(reconciler, key)) {
        return;
    }
    unit = unit_add(arena, &reconciler->units, key, 0,
                    members_revoke_entry_make(arena, member->members, member->token, member->name,
                                              &member->state.keys));
    unit->is_loose = true;
    unit->event = control_event(arena, reconciler,
                                &(struct event){ .type = "node.revoked",
                                                 .group = member->group,
                                                 .slot = member->slot,
                                                 .has_slot = true,
                                                 .fact = TEXT("the machine is being destroyed"),
                                                 .token = member->token,
                                                 .id = member->id,
                                                 .node = member->name });
    member->is_taken = true;
}

void members_gone_add(struct members *members, struct text key, struct text value,
                      struct text event)
{
    struct members_gone *gone = arena_one(members->gone_memory, struct members_gone);

    *gone = (struct members_gone){ .key = key, .value = value, .event = event };
    *members->gone_last = gone;
    members->gone_last = &gone->next;
}

void members_gone_take(struct members *members, struct text token, const struct node_state *state)
{
    struct arena *arena = members->gone_memory;

    if (!has_members_revoke_certificates(members) || state->keys.host.length == 0 ||
        taken_find(members, token) != NULL) {
        return;
    }
    members_gone_add(members, taken_key(arena, members, token),
                     members_revoke_entry_make(arena, members, token, state->name, &state->keys),
                     control_event(arena, members->reconciler,
                                   &(struct event){ .type = "node.revoked",
                                                    .fact = TEXT("the machine no longer exists"),
                                                    .token = token,
                                                    .node = state->name }));
}

/* ---- expiry ---- */

static bool is_run_out(struct text bytes, int64_t now_ms)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct revoked revoked;
    struct err err;

    return revoked_parse(arena, bytes, &revoked, &err) && revoked.until_ms < now_ms;
}

/* Removes expired revocations. The latest revocation identifies the list (authority_list.c), so it
 * is kept. Otherwise all machines would receive the same list under another name. */
void members_gone_sweep(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct control *control = members->reconciler->control;
    struct text prefix = arena_printf(arena, "/%.*s/" REVOKED_KIND "/%.*s/",
                                      TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));
    int64_t now_ms = control->ports.wall_ms(control->ports.arg);
    const struct cache_object *stays = NULL;

    if (cluster->is_there && members_now(members) < members->sweep_ms) {
        return;
    }
    members->sweep_ms = members_now(members) + SWEEP_MS;
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
            members_gone_add(members, taken_key(members->gone_memory, members, token), TEXT(""),
                             TEXT(""));
        }
    }
}
