#include "base/sort.h"
#include "model/nest.h"
#include "query/query_parts.h"
#include "state/flat.h"

#include <assert.h>
#include <string.h>

/* Restores an object to an earlier revision. Its spec is read from the history of the spec; the
 * groups of a cluster are read from the store at that revision. The result is sent as a change.
 *
 * The templates of the object (`layers`, model/stored.h) are stored below .../base, which has no
 * history. So that value is read from the store at that revision and becomes part of the change. If
 * that revision is compacted, the object keeps its current templates. */

struct undoing {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_undo undo;
    struct text key; /* key of the spec */
    struct text id;
    uint64_t revision; /* revision to be restored */
    struct text spec;  /* spec at that revision */
    struct stored_object then;
    bool is_made_known; /* `then` includes the sources at that revision */
    service_done *done;
    void *arg;
};

static void undo_refuse(struct undoing *undoing, const struct err *err)
{
    service_refuse(undoing->service, undoing->arena, err, undoing->done, undoing->arg);
}

/* Return the path from which a group was renamed; empty if it was not renamed. */
static struct text undo_former_path(const struct stored_group *group)
{
    const struct doc *former = doc_child(&group->part.spec, "renamedFrom");

    return doc_is_scalar(former) ? former->text : TEXT("");
}

/* Adds `renamedFrom` for a group that was renamed after that revision. Without it, the change would
 * destroy the group's machines and create others. The record of a group has only its last previous
 * path, so a group that was renamed twice cannot be traced: returns false, and *err is set. */
MUST_CHECK static bool undo_group_rename(struct undoing *undoing, const struct stored_object *now,
                                         struct stored_group *group, struct err *err)
{
    const struct stored_object *then = &undoing->then;

    for (size_t i = 0; i < now->group_count; i++) {
        struct text path = now->groups[i].path;
        struct text former = undo_former_path(&now->groups[i]);

        if (former.length == 0 || stored_group_find(then, path) != NULL) {
            continue;
        }
        if (text_is_equal(former, group->path)) {
            group->part.spec =
                nest_put(undoing->arena, &group->part.spec, "renamedFrom", doc_text(path, NULL));
            return true;
        }
        if (stored_group_find(then, former) == NULL) {
            err_set(err, CODE_R0440,
                    "group '%.*s' was renamed from '%.*s', which did not exist at revision %llu",
                    TEXT_ARG(path), TEXT_ARG(former), (unsigned long long)undoing->revision);
            return err_hint(
                err,
                "undo in steps: first reeve undo %.*s --to REVISION, with a revision that has group '%.*s'; reeve describe %.*s --history lists the revisions",
                TEXT_ARG(undoing->undo.name), TEXT_ARG(former), TEXT_ARG(undoing->undo.name));
        }
    }
    return true;
}

/* Builds the requested cluster: its state at that revision, with the renames reverted. `then` stays
 * the base of the change, so the renames are part of the change. */
MUST_CHECK static bool undo_renames(struct undoing *undoing, struct stored_object *out,
                                    struct err *err)
{
    const struct cache_object *object = objects_find(undoing->service->cache, undoing->actor.tenant,
                                                     undoing->undo.kind, undoing->id);
    struct stored_object now;

    if (object == NULL) {
        return service_unfound(undoing->undo.kind, undoing->undo.name, err);
    }
    if (!objects_read(undoing->arena, undoing->service->cache, undoing->undo.kind, object, &now,
                      err)) {
        return false;
    }
    *out = undoing->then;
    out->groups = arena_array(undoing->arena, struct stored_group, out->group_count);
    for (size_t i = 0; i < out->group_count; i++) {
        out->groups[i] = undoing->then.groups[i];
        if (stored_group_find(&now, out->groups[i].path) == NULL &&
            !undo_group_rename(undoing, &now, &out->groups[i], err)) {
            return false;
        }
    }
    return true;
}

