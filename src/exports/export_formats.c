#include "exports/export_formats.h"

#include "base/map.h"
#include "codec/json.h"
#include "ssh/files.h"

#include <assert.h>

enum { SSH_PORT = 22, EXPORTER_PORT = 9100 };

/* The state while an inventory is written. */
struct writing {
    struct arena *arena;
    struct err *err; /* set if the inventory cannot be written */
    bool is_failed;
    const struct select_nodes *nodes;
    const struct export_options *options;
    struct buf out;
};

/* ---- parts of all formats ---- */

static struct text host_of(const struct writing *writing, const struct select_node *node)
{
    return writing->options->is_one_cluster
               ? node->name
               : arena_printf(writing->arena, "%.*s.%.*s", TEXT_ARG(node->name),
                              TEXT_ARG(node->cluster));
}

static uint16_t export_port_of(const struct select_node *node)
{
    return node->port == 0 ? SSH_PORT : node->port;
}

static struct text user_of(const struct select_node *node)
{
    return node->user.length == 0 ? TEXT("root") : node->user;
}

/* True if the machine is active and has an address. Monitoring skips machines that are being
 * created or destroyed. */
static bool is_export_target(const struct select_node *node)
{
    return node->record_state == PLAN_RECORD_ACTIVE && node->address.length > 0;
}

static void string_write(struct buf *buf, struct text text)
{
    struct doc doc = doc_text(text, NULL);

    if (text_count_unescaped(text) == text.length && text_is_ascii(text)) {
        buf_add_byte(buf, '"');
        buf_add(buf, text);
        buf_add_byte(buf, '"');
    } else {
        json_format(buf, &doc);
    }
}

static void export_member_write(struct buf *buf, const char *before, const char *name,
                                struct text value)
{
    buf_add_string(buf, before);
    buf_add_byte(buf, '"');
    buf_add_string(buf, name);
    buf_add_string(buf, "\":");
    string_write(buf, value);
}

static void export_roles_write(struct buf *buf, const char *before, const char *name,
                               const struct roles_list *roles)
{
    buf_printf(buf, "%s\"%s\":[", before, name);
    for (size_t i = 0; i < roles->count; i++) {
        buf_add_string(buf, i == 0 ? "" : ",");
        string_write(buf, roles->items[i]);
    }
    buf_add_string(buf, "]");
}

