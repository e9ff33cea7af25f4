#include "cli/load_bundles.h"

#include "base/map.h"
#include "remote/bundle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct looking {
    struct command *command;
    struct map paths;  /* path to what was found: a struct err; one without a code is good */
    struct map places; /* that were told */
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
    struct text key;
    const char *path;
    struct err err;

    if (!doc_is_scalar(tar) || doc_is_null(tar) || tar->text.length == 0 ||
        source_name(&command->sources, place.source) == NULL) {
        return; /* told already, or of no file: the manager has looked at it */
    }
    key = arena_printf(command->arena, "%u %u %u", place.source, place.line, place.column);
    if (map_find(&looking->places, key) != NULL) {
        return; /* by another group, with the same template */
    }
    map_put(&looking->places, key, looking);
    path = path_make(looking, tar, place);
    err = *look(looking, path);
    if (err.code != CODE_NONE) {
        err_place(&err, place);
        err_hint(&err, "reeve bootstrap check %s", path);
        err_list_add(&command->errors, &err);
    }
}

/* The stages of a group, of defaults, or of a member. */
static void stages_look(struct looking *looking, const struct doc *owner)
{
    const struct doc *stages = doc_is_map(owner) ? doc_child(owner, "bootstrap") : NULL;

    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        if (doc_is_map(&stages->items[i]) && doc_child(&stages->items[i], "tar") != NULL) {
            tar_look(looking, doc_child(&stages->items[i], "tar"));
        }
    }
}

static void group_look(struct looking *looking, const struct doc *group)
{
    const struct doc *members = doc_is_map(group) ? doc_child(group, "members") : NULL;

    stages_look(looking, group);
    for (size_t i = 0; doc_is_map(members) && i < members->entry_count; i++) {
        stages_look(looking, &members->entries[i].value);
    }
}

void load_bundles(struct command *command, const struct model_set *set)
{
    struct looking looking = { .command = command };

    map_init(&looking.paths, command->arena);
    map_init(&looking.places, command->arena);
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        if (object->is_known) {
            continue;
        }
        group_look(&looking, &object->own);
        for (size_t n = 0; n < object->leaf_count; n++) {
            group_look(&looking, &object->leaves[n].doc);
        }
    }
}
