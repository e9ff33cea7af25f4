#include "base/suggest.h"
#include "cli/read/get_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: get_ */

/* reeve get images: the versions of images, one row each, newest first. */

enum { IMAGES_SHORT = 12, IMAGES_MINUTE = 16, IMAGES_MIB = 1024 * 1024 };

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },     { "TAGS", ".tag", OUTPUT_KEEP, false },
    { "DIGEST", ".short", OUTPUT_KEEP, false },  { "SIZE", ".size", OUTPUT_DROP, true },
    { "FORMAT", ".format", OUTPUT_WIDE, false }, { "PUSHED", ".pushed", OUTPUT_DROP, false },
    { "BY", ".by", OUTPUT_DROP, false },         { "USED BY", ".users", OUTPUT_DROP, false },
    { "SHA256", ".digest", OUTPUT_WIDE, false },
};
static const struct output_view view = { "image/{name}@sha256:{digest}", columns,
                                         ARRAY_COUNT(columns) };

bool get_is_images(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 0 ? TEXT("") : text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));

    return kind != NULL && strcmp(kind->name, "Image") == 0;
}

/* The name in a word after the kind, or with the kind (image/debian-12). Empty: none. */
static struct text get_images_name(const struct args *args, size_t word)
{
    const char *slash = word == 0 ? strchr(args->words[0], '/') : NULL;

    return word > 0        ? text_from(args->words[word])
           : slash != NULL ? text_from(slash + 1)
                           : TEXT("");
}

static bool get_images_is_meant(const struct args *args, struct text name)
{
    bool has_name = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_images_name(args, i);

        has_name = has_name || word.length > 0;
        if (text_is_equal(word, name)) {
            return true;
        }
    }
    return !has_name;
}

/* Reports names that no image has. */
MUST_CHECK static bool get_images_names_check(struct command *command, const struct doc *items)
{
    const struct args *args = &command->args;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_images_name(args, i);
        struct suggest suggest = suggest_start(word);
        bool is_known = word.length == 0;
        struct err *err;

        for (size_t j = 0; doc_is_list(items) && j < items->item_count; j++) {
            struct text name = doc_child_text(&items->items[j], "name");

            is_known = is_known || text_is_equal(name, word);
            suggest_offer(&suggest, name);
        }
        if (is_known) {
            continue;
        }
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0853,
                           "there is no image '%.*s'", TEXT_ARG(word));
        if (suggest_best(&suggest).length > 0) {
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
        } else {
            err_hint(err, "reeve get images lists the images");
        }
    }
    return command->errors.errors == 0;
}

static struct text get_images_join(struct arena *arena, const struct doc *list)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ", ", TEXT_ARG(list->items[i].text));
    }
    return buf_text(&buf);
}

static struct doc get_images_row(struct arena *arena, struct text name, const struct doc *version,
                                 bool is_shown)
{
    struct text at = doc_child_text(version, "at");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < version->entry_count; i++) {
        doc_builder_add(&builder, &version->entries[i]);
    }
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    if (is_shown) {
        doc_builder_put(&builder, "pushed",
                        doc_text(at.length < IMAGES_MINUTE
                                     ? at
                                     : arena_printf(arena, "%.10s %.5s", at.data, at.data + 11),
                                 NULL));
        doc_builder_put(
            &builder, "short",
            doc_text(text_slice(doc_child_text(version, "digest"), 0, IMAGES_SHORT), NULL));
        doc_builder_put(
            &builder, "size",
            doc_text(arena_printf(arena, "%lld MiB",
                                  (long long)(doc_child_number(version, "bytes") + IMAGES_MIB - 1) /
                                      IMAGES_MIB),
                     NULL));
        doc_builder_put(&builder, "tag",
                        doc_text(get_images_join(arena, doc_child(version, "tags")), NULL));
        doc_builder_put(&builder, "users",
                        doc_text(get_images_join(arena, doc_child(version, "usedBy")), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static enum exit_code get_images_write(struct command *command, struct output *output,
                                       const struct doc *items)
{
    struct doc *objects = NULL;
    struct doc *rows = NULL;
    size_t count = 0;
    size_t room = 0;

    if (!get_images_names_check(command, items)) {
        return EXIT_CODE_NOT_FOUND;
    }
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        room += doc_child_count(&items->items[i], "versions");
    }
    objects = arena_array(command->arena, struct doc, room + 1);
    rows = arena_array(command->arena, struct doc, room + 1);
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        struct text name = doc_child_text(&items->items[i], "name");
        const struct doc *versions = doc_child(&items->items[i], "versions");
        size_t left = doc_is_list(versions) ? versions->item_count : 0;

        while (left > 0 && get_images_is_meant(&command->args, name)) {
            const struct doc *version = &versions->items[--left];

            objects[count] = get_images_row(command->arena, name, version, false);
            rows[count++] = get_images_row(command->arena, name, version, true);
        }
    }
    if (count == 0 && command->out.length == 0 && output->format == OUTPUT_TABLE) {
        buf_printf(&command->notes, "next: %s image push FILE --name NAME\n", command->program);
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ objects, count, rows, count }, &command->out);
    return EXIT_CODE_DONE;
}

enum exit_code get_images(struct command *command)
{
    static const char *const flags[] = { "watch", "selector", "cluster", "group", "state", "at" };
    struct session session;
    struct output output;
    struct doc answer;

    if (!get_output_parse(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (args_named(&command->args, flags[i]) != NULL) {
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                         "get images takes no --%s", flags[i]);
            return EXIT_CODE_USAGE;
        }
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/images"), &answer)) {
        return EXIT_CODE_FAILED;
    }
    return get_images_write(command, &output, doc_child(&answer, "items"));
}
