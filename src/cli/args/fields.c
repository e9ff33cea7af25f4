#include "cli/args/fields.h"

#include "codec/yaml.h"
#include "sys/file.h"

#include <string.h>

/* One step of a path and its place. */
struct step {
    struct text key;
    struct place place;
};

struct steps {
    struct step *items;
    size_t count;
};

static bool fields_refuse(struct command *command, struct place place, const char *why)
{
    struct err *err = err_list_set(&command->errors, place, CODE_R0005,
                                   "the argument is not of the form "
                                   "PATH=VALUE: %s",
                                   why);

    return err_hint(err, "write groups.web.size=4; a list is set as a whole: zones='[a, b]'");
}

static struct place place_in(struct text argument, size_t at, size_t length, uint16_t source)
{
    return (struct place){ .line = 1,
                           .column = (uint32_t)text_count_points(text_slice(argument, 0, at)) + 1,
                           .length = (uint32_t)text_count_points(text_slice(argument, at, length)),
                           .source = source };
}

/* Add a step. Below `groups`, a step may be a path: outer/inner means outer.groups.inner. */
static void fields_step_add(struct steps *steps, struct text key, struct place place)
{
    bool is_group = steps->count > 0 && text_is(steps->items[steps->count - 1].key, "groups");

    for (;;) {
        size_t slash = is_group ? text_find_byte(key, '/') : SIZE_MAX;

        steps->items[steps->count++] = (struct step){ text_slice(key, 0, slash), place };
        if (slash == SIZE_MAX) {
            return;
        }
        steps->items[steps->count++] = (struct step){ TEXT("groups"), place };
        key = text_slice(key, slash + 1, key.length);
    }
}

/* Read the steps of a path. The key of a label may contain dots: everything after `labels.` is one
 * key. */
static bool steps_read(struct command *command, struct text path, uint16_t source,
                       struct steps *out)
{
    size_t start = 0;

    *out = (struct steps){ .items = arena_array(command->arena, struct step, path.length * 2 + 2) };
    for (size_t i = 0; i <= path.length; i++) {
        struct text key = text_slice(path, start, i - start);
        struct place place = place_in(path, start, key.length, source);
        bool is_label = out->count > 0 && text_is(out->items[out->count - 1].key, "labels");

        if (i < path.length && (path.data[i] != '.' || is_label)) {
            continue;
        }
        if (key.length == 0) {
            return fields_refuse(command, place_in(path, start, 1, source), "a field has no name");
        }
        if (text_find_byte(key, '[') != SIZE_MAX) {
            return fields_refuse(command, place, "an item of a list cannot be set alone");
        }
        fields_step_add(out, key, place);
        start = i + 1;
    }
    return true;
}

/* Return the document with the value put at steps[at...]. Missing maps on the path are created. */
static struct doc laid(struct command *command, const struct doc *document,
                       const struct steps *steps, size_t at, const struct doc *value)
{
    struct doc_builder builder;
    struct doc_entry entry;

    if (at == steps->count) {
        return *value;
    }
    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; doc_is_map(document) && i < document->entry_count; i++) {
        doc_builder_add(&builder, &document->entries[i]);
    }
    entry = (struct doc_entry){
        .key = steps->items[at].key,
        .line = steps->items[at].place.line,
        .column = steps->items[at].place.column,
        .length = steps->items[at].place.length,
        .value = laid(command, doc_find(document, steps->items[at].key), steps, at + 1, value),
    };
    doc_builder_add(&builder, &entry);
    return doc_builder_map(&builder, document != NULL && doc_is_map(document) ? document : value);
}

bool fields_put(struct command *command, struct doc *document, struct text path, uint16_t source,
                struct doc value)
{
    struct steps steps;

    if (!steps_read(command, path, source, &steps)) {
        return false;
    }
    *document = laid(command, document, &steps, 0, &value);
    return true;
}

/* Parse the value. The text before it is replaced by blanks, so that the columns in errors are
 * columns of the whole argument. */
static bool fields_value_read(struct command *command, struct text argument, size_t at,
                              uint16_t source, struct doc *out)
{
    struct origin *origin = arena_one(command->arena, struct origin);
    struct yaml_docs docs;
    struct buf padded;
    struct err err;

    origin->kind = ORIGIN_FILE;
    origin->source = source;
    buf_init(&padded, command->arena);
    buf_add_bytes(&padded, ' ', text_count_points(text_slice(argument, 0, at)));
    buf_add(&padded, text_slice(argument, at, argument.length));
    if (!yaml_parse(command->arena, buf_text(&padded), origin, &docs, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (docs.count > 1) {
        return fields_refuse(command, place_in(argument, at, 1, source),
                             "the value is several documents");
    }
    *out = docs.count == 1 ? docs.items[0] : doc_text(TEXT(""), NULL);
    out->origin = origin;
    return true;
}

bool fields_set(struct command *command, struct doc *document, const char *argument)
{
    struct text text = text_from(argument);
    size_t equals = text_find_byte(text, '=');
    uint16_t source = source_set_add(&command->sources, "<PATH=VALUE>", text);
    struct doc value;

    if (equals == SIZE_MAX || equals == 0) {
        return fields_refuse(command, place_in(text, 0, text.length, source),
                             equals == 0 ? "the path is missing" : "there is no '=' in it");
    }
    return fields_value_read(command, text, equals + 1, source, &value) &&
           fields_put(command, document, text_slice(text, 0, equals), source, value);
}

bool fields_read_file(struct command *command, const char *path, struct doc *out)
{
    struct origin *origin = arena_one(command->arena, struct origin);
    struct yaml_docs docs;
    struct text bytes;
    struct err err;

    if (!file_read(command->arena, path, LIMIT_DOCUMENT_BYTES, &bytes, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    origin->kind = ORIGIN_FILE;
    origin->source = source_set_add(&command->sources, path, bytes);
    if (!yaml_parse(command->arena, bytes, origin, &docs, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (docs.count != 1) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "'%s' holds %zu documents, one is needed", path, docs.count);
        return false;
    }
    *out = docs.items[0];
    return true;
}

bool fields_set_vars(struct command *command, enum flag_id flag, const char *use,
                     struct text prefix, struct doc *out)
{
    struct arena *arena = command->arena;
    const char *word;

    for (size_t i = 0; (word = args_value_at(&command->args, flag, i)) != NULL; i++) {
        if (strchr(word, '=') == NULL || word[0] == '=') {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "'%s' is not a variable with its value", word),
                            "%s %s --var http_port=8080; NAME=null removes it", command->program,
                            use);
        }
        if (!fields_set(
                command, out,
                arena_string(arena, arena_printf(arena, "%.*svars.%s", TEXT_ARG(prefix), word)))) {
            return false;
        }
    }
    return true;
}