static struct text label_of(const struct select_node *node, const char *name)
{
    const struct doc *value =
        doc_is_map(&node->group->labels) ? doc_child(&node->group->labels, name) : NULL;

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* True if the text can be a word of ssh_config as it is, without the characters of patterns and
 * tokens. */
static bool is_export_word(struct text word)
{
    return ssh_is_principal(word) && text_find_byte(word, '%') == SIZE_MAX &&
           text_find_byte(word, '*') == SIZE_MAX && text_find_byte(word, '?') == SIZE_MAX &&
           word.data[0] != '!' && word.data[0] != '-';
}

/* True if the text is a key "TYPE BASE64", without characters that are special for a shell or for
 * ssh. */
static bool is_key(struct text key)
{
    size_t blank = text_find_byte(key, ' ');

    return blank != SIZE_MAX && is_export_word(text_slice(key, 0, blank)) &&
           text_slice(key, blank + 1, key.length).length > 0 && text_is_visible(key) &&
           text_find_byte(key, '%') == SIZE_MAX && text_find_byte(key, '"') == SIZE_MAX &&
           text_find_byte(key, '\'') == SIZE_MAX && text_find_byte(key, '\\') == SIZE_MAX;
}

/* ---- ansible ---- */

/* Write the host key that the machine must present, as the output of a command (ssh_write). So no
 * known hosts file and no prompt are needed, and ansible_ssh_common_args stays free for the user's
 * settings. */
static void ansible_key_write(struct buf *buf, const char *name, const struct select_node *node)
{
    if (is_key(node->host_key) && node->alarm.length == 0 && is_export_word(node->name)) {
        buf_printf(buf,
                   ",\"%s\":\"-o HostKeyAlias=%.*s -o StrictHostKeyChecking=yes "
                   "-o 'KnownHostsCommand=/bin/echo %.*s %.*s'\"",
                   name, TEXT_ARG(node->name), TEXT_ARG(node->name), TEXT_ARG(node->host_key));
    }
}

/* True if Ansible would evaluate the text as a template. Templates may run programs on the user's
 * machine, so texts from machines and plugins must not be templates. In the generated JSON, the
 * characters that begin a template can only occur inside texts. */
static bool is_export_template(struct text said)
{
    for (size_t i = 0; i + 1 < said.length; i++) {
        if (said.data[i] == '{' &&
            (said.data[i + 1] == '{' || said.data[i + 1] == '%' || said.data[i + 1] == '#')) {
            return true;
        }
    }
    return false;
}

/* Write the variables of a machine, sorted by name. */
static void ansible_vars_write(struct buf *buf, const struct select_node *reported)
{
    struct select_node copy = *reported;
    const struct select_node *node = &copy;
    struct text *said[] = { &copy.address, &copy.user, &copy.host_key, &copy.facts, &copy.zone };

    for (size_t i = 0; i < ARRAY_COUNT(said); i++) {
        *said[i] = is_export_template(*said[i]) ? TEXT("") : *said[i];
    }
    export_member_write(buf, "{", "ansible_host", node->address);
    buf_printf(buf, ",\"ansible_port\":%u", export_port_of(node));
    ansible_key_write(buf, "ansible_sftp_extra_args", node);
    ansible_key_write(buf, "ansible_ssh_extra_args", node);
    export_member_write(buf, ",", "ansible_user", user_of(node));
    export_member_write(buf, ",", "node_addr", node->address);
    export_member_write(buf, ",", "node_name", node->name);
    export_member_write(buf, ",", "reeve_cluster", node->cluster);
    buf_add_string(buf, ",\"reeve_facts\":");
    buf_add(buf, node->facts.length == 0 ? TEXT("{}") : node->facts);
    export_member_write(buf, ",", "reeve_group", node->group->path);
    buf_add_string(buf, ",\"reeve_labels\":");
    json_format(buf, &node->group->labels);
    export_roles_write(buf, ",", "reeve_roles", &node->roles);
    export_member_write(buf, ",", "reeve_state", text_from(node->state));
    export_member_write(buf, ",", "reeve_zone", node->zone);
    buf_add_string(buf, "}");
}

/* Make a valid name of a group. It has only letters, digits and `_`. */
static struct text group_name(struct arena *arena, const char *kind, struct text a, struct text b)
{
    char *name = arena_string(arena, arena_printf(arena, "%s_%.*s%s%.*s", kind, TEXT_ARG(a),
                                                  b.length > 0 ? "_" : "", TEXT_ARG(b)));
    struct text text = text_from(name);

    for (size_t i = 0; i < text.length; i++) {
        char byte = name[i];
        bool is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '_';

        name[i] = is_good ? byte : '_';
    }
    return text;
}

/* A group of an Ansible inventory. */
struct export_group {
    struct text origin; /* where the group comes from; if two origins give the same name, that is an
                         * error */
    struct buf hosts;
};

static void group_add(struct writing *writing, struct map *groups, struct text name,
                      struct text origin, struct text host, bool is_list)
{
    struct export_group *group = map_find(groups, name);

    if (group == NULL) {
        group = arena_one(writing->arena, struct export_group);
        group->origin = origin;
        buf_init(&group->hosts, writing->arena);
        map_put(groups, name, group);
    }
    if (!text_is_equal(group->origin, origin) && !writing->is_failed) {
        writing->is_failed = true;
        err_set(writing->err, CODE_R0787,
                "'%.*s' would be the name of two groups of the inventory: %.*s and %.*s",
                TEXT_ARG(name), TEXT_ARG(group->origin), TEXT_ARG(origin));
        err_hint(writing->err,
                 "rename one of them: names of groups count as equal if they differ by "
                 "'-', '.', '/' and '_' only");
    }
    buf_add_string(&group->hosts, group->hosts.length == 0 ? "" : ",");
    string_write(&group->hosts, host);
    buf_add_string(&group->hosts, is_list ? "" : ":{}");
}

/* Add a machine to the group of a role twice: by the generated name, and by the name of the role
 * itself, which Contiv's playbooks use unchanged. */
static void role_add(struct writing *writing, struct map *groups, struct text role,
                     struct text host, bool is_list)
{
    struct arena *arena = writing->arena;
    struct text origin = arena_printf(arena, "the role %.*s", TEXT_ARG(role));
    struct text name = group_name(arena, "role", role, TEXT(""));

