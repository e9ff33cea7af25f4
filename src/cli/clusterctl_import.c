/* reeve clusterctl import: converts the data of Contiv's cluster manager. Without --apply it
 * changes nothing: it prints a file for reeve apply, and on standard error the commands to run
 * next. */
#include "base/limits.h"
#include "cli/clusterctl.h"
#include "cli/term/export_text.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/file.h"

#include <string.h>

/* public names start with: clusterctl_ import_ */

bool clusterctl_file_read(struct command *command, const char *path, struct doc *out)
{
    struct text text;
    struct err err;
    bool is_read = strcmp(path, "-") == 0
                       ? file_read_stdin(command->arena, LIMIT_DOCUMENT_BYTES, &text, &err)
                       : file_read(command->arena, path, LIMIT_DOCUMENT_BYTES, &text, &err);

    if (!is_read || !json_parse(command->arena, text, NULL, out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (doc_is_map(out)) {
        return true;
    }
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0302, "%s must be a JSON map", path);
    return false;
}

/* The data to import. A doc that is not a map was not given. */
struct import {
    struct command *command;
    const struct doc *config;
    struct doc vars;
    struct doc nodes; /* nodes of a running cluster manager, by name */
};

/* ---- the file ---- */

/* The number of nodes in a host group. */
static int64_t import_group_size(const struct import *import, struct text group)
{
    int64_t count = 0;

    for (size_t i = 0; doc_is_map(&import->nodes) && i < import->nodes.entry_count; i++) {
        const struct doc *node = &import->nodes.entries[i].value;

        count += text_is_equal(doc_child_text(doc_child(node, "configuration_state"), "host_group"),
                               group) &&
                 text_is(doc_child_text(doc_child(node, "inventory_state"), "status"), "Allocated");
    }
    return count;
}

static struct doc import_group(const struct import *import, struct text name)
{
    struct arena *arena = import->command->arena;
    struct doc *role = arena_one(arena, struct doc);
    struct doc_builder builder;

    *role = doc_text(name, NULL);
    doc_builder_init(&builder, arena);
    /* the size is 0 at first; the commissions after the import increase it */
    doc_builder_put(&builder, "size", doc_int(arena, 0, NULL));
    doc_builder_put(&builder, "roles", doc_list(role, 1, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Return the host groups: the two groups of Contiv, and further groups that nodes have. */
static struct doc import_groups(const struct import *import)
{
    struct arena *arena = import->command->arena;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "service-master", import_group(import, TEXT("service-master")));
    doc_builder_put(&builder, "service-worker", import_group(import, TEXT("service-worker")));
    for (size_t i = 0; doc_is_map(&import->nodes) && i < import->nodes.entry_count; i++) {
        struct text group = doc_child_text(
            doc_child(&import->nodes.entries[i].value, "configuration_state"), "host_group");

        if (group.length > 0) {
            doc_builder_put(&builder, arena_string(arena, group), import_group(import, group));
        }
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc import_defaults(const struct import *import)
{
    const struct doc *ansible = doc_child(import->config, "ansible");
    struct text user = doc_child_text(ansible, "user");
    struct doc_builder plugin;
    struct doc_builder builder;

    doc_builder_init(&plugin, import->command->arena);
    doc_builder_put(&plugin, "name", doc_text(TEXT("inventory"), NULL));
    doc_builder_init(&builder, import->command->arena);
    doc_builder_put(&builder, "resourcePlugin", doc_builder_map(&plugin, NULL));
    if (user.length > 0) {
        doc_builder_put(&builder, "user", doc_text(user, NULL));
    }
    if (doc_child_text(ansible, "playbook_location").length > 0) {
        doc_builder_put(&builder, "configuration", doc_text(TEXT("contiv"), NULL));
    }
    if (doc_is_map(&import->vars) && import->vars.entry_count > 0) {
        doc_builder_put(&builder, "vars", import->vars);
    }
    return doc_builder_map(&builder, NULL);
}

static void import_print(const struct import *import, struct buf *out)
{
    struct doc_builder builder;
    struct doc whole;

    doc_builder_init(&builder, import->command->arena);
    doc_builder_put(&builder, "version", doc_text(TEXT("4"), NULL));
    doc_builder_put(&builder, "kind", doc_text(TEXT("Cluster"), NULL));
    doc_builder_put(&builder, "name", doc_text(TEXT("contiv"), NULL));
    doc_builder_put(&builder, "defaults", import_defaults(import));
    doc_builder_put(&builder, "groups", import_groups(import));
    whole = doc_builder_map(&builder, NULL);
    export_text_write(out, &whole, OWNER_CLUSTER);
}

/* ---- the commands that follow ---- */

/* The address of a node in this host group; empty if it is in another one, or not in service. */
static struct text import_address(const struct doc *node, struct text group)
{
    bool is_meant =
        text_is_equal(doc_child_text(doc_child(node, "configuration_state"), "host_group"),
                      group) &&
        text_is(doc_child_text(doc_child(node, "inventory_state"), "status"), "Allocated");

    return is_meant ? doc_child_text(doc_child(node, "monitoring_state"), "management_address")
                    : TEXT("");
}

/* Print how the machines of a host group become members. */
static void import_group_say(const struct import *import, struct text group)
{
    struct command *command = import->command;
    struct buf names;
    struct buf addresses;

    if (import_group_size(import, group) == 0) {
        return;
    }
    buf_init(&names, command->arena);
    buf_init(&addresses, command->arena);
    for (size_t i = 0; i < import->nodes.entry_count; i++) {
        struct text address = import_address(&import->nodes.entries[i].value, group);

        if (address.length > 0) {
            buf_printf(&addresses, " %.*s", TEXT_ARG(address));
            buf_printf(&names, " %.*s", TEXT_ARG(import->nodes.entries[i].key));
        }
    }
    buf_printf(&command->notes, "# %.*s has%.*s:\n", TEXT_ARG(group), TEXT_ARG(buf_text(&names)));
    buf_printf(&command->notes, "reeve discover%.*s\n", TEXT_ARG(buf_text(&addresses)));
    buf_printf(&command->notes, "reeve commission%.*s -g contiv/%.*s\n",
               TEXT_ARG(buf_text(&addresses)), TEXT_ARG(group));
}

/* The lines for the configuration of the manager, each with this indent. */
static void import_settings_write(const struct import *import, const char *indent, struct buf *out)
{
    struct text user = doc_child_text(doc_child(import->config, "ansible"), "user");
    struct text serf = doc_child_text(doc_child(import->config, "serf"), "Addr");
    struct text address = doc_child_text(doc_child(import->config, "manager"), "addr");

    buf_printf(out,
               "%sinventory: [{user: %.*s, key: 'secret://contiv', serf: {address: '%.*s'}}]\n"
               "%scontiv: {listen: '%.*s', cluster: contiv}\n",
               indent, TEXT_ARG(user.length > 0 ? user : TEXT("root")),
               TEXT_ARG(serf.length > 0 ? serf : TEXT("127.0.0.1:7373")), indent,
               TEXT_ARG(address.length > 0 ? address : TEXT("127.0.0.1:9007")));
}

static void import_say(const struct import *import)
{
    struct command *command = import->command;
    const struct doc *ansible = doc_child(import->config, "ansible");
    struct text location = doc_child_text(ansible, "playbook_location");
    struct doc groups = import_groups(import);

    buf_add_string(&command->notes, "# next:\n");
    if (location.length > 0) {
        buf_printf(&command->notes, "reeve config push %.*s --name contiv\n", TEXT_ARG(location));
    }
    buf_add_string(&command->notes, "reeve apply -f FILE   # what was printed\n");
    buf_add_string(&command->notes,
                   "# in the configuration of the manager (docs/reference/reeved.md):\n");
    import_settings_write(import, "#   ", &command->notes);
    if (doc_child_text(ansible, "priv_key_file").length > 0) {
        buf_printf(&command->notes, "reeve create secret contiv @%.*s\n",
                   TEXT_ARG(doc_child_text(ansible, "priv_key_file")));
    }
    for (size_t i = 0; i < groups.entry_count; i++) {
        import_group_say(import, groups.entries[i].key);
    }
}

/* ---- taking over ---- */

static enum exit_code import_apply(const struct import *import)
{
    struct arena *arena = import->command->arena;
    const struct doc *ansible = doc_child(import->config, "ansible");
    struct doc groups = import_groups(import);
    struct clusterctl_group *found =
        arena_array(arena, struct clusterctl_group, groups.entry_count);
    struct buf settings;
    struct buf file;

    buf_init(&file, arena);
    import_print(import, &file);
    buf_init(&settings, arena);
    import_settings_write(import, "", &settings);
    for (size_t i = 0; i < groups.entry_count; i++) {
        size_t nodes = doc_is_map(&import->nodes) ? import->nodes.entry_count : 0;
        struct text *addresses = arena_array(arena, struct text, nodes);

        found[i] = (struct clusterctl_group){ groups.entries[i].key, addresses, 0 };
        for (size_t j = 0; j < nodes; j++) {
            struct text address =
                import_address(&import->nodes.entries[j].value, groups.entries[i].key);

            if (address.length > 0) {
                addresses[found[i].count++] = address;
            }
        }
    }
    return clusterctl_apply(&(struct clusterctl_found){
        .command = import->command,
        .user = doc_child_text(ansible, "user"),
        .key_file = doc_child_text(ansible, "priv_key_file"),
        .location = doc_child_text(ansible, "playbook_location"),
        .file = buf_text(&file),
        .settings = buf_text(&settings),
        .groups = found,
        .group_count = groups.entry_count,
    });
}

/* ---- sources ---- */

/* Read the variables: a map, or JSON in a text as in the settings of Contiv. */
static bool import_vars_read(struct import *import, const struct doc *vars)
{
    struct err err;

    if (doc_is_map(vars)) {
        import->vars = *vars;
        return true;
    }
    if (!doc_is_scalar(vars) || text_trim(vars->text).length == 0) {
        return true;
    }
    if (json_parse(import->command->arena, vars->text, NULL, &import->vars, &err) &&
        doc_is_map(&import->vars)) {
        return true;
    }
    err_list_set(&import->command->errors, (struct place){ 0 }, CODE_R0302,
                 "the variables are not a JSON map: '%.*s'",
                 TEXT_ARG(text_slice(vars->text, 0, LIMIT_WHY_BYTES)));
    return false;
}

static bool import_url_read(struct import *import, const char *url, struct doc *config)
{
    struct clusterctl ctl = { .command = import->command, .prefix = "" };
    struct doc globals;
    struct err err;

    ctl.session.client = (struct client){ .timeout_ms = LIMIT_REQUEST_MS };
    if (!address_parse_open(text_from(url), &ctl.session.client.address, &err)) {
        err_list_add(&import->command->errors, &err);
        return false;
    }
    return clusterctl_get(&ctl, "/config", config) &&
           clusterctl_get(&ctl, "/info/nodes", &import->nodes) &&
           clusterctl_get(&ctl, "/info/globals", &globals) &&
           import_vars_read(import, doc_child(&globals, "extra_vars"));
}

enum exit_code clusterctl_import(struct command *command)
{
    const char *from = command->args.words[1];
    struct import import = { .command = command };
    struct doc config;

    if (args_has(&command->args, FLAG_CLUSTERCTL_CONFIG) &&
        !args_has(&command->args, FLAG_CLUSTERCTL_APPLY)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--config needs --apply: without it nothing is changed"),
                 "%s clusterctl import %s --apply --config /etc/reeve/reeved.yaml",
                 command->program, from);
        return EXIT_CODE_USAGE;
    }
    import.config = &config;
    if (strncmp(from, "http://", 7) == 0 || strncmp(from, "https://", 8) == 0) {
        if (!import_url_read(&import, from, &config)) {
            return EXIT_CODE_FAILED;
        }
    } else if (!clusterctl_file_read(command, from, &config) ||
               !import_vars_read(&import,
                                 doc_child(doc_child(&config, "ansible"), "extra_variables"))) {
        return EXIT_CODE_FAILED;
    }
    if (args_has(&command->args, FLAG_CLUSTERCTL_APPLY)) {
        return import_apply(&import);
    }
    import_print(&import, &command->out);
    import_say(&import);
    return EXIT_CODE_DONE;
}
