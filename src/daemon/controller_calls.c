#include "daemon/controller_state.h"
#include "codec/json.h"
#include "provider/plugin_view.h"
#include "reeve/plugin.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: controller_ */

/* The controller's answers to requests of clients: validation, installation and upgrade of plugins,
 * output of nodes, and logins to machines. */

static const struct wire_hello *hello_find(void *arg, struct text name)
{
    const struct controller *controller = arg;
    struct plugins_entry entry;

    if (inventory_plugin_is(name)) {
        return inventory_plugin_hello();
    }
    return plugins_look(controller->plugins, name, &entry) ? entry.hello : NULL;
}

static bool hello_is_asked(void *arg, struct text name)
{
    const struct controller *controller = arg;
    struct plugins_entry entry;

    return plugins_look(controller->plugins, name, &entry) && entry.is_asked;
}

const struct model_plugins *controller_plugins(struct controller *controller)
{
    controller->known = (struct model_plugins){ hello_find, hello_is_asked, controller };
    return &controller->known;
}

/* Returns the origin of a plugin, and the digest of a version that waits for approval. */
static struct doc fetched_doc(const struct controller *controller, struct arena *arena,
                              struct text tenant, const struct plugins_entry *entry)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    plugin_fetch_put(controller->fetch, arena, tenant, entry->name, &builder);
    return doc_builder_map(&builder, NULL);
}

struct doc controller_plugins_doc(struct controller *controller, struct arena *arena,
                                  struct text tenant)
{
    size_t wanted = controller->fetch == NULL ? 0 : plugin_fetch_count(controller->fetch, tenant);
    size_t shown = 0;
    struct doc *items;
    size_t count;

    if (controller->fetch != NULL) {
        plugin_fetch_know(controller->fetch, tenant);
    }
    count = plugins_count(controller->plugins);
    items = arena_array(arena, struct doc, count + wanted + 1);
    items[shown++] = inventory_plugin_doc(arena);
    for (size_t i = 0; i < count; i++) {
        struct plugins_entry entry = plugins_at(controller->plugins, i);
        const struct provider *instance = plugins_instance(controller->plugins, tenant, &entry);
        struct hosted_state state = { 0 };

        if (entry.is_fetched && !plugin_fetch_has(controller->fetch, tenant, &entry)) {
            continue; /* skip entries of other tenants, and older entries */
        }
        if (instance != NULL) {
            state = hosted_state(instance);
        }
        items[shown++] =
            plugin_view(arena, &entry, instance == NULL ? NULL : &state,
                        entry.is_fetched ? fetched_doc(controller, arena, tenant, &entry)
                                         : doc_map(NULL, 0, NULL));
    }
    if (controller->fetch != NULL) {
        shown = plugin_fetch_show(controller->fetch, arena, tenant, items, shown);
    }
    return doc_list(items, shown, NULL);
}

void controller_upgrade(struct controller *controller, struct text tenant, struct text plugin,
                        plugin_fetch_done *done, void *arg)
{
    struct err err;

    if (controller->fetch == NULL || controller->is_closed) {
        err_set(&err, CODE_R0647, "this manager does not fetch plugins");
        done(arg, NULL, &err);
        return;
    }
    plugin_fetch_upgrade(controller->fetch, tenant, plugin, done, arg);
}

void controller_install(struct controller *controller, const struct plugin_order *order,
                        plugin_fetch_done *done, void *arg)
{
    struct err err;

    if (controller->fetch == NULL || controller->is_closed) {
        err_set(&err, CODE_R0647, "this manager does not store plugins");
        done(arg, NULL, &err);
        return;
    }
    plugin_fetch_install(controller->fetch, order, done, arg);
}

