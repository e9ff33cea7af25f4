#include "nodes/node_runs.h"

#include "base/limits.h"
#include "base/macros.h"
#include "nodes/node_logs.h"
#include "nodes/node_runs_parts.h"
#include "records/bundle_owner.h"
#include "remote/bounds.h"
#include "sys/digest.h"

#include <assert.h>
#include <stdio.h>

static void run_turn(void *arg);

/* ---- a run ---- */

void node_run_unlink(struct nodes_run *run)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
}

static void node_runs_facts_drop(struct node_facts *facts)
{
    if (facts->bytes != NULL) {
        blob_free(facts->bytes);
    }
    *facts = (struct node_facts){ 0 };
}

static void run_release(struct nodes_run *run)
{
    if (run->place != NULL) {
        playbook_runs_leave(run->place);
        run->place = NULL;
    }
    node_runs_facts_drop(&run->facts);
    blob_free(run->files);
    run->files = NULL;
    node_free(run->job);
    run->job = NULL;
    if (run->task != NULL) {
        loop_task_cancel(run->task);
        run->task = NULL;
    }
}

static void node_runs_run_free(struct nodes_run *run)
{
    run_release(run);
    node_run_unlink(run);
    arena_free(run->memory);
}

/* Runs run_turn in the next iteration of the loop. */
void node_run_later(struct nodes_run *run)
{
    struct err err;

    if (run->task == NULL &&
        !loop_task_open(run->nodes->options.loop, run_turn, run, &run->task, &err)) {
        run->task = NULL; /* no free slot: the next call of node_run_later tries again */
    }
}

/* Reports that a node has no baseline although its playbook has succeeded. */
static void baseline_missing_report(struct nodes_run *run, struct text why)
{
    run->has_baseline = true;
    node_run_report(run, (struct nodes_event){ .kind = NODES_EVENT_BASELINE, .why = why });
}

void node_run_over(struct nodes_run *run, enum nodes_end end, struct text why)
{
    if (run->is_played) { /* the end of a run does not depend on whether it has a baseline */
        if (!run->has_baseline) {
            baseline_missing_report(run, why);
        }
        end = run->bundles_end;
        why = run->why;
        run->last.cause = NODES_CAUSE_NONE;
    }
    run->step = RUN_IS_OVER;
    run->end = end;
    run->why = arena_text(run->memory, why);
    node_run_later(run);
}

/* ---- start ---- */

/* Finds the output that is already stored, so that it is not requested again. */
static void seen_have(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct logs *logs = run->nodes->options.logs;
    struct logs_key *keys;
    size_t count;
    struct err err;

    if (logs == NULL || !logs_list(logs, arena, run->way.token, &keys, &count, &err)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct node_stage *stage =
            keys[i].stage < run->stage_count ? &run->stages[keys[i].stage] : NULL;

        if (stage != NULL && keys[i].attempt > stage->seen_attempt) {
            stage->seen_attempt = keys[i].attempt;
            stage->seen_bytes = logs_seen(logs, &keys[i]);
        }
    }
    /* output with a reported end is not requested again either */
    for (size_t i = 0; i < run->stage_count; i++) {
        run->stages[i].is_seen_whole =
            run->reported_ends[i] > 0 && run->reported_ends[i] == run->stages[i].seen_attempt;
    }
}

/* Returns whether the tenant of the cluster may use the bundle. If not, the bundle is treated as
 * missing. */
static bool node_runs_may_use(const struct nodes_run *run, struct text digest)
{
    struct text cluster = run->way.cluster;

    return bundle_owner_may_use(run->nodes->options.cache,
                                text_slice(cluster, 0, text_find_byte(cluster, '/')), digest);
}

/* Returns whether the run waits for bytes that this manager does not have, but that another manager
 * may have. */
