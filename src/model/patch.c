#include "model/patch.h"

#include "base/limits.h"

#include <assert.h>

struct doc patch_merge(struct arena *arena, const struct doc *doc, const struct doc *patch)
{
    struct doc_builder builder;
    size_t i = 0;
    size_t j = 0;
    size_t count = doc_is_map(doc) ? doc->entry_count : 0;

    if (!doc_is_map(patch)) {
        return *patch;
    }
    doc_builder_init(&builder, arena);
    while (i < count || j < patch->entry_count) {
        int order = i == count ? 1
                    : j == patch->entry_count
                        ? -1
                        : text_compare(doc->entries[i].key, patch->entries[j].key);
        struct doc_entry entry;

        if (order < 0) {
            doc_builder_add(&builder, &doc->entries[i++]);
            continue;
        }
        entry = patch->entries[j++];
        if (doc_is_scalar(&entry.value) && doc_is_null(&entry.value)) {
            i += order == 0;
            continue;
        }
        entry.value = patch_merge(arena, order == 0 ? &doc->entries[i].value : NULL, &entry.value);
        doc_builder_add(&builder, &entry);
        i += order == 0;
    }
    return doc_builder_map(&builder, patch);
}

/* ---- RFC 6902 ---- */

struct patching {
    struct arena *arena;
    const struct doc *operation;
    struct err *err;
};

/* The action at the end of a path. */
enum action { ACTION_ADD, ACTION_REPLACE, ACTION_REMOVE };

static bool patch_fault(struct patching *patching, enum code code, const char *what,
                        struct text detail)
{
    err_set(patching->err, code, "%s '%.*s'", what, TEXT_ARG(detail));
    return err_place(patching->err, doc_place(patching->operation));
}

/* Remove the next step of a JSON Pointer from the path and unescape it. */
static bool patch_step_take(struct patching *patching, struct text *path, struct text *out)
{
    size_t end;
    char *step;
    size_t length = 0;

    if (path->length == 0 || path->data[0] != '/') {
        return patch_fault(patching, CODE_R0345, "this is not a JSON Pointer:", *path);
    }
    *path = text_slice(*path, 1, path->length);
    end = text_find_byte(*path, '/');
    end = end == SIZE_MAX ? path->length : end;
    step = arena_alloc(patching->arena, end + 1);
    for (size_t i = 0; i < end; i++) {
        char byte = path->data[i];

        if (byte == '~') {
            if (i + 1 == end || (path->data[i + 1] != '0' && path->data[i + 1] != '1')) {
                return patch_fault(patching, CODE_R0345, "this is not a JSON Pointer:", *path);
            }
            byte = path->data[++i] == '0' ? '~' : '/';
        }
        step[length++] = byte;
    }
    *out = (struct text){ step, length };
    *path = text_slice(*path, end, path->length);
    return true;
}

/* Read a list index from a step. If is_open, `-` is the index after the last item. */
static bool index_read(struct patching *patching, struct text step, size_t count, bool is_open,
                       size_t *out)
{
    int64_t number;

    if (is_open && text_is(step, "-")) {
        *out = count;
        return true;
    }
    if (!text_parse_int64(step, &number) || number < 0 ||
        (step.length > 1 && (step.data[0] == '0' || step.data[0] == '-')) ||
        (uint64_t)number >= count + is_open) {
        return patch_fault(patching, CODE_R0403, "the list has no item", step);
    }
    *out = (size_t)number;
    return true;
}

static bool doc_change(struct patching *patching, const struct doc *doc, struct text path,
                       enum action action, const struct doc *value, struct doc *out);

static bool list_change(struct patching *patching, const struct doc *doc, struct text step,
                        struct text rest, enum action action, const struct doc *value,
                        struct doc *out)
{
    bool is_here = rest.length == 0;
    bool is_insert = is_here && action == ACTION_ADD;
    struct doc *items = arena_array(patching->arena, struct doc, doc->item_count + 1);
    size_t count = 0;
    size_t at = 0;

    if (!index_read(patching, step, doc->item_count, is_insert, &at)) {
        return false;
    }
    for (size_t i = 0; i < doc->item_count; i++) {
        if (i == at && is_insert) {
            items[count++] = *value;
        }
        if (i != at || is_insert) {
            items[count++] = doc->items[i];
        } else if (!is_here) {
            if (!doc_change(patching, &doc->items[i], rest, action, value, &items[count++])) {
                return false;
            }
        } else if (action == ACTION_REPLACE) {
            items[count++] = *value;
        }
    }
    if (is_insert && at == doc->item_count) {
        items[count++] = *value;
    }
    *out = doc_list(items, count, doc);
    return true;
}

static bool map_change(struct patching *patching, const struct doc *doc, struct text step,
                       struct text rest, enum action action, const struct doc *value,
                       struct doc *out)
{
    const struct doc_entry *found = doc_entry_find(doc, step);
    bool is_here = rest.length == 0;
    struct doc_entry entry = { .key = step };
    struct doc_builder builder;

