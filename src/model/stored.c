#include "model/stored.h"

#include "base/sort.h"
#include "codec/json.h"
#include "model/merge.h"
#include "model/nest.h"

#include <assert.h>
#include <string.h>

#define WANTED_SINCE "wantedSince"

static bool has_stored_groups(const struct schema_kind *kind)
{
    return kind->owner == OWNER_CLUSTER;
}

static enum merge_rule stored_rule_of(const struct schema_kind *kind)
{
    return kind->owner == OWNER_CLUSTER || kind->owner == OWNER_CLUSTER_TEMPLATE ? MERGE_CLUSTER
                                                                                 : MERGE_LEAF;
}

/* Return a copy of the document; an absent document for NULL and for null. */
static struct doc doc_or_none(const struct doc *doc)
{
    return doc == NULL || doc_is_null(doc) ? (struct doc){ 0 } : *doc;
}

/* Do the reverse of doc_or_none(): in a record, null represents an absent document. */
static struct doc doc_or_null(const struct doc *doc)
{
    return doc_is_present(doc) ? *doc : doc_plain(TEXT("null"), NULL);
}

static bool is_stored_same(const struct doc *a, const struct doc *b)
{
    return doc_is_present(a) == doc_is_present(b) && (!doc_is_present(a) || doc_is_equal(a, b));
}

/* ---- join ---- */

static const struct doc *side_of(const struct stored_part *part, enum stored_side side)
{
    switch (side) {
    case STORED_OWN:
        return &part->own;
    case STORED_LAYERS:
        return &part->layers;
    case STORED_APPLIED:
        return &part->applied;
    case STORED_SPEC:
        break;
    }
    return &part->spec;
}

struct doc stored_join(struct arena *arena, const struct stored_object *object,
                       enum stored_side side)
{
    const struct doc *whole = side_of(&object->part, side);
    struct nest_item *items = arena_array(arena, struct nest_item, object->group_count);
    struct doc groups;
    size_t count = 0;

    for (size_t i = 0; i < object->group_count; i++) {
        const struct doc *value = side_of(&object->groups[i].part, side);

        if (doc_is_present(value)) {
            items[count++] = (struct nest_item){ .path = object->groups[i].path, .value = *value };
        }
    }
    if (count == 0) {
        return *whole;
    }
    groups = nest_build(arena, items, count, NULL);
    groups = doc_is_map(doc_child(whole, "groups"))
                 ? merge_layers(arena, MERGE_PLAIN, doc_child(whole, "groups"), &groups)
                 : groups;
    if (!doc_is_map(whole)) {
        struct doc empty = doc_map(NULL, 0, NULL);

        return nest_put(arena, &empty, "groups", groups);
    }
    return nest_put(arena, whole, "groups", groups);
}

/* Add every path below a mapping of groups. A template is one record that includes its groups. */
static void paths_add(struct arena *arena, struct set *out, const struct doc *groups,
                      struct text outer)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        struct text key = groups->entries[i].key;
        struct text path = outer.length == 0
                               ? key
                               : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(outer), TEXT_ARG(key));

        set_add(out, path);
        paths_add(arena, out, doc_child(&groups->entries[i].value, "groups"), path);
    }
}

struct model_made *stored_made(struct arena *arena, const struct stored_object *object)
{
    struct model_made *made = arena_one(arena, struct model_made);

    made->layers = stored_join(arena, object, STORED_LAYERS);
    set_init(&made->groups, arena);
    for (size_t i = 0; i < object->group_count; i++) {
        set_add(&made->groups, object->groups[i].path);
    }
    paths_add(arena, &made->groups, doc_child(&object->part.own, "groups"), TEXT(""));
    return made;
}

/* ---- split ---- */

static int stored_path_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Return the paths of an object's leaves in order of nest_compare. */
static struct text *stored_paths_make(struct arena *arena, const struct model_object *object)
{
    struct text *paths = arena_array(arena, struct text, object->leaf_count);

    for (size_t i = 0; i < object->leaf_count; i++) {
        paths[i] = object->leaves[i].path;
    }
    sort_stable(arena, paths, object->leaf_count, sizeof(*paths), stored_path_sort, NULL);
    return paths;
}

/* Return the part of a document that is left when its leaf groups are stored as separate records.
 * The id and the name are stored in the metadata. */