static void undo_start(struct undoing *undoing)
{
    struct service_change change = undoing->undo.change;
    struct doc *wanted = arena_one(undoing->arena, struct doc);
    struct stored_object restored = undoing->then;
    struct mutation *mutation;
    struct err err;

    if (undoing->undo.kind->owner == OWNER_CLUSTER && !undo_renames(undoing, &restored, &err)) {
        undo_refuse(undoing, &err);
        return;
    }
    *wanted = flat_make(undoing->arena, &restored);
    if (undoing->undo.kind->owner == OWNER_CLUSTER) {
        *wanted = nest_put(undoing->arena, wanted, "id", doc_text(undoing->id, NULL));
    } else if (undoing->undo.kind->owner == OWNER_NODEGROUP) {
        /* the cluster may have had another name then, which another cluster may have now */
        struct text cluster = text_slice(undoing->id, 0, text_find_byte(undoing->id, '/'));
        struct text name = objects_cluster_name(undoing->service->cache, undoing->arena,
                                                undoing->actor.tenant, cluster);

        *wanted = nest_put(undoing->arena, wanted, "cluster", doc_text(name, NULL));
    }
    change.mode = CHANGE_REPLACE;
    change.documents = wanted;
    change.document_count = 1;
    mutation = mutation_new(undoing->service, undoing->arena, &undoing->actor, &change,
                            undoing->done, undoing->arg);
    mutation->restores = undoing->is_made_known ? &undoing->then : NULL;
    mutation->meaning =
        arena_printf(undoing->arena, "undo %s %.*s %llu", undoing->undo.kind->name,
                     TEXT_ARG(undoing->undo.name), (unsigned long long)undoing->undo.to_revision);
    mutation_start(mutation);
}

MUST_CHECK static bool undo_part_read(struct undoing *undoing, struct text spec, struct text base,
                                      struct stored_part *out, struct err *err)
{
    static const struct origin origin = { .kind = ORIGIN_FILE };

    return stored_part_parse(undoing->arena, arena_text(undoing->arena, spec),
                             arena_text(undoing->arena, base), &origin, out, err);
}

static int undo_group_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(((const struct stored_group *)a)->path,
                        ((const struct stored_group *)b)->path);
}

static void groups_listed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct undoing *undoing = arg;
    struct stored_object *then = &undoing->then;
    struct map bases;
    struct err err;

    if (outcome != OUTCOME_OK) {
        err = answer->err;
        err_hint(&err, "the previous state of the groups is no longer stored");
        undo_refuse(undoing, &err);
        return;
    }
    bases = service_values_index(undoing->arena, answer, TEXT("/base"));
    then->groups = arena_array(undoing->arena, struct stored_group, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];
        struct stored_group *group = &then->groups[then->group_count];
        const struct text *base;

        if (!text_has_suffix(item->key, TEXT("/spec"))) {
            continue;
        }
        base = map_find(&bases, text_slice(item->key, 0, item->key.length - strlen("/spec")));
        if (!undo_part_read(undoing, item->value, base == NULL ? TEXT("") : *base, &group->part,
                            &err)) {
            undo_refuse(undoing, &err);
            return;
        }
        group->path = group->part.meta.name;
        then->group_count++;
    }
    sort_stable(undoing->arena, then->groups, then->group_count, sizeof(*then->groups),
                undo_group_sort, NULL);
    undo_start(undoing);
}

/* Return the revision to restore from the history; NULL if there is none. */
static const struct store_item *undo_target_find(const struct undoing *undoing,
                                                 const struct store_answer *answer)
{
    if (undoing->undo.to_revision == 0) {
        return answer->count > 1 && answer->items[1].value.length > 0 ? &answer->items[1] : NULL;
    }
    for (size_t i = 0; i < answer->count; i++) { /* the history begins with the newest item */
        if (answer->items[i].revision <= undoing->undo.to_revision) {
            return answer->items[i].value.length > 0 ? &answer->items[i] : NULL;
        }
    }
    return NULL;
}

/* Rejects a revision above the latest one, because it is probably mistyped. It would select the
 * current state, and the undo would change nothing. */
MUST_CHECK static bool has_been(const struct undoing *undoing, const struct store_answer *answer,
                                struct err *err)
{
    uint64_t newest = cache_revision(undoing->service->cache);