void controller_enter(struct controller *controller, struct text cluster, struct text who,
                      struct text key,
                      void (*done)(void *arg, struct text certificate, const struct err *err),
                      void *arg)
{
    struct err err;

    if (controller->is_closed || cache_state(controller->options.cache) != CACHE_READY) {
        err_set(&err, CODE_R0548, "this manager is starting or stopping");
        done(arg, TEXT(""), &err);
        return;
    }
    authorities_enter(controller->authorities, cluster, who, key, done, arg);
}

bool controller_runs_bundle(const struct controller *controller, struct text digest)
{
    return !controller->is_closed && (node_runs_names(controller->nodes, digest) ||
                                      playbook_runs_names(controller->playbooks, digest));
}

bool controller_logs(const struct controller *controller, struct arena *arena, struct text token,
                     const struct service_logs *logs, struct doc *out, struct err *err)
{
    if (controller->logs == NULL) {
        return err_set(err, CODE_R0729, "this manager does not store the output of stages");
    }
    return node_logs_read(controller->logs, arena, token, logs, out, err);
}

bool controller_logs_gone(const struct controller *controller, struct arena *arena,
                          struct text tenant, struct text cluster, struct text node,
                          struct text *out_token)
{
    return controller->logs != NULL &&
           logs_owner_find(controller->logs, arena, node_logs_owner(arena, tenant, cluster, node),
                           out_token);
}

struct doc controller_policy(const struct controller *controller, struct arena *arena)
{
    return controller->fetch == NULL ? doc_map(NULL, 0, NULL)
                                     : plugin_fetch_policy(controller->fetch, arena);
}

/* ---- requests that wait for a plugin ---- */

/* A client's request that waits for the answer of a plugin. Exactly one of the functions is set. If
 * the manager ends, the request is answered, and none is set. */
struct plugin_wait {
    struct plugin_wait *next;
    struct controller *controller;
    void (*judged)(void *arg, struct wire_list faults, struct text problem);
    void (*preflighted)(void *arg, const struct provider_preflight *found);
    provider_done *done;
    void *arg;
};

static struct plugin_wait *plugin_wait_new(struct controller *controller, void *arg)
{
    struct plugin_wait *wait = rows_resize(NULL, sizeof(*wait));

    *wait = (struct plugin_wait){ .next = controller->plugin_waits,
                                  .controller = controller,
                                  .arg = arg };
    controller->plugin_waits = wait;
    return wait;
}

/* Removes and frees the entry. Returns a copy, so that the caller can call its function. */
static struct plugin_wait plugin_wait_end(struct plugin_wait *wait)
{
    struct plugin_wait **at = &wait->controller->plugin_waits;
    struct plugin_wait copy = *wait;

    while (*at != wait) {
        at = &(*at)->next;
    }
    *at = wait->next;
    rows_free(wait);
    return copy;
}

static void on_plugin_judged(void *arg, struct wire_list faults, struct text problem)
{
    struct plugin_wait wait = plugin_wait_end(arg);

    if (wait.judged != NULL) {
        wait.judged(wait.arg, faults, problem);
    }
}

static void on_plugin_preflighted(void *arg, const struct provider_preflight *found)
{
    struct plugin_wait wait = plugin_wait_end(arg);

    if (wait.preflighted != NULL) {
        wait.preflighted(wait.arg, found);
    }
}

static void on_plugin_done(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct plugin_wait wait = plugin_wait_end(arg);

    if (wait.done != NULL) {
        wait.done(wait.arg, outcome, answer);
    }
}

void controller_waits_refuse(struct controller *controller)
{
    for (struct plugin_wait *wait = controller->plugin_waits; wait != NULL; wait = wait->next) {
        struct plugin_wait copy = *wait;

        wait->judged = NULL;
        wait->preflighted = NULL;
        wait->done = NULL;
        if (copy.judged != NULL) {
            copy.judged(copy.arg, (struct wire_list){ 0 }, TEXT(CONTROLLER_STOPS));
        } else if (copy.preflighted != NULL) {
            copy.preflighted(copy.arg,
                             &(struct provider_preflight){ .problem = TEXT(CONTROLLER_STOPS) });
        } else if (copy.done != NULL) {
            copy.done(copy.arg, OUTCOME_REFUSED,
                      &(struct provider_answer){ .fault = PROVIDER_FAULT_TRANSIENT,
                                                 .message = TEXT(CONTROLLER_STOPS) });
        }
    }
}

