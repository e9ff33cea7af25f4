#include "model/set.h"

#include "base/limits.h"
#include "model/resolve.h"

#include <assert.h>
#include <string.h>

void model_set_init(struct model_set *set, struct arena *arena, struct err_list *errors)
{
    assert(arena != NULL && errors != NULL);
    *set = (struct model_set){ .arena = arena, .errors = errors };
    map_init(&set->by_name, arena);
    map_init(&set->unfound, arena);
}

struct model_object *model_set_find(const struct model_set *set, const char *kind, struct text name)
{
    char key[512];
    size_t kind_length = strlen(kind);

    if (kind_length + 1 + name.length > sizeof(key)) {
        return NULL;
    }
    memcpy(key, kind, kind_length);
    key[kind_length] = '/';
    if (name.length > 0) {
        memcpy(key + kind_length + 1, name.data, name.length);
    }
    return map_find(&set->by_name, (struct text){ key, kind_length + 1 + name.length });
}

/* True if there is a name: not absent, null or empty. */
static bool is_set_name(const struct doc *name)
{
    return doc_is_scalar(name) && !doc_is_null(name) && name->text.length > 0;
}

struct model_object *model_set_find_id(const struct model_set *set,
                                       const struct model_object *object)
{
    const struct doc *id = doc_child(&object->own, "id");

    return object->kind->owner == OWNER_CLUSTER && is_set_name(id)
               ? model_set_find(set, "id", id->text)
               : NULL;
}

/* Read the object's name, by which others refer to it, and its position. */
static void name_read(struct model_set *set, struct model_object *object)
{
    const struct doc *name = doc_child(&object->own, "name");
    const struct doc *cluster = doc_child(&object->own, "cluster");

    object->name = TEXT("");
    if (!is_set_name(name)) {
        return;
    }
    object->place = doc_place(name);
    object->name = name->text;
    if (object->kind->owner == OWNER_NODEGROUP) {
        object->name = is_set_name(cluster)
                           ? arena_printf(set->arena, "%.*s/%.*s", TEXT_ARG(cluster->text),
                                          TEXT_ARG(name->text))
                           : TEXT("");
    }
}

/* Index an object under a name. A second object with the name gets a fault. */
static bool name_enter(struct model_set *set, struct text key, struct model_object *object)
{
    struct model_object *other = map_find(&set->by_name, key);
    struct model_object *first = other;
    struct model_object *second = object;
    struct err *err;

    if (other == NULL) {
        map_put(&set->by_name, key, object);
        return true;
    }
    if (place_compare(object->place, other->place) < 0) {
        first = object;
        second = other;
    }
    if (text_is_equal(first->name, second->name)) {
        err = err_list_set(set->errors, second->place, CODE_R0332,
                           "%s '%.*s' is described twice in these files", object->kind->singular,
                           TEXT_ARG(object->name));
        err_note(err, "first described here");
        err_hint(err, "keep one of them; to merge one file over another use --overlay");
    } else {
        err = err_list_set(set->errors, doc_place(doc_child(&second->own, "id")), CODE_R0332,
                           "%ss '%.*s' and '%.*s' have the same id", object->kind->singular,
                           TEXT_ARG(first->name), TEXT_ARG(second->name));
        err_note(err, "the other one is here");
        err_hint(err, "an id identifies one object permanently; leave it out to get a new one");
    }
    err->note_place = first->place;
    return false;
}

/* Add an object. Objects move while documents are added, so do not keep a pointer to one before
 * index_make(). */
static struct model_object *object_new(struct model_set *set)
{
    if (set->count == set->room) {
        size_t room = set->room == 0 ? 4 : set->room * 2;

        set->objects = arena_grow(set->arena, set->objects, set->room * sizeof(*set->objects),
                                  room * sizeof(*set->objects));
        set->room = room;
    }
    return &set->objects[set->count++];
}

void model_set_add(struct model_set *set, const struct doc *document)
{
    struct shape_object shape = shape_read(set->arena, document, set->current, set->errors);
    struct model_object *object;

    if (shape.kind == NULL) {
        return;
    }
    object = object_new(set);
    *object = (struct model_object){
        .document = document,
        .kind = shape.kind,
        .place = shape.place,
        .revision = shape.revision,
        .own = shape.doc,
    };
    name_read(set, object);
}