    newest = answer->count > 0 && answer->items[0].revision > newest ? answer->items[0].revision
                                                                     : newest;
    if (undoing->undo.to_revision <= newest) {
        return true;
    }
    err_set(err, CODE_R0403, "there is no revision %llu so far; the newest is %llu",
            (unsigned long long)undoing->undo.to_revision, (unsigned long long)newest);
    return err_hint(err, "reeve describe %s %.*s --history lists its revisions",
                    undoing->undo.kind->singular, TEXT_ARG(undoing->undo.name));
}

static void undo_base_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct undoing *undoing = arg;
    struct store_range range = { .at_revision = undoing->revision };
    bool has_base = outcome == OUTCOME_OK && answer->count > 0;
    struct err err;

    undoing->is_made_known = outcome == OUTCOME_OK;
    if (!undo_part_read(undoing, undoing->spec, has_base ? answer->items[0].value : TEXT(""),
                        &undoing->then.part, &err)) {
        undo_refuse(undoing, &err);
        return;
    }
    if (undoing->undo.kind->owner != OWNER_CLUSTER) {
        undo_start(undoing);
        return;
    }
    range.prefix = objects_group_prefix(undoing->arena, undoing->actor.tenant, undoing->id);
    store_list(undoing->service->store, &range, groups_listed, undoing);
}

/* A rename starts a new history of the group, because it is stored as a revision of the cluster.
 * The hint says to undo the change of the cluster instead. */
static void undo_hint(const struct undoing *undoing, struct err *err)
{
    const struct cache_object *object = objects_find(undoing->service->cache, undoing->actor.tenant,
                                                     undoing->undo.kind, undoing->undo.name);
    struct text cluster =
        text_slice(undoing->undo.name, 0, text_find_byte(undoing->undo.name, '/'));
    struct stored_object now;
    struct err ignored;

    if (undoing->undo.kind->owner == OWNER_NODEGROUP && object != NULL &&
        objects_read(undoing->arena, undoing->service->cache, undoing->undo.kind, object, &now,
                     &ignored) &&
        doc_child(&now.part.spec, "renamedFrom") != NULL) {
        err_hint(
            err,
            "the group was renamed from '%.*s', which is a change of its cluster: reeve undo %.*s",
            TEXT_ARG(doc_child(&now.part.spec, "renamedFrom")->text), TEXT_ARG(cluster));
        return;
    }
    err_hint(err, "reeve describe %s %.*s --history lists its revisions",
             undoing->undo.kind->singular, TEXT_ARG(undoing->undo.name));
}

static void undo_history_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct undoing *undoing = arg;
    const struct store_item *item;
    struct err err;

    if (outcome != OUTCOME_OK) {
        undo_refuse(undoing, &answer->err);
        return;
    }
    if (!has_been(undoing, answer, &err)) {
        undo_refuse(undoing, &err);
        return;
    }
    item = undo_target_find(undoing, answer);
    if (item == NULL) {
        err_set(&err, CODE_R0403, "%s '%.*s' has no earlier revision to go back to",
                undoing->undo.kind->singular, TEXT_ARG(undoing->undo.name));
        undo_hint(undoing, &err);
        undo_refuse(undoing, &err);
        return;
    }
    undoing->spec = arena_text(undoing->arena, item->value);
    undoing->revision = item->revision;
    store_get(undoing->service->store,
              objects_key(undoing->arena, undoing->actor.tenant,
                          text_from(undoing->undo.kind->name), undoing->id, CACHE_BASE),
              undoing->revision, undo_base_known, undoing);
}

void service_undo(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_undo *undo, service_done *done, void *arg)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, undo->kind, undo->name);
    struct undoing *undoing = arena_one(arena, struct undoing);
    struct err err;

    if (object == NULL) {
        err_set(&err, CODE_R0403, "there is no %s '%.*s'", undo->kind->singular,
                TEXT_ARG(undo->name));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    *undoing = (struct undoing){
        .service = service,
        .arena = arena,
        .actor = *actor,
        .undo = *undo,
        .id = arena_text(arena, cache_id(object)),
        .then = { .kind = undo->kind },
        .done = done,
        .arg = arg,
    };
    undoing->key = objects_key(arena, actor->tenant, cache_kind(object), undoing->id, CACHE_SPEC);
    store_history(service->store, undoing->key, undo_history_known, undoing);
}
