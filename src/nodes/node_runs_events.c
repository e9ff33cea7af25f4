#include "base/limits.h"
#include "codec/json.h"
#include "nodes/node_runs_parts.h"
#include "remote/facts.h"

/* Translates the events of a node's job into events for the engine. */

/* Number of consecutive rejected logins after which the operator is notified. */
enum { LOGINS_REPORTED = 3 };

void node_run_report(struct nodes_run *run, struct nodes_event reported)
{
    run->reported(run->arg, &reported);
    run->nodes->options.wake(run->nodes->options.arg);
}

static enum nodes_end node_runs_events_end_of(enum node_end end)
{
    switch (end) {
    case NODE_END_DONE:
        return NODES_END_DONE;
    case NODE_END_CONTINUED:
        return NODES_END_CONTINUED;
    case NODE_END_FAILED:
        return NODES_END_FAILED;
    case NODE_END_TIMEOUT:
        return NODES_END_TIMEOUT;
    case NODE_END_INTERRUPTED:
        return NODES_END_INTERRUPTED;
    case NODE_END_UNREACHABLE:
        return NODES_END_UNREACHABLE;
    case NODE_END_CANCELLED:
        return NODES_END_CANCELLED;
    case NODE_END_HOST_KEY:
    case NODE_END_USER_KEY:
    case NODE_END_NO_ROOT:
    case NODE_END_NO_SPACE:
    case NODE_END_REFUSED:
    case NODE_END_COUNT:
        break;
    }
    return NODES_END_REFUSED;
}

/* Returns the cause of a rejected login: reeve's certificate, or the private key of the group. */
static enum nodes_cause login_cause(const struct nodes_run *run)
{
    return run->way.key_secret.length > 0 ? NODES_CAUSE_LOGIN_KEY : NODES_CAUSE_LOGIN;
}

/* Returns the cause of an end that is retried. */
static enum nodes_cause node_runs_events_cause_of(const struct nodes_run *run, enum node_end end)
{
    switch (end) {
    case NODE_END_HOST_KEY:
        return NODES_CAUSE_KEY_OTHER;
    case NODE_END_USER_KEY:
        return login_cause(run);
    case NODE_END_NO_ROOT:
        return NODES_CAUSE_NO_ROOT;
    case NODE_END_NO_SPACE:
        return NODES_CAUSE_NO_SPACE;
    case NODE_END_UNREACHABLE:
        return NODES_CAUSE_UNREACHABLE;
    case NODE_END_REFUSED:
        return NODES_CAUSE_OTHER;
    case NODE_END_DONE:
    case NODE_END_CONTINUED:
    case NODE_END_FAILED:
    case NODE_END_TIMEOUT:
    case NODE_END_INTERRUPTED:
    case NODE_END_CANCELLED:
    case NODE_END_COUNT:
        break;
    }
    return NODES_CAUSE_NONE;
}

/* Reports that the node has completed the step after a barrier. */
static void passed_report(struct nodes_run *run)
{
    if (run->step == RUN_TRUSTS) {
        run->step = RUN_GOES;
        node_run_report(
            run, (struct nodes_event){ .kind = NODES_EVENT_TRUSTED, .renew_ms = run->renew_ms });
    } else if (run->step == RUN_WRITES) {
        run->step = RUN_GOES;
        node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_GIVEN });
    }
}

/* Returns the second word of a line. */
static struct text key_body(struct text line)
{
    struct text rest = text_slice(line, text_find_byte(line, ' ') + 1, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, ' '));
}

/* Returns whether the node has revoked keys. That happens if a released machine is used again, or
 * if an image contains keys. Revoked keys get no certificate; the node generates new keys. */
static bool keys_are_stale(struct nodes_run *run)
{
    const struct text keys[] = { run->keys.root, run->keys.user };
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        run->stale[i] =
            authorities_is_taken(run->nodes->options.authorities, run->way.cluster, keys[i])
                ? key_body(keys[i])
                : TEXT("");
        is_any = is_any || run->stale[i].length > 0;
    }
    return is_any;
}

static void node_runs_events_keys_report(struct nodes_run *run, const struct node_event *event)
{
    run->keys = (struct nodes_keys){ .host = arena_text(run->memory, event->keys.host),
                                     .root = arena_text(run->memory, event->keys.root),
                                     .user = arena_text(run->memory, event->keys.user) };
    if (keys_are_stale(run)) {
        if (run->has_renewed) {
            node_run_over(
                run, NODES_END_REFUSED,
                TEXT("the keys of the node were revoked, and it has not generated new keys"));
            return;
        }
        run->has_renewed = true;
        run->step = RUN_RENEWS;
        node_run_later(run);
        return;
    }
    node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_KEYS, .keys = run->keys });
}

