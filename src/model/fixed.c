#include "base/suggest.h"
#include "model/resolve.h"

#include <assert.h>
#include <string.h>

/* Checks the list `fixed` of a template: paths whose names are separated by dots, as in
 * defaults.network.cidr. A path may also name a group by its own path, as in
 * groups.outer/inner.image. A fixed field of `defaults` may not be set on a single group either,
 * because that would bypass the fixed value. */

/* Reads the names of a path one by one; outer/inner gives outer, then groups, then inner. */
struct path_reader {
    struct text rest;
    bool is_groups_next; /* a '/' was read: `groups` comes next */
};

static struct text path_next(struct path_reader *reader)
{
    size_t end = 0;
    struct text name;

    if (reader->is_groups_next) {
        reader->is_groups_next = false;
        return TEXT("groups");
    }
    while (end < reader->rest.length && reader->rest.data[end] != '.' &&
           reader->rest.data[end] != '/') {
        end++;
    }
    name = text_slice(reader->rest, 0, end);
    reader->is_groups_next = end < reader->rest.length && reader->rest.data[end] == '/';
    reader->rest = text_slice(reader->rest, end + 1, reader->rest.length);
    return name;
}

/* The result of following a path into a document. */
struct reach {
    /* the deepest entry on the path; NULL if the first name is not found */
    const struct doc_entry *entry;
    bool is_end;   /* `entry` is the end of the path */
    bool is_group; /* `entry` is a group, or is not inside any group */
};

/* Follow a path. Names may contain dots: longer names are tried after shorter ones. */
static struct reach path_reach(const struct doc *doc, struct text path)
{
    struct path_reader reader = { .rest = path };
    struct reach reach = { 0 };
    bool is_below_groups = false;

    while (reader.rest.length > 0 || reader.is_groups_next) {
        struct text name = path_next(&reader);
        const struct doc_entry *entry = doc_entry_find(doc, name);

        while (entry == NULL && reader.rest.length > 0 && !reader.is_groups_next) {
            struct text more = path_next(&reader);

            name.length = (size_t)(more.data + more.length - name.data);
            entry = doc_entry_find(doc, name);
        }
        if (entry == NULL) {
            return reach;
        }
        reach.entry = entry;
        reach.is_group = is_below_groups;
        is_below_groups = text_is(name, "groups");
        doc = &entry->value;
    }
    reach.is_end = true;
    return reach;
}

/* Return the value at the end of a path; NULL if there is none, or if it is null. */
static const struct doc *path_value(const struct doc *doc, struct text path)
{
    struct reach reach = path_reach(doc, path);

    return reach.is_end && !doc_is_null(&reach.entry->value) ? &reach.entry->value : NULL;
}

static bool is_fixed_same(const struct doc *a, const struct doc *b)
{
    return a == NULL || b == NULL ? a == b : doc_is_equal(a, b);
}

/* Report that the deepest entry on the way to `path`, or another source, overrode its value. */
static void override_report(struct model_set *set, const struct fixed_case *fixed_case,
                            const struct doc *path, const struct doc_entry *entry)
{
    struct err *err = err_list_set(
        set->errors, entry == NULL ? fixed_case->place : model_place(entry), CODE_R0335,
        "'%.*s' is fixed by the template and cannot be overridden", TEXT_ARG(path->text));

    err_note(err, "fixed here");
    err->note_place = doc_place(path);
    err_hint(err, "leave the field out, or use another template");
}

/* Find the entry to which the error belongs: that of the merged value, or the nearest entry of the
 * object's own document. */
static const struct doc_entry *blame_find(const struct doc *merged, const struct doc *own,
                                          struct text path)
{
    struct reach reach = path_reach(merged, path);

    return reach.is_end ? reach.entry : path_reach(own, path).entry;
}

/* Report an alternative or a member of this group that overrides a fixed value. */
static void overlays_check(struct model_set *set, const struct fixed_case *fixed_case,
                           const struct doc *path, struct text name, const struct doc *fixed,
                           const struct doc *group)
{
    const struct doc *alternatives = doc_child(group, "alternatives");
    const struct doc *members = doc_child(group, "members");

    for (size_t i = 0; doc_is_list(alternatives) && i < alternatives->item_count; i++) {
        struct reach reach = path_reach(&alternatives->items[i], name);

        if (reach.entry != NULL && !doc_is_map(&reach.entry->value) &&
            (!reach.is_end || !is_fixed_same(&reach.entry->value, fixed))) {
            override_report(set, fixed_case, path, reach.entry);
        }
    }
    for (size_t i = 0; doc_is_map(members) && i < members->entry_count; i++) {
        struct reach reach = path_reach(&members->entries[i].value, name);

        if (reach.entry != NULL && !doc_is_map(&reach.entry->value) &&
            (!reach.is_end || !is_fixed_same(&reach.entry->value, fixed))) {
            override_report(set, fixed_case, path, reach.entry);
        }
    }
}

/* Check that a value equals the fixed value of the template. A group may be dropped as a whole. */
static void one_check(struct model_set *set, const struct fixed_case *fixed_case,
                      const struct doc *path)
{
    const struct doc *before = path_value(fixed_case->from, path->text);
    struct reach after = path_reach(fixed_case->merged, path->text);
    bool is_dropped = !after.is_end && after.is_group && doc_is_null(&after.entry->value);

    if (!is_dropped && !is_fixed_same(before, path_value(fixed_case->merged, path->text))) {
        override_report(set, fixed_case, path,
                        blame_find(fixed_case->merged, fixed_case->own, path->text));
    }
}

/* Check that every group has the value of a fixed default, unless the template itself gives the
 * group another value. */
