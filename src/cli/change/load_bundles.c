#include "cli/change/load_bundles.h"

#include "base/map.h"
#include "remote/bundle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The state of the check. The original documents are checked, because in resolved documents, values
 * have the positions of the documents that refer to them. */
struct looking {
    struct command *command;
    struct map paths; /* path to its struct load_bundle */
    bool can_miss;
    struct load_bundle **last;
};

/* Return the path of a bundle; a relative path starts at the folder of the document. */
static const char *load_bundles_path_make(struct looking *looking, const struct doc *tar,
                                          struct place place)
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

/* Check one bundle. Its content is not kept in memory; it is read again when it is sent. */
static struct load_bundle *cli_load_bundles_look(struct looking *looking, const char *path)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
    struct load_bundle *found = map_find(&looking->paths, text_from(path));
    struct bundle bundle;

    if (found == NULL) {
        found = arena_one(looking->command->arena, struct load_bundle);
        *found = (struct load_bundle){ .path = path };
        if (bundle_read(arena, BUNDLE_STAGE, path, &bundle, &found->err)) {
            found->err.code = CODE_NONE;
            memcpy(found->digest, bundle.digest, sizeof(found->digest));
        } else {
            found->is_missing = found->err.code == CODE_R0011 && access(path, F_OK) != 0;
        }
        map_put(&looking->paths, text_from(path), found);
        *looking->last = found;
        looking->last = &found->next;
    }
    return found;
}

/* Replace `tar: PATH` by `bundle: NAME@sha256:DIGEST`. The new value gets the file position of the
 * old value. */
static void item_name(struct looking *looking, const struct doc *item, const struct doc *tar,
                      const struct load_bundle *found)
{
    struct arena *arena = looking->command->arena;
    struct text name = bundle_path_name(arena, text_from(found->path));
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < item->entry_count; i++) {
        if (!text_is(item->entries[i].key, "tar")) {
            doc_builder_add(&builder, &item->entries[i]);
        }
    }
    doc_builder_put(
        &builder, "bundle",
        doc_text(arena_printf(arena, "%.*s@sha256:%s", TEXT_ARG(name), found->digest), tar));
    /* the document is in this arena, so it can be changed */
    *(struct doc *)(uintptr_t)item = doc_builder_map(&builder, item);
}

static void tar_look(struct looking *looking, const struct doc *item, const struct doc *tar)
{
    struct command *command = looking->command;
    struct place place = doc_place(tar);
    const char *source = source_name(&command->sources, place.source);
    const struct load_bundle *found;
    const char *path;
    struct err err;

    if (!doc_is_scalar(tar) || doc_is_null(tar) || tar->text.length == 0 || source == NULL) {
        return; /* the fault is already reported */
    }
    if (strcmp(source, "<stdin>") == 0 && tar->text.data[0] != '/') {
        /* the document has no folder, so `tar` cannot be resolved; exported documents refer to
         * bundles by digest */
        return;
    }
    path = load_bundles_path_make(looking, tar, place);
    found = cli_load_bundles_look(looking, path);
    if (found->err.code == CODE_NONE) {
        item_name(looking, item, tar, found);
    } else if (!found->is_missing || !looking->can_miss) {
        err = found->err;
        err_place(&err, place);
        if (found->is_missing) {
            err_hint(&err, "a path is relative to the folder of the file: %s", path);
        } else if (err.hint[0] == '\0') {
            err_hint(&err, "reeve bootstrap check %s", path);
        } else {
            err_note(&err, "this concerns '%s'", path);
        }
        err_list_add(&command->errors, &err);
    }
}

/* True for fields that reeve does not interpret: they never contain stages, even if their names
 * suggest it. */
static bool is_load_bundles_opaque(struct text key)
{
    return text_is(key, "vars") || text_is(key, "properties") || text_is(key, "labels");
}

static void stages_look(struct looking *looking, const struct doc *stages)
{
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        const struct doc *tar =
            doc_is_map(&stages->items[i]) ? doc_child(&stages->items[i], "tar") : NULL;

        if (tar != NULL) {
            tar_look(looking, &stages->items[i], tar);
        }
    }
}

/* Visit all stages below. Documents have a limited depth (LIMIT_DOCUMENT_DEPTH). */
static void load_bundles_walk(struct looking *looking, const struct doc *doc)
{
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        load_bundles_walk(looking, &doc->items[i]);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (text_is(entry->key, "bootstrap") || text_is(entry->key, "bootstrap_sequence")) {
            stages_look(looking, &entry->value);
        } else if (!is_load_bundles_opaque(entry->key)) {
            load_bundles_walk(looking, &entry->value);
        }
    }
}

static void set_look(struct looking *looking, const struct model_set *set)
{
    map_init(&looking->paths, looking->command->arena);
    for (size_t i = 0; i < set->count; i++) {
        if (!set->objects[i].is_known) {
            load_bundles_walk(looking, set->objects[i].document);
        }
    }
}

void load_bundles(struct command *command, const struct model_set *set, struct load_bundle **out)
{
    struct looking looking = { .command = command, .last = out };

    *out = NULL;
    set_look(&looking, set);
}

size_t load_bundles_look(struct command *command, const struct model_set *set)
{
    struct load_bundle *first = NULL;
    struct looking looking = { .command = command, .last = &first, .can_miss = true };
    size_t missing = 0;

    set_look(&looking, set);
    for (const struct load_bundle *one = first; one != NULL; one = one->next) {
        missing += one->is_missing;
    }
    return missing;
}