static struct doc rest_make(struct arena *arena, const struct doc *doc, const struct text *paths,
                            size_t count)
{
    struct doc groups;
    struct doc rest;

    if (!doc_is_map(doc)) {
        return (struct doc){ 0 };
    }
    rest = *doc;
    /* A null drops the groups of the layers, so it is kept. */
    if (!doc_is_null(doc_child(doc, "groups"))) {
        groups = nest_without(arena, doc_child(doc, "groups"), paths, count);
        rest = nest_put(arena, doc, "groups", groups);
    }
    rest = nest_put(arena, &rest, "id", (struct doc){ 0 });
    return nest_put(arena, &rest, "name", (struct doc){ 0 });
}

static struct doc shown_make(struct arena *arena, enum merge_rule rule, const struct doc *layers,
                             const struct doc *own)
{
    struct doc merged = merge_layers(arena, rule, layers, own);

    merged = merge_prune(arena, rule, &merged);
    return doc_is_present(&merged) ? merged : doc_map(NULL, 0, NULL);
}

static struct stored_part group_split(struct arena *arena, const struct model_object *object,
                                      const struct doc *applied, struct text path)
{
    struct stored_part part = { 0 };

    part.own = doc_or_none(nest_find(doc_child(&object->own, "groups"), path));
    part.layers = doc_or_none(nest_find(doc_child(&object->layers, "groups"), path));
    part.applied = doc_or_none(nest_find(doc_child(applied, "groups"), path));
    part.spec = shown_make(arena, MERGE_LEAF, &part.layers, &part.own);
    return part;
}

struct stored_object stored_split(struct arena *arena, const struct model_object *object,
                                  const struct doc *applied)
{
    struct stored_object split = { .kind = object->kind };
    struct stored_part *part = &split.part;
    const struct doc *file = applied == NULL ? &object->own : applied;
    size_t count = has_stored_groups(object->kind) ? object->leaf_count : 0;
    struct text *paths = stored_paths_make(arena, object);

    part->own = rest_make(arena, &object->own, paths, count);
    part->layers = rest_make(arena, &object->layers, paths, count);
    part->applied = rest_make(arena, file, paths, count);
    if (part->layers.entry_count == 0) {
        part->layers = (struct doc){ 0 };
    }
    part->fixed = object->fixed;
    part->spec = shown_make(arena, stored_rule_of(object->kind), &part->layers, &part->own);
    if (has_stored_groups(object->kind)) { /* groups that were dropped are absent */
        part->spec = nest_put(arena, &part->spec, "groups", (struct doc){ 0 });
    }
    split.groups = arena_array(arena, struct stored_group, count);
    split.group_count = count;
    for (size_t i = 0; i < count; i++) {
        split.groups[i].path = paths[i];
        split.groups[i].part = group_split(arena, object, file, paths[i]);
    }
    return split;
}

struct stored_group *stored_group_find(const struct stored_object *object, struct text path)
{
    size_t low = 0;
    size_t high = object->group_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = nest_compare(object->groups[middle].path, path);

