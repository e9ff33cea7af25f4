#include "cli/secret_file.h"

#include "base/limits.h"
#include "model/nest.h"
#include "model/schema.h"
#include "sys/file.h"

#include <string.h>
#include <sys/stat.h>

static void others_warn(struct command *command, const char *path)
{
    struct stat stat_of;
    struct err *err;

    if (stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && (stat_of.st_mode & 077) != 0) {
        err = err_list_warn(&command->errors, (struct place){ 0 }, CODE_R0668,
                            "'%s' can be read by other users of this machine", path);
        err_hint(err, "chmod 600 %s", path);
    }
}

bool secret_file_read(struct command *command, const char *path, struct doc *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct text bytes;
    struct err err;

    if (!(is_stdin ? file_read_stdin(command->arena, LIMIT_SECRET_BYTES, &bytes, &err)
                   : file_read(command->arena, path, LIMIT_SECRET_BYTES, &bytes, &err))) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (bytes.length == 0 || memchr(bytes.data, '\0', bytes.length) != NULL ||
        text_find_bad_utf8(bytes) != SIZE_MAX) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0663,
                     "what is in '%s' is no secret: it is empty, or no text", path);
        return false;
    }
    if (!is_stdin) {
        others_warn(command, path);
    }
    *out = doc_text(bytes, NULL);
    return true;
}

bool secret_file_word(struct command *command, struct text word, struct doc *out)
{
    if (text_is(word, "-")) {
        return secret_file_read(command, "-", out);
    }
    if (word.length > 1 && word.data[0] == '@') {
        return secret_file_read(
            command, arena_string(command->arena, text_slice(word, 1, word.length)), out);
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0663,
                          "a secret is not written on the command line, where everybody sees it"),
             "give it in a file, @FILE, or by standard input, -");
    return false;
}

static bool is_secret(const struct doc *document)
{
    const struct doc *kind = doc_child(document, "kind");
    const struct schema_kind *row = doc_is_scalar(kind) ? schema_kind_of_word(kind->text) : NULL;

    return row != NULL && row->owner == OWNER_SECRET;
}

static bool file_lay(struct command *command, struct doc *document)
{
    const struct doc *spec = doc_child(document, "spec");
    struct doc fields = doc_is_map(spec) ? *spec : *document;
    const struct doc *file = doc_child(&fields, "file");
    struct doc value;

    if (!doc_is_scalar(file) || doc_is_null(file)) {
        return true; /* the manager says what is missing */
    }
    if (!secret_file_read(command, arena_string(command->arena, file->text), &value)) {
        return false;
    }
    fields = nest_put(command->arena, &fields, "file", (struct doc){ 0 });
    fields = nest_put(command->arena, &fields, "value", value);
    *document = doc_is_map(spec) ? nest_put(command->arena, document, "spec", fields) : fields;
    return true;
}

bool secret_file_lay(struct command *command, struct doc *documents, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_secret(&documents[i]) && !file_lay(command, &documents[i])) {
            return false;
        }
    }
    return true;
}