static void facts_report(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct facts_known known = { .name = run->way.name,
                                 .main_user =
                                     run->way.user.length == 0 ? TEXT("root") : run->way.user,
                                 .owner = run->owner,
                                 .address = run->way.address };
    struct doc doc;
    struct buf buf;
    struct err err;

    if (!facts_read(arena, event->facts, &known, &doc, &err)) {
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    node_run_report(run,
                    (struct nodes_event){ .kind = NODES_EVENT_FACTS, .facts = buf_text(&buf) });
}

/* Returns the reason of a failure. If another run or another manager received part of the output,
 * this run reads that part from the log. */
static struct text why_of(struct nodes_run *run, struct arena *arena,
                          const struct node_event *event)
{
    const struct node_stage *stage = &run->stages[event->stage];
    struct logs_key key = { run->way.token, (uint32_t)event->stage, event->attempt };

    return event->end == NODE_END_DONE || stage->seen_bytes == 0 ||
                   stage->seen_attempt != event->attempt || run->nodes->options.logs == NULL
               ? event->line
               : logs_why(run->nodes->options.logs, arena, &key);
}

/* Returns the failure of a stage. If the stage timed out, its time limit is stated first,
 * regardless of its output. */
static struct text failure_line(struct nodes_run *run, struct arena *arena,
                                const struct node_event *event)
{
    struct text line = why_of(run, arena, event);

    if (event->end != NODE_END_TIMEOUT) {
        return line;
    }
    return arena_printf(arena, "timed out after %llu s%s%.*s",
                        (unsigned long long)run->stages[event->stage].timeout_s,
                        line.length > 0 ? ": " : "", TEXT_ARG(line));
}

static void node_runs_events_stage_report(struct nodes_run *run, const struct node_event *event,
                                          enum nodes_event_kind kind)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    node_run_report(run, (struct nodes_event){ .kind = kind,
                                               .stage = event->stage,
                                               .attempt = event->attempt,
                                               .code = event->code,
                                               .end = node_runs_events_end_of(event->end),
                                               .why = kind == NODES_EVENT_STAGED
                                                          ? failure_line(run, arena, event)
                                                          : event->line });
}

/* Returns the verdict with texts in the arena. */
static struct nodes_verdict verdict_of(struct arena *arena, const struct answer_verdict *verdict)
{
    return (struct nodes_verdict){ .baseline = arena_text(arena, verdict->digest),
                                   .files = arena_text(arena, verdict->files),
                                   .file_count = verdict->file_count,
                                   .unknown = arena_text(arena, verdict->unknown),
                                   .boot = arena_text(arena, verdict->boot) };
}

static void baseline_report(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    run->has_baseline = true;
    node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_BASELINE,
                                               .why = event->why,
                                               .verdict = verdict_of(arena, &event->verdict) });
}

/* Stores the details of the end until the job can be freed. */
static void node_runs_events_end_take(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text why = event->why;
    bool is_of_stage = event->end == NODE_END_FAILED || event->end == NODE_END_TIMEOUT ||
                       event->end == NODE_END_INTERRUPTED || event->end == NODE_END_CONTINUED;

    if (event->end == NODE_END_DONE || is_of_stage) {
        passed_report(run);
    }
    run->last = (struct nodes_event){ .stage = event->stage,
                                      .attempt = event->attempt,
                                      .code = event->code,
                                      .cause = node_runs_events_cause_of(run, event->end),
                                      .verdict = verdict_of(run->memory, &event->verdict) };
    if (is_of_stage) {
        struct text line = failure_line(run, arena, event);

        why = line.length > 0 ? line : why;
    } else if (event->end == NODE_END_NO_ROOT) {
        why = arena_printf(arena, "'%.*s' cannot become root: %.*s", TEXT_ARG(run->way.user),
                           TEXT_ARG(why));
    }
    if (node_run_has_playbook(run) &&
        (event->end == NODE_END_DONE || event->end == NODE_END_CONTINUED)) {
        run->bundles_end = node_runs_events_end_of(event->end);
        run->why = arena_text(run->memory, why);
        run->step = RUN_PLAYS;
        node_run_later(run);
        return;
    }
    if (event->end == NODE_END_DONE && node_run_has_hook(run)) {
        run->step = RUN_PLAYS;
        node_run_later(run);
        return;
    }
    node_run_over(run, node_runs_events_end_of(event->end), why);
}

