#include "model/resolve.h"

#include "base/limits.h"
#include "base/suggest.h"
#include "model/merge.h"
#include "model/nest.h"
#include "model/shape.h"

#include <assert.h>

/* How an object gets its values (FILE.md 6.1). For a cluster, lowest first:
 *
 *     from     the source of the document's `from:`, which is resolved before the document
 *     sources  the sources of those groups that have a `from:` themselves
 *     own      the document
 *
 * Each layer is a document in normal form, so the three are merged as whole documents. Values of a
 * source get an origin with the name of the source and the position of the `from:`. */

/* ---- origins of a layer ---- */

struct stamp {
    struct model_set *set;
    struct origin origin; /* kind, name, at; source is set for each text */
    const struct origin *made[8];
    size_t count;
};

/* Make one origin for each text that contains values of the layer. */
static const struct origin *stamp_origin(const struct origin *old, void *arg)
{
    struct stamp *stamp = arg;
    uint16_t source = old == NULL ? 0 : old->source;
    struct origin *origin;

    for (size_t i = 0; i < stamp->count; i++) {
        if (stamp->made[i]->source == source) {
            return stamp->made[i];
        }
    }
    origin = arena_one(stamp->set->arena, struct origin);
    *origin = stamp->origin;
    origin->source = source;
    if (stamp->count < ARRAY_COUNT(stamp->made)) {
        stamp->made[stamp->count++] = origin;
    }
    return origin;
}

/* True if the key belongs to the identity of an object. Such keys are never copied. */
static bool is_identity(struct text key)
{
    static const struct text names[] = { TEXT("cluster"), TEXT("fixed"), TEXT("from"),
                                         TEXT("hidden"),  TEXT("id"),    TEXT("name"),
                                         TEXT("public"),  TEXT("tags"),  TEXT("renamedFrom") };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is_equal(key, names[i])) {
            return true;
        }
    }
    return false;
}

/* Return a layer without identities, at the top and in each group below `groups`. */
static struct doc identity_strip(struct arena *arena, const struct doc *doc, bool is_groups)
{
    struct doc stripped = *doc;
    struct doc_entry *entries;
    size_t count = 0;

    if (!doc_is_map(doc)) {
        return stripped;
    }
    entries = arena_array(arena, struct doc_entry, doc->entry_count);
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (!is_groups && is_identity(entry->key)) {
            continue;
        }
        entries[count] = *entry;
        if (is_groups || text_is(entry->key, "groups")) {
            entries[count].value = identity_strip(arena, &entry->value, !is_groups);
        }
        count++;
    }
    stripped.entries = entries;
    stripped.entry_count = count;
    return stripped;
}

/* Copy a layer, with the origin of a `from` at this position and the named object. */
static struct doc layer_copy(struct model_set *set, const struct doc *layer, enum origin_kind kind,
                             struct text name, struct place at)
{
    struct doc stripped = identity_strip(set->arena, layer, false);
    struct stamp stamp = { .set = set, .origin = { .kind = kind, .name = name, .at = at } };

    return doc_with_origins(set->arena, &stripped, stamp_origin, &stamp);
}

/* ---- references ---- */

bool resolve_has_room(struct model_set *set, struct place place)
{
    size_t used = arena_used(set->arena);

    if (arena_left(set->arena) >= used / 3) {
        return true;
    }
    if (!set->is_full) {
        err_hint(err_list_set(set->errors, place, CODE_R0320,
                              "the resolved form of these files is larger than %zu MiB",
                              used >> 20),
                 "apply fewer objects at once, or use smaller values in templates of many objects");
    }
    set->is_full = true;
    return false;
}

/* True if a hint is useful. Errors beyond the limit are not stored, nor are their hints. */
static bool is_resolve_shown(const struct model_set *set)
{
    return set->errors->count < LIMIT_ERRORS_KEPT;
}

