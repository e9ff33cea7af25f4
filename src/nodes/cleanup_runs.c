#include "nodes/cleanup_runs.h"

#include "base/limits.h"
#include "bootstrap/run_tasks.h"

struct cleanup_run {
    struct cleanup_run *next;
    struct cleanup_run **link;
    cleanup_run_done *done;
    void *arg;
};

struct cleanup_runs {
    const struct nodes_port *port;
    struct cleanup_run *first;
};

struct cleanup_runs *cleanup_runs_new(const struct nodes_port *port)
{
    struct cleanup_runs *runs = rows_resize(NULL, sizeof(*runs));

    *runs = (struct cleanup_runs){ .port = port };
    return runs;
}

static void cleanup_run_end(struct cleanup_run *run, bool is_done, struct text why)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    run->done(run->arg, is_done, why);
    rows_free(run);
}

static void cleanup_run_reported(void *arg, const struct nodes_event *reported)
{
    if (reported->kind == NODES_EVENT_END) {
        cleanup_run_end(arg, reported->end == NODES_END_DONE, reported->why);
    }
}

void cleanup_runs_start(struct cleanup_runs *runs, struct text tenant, const struct discovered *row,
                        struct text secret, cleanup_run_done *done, void *arg)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct cleanup_run *run = rows_resize(NULL, sizeof(*run));
    struct nodes_order order = {
        .way = { .cluster = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant),
                                         TEXT_ARG(row->cleanup.cluster)),
                 .machine = row->id,
                 .token = row->cleanup.token,
                 .name = row->cleanup.member,
                 .address = row->address,
                 .user = row->user,
                 .host_key = row->host_key,
                 .key_secret = secret,
                 .port = row->port },
        .cluster_name = row->cleanup.name,
        .group = row->cleanup.group,
        .with = RUN_WITH_RELEASE,
    };

    *run =
        (struct cleanup_run){ .next = runs->first, .link = &runs->first, .done = done, .arg = arg };
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runs->first = run;
    if (runs->port->begin(runs->port->arg, &order, cleanup_run_reported, run) == NULL) {
        cleanup_run_end(run, false, TEXT("too many runs are under way"));
    }
}

void cleanup_runs_free(struct cleanup_runs *runs)
{
    while (runs != NULL && runs->first != NULL) {
        cleanup_run_end(runs->first, false, TEXT("the manager is stopping"));
    }
    rows_free(runs);
}
