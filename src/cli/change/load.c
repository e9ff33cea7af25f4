#include "cli/change/load.h"

#include "base/limits.h"
#include "cli/change/overlay.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "sys/file.h"
#include "sys/stream.h"

#include <string.h>

/* If nothing happens for a while, print what the command waits for. */
static void waiting_say(const struct command *command)
{
    struct err ignored;

    if (!stream_is_terminal_in() || args_has(&command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    (void)!stream_write_error(TEXT("reading standard input; end with ctrl-d\n"), &ignored);
}

MUST_CHECK static bool load_bytes_read(struct command *command, const char *path, struct text *out,
                                       struct err *err)
{
    if (strcmp(path, "-") != 0) {
        return file_read(command->arena, path, LIMIT_DOCUMENT_BYTES, out, err);
    }
    waiting_say(command);
    return file_read_stdin(command->arena, LIMIT_DOCUMENT_BYTES, out, err);
}

/* Parse a file. A file with the extension .json is read by the stricter JSON parser. */
MUST_CHECK static bool documents_parse(struct command *command, const char *path, struct text bytes,
                                       uint16_t source, struct yaml_docs *out, struct err *err)
{
    struct origin *origin = arena_one(command->arena, struct origin);
    struct doc *document;

    *origin = (struct origin){ .kind = ORIGIN_FILE, .source = source };
    if (!text_has_suffix(text_from(path), TEXT(".json"))) {
        return yaml_parse_tolerant(command->arena, bytes, origin, out, &command->errors, err);
    }
    document = arena_one(command->arena, struct doc);
    if (!json_parse_tolerant(command->arena, bytes, origin, document, &command->errors, err)) {
        return false;
    }
    *out = (struct yaml_docs){ document, 1 };
    return true;
}

static bool file_load(struct command *command, const char *path, struct model_set *set,
                      struct load *load)
{
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct yaml_docs documents;
    struct text bytes;
    uint16_t source;
    struct err err;

    if (!load_bytes_read(command, path, &bytes, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    source = source_set_add(&command->sources, name, bytes);
    if (!documents_parse(command, path, bytes, source, &documents, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (documents.count == 0) {
        struct err *empty = err_list_set(&command->errors, (struct place){ 1, 1, 1, source },
                                         CODE_R0117, "the file contains no document");

        err_hint(empty, "reeve init writes a file to start from");
        return false;
    }
    load->files++;
    load->documents += documents.count;
    if (load->documents > LIMIT_DOCUMENTS_PER_SET) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0013,
                     "the files contain more than %d documents, the limit of a set",
                     LIMIT_DOCUMENTS_PER_SET);
        return false;
    }
    if (command_is_verbose(command)) {
        buf_printf(&command->notes, "read %s: %zu bytes, %zu document%s\n", name, bytes.length,
                   documents.count, documents.count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < documents.count; i++) {
        model_set_add(set, &documents.items[i]);
    }
    return true;
}

static bool load_count_check(struct command *command, enum flag_id flag)
{
    size_t count = 0;

    while (args_value_at(&command->args, flag, count) != NULL) {
        count++;
    }
    if (count > LIMIT_FILES_PER_SET) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0013,
                     "%zu files are given, but a set may have at most %d", count,
                     LIMIT_FILES_PER_SET);
        return false;
    }
    return true;
}

/* True if the same file was already given: it would add every object twice. */
static bool is_given_before(const struct command *command, enum flag_id flag, size_t index)
{
    const char *path = args_value_at(&command->args, flag, index);

    for (size_t i = 0; i < index; i++) {
        if (strcmp(args_value_at(&command->args, flag, i), path) == 0) {
            return true;
        }
    }
    return false;
}

/* True if there is memory for the file. Documents may take a quarter of the command's memory,
 * because derived data takes up to three times as much. */
static bool is_room_left(struct command *command, const char *path)
{
    if (arena_left(command->arena) >= LIMIT_WORK_ARENA_BYTES / 4 * 3) {
        return true;
    }
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0013,
                 "the files are too large to be one set; reading stopped after '%s'", path);
    command->has_unread = true;
    return false;
}

/* Read every file of a flag into a set, which is not resolved yet. */
static struct load documents_load(struct command *command, enum flag_id flag, struct model_set *set)
{
    struct load load = { 0 };
    bool is_complete = load_count_check(command, flag);
    const char *path;

    model_set_init(set, command->arena, &command->errors);
    for (size_t i = 0; is_complete && (path = args_value_at(&command->args, flag, i)) != NULL;
         i++) {
        if (is_given_before(command, flag, i)) {
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "'%s' is given twice",
                         path);
            is_complete = false;
        }
    }
    for (size_t i = 0; is_complete && (path = args_value_at(&command->args, flag, i)) != NULL;
         i++) {
        bool is_read = file_load(command, path, set, &load);

        command->has_unread = command->has_unread || !is_read;
        if (!is_room_left(command, path)) {
            break;
        }
    }
    load.is_complete = is_complete && !command->has_unread;
    return load;
}

struct load load_set(struct command *command, enum flag_id flag, struct model_set *set)
{
    struct load load = documents_load(command, flag, set);

    if (load.is_complete) {
        model_set_resolve(set);
    }
    return load;
}

struct load load_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct model_set *set)
{
    struct model_set base;
    struct model_set over;
    struct load load;

    if (!args_has(&command->args, over_flag)) {
        return load_set(command, flag, set);
    }
    load = documents_load(command, flag, &base);
    load.is_complete = documents_load(command, over_flag, &over).is_complete && load.is_complete;
    model_set_init(set, command->arena, &command->errors);
    if (load.is_complete) {
        overlay_lay(set, &base, &over);
        model_set_resolve(set);
    }
    return load;
}