void resolve_report_unknown(struct model_set *set, const char *kind, struct text name,
                            const struct doc *reference)
{
    struct suggest suggest = suggest_start(name);
    const struct schema_kind *row = schema_kind_find(text_from(kind));
    struct err *err;

    for (size_t i = 0; is_resolve_shown(set) && i < set->count; i++) {
        if (set->objects[i].kind == row) {
            suggest_offer(&suggest, set->objects[i].name);
        }
    }
    err = err_list_set(set->errors, doc_place(reference), CODE_R0333, "there is no %s '%.*s'",
                       row->singular, TEXT_ARG(name));
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "add its file with -f, or apply it first; reeve get %s lists all",
                 row->plural);
    }
}

/* Find the object of a reference; reports an error and returns NULL if it does not exist. */
static struct model_object *resolve_target_find(struct model_set *set, const char *kind,
                                                struct text name, const struct doc *reference)
{
    struct model_object *target = model_set_find(set, kind, name);

    if (target == NULL) {
        resolve_report_unknown(set, kind, name, reference);
        return NULL;
    }
    if (target->state == MODEL_RESOLVING) {
        struct err *err = err_list_set(set->errors, doc_place(reference), CODE_R0334,
                                       "%s '%.*s' would be made from itself",
                                       target->kind->singular, TEXT_ARG(target->name));

        err_note(err, "it is described here");
        err->note_place = target->place;
        err_hint(err, "put the common fields into defaults, or into a separate template");
        return NULL;
    }
    /* a longer chain is invalid, and following it would exhaust the stack */
    if (set->depth < LIMIT_FROM_CHAIN) {
        set->depth++;
        resolve_object(set, target);
        set->depth--;
    }
    if (target->state != MODEL_RESOLVED || target->chain >= LIMIT_FROM_CHAIN) {
        err_list_set(set->errors, doc_place(reference), CODE_R0320,
                     "a chain of from: references is longer than %d", LIMIT_FROM_CHAIN);
        return NULL;
    }
    if (set->chain <= target->chain) {
        set->chain = target->chain + 1;
    }
    return resolve_has_room(set, doc_place(reference)) ? target : NULL;
}

const struct model_leaf *resolve_leaf_find(struct model_set *set, const struct model_object *object,
                                           struct text path, const struct doc *reference)
{
    const struct model_leaf *found = map_find(&object->leaf_by_path, path);
    struct suggest suggest = suggest_start(path);
    struct err *err;

    if (found != NULL) {
        return found;
    }
    for (size_t i = 0; is_resolve_shown(set) && i < object->leaf_count; i++) {
        struct text other = object->leaves[i].path;

        if (text_has_prefix(other, path) && other.length > path.length &&
            other.data[path.length] == '/') {
            err =
                err_list_set(set->errors, doc_place(reference), CODE_R0333,
                             "group '%.*s' of %s '%.*s' has sub-groups and no machines of its own",
                             TEXT_ARG(path), object->kind->singular, TEXT_ARG(object->name));
            err_hint(err, "name one of its sub-groups: '%.*s/%.*s'", TEXT_ARG(object->name),
                     TEXT_ARG(other));
            return NULL;
        }
    }
    for (size_t i = 0; is_resolve_shown(set) && i < object->leaf_count; i++) {
        suggest_offer(&suggest, object->leaves[i].path);
    }
    err =
        err_list_set(set->errors, doc_place(reference), CODE_R0333, "%s '%.*s' has no group '%.*s'",
                     object->kind->singular, TEXT_ARG(object->name), TEXT_ARG(path));
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s/%.*s'?", TEXT_ARG(object->name),
                 TEXT_ARG(suggest_best(&suggest)));
    }
    return NULL;
}

static struct text place_key(struct arena *arena, struct place place)
{
    return arena_printf(arena, "%u:%u:%u", place.source, place.line, place.column);
}

static struct resolve_source source_of_cluster(struct model_set *set, const struct doc *from)
{
    const struct doc *template = doc_child(from, "template");
    const struct doc *reference = template == NULL ? doc_child(from, "cluster") : template;
    struct model_object *target;

