/* reeve create, also with --template: the four ways to create an object, all as one document. */
#include "cli/args/fields.h"
#include "cli/args/secret_file.h"
#include "cli/change/change.h"
#include "cli/change/people.h"
#include "cli/change/wanted.h"
#include "codec/doc_child.h"
#include "model/nest.h"

#include <string.h>

/* One run of create. */
struct making {
    struct command *command;
    const struct schema_kind *kind;
    struct text name; /* name of the object; for a group CLUSTER/PATH */
    struct doc document;
    struct sent keys;  /* secrets with the private keys that the file refers to */
    const char *value; /* source of the value of a secret; NULL: not given */
};

static bool is_create_template(const struct schema_kind *kind)
{
    return kind->owner == OWNER_CLUSTER_TEMPLATE || kind->owner == OWNER_NODEGROUP_TEMPLATE;
}

static bool is_create_of_group(const struct schema_kind *kind)
{
    return kind->owner == OWNER_NODEGROUP || kind->owner == OWNER_NODEGROUP_TEMPLATE;
}

static bool create_put(struct making *making, const char *path, struct doc value)
{
    return fields_put(making->command, &making->document, text_from(path), 0, value);
}

static struct doc create_text_doc(struct text text)
{
    return doc_text(text, NULL);
}

/* Make the value of `from`: {cluster: C}, {template: T}, {nodegroup: C/G} or {nodegrouptemplate:
 * T}. */
static struct doc from_doc(struct command *command, const struct target *source)
{
    const char *key =
        source->kind->owner == OWNER_CLUSTER_TEMPLATE ? "template" : source->kind->singular;
    struct doc_builder builder;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, key, create_text_doc(source->name));
    return doc_builder_map(&builder, NULL);
}

/* ---- inputs ---- */

static bool create_file_take(struct making *making)
{
    struct command *command = making->command;
    struct target as = { making->kind, making->name };
    struct wanted wanted;
    struct err *err;

    if (!args_has(&command->args, FLAG_CREATE_FILE)) {
        return true;
    }
    if (!wanted_read_as(command, FLAG_CREATE_FILE, &as, &wanted)) {
        return false;
    }
    if (wanted.sent.count != 1 + wanted.key_count) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           "the files contain %zu documents, and create makes one object",
                           wanted.sent.count - wanted.key_count);
        return err_hint(err, "several objects in one command: reeve apply -f FILE");
    }
    making->document = wanted.sent.documents[0];
    making->keys = (struct sent){ wanted.sent.documents + 1, wanted.key_count, NULL };
    if (doc_is_map(doc_child(&making->document, "spec"))) {
        making->document = *doc_child(&making->document, "spec");
    }
    return true;
}

static bool source_fits(struct making *making, const struct target *source)
{
    struct err *err;

    if (is_create_of_group(source->kind) == is_create_of_group(making->kind)) {
        return true;
    }
    err = err_list_set(&making->command->errors, (struct place){ 0 }, CODE_R0005,
                       "a %s cannot be made from a %s", making->kind->singular,
                       source->kind->singular);
    return err_hint(err, is_create_of_group(making->kind)
                             ? "from a nodegroup or a nodegrouptemplate: --from ng/shop/web"
                             : "from a cluster or a clustertemplate: --from cluster/shop");
}

static bool from_take(struct making *making)
{
    const char *word = args_named(&making->command->args, "from");
    struct target source;

    if (word == NULL) {
        return true;
    }
    if (!target_parse(making->command, word, &source) || !source_fits(making, &source)) {
        return false;
    }
    if (making->kind->owner == OWNER_CLUSTER && source.kind->owner == OWNER_CLUSTER_TEMPLATE &&
        doc_child(&making->document, "version") == NULL &&
        !create_put(making, "version",
                    create_text_doc(TEXT("1")))) { /* a template has no separate revision */
        return false;
    }
    return create_put(making, "from", from_doc(making->command, &source));
}

/* ---- groups ---- */

static bool group_path_put(struct making *making, struct text name, struct doc value)
{
    return fields_put(making->command, &making->document,
                      arena_printf(making->command->arena, "groups.%.*s", TEXT_ARG(name)), 0,
                      value);
}

static bool group_file_take(struct making *making, struct text name, const char *path)
{
    struct doc group;

    return fields_read_file(making->command, path, &group) && group_path_put(making, name, group);
}

static bool create_groups_take(struct making *making)
{
    struct command *command = making->command;
    const char *word;

    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_CREATE_ADD_GROUP, i)) != NULL;
         i++) {
        const char *equals = strchr(word, '=');
        struct text name =
            text_slice(text_from(word), 0, equals == NULL ? 0 : (size_t)(equals - word));
        struct doc_builder group;
        struct target source;

        if (name.length == 0) {
            err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                  "--add-group does not accept '%s'", word),
                     "write NAME=ngt/T, NAME=ng/CLUSTER/GROUP or NAME=@FILE");
            return false;
        }
        if (equals[1] == '@') {
            if (!group_file_take(making, name, equals + 2)) {
                return false;
            }
            continue;
        }
        if (!target_parse(command, equals + 1, &source)) {
            return false;
        }
        doc_builder_init(&group, command->arena);
        doc_builder_put(&group, "from", from_doc(command, &source));
        if (!group_path_put(making, name, doc_builder_map(&group, NULL))) {
            return false;
        }
    }
    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_CREATE_DROP_GROUP, i)) != NULL;
         i++) {
        if (!group_path_put(making, text_from(word), doc_plain(TEXT("null"), NULL))) {
            return false;
        }
    }
    return true;
}

