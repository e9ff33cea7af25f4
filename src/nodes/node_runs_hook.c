#include "base/limits.h"
#include "nodes/node_runs_parts.h"

/* Playbooks of hooks: `drain`, `undrain` and `cleanup` of a configuration, `verify`, and the
 * playbook `configure` in check mode. The manager runs them for many nodes at the same time
 * (playbook_runs.h). The playbook belongs to the last stage of a node. Therefore the playbooks of
 * the hooks `drain` and `cleanup` run before the hooks of the bundles, and all other playbooks
 * after them. The output is stored in the logs of the node. */

bool node_run_has_hook(const struct nodes_run *run)
{
    return run->hook.playbook.length > 0 && !run->is_hook_played;
}

bool node_run_has_hook_first(const struct nodes_run *run)
{
    return node_run_has_hook(run) && ((run->with & RUN_WITH_CLEANUP) != 0 ||
                                      ((run->with & RUN_WITH_DRAIN) != 0 && !run->is_undrain));
}

/* Return the number of the hook in the logs of the node. */
static uint32_t hook_log(const struct nodes_run *run)
{
    return logs_hook_find((run->with & RUN_WITH_CLEANUP) != 0 ? TEXT("cleanup")
                          : (run->with & RUN_WITH_DRAIN) == 0 ? TEXT("verify")
                          : run->is_undrain                   ? TEXT("undrain")
                                                              : TEXT("drain"));
}

void node_run_hook_copy(struct nodes_run *run, const struct nodes_order *order)
{
    if (order->hook == NULL) {
        return;
    }
    run->hook = (struct nodes_stage){
        .digest = arena_text(run->memory, order->hook->digest),
        .playbook = arena_text(run->memory, order->hook->playbook),
        .vars = arena_text(run->memory, order->hook->vars),
        .timeout_ms = order->hook->timeout_ms,
    };
    run->is_hook_check = order->is_hook_check;
}

/* ---- end of a playbook ---- */

/* Reports the result of a drain: the hooks of the bundles, and the hook of the playbook. */
static void hook_drained(struct nodes_run *run, const struct playbook_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    bool is_done = event->end == NODES_END_DONE;

    run->is_hook_played = true;
    run->hook_count += is_done;
    if (is_done && !run->is_undrain) {
        run->step = RUN_BEGINS; /* the hooks of the bundles follow */
        node_run_later(run);
        return;
    }
    node_run_report(
        run, (struct nodes_event){ .kind = NODES_EVENT_CLEANED,
                                   .code = run->hook_count,
                                   .why = is_done ? TEXT("")
                                                  : arena_printf(arena, "%.*s: %.*s",
                                                                 TEXT_ARG(run->hook.playbook),
                                                                 TEXT_ARG(event->why)) });
    node_run_over(run, NODES_END_DONE, TEXT(""));
}

/* Handles the end of a playbook `cleanup`. The hooks of the bundles follow within the remaining
 * time, even if the playbook has failed. */
static void hook_cleaned(struct nodes_run *run, const struct playbook_event *event)
{
    uint64_t spent_s = (clock_monotonic_ms(run->nodes->options.clock) - run->hook_begun_ms) / 1000;

    run->is_hook_played = true;
    run->hook_count += event->end == NODES_END_DONE;
    if (event->end != NODES_END_DONE) {
        run->hook_why = arena_printf(run->memory, "%.*s: %.*s", TEXT_ARG(run->hook.playbook),
                                     TEXT_ARG(event->why));
    }
    run->cleanup_s = spent_s < run->cleanup_s ? run->cleanup_s - spent_s : 1;
    run->step = RUN_BEGINS;
    node_run_later(run);
}

/* Adds the result of a playbook to the verdict of the node. A failed task of the hook `verify`
 * means drift. In check mode a failed task proves nothing. */