    group_add(writing, groups, name, origin, host, is_list);
    if (!text_is_equal(name, role)) {
        group_add(writing, groups, role, origin, host, is_list);
    }
}

/* Add each machine to its groups: those of its cluster, its group and its state, and those of its
 * roles. The label `role` counts as a role, but only with the generated name. */
static void export_groups_make(struct writing *writing, struct map *groups, bool is_list)
{
    struct arena *arena = writing->arena;

    map_init(groups, arena);
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];
        struct text path = node->group->path;
        struct text host = host_of(writing, node);
        struct text role = label_of(node, "role");

        if (!is_export_target(node)) {
            continue;
        }
        group_add(writing, groups, group_name(arena, "cluster", node->cluster, TEXT("")),
                  arena_printf(arena, "the cluster %.*s", TEXT_ARG(node->cluster)), host, is_list);
        group_add(
            writing, groups, group_name(arena, "nodegroup", node->cluster, path),
            arena_printf(arena, "the group %.*s/%.*s", TEXT_ARG(node->cluster), TEXT_ARG(path)),
            host, is_list);
        group_add(writing, groups, group_name(arena, "state", text_from(node->state), TEXT("")),
                  arena_printf(arena, "the state %s", node->state), host, is_list);
        for (size_t j = 0; j < node->roles.count; j++) {
            role_add(writing, groups, node->roles.items[j], host, is_list);
        }
        if (role.length > 0 && !roles_list_has(&node->roles, role)) {
            group_add(writing, groups, group_name(arena, "role", role, TEXT("")),
                      arena_printf(arena, "the role %.*s", TEXT_ARG(role)), host, is_list);
        }
    }
}

static void hostvars_write(struct writing *writing)
{
    bool is_first = true;

    buf_add_string(&writing->out, "{");
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];

        if (is_export_target(node)) {
            buf_add_string(&writing->out, is_first ? "\n" : ",\n");
            string_write(&writing->out, host_of(writing, node));
            buf_add_string(&writing->out, ":");
            ansible_vars_write(&writing->out, node);
            is_first = false;
        }
    }
    buf_add_string(&writing->out, "}");
}

static void ansible_write(struct writing *writing)
{
    const char *before = "\n";
    struct map groups;

    export_groups_make(writing, &groups, false);
    buf_add_string(&writing->out, "{\"all\":{\"hosts\":");
    hostvars_write(writing);
    buf_add_string(&writing->out, ",\n\"children\":{");
    for (const struct map_node *at = map_first(&groups, TEXT("")); at != NULL;
         at = map_after(&groups, at->key)) {
        buf_add_string(&writing->out, before);
        string_write(&writing->out, at->key);
        buf_add_string(&writing->out, ":{\"hosts\":{");
        buf_add(&writing->out, buf_text(&((struct export_group *)at->value)->hosts));
        buf_add_string(&writing->out, "}}");
        before = ",\n";
    }
    buf_add_string(&writing->out, "}}}\n");
}

static void ansible_list_write(struct writing *writing)
{
    struct map groups;

    export_groups_make(writing, &groups, true);
    buf_add_string(&writing->out, "{\"_meta\":{\"hostvars\":");
    hostvars_write(writing);
    buf_add_string(&writing->out, "}");
    for (const struct map_node *at = map_first(&groups, TEXT("")); at != NULL;
         at = map_after(&groups, at->key)) {
        buf_add_string(&writing->out, ",\n");
        string_write(&writing->out, at->key);
        buf_add_string(&writing->out, ":{\"hosts\":[");
        buf_add(&writing->out, buf_text(&((struct export_group *)at->value)->hosts));
        buf_add_string(&writing->out, "]}");
    }
    buf_add_string(&writing->out, "}\n");
}

/* ---- ssh ---- */

/* Write the host key into the file itself, as the output of a command. So no second file and no
 * prompt are needed. */
static void ssh_write(struct writing *writing)
{
    struct buf *out = &writing->out;

    buf_add_string(out,
                   "# written by reeve get nodes -o ssh: Include this file in ~/.ssh/config\n");
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];
        struct text host = host_of(writing, node);

        if (!is_export_target(node) || !is_export_word(host) || !is_export_word(node->address) ||
            !is_export_word(user_of(node))) {
            continue;
        }
        buf_printf(out, "Host %.*s\n  HostName %.*s\n  Port %u\n  User %.*s\n", TEXT_ARG(host),
                   TEXT_ARG(node->address), export_port_of(node), TEXT_ARG(user_of(node)));
        if (is_key(node->host_key) && node->alarm.length == 0) {
            buf_printf(out,
                       "  HostKeyAlias %.*s\n  KnownHostsCommand /bin/echo %.*s %.*s\n"
                       "  StrictHostKeyChecking yes\n",
                       TEXT_ARG(host), TEXT_ARG(host), TEXT_ARG(node->host_key));
        }
    }
}