/* Returns the plugin that a request names. NULL: it is not available; *problem has the reason. */
static struct provider *controller_plugin_find(struct controller *controller, struct text tenant,
                                               struct text plugin, const char **problem)
{
    *problem = CONTROLLER_STOPS;
    return controller->is_closed || controller->is_refusing
               ? NULL
               : controller_provider_give(controller, tenant, plugin, problem);
}

void controller_judge(struct controller *controller, struct text tenant, struct text plugin,
                      struct text properties,
                      void (*done)(void *arg, struct wire_list faults, struct text problem),
                      void *arg)
{
    const char *problem;
    struct provider *provider = controller_plugin_find(controller, tenant, plugin, &problem);
    struct plugin_wait *wait;

    if (inventory_plugin_is(plugin)) {
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

        done(arg, inventory_plugin_judge(arena, controller->options.cache, tenant, properties),
             TEXT(""));
        return;
    }
    if (provider == NULL) {
        done(arg, (struct wire_list){ 0 }, text_from(problem));
        return;
    }
    wait = plugin_wait_new(controller, arg);
    wait->judged = done;
    hosted_validate(provider, properties, on_plugin_judged, wait);
}

void controller_preflight(struct controller *controller, struct text tenant, struct text plugin,
                          const struct wire_call *wire,
                          void (*done)(void *arg, const struct provider_preflight *found),
                          void *arg)
{
    const char *problem;
    struct provider *provider = controller_plugin_find(controller, tenant, plugin, &problem);
    struct plugin_wait *wait;

    if (inventory_plugin_is(plugin)) {
        done(arg, &(struct provider_preflight){ 0 });
        return;
    }
    if (provider == NULL) {
        done(arg, &(struct provider_preflight){ .problem = text_from(problem) });
        return;
    }
    wait = plugin_wait_new(controller, arg);
    wait->preflighted = done;
    hosted_preflight(provider, wire, on_plugin_preflighted, wait);
}

void controller_host_key(struct controller *controller, struct text address, uint16_t port,
                         host_key_done *done, void *arg)
{
    if (controller->is_closed) {
        done(arg, TEXT(""), TEXT(CONTROLLER_STOPS));
        return;
    }
    host_key_runs_start(controller->host_keys, address, port, done, arg);
}

bool controller_sweep(struct controller *controller, uint32_t first, size_t count, uint16_t port,
                      port_sweep_done *done, void *arg)
{
    return !controller->is_closed &&
           port_sweeps_start(controller->port_sweeps, first, count, port, done, arg);
}

void controller_membership(struct controller *controller, struct text tenant, struct text source,
                           const struct membership_report *report)
{
    if (controller->observer != NULL && !controller->is_closed) {
        observer_report(controller->observer, tenant, source, report);
    }
}

void controller_console(struct controller *controller, struct text tenant, struct text plugin,
                        const struct wire_call *wire, provider_done *done, void *arg)
{
    const char *problem;
    struct provider *provider = controller_plugin_find(controller, tenant, plugin, &problem);
    struct plugin_wait *wait;

    assert(!inventory_plugin_is(plugin)); /* the plugin `inventory` does not have this method */
    if (provider == NULL) {
        done(arg, OUTCOME_REFUSED,
             &(struct provider_answer){ .fault = PROVIDER_FAULT_TRANSIENT,
                                        .message = text_from(problem) });
        return;
    }
    wait = plugin_wait_new(controller, arg);
    wait->done = done;
    hosted_console(provider, wire, on_plugin_done, wait);
}
