#include "link.h"
#include "sim.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: manager_ */

static uint64_t clock_now(void *arg)
{
    const struct manager *manager = arg;

    return manager->sim->now_ms + manager->clock_ahead;
}

static uint64_t true_now(void *arg)
{
    return ((const struct manager *)arg)->sim->now_ms;
}

static int64_t clock_wall(void *arg)
{
    const struct manager *manager = arg;

    return INT64_C(1700000000000) + (int64_t)(manager->sim->now_ms + manager->sim->wall_ahead);
}

static void random_draw(void *arg, void *out, size_t bytes)
{
    struct manager *manager = arg;

    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)out)[i] = (unsigned char)luck_draw(&manager->luck, 256);
    }
}

/* Computes the MAC of a machine's tags (its stamp). Other owners of machines cannot compute it. */
void manager_mac(void *arg, struct text data, char out[static 33])
{
    (void)arg;
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)text_hash(data, 1),
             (unsigned long long)text_hash(data, 2));
}

static struct provider *provider_give(void *arg, struct text tenant, struct text plugin,
                                      const char **problem)
{
    (void)tenant;
    if (text_is(plugin, "other")) {
        *problem = "nobody makes machines for it";
        return NULL;
    }
    *problem = "";
    return ((struct manager *)arg)->provider;
}

/* ---- probes: the true state of a machine, unless the manager is cut off from it ---- */

static enum control_probed probe_find(const struct manager *manager, struct text id)
{
    struct sim *sim = manager->sim;
    struct text cluster = text_from(sim->cluster);
    const struct sim_machine *one = sim_first(sim->cloud, cluster);

    while (one != NULL && !text_is_equal(one->id, id)) {
        one = sim_next(sim->cloud, cluster, one);
    }
    if (one == NULL || !oracle_runs(one) || nodes_are_cut(sim, manager->index, one)) {
        return CONTROL_PROBED_UNREACHABLE;
    }
    return one->unhealthy_ms > 0 ? CONTROL_PROBED_FAILING : CONTROL_PROBED_WELL;
}

static void probe_make(void *arg, const struct control_probe *probe, control_probe_done *done,
                       void *done_arg)
{
    struct manager *manager = arg;

    assert(manager->probe_count < SIM_PROBES);
    manager->probes[manager->probe_count++] =
        (struct sim_probe){ done, done_arg, probe_find(manager, probe->way.machine) };
}

static bool probes_answer(struct manager *manager)
{
    size_t count = manager->probe_count;

    manager->probe_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct control_probed_answer answer = { .found = manager->probes[i].found,
                                                .why = TEXT("as it is") };

        manager->probes[i].done(manager->probes[i].arg, &answer);
    }
    return count > 0;
}

/* Report the decisions and their reasons. */
static void plan_report(const struct sim *sim, const struct control_report *report)
{
    for (size_t i = 0; report->plan != NULL && i < report->plan->action_count; i++) {
        const struct plan_action *action = &report->plan->actions[i];
        struct text id = action->record != PLAN_NONE ? report->world->records[action->record].id
                         : action->row != PLAN_NONE  ? report->world->rows[action->row].id
                                                     : TEXT("");

        sim_say(sim, "    %s %.*s/%llu %.*s: %s, %.*s", plan_act_name(action->act),
                TEXT_ARG(action->group), (unsigned long long)action->slot, TEXT_ARG(id),
                plan_rule_name(action->rule), TEXT_ARG(action->fact));
    }
    for (size_t i = 0; report->plan != NULL && i < report->plan->hold_count; i++) {
        const struct plan_hold *hold = &report->plan->holds[i];

        sim_say(sim, "    hold %s %.*s: %.*s", plan_rule_name(hold->rule), TEXT_ARG(hold->group),
                TEXT_ARG(hold->fact));
    }
}

static void on_pass(void *arg, const struct control_report *report)
{
    struct manager *manager = arg;

    manager->sim->result.passes++;
    sim_note(manager->sim, "pass",
             (uint64_t)report->end << 32 | report->actions << 8 | manager->index);
    if (report->actions > 0 || report->end == CONTROL_END_BROKEN ||
        report->end == CONTROL_END_UNHEARD || report->end == CONTROL_END_DAMAGED ||
        manager->sim->now_ms > manager->sim->cleared_ms) {
        sim_say(manager->sim, "manager %u: pass ends %d, %zu actions, %zu holds %.*s",
                manager->index, report->end, report->actions, report->holds,
                TEXT_ARG(report->message));
        plan_report(manager->sim, report);
    }
}