    if (!doc_is_scalar(reference) || doc_is_null(reference)) {
        return (struct resolve_source){ 0 };
    }
    target = resolve_target_find(set, template == NULL ? "Cluster" : "ClusterTemplate",
                                 reference->text, reference);
    if (target == NULL) {
        return (struct resolve_source){ 0 };
    }
    return (struct resolve_source){
        .layer = layer_copy(set, &target->merged, template == NULL ? ORIGIN_CLONE : ORIGIN_TEMPLATE,
                            arena_printf(set->arena, "%s/%.*s", template == NULL ? "cluster" : "ct",
                                         TEXT_ARG(target->name)),
                            doc_place(from)),
        .fixed = target->fixed,
        .object = template == NULL ? NULL : target,
    };
}

/* Return the effective values of a group of a cluster or cluster template. Members are slots of
 * that group and are not copied. */
struct resolve_source resolve_leaf(struct model_set *set, const struct model_object *object,
                                   const struct model_leaf *leaf, const struct doc *from,
                                   const struct doc *reference)
{
    bool is_clone = object->kind->owner == OWNER_CLUSTER;
    struct doc_builder builder;
    struct doc no_members;

    doc_builder_init(&builder, set->arena);
    doc_builder_put(&builder, "members", doc_plain(TEXT("null"), NULL));
    no_members = doc_builder_map(&builder, &leaf->doc);
    no_members = merge_layers(set->arena, MERGE_PLAIN, &leaf->doc, &no_members);
    no_members = merge_prune(set->arena, MERGE_LEAF, &no_members);
    return (struct resolve_source){
        .layer = layer_copy(
            set, &no_members, is_clone ? ORIGIN_CLONE : ORIGIN_TEMPLATE,
            arena_printf(set->arena, "%s/%.*s", is_clone ? "ng" : "ngt", TEXT_ARG(reference->text)),
            doc_place(from)),
        .fixed = fixed_of_group(set, &object->fixed, leaf->path),
    };
}

/* Find the source OBJECT/PATH, a leaf of another object. */
static struct resolve_source source_of_leaf(struct model_set *set, const char *kind,
                                            const struct doc *from, const struct doc *reference)
{
    size_t slash = text_find_byte(reference->text, '/');
    struct text owner = text_slice(reference->text, 0, slash);
    struct text path = text_slice(reference->text, slash + 1, reference->text.length);
    struct model_object *target = resolve_target_find(set, kind, owner, reference);
    const struct model_leaf *leaf =
        target == NULL ? NULL : resolve_leaf_find(set, target, path, reference);

    if (leaf == NULL) {
        return (struct resolve_source){ 0 };
    }
    return resolve_leaf(set, target, leaf, from, reference);
}

static struct resolve_source source_of_group(struct model_set *set, const struct doc *from)
{
    const struct doc *template = doc_child(from, "nodegrouptemplate");
    const struct doc *reference = template == NULL ? doc_child(from, "nodegroup") : template;
    struct model_object *target;

    if (!doc_is_scalar(reference) || doc_is_null(reference)) {
        return (struct resolve_source){ 0 };
    }
    if (template == NULL) {
        return source_of_leaf(set, "Cluster", from, reference);
    }
    if (text_find_byte(reference->text, '/') != SIZE_MAX) {
        return source_of_leaf(set, "ClusterTemplate", from, reference);
    }
    target = resolve_target_find(set, "NodeGroupTemplate", reference->text, reference);
    if (target == NULL) {
        return (struct resolve_source){ 0 };
    }
    return (struct resolve_source){
        .layer = layer_copy(set, &target->merged, ORIGIN_TEMPLATE,
                            arena_printf(set->arena, "ngt/%.*s", TEXT_ARG(target->name)),
                            doc_place(from)),
        .fixed = target->fixed,
    };
}

void resolve_note_unfound(struct model_set *set, const struct doc *from)
{
    map_put(&set->unfound, place_key(set->arena, doc_place(from)), set);
}

bool resolve_is_unfound(const struct model_set *set, const struct doc *from)
{
    return doc_is_map(from) &&
           map_find(&set->unfound, place_key(set->arena, doc_place(from))) != NULL;
}