/* ---- hosts ---- */

static void hosts_write(struct writing *writing)
{
    struct buf *out = &writing->out;

    buf_add_string(out, "# reeve begin\n");
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];

        if (is_export_target(node) && is_export_word(node->address) && is_export_word(node->name)) {
            buf_printf(out, "%.*s %.*s.%.*s", TEXT_ARG(node->address), TEXT_ARG(node->name),
                       TEXT_ARG(node->cluster));
            if (writing->options->is_one_cluster) {
                buf_printf(out, " %.*s", TEXT_ARG(node->name));
            }
            buf_add_string(out, "\n");
        }
    }
    buf_add_string(out, "# reeve end\n");
}

/* ---- prometheus ---- */

/* Convert a text to a valid name of a label. */
static void prometheus_name_write(struct buf *buf, struct text name)
{
    buf_add_string(buf, "\"label_");
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];
        bool is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '_';

        buf_add_byte(buf, is_good ? byte : '_');
    }
    buf_add_string(buf, "\":");
}

/* Write the roles for relabelling. Each role has a comma on both sides, so that a pattern matches
 * complete names: ",service-master,". */
static void prometheus_roles_write(struct buf *buf, const struct roles_list *roles)
{
    if (roles->count == 0) {
        return;
    }
    buf_add_string(buf, "\"__meta_reeve_roles\":\",");
    for (size_t i = 0; i < roles->count; i++) {
        buf_printf(buf, "%.*s,", TEXT_ARG(roles->items[i]));
    }
    buf_add_string(buf, "\",");
}

static void prometheus_write(struct writing *writing)
{
    unsigned port = writing->options->port == 0 ? EXPORTER_PORT : writing->options->port;
    struct buf *out = &writing->out;
    const char *before = "[\n";

    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];
        const struct doc *labels = &node->group->labels;
        bool is_six = text_find_byte(node->address, ':') != SIZE_MAX;

        if (!is_export_target(node)) {
            continue;
        }
        buf_add_string(out, before);
        buf_add_string(out, "{\"targets\":[");
        string_write(out, arena_printf(writing->arena, is_six ? "[%.*s]:%u" : "%.*s:%u",
                                       TEXT_ARG(node->address), port));
        buf_add_string(out, "],\"labels\":{");
        prometheus_roles_write(out, &node->roles);
        export_member_write(out, "", "cluster", node->cluster);
        export_member_write(out, ",", "node", node->name);
        export_member_write(out, ",", "nodegroup", node->group->path);
        export_member_write(out, ",", "state", text_from(node->state));
        export_member_write(out, ",", "zone", node->zone);
        for (size_t j = 0; doc_is_map(labels) && j < labels->entry_count; j++) {
            buf_add_string(out, ",");
            prometheus_name_write(out, labels->entries[j].key);
            string_write(out, labels->entries[j].value.text);
        }
        buf_add_string(out, "}}");
        before = ",\n";
    }
    buf_add_string(out, before[0] == '[' ? "[]\n" : "\n]\n");
}

/* ---- terraform, csv ---- */

static void terraform_write(struct writing *writing)
{
    struct buf *out = &writing->out;
    const char *before = "\n";

    buf_add_string(out, "{\"reeve_nodes\":{");
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];

        buf_add_string(out, before);
        string_write(out, arena_printf(writing->arena, "%.*s/%.*s", TEXT_ARG(node->cluster),
                                       TEXT_ARG(node->name)));
        export_member_write(out, ":{", "address", node->address);
        export_member_write(out, ",", "cluster", node->cluster);
        export_member_write(out, ",", "group", node->group->path);
        export_member_write(out, ",", "id", node->id);
        buf_add_string(out, ",\"labels\":");
        json_format(out, &node->group->labels);
        export_member_write(out, ",", "name", node->name);
        buf_printf(out, ",\"port\":%u", export_port_of(node));
        export_member_write(out, ",", "state", text_from(node->state));
        export_member_write(out, ",", "user", user_of(node));
        export_member_write(out, ",", "zone", node->zone);
        buf_add_string(out, "}");
        before = ",\n";
    }
    buf_add_string(out, "}}\n");
}

