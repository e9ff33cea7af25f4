#include "model/nest.h"

#include <assert.h>
#include <string.h>

int nest_compare(struct text a, struct text b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        int first = a.data[i] == '/' ? 0 : (unsigned char)a.data[i];
        int second = b.data[i] == '/' ? 0 : (unsigned char)b.data[i];

        if (first != second) {
            return first - second;
        }
    }
    return (a.length > b.length) - (a.length < b.length);
}

/* Return the part of a path that starts at `offset`, up to the next '/'. */
static struct text nest_step_at(struct text path, size_t offset)
{
    struct text rest = text_slice(path, offset, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Build the tree of the items below `offset`: sorted items whose paths agree up to `offset`. */
static struct doc level_build(struct arena *arena, const struct nest_item *items, size_t count,
                              size_t offset, const struct doc *like)
{
    struct doc_builder groups;

    doc_builder_init(&groups, arena);
    for (size_t start = 0, end; start < count; start = end) {
        struct text step = nest_step_at(items[start].path, offset);
        size_t below_offset = offset + step.length + 1;
        size_t below = start;
        struct doc_entry entry = { .key = step,
                                   .line = items[start].place.line,
                                   .column = items[start].place.column,
                                   .length = items[start].place.length };

        assert(step.length > 0);
        for (end = start;
             end < count && text_is_equal(nest_step_at(items[end].path, offset), step);) {
            end++;
        }
        /* The path ends here, and paths are unique. */
        if (items[start].path.length < below_offset) {
            entry.value = items[below++].value;
        }
        if (below < end) {
            struct doc inner = level_build(arena, items + below, end - below, below_offset, like);

            if (!doc_is_map(&entry.value)) {
                entry.value = doc_map(NULL, 0, like);
            }
            entry.value = nest_put(arena, &entry.value, "groups", inner);
        }
        doc_builder_add(&groups, &entry);
    }
    return doc_builder_map(&groups, like);
}

struct doc nest_build(struct arena *arena, const struct nest_item *items, size_t count,
                      const struct doc *like)
{
    return level_build(arena, items, count, 0, like);
}

const struct doc *nest_find(const struct doc *groups, struct text path)
{
    size_t slash = text_find_byte(path, '/');
    const struct doc *group = doc_find(groups, text_slice(path, 0, slash));

    if (slash == SIZE_MAX) {
        return group;
    }
    return nest_find(doc_child(group, "groups"), text_slice(path, slash + 1, path.length));
}

/* True if there is any group below this group. Dropped groups count. */
static bool has_nest_groups(const struct doc *group)
{
    const struct doc *groups = doc_child(group, "groups");

    return doc_is_map(groups) && groups->entry_count > 0;
}

static struct doc level_without(struct arena *arena, const struct doc *groups,
                                const struct text *paths, size_t count, size_t offset)
{
    struct doc_builder builder;
    size_t at = 0;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < groups->entry_count; i++) {
        struct doc_entry entry = groups->entries[i];
        size_t below_offset = offset + entry.key.length + 1;
        bool is_taken = false;
        size_t end;

        while (at < count && text_compare(nest_step_at(paths[at], offset), entry.key) < 0) {
            at++; /* the entry is not one of these groups */
        }
        for (end = at; end < count && text_is_equal(nest_step_at(paths[end], offset), entry.key);) {
            is_taken = is_taken || paths[end].length < below_offset;
            end++;
        }
        if (is_taken) {
            at = end;
            continue;
        }
        if (at < end && has_nest_groups(&entry.value)) {
            struct doc inner = level_without(arena, doc_child(&entry.value, "groups"), paths + at,
                                             end - at, below_offset);

            entry.value = nest_put(arena, &entry.value, "groups", inner);
        }
        if (at == end || entry.value.entry_count > 0) {
            doc_builder_add(&builder, &entry);
        }
        at = end;
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, groups);
}

struct doc nest_without(struct arena *arena, const struct doc *groups, const struct text *paths,
                        size_t count)
{
    return doc_is_map(groups) ? level_without(arena, groups, paths, count, 0) : (struct doc){ 0 };
}

struct doc nest_put(struct arena *arena, const struct doc *doc, const char *key, struct doc value)
{
    struct text wanted = text_from(key);
    struct doc_entry *entries;
    size_t at = 0;
    size_t count;
    size_t behind;
    struct doc put;

    assert(doc_is_map(doc));
    while (at < doc->entry_count && text_compare(doc->entries[at].key, wanted) < 0) {
        at++;
    }
    behind = at + (at < doc->entry_count && text_is_equal(doc->entries[at].key, wanted));
    if (behind == at && !doc_is_present(&value)) {
        /* There is nothing to remove. */
        return *doc;
    }
    entries = arena_room(arena, (doc->entry_count + 1) * sizeof(*entries));
    if (at > 0) {
        memcpy(entries, doc->entries, at * sizeof(*entries));
    }
    count = at;
    if (doc_is_present(&value)) {
        entries[count++] = (struct doc_entry){ .key = wanted, .value = value };
    }
    if (behind < doc->entry_count) {
        memcpy(entries + count, doc->entries + behind,
               (doc->entry_count - behind) * sizeof(*entries));
    }
    put = doc_map(entries, count + doc->entry_count - behind, doc);
    put.has_faults = doc->has_faults;
    return put;
}