static void hook_verified(struct nodes_run *run, const struct playbook_event *event)
{
    struct nodes_verdict *verdict = &run->last.verdict;
    bool is_failed = event->end != NODES_END_DONE;
    struct buf files;

    buf_init(&files, run->memory);
    buf_add(&files, verdict->files);
    for (size_t i = 0; run->is_hook_check && i < event->change_count; i++) {
        buf_printf(&files, "%stask %.*s: differs", files.length > 0 ? "\n" : "",
                   TEXT_ARG(event->changes[i]));
    }
    verdict->file_count += run->is_hook_check ? event->changed : 0;
    if (is_failed && !run->is_hook_check && event->end == NODES_END_FAILED) {
        buf_printf(&files, "%s%.*s: %.*s", files.length > 0 ? "\n" : "",
                   TEXT_ARG(run->hook.playbook), TEXT_ARG(event->why));
        verdict->file_count++;
    } else if (is_failed && verdict->unknown.length == 0) {
        verdict->unknown = arena_printf(run->memory, "%.*s: %.*s", TEXT_ARG(run->hook.playbook),
                                        TEXT_ARG(event->why));
    }
    verdict->files = buf_text(&files);
    if (run->is_hook_check) {
        verdict->tasks = event->tasks;
        verdict->judged = event->tasks - event->unjudged;
        if (verdict->judged == 0 && verdict->unknown.length == 0) {
            verdict->unknown = TEXT("check mode has judged no task");
        }
    }
    run->is_hook_played = true;
    node_run_over(run, NODES_END_DONE, TEXT(""));
}

static void hook_log_begin(struct nodes_run *run)
{
    struct logs_key key = { .node = run->way.token, .stage = hook_log(run) };
    struct err err;

    run->hook_attempt = node_run_log_next(run, key.stage, 0);
    key.attempt = run->hook_attempt;
    run->playbook_bytes = 0;
    if (run->nodes->options.logs != NULL) {
        (void)!logs_begin(run->nodes->options.logs, &key, &err);
    }
}

static void hook_reported(void *arg, const struct playbook_event *event)
{
    struct nodes_run *run = arg;
    bool is_cleanup = (run->with & RUN_WITH_CLEANUP) != 0;

    if (event->kind == PLAYBOOK_EVENT_BEGUN) {
        hook_log_begin(run);
        return;
    }
    if (event->kind == PLAYBOOK_EVENT_LINE) {
        node_run_log_line(run, hook_log(run), run->hook_attempt, event->line);
        return;
    }
    run->place = NULL;
    if (event->why.length > 0 && run->hook_attempt > 0) {
        node_run_log_line(run, hook_log(run), run->hook_attempt, event->why);
    }
    if (is_cleanup && event->end != NODES_END_UNREACHABLE && event->end != NODES_END_CANCELLED) {
        hook_cleaned(run, event);
    } else if (event->end == NODES_END_UNREACHABLE || event->end == NODES_END_REFUSED ||
               event->end == NODES_END_CANCELLED) {
        node_run_over(run, event->end, event->why);
    } else if ((run->with & RUN_WITH_DRAIN) != 0) {
        hook_drained(run, event);
    } else {
        hook_verified(run, event);
    }
}

/* ---- start of a playbook ---- */

/* Handles a playbook that cannot run here. A cleanup continues without it, and counts as failed. */
static void hook_refused(struct nodes_run *run, struct text why)
{
    if ((run->with & RUN_WITH_CLEANUP) != 0) {
        hook_cleaned(run, &(struct playbook_event){ .end = NODES_END_REFUSED, .why = why });
    } else {
        node_run_over(run, NODES_END_REFUSED, why);
    }
}

void node_run_hook_play(struct nodes_run *run)
{
    struct playbook_order order = { .way = &run->way,
                                    .cluster_name = run->cluster_name,
                                    .group = run->group,
                                    .digest = run->hook.digest,
                                    .playbook = run->hook.playbook,
                                    .vars = run->hook.vars,
                                    .timeout_ms = run->hook.timeout_ms,
                                    .is_repeatable = true,
                                    .mode = run->is_hook_check ? PLAYBOOK_IPC_CHECK
                                                               : PLAYBOOK_IPC_RUN };

    if ((run->with & (RUN_WITH_DRAIN | RUN_WITH_CLEANUP)) != 0) {
        order.timeout_ms = run->cleanup_s * 1000;
    }
    run->hook_begun_ms = clock_monotonic_ms(run->nodes->options.clock);
    run->place =
        run->nodes->options.playbooks == NULL || run->way.is_operators
            ? NULL
            : playbook_runs_join(run->nodes->options.playbooks, &order, hook_reported, run);
    if (run->place == NULL) {
        hook_refused(
            run,
            run->way.is_operators
                ? TEXT(
                      "playbooks need logins by reeve itself, but the group has ssh: {transport: openssh}")
                : TEXT("this manager cannot run playbooks now"));
    }
}