/* ---- fields ---- */

static bool fields_take(struct making *making)
{
    struct command *command = making->command;
    struct doc *fixed = arena_array(command->arena, struct doc, command->args.flag_count + 1);
    size_t count = 0;
    const char *word;

    for (size_t i = 0; (word = args_named_at(&command->args, "set", i)) != NULL; i++) {
        if (!fields_set(command, &making->document, word)) {
            return false;
        }
    }
    while ((word = args_named_at(&command->args, "fixed", count)) != NULL) {
        fixed[count++] = create_text_doc(text_from(word));
    }
    if (count > 0 && !is_create_template(making->kind)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--fixed applies only to templates"),
                 "a template can fix fields: reeve create --template NAME --fixed PATH");
        return false;
    }
    return count == 0 || create_put(making, "fixed", doc_list(fixed, count, NULL));
}

/* Read the argument after the name of a secret: @FILE, or -. */
static bool create_value_take(struct making *making)
{
    struct doc value;

    return making->value == NULL ||
           (secret_file_word(making->command, text_from(making->value), &value) &&
            create_put(making, "value", value));
}

static bool create_name_put(struct making *making)
{
    size_t slash = text_find_byte(making->name, '/');
    struct err *err;

    if (making->kind->owner != OWNER_NODEGROUP) {
        making->document =
            nest_put(making->command->arena, &making->document, "id", (struct doc){ 0 });
        return create_put(making, "name", create_text_doc(making->name));
    }
    if (slash == SIZE_MAX) {
        err = err_list_set(&making->command->errors, (struct place){ 0 }, CODE_R0005,
                           "a group needs its cluster");
        return err_hint(err, "write CLUSTER/GROUP: reeve create nodegroup shop/%.*s",
                        TEXT_ARG(making->name));
    }
    return create_put(making, "cluster", create_text_doc(text_slice(making->name, 0, slash))) &&
           create_put(making, "name",
                      create_text_doc(text_slice(making->name, slash + 1, making->name.length)));
}

/* create --template --into ct/T: a template becomes a group of an existing template. The call is
 * pinned to that template's revision. */
static bool into_call(struct making *making, const struct session *session, const char *word,
                      struct change_call *out)
{
    struct command *command = making->command;
    static const char *const names[] = { "id", "kind", "name", "cluster" };
    struct doc group = making->document;
    struct text at = arena_printf(command->arena, "groups.%.*s", TEXT_ARG(making->name));
    const struct doc *groups;
    struct target target;
    struct doc into;

    if (!target_parse(command, word, &target) ||
        !session_get(command, session, session_path(command, target.kind, target.name), &into)) {
        return false;
    }
    groups = doc_child(doc_child(&into, "spec"), "groups");
    if (doc_is_map(groups) && nest_find(groups, making->name) != NULL) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0402,
                                     "%.*s has a group '%.*s' already",
                                     TEXT_ARG(target_format(command->arena, &target)),
                                     TEXT_ARG(making->name)),
                        "use another name, or change that group: reeve edit %.*s",
                        TEXT_ARG(target_format(command->arena, &target)));
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        group = nest_put(command->arena, &group, names[i], (struct doc){ 0 });
    }
    making->document = doc_map(NULL, 0, NULL);
    if (!fields_put(command, &making->document, at, 0, group)) {
        return false;
    }
    *out = (struct change_call){ .method = "PATCH",
                                 .path = session_path(command, target.kind, target.name),
                                 .content_type = "application/merge-patch+json",
                                 .if_match =
                                     doc_child_text(doc_child(&into, "metadata"), "revision") };
    return true;
}

static bool into_check(struct making *making, const char *word)
{
    struct command *command = making->command;
    struct target target;
    struct err *err;

    if (!target_parse(command, word, &target)) {
        return false;
    }
    if (target.kind->owner == OWNER_CLUSTER_TEMPLATE && is_create_of_group(making->kind) &&
        !args_has(&command->args, FLAG_CREATE_FIXED)) {
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       target.kind->owner != OWNER_CLUSTER_TEMPLATE
                           ? "--into needs a clustertemplate, not a %s"
                       : is_create_of_group(making->kind)
                           ? "--fixed applies to a whole template, and --into adds to one"
                           : "--into takes groups, not clusters",
                       target.kind->singular);
    return err_hint(err, "reeve create --template gpu --from shop/gpu --into ct/web-std");
}

/* Return the call that writes the keys. It is sent first, because otherwise the object would refer
 * to missing secrets. */
