#include "base/suggest.h"
#include "model/resolve.h"

#include <assert.h>

/* `fixed` of a template: paths with dots between names, as in defaults.network.cidr. Groups may be
 * written by their path, groups.outer/inner.image. A fixed field of `defaults` may not be set on a
 * single group either: otherwise the fixed value could be got round. */

/* The next name of a path; outer/inner gives outer, then groups, then inner. */
struct path_reader {
    struct text rest;
    bool owes_groups; /* a '/' was read: `groups` comes next */
};

static struct text path_next(struct path_reader *reader)
{
    size_t end = 0;
    struct text name;

    if (reader->owes_groups) {
        reader->owes_groups = false;
        return TEXT("groups");
    }
    while (end < reader->rest.length && reader->rest.data[end] != '.' &&
           reader->rest.data[end] != '/') {
        end++;
    }
    name = text_slice(reader->rest, 0, end);
    reader->owes_groups = end < reader->rest.length && reader->rest.data[end] == '/';
    reader->rest = text_slice(reader->rest, end + 1, reader->rest.length);
    return name;
}

/* The entry that a path leads to, NULL where it leads nowhere. Names with dots in them are found by
 * trying the longer name where the shorter one is not there. */
static const struct doc_entry *path_follow(const struct doc *doc, struct path_reader reader)
{
    const struct doc_entry *entry = NULL;

    while (reader.rest.length > 0 || reader.owes_groups) {
        struct text name = path_next(&reader);

        entry = doc_entry_find(doc, name);
        while (entry == NULL && reader.rest.length > 0 && !reader.owes_groups) {
            struct text more = path_next(&reader);

            name.length = (size_t)(more.data + more.length - name.data);
            entry = doc_entry_find(doc, name);
        }
        if (entry == NULL) {
            return NULL;
        }
        doc = &entry->value;
    }
    return entry;
}

static void override_tell(struct model_set *set, const struct doc *path,
                          const struct doc_entry *entry)
{
    struct err *err = err_list_set(set->errors, doc_key_place(entry), CODE_R0335,
                                   "'%.*s' is fixed by the template and cannot be overridden",
                                   TEXT_ARG(path->text));

    err_note(err, "fixed here");
    err->note_place = doc_place(path);
    err_hint(err, "leave the field out, or use another template");
}

/* Does the own document give this path another value than the template has? */
static void one_check(struct model_set *set, const struct doc *path, struct text name,
                      const struct doc *from, const struct doc *own)
{
    const struct doc_entry *given = path_follow(own, (struct path_reader){ .rest = name });
    const struct doc_entry *fixed = path_follow(from, (struct path_reader){ .rest = name });

    if (given != NULL && (fixed == NULL || !doc_is_equal(&given->value, &fixed->value))) {
        override_tell(set, path, given);
    }
}

/* A fixed default must not be got round on a group. `fixed` is the template's value. */
static void groups_check(struct model_set *set, const struct doc *path, struct text name,
                         const struct doc *fixed, const struct doc *groups)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        const struct doc *group = &groups->entries[i].value;
        const struct doc_entry *given = path_follow(group, (struct path_reader){ .rest = name });

        if (given != NULL && (fixed == NULL || !doc_is_equal(&given->value, fixed))) {
            override_tell(set, path, given);
        }
        groups_check(set, path, name, fixed, doc_child(group, "groups"));
    }
}

void fixed_check(struct model_set *set, const struct doc *fixed, const struct doc *from,
                 const struct doc *own, enum schema_owner owner)
{
    bool is_cluster = owner == OWNER_CLUSTER || owner == OWNER_CLUSTER_TEMPLATE;

    assert(doc_is_map(own));
    for (size_t i = 0; doc_is_list(fixed) && i < fixed->item_count; i++) {
        const struct doc *path = &fixed->items[i];

        one_check(set, path, path->text, from, own);
        if (is_cluster && text_has_prefix(path->text, TEXT("defaults."))) {
            struct text name = text_slice(path->text, 9, path->text.length);
            const struct doc_entry *value =
                path_follow(from, (struct path_reader){ .rest = path->text });

            groups_check(set, path, name, value == NULL ? NULL : &value->value,
                         doc_child(own, "groups"));
        }
    }
}

/* Which owner holds what stands below a field; OWNER_COUNT: anything may. */
static enum schema_owner owner_below(const struct schema_field *field)
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

        while (at != OWNER_COUNT && (reader.rest.length > 0 || reader.owes_groups)) {
            struct text name = path_next(&reader);
            const struct schema_field *field = schema_field_find(at, name);
            struct suggest suggest = suggest_start(name);
            struct err *err;

            if (field != NULL) {
                bool has_names = field->type.kind == TYPE_GROUPS || field->type.shape == SHAPE_MAP;

                at = owner_below(field);
                if (has_names && reader.rest.length > 0) {
                    path_next(&reader); /* any name */
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