static bool node_runs_blobs_awaited(const struct nodes_run *run)
{
    const struct node_runs_options *options = &run->nodes->options;
    bool is_awaited = false;

    if (options->blob_want == NULL) {
        return false;
    }
    for (size_t i = 0; i < run->stage_count; i++) {
        is_awaited =
            options->blob_want(options->arg, i >= run->bundle_count, run->stages[i].digest) ||
            is_awaited;
    }
    return (run->hook.playbook.length > 0 &&
            options->blob_want(options->arg, true, run->hook.digest)) ||
           is_awaited;
}

/* Sets the sizes of bundles. A bundle that this manager does not have can still run on a node that
 * has it. */
static void bundles_have(struct nodes_run *run)
{
    for (size_t i = 0; i < run->bundle_count; i++) {
        struct err err;

        if (run->nodes->options.depot == NULL || !node_runs_may_use(run, run->stages[i].digest) ||
            !depot_check(run->nodes->options.depot, run->stages[i].digest, &run->stages[i].bytes,
                         &err)) {
            run->stages[i].bytes = 0;
        }
    }
}

static bool bundle_piece(void *arg, struct text digest, uint64_t offset, char *out, size_t length)
{
    const struct nodes_run *run = arg;
    struct depot *depot = run->nodes->options.depot;
    struct err err;

    return depot != NULL && node_runs_may_use(run, digest) &&
           depot_read(depot, digest, offset, out, length, &err);
}

/* Insert the values of secrets into the variables of the stages. */
MUST_CHECK static bool node_runs_secrets_have(struct nodes_run *run, struct err *err)
{
    for (size_t i = 0; i < run->bundle_count; i++) {
        struct text filled;

        if (!stage_secrets_fill(&run->nodes->options.secrets, run->memory, run->way.cluster,
                                run->stages[i].vars, &filled, err)) {
            return false;
        }
        run->stages[i].filled = text_is_equal(filled, run->stages[i].vars) ? TEXT("") : filled;
    }
    return true;
}