static struct change_call keys_call(struct making *making)
{
    struct command *command = making->command;
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "documents",
                    doc_list(making->keys.documents, making->keys.count, NULL));
    body = doc_builder_map(&builder, NULL);
    return (struct change_call){ .method = "POST",
                                 .path = TEXT("/v1/apply"),
                                 .content_type = "application/json",
                                 .body = change_body(command, &body) };
}

static enum exit_code make(struct making *making)
{
    struct command *command = making->command;
    struct sent sent = { &making->document, 1, NULL };
    struct change_call calls[2] = { { 0 },
                                    { .method = "POST", .content_type = "application/json" } };
    struct change_call *call = &calls[1];
    struct change_set set = { call, 1, &sent };
    const char *into = args_named(&command->args, "into");
    struct session session;

    making->document = doc_map(NULL, 0, NULL);
    if ((into != NULL && !into_check(making, into)) || !create_file_take(making) ||
        !from_take(making) || !create_groups_take(making) || !fields_take(making) ||
        !create_value_take(making) ||
        (into == NULL &&
         (!create_name_put(making) ||
          !create_put(making, "kind", create_text_doc(text_from(making->kind->name))))) ||
        !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    call->path = session_path(command, making->kind, TEXT(""));
    if (into != NULL && !into_call(making, &session, into, call)) {
        return EXIT_CODE_FAILED;
    }
    call->body = change_body(command, &making->document);
    if (making->keys.count > 0) {
        calls[0] = keys_call(making);
        set.calls = calls;
        set.count = 2;
    }
    return change_run(command, &session, &set);
}

/* Check that no flags of grants and tokens are given; they do not apply to documents. */
static bool document_flags_check(struct command *command)
{
    static const char *const names[] = { "cluster", "group", "all-tenants", "days" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (args_named(&command->args, names[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s applies only to grants and tokens", names[i]),
                            "reeve create grant USER ROLE -c CLUSTER");
        }
    }
    return true;
}

/* ---- create --template ---- */

/* Return the kind of template that is made from an object of this kind. */
static const struct schema_kind *template_kind(const struct schema_kind *source)
{
    return schema_kind_find(is_create_of_group(source) ? TEXT("NodeGroupTemplate")
                                                       : TEXT("ClusterTemplate"));
}

static bool template_kind_find(struct command *command, const struct schema_kind **out)
{
    const char *from = args_named(&command->args, "from");
    struct target as = { schema_kind_find(TEXT("ClusterTemplate")),
                         text_from(command->args.words[0]) };
    struct target source;
    struct wanted wanted;
    const struct doc *kind;

    if (from != NULL) {
        if (!target_parse(command, from, &source)) {
            return false;
        }
        *out = template_kind(source.kind);
        return true;
    }
    if (!command_needs_files(command, FLAG_CREATE_FILE) ||
        !wanted_read_as(command, FLAG_CREATE_FILE, &as, &wanted)) {
        return false;
    }
    kind = doc_child(&wanted.sent.documents[0], "kind");
    *out = template_kind(doc_is_scalar(kind) && schema_kind_find(kind->text) != NULL
                             ? schema_kind_find(kind->text)
                             : schema_kind_find(TEXT("Cluster")));
    return true;
}

/* --template NAME: the source determines the kind. */
static enum exit_code template_create(struct command *command)
{
    const struct args *args = &command->args;
    struct making making = { .command = command, .name = text_from(args->words[0]) };

    if (args->argument_count != 1 || strchr(args->words[0], '/') != NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--template takes one name, and no kind"),
                 "use: reeve create --template web-std --from shop/web");
        return EXIT_CODE_USAGE;
    }
    if (args_has(args, FLAG_CREATE_ADD_GROUP) || args_has(args, FLAG_CREATE_DROP_GROUP)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--add-group and --drop-group cannot be used with --template"),
                 "reeve create ct NAME --from cluster/shop --drop-group debug");
        return EXIT_CODE_USAGE;
    }
    return template_kind_find(command, &making.kind) ? make(&making) : EXIT_CODE_USAGE;
}

enum exit_code verb_create(struct command *command)
{
    struct making making = { .command = command };
    struct target target;

    size_t count = command->args.argument_count;

    if (people_is_meant(command)) {
        return people_create(command);
    }
    if (!document_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (args_has(&command->args, FLAG_CREATE_TEMPLATE)) {
        return template_create(command);
    }
    if (args_has(&command->args, FLAG_CREATE_INTO)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--into needs --template"),
                 "reeve create --template gpu --from shop/gpu --into ct/web-std");
        return EXIT_CODE_USAGE;
    }
    if (count > 1 && (command->args.words[count - 1][0] == '@' ||
                      strcmp(command->args.words[count - 1], "-") == 0)) {
        making.value = command->args.words[--count];
    }
    if (!target_read(command, command->args.words, count, &target)) {
        return EXIT_CODE_USAGE;
    }
    if (making.value != NULL && target.kind->owner != OWNER_SECRET) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "'%s' would be the value of a secret; a %s has none", making.value,
                     target.kind->singular);
        return EXIT_CODE_USAGE;
    }
    making.kind = target.kind;
    making.name = target.name;
    return make(&making);
}