struct model_object *model_set_add_stored(struct model_set *set, const struct schema_kind *kind,
                                          const struct doc *own, const struct model_made *made,
                                          bool is_known)
{
    struct model_object *object = object_new(set);

    assert(kind != NULL && doc_is_map(own));
    *object = (struct model_object){
        .kind = kind,
        .place = doc_place(own),
        .own = *own,
        .made = made,
        .is_known = is_known,
    };
    name_read(set, object);
    return object;
}

/* Index the objects by name, when all objects have their final address. */
static void index_make(struct model_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct model_object *object = &set->objects[i];
        const struct doc *id = doc_child(&object->own, "id");

        if (object->name.length > 0 &&
            !name_enter(
                set,
                arena_printf(set->arena, "%s/%.*s", object->kind->name, TEXT_ARG(object->name)),
                object)) {
            /* The duplicate is reported, and other documents refer to the first object. */
            object->state = MODEL_RESOLVED;
        } else if (is_set_name(id) && object->kind->owner == OWNER_CLUSTER) {
            name_enter(set, arena_printf(set->arena, "id/%.*s", TEXT_ARG(id->text)), object);
        }
    }
}

void model_set_index(struct model_set *set)
{
    assert(!set->is_indexed);
    index_make(set);
    node_groups_attach(set);
    set->is_indexed = true;
}

void model_set_resolve_current(struct model_set *set)
{
    if (!set->is_indexed) {
        model_set_index(set);
    }
    for (size_t i = 0; i < set->count; i++) {
        resolve_object(set, &set->objects[i]);
    }
}

void model_set_resolve(struct model_set *set)
{
    model_set_resolve_current(set);
    for (size_t i = 0; i < set->count; i++) {
        if (set->objects[i].state == MODEL_RESOLVED && !set->objects[i].is_known &&
            (doc_is_present(&set->objects[i].merged) ||
             set->objects[i].kind->owner == OWNER_NODEGROUP)) {
            complete_check(set, &set->objects[i]);
        }
    }
    point_errors(set);
}

struct text model_origin_format(struct arena *arena, const struct origin *origin)
{
    static const char *const words[ORIGIN_KIND_COUNT] = {
        [ORIGIN_FILE] = "cluster",
        [ORIGIN_DEFAULT] = "default",
        [ORIGIN_TEMPLATE] = "template",
        [ORIGIN_CLONE] = "clone",
        [ORIGIN_DEFAULTS] = "defaults",
        [ORIGIN_GROUP] = "group",
        [ORIGIN_ALTERNATIVE] = "alternative",
        [ORIGIN_MEMBER] = "member",
        [ORIGIN_LIVE] = "live",
    };

    if (origin == NULL) {
        return TEXT("reeve");
    }
    assert(origin->kind < ORIGIN_KIND_COUNT);
    if (origin->name.length == 0) {
        return text_from(words[origin->kind]);
    }
    if (origin->revision == 0) {
        return arena_printf(arena, "%s %.*s", words[origin->kind], TEXT_ARG(origin->name));
    }
    return arena_printf(arena, "%s %.*s@%llu", words[origin->kind], TEXT_ARG(origin->name),
                        (unsigned long long)origin->revision);
}

void model_blame(struct err *err, const struct doc *value)
{
    const struct origin *origin = value->origin;

    if (origin == NULL || !place_is_known(origin->at)) {
        err_place(err, doc_place(value));
        return;
    }
    err_place(err, origin->at);
    if (err->note[0] == '\0') {
        err_note(err, "the value comes from %.*s", TEXT_ARG(origin->name));
        err->note_place = doc_place(value);
    }
}

struct place model_place(const struct doc_entry *entry)
{
    const struct origin *origin = entry->value.origin;

    return origin != NULL && place_is_known(origin->at) ? origin->at : doc_key_place(entry);
}

struct doc model_default_find(enum schema_owner owner, struct text field)
{
    static const struct origin origin = { .kind = ORIGIN_DEFAULT };
    static const struct doc like = { .origin = &origin };
    const struct schema_field *found = schema_field_find(owner, field);
    struct text spelling;

    if (found == NULL || found->default_text[0] == '\0') {
        return (struct doc){ 0 };
    }
    spelling = text_from(found->default_text);
    if (found->type.kind == TYPE_INT || found->type.kind == TYPE_BOOL ||
        (found->type.kind == TYPE_SHARE && !text_has_suffix(spelling, TEXT("%")))) {
        return doc_plain(spelling, &like);
    }
    return doc_text(spelling, &like);
}
