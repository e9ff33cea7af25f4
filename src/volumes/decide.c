#include "volumes/decide.h"

#include "base/map.h"
#include "plan/guard.h"

#include <assert.h>

/* Normal case: a volume is used while it is attached or its slot has a machine record. When its
 * machine no longer exists and the slot has no new machine, the volume is kept. After the time in
 * its `keep`, it is deleted with a separate intent.
 *
 * Failures: if the listing is outdated, no harm is done, because the times are much longer than its
 * lag. If the plugin returns no tags, the volume is only shown. If another machine takes the slot
 * in the meantime, the volume is used again. If the answer of the deletion is lost, the next
 * listing shows whether the volume exists. */

/* Number of consecutive complete listings without a volume after which its record is removed. */
enum { VOLUMES_MISSED = 3 };

struct deciding {
    struct arena *arena;
    const struct volumes_world *world;
    struct volumes_changes *out;
    bool *is_seen; /* by index of `known`: the listing has the resource */
    size_t deletions;
    struct map by_slot; /* machine records by slot; values: struct volumes_machine */
    struct map by_id;
    struct map by_token;
    struct map by_key; /* known records by key; values: struct volumes_known */
    struct map added;  /* keys of new records */
};

/* ---- indexes ---- */

static struct text volumes_slot_key(struct arena *arena, struct text group, uint64_t slot)
{
    return arena_printf(arena, "%.*s/%llu", TEXT_ARG(group), (unsigned long long)slot);
}

static void volumes_index_make(struct deciding *deciding)
{
    const struct volumes_world *world = deciding->world;

    map_init(&deciding->by_slot, deciding->arena);
    map_init(&deciding->by_id, deciding->arena);
    map_init(&deciding->by_token, deciding->arena);
    map_init(&deciding->by_key, deciding->arena);
    map_init(&deciding->added, deciding->arena);
    for (size_t i = 0; i < world->machine_count; i++) {
        const struct volumes_machine *machine = &world->machines[i];
        void *value = (void *)(uintptr_t)machine;

        map_put(&deciding->by_slot,
                volumes_slot_key(deciding->arena, machine->group, machine->slot), value);
        map_put(&deciding->by_token, machine->token, value);
        if (machine->id.length > 0) {
            map_put(&deciding->by_id, machine->id, value);
        }
    }
    for (size_t i = 0; i < world->known_count; i++) {
        map_put(&deciding->by_key, world->known[i].volume.key, (void *)(uintptr_t)&world->known[i]);
    }
}

/* Return the machine record of the volume's slot; NULL: there is none. */
static const struct volumes_machine *volumes_machine_of_slot(const struct deciding *deciding,
                                                             const struct volume *volume)
{
    return volume->group.length == 0
               ? NULL
               : map_find(&deciding->by_slot,
                          volumes_slot_key(deciding->arena, volume->group, volume->slot));
}

static const struct volumes_machine *volumes_machine_of_id(const struct deciding *deciding,
                                                           struct text id)
{
    return id.length == 0 ? NULL : map_find(&deciding->by_id, id);
}

static const struct volumes_group *volumes_group_find(const struct volumes_world *world,
                                                      struct text path)
{
    for (size_t i = 0; i < world->group_count; i++) {
        if (text_is_equal(world->groups[i].path, path)) {
            return &world->groups[i];
        }
    }
    return NULL;
}

/* ---- one volume ---- */

static bool volumes_is_volume(const struct volume *volume)
{
    return text_is(volume->kind, "volume");
}

static bool volumes_is_of_slot(const struct volume *volume)
{
    return volumes_is_volume(volume) && volume->group.length > 0 &&
           (text_is(volume->keep, "slot") || text_is(volume->keep, "always"));
}

static void volumes_state_set(const struct deciding *deciding, struct volumes_change *change,
                              enum volume_state state, const char *event, struct text fact)
{
    if (change->volume.state != state || change->known == SIZE_MAX) {
        change->volume.state = state;
        change->volume.since_wall_ms = deciding->world->wall_ms;
        change->event = event;
        change->fact = fact;
        change->is_changed = true;
    }
}

