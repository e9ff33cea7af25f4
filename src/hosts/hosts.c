#include "managers/managers.h"
#include "plan/hosts.h"
#include "reconcile/control_parts.h"

#include <assert.h>

/* public names start with: hosts_ */

/* Machines on the hosts of managers. For a pass, each pair of plugin and host is a separate source.
 * So the planner never uses the listing of one host as evidence about another host
 * (docs/decisions/0164). */

struct text hosts_at(const struct control *control, struct text at)
{
    struct text here = control->options.manager.id;
    bool is_own = text_is_equal(at, here) || (here.length == 0 && control->options.is_alone);

    return at.length == 0 || is_own ? TEXT("") : at;
}

static const struct managers_row *hosts_row_find(const struct control *control, struct text at)
{
    const struct managers *managers = control_managers(control);

    return managers == NULL ? NULL : managers_find(managers, at);
}

static struct text hosts_base(struct text plugin)
{
    return text_slice(plugin, 0, text_find_byte(plugin, '/'));
}

static bool hosts_has_plugin(const struct managers_row *row, struct text plugin)
{
    for (size_t i = 0; i < row->plugin_count; i++) {
        if (text_is_equal(row->plugins[i], hosts_base(plugin))) {
            return true;
        }
    }
    return false;
}

/* ---- sources ---- */

size_t hosts_room(const struct control *control)
{
    const struct managers *managers = control_managers(control);

    return managers == NULL || managers_count(managers) < 2 ? 1 : managers_count(managers);
}

static bool hosts_is_of_hosts(const struct source *source)
{
    return source->at.length == 0 && source->provider != NULL && source->provider->traits.is_host;
}

void hosts_sources_add(struct pass *pass)
{
    const struct control *control = pass->reconciler->control;
    const struct managers *managers = control_managers(control);
    size_t count = pass->source_count;

    for (size_t i = 0; managers != NULL && i < count; i++) {
        for (size_t j = 0; hosts_is_of_hosts(&pass->sources[i]) && j < managers_count(managers);
             j++) {
            const struct managers_row *row = managers_at(managers, j);

            if (row->is_live && !row->is_here && row->peer.length > 0 &&
                hosts_has_plugin(row, pass->sources[i].plugin)) {
                (void)pass_source_have(pass, pass->sources[i].plugin, row->id);
            }
        }
    }
    for (size_t i = 0; i < pass->source_count; i++) {
        struct source *source = &pass->sources[i];
        const struct managers_row *row =
            source->at.length == 0 ? NULL : hosts_row_find(control, source->at);

        if (source->at.length > 0) {
            source->plan.host = row == NULL || row->name.length == 0
                                    ? source->at
                                    : arena_text(pass->arena, row->name);
            source->is_gone = row != NULL && row->is_forgotten;
        }
    }
}

struct provider *hosts_provider_find(const struct pass *pass, struct source *source,
                                     const char **problem)
{
    const struct control *control = pass->reconciler->control;
    const struct control_ports *ports = &control->ports;
    const struct managers_row *row = hosts_row_find(control, source->at);
    const struct source *own = pass_source_at(pass, source->plugin, TEXT(""));
    struct control_instance instance = {
        .tenant = pass->reconciler->cluster->tenant,
        .plugin = source->plugin,
        .manager = source->at,
        .is_gone = source->is_gone,
        .traits = own == NULL || own->provider == NULL ? NULL : &own->provider->traits,
    };

    if (ports->instance_find == NULL) {
        *problem = "this manager has no links to other managers";
    } else if (row == NULL) {
        *problem = "no manager of this store has that id";
    } else if (!row->is_live && !source->is_gone) {
        *problem = "the manager of the host has ended";
    } else {
        return ports->instance_find(ports->arg, &instance, problem);
    }
    return NULL;
}

void hosts_source_listed(struct pass *pass, struct source *source)
{
    (void)pass;
    source->plan.is_unreachable = source->at.length > 0 && source->plan.problem.length > 0;
}