static void export_cell_write(struct buf *buf, struct text text, const char *behind)
{
    bool is_quoted =
        text_find_byte(text, ',') != SIZE_MAX || text_find_byte(text, '"') != SIZE_MAX ||
        text_find_byte(text, '\n') != SIZE_MAX || text_find_byte(text, '\r') != SIZE_MAX;

    buf_add_string(buf, is_quoted ? "\"" : "");
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '"') {
            buf_add_byte(buf, '"');
        }
        buf_add_byte(buf, text.data[i]);
    }
    buf_add_string(buf, is_quoted ? "\"" : "");
    buf_add_string(buf, behind);
}

static void export_csv_write(struct writing *writing)
{
    struct buf *out = &writing->out;

    buf_add_string(out, "cluster,name,group,state,address,port,user,zone,plugin,id\r\n");
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];

        export_cell_write(out, node->cluster, ",");
        export_cell_write(out, node->name, ",");
        export_cell_write(out, node->group->path, ",");
        export_cell_write(out, text_from(node->state), ",");
        export_cell_write(out, node->address, ",");
        buf_printf(out, "%u,", export_port_of(node));
        export_cell_write(out, user_of(node), ",");
        export_cell_write(out, node->zone, ",");
        export_cell_write(out, node->plugin, ",");
        export_cell_write(out, node->id, "\r\n");
    }
}

static void export_names_write(struct writing *writing)
{
    for (size_t i = 0; i < writing->nodes->count; i++) {
        const struct select_node *node = &writing->nodes->items[i];

        buf_printf(&writing->out, "%.*s/%.*s\n", TEXT_ARG(node->cluster), TEXT_ARG(node->name));
    }
}

/* ---- the formats ---- */

static const struct {
    const char *name;
    const char *type;
    void (*write)(struct writing *writing);
} forms[EXPORT_COUNT] = {
    [EXPORT_ANSIBLE] = { "ansible", "application/json", ansible_write },
    [EXPORT_ANSIBLE_LIST] = { "ansible-list", "application/json", ansible_list_write },
    [EXPORT_SSH] = { "ssh", "text/plain", ssh_write },
    [EXPORT_HOSTS] = { "hosts", "text/plain", hosts_write },
    [EXPORT_PROMETHEUS] = { "prometheus", "application/json", prometheus_write },
    [EXPORT_TERRAFORM] = { "terraform", "application/json", terraform_write },
    [EXPORT_CSV] = { "csv", "text/csv", export_csv_write },
    [EXPORT_NAMES] = { "names", "text/plain", export_names_write },
};

bool export_form_read(struct text word, enum export_form *out, struct err *err)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++) {
        if (text_is(word, forms[i].name)) {
            *out = (enum export_form)i;
            return true;
        }
    }
    err_set(err, CODE_R0786, "there is no inventory format '%.*s'", TEXT_ARG(word));
    return err_hint(err, "the formats are ansible, ssh, hosts, prometheus, terraform, csv, names");
}

const char *export_type(enum export_form form)
{
    assert(form < EXPORT_COUNT);
    return forms[form].type;
}

bool export_format(struct arena *arena, enum export_form form, const struct select_nodes *nodes,
                   const struct export_options *options, struct text *out, struct err *err)
{
    struct writing writing = { .arena = arena, .err = err, .nodes = nodes, .options = options };

    assert(form < EXPORT_COUNT);
    buf_init(&writing.out, arena);
    forms[form].write(&writing);
    *out = buf_text(&writing.out);
    return !writing.is_failed;
}

/* ---- for reeve's own clients ---- */

static void export_known_write(struct buf *out, const char *before, const char *name,
                               struct text value)
{
    if (value.length > 0) {
        export_member_write(out, before, name, value);
    }
}