/* Copies the data of the row. A row without tags does not change the known data; the slot is then
 * that of the machine that uses the volume. */
static void volumes_row_take(const struct deciding *deciding, const struct volumes_row *row,
                             struct volumes_change *change)
{
    const struct volumes_world *world = deciding->world;
    const struct provider_resource *from = row->resource;
    const struct volumes_machine *user = volumes_machine_of_id(deciding, from->attached);
    struct volume *volume = &change->volume;
    const struct volumes_machine *machine;

    volume->key = row->key;
    volume->plugin = world->plugin;
    volume->kind = from->kind;
    volume->id = from->id;
    volume->zone = user != NULL && user->zone.length > 0 ? user->zone
                   : volume->zone.length > 0             ? volume->zone
                                                         : from->zone;
    volume->attached = from->attached;
    volume->bytes = from->bytes;
    volume->missed = 0;
    volume->missed_ms = 0;
    volume->cluster = world->cluster.length > 0 ? world->cluster : volume->cluster;
    volume->name = from->name.length > 0 ? from->name : volume->name;
    volume->keep = from->keep.length > 0 ? from->keep : volume->keep;
    volume->token = from->tags.token.length > 0 ? from->tags.token : volume->token;
    if (from->tags.group.length > 0) {
        volume->group = from->tags.group;
        volume->slot = from->tags.slot;
    } else if (user != NULL) {
        volume->group = user->group;
        volume->slot = user->slot;
    }
    machine = user != NULL ? user : volumes_machine_of_slot(deciding, volume);
    volume->node = machine != NULL ? machine->name : volume->node;
}

static bool volumes_is_used(const struct deciding *deciding, const struct volume *volume)
{
    if (volume->attached.length > 0) {
        return true;
    }
    return volumes_is_of_slot(volume)
               ? volumes_machine_of_slot(deciding, volume) != NULL
               : volume->token.length > 0 && map_find(&deciding->by_token, volume->token) != NULL;
}

/* Return the reason why an expired volume is not deleted now; empty: it is deleted. */
static struct text volumes_obstacle(const struct deciding *deciding, const struct volume *volume)
{
    const struct volumes_world *world = deciding->world;
    const struct volumes_group *group = volumes_group_find(world, volume->group);

    if (world->held.length > 0) {
        return world->held;
    }
    if (group != NULL && group->is_protected) {
        return TEXT("its group is protected");
    }
    if (group != NULL && group->is_paused) {
        return TEXT("its group is paused");
    }
    if (group != NULL && group->recorded < group->size) {
        return TEXT("its group has fewer machines than its size, and may fill the slot");
    }
    return TEXT("");
}

static void volumes_delete(struct deciding *deciding, struct volumes_change *change,
                           const char *rule, struct text by, struct text fact)
{
    volumes_state_set(deciding, change, VOLUME_STATE_DELETING, "volume.condemned", fact);
    change->volume.rule = text_from(rule);
    change->volume.by = by;
    change->volume.cause = TEXT("");
    change->volume.until_wall_ms = 0;
    change->volume.refusals = 0;
    change->volume.call_after_ms = 0;
    change->has_call = true;
}

/* Deletes an expired volume, unless there is a reason not to delete it now. */
static void volumes_expire(struct deciding *deciding, struct volumes_change *change,
                           const char *rule, struct text fact)
{
    const struct volumes_world *world = deciding->world;
    struct text obstacle = volumes_obstacle(deciding, &change->volume);

    if (obstacle.length > 0 && GUARD(world->limits, G28)) {
        change->volume.cause = obstacle;
    } else if (deciding->deletions < world->deletions) {
        deciding->deletions++;
        volumes_delete(deciding, change, rule, TEXT(""), fact);
    }
}

