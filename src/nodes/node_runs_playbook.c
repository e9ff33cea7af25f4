#include "base/limits.h"
#include "nodes/node_runs_parts.h"

/* Runs the last stage of a node, if it is a playbook. The manager runs a playbook for many nodes at
 * the same time (playbook_runs.h). The caller sees it as a stage like all others. */

static size_t playbook_stage(const struct nodes_run *run)
{
    return run->stage_count - 1;
}

bool node_run_has_playbook(const struct nodes_run *run)
{
    return run->playbook.length > 0 && (run->with & RUN_WITH_STAGES) != 0 && !run->is_played;
}

uint32_t node_run_log_next(const struct nodes_run *run, size_t stage, uint32_t newest)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct logs_key *keys;
    size_t count;
    struct err err;

    if (run->nodes->options.logs != NULL &&
        logs_list(run->nodes->options.logs, arena, run->way.token, &keys, &count, &err)) {
        for (size_t i = 0; i < count; i++) {
            newest = keys[i].stage == stage && keys[i].attempt > newest ? keys[i].attempt : newest;
        }
    }
    return newest + 1;
}

/* Return the number of the next attempt. It is higher than the numbers of all attempts with output
 * on this manager, and than that of the attempt that had begun. */
static uint32_t attempt_next(const struct nodes_run *run)
{
    size_t stage = playbook_stage(run);

    return node_run_log_next(run, stage,
                             run->reported_ends[stage] > run->begun ? run->reported_ends[stage]
                                                                    : run->begun);
}

void node_run_log_line(struct nodes_run *run, size_t stage, uint32_t attempt, struct text text)
{
    struct logs *logs = run->nodes->options.logs;
    struct logs_key key = { run->way.token, (uint32_t)stage, attempt };
    struct logs_line line = { .wall_ms = clock_wall_ms(run->nodes->options.clock), .text = text };
    struct err err;

    run->playbook_bytes += text.length + 1;
    line.end = run->playbook_bytes;
    if (logs != NULL && !logs_add(logs, &key, &line, NULL, 0, &err) && !run->nodes->is_reported) {
        run->nodes->is_reported = true;
        log_error(run->nodes->options.log, "logs", "lost", log_string("reason", err.text));
    }
}

static void playbook_line_keep(struct nodes_run *run, struct text text)
{
    node_run_log_line(run, playbook_stage(run), run->playbook_attempt, text);
}

static bool is_of_playbook(enum nodes_end end)
{
    return end == NODES_END_DONE || end == NODES_END_FAILED || end == NODES_END_TIMEOUT ||
           end == NODES_END_INTERRUPTED;
}

/* Ends the run with the result of the playbook. If an earlier stage had an allowed failure, that is
 * reported too. */
static void playbook_ended(struct nodes_run *run, const struct playbook_event *event)
{
    struct nodes_event reported = { .kind = NODES_EVENT_STAGED,
                                    .stage = playbook_stage(run),
                                    .attempt = run->playbook_attempt,
                                    .code = event->code,
                                    .end = event->end,
                                    .why = event->why };

    run->place = NULL;
    if (is_of_playbook(event->end)) {
        if (event->why.length > 0) {
            playbook_line_keep(run, event->why);
        }
        node_run_report(run, reported);
    }
    if (event->end == NODES_END_DONE) {
        run->is_played = true;
        run->step = RUN_RENEWS;
        node_run_later(run);
        return;
    }
    run->last =
        (struct nodes_event){ .stage = playbook_stage(run),
                              .attempt = run->playbook_attempt,
                              .code = event->code,
                              .cause = event->end == NODES_END_UNREACHABLE ? NODES_CAUSE_UNREACHABLE
                                       : event->end == NODES_END_REFUSED   ? NODES_CAUSE_OTHER
                                                                           : NODES_CAUSE_NONE };
    node_run_over(run, event->end, event->why);
}

static void playbook_reported(void *arg, const struct playbook_event *event)
{
    struct nodes_run *run = arg;
    struct nodes_event begun = { .kind = NODES_EVENT_STAGE };
    struct logs_key key = { run->way.token, (uint32_t)playbook_stage(run), run->playbook_attempt };
    struct err err;

    switch (event->kind) {
    case PLAYBOOK_EVENT_BEGUN:
        begun.stage = playbook_stage(run);
        begun.attempt = run->playbook_attempt;
        if (run->nodes->options.logs != NULL) {
            (void)!logs_begin(run->nodes->options.logs, &key, &err);
        }
        node_run_report(run, begun);
        break;
    case PLAYBOOK_EVENT_LINE:
        playbook_line_keep(run, event->line);
        break;
    case PLAYBOOK_EVENT_ENDED:
        playbook_ended(run, event);
        break;
    }
}

void node_run_play(struct nodes_run *run)
{
    const struct node_stage *stage = &run->stages[playbook_stage(run)];
    struct playbook_order order = { .way = &run->way,
                                    .cluster_name = run->cluster_name,
                                    .group = run->group,
                                    .digest = stage->digest,
                                    .playbook = run->playbook,
                                    .vars = stage->vars,
                                    .timeout_ms = stage->timeout_s * 1000,
                                    .is_repeatable = stage->is_idempotent };

    run->playbook_attempt = attempt_next(run);
    if (run->nodes->options.playbooks == NULL) {
        node_run_over(run, NODES_END_REFUSED, TEXT("this manager runs no playbooks"));
        return;
    }
    if (run->way.is_operators) {
        run->last.cause = NODES_CAUSE_OTHER;
        node_run_over(
            run, NODES_END_REFUSED,
            TEXT(
                "playbooks need logins by reeve itself, but the group has ssh: {transport: openssh}"));
        return;
    }
    if (run->begun > 0 && !stage->is_idempotent && run->request.length == 0) {
        playbook_ended(run, &(struct playbook_event){
                                .kind = PLAYBOOK_EVENT_ENDED,
                                .end = NODES_END_INTERRUPTED,
                                .code = 1,
                                .why = TEXT("the playbook was interrupted, and the configuration "
                                            "is not repeatable (R0835)") });
        return;
    }
    run->place = playbook_runs_join(run->nodes->options.playbooks, &order, playbook_reported, run);
    if (run->place == NULL) {
        node_run_over(run, NODES_END_REFUSED, TEXT("this manager has no room for a playbook"));
    }
}