/* ---- groups with a `from:` of their own ---- */

static struct doc resolve_sources_make(struct model_set *set, const struct model_object *object,
                                       const struct doc *groups, struct text outer);

bool resolve_is_made(const struct model_object *object, struct text path)
{
    return object->made != NULL && set_has(&object->made->groups, path);
}

static struct doc group_source_make(struct model_set *set, const struct model_object *object,
                                    const struct doc *group, struct text path)
{
    const struct doc *from = doc_child(group, "from");
    struct doc below = resolve_sources_make(set, object, doc_child(group, "groups"), path);
    struct doc_builder builder;

    if (resolve_is_made(object, path) || siblings_is_one(object, from)) {
        /* The layer of this group is already merged, or is merged when the object has leaves. */
        return (struct doc){ 0 };
    }
    if (doc_is_map(from)) {
        struct resolve_source source = source_of_group(set, from);
        struct doc merged = merge_layers(set->arena, MERGE_LEAF, &source.layer, group);

        if (!doc_is_present(&source.layer)) {
            resolve_note_unfound(set, from);
        }
        fixed_check(set, &(struct fixed_case){ .paths = &source.fixed,
                                               .from = &source.layer,
                                               .own = group,
                                               .merged = &merged,
                                               .place = doc_place(from) });
        return source.layer;
    }
    if (!doc_is_present(&below)) {
        return below;
    }
    doc_builder_init(&builder, set->arena);
    doc_builder_put(&builder, "groups", below);
    return doc_builder_map(&builder, group);
}

/* Return the mapping of the groups that have a `from:`, or a sub-group with one; may be absent. */
static struct doc resolve_sources_make(struct model_set *set, const struct model_object *object,
                                       const struct doc *groups, struct text outer)
{
    struct doc_builder builder;

    doc_builder_init(&builder, set->arena);
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        struct doc_entry entry = groups->entries[i];
        struct text path = outer.length == 0 ? entry.key
                                             : arena_printf(set->arena, "%.*s/%.*s",
                                                            TEXT_ARG(outer), TEXT_ARG(entry.key));

        entry.value = group_source_make(set, object, &groups->entries[i].value, path);
        if (doc_is_present(&entry.value)) {
            doc_builder_add(&builder, &entry);
        }
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, groups);
}

/* ---- objects ---- */

/* Return the fixed paths of an object made from a template: its own and the template's. */
static struct doc fixed_join(struct model_set *set, const struct doc *own,
                             const struct doc *inherited)
{
    struct doc *items;
    size_t count = 0;

    if (!doc_is_list(own) || !doc_is_list(inherited)) {
        return doc_is_list(own) ? *own : doc_is_list(inherited) ? *inherited : (struct doc){ 0 };
    }
    items = arena_array(set->arena, struct doc, own->item_count + inherited->item_count);
    for (size_t i = 0; i < inherited->item_count; i++) {
        items[count++] = inherited->items[i];
    }
    for (size_t i = 0; i < own->item_count; i++) {
        items[count++] = own->items[i];
    }
    return doc_list(items, count, own);
}

static bool is_cluster_like(const struct model_object *object)
{
    return object->kind->owner == OWNER_CLUSTER || object->kind->owner == OWNER_CLUSTER_TEMPLATE;
}

/* Find the source of the object's own `from`, and merge the sources of its groups over it. */
static struct resolve_source resolve_layers_make(struct model_set *set, struct model_object *object)
{
    const struct doc *from = doc_child(&object->own, "from");
    bool is_made = object->made != NULL && !object->made->is_new;
    struct resolve_source source = { 0 };
    struct doc groups;