/* Decides about a volume whose slot has no machine. */
static void volumes_keep(struct deciding *deciding, struct volumes_change *change)
{
    const struct volumes_world *world = deciding->world;
    struct volume *volume = &change->volume;
    bool is_for_ever = text_is(volume->keep, "always");
    uint64_t kept_ms = world->now_ms - volume->free_ms;

    volumes_state_set(deciding, change, VOLUME_STATE_KEPT, "volume.kept",
                      is_for_ever ? TEXT("keep: always")
                                  : TEXT("its slot has no machine: it is kept for the next one, "
                                         "and deleted when its time is over"));
    if (change->is_changed) {
        volume->until_wall_ms =
            is_for_ever ? 0 : world->wall_ms + (int64_t)(world->retain_ms - kept_ms);
    }
    if (!is_for_ever && (kept_ms >= world->retain_ms || !GUARD(world->limits, G28))) {
        volumes_expire(deciding, change, "keep",
                       TEXT("no machine used it for the time that it is kept"));
    }
}

/* Decides about a resource that belongs to no slot. The volume of a machine should have been
 * deleted with the machine, but the machine may have been destroyed while the volume was being
 * attached. */
static void volumes_left(struct deciding *deciding, const struct volumes_row *row,
                         struct volumes_change *change)
{
    const struct volumes_world *world = deciding->world;
    const struct volume *volume = &change->volume;

    if (world->now_ms - volume->free_ms < world->orphan_ms) {
        volumes_state_set(deciding, change, VOLUME_STATE_FREE, NULL, TEXT(""));
    } else if (volumes_is_volume(volume) && text_is(volume->keep, "node") && row->is_verified) {
        volumes_expire(deciding, change, "node", TEXT("its machine is gone"));
    } else {
        volumes_state_set(deciding, change, VOLUME_STATE_ORPHAN, "volume.orphan",
                          TEXT("no machine of the cluster uses it, and it belongs to no slot"));
    }
}

/* Decides about a resource that no machine uses. */
static void volumes_unused(struct deciding *deciding, const struct volumes_row *row,
                           struct volumes_change *change, const struct volumes_known *known)
{
    const struct volumes_world *world = deciding->world;
    struct volume *volume = &change->volume;
    bool is_foreign = row->resource->tags.token.length > 0 && !row->is_stamped;

    if (volume->free_ms == 0) {
        volume->free_ms = world->now_ms;
        change->is_changed = true;
    }
    if (volume->state == VOLUME_STATE_DELETING) {
        change->has_call = !known->is_calling && world->now_ms >= volume->call_after_ms;
        return;
    }
    if (is_foreign && GUARD(world->limits, G4)) {
        volumes_state_set(deciding, change, VOLUME_STATE_FOREIGN, "volume.foreign",
                          TEXT("its tags are not stamped by this store"));
        change->is_command_ended = known != NULL && known->requested_by.length > 0;
        return;
    }
    if (known != NULL && known->requested_by.length > 0) {
        change->is_command_ended = true;
        volumes_delete(deciding, change, "requested", known->requested_by,
                       TEXT("an operator requested it"));
    } else if (volumes_is_of_slot(volume) && (row->is_verified || !GUARD(world->limits, G4))) {
        volumes_keep(deciding, change);
    } else {
        volumes_left(deciding, row, change);
    }
}

static void volumes_use(struct deciding *deciding, struct volumes_change *change,
                        const struct volumes_known *known)
{
    struct volume *volume = &change->volume;
    bool is_requested = known != NULL && known->requested_by.length > 0;
    bool is_deleting = volume->state == VOLUME_STATE_DELETING;

    if (is_deleting && volume->attached.length == 0) {
        return; /* no machine is created in its slot until the deletion is answered */
    }
    if (is_requested || is_deleting) {
        change->event = "volume.in_use";
        change->fact = TEXT("it is not deleted: a machine uses it");
        change->is_command_ended = is_requested;
    }
    if (volume->state != VOLUME_STATE_USED || known == NULL) {
        volume->state = VOLUME_STATE_USED;
        volume->since_wall_ms = deciding->world->wall_ms;
    }
    volume->free_ms = 0;
    volume->until_wall_ms = 0;
    volume->cause = TEXT("");
    volume->rule = TEXT("");
    volume->by = TEXT("");
    volume->refusals = 0;
    volume->call_after_ms = 0;
}