static void leaves_check(struct model_set *set, const struct fixed_case *fixed_case,
                         const struct doc *path, struct text name)
{
    const struct doc *fixed = path_value(fixed_case->from, path->text);

    for (size_t i = 0; i < fixed_case->object->leaf_count; i++) {
        const struct model_leaf *leaf = &fixed_case->object->leaves[i];
        const struct model_leaf *before = map_find(&fixed_case->template->leaf_by_path, leaf->path);
        const struct doc *value = path_value(&leaf->doc, name);

        if (!is_fixed_same(value, fixed) &&
            (before == NULL || !is_fixed_same(value, path_value(&before->doc, name)))) {
            struct text group =
                arena_printf(set->arena, "groups.%.*s.%.*s", TEXT_ARG(leaf->path), TEXT_ARG(name));

            override_report(set, fixed_case, path,
                            blame_find(fixed_case->merged, fixed_case->own, group));
        }
    }
}

/* Report overrides of a group's fixed values in layers that are merged over it later. `prefix` is
 * the group's path. */
static void later_check(struct model_set *set, const struct fixed_case *fixed_case,
                        const struct doc *group, struct text prefix)
{
    for (size_t i = 0; i < fixed_case->paths->item_count; i++) {
        const struct doc *path = &fixed_case->paths->items[i];
        const struct doc *fixed = path_value(fixed_case->from, path->text);
        struct text name = path->text;

        if (prefix.length > 0 && text_has_prefix(name, TEXT("defaults."))) {
            name = text_slice(name, strlen("defaults."), name.length);
        } else if (text_has_prefix(name, prefix)) {
            name = text_slice(name, prefix.length, name.length);
        } else {
            continue;
        }
        overlays_check(set, fixed_case, path, name, fixed, group);
    }
}

/* Check the fixed paths of the template of every group in the cluster's own document. */
static void fixed_groups_check(struct model_set *set, const struct fixed_case *fixed_case)
{
    for (size_t i = 0; i < fixed_case->object->leaf_count; i++) {
        struct text leaf = fixed_case->object->leaves[i].path;
        struct text prefix = arena_printf(set->arena, "groups.%.*s.", TEXT_ARG(leaf));
        struct reach own = path_reach(fixed_case->own, text_slice(prefix, 0, prefix.length - 1));

        if (own.is_end) {
            later_check(set, fixed_case, &own.entry->value, prefix);
        }
    }
}

void fixed_check(struct model_set *set, const struct fixed_case *fixed_case)
{
    assert(fixed_case->merged != NULL);
    if (!doc_is_list(fixed_case->paths)) {
        return;
    }
    for (size_t i = 0; i < fixed_case->paths->item_count; i++) {
        const struct doc *path = &fixed_case->paths->items[i];
        size_t errors = set->errors->errors;

        one_check(set, fixed_case, path);
        if (fixed_case->template != NULL && errors == set->errors->errors &&
            text_has_prefix(path->text, TEXT("defaults."))) {
            leaves_check(set, fixed_case, path,
                         text_slice(path->text, strlen("defaults."), path->text.length));
        }
    }
    if (fixed_case->object != NULL) {
        fixed_groups_check(set, fixed_case);
    } else {
        later_check(set, fixed_case, fixed_case->own, TEXT(""));
    }
}

struct doc fixed_of_group(struct model_set *set, const struct doc *fixed, struct text group)
{
    struct text prefix = arena_printf(set->arena, "groups.%.*s.", TEXT_ARG(group));
    struct doc *items;
    size_t count = 0;

    if (!doc_is_list(fixed)) {
        return (struct doc){ 0 };
    }
    items = arena_array(set->arena, struct doc, fixed->item_count);
    for (size_t i = 0; i < fixed->item_count; i++) {
        struct text path = fixed->items[i].text;
        size_t length = text_has_prefix(path, prefix)              ? prefix.length
                        : text_has_prefix(path, TEXT("defaults.")) ? strlen("defaults.")
                                                                   : 0;

        if (length > 0) {
            items[count++] = doc_text(text_slice(path, length, path.length), &fixed->items[i]);
        }
    }
    return doc_list(items, count, fixed);
}

/* Return the owner of the fields below a field; OWNER_COUNT: any fields are allowed. */
static enum schema_owner fixed_owner_below(const struct schema_field *field)
{
    if (field->type.kind == TYPE_GROUPS) {
        return OWNER_GROUP;
    }
    if (field->type.kind == TYPE_OBJECT && field->type.shape != SHAPE_LIST) {
        return field->type.owner;
    }
    return OWNER_COUNT;
}

void fixed_paths_check(struct model_set *set, const struct doc *fixed, enum schema_owner owner)
{
    for (size_t i = 0; doc_is_list(fixed) && i < fixed->item_count; i++) {
        struct path_reader reader = { .rest = fixed->items[i].text };
        enum schema_owner at = owner;

        while (at != OWNER_COUNT && (reader.rest.length > 0 || reader.is_groups_next)) {
            struct text name = path_next(&reader);
            const struct schema_field *field = schema_field_find(at, name);
            struct suggest suggest = suggest_start(name);
            struct err *err;

            if (field != NULL) {
                bool has_names = field->type.kind == TYPE_GROUPS || field->type.shape == SHAPE_MAP;

                at = fixed_owner_below(field);
                if (has_names && reader.rest.length > 0) {
                    path_next(&reader); /* below this field any name is allowed */
                }
                continue;
            }
            schema_suggest_fields(at, &suggest);
            err = err_list_set(set->errors, doc_place(&fixed->items[i]), CODE_R0301,
                               "'%.*s' is fixed, but %s has no field '%.*s'",
                               TEXT_ARG(fixed->items[i].text), schema_owner_words(at),
                               TEXT_ARG(name));
            if (suggest_best(&suggest).length > 0) {
                err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
            }
            break;
        }
    }
}
