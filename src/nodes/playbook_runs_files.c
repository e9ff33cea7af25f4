#include "base/limits.h"
#include "exports/export_formats.h"
#include "nodes/playbook_runs_parts.h"

#include <string.h>

/* Makes the files of a run. The inventory contains all nodes of the cluster, so that groups and
 * variables of other nodes can be resolved. The limit file contains the nodes of the run. */

enum { SSH_PORT = 22 };

static void known_host_add(struct buf *buf, struct text name, struct text address, uint16_t port,
                           struct text key)
{
    if (key.length == 0 || !text_is_visible(key)) {
        return;
    }
    buf_printf(buf, "%.*s %.*s\n", TEXT_ARG(name), TEXT_ARG(key));
    if (port == 0 || port == SSH_PORT) {
        buf_printf(buf, "%.*s %.*s\n", TEXT_ARG(address), TEXT_ARG(key));
    } else {
        buf_printf(buf, "[%.*s]:%u %.*s\n", TEXT_ARG(address), port, TEXT_ARG(key));
    }
}

/* Adds a node of the run to the inventory with its own login data. The node may have left its
 * group, and another machine may already have its name. */
static void files_place_put(struct playbook_run *run, const struct playbook_place *place,
                            struct select_nodes *nodes)
{
    struct arena *memory = run->memory;
    struct select_group *group;
    struct select_node *node;
    size_t at = 0;

    while (at < nodes->count && !text_is_equal(nodes->items[at].name, place->way.name)) {
        at++;
    }
    if (at == nodes->count) {
        group = arena_one(memory, struct select_group);
        *group = (struct select_group){ .path = place->group, .labels = doc_map(NULL, 0, NULL) };
        nodes->items = arena_grow(memory, nodes->items, nodes->count * sizeof(*nodes->items),
                                  (nodes->count + 1) * sizeof(*nodes->items));
        nodes->items[nodes->count++] = (struct select_node){ .cluster = run->cluster_name,
                                                             .key = run->cluster,
                                                             .group = group,
                                                             .name = place->way.name,
                                                             .displayed = DISPLAYED_LEAVING,
                                                             .state = "leaving" };
    }
    node = &nodes->items[at];
    node->token = place->way.token;
    node->id = place->way.machine;
    node->zone = place->way.zone;
    node->address = place->way.address;
    node->user = place->way.user;
    node->host_key = place->way.host_key;
    node->port = place->way.port;
    node->record_state = PLAN_RECORD_ACTIVE;
}

bool playbook_run_files_make(struct playbook_run *run, struct err *err)
{
    struct arena *memory = run->memory;
    struct text tenant = text_slice(run->cluster, 0, text_find_byte(run->cluster, '/'));
    struct service_actor actor = { .tenant = tenant, .user = TEXT("reeved") };
    struct select_request request = { .cluster = run->cluster_name };
    struct export_options options = { .is_one_cluster = true };
    struct select_nodes nodes;
    struct buf known;
    struct buf limit;

    if (!select_nodes(run->runs->options.cache, memory, &actor, &request, &nodes, err)) {
        if (err->code != CODE_R0403) {
            return false;
        }
        /* the cluster no longer exists, and only its former nodes are cleaned up */
        nodes = (struct select_nodes){ 0 };
    }
    for (const struct playbook_place *place = run->places; place != NULL; place = place->next) {
        files_place_put(run, place, &nodes);
    }
    if (!export_format(memory, EXPORT_ANSIBLE, &nodes, &options,
                       &run->files[PLAYBOOK_IPC_INVENTORY].bytes, err)) {
        return false;
    }
    buf_init(&known, memory);
    buf_init(&limit, memory);
    for (size_t i = 0; i < nodes.count; i++) {
        known_host_add(&known, nodes.items[i].name, nodes.items[i].address, nodes.items[i].port,
                       nodes.items[i].host_key);
    }
    for (const struct playbook_place *place = run->places; place != NULL; place = place->next) {
        known_host_add(&known, place->way.name, place->way.address, place->way.port,
                       place->way.host_key);
        buf_printf(&limit, "%.*s\n", TEXT_ARG(place->way.name));
    }
    run->files[PLAYBOOK_IPC_KNOWN_HOSTS].bytes = buf_text(&known);
    run->files[PLAYBOOK_IPC_LIMIT].bytes = buf_text(&limit);
    if (!stage_secrets_fill(&run->runs->options.secrets, memory, run->cluster, run->vars,
                            &run->files[PLAYBOOK_IPC_VARS].bytes, err)) {
        return false;
    }
    run->files[PLAYBOOK_IPC_KEY].bytes = (struct text){ run->key_bytes, run->key_length };
    run->files[PLAYBOOK_IPC_CERTIFICATE].bytes =
        arena_printf(memory, "%.*s\n", TEXT_ARG(run->certificate));
    for (size_t i = 0; i < PLAYBOOK_IPC_FILE_COUNT; i++) {
        if (i != PLAYBOOK_IPC_ARCHIVE) {
            run->files[i].all = run->files[i].bytes.length;
        }
    }
    return true;
}