void hosts_gone_lay(const struct pass *pass, const struct source *source,
                    struct plan_record *record)
{
    const struct plan_limits *limits = &pass->reconciler->control->options.limits;

    if (!source->is_gone || record->state == PLAN_RECORD_DELETE) {
        return;
    }
    record->absence = (struct plan_seen){ limits->absences, 1, 1 };
    record->lookup = PLAN_LOOKUP_GONE;
    record->looked_up = (struct plan_seen){ limits->lookups, 1, 1 + limits->lookup_ms };
    record->is_believed = true;
}

/* ---- places of new machines ---- */

/* The hosts from which hosts_choose selects for one group. */
struct host_choice {
    struct text plugin;
    struct text group;
    struct plan_host *hosts;
    size_t *sources; /* for each host: index of its source */
    size_t count;
};

/* True if new machines may be created on the host of this source. */
static bool hosts_is_open(const struct pass *pass, const struct source *source)
{
    const struct managers *managers = control_managers(pass->reconciler->control);
    const struct managers_row *row =
        source->at.length == 0 ? managers_here(managers) : managers_find(managers, source->at);

    return row != NULL && row->is_live && !row->is_draining && !source->is_gone &&
           source->plan.problem.length == 0;
}

static void hosts_choice_make(struct pass *pass, struct text plugin, struct text group)
{
    const struct plan_world *world = &pass->world;
    struct host_choice *choice = arena_one(pass->arena, struct host_choice);

    *choice = (struct host_choice){
        .plugin = plugin,
        .group = group,
        .hosts = arena_array(pass->arena, struct plan_host, pass->source_count),
        .sources = arena_array(pass->arena, size_t, pass->source_count),
    };
    for (size_t i = 0; i < pass->source_count; i++) {
        const struct source *source = &pass->sources[i];
        struct plan_host *host = &choice->hosts[choice->count];

        if (!text_is_equal(source->plugin, plugin) || !hosts_is_open(pass, source)) {
            continue;
        }
        *host = (struct plan_host){ .id = hosts_at_of(pass, source) };
        for (size_t j = 0; j < world->record_count; j++) {
            bool is_there = world->records[j].source == i;

            host->machines += is_there;
            host->members += is_there && text_is_equal(world->records[j].group, group);
        }
        choice->sources[choice->count++] = i;
    }
    pass->hosts = choice;
}

struct text hosts_choose(struct pass *pass, struct text plugin, struct text group)
{
    const struct source *own = pass_source_at(pass, plugin, TEXT(""));
    struct host_choice *choice = pass->hosts;
    size_t found;

    if (own == NULL || control_managers(pass->reconciler->control) == NULL ||
        !hosts_is_of_hosts(own)) {
        return own == NULL ? TEXT("") : hosts_at_of(pass, own);
    }
    if (choice == NULL || !text_is_equal(choice->plugin, plugin) ||
        !text_is_equal(choice->group, group)) {
        hosts_choice_make(pass, plugin, group);
        choice = pass->hosts;
    }
    found =
        plan_host_choose(choice->hosts, choice->count,
                         arena_printf(pass->arena, "%.*s\n%.*s",
                                      TEXT_ARG(pass->reconciler->cluster->id), TEXT_ARG(group)));
    if (found == SIZE_MAX) {
        return hosts_at_of(pass, own);
    }
    choice->hosts[found].members++;
    choice->hosts[found].machines++;
    return choice->hosts[found].id;
}

struct text hosts_at_of(const struct pass *pass, const struct source *source)
{
    return source->at.length > 0       ? source->at
           : hosts_is_of_hosts(source) ? pass->reconciler->control->options.manager.id
                                       : TEXT("");
}

bool hosts_must_write(const struct pass *pass, size_t index)
{
    const struct source *source = &pass->sources[pass->world.records[index].source];
    const struct fleet_machine *machine = pass->reconciler->cluster->machines[index];

    return pass->reconciler->control->options.manager.id.length > 0 && hosts_is_of_hosts(source) &&
           fleet_machine_at(machine).length == 0;
}