static void node_runs_begin(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct node_runs_options *options = &run->nodes->options;
    struct session_pool *session_pool = reach_session_pool(options->reach);
    struct node_options job = {
        .session_pool = session_pool,
        .loop = options->loop,
        .clock = options->clock,
        .name = run->way.token,
        .zone = run->way.zone,
        .with = run->is_played ? (unsigned)RUN_WITH_BASELINE : run->with,
        .cluster = run->way.cluster,
        .boot = run->boot,
        .files = run->files_listed,
        .baseline = run->baseline,
        .is_hook_run = run->is_hook_run,
        .cleanup_s = run->cleanup_s,
        .is_undrain = run->is_undrain,
        .keeps_baseline = run->keeps_baseline,
        .is_baseline_later = node_run_has_playbook(run),
        .extra_attempt = run->playbook_attempt,
        .patience_ms = (run->with & (RUN_WITH_RELEASE | RUN_WITH_CLEANUP)) != 0
                           ? REMOTE_RELEASE_PATIENCE_MS
                       : (run->with & RUN_WITH_REBOOT) != 0 ? REMOTE_REBOOT_PATIENCE_MS
                       : (run->with & (RUN_WITH_VERIFY | RUN_WITH_DRAIN)) != 0 || run->is_played
                           ? REMOTE_VERIFY_PATIENCE_MS
                           : 0,
        .stages = run->stages,
        .stage_count = run->bundle_count,
        .request = run->request,
        .stale_keys = { run->stale[0], run->stale[1] },
        .is_request_of_failed = !run->is_request_of_all,
        .request_from = run->request_from,
        .read_bundle = bundle_piece,
        .read_arg = run,
        .reported = node_run_reported,
        .arg = run,
    };
    struct err err;

    if (session_pool == NULL) {
        node_run_over(run, NODES_END_REFUSED, TEXT("this manager has no session process"));
        return;
    }
    if ((run->with & RUN_WITH_STAGES) != 0 && !node_runs_secrets_have(run, &err)) {
        run->last.cause = NODES_CAUSE_OTHER;
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    switch (reach_target(options->reach, arena, &run->way, &job.target, &err)) {
    case REACH_READY:
        break;
    case REACH_WAITING:
        return;
    case REACH_REFUSED:
    case REACH_CANNOT:
        if (err.code == CODE_R0711) {
            run->last.cause =
                run->way.is_key_awaited ? NODES_CAUSE_KEY_AWAITED : NODES_CAUSE_KEY_UNKNOWN;
        } else if (err.code == CODE_R0667 || err.code == CODE_R0672) {
            run->last.cause = NODES_CAUSE_LOGIN_KEY;
        }
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->login_hash = text_hash(secret_reveal(job.target.key), 0);
    bundles_have(run);
    seen_have(run);
    if (!node_begin(&job, &run->job, &err)) {
        run->job = NULL;
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->step = RUN_GOES;
}

/* ---- steps ---- */

static void over_report(struct nodes_run *run)
{
    struct nodes_event reported = run->last;
    const struct node_runs *nodes = run->nodes;
    nodes_event_fn *fn = run->reported;
    void *arg = run->arg;
    struct arena *memory = run->memory;

    reported.kind = NODES_EVENT_END;
    reported.end = run->end;
    reported.why = run->why;
    run_release(run);
    if (run->is_signing) { /* the signer's answer still needs the memory of the run */
        run->is_dropped = true;
        memory = NULL;
    } else {
        node_run_unlink(run);
    }
    fn(arg, &reported);
    nodes->options.wake(nodes->options.arg);
    arena_free(memory);
}

static void run_turn(void *arg)
{
    struct nodes_run *run = arg;

    run->task = NULL;
    switch (run->step) {
    case RUN_RENEWS:
        node_free(run->job);
        run->job = NULL;
        run->step = RUN_BEGINS;
        run->refused_logins = 0;
        node_runs_begin(run);
        break;
    case RUN_BEGINS:
        if (node_runs_blobs_awaited(run)) {
            break;
        }
        if (node_run_has_hook_first(run)) {
            run->step = RUN_PLAYS;
            node_run_hook_play(run);
        } else {
            node_runs_begin(run);
        }
        break;
    case RUN_SIGNS:
        if (!run->is_signing) {
            node_run_sign(run);
        }
        break;
    case RUN_TRUSTS:
        node_trust(run->job, run->files, run->way.cluster);
        blob_free(run->files); /* the job holds a reference */
        run->files = NULL;
        break;
    case RUN_WRITES:
        node_distribute(run->job, &run->facts);
        node_runs_facts_drop(&run->facts); /* the job holds a reference */
        break;
    case RUN_IS_OVER:
        over_report(run);
        break;
    case RUN_PLAYS:
        if (run->place == NULL && node_run_has_hook(run)) {
            node_run_hook_play(run);
        } else if (run->place == NULL) {
            node_run_play(run);
        }
        break;
    case RUN_GOES:
        break;
    }
}

void node_runs_go_on(struct node_runs *nodes)
{
    playbook_runs_go_on(nodes->options.playbooks);
    for (struct nodes_run *run = nodes->runs; run != NULL; run = run->next) {
        if (!run->is_dropped && (run->step == RUN_BEGINS || run->step == RUN_SIGNS)) {
            node_run_later(run);
        }
    }
}

bool node_runs_names(const struct node_runs *nodes, struct text digest)
{
    for (const struct nodes_run *run = nodes->runs; run != NULL; run = run->next) {
        for (size_t i = 0; i < run->stage_count; i++) {
            if (text_is_equal(run->stages[i].digest, digest)) {
                return true;
            }
        }
        if (run->hook.playbook.length > 0 && text_is_equal(run->hook.digest, digest)) {
            return true;
        }
    }
    return false;
}

/* ---- the port ---- */

static void stages_copy(struct nodes_run *run, const struct nodes_order *order)
{
    run->stages = arena_array(run->memory, struct node_stage, order->stage_count + 1);
    run->reported_ends = arena_array(run->memory, uint32_t, order->stage_count + 1);
    run->stage_count = order->stage_count;
    run->bundle_count = order->stage_count;
    if (order->stage_count > 0 && order->stages[order->stage_count - 1].playbook.length > 0) {
        run->bundle_count--;
        run->playbook =
            arena_text(run->memory, order->upgrade.length > 0
                                        ? order->upgrade
                                        : order->stages[order->stage_count - 1].playbook);
    }
    for (size_t i = 0; i < order->stage_count; i++) {
        const struct nodes_stage *from = &order->stages[i];
        struct text *arguments = arena_array(run->memory, struct text, from->argument_count + 1);

        for (size_t j = 0; j < from->argument_count; j++) {
            arguments[j] = arena_text(run->memory, from->arguments[j]);
        }
        run->stages[i] = (struct node_stage){
            .name = arena_text(run->memory, from->name),
            .digest = arena_text(run->memory, from->digest),
            .arguments = arguments,
            .argument_count = from->argument_count,
            .vars = arena_text(run->memory, from->vars),
            .timeout_s = from->timeout_ms / 1000,
            .tries = from->tries,
            .is_idempotent = from->is_idempotent,
            .goes_on = from->goes_on,
            .is_marker_trusted = from->is_marker_trusted,
        };
        run->reported_ends[i] = order->reported == NULL ? 0 : order->reported[i];
    }
}

/* Records the owner of the output. It is needed to find the output when the node no longer
 * exists. */
static void owner_write(struct nodes_run *run, struct text cluster_name)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text key = run->way.cluster;
    struct text owner = node_logs_owner(arena, text_slice(key, 0, text_find_byte(key, '/')),
                                        cluster_name, run->way.name);
    struct logs *logs = run->nodes->options.logs;
    struct err err;

    if (logs != NULL && !logs_own(logs, run->way.token, owner, &err) && !run->nodes->is_reported) {
        run->nodes->is_reported = true;
        log_error(run->nodes->options.log, "logs", "lost", log_string("reason", err.text));
    }
}

static struct nodes_run *nodes_begin(void *arg, const struct nodes_order *order,
                                     nodes_event_fn *reported, void *event_arg)
{
    struct node_runs *nodes = arg;
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct nodes_run *run = arena_one(memory, struct nodes_run);
    struct text *texts[] = { &run->way.cluster, &run->way.machine,  &run->way.token,
                             &run->way.name,    &run->way.zone,     &run->way.address,
                             &run->way.user,    &run->way.host_key, &run->way.key_secret };

    *run = (struct nodes_run){ .nodes = nodes,
                               .memory = memory,
                               .way = order->way,
                               .with = order->with,
                               .reported = reported,
                               .arg = event_arg };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        *texts[i] = arena_text(memory, *texts[i]);
    }
    if ((run->with & RUN_WITH_STAGES) != 0) {
        owner_write(run, order->cluster_name);
    }
    run->cluster_name = arena_text(memory, order->cluster_name);
    run->begun = order->begun;
    run->owner = arena_text(memory, order->owner);
    run->group = arena_text(memory, order->group);
    run->boot = arena_text(memory, order->boot);
    run->files_listed = arena_text(memory, order->files);
    run->baseline = arena_text(memory, order->baseline);
    run->is_hook_run = order->is_hook_run;
    run->cleanup_s = order->cleanup_s;
    run->is_undrain = order->is_undrain;
    run->keeps_baseline = order->keeps_baseline;
    run->request = arena_text(memory, order->request);
    run->is_request_of_all = order->is_request_of_all;
    run->request_from = order->request_from;
    stages_copy(run, order);
    node_run_hook_copy(run, order);
    run->next = nodes->runs;
    run->link = &nodes->runs;
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    nodes->runs = run;
    node_run_later(run);
    return run;
}

static void nodes_trust(void *arg, struct nodes_run *run, const struct nodes_trust *trust)
{
    (void)arg;
    run->is_apart = trust->is_apart;
    run->keeps = trust->keeps;
    run->cert_ms = trust->cert_ms;
    if (trust->is_classic) {
        node_runs_trust_classic(run, trust);
        return;
    }
    run->step = RUN_SIGNS;
    node_run_later(run);
}

/* Stores the facts, unless they equal the stored ones. */
static void facts_have(struct node_runs *nodes, struct text facts, struct text hosts)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text bytes = arena_printf(arena, "%.*s%.*s", TEXT_ARG(facts), TEXT_ARG(hosts));
    struct node_facts *last = &nodes->facts;

    if (last->bytes != NULL && last->facts_bytes == facts.length &&
        text_is_equal(blob_text(last->bytes), bytes)) {
        return;
    }
    node_runs_facts_drop(last);
    last->bytes = blob_new(bytes);
    last->facts_bytes = facts.length;
    digest_sha256(bytes, last->digest);
}

