#include "cli/args/secret_file.h"

#include "base/limits.h"
#include "model/nest.h"
#include "model/schema.h"
#include "ssh/private_file.h"
#include "sys/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes reserved for the suffix of a secret's name: a number if the owner has several keys, and
 * additionally a digest if the name was cut because it is too long. */
enum { KEY_NUMBER_BYTES = 3, KEY_CUT_BYTES = 3 + 9 };

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
                     "'%s' does not contain a valid secret: it is empty, or not text", path);
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
                          "a secret must not be on the command line, where other users can see it"),
             "give it in a file, @FILE, or by standard input, -");
    return false;
}

static bool is_secret_file_secret(const struct doc *document)
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
        return true; /* the manager reports the missing path */
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
    size_t first;      /* index of the first added document */
    struct text owner; /* prefix of the names of the secrets */
    size_t owned;      /* number of secrets of this owner */
};

/* Expand a leading "~/" to the home directory of the calling user, as a shell does. */
static struct text path_expand(struct command *command, struct text path)
{
    const char *memory = getenv("HOME");

    return text_has_prefix(path, TEXT("~/")) && memory != NULL
               ? arena_printf(command->arena, "%s%.*s", memory,
                              TEXT_ARG(text_slice(path, 1, SIZE_MAX)))
               : path;
}

/* Read a private key that reeve can log in with. Like ssh, refuse one that other users can read.
 * Errors are at the place of the path. */
static bool secret_file_key_read(struct command *command, const struct doc *file, struct text *out)
{
    const char *path = arena_string(command->arena, path_expand(command, file->text));
    enum ssh_private kind;
    struct stat status;
    struct err *error;
    struct err err;

    if (!file_read(command->arena, path, LIMIT_SECRET_BYTES, out, &err)) {
        err_place(&err, doc_place(file));
        err_list_add(&command->errors, &err);
        return false;
    }
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077) != 0) {
        error =
            err_list_set(&command->errors, doc_place(file), CODE_R0672,
                         "the private key '%s' can be read by other users of this machine", path);
        return err_hint(error, "chmod 600 %s", path);
    }
    kind = out->length == 0 || text_find_bad_utf8(*out) != SIZE_MAX ? SSH_PRIVATE_NONE
                                                                    : ssh_private_kind(*out);
    if (kind != SSH_PRIVATE_USABLE) {
        error = err_list_set(&command->errors, doc_place(file), CODE_R0672, "'%s' %s", path,
                             ssh_private_why(kind));
        return err_hint(error, "%s", ssh_private_hint(kind));
    }
    return true;
}

static struct text key_name(const struct keys *keys)
{
    return keys->owned == 0 ? keys->owner
                            : arena_printf(keys->command->arena, "%.*s-%zu", TEXT_ARG(keys->owner),
                                           keys->owned + 1);
}

/* Add a key as a secret. If several groups of an object use the same key, it becomes only one
 * secret. *out is the name of the secret. */
static bool secret_file_key_add(struct keys *keys, const struct doc *file, struct text *out)
{
    struct doc_builder builder;
    struct text key;

    if (!secret_file_key_read(keys->command, file, &key)) {
        return false;
    }
    for (size_t i = keys->count - keys->owned; i < keys->count; i++) {
        if (text_is_equal(doc_child(&keys->documents[i], "value")->text, key)) {
            *out = doc_child(&keys->documents[i], "name")->text;
            return true;
        }
    }
    if (keys->count - keys->first == SECRET_FILE_KEYS) {
        err_list_set(&keys->command->errors, doc_place(file), CODE_R0663,
                     "the files name more than %d private keys", SECRET_FILE_KEYS);
        return false;
    }
    *out = key_name(keys);
    keys->owned++;
    doc_builder_init(&builder, keys->command->arena);
    doc_builder_put(&builder, "kind", doc_text(TEXT("Secret"), file));
    doc_builder_put(&builder, "name", doc_text(*out, file));
    doc_builder_put(&builder, "value", doc_text(key, file));
    keys->documents[keys->count++] = doc_builder_map(&builder, file);
    return true;
}

static bool is_key_file(struct text key)
{
    return text_is(key, "privateKeyFile") || text_is(key, "private_key_file");
}

/* True for keys whose content reeve does not interpret: properties of plugins, and names that users
 * choose. */
static bool is_foreign(struct text key)
{
    return text_is(key, "resourceProperties") || text_is(key, "vars") || text_is(key, "labels");
}

/* Replace the path by the name of the secret. null stays null: the group must not inherit the key
 * from its defaults. */