        if (order == 0) {
            return &object->groups[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ---- authors of changes ---- */

struct marking {
    struct arena *arena;
    struct doc_builder marks;
    const struct stored_part *old;
    struct doc mark; /* {at, by} of the present change */
};

/* Follow a path of keys joined by dots, as stored_marks_find() made it. */
static const struct doc *value_at(const struct doc *doc, const struct text *keys, size_t count)
{
    for (size_t i = 0; doc != NULL && i < count; i++) {
        doc = doc_find(doc, keys[i]);
    }
    return doc;
}

static struct text keys_join(struct arena *arena, const struct text *keys, size_t count)
{
    struct buf buf;

    assert(count > 0);
    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        buf_add(&buf, i == 0 ? TEXT("") : TEXT("."));
        buf_add(&buf, keys[i]);
    }
    return buf_text(&buf);
}

static void stored_mark_add(struct marking *marking, const struct text *keys, size_t count,
                            const struct doc *now)
{
    struct text path = keys_join(marking->arena, keys, count);
    const struct doc *old_mark = marking->old == NULL ? NULL : doc_find(&marking->old->live, path);
    const struct doc *old_value =
        marking->old == NULL ? NULL : value_at(&marking->old->own, keys, count);
    bool is_old = old_mark != NULL && (now == NULL) == (old_value == NULL) &&
                  (now == NULL || doc_is_equal(now, old_value));

    doc_builder_add(
        &marking->marks,
        &(struct doc_entry){ .key = path, .value = is_old ? *old_mark : marking->mark });
}

static void stored_marks_find(struct marking *marking, const struct doc *file,
                              const struct doc *own, struct text *keys, size_t depth)
{
    size_t i = 0;
    size_t j = 0;
    size_t file_count = doc_is_map(file) ? file->entry_count : 0;
    size_t own_count = doc_is_map(own) ? own->entry_count : 0;

    assert(depth < LIMIT_DOCUMENT_DEPTH);
    while (i < file_count || j < own_count) {
        int order = i == file_count  ? 1
                    : j == own_count ? -1
                                     : text_compare(file->entries[i].key, own->entries[j].key);
        const struct doc_entry *was = order <= 0 ? &file->entries[i++] : NULL;
        const struct doc_entry *is = order >= 0 ? &own->entries[j++] : NULL;

        keys[depth] = was == NULL ? is->key : was->key;
        if (was != NULL && is != NULL && doc_is_shared(&was->value, &is->value)) {
            continue;
        }
        if (was != NULL && is != NULL && doc_is_map(&was->value) && doc_is_map(&is->value)) {
            stored_marks_find(marking, &was->value, &is->value, keys, depth + 1);
        } else if (was == NULL || is == NULL || !doc_is_equal(&was->value, &is->value)) {
            stored_mark_add(marking, keys, depth + 1, is == NULL ? NULL : &is->value);
        }
    }
}

void stored_live_mark(struct arena *arena, struct stored_part *part, const struct stored_part *old,
                      struct text by, struct text at)
{
    struct marking marking = { .arena = arena, .old = old };
    struct text keys[LIMIT_DOCUMENT_DEPTH];
    struct doc_builder mark;

    part->live = (struct doc){ 0 };
    if (!doc_is_present(&part->applied)) {
        /* No file contains this value, so other requests changed all of it. */
        return;
    }
    doc_builder_init(&mark, arena);
    doc_builder_put(&mark, "at", doc_text(at, NULL));
    doc_builder_put(&mark, "by", doc_text(by, NULL));
    marking.mark = doc_builder_map(&mark, NULL);
    doc_builder_init(&marking.marks, arena);
    stored_marks_find(&marking, &part->applied, &part->own, keys, 0);
    if (marking.marks.count > 0) {
        part->live = doc_builder_map(&marking.marks, NULL);
    }
}

/* ---- values ---- */

static void meta_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

void stored_spec_format(struct buf *buf, const struct schema_kind *kind,
                        const struct stored_part *part)
{
    const struct doc *labels = doc_child(&part->spec, "labels");
    struct doc_builder meta;
    struct doc_builder value;
    struct doc doc;

    doc_builder_init(&meta, buf->arena);
    meta_put(&meta, "by", part->meta.by);
    meta_put(&meta, "cluster", part->meta.cluster);
    meta_put(&meta, "created", part->meta.created);
    if (part->meta.generation > 0) {
        doc_builder_put(&meta, "generation",
                        doc_int(buf->arena, (int64_t)part->meta.generation, NULL));
    }
    if (part->meta.has_totals) {
        doc_builder_put(&meta, "groups", doc_int(buf->arena, (int64_t)part->meta.groups, NULL));
    }
    meta_put(&meta, "id", part->meta.id);
    if (doc_is_map(labels)) {
        doc_builder_put(&meta, "labels", *labels);
    }
    meta_put(&meta, "name", part->meta.name);
    if (part->meta.has_totals) {
        doc_builder_put(&meta, "nodes", doc_int(buf->arena, (int64_t)part->meta.nodes, NULL));
    }
    meta_put(&meta, "tenant", part->meta.tenant);
    meta_put(&meta, "updated", part->meta.updated);
    if (part->meta.wanted_since > 0) {
        doc_builder_put(&meta, WANTED_SINCE,
                        doc_int(buf->arena, (int64_t)part->meta.wanted_since, NULL));
    }
    meta_put(&meta, "why", part->meta.why);
    doc_builder_init(&value, buf->arena);
    doc_builder_put(&value, "kind", doc_text(text_from(kind->name), NULL));
    doc_builder_put(&value, "metadata", doc_builder_map(&meta, NULL));
    doc_builder_put(&value, "spec", part->spec);
    doc = doc_builder_map(&value, NULL);
    json_format(buf, &doc);
}

struct doc stored_base_make(struct arena *arena, const struct stored_part *part)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (!is_stored_same(&part->applied, &part->own)) {
        doc_builder_put(&builder, "applied", doc_or_null(&part->applied));
    }
    if (doc_is_present(&part->fixed) &&
        !is_stored_same(&part->fixed, doc_child(&part->spec, "fixed"))) {
        doc_builder_put(&builder, "fixed", part->fixed);
    }
    if (doc_is_present(&part->layers)) {
        doc_builder_put(&builder, "layers", layers_format(arena, &part->layers));
    }
    if (doc_is_present(&part->live)) {
        doc_builder_put(&builder, "live", part->live);
    }
    if (!is_stored_same(&part->own, &part->spec)) {
        doc_builder_put(&builder, "own", doc_or_null(&part->own));
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, NULL);
}

static struct text meta_text(const struct doc *meta, const char *key)
{
    const struct doc *value = doc_child(meta, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static bool meta_number(const struct doc *meta, const char *key, uint64_t *out)
{
    const struct doc *value = doc_child(meta, key);
    int64_t number;

    if (!doc_is_scalar(value) || !text_parse_int64(value->text, &number) || number < 0) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

static struct stored_meta stored_meta_read(const struct doc *meta)
{
    struct stored_meta out = {
        .id = meta_text(meta, "id"),
        .name = meta_text(meta, "name"),
        .cluster = meta_text(meta, "cluster"),
        .tenant = meta_text(meta, "tenant"),
        .created = meta_text(meta, "created"),
        .updated = meta_text(meta, "updated"),
        .by = meta_text(meta, "by"),
        .why = meta_text(meta, "why"),
    };

    (void)!meta_number(meta, "generation", &out.generation);
    (void)!meta_number(meta, WANTED_SINCE, &out.wanted_since);
    out.has_totals =
        meta_number(meta, "groups", &out.groups) && meta_number(meta, "nodes", &out.nodes);
    return out;
}

uint64_t stored_wanted_since(struct arena *arena, struct text text, uint64_t revision)
{
    uint64_t since = 0;
    struct doc value;
    struct err err;

    if (memmem(text.data, text.length, "\"" WANTED_SINCE "\":", strlen(WANTED_SINCE) + 3) == NULL ||
        !json_parse(arena, arena_text(arena, text), NULL, &value, &err) ||
        !meta_number(doc_child(&value, "metadata"), WANTED_SINCE, &since) || since == 0) {
        return revision;
    }
    /* A larger value was copied from another store, and is ignored. */
    return since < revision ? since : revision;
}

/* Return a tree that shares each direct branch that is equal in another tree. A record contains
 * most values twice, below spec and below base, so sharing makes later comparisons cheap. */
static struct doc branches_share(struct arena *arena, const struct doc *doc,
                                 const struct doc *other)
{
    struct doc_builder builder;

    if (!doc_is_map(doc) || !doc_is_map(other) || doc_is_shared(doc, other)) {
        return *doc;
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct doc_entry entry = doc->entries[i];
        const struct doc *same = doc_find(other, entry.key);

        if (same != NULL && doc_is_container(&entry.value) && doc_is_equal(&entry.value, same)) {
            entry.value = *same;
        }
        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, doc);
}

bool stored_part_parse(struct arena *arena, struct text spec, struct text base,
                       const struct origin *origin, struct stored_part *out, struct err *err)
{
    struct doc value = { 0 };
    struct doc rest = { 0 };
    struct stored_part part = { 0 };

    if (!json_parse_record(arena, spec, origin, &value, err) ||
        (base.length > 0 && !json_parse_record(arena, base, origin, &rest, err)) ||
        !doc_is_map(doc_child(&value, "metadata")) || !doc_is_map(doc_child(&value, "spec"))) {
        return err_set(err, CODE_R0541, "a stored object cannot be understood");
    }
    part.meta = stored_meta_read(doc_child(&value, "metadata"));
    part.spec = *doc_child(&value, "spec");
    part.own = doc_child(&rest, "own") == NULL ? part.spec : doc_or_none(doc_child(&rest, "own"));
    part.applied =
        doc_child(&rest, "applied") == NULL ? part.own : doc_or_none(doc_child(&rest, "applied"));
    part.applied = branches_share(arena, &part.applied, &part.own);
    part.fixed = doc_or_none(doc_child(&rest, "fixed") == NULL ? doc_child(&part.spec, "fixed")
                                                               : doc_child(&rest, "fixed"));
    part.live = doc_or_none(doc_child(&rest, "live"));
    part.layers = layers_parse(arena, doc_child(&rest, "layers"));
    *out = part;
    return true;
}
