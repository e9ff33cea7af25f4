#include "cli/load_bundles.h"

#include "base/map.h"
#include "remote/bundle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Documents are looked at as they were written: what has been resolved has the places of whoever asked for it. */
struct looking {
    struct command *command;
    struct map paths; /* path to what was found: a struct err; one without a code is good */
};

/* Where a path of a document leads to. */
static const char *path_make(struct looking *looking, const struct doc *tar, struct place place)
{
    struct arena *arena = looking->command->arena;
    struct text source = text_from(source_name(&looking->command->sources, place.source));
    size_t folder = 0;

    for (size_t i = 0; i < source.length; i++) {
        folder = source.data[i] == '/' ? i + 1 : folder;
    }
    if (tar->text.data[0] == '/') {
        return arena_string(arena, tar->text);
    }
    return arena_printf(arena, "%.*s%.*s", (int)folder, source.data, TEXT_ARG(tar->text)).data;
}

/* What is wrong with a bundle. Its bytes are dropped again: who sends them reads them anew. */
static struct err *look(struct looking *looking, const char *path)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
    struct err *found = map_find(&looking->paths, text_from(path));
    struct bundle bundle;

    if (found == NULL) {
        found = arena_one(looking->command->arena, struct err);
        *found = (struct err){ 0 };
        if (bundle_read(arena, path, &bundle, found)) {
            found->code = CODE_NONE;
        }
        map_put(&looking->paths, text_from(path), found);
    }
    return found;
}

static void tar_look(struct looking *looking, const struct doc *tar)
{
    struct command *command = looking->command;
    struct place place = doc_place(tar);
    const char *source = source_name(&command->sources, place.source);
    const char *path;
    struct err err;

    if (!doc_is_scalar(tar) || doc_is_null(tar) || tar->text.length == 0 || source == NULL) {
        return; /* told already */
    }
    if (strcmp(source, "<stdin>") == 0 && tar->text.data[0] != '/') {
        return; /* counts from no folder: what was exported names what the manager has */
    }
    path = path_make(looking, tar, place);
    err = *look(looking, path);
    if (err.code != CODE_NONE) {
        err_place(&err, place);
        err_hint(&err, "reeve bootstrap check %s", path);
        err_list_add(&command->errors, &err);
    }
}

/* Fields that are none of ours: whatever they are called, they are no stages. */
static bool is_opaque(struct text key)
{
    return text_is(key, "vars") || text_is(key, "properties") || text_is(key, "labels");
}

static void stages_look(struct looking *looking, const struct doc *stages)
{
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        const struct doc *tar =
            doc_is_map(&stages->items[i]) ? doc_child(&stages->items[i], "tar") : NULL;

        if (tar != NULL) {
            tar_look(looking, tar);
        }
    }
}

/* All stages below. Documents are at most some levels deep (LIMIT_DOCUMENT_DEPTH). */
static void walk(struct looking *looking, const struct doc *doc)
{
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        walk(looking, &doc->items[i]);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (text_is(entry->key, "bootstrap") || text_is(entry->key, "bootstrap_sequence")) {
            stages_look(looking, &entry->value);
        } else if (!is_opaque(entry->key)) {
            walk(looking, &entry->value);
        }
    }
}

void load_bundles(struct command *command, const struct model_set *set)
{
    struct looking looking = { .command = command };

    map_init(&looking.paths, command->arena);
    for (size_t i = 0; i < set->count; i++) {
        if (!set->objects[i].is_known) {
            walk(&looking, set->objects[i].document);
        }
    }
}
