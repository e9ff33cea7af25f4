#include "nodes/cleanup_runs.h"

#include "base/limits.h"
#include "bootstrap/run_tasks.h"

/* Time limit of the hooks, in ms, if the group had set none. */
enum { CLEANUP_RUN_MS = 10 * 60 * 1000 };

/* A cleanup has two parts. First the hooks `cleanup` run; then the files that reeve has written are
 * removed. If a hook fails, the bundles with their hooks are kept for the next try. */
struct cleanup_run {
    struct cleanup_run *next;
    struct cleanup_run **link;
    struct cleanup_runs *runs;
    struct arena *arena;
    struct text tenant;
    struct discovered row;
    struct text secret;
    bool is_release; /* the second part of the cleanup */
    struct text why; /* names of failed hooks; empty: none */
    cleanup_run_done *done;
    void *arg;
};

struct cleanup_runs {
    const struct nodes_port *port;
    const struct cache *cache;
    struct cleanup_run *first;
};

struct cleanup_runs *cleanup_runs_new(const struct nodes_port *port, const struct cache *cache)
{
    struct cleanup_runs *runs = rows_resize(NULL, sizeof(*runs));

    *runs = (struct cleanup_runs){ .port = port, .cache = cache };
    return runs;
}

static void cleanup_run_end(struct cleanup_run *run, bool is_done, struct text why)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    run->done(run->arg, is_done, why);
    arena_free(run->arena);
}

static void cleanup_run_begin(struct cleanup_run *run, const struct discovered_hooks *hooks);

static void cleanup_run_reported(void *arg, const struct nodes_event *reported)
{
    struct cleanup_run *run = arg;

    if (reported->kind == NODES_EVENT_CLEANED) {
        run->why = arena_text(run->arena, reported->why);
    }
    if (reported->kind != NODES_EVENT_END) {
        return;
    }
    if (reported->end != NODES_END_DONE) {
        cleanup_run_end(run, false, reported->why);
    } else if (run->is_release) {
        cleanup_run_end(run, true, TEXT(""));
    } else if (run->why.length > 0) {
        cleanup_run_end(run, false, run->why);
    } else {
        cleanup_run_begin(run, &(struct discovered_hooks){ 0 });
    }
}

/* Begins the first part if hooks must run, otherwise the second part. */
static void cleanup_run_begin(struct cleanup_run *run, const struct discovered_hooks *hooks)
{
    const struct nodes_port *port = run->runs->port;
    const struct discovered *row = &run->row;
    struct nodes_stage hook = { .digest = hooks->hook.digest,
                                .playbook = hooks->hook.playbook,
                                .vars = hooks->hook.vars,
                                .timeout_ms = hooks->hook.timeout_ms };
    struct nodes_order order = {
        .way = { .cluster = arena_printf(run->arena, "%.*s/%.*s", TEXT_ARG(run->tenant),
                                         TEXT_ARG(row->cleanup.cluster)),
                 .machine = row->id,
                 .token = row->cleanup.token,
                 .name = row->cleanup.member,
                 .address = row->address,
                 .user = row->user,
                 .host_key = row->host_key,
                 .key_secret = run->secret,
                 .port = row->port },
        .cluster_name = row->cleanup.name,
        .group = row->cleanup.group,
        .with = hooks->are_run ? RUN_WITH_CLEANUP : RUN_WITH_RELEASE,
        .cleanup_s = (hooks->limit_ms == 0 ? (uint64_t)CLEANUP_RUN_MS : hooks->limit_ms) / 1000,
        .hook = hooks->are_run && hook.digest.length > 0 ? &hook : NULL,
    };

    run->is_release = !hooks->are_run;
    if (order.hook != NULL && hooks->hook.lacks_vars) {
        cleanup_run_end(run, false, TEXT("the variables of the playbook are no longer known"));
    } else if (port->begin(port->arg, &order, cleanup_run_reported, run) == NULL) {
        cleanup_run_end(run, false, TEXT("too many runs are in progress"));
    }
}

void cleanup_runs_start(struct cleanup_runs *runs, struct text tenant, const struct discovered *row,
                        struct text secret, cleanup_run_done *done, void *arg)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct cleanup_run *run = arena_one(arena, struct cleanup_run);
    struct discovered_hooks hooks;
    struct err err;

    *run = (struct cleanup_run){ .next = runs->first,
                                 .link = &runs->first,
                                 .runs = runs,
                                 .arena = arena,
                                 .tenant = arena_text(arena, tenant),
                                 .secret = arena_text(arena, secret),
                                 .done = done,
                                 .arg = arg };
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runs->first = run;
    if (!discovered_parse(arena, arena_text(arena, row->id), discovered_format(arena, row),
                          &run->row, &err)) {
        cleanup_run_end(run, false, text_from(err.text));
        return;
    }
    hooks = discovered_hooks_read(arena, runs->cache, tenant, row->id);
    cleanup_run_begin(run, &hooks);
}

void cleanup_runs_free(struct cleanup_runs *runs)
{
    while (runs != NULL && runs->first != NULL) {
        cleanup_run_end(runs->first, false, TEXT("the manager is stopping"));
    }
    rows_free(runs);
}