static void export_node_write(struct buf *out, const struct select_node *node, struct text problem)
{
    buf_add_string(out, "{");
    if (node->facts.length > 0) {
        buf_add_string(out, "\"facts\":");
        buf_add(out, node->facts);
        buf_add_string(out, ",");
    }
    buf_add_string(out, "\"kind\":\"Node\",\"metadata\":");
    export_member_write(out, "{", "cluster", node->cluster);
    export_member_write(out, ",", "group", node->group->path);
    export_member_write(out, ",", "id", node->token);
    if (doc_is_map(&node->group->labels) && node->group->labels.entry_count > 0) {
        buf_add_string(out, ",\"labels\":");
        json_format(out, &node->group->labels);
    }
    export_member_write(out, ",", "name", node->name);
    buf_add_string(out, "},\"status\":{");
    buf_printf(out, "\"port\":%u", export_port_of(node));
    export_known_write(out, ",", "address", node->address);
    export_known_write(out, ",", "alarm", node->alarm);
    if (node->is_blocked) {
        buf_add_string(out, ",\"blocked\":true");
    }
    export_known_write(out, ",", "hostKey", node->host_key);
    export_known_write(out, ",", "id", node->id);
    if (node->is_outdated) {
        buf_add_string(out, ",\"outdated\":true");
    }
    export_member_write(out, ",", "plugin", node->plugin);
    export_member_write(out, ",", "prevStatus",
                        text_from(lifecycle_status_name(node->prev_status)));
    if (problem.length > 0) {
        buf_add_string(out, ",\"problem\":");
        buf_add(out, problem);
    }
    if (node->roles.count > 0) {
        export_roles_write(out, ",", "roles", &node->roles);
    }
    export_member_write(out, ",", "state", text_from(node->state));
    export_member_write(out, ",", "status", text_from(lifecycle_status_name(node->status)));
    export_member_write(out, ",", "user", user_of(node));
    export_known_write(out, ",", "zone", node->zone);
    buf_add_string(out, "}}");
}

/* Parse a token REVISION/CLUSTER/NODE. It has the revision of the first page, and the last machine
 * of the previous page. */
MUST_CHECK static bool next_read(struct text next, uint64_t *out_revision, struct text *out_cluster,
                                 struct text *out_name, struct err *err)
{
    size_t first = text_find_byte(next, '/');
    struct text rest = first == SIZE_MAX ? TEXT("") : text_slice(next, first + 1, next.length);
    size_t second = text_find_byte(rest, '/');
    int64_t revision = 0;

    if (second == SIZE_MAX || !text_parse_int64(text_slice(next, 0, first), &revision) ||
        revision < 0) {
        err_set(err, CODE_R0426,
                "next must be the value from a previous answer: '%.*s' is not valid",
                TEXT_ARG(next));
        return err_hint(err, "start without next");
    }
    *out_revision = (uint64_t)revision;
    *out_cluster = text_slice(rest, 0, second);
    *out_name = text_slice(rest, second + 1, rest.length);
    return true;
}

/* Return the index of the first machine after the machine with this cluster and name. */
static size_t node_behind(const struct select_nodes *nodes, struct text cluster, struct text name)
{
    size_t low = 0;
    size_t high = nodes->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (select_order(&nodes->items[middle], cluster, name) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool export_nodes(struct arena *arena, const struct select_nodes *nodes,
                  const struct export_page *page, struct text *out, struct err *err)
{
    uint64_t revision = page->revision;
    struct text cluster;
    struct text name;
    struct buf body;
    size_t begin = 0;
    size_t count;

    if (page->next.length > 0) {
        if (!next_read(page->next, &revision, &cluster, &name, err)) {
            return false;
        }
        begin = node_behind(nodes, cluster, name);
    }
    count = nodes->count - begin;
    count = page->limit > 0 && page->limit < count ? page->limit : count;
    buf_init(&body, arena);
    buf_printf(&body, "{%s\"items\":[", revision == page->revision ? "" : "\"changed\":true,");
    for (size_t i = 0; i < count; i++) {
        const struct select_node *node = &nodes->items[begin + i];

        buf_add_string(&body, i == 0 ? "" : ",");
        export_node_write(&body, node,
                          page->problem == NULL ? TEXT("") : page->problem(page->arg, node));
    }
    buf_add_string(&body, "]");
    if (begin + count < nodes->count) {
        const struct select_node *last = &nodes->items[begin + count - 1];

        export_member_write(&body, ",", "next",
                            arena_printf(arena, "%llu/%.*s/%.*s", (unsigned long long)revision,
                                         TEXT_ARG(last->cluster), TEXT_ARG(last->name)));
    }
    buf_printf(&body, ",\"revision\":%llu}", (unsigned long long)page->revision);
    *out = buf_text(&body);
    return true;
}