static void nodes_distribute(void *arg, struct nodes_run *run, struct text facts, struct text hosts)
{
    struct node_runs *nodes = arg;

    node_runs_facts_drop(&run->facts);
    if (facts.length > 0) {
        facts_have(nodes, facts, hosts);
        run->facts = nodes->facts;
        blob_share(run->facts.bytes);
    }
    run->step = RUN_WRITES;
    node_run_later(run);
}

static void nodes_stop(void *arg, struct nodes_run *run)
{
    (void)arg;
    if (run->place != NULL) {
        playbook_runs_stop(run->place);
    }
}

static void nodes_drop(void *arg, struct nodes_run *run)
{
    (void)arg;
    if (run->is_signing) {
        run_release(run);
        run->is_dropped = true;
        return;
    }
    node_runs_run_free(run);
}

static bool nodes_authority(void *arg, struct text cluster, struct nodes_mark *out)
{
    const struct node_runs *nodes = arg;
    struct authorities_mark mark;

    if (!authorities_mark(nodes->options.authorities, cluster, &mark)) {
        return false;
    }
    *out = (struct nodes_mark){ .signs = mark.signs, .trusts = mark.trusts, .list = mark.list };
    return true;
}

static bool nodes_rotation(void *arg, struct text cluster, struct nodes_rotation *out)
{
    const struct node_runs *nodes = arg;
    struct authorities_rotation rotation;

    if (!authorities_rotation(nodes->options.authorities, cluster, &rotation)) {
        return false;
    }
    *out = (struct nodes_rotation){ .phase = rotation.phase,
                                    .request = rotation.request,
                                    .age_ms = rotation.age_ms,
                                    .is_stepping = rotation.is_stepping };
    return true;
}