static struct volumes_change *volumes_change_add(struct deciding *deciding, size_t known)
{
    struct volumes_change *change = &deciding->out->items[deciding->out->count++];

    *change = (struct volumes_change){ .known = known };
    if (known != SIZE_MAX) {
        change->volume = deciding->world->known[known].volume;
    }
    return change;
}

static void volumes_row_decide(struct deciding *deciding, const struct volumes_row *row)
{
    const struct volumes_world *world = deciding->world;
    const struct volumes_known *known = map_find(&deciding->by_key, row->key);
    size_t index = known == NULL ? SIZE_MAX : (size_t)(known - world->known);
    struct volumes_change *change;

    if (known == NULL ? map_find(&deciding->added, row->key) != NULL : deciding->is_seen[index]) {
        return; /* the listing has the resource twice */
    }
    change = volumes_change_add(deciding, index);
    if (known == NULL) {
        map_put(&deciding->added, row->key, change);
    } else {
        deciding->is_seen[index] = true;
    }
    volumes_row_take(deciding, row, change);
    if (volumes_is_used(deciding, &change->volume)) {
        if (!volumes_is_volume(&change->volume)) {
            /* the port of a machine belongs to the machine, and has no record */
            change->is_removed = change->is_changed = known != NULL;
            deciding->out->count -= known == NULL;
            return;
        }
        volumes_use(deciding, change, known);
    } else {
        volumes_unused(deciding, row, change, known);
    }
    change->is_changed =
        known == NULL ||
        !text_is_equal(volume_format(deciding->arena, &change->volume), known->bytes);
}

/* Decides about a record whose volume is missing in the listing. */
static void volumes_missed_decide(struct deciding *deciding, size_t index)
{
    const struct volumes_world *world = deciding->world;
    struct volumes_change *change = volumes_change_add(deciding, index);
    struct volume *volume = &change->volume;
    bool is_deleting = volume->state == VOLUME_STATE_DELETING;
    bool is_of_machine = text_is(volume->keep, "node") && volume->state != VOLUME_STATE_ORPHAN;

    change->is_changed = true;
    volume->missed_ms = volume->missed == 0 ? world->now_ms : volume->missed_ms;
    volume->missed++;
    if (world->known[index].is_calling || world->now_ms - volume->missed_ms < world->lag_ms ||
        (!is_deleting && !is_of_machine && volume->missed < VOLUMES_MISSED)) {
        return;
    }
    change->is_removed = true;
    change->is_command_ended = world->known[index].requested_by.length > 0;
    change->event = is_deleting || is_of_machine ? "volume.deleted" : "volume.gone";
    change->fact =
        is_of_machine ? TEXT("with its machine") : TEXT("the provider no longer lists it");
}

void volumes_decide(struct arena *arena, const struct volumes_world *world,
                    struct volumes_changes *out)
{
    struct deciding deciding = { .arena = arena, .world = world, .out = out };

    out->count = 0;
    out->items = arena_array(arena, struct volumes_change, world->row_count + world->known_count);
    deciding.is_seen = arena_array(arena, bool, world->known_count);
    volumes_index_make(&deciding);
    for (size_t i = 0; i < world->row_count; i++) {
        volumes_row_decide(&deciding, &world->rows[i]);
    }
    for (size_t i = 0; i < world->known_count; i++) {
        if (!deciding.is_seen[i]) {
            volumes_missed_decide(&deciding, i);
        }
    }
    assert(out->count <= world->row_count + world->known_count);
}