void manager_start(struct sim *sim, unsigned index)
{
    struct manager *manager = &sim->managers[index];
    unsigned lives = manager->lives + 1;

    *manager = (struct manager){
        .sim = sim,
        .index = index,
        .lives = lives,
        .is_up = true,
        .luck = luck_make(sim->setup.seed, 100 + index * 1000003ULL + lives * 17ULL),
        .clock_ahead = (index + 1) * 777777ULL,
    };
    snprintf(manager->session, sizeof(manager->session), "m%u-%u", index, lives);
    manager->link = link_open((struct link_options){
        .truth = sim->truth,
        .now_ms = true_now,
        .fate = fault_link_fate,
        .watch_delay_ms = fault_watch_delay,
        .arg = manager,
    });
    manager->cache = cache_new(manager->link, 4096);
    manager->provider = sim_provider_new(sim->cloud);
    sim_say(sim, "manager %u starts", index);
    sim_note(sim, "start", index);
}

/* Crashes a manager. Its pending store calls do not reach the store; its pending provider calls may
 * still take effect. */
void manager_crash(struct manager *manager)
{
    struct sim *sim = manager->sim;

    sim_say(sim, "manager %u crashes", manager->index);
    link_cut(manager->link);
    if (manager->control != NULL) {
        control_stop(manager->control);
    }
    provider_close(manager->provider);
    if (cache_state(manager->cache) == CACHE_LOADING) {
        store_run(manager->link); /* answers the cache's pending list call with UNKNOWN */
    }
    cache_free(manager->cache);
    store_close(manager->link);
    control_free(manager->control);
    manager->is_up = false;
    manager->control = NULL;
}

void manager_pause(struct manager *manager, uint64_t until)
{
    if (until > manager->paused_until) {
        manager->paused_until = until;
        sim_provider_pause(manager->provider, until);
        sim_say(manager->sim, "manager %u is suspended", manager->index);
    }
}

/* Restarts a manager whose store was replaced, when the manager notices the replacement. */
void manager_find_out(struct manager *manager)
{
    if (manager->is_up && manager->severed_until > 0 &&
        manager->severed_until <= manager->sim->now_ms) {
        manager_crash(manager);
        manager->up_at = manager->sim->now_ms + 1000;
    }
}

static void control_begin(struct manager *manager)
{
    struct control_options options = manager->sim->options;
    /* the clock continues while the manager is down */
    char clock[2] = { (char)('0' + manager->index), 0 };

    options.session = text_from(manager->session);
    options.clock = text_from(clock);
    options.is_alone = false;
    stages_port(manager);
    manager->control =
        control_new(manager->link, manager->cache,
                    (struct control_ports){
                        .now_ms = clock_now,
                        .wall_ms = clock_wall,
                        .random = random_draw,
                        .mac = manager_mac,
                        .provider_find = provider_give,
                        .probe = manager->sim->nodes.are_probed ? probe_make : NULL,
                        .nodes = manager->sim->nodes.have_stages ? &manager->nodes : NULL,
                        .arg = manager,
                    },
                    options);
    control_watch(manager->control, on_pass, manager);
}

void manager_run(struct manager *manager)
{
    uint64_t due;

    store_run(manager->link);
    cache_run(manager->cache);
    if (manager->control == NULL) {
        manager->due = UINT64_MAX;
        if (cache_state(manager->cache) != CACHE_READY) {
            manager->due = manager->sim->now_ms + 1000;
            return;
        }
        control_begin(manager);
    }
    do {
        due = control_run(manager->control);
    } while (probes_answer(manager) || stages_run(manager));
    manager->due = due == UINT64_MAX                                   ? due
                   : due > manager->clock_ahead + manager->sim->now_ms ? due - manager->clock_ahead
                                                                       : manager->sim->now_ms + 1;
    due = stages_due(manager);
    manager->due = due < manager->due ? due : manager->due;
}
