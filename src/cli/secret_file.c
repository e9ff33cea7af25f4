#include "cli/secret_file.h"

#include "base/limits.h"
#include "model/nest.h"
#include "model/schema.h"
#include "sys/file.h"

#include <stdlib.h>
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

/* ---- privateKeyFile ---- */

struct keys {
    struct command *command;
    struct doc *documents;
    size_t count;
    size_t first; /* of those that were added */
    struct text owner;
    size_t owned; /* secrets of this owner */
};

/* A leading "~/" is the home directory of the calling user, as in a shell. */
static struct text path_expand(struct command *command, struct text path)
{
    const char *home = getenv("HOME");

    return text_has_prefix(path, TEXT("~/")) && home != NULL
               ? arena_printf(command->arena, "%s%.*s", home,
                              TEXT_ARG(text_slice(path, 1, SIZE_MAX)))
               : path;
}

/* One file is one secret of an object, in however many of its groups it stands. */
static bool key_add(struct keys *keys, struct text path)
{
    struct arena *arena = keys->command->arena;
    struct doc_builder builder;
    struct text name;

    path = path_expand(keys->command, path);
    for (size_t i = keys->count - keys->owned; i < keys->count; i++) {
        if (text_is_equal(doc_child(&keys->documents[i], "file")->text, path)) {
            return true;
        }
    }
    if (keys->count - keys->first == SECRET_FILE_KEYS) {
        err_list_set(&keys->command->errors, (struct place){ 0 }, CODE_R0663,
                     "the files name more than %d private keys", SECRET_FILE_KEYS);
        return false;
    }
    name = keys->owned == 0
               ? arena_printf(arena, "%.*s-ssh-key", TEXT_ARG(keys->owner))
               : arena_printf(arena, "%.*s-ssh-key-%zu", TEXT_ARG(keys->owner), keys->owned + 1);
    keys->owned++;
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "file", doc_text(path, NULL));
    doc_builder_put(&builder, "kind", doc_text(TEXT("Secret"), NULL));
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    keys->documents[keys->count++] = doc_builder_map(&builder, NULL);
    return true;
}

static bool is_key_file(struct text key)
{
    return text_is(key, "privateKeyFile") || text_is(key, "private_key_file");
}

/* What belongs to a plugin, and what people call things, is not ours to read. */
static bool is_foreign(struct text key)
{
    return text_is(key, "resourceProperties") || text_is(key, "vars") || text_is(key, "labels");
}

static bool keys_walk(struct keys *keys, struct doc *doc)
{
    struct arena *arena = keys->command->arena;
    struct doc *items;
    struct doc_entry *entries;
    size_t kept = 0;

    if (doc_is_list(doc)) {
        items = arena_array(arena, struct doc, doc->item_count + 1);
        for (size_t i = 0; i < doc->item_count; i++) {
            items[i] = doc->items[i];
            if (!keys_walk(keys, &items[i])) {
                return false;
            }
        }
        doc->items = items;
        return true;
    }
    if (!doc_is_map(doc)) {
        return true;
    }
    entries = arena_array(arena, struct doc_entry, doc->entry_count + 1);
    for (size_t i = 0; i < doc->entry_count; i++) {
        entries[kept] = doc->entries[i];
        if (is_key_file(entries[kept].key) && doc_is_scalar(&entries[kept].value)) {
            if (!doc_is_null(&entries[kept].value) && !key_add(keys, entries[kept].value.text)) {
                return false;
            }
        } else if (is_foreign(entries[kept].key) || keys_walk(keys, &entries[kept].value)) {
            kept++;
        } else {
            return false;
        }
    }
    doc->entries = entries;
    doc->entry_count = kept;
    return true;
}

/* Whose keys they are: of a group its cluster's. */
static struct text owner_name(const struct doc *document)
{
    const struct doc *spec = doc_child(document, "spec");
    const struct doc *fields = doc_is_map(spec) ? spec : document;
    const struct doc *cluster = doc_child(fields, "cluster");
    const struct doc *name = doc_is_scalar(cluster) ? cluster : doc_child(fields, "name");

    name = doc_is_scalar(name) ? name : doc_child(doc_child(document, "metadata"), "name");
    return doc_is_scalar(name) ? name->text : TEXT("reeve");
}

bool secret_file_keys_take(struct command *command, struct doc *documents, size_t *count)
{
    struct keys keys = {
        .command = command, .documents = documents, .count = *count, .first = *count
    };

    for (size_t i = 0; i < keys.first; i++) {
        keys.owner = owner_name(&documents[i]);
        keys.owned = 0;
        if (!is_secret(&documents[i]) && !keys_walk(&keys, &documents[i])) {
            return false;
        }
    }
    *count = keys.count;
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