/* Reports the hooks of the bundles, unless the hook of a playbook follows them. It does not follow
 * after a failure. */
static void hooks_report(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text why = event->why;

    run->hook_count += event->code;
    if (event->why.length > 0) {
        run->is_hook_played = true;
    }
    if (run->hook_why.length > 0) {
        why = arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(run->hook_why), why.length > 0 ? "; " : "",
                           TEXT_ARG(why));
    }
    if (!node_run_has_hook(run)) {
        node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_CLEANED,
                                                   .code = run->hook_count,
                                                   .why = why });
    }
}

/* Reports a step. A step may begin several times, but each stage is reported once. */
static void step_report(struct nodes_run *run, const struct node_event *event)
{
    if (event->step > (run->step == RUN_TRUSTS ? NODE_STEP_TRUST : NODE_STEP_DISTRIBUTE)) {
        passed_report(run);
    }
    if (event->step == NODE_STEP_STAGE && event->stage + 1 != run->reported_stage) {
        run->reported_stage = event->stage + 1;
        node_runs_events_stage_report(run, event, NODES_EVENT_STAGE);
    }
}

/* Stores output. If that fails, only later readers miss the output. For an attempt without output
 * an empty log is stored; otherwise each run would request the output again. */
static void output_keep(struct nodes_run *run, const struct node_event *event)
{
    struct logs *logs = run->nodes->options.logs;
    struct logs_key key = { run->way.token, (uint32_t)event->stage, event->attempt };
    struct logs_line line = { event->wall_ms, event->line_end, event->line };
    struct err err;

    if (logs != NULL &&
        !(event->kind == NODE_EVENT_LINE ? logs_add(logs, &key, &line, NULL, 0, &err)
                                         : logs_begin(logs, &key, &err)) &&
        !run->nodes->is_reported) {
        run->nodes->is_reported = true;
        log_error(run->nodes->options.log, "logs", "lost", log_string("reason", err.text));
    }
}

/* Returns whether the private key of the node's group has changed since the run began. */
static bool has_other_key(const struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct transport_target target;
    struct err err;

    return run->way.key_secret.length > 0 &&
           reach_target(run->nodes->options.reach, arena, &run->way, &target, &err) ==
               REACH_READY &&
           text_hash(secret_reveal(target.key), 0) != run->login_hash;
}

/* Reports a retry. A rejected login may succeed later, when the node has started, so the run
 * continues for some time. The operator is notified earlier. */
static void retry_report(struct nodes_run *run, const struct node_event *event)
{
    if (event->end == NODE_END_USER_KEY && has_other_key(run)) {
        run->step = RUN_RENEWS;
        node_run_later(run);
        return;
    }
    if (event->end == NODE_END_USER_KEY && ++run->refused_logins == LOGINS_REPORTED) {
        node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_BLOCKED,
                                                   .cause = login_cause(run),
                                                   .why = event->why });
    }
}

void node_run_reported(void *arg, const struct node_event *event)
{
    struct nodes_run *run = arg;

    switch (event->kind) {
    case NODE_EVENT_STEP:
        step_report(run, event);
        break;
    case NODE_EVENT_POINT:
        if (event->point == NODE_POINT_KEYS) {
            node_runs_events_keys_report(run, event);
        } else {
            passed_report(run);
            facts_report(run, event);
        }
        break;
    case NODE_EVENT_STAGE:
        output_keep(run, event);
        node_runs_events_stage_report(run, event, NODES_EVENT_STAGED);
        break;
    case NODE_EVENT_BASELINE:
        baseline_report(run, event);
        break;
    case NODE_EVENT_CLEANED:
        hooks_report(run, event);
        break;
    case NODE_EVENT_MARKED:
        node_runs_events_stage_report(run, event, NODES_EVENT_MARKED);
        break;
    case NODE_EVENT_HOST_KEY:
        run->way.host_key = arena_text(run->memory, event->host_key);
        node_run_report(
            run, (struct nodes_event){ .kind = NODES_EVENT_HOST_KEY, .host_key = event->host_key });
        break;
    case NODE_EVENT_ALARM:
        node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_ALARM,
                                                   .host_key = event->host_key,
                                                   .why = event->why });
        break;
    case NODE_EVENT_END:
        node_runs_events_end_take(run, event);
        break;
    case NODE_EVENT_LINE:
        output_keep(run, event);
        break;
    case NODE_EVENT_RETRY:
        retry_report(run, event);
        break;
    case NODE_EVENT_SAME:
        break;
    }
}