    if (found == NULL && !(is_here && action == ACTION_ADD)) {
        return patch_fault(patching, CODE_R0403, "there is no", step);
    }
    doc_builder_init(&builder, patching->arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        if (&doc->entries[i] != found) {
            doc_builder_add(&builder, &doc->entries[i]);
        }
    }
    if (!is_here) {
        entry = *found;
        if (!doc_change(patching, &found->value, rest, action, value, &entry.value)) {
            return false;
        }
        doc_builder_add(&builder, &entry);
    } else if (action != ACTION_REMOVE) {
        entry.value = *value;
        doc_builder_add(&builder, &entry);
    }
    *out = doc_builder_map(&builder, doc);
    return true;
}

/* Apply an operation at a path, which must not be empty. */
static bool doc_change(struct patching *patching, const struct doc *doc, struct text path,
                       enum action action, const struct doc *value, struct doc *out)
{
    struct text rest = path;
    struct text step = TEXT("");

    if (!patch_step_take(patching, &rest, &step)) {
        return false;
    }
    if (doc_is_list(doc)) {
        return list_change(patching, doc, step, rest, action, value, out);
    }
    if (doc_is_map(doc)) {
        return map_change(patching, doc, step, rest, action, value, out);
    }
    return patch_fault(patching, CODE_R0403, "there is nothing below a scalar:", step);
}

static bool path_change(struct patching *patching, const struct doc *doc, struct text path,
                        enum action action, const struct doc *value, struct doc *out)
{
    if (path.length > 0) {
        return doc_change(patching, doc, path, action, value, out);
    }
    if (action == ACTION_REMOVE) {
        return patch_fault(patching, CODE_R0345, "the whole document cannot be removed:", path);
    }
    *out = *value;
    return true;
}

/* Get a field of the operation, which must be text. */
static bool field_get(struct patching *patching, const char *name, struct text *out)
{
    const struct doc *value = doc_child(patching->operation, name);

    if (!doc_is_scalar(value) || value->style != DOC_STYLE_QUOTED) {
        return patch_fault(patching, CODE_R0345, "an operation needs", text_from(name));
    }
    *out = value->text;
    return true;
}

static bool value_get(struct patching *patching, const struct doc **out)
{
    *out = doc_child(patching->operation, "value");
    return *out != NULL || patch_fault(patching, CODE_R0345, "an operation needs", TEXT("value"));
}

/* Get the value at a path that the operation reads. */
static bool source_get(struct patching *patching, const struct doc *doc, struct text path,
                       const struct doc **out)
{
    *out = doc_at(doc, path);
    return *out != NULL || patch_fault(patching, CODE_R0403, "there is nothing at", path);
}

static bool move_run(struct patching *patching, const struct doc *doc, struct text path,
                     bool is_copy, struct doc *out)
{
    const struct doc *value;
    struct text from;
    struct doc rest = *doc;

    if (!field_get(patching, "from", &from) || !source_get(patching, doc, from, &value)) {
        return false;
    }
    if (!is_copy) {
        if (text_has_prefix(path, from) && path.length > from.length &&
            path.data[from.length] == '/') {
            return patch_fault(patching, CODE_R0345, "a value cannot be moved into itself:", path);
        }
        if (!path_change(patching, doc, from, ACTION_REMOVE, NULL, &rest)) {
            return false;
        }
    }
    return path_change(patching, &rest, path, ACTION_ADD, value, out);
}

static bool operation_run(struct patching *patching, const struct doc *doc, struct doc *out)
{
    const struct doc *value;
    struct text op;
    struct text path;

    if (!field_get(patching, "op", &op) || !field_get(patching, "path", &path)) {
        return false;
    }
    if (text_is(op, "remove")) {
        return path_change(patching, doc, path, ACTION_REMOVE, NULL, out);
    }
    if (text_is(op, "move") || text_is(op, "copy")) {
        return move_run(patching, doc, path, text_is(op, "copy"), out);
    }
    if (!text_is(op, "add") && !text_is(op, "replace") && !text_is(op, "test")) {
        return patch_fault(patching, CODE_R0345,
                           "op is add, remove, replace, move, copy or test, got", op);
    }
    if (!value_get(patching, &value)) {
        return false;
    }
    if (text_is(op, "test")) {
        const struct doc *there;

        *out = *doc;
        return source_get(patching, doc, path, &there) &&
               (doc_is_equal(there, value) ||
                patch_fault(patching, CODE_R0411, "the test does not hold at", path));
    }
    return path_change(patching, doc, path, text_is(op, "add") ? ACTION_ADD : ACTION_REPLACE, value,
                       out);
}

bool patch_json(struct arena *arena, const struct doc *doc, const struct doc *patch,
                struct doc *out, struct err *err)
{
    struct doc now = *doc;

    if (!doc_is_list(patch)) {
        err_set(err, CODE_R0345, "a JSON patch is a list of operations");
        return err_place(err, doc_place(patch));
    }
    for (size_t i = 0; i < patch->item_count; i++) {
        struct patching patching = { arena, &patch->items[i], err };
        struct doc next;

        if (!doc_is_map(&patch->items[i])) {
            err_set(err, CODE_R0345, "an operation is a mapping");
            err_place(err, doc_place(&patch->items[i]));
            return err_at_index(err, i);
        }
        if (!operation_run(&patching, &now, &next)) {
            return err_at_index(err, i);
        }
        now = next;
    }
    *out = now;
    return true;
}
