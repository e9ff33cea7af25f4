#include "base/limits.h"
#include "exports/export_formats.h"
#include "nodes/playbook_runs_parts.h"

#include <string.h>

/* The files of a run. The inventory has all nodes of the cluster, so that groups and variables of
 * other nodes resolve; the limit has the nodes of the run. */

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

    if (!select_nodes(run->runs->options.cache, memory, &actor, &request, &nodes, err) ||
        !export_format(memory, EXPORT_ANSIBLE, &nodes, &options,
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
    run->files[PLAYBOOK_IPC_VARS].bytes = run->vars;
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
