#include "membership/agents.h"

#include "base/limits.h"
#include "base/secret.h"
#include "membership/serf.h"

#include <assert.h>

struct agent {
    struct agents *agents;
    struct agents_entry entry;
    struct serf *serf;        /* NULL: not started yet */
    struct loop_timer *timer; /* timer that starts the agent */
    bool is_reported;         /* the reason why the agent is not started was reported */
};

struct agents {
    struct arena *memory;
    struct agents_options options;
    struct agent *items;
    size_t count;
};

static void on_agent_report(void *arg, const struct membership_report *report)
{
    const struct agent *agent = arg;

    agent->agents->options.reported(agent->agents->options.arg, agent->entry.tenant, report);
}

static void agent_refuse(struct agent *agent, const struct err *err)
{
    struct membership_report report = { .change = MEMBERSHIP_UNAVAILABLE,
                                        .why = text_from(err->text) };

    loop_timer_start(agent->timer, LIMIT_SERF_PAUSE_MAX_MS, 0);
    if (!agent->is_reported) {
        agent->is_reported = true;
        on_agent_report(agent, &report);
    }
}

static void on_agent_due(void *arg)
{
    struct agent *agent = arg;
    const struct agents_options *options = &agent->agents->options;
    char key[LIMIT_SECRET_BYTES];
    size_t length = 0;
    struct err err;
    bool is_started = (agent->entry.secret.length == 0 ||
                       options->reveal(options->reveal_arg, agent->entry.tenant,
                                       agent->entry.secret, key, &length, &err)) &&
                      serf_start(&(struct serf_options){ .loop = options->loop,
                                                         .address = agent->entry.address,
                                                         .port = agent->entry.port,
                                                         .key = { key, length },
                                                         .reported = on_agent_report,
                                                         .arg = agent },
                                 &agent->serf, &err);

    secret_wipe(key, length);
    if (!is_started) {
        agent_refuse(agent, &err);
    }
}

struct agents *agents_start(const struct agents_options *options)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct agents *agents = arena_one(memory, struct agents);

    agents->memory = memory;
    agents->options = *options;
    agents->options.entries = NULL;
    agents->items = arena_array(memory, struct agent, options->count);
    for (size_t i = 0; i < options->count; i++) {
        const struct agents_entry *entry = &options->entries[i];
        struct agent *agent = &agents->items[agents->count];
        struct err err;

        *agent = (struct agent){ .agents = agents,
                                 .entry = { .tenant = arena_text(memory, entry->tenant),
                                            .address = arena_text(memory, entry->address),
                                            .port = entry->port,
                                            .secret = arena_text(memory, entry->secret) } };
        if (loop_timer_open(options->loop, on_agent_due, agent, &agent->timer, &err)) {
            loop_timer_start(agent->timer, 0, 0);
            agents->count++;
        }
    }
    return agents;
}

void agents_stop(struct agents *agents)
{
    if (agents == NULL) {
        return;
    }
    for (size_t i = 0; i < agents->count; i++) {
        serf_stop(agents->items[i].serf);
        loop_timer_close(agents->items[i].timer);
    }
    arena_free(agents->memory);
}