static void nodes_rotate(void *arg, struct text cluster, struct text request, struct text event)
{
    const struct node_runs *nodes = arg;

    authorities_rotate(nodes->options.authorities, cluster, request, event);
}

static bool nodes_logs_in(void *arg, struct text plugin)
{
    const struct node_runs *nodes = arg;

    return nodes->options.logs_in(nodes->options.arg, plugin);
}

/* ---- opening and closing ---- */

struct node_runs *node_runs_new(const struct node_runs_options *options)
{
    struct node_runs *nodes = rows_resize(NULL, sizeof(*nodes));

    *nodes = (struct node_runs){
        .options = *options,
        .port = { .begin = nodes_begin,
                  .trust = nodes_trust,
                  .distribute = nodes_distribute,
                  .stop = nodes_stop,
                  .drop = nodes_drop,
                  .logs_in = nodes_logs_in,
                  .authority = nodes_authority,
                  .rotation = nodes_rotation,
                  .rotate = nodes_rotate,
                  .arg = nodes },
    };
    return nodes;
}

const struct nodes_port *node_runs_port(struct node_runs *nodes)
{
    return &nodes->port;
}

void node_runs_free(struct node_runs *nodes)
{
    if (nodes == NULL) {
        return;
    }
    while (nodes->runs != NULL) {
        node_runs_run_free(nodes->runs); /* the signer sends no more answers */
    }
    node_runs_facts_drop(&nodes->facts);
    rows_free(nodes);
}