    if (!is_made && doc_is_map(from)) {
        source =
            is_cluster_like(object) ? source_of_cluster(set, from) : source_of_group(set, from);
    }
    object->from = source.layer;
    object->layers = source.layer;
    if (object->made != NULL) {
        object->layers =
            merge_layers(set->arena, is_cluster_like(object) ? MERGE_CLUSTER : MERGE_LEAF,
                         &source.layer, &object->made->layers);
    }
    if (!is_cluster_like(object)) {
        return source;
    }
    groups = resolve_sources_make(set, object, doc_child(&object->own, "groups"), TEXT(""));
    if (doc_is_present(&groups)) {
        struct doc sources = doc_map(NULL, 0, &object->own);

        sources = nest_put(set->arena, &sources, "groups", groups);
        object->layers = merge_layers(set->arena, MERGE_CLUSTER, &object->layers, &sources);
    }
    object->layers = siblings_lay(set, object, &object->layers);
    return source;
}

void resolve_object(struct model_set *set, struct model_object *object)
{
    const struct doc *fixed = doc_child(&object->own, "fixed");
    unsigned outer_chain = set->chain;
    struct resolve_source source;

    if (object->state != MODEL_NEW) {
        return;
    }
    /* A NodeGroup document was moved into its cluster. */
    if (object->kind->owner == OWNER_NODEGROUP) {
        object->state = MODEL_RESOLVED;
        return;
    }
    object->state = MODEL_RESOLVING;
    set->chain = 0;
    source = resolve_layers_make(set, object);
    object->fixed = fixed_join(set, fixed, &source.fixed);
    fixed_paths_check(set, fixed, object->kind->owner);
    object->merged = merge_layers(set->arena, is_cluster_like(object) ? MERGE_CLUSTER : MERGE_LEAF,
                                  &object->layers, &object->own);
    if (is_cluster_like(object)) {
        leaves_make(set, object);
    }
    if (doc_is_present(&source.layer)) {
        fixed_check(set,
                    &(struct fixed_case){ .paths = &source.fixed,
                                          .from = &source.layer,
                                          .own = &object->own,
                                          .merged = &object->merged,
                                          .object = is_cluster_like(object) ? object : NULL,
                                          .template = source.object,
                                          .place = doc_place(doc_child(&object->own, "from")) });
    }
    object->chain = set->chain;
    set->chain = outer_chain;
    object->state = MODEL_RESOLVED;
}

/* Errors in merged trees have only a position. This function visits the documents once and finds
 * the JSON Pointer into the original document for each position. */

struct pointing {
    struct err_list *errors;
    size_t open; /* faults without a pointer */
};

static bool is_point_wanted(const struct err *err)
{
    return err->path[0] == '\0' && place_is_known(err->place);
}

/* Set the path of the faults at this position to the path of `step`. */
static void place_match(struct pointing *pointing, struct place place,
                        const struct shape_step *step)
{
    for (size_t i = 0; place_is_known(place) && i < pointing->errors->count; i++) {
        struct err *err = &pointing->errors->items[i];

        if (err->place.line == place.line && is_point_wanted(err) &&
            place_compare(err->place, place) == 0) {
            shape_path(err, step);
            pointing->open--;
        }
    }
}

static void doc_walk(struct pointing *pointing, const struct doc *doc,
                     const struct shape_step *step)
{
    assert(doc != NULL);
    if (pointing->open == 0) {
        return;
    }
    if (step != NULL) {
        place_match(pointing, doc_place(doc), step);
    }
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        doc_walk(pointing, &doc->items[i], &(struct shape_step){ .outer = step, .index = i });
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        struct shape_step below = { .outer = step, .key = doc->entries[i].key };

        place_match(pointing, doc_key_place(&doc->entries[i]), &below);
        doc_walk(pointing, &doc->entries[i].value, &below);
    }
}

void model_point(struct err_list *errors, const struct doc *document)
{
    struct pointing pointing = { .errors = errors };

    for (size_t i = 0; i < errors->count; i++) {
        pointing.open += is_point_wanted(&errors->items[i]);
    }
    doc_walk(&pointing, document, NULL);
}

void point_errors(struct model_set *set)
{
    for (size_t i = 0; set->errors->count > 0 && i < set->count; i++) {
        if (set->objects[i].document != NULL) {
            model_point(set->errors, set->objects[i].document);
        }
    }
}
