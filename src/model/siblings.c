#include "base/limits.h"
#include "model/merge.h"
#include "model/resolve.h"

#include <assert.h>

/* Groups that are made from a group of the same cluster or cluster template.
 *
 * The leaves of the object are made as far as possible. Each sibling whose source is a finished
 * leaf gets its layer. That finishes more leaves, and so on, round by round. A sibling that remains
 * after a round without progress, or after LIMIT_FROM_CHAIN rounds, belongs to a cycle or refers to
 * a group that does not exist. */

struct sibling {
    struct text path;   /* path of the group */
    struct text source; /* path of the source group */
    const struct doc *from;
    const struct doc *reference; /* the text of the reference to the source */
    struct doc layer;            /* the layer of the source, once it is known */
    bool is_laid;
};

struct siblings {
    struct model_set *set;
    const struct model_object *object;
    struct sibling *items;
    size_t count;
    size_t room;
};

/* Find the reference to a group of this object in a `from`; NULL: it refers to something else. */
static const struct doc *reference_find(const struct model_object *object, const struct doc *from)
{
    bool is_cluster = object->kind->owner == OWNER_CLUSTER;
    const struct doc *reference = doc_child(from, is_cluster ? "nodegroup" : "nodegrouptemplate");
    size_t slash;

    if (!doc_is_scalar(reference) || object->name.length == 0) {
        return NULL;
    }
    slash = text_find_byte(reference->text, '/');
    return slash != SIZE_MAX && text_is_equal(text_slice(reference->text, 0, slash), object->name)
               ? reference
               : NULL;
}

bool siblings_is_one(const struct model_object *object, const struct doc *from)
{
    assert(object != NULL);
    return reference_find(object, from) != NULL;
}

static void sibling_add(struct siblings *siblings, struct sibling sibling)
{
    if (siblings->count == siblings->room) {
        size_t room = siblings->room * 2 + 8;

        siblings->items = arena_grow(siblings->set->arena, siblings->items,
                                     siblings->room * sizeof(sibling), room * sizeof(sibling));
        siblings->room = room;
    }
    siblings->items[siblings->count++] = sibling;
}

static struct text path_join(const struct siblings *siblings, struct text outer, struct text name)
{
    return outer.length == 0
               ? name
               : arena_printf(siblings->set->arena, "%.*s/%.*s", TEXT_ARG(outer), TEXT_ARG(name));
}

/* Return the document {groups: GROUPS}. */
static struct doc groups_wrap(struct arena *arena, struct doc groups)
{
    struct doc_entry *entry = arena_one(arena, struct doc_entry);

    *entry = (struct doc_entry){ .key = TEXT("groups"), .value = groups };
    return doc_map(entry, 1, &groups);
}

static void siblings_find(struct siblings *siblings, const struct doc *groups, struct text outer)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        const struct doc *from = doc_child(group, "from");
        const struct doc *reference = reference_find(siblings->object, from);
        struct text path = path_join(siblings, outer, groups->entries[i].key);

        if (reference != NULL && !resolve_is_made(siblings->object, path)) {
            struct text text = reference->text;
            struct text source = text_slice(text, siblings->object->name.length + 1, text.length);

            sibling_add(siblings, (struct sibling){ path, source, from, reference, { 0 }, false });
        }
        siblings_find(siblings, doc_child(group, "groups"), path);
    }
}

/* Make a copy of the object with the leaves that can be made so far. Faults of the leaves are not
 * reported, because the leaves are made again later. */
static struct model_object simulation_make(struct siblings *siblings, const struct doc *base)
{
    struct model_set *set = siblings->set;
    struct model_object simulation = *siblings->object;
    struct err_list *errors = set->errors;
    struct err_list unheard;

    assert(simulation.leaf_count == 0);
    err_list_init(&unheard, set->arena);
    simulation.merged = merge_layers(set->arena, MERGE_CLUSTER, base, &simulation.own);
    set->errors = &unheard;
    leaves_make(set, &simulation);
    set->errors = errors;
    return simulation;
}