static bool secret_file_key_take(struct keys *keys, const struct doc_entry *entry,
                                 const struct doc *fields, struct doc_builder *builder)
{
    struct doc_entry named = *entry;

    named.key = TEXT("sshKeySecret");
    if (doc_is_present(doc_child(fields, "sshKeySecret"))) {
        err_hint(err_list_set(&keys->command->errors, doc_key_place(entry), CODE_R0306,
                              "'privateKeyFile' and 'sshKeySecret' both set the login key"),
                 "leave out one of them");
        return false;
    }
    if (!doc_is_null(&entry->value)) {
        struct text name;

        if (!secret_file_key_add(keys, &entry->value, &name)) {
            return false;
        }
        named.value = doc_text(name, &entry->value);
    }
    doc_builder_add(builder, &named);
    return true;
}

static bool keys_walk(struct keys *keys, struct doc *doc)
{
    struct arena *arena = keys->command->arena;
    struct doc_builder builder;
    struct doc *items;

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
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct doc_entry entry = doc->entries[i];

        if (is_key_file(entry.key) && doc_is_scalar(&entry.value)) {
            if (!secret_file_key_take(keys, &entry, doc, &builder)) {
                return false;
            }
        } else if (is_foreign(entry.key) || keys_walk(keys, &entry.value)) {
            doc_builder_add(&builder, &entry);
        } else {
            return false;
        }
    }
    items = arena_one(arena, struct doc);
    *items = doc_builder_map(&builder, doc);
    items->has_faults = doc->has_faults;
    *doc = *items;
    return true;
}

static struct text secret_file_word_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
}

/* Return the prefix of the names of an object's secrets. The key of a single group or template is a
 * different secret from the key of a cluster with the same name, because each is written only when
 * its own file is applied. */
static struct text owner_of(struct arena *arena, const struct doc *document,
                            const struct target *as)
{
    const struct doc *spec = doc_child(document, "spec");
    const struct doc *fields = doc_is_map(spec) ? spec : document;
    const struct schema_kind *kind =
        as != NULL ? as->kind : schema_kind_of_word(secret_file_word_of(document, "kind"));
    struct text cluster = as != NULL ? TEXT("") : secret_file_word_of(fields, "cluster");
    struct text name = as != NULL ? as->name : secret_file_word_of(fields, "name");
    struct text owner;

    name = name.length > 0 ? name : secret_file_word_of(doc_child(document, "metadata"), "name");
    if (as != NULL && kind->owner == OWNER_NODEGROUP && text_find_byte(name, '/') != SIZE_MAX) {
        size_t slash = text_find_byte(name, '/');

        cluster = text_slice(name, 0, slash);
        name = text_slice(name, slash + 1, SIZE_MAX);
    }
    owner = cluster.length > 0
                ? arena_printf(arena, "%.*s-ssh-key.%.*s", TEXT_ARG(cluster), TEXT_ARG(name))
            : kind != NULL && kind->owner == OWNER_CLUSTER_TEMPLATE
                ? arena_printf(arena, "%.*s-ssh-key..ct", TEXT_ARG(name))
            : kind != NULL && kind->owner == OWNER_NODEGROUP_TEMPLATE
                ? arena_printf(arena, "%.*s-ssh-key..ngt", TEXT_ARG(name))
                : arena_printf(arena, "%.*s-ssh-key", TEXT_ARG(name));
    for (size_t i = 0; i < owner.length; i++) {
        if (owner.data[i] == '/') {
            ((char *)(uintptr_t)owner.data)[i] = '.';
        }
    }
    return owner.length + KEY_NUMBER_BYTES <= LIMIT_CLUSTER_NAME_BYTES
               ? owner
               : arena_printf(
                     arena, "%.*s-%08llx",
                     TEXT_ARG(text_slice(owner, 0, LIMIT_CLUSTER_NAME_BYTES - KEY_CUT_BYTES)),
                     (unsigned long long)(text_hash(owner, 0) & UINT32_MAX));
}

bool secret_file_keys_take(struct command *command, struct doc *documents, size_t *count,
                           const struct target *as)
{
    struct keys keys = {
        .command = command, .documents = documents, .count = *count, .first = *count
    };

    for (size_t i = 0; i < keys.first; i++) {
        keys.owner = owner_of(command->arena, &documents[i], as);
        keys.owned = 0;
        if (!is_secret_file_secret(&documents[i]) && !keys_walk(&keys, &documents[i])) {
            return false;
        }
    }
    *count = keys.count;
    return true;
}

bool secret_file_lay(struct command *command, struct doc *documents, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_secret_file_secret(&documents[i]) && !file_lay(command, &documents[i])) {
            return false;
        }
    }
    return true;
}