/* Return the mapping of the groups that got their layer in this round, and of outer groups that
 * contain one; absent if there are none. `laid` maps their paths to these groups. */
static struct doc siblings_layers_make(struct siblings *siblings, const struct map *laid,
                                       const struct doc *groups, struct text outer)
{
    struct arena *arena = siblings->set->arena;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        struct doc_entry entry = groups->entries[i];
        const struct doc *below = doc_child(&groups->entries[i].value, "groups");
        struct text path = path_join(siblings, outer, entry.key);
        const struct sibling *sibling = map_find(laid, path);

        entry.value =
            sibling != NULL ? sibling->layer : siblings_layers_make(siblings, laid, below, path);
        if (sibling == NULL && doc_is_present(&entry.value)) {
            entry.value = groups_wrap(arena, entry.value);
        }
        if (doc_is_present(&entry.value)) {
            doc_builder_add(&builder, &entry);
        }
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, groups);
}

/* Run one round: give every sibling with a finished source its layer. Returns their number. */
static size_t round_run(struct siblings *siblings, struct doc *base)
{
    struct model_object simulation = simulation_make(siblings, base);
    struct arena *arena = siblings->set->arena;
    struct map open;
    struct map laid;
    struct doc layers;

    map_init(&open, arena);
    map_init(&laid, arena);
    for (size_t i = 0; i < siblings->count; i++) {
        if (!siblings->items[i].is_laid) {
            map_put(&open, siblings->items[i].path, &siblings->items[i]);
        }
    }
    for (size_t i = 0; i < siblings->count; i++) {
        struct sibling *sibling = &siblings->items[i];
        const struct model_leaf *leaf = map_find(&simulation.leaf_by_path, sibling->source);

        if (!sibling->is_laid && leaf != NULL && map_find(&open, sibling->source) == NULL) {
            sibling->layer =
                resolve_leaf(siblings->set, &simulation, leaf, sibling->from, sibling->reference)
                    .layer;
            sibling->is_laid = true;
            map_put(&laid, sibling->path, sibling);
        }
    }
    layers = siblings_layers_make(siblings, &laid, doc_child(&siblings->object->own, "groups"),
                                  TEXT(""));
    if (doc_is_present(&layers)) {
        layers = groups_wrap(arena, layers);
        *base = merge_layers(arena, MERGE_CLUSTER, base, &layers);
    }
    return laid.count;
}

/* Report the fault of a sibling that no round could finish. */
static void rest_report(struct siblings *siblings, const struct model_object *simulation,
                        const struct sibling *sibling)
{
    resolve_note_unfound(siblings->set, sibling->from);
    if (map_find(&simulation->leaf_by_path, sibling->source) != NULL) {
        err_hint(err_list_set(siblings->set->errors, doc_place(sibling->reference), CODE_R0334,
                              "group '%.*s' would be made from itself", TEXT_ARG(sibling->path)),
                 "put the common fields into defaults, or into a separate template");
    } else {
        resolve_leaf_find(siblings->set, simulation, sibling->source, sibling->reference);
    }
}

struct doc siblings_lay(struct model_set *set, const struct model_object *object,
                        const struct doc *base)
{
    struct siblings siblings = { .set = set, .object = object };
    struct doc laid = *base;
    size_t left;

    siblings_find(&siblings, doc_child(&object->own, "groups"), TEXT(""));
    left = siblings.count;
    for (unsigned round = 0; left > 0 && round < LIMIT_FROM_CHAIN; round++) {
        size_t count = resolve_has_room(set, object->place) ? round_run(&siblings, &laid) : 0;

        if (count == 0) {
            break;
        }
        left -= count;
    }
    if (left > 0 && !set->is_full) {
        struct model_object simulation = simulation_make(&siblings, &laid);

        for (size_t i = 0; i < siblings.count; i++) {
            if (!siblings.items[i].is_laid) {
                rest_report(&siblings, &simulation, &siblings.items[i]);
            }
        }
    }
    return laid;
}
