#include "nodes/exec_runs.h"

#include "base/limits.h"
#include "base/secret.h"
#include "sys/clock.h"

#include <assert.h>
#include <string.h>

/* Commands on many machines. The machines of the first batch are queued in the session pool, a
 * limited number at a time. When all machines of a batch have ended, the next batch begins after
 * its pause. Only exec_step starts work, and only the loop calls it.
 *
 * Failures:
 * - A machine that cannot be reached ends with its cause; the others continue.
 * - After too many failures, or one failed canary, the remaining machines end as skipped.
 * - At the deadline of the run, running commands are abandoned and no more commands start.
 * - A slow reader pauses the output, and no more commands start.
 * - If the reader disconnects, all commands are cancelled. The run is freed when the last one has
 *   ended.
 *
 * Closing a channel does not end its command, and sshd accepts no signal for a command if root logs
 * in. So a second run on the machine ends a command that was abandoned or has exceeded its
 * deadline. Both runs have the same sshd process as parent. A machine has only one command at a
 * time, so no other command of reeve runs below that process. */

/* Sends SIGTERM to every process group below the sshd of this session, and SIGKILL two seconds
 * later. */
#define END_COMMAND                                                                            \
    "exec sh -c 'above=$PPID; all=; "                                                          \
    "for f in /proc/[0-9]*/stat; do read -r line <$f || continue; set -- ${line##*) }; "       \
    "[ \"$2\" != \"$above\" ] || [ \"${line%% *}\" = $$ ] || all=\"$all ${line%% *}\"; done; " \
    "for p in $all; do kill -s TERM -- -$p; done; n=0; "                                       \
    "while [ $n -lt 20 ]; do left=; for p in $all; do kill -s 0 -- -$p && left=1; done; "      \
    "[ -n \"$left\" ] || exit 0; sleep 0.1; n=$((n + 1)); done; "                              \
    "for p in $all; do kill -s KILL -- -$p; done; exit 9' 2>/dev/null"

/* END_MS: deadline of END_COMMAND. END_KILLED: exit code of END_COMMAND if SIGTERM was not
 * enough. */
enum { END_MS = 10000, END_KILLED = 9 };

enum post_state { POST_WAITING, POST_AUTHORITY, POST_RUNNING, POST_ENDING, POST_OVER };

/* A machine of a run. */
struct post {
    struct exec_run *run;
    struct control_way way;
    const char *unfit; /* reason why no command can run on the machine, or NULL */
    struct text why;
    enum post_state state;
    /* Target of the session in which the command runs. It is kept even if there are newer
     * certificates. */
    struct transport_target target;
    struct session_pool_run *session_pool_run;
    uint64_t begun_ms;
    uint64_t bytes[TRANSPORT_STREAM_COUNT];
    uint64_t dropped[TRANSPORT_STREAM_COUNT];
    bool is_cut; /* stopped by the deadline of the run, or by the user */
};

struct exec_run {
    struct exec_runs *execs;
    struct exec_run *next;
    struct exec_run **link;
    struct arena *memory;
    struct exec_order order; /* the request; the list of its nodes is not copied */
    struct post *posts;
    size_t begun; /* index of the first machine that has not started */
    size_t batch; /* index of the current batch */
    /* index after the last machine of the batch; the number of machines if no more start */
    size_t batch_end;
    size_t running; /* number of machines in the pool, waiting for an authority, or being ended */
    size_t ended;
    size_t failed;
    struct loop_timer *timer;    /* timer of the next step */
    struct loop_timer *deadline; /* deadline of the run */
    enum exec_cut cut;           /* reason why no more machines start */
    enum exec_cut cut_met;       /* same as `cut`, but set only when it has affected a machine */
    bool is_pausing;             /* the run waits between two batches */
    bool is_held;
    bool is_done;
    bool is_dropped;
    exec_event_fn *reported;
    void *arg;
};

struct exec_runs {
    struct loop *loop;
    struct reach *reach;
    struct exec_port port;
    struct exec_run *runs;
    size_t count;
    bool is_closed;
};

/* ---- reporting ---- */

static void step_want(struct exec_run *run, uint64_t in_ms)
{
    loop_timer_start(run->timer, in_ms, 0);
}

/* Decides, after a machine has ended, whether further machines start. The first reason not to is
 * kept. */
static void cut_note(struct exec_run *run, bool is_well)
{
    if (run->cut != EXEC_CUT_NONE || is_well) {
        return;
    }
    if (run->order.batches.items[run->batch].is_canary) {
        run->cut = EXEC_CUT_CANARY;
    } else if (run->order.max_fail > 0 && run->failed >= run->order.max_fail) {
        run->cut = EXEC_CUT_FAILED;
    }
}

static void exec_runs_end_report(struct post *post, struct exec_event *reported)
{
    struct exec_run *run = post->run;
    bool is_well =
        reported->outcome == OUTCOME_OK && reported->code == 0 && reported->signal.length == 0;

    reported->kind = EXEC_EVENT_END;
    reported->node = (size_t)(post - run->posts);
    reported->took_ms = post->begun_ms == 0 ? 0 : loop_now_ms(run->execs->loop) - post->begun_ms;
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        reported->bytes[i] = post->bytes[i];
        reported->dropped[i] = post->dropped[i];
    }
    post->state = POST_OVER;
    run->ended++;
    run->failed += !is_well;
    cut_note(run, is_well);
    if (!run->is_dropped) {
        run->reported(run->arg, reported);
    }
}

static void refused_report(struct post *post, const char *fault, struct text why)
{
    exec_runs_end_report(
        post,
        &(struct exec_event){ .outcome = OUTCOME_REFUSED, .fault = text_from(fault), .why = why });
}

static void exec_runs_skipped_report(struct post *post)
{
    struct exec_run *run = post->run;

    run->cut_met = run->cut;
    refused_report(post,
                   run->cut == EXEC_CUT_DEADLINE ? "deadline"
                   : run->cut == EXEC_CUT_ASKED  ? "stopped"
                                                 : "skipped",
                   run->cut == EXEC_CUT_DEADLINE
                       ? TEXT("the deadline passed before the command was started")
                   : run->cut == EXEC_CUT_ASKED  ? TEXT("the command was not started")
                   : run->cut == EXEC_CUT_CANARY ? TEXT("a canary has failed")
                                                 : TEXT("too many other machines have failed"));
}

/* ---- one machine ---- */

/* Copies the target into the arena. The authority issues new certificates from time to time. A new
 * certificate would open another session, in which the command does not run. */
static void target_keep(struct post *post)
{
    struct arena *memory = post->run->memory;

    post->target.certificate = arena_text(memory, post->target.certificate);
    post->target.key = secret_from(arena_text(memory, secret_reveal(post->target.key)));
}

static void target_wipe(struct post *post)
{
    struct text key = secret_reveal(post->target.key);

    if (key.length > 0) {
        secret_wipe((char *)(uintptr_t)key.data, key.length);
    }
}

static void exec_runs_run_free(struct exec_run *run)
{
    for (size_t i = 0; i < run->begun; i++) {
        target_wipe(&run->posts[i]);
    }
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    run->execs->count--;
    loop_timer_close(run->timer);
    loop_timer_close(run->deadline);
    arena_free(run->memory);
}

static void exec_runs_output_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct post *post = arg;
    struct exec_run *run = post->run;
    uint64_t reported = post->bytes[stream] - post->dropped[stream];
    uint64_t left = post->is_cut ? 0 : run->order.output_max - reported;
    struct text fits = text_slice(piece, 0, left < piece.length ? (size_t)left : piece.length);

    post->bytes[stream] += piece.length;
    post->dropped[stream] += piece.length - fits.length;
    if (fits.length > 0 && !run->is_dropped) {
        run->reported(run->arg, &(struct exec_event){ .kind = EXEC_EVENT_OUTPUT,
                                                      .node = (size_t)(post - run->posts),
                                                      .is_error = stream == TRANSPORT_ERROR,
                                                      .piece = fits });
    }
}

/* Records that a machine is no longer active. */
static void post_leave(struct exec_run *run)
{
    run->running--;
    if (run->is_dropped && run->running == 0) {
        exec_runs_run_free(run);
    } else if (!run->is_dropped) {
        step_want(run, 0);
    }
}

static void exec_runs_command_ended(void *arg, enum outcome outcome,
                                    const struct session_run_result *result)
{
    struct post *post = arg;
    bool is_known = outcome == OUTCOME_OK && result->answer.signal.length == 0;

    /* In any other state the end of the machine was already reported. If its command could not be
     * stopped, nothing more can be done about it. */
    if (post->state == POST_ENDING) {
        exec_runs_end_report(
            post, &(struct exec_event){
                      .outcome = OUTCOME_UNKNOWN,
                      .fault = TEXT("stopped"),
                      .why = is_known && result->answer.code == 0
                                 ? TEXT("the command was stopped by SIGTERM")
                             : is_known && result->answer.code == END_KILLED
                                 ? TEXT("the command did not stop on SIGTERM, and was killed")
                                 : TEXT("the command got SIGTERM; it may still run"),
                  });
    }
    post_leave(post->run);
}

static struct session_run_spec order_of(struct post *post)
{
    return (struct session_run_spec){
        .node = arena_printf(post->run->memory, "%.*s/%.*s", TEXT_ARG(post->way.cluster),
                             TEXT_ARG(post->way.token)),
        .zone = post->way.zone,
        .target = post->target,
        .kind = SESSION_POOL_EXEC,
        .wait_ms = LIMIT_EXEC_TURN_MS,
    };
}

/* Ends the command that still runs on the machine. Returns false if that is impossible. */
static bool command_end(struct post *post)
{
    struct exec_run *run = post->run;
    struct session_pool *session_pool = reach_session_pool(run->execs->reach);
    struct session_run_spec order = order_of(post);

    if (session_pool == NULL) {
        return false;
    }
    order.command = TEXT(END_COMMAND);
    order.deadline_ms = END_MS;
    return session_pool_run(session_pool, &order, exec_runs_command_ended, post) != NULL;
}

static void exec_runs_command_ran(void *arg, enum outcome outcome,
                                  const struct session_run_result *result)
{
    struct post *post = arg;
    struct exec_run *run = post->run;
    struct exec_event reported = { .outcome = outcome };
    bool goes_on =
        outcome == OUTCOME_UNKNOWN && (result->answer.fault == TRANSPORT_FAULT_LATE ||
                                       result->answer.fault == TRANSPORT_FAULT_CANCELLED);

    post->session_pool_run = NULL;
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        post->bytes[i] += result->answer.dropped[i];
        post->dropped[i] += result->answer.dropped[i];
    }
    if (outcome == OUTCOME_OK) {
        reported.code = result->answer.code;
        reported.signal = result->answer.signal;
    } else {
        reported.fault = text_from(transport_fault_name(result->answer.fault));
        reported.why = result->answer.message;
    }
    if (post->is_cut && run->cut == EXEC_CUT_ASKED && outcome != OUTCOME_OK) {
        reported.fault = TEXT("stopped");
        reported.why = outcome == OUTCOME_REFUSED
                           ? TEXT("the command was not started")
                           : TEXT("the command got SIGTERM; it may still run");
        if (goes_on && !run->is_dropped && command_end(post)) {
            post->state = POST_ENDING; /* exec_runs_command_ended reports the result */
            return;
        }
        goes_on = false;
    } else if (post->is_cut && outcome != OUTCOME_OK) {
        run->cut_met = EXEC_CUT_DEADLINE;
        reported.fault = TEXT("deadline");
        reported.why = outcome == OUTCOME_REFUSED
                           ? TEXT("the deadline passed before the command was started")
                           : TEXT("the deadline passed while the command ran, and it got SIGTERM");
    }
    exec_runs_end_report(post, &reported);
    if (!goes_on || !command_end(post)) {
        post_leave(run);
    }
}

static void exec_runs_command_run(struct post *post)
{
    struct exec_run *run = post->run;
    struct session_pool *session_pool = reach_session_pool(run->execs->reach);
    struct session_run_spec order = order_of(post);

    order.command = run->order.command;
    order.deadline_ms = run->order.timeout_ms;
    order.output = exec_runs_output_came;
    order.output_max = run->order.output_max; /* reeve-session drops the rest of the output */
    order.is_linewise = true;
    post->session_pool_run =
        session_pool == NULL ? NULL
                             : session_pool_run(session_pool, &order, exec_runs_command_ran, post);
    if (post->session_pool_run == NULL) {
        run->running--;
        refused_report(post, "session",
                       session_pool == NULL
                           ? TEXT("the manager has no session process: its log says why")
                           : TEXT("too many runs are queued"));
        step_want(run, 0);
    }
}

/* Starts a machine. From here on it counts as running. */
static void post_begin(struct post *post)
{
    struct exec_run *run = post->run;
    struct err err;

    run->running += post->state == POST_WAITING;
    post->state = POST_RUNNING;
    post->begun_ms = loop_now_ms(run->execs->loop);
    switch (reach_target(run->execs->reach, run->memory, &post->way, &post->target, &err)) {
    case REACH_READY:
        target_keep(post);
        exec_runs_command_run(post);
        return;
    case REACH_WAITING:
        post->state = POST_AUTHORITY;
        return;
    case REACH_REFUSED:
    case REACH_CANNOT:
        break;
    }
    run->running--;
    refused_report(post, "login refused", text_from(err.text));
    step_want(run, 0);
}

/* ---- all machines ---- */

static void posts_begin(struct exec_run *run)
{
    while (run->begun < run->batch_end && run->running < LIMIT_EXEC_RUNS && !run->is_held) {
        struct post *post = &run->posts[run->begun];

        run->begun++;
        if (run->cut != EXEC_CUT_NONE) {
            exec_runs_skipped_report(post);
        } else if (post->unfit != NULL) {
            refused_report(post, post->unfit, post->why);
        } else {
            post_begin(post);
        }
    }
}

static void batch_next(struct exec_run *run)
{
    const struct exec_batches *batches = &run->order.batches;

    if (run->cut != EXEC_CUT_NONE || run->batch + 1 == batches->count) {
        run->batch_end = run->order.count;
    } else {
        run->batch_end = batches->items[++run->batch].end;
    }
}

/* Returns the pause before the next batch, in milliseconds. */
static uint64_t wait_ms(const struct exec_run *run)
{
    const struct exec_batches *batches = &run->order.batches;
    bool is_bake = batches->items[run->batch].is_canary &&
                   !(run->batch + 1 < batches->count && batches->items[run->batch + 1].is_canary);

    return run->cut != EXEC_CUT_NONE                             ? 0
           : is_bake && run->order.bake_ms > run->order.pause_ms ? run->order.bake_ms
                                                                 : run->order.pause_ms;
}

/* Returns the reason to report. Failures are reported even if no machine was left to start, because
 * the caller may have further machines. A deadline is reported only if it affected a machine. */
static enum exec_cut cut_of(const struct exec_run *run)
{
    return run->cut == EXEC_CUT_DEADLINE ? run->cut_met : run->cut;
}

static void exec_step(void *arg)
{
    struct exec_run *run = arg;

    if (run->is_dropped || run->is_done) {
        return;
    }
    if (run->is_pausing) {
        run->is_pausing = false;
        batch_next(run);
    }
    posts_begin(run);
    if (run->ended == run->order.count && run->running == 0) {
        run->is_done = true;
        run->reported(run->arg,
                      &(struct exec_event){ .kind = EXEC_EVENT_DONE, .cut = cut_of(run) });
    } else if (run->ended == run->batch_end && run->running == 0 && !run->is_held) {
        run->is_pausing = true;
        step_want(run, wait_ms(run));
    }
}

/* Ends one machine early. If it waits for an authority, it has not started. Paused output is
 * resumed, because a paused run would not end. */
static void post_cut(struct post *post)
{
    struct exec_run *run = post->run;

    if (post->state == POST_AUTHORITY) {
        run->running--;
        exec_runs_skipped_report(post);
    } else if (post->session_pool_run != NULL) {
        post->is_cut = true;
        session_pool_resume(post->session_pool_run);
        session_pool_cancel(post->session_pool_run);
    }
}

static void run_cut(struct exec_run *run, enum exec_cut cut)
{
    if (run->is_dropped || run->is_done) {
        return;
    }
    run->cut = cut;
    for (size_t i = 0; i < run->begun; i++) {
        post_cut(&run->posts[i]);
    }
    step_want(run, 0);
}

static void deadline_passed(void *arg)
{
    run_cut(arg, EXEC_CUT_DEADLINE);
}

static void exec_stop(struct exec_run *run)
{
    run->is_held = false; /* no more machines start, but running ones must be reported */
    run_cut(run, EXEC_CUT_ASKED);
}

/* ---- the port ---- */

static struct text controller(struct arena *arena, struct text text)
{
    return arena_text(arena, text);
}

static void post_make(struct exec_run *run, size_t number, const struct select_node *node)
{
    struct post *post = &run->posts[number];

    *post = (struct post){
        .run = run,
        .way = { .cluster = controller(run->memory, node->key),
                 .machine = controller(run->memory, node->id),
                 .token = controller(run->memory, node->token),
                 .name = controller(run->memory, node->name),
                 .zone = controller(run->memory, node->zone),
                 .address = controller(run->memory, node->address),
                 .user = controller(run->memory, node->user),
                 .host_key = controller(run->memory, node->host_key),
                 .key_secret = controller(run->memory, node->group->key_secret),
                 .port = node->port,
                 .is_operators = node->group->is_operators },
    };
    post->unfit = exec_unfit(run->memory, node, &post->why);
}

MUST_CHECK static bool timers_open(struct exec_run *run, struct err *err)
{
    struct loop *loop = run->execs->loop;

    if (!loop_timer_open(loop, exec_step, run, &run->timer, err)) {
        return false;
    }
    if (!loop_timer_open(loop, deadline_passed, run, &run->deadline, err)) {
        loop_timer_close(run->timer);
        return false;
    }
    if (run->order.deadline_ms > 0) {
        loop_timer_start(run->deadline, run->order.deadline_ms, 0);
    }
    return true;
}

static void exec_runs_order_keep(struct exec_run *run, const struct exec_order *order)
{
    struct exec_batch *batches = arena_array(run->memory, struct exec_batch, order->batches.count);

    memcpy(batches, order->batches.items, order->batches.count * sizeof(*batches));
    run->order.batches.items = batches;
    run->order.command = controller(run->memory, order->command);
    run->order.nodes = NULL;
    for (size_t i = 0; i < order->count; i++) {
        post_make(run, i, &order->nodes[i]);
    }
}

static struct exec_run *exec_begin(void *arg, const struct exec_order *order,
                                   exec_event_fn *reported, void *event_arg, struct err *err)
{
    struct exec_runs *execs = arg;
    struct arena *memory;
    struct exec_run *run;

    assert(order->count > 0 && order->batches.count > 0);
    if (execs->is_closed) {
        err_set(err, CODE_R0548, "this manager is stopping");
        return NULL;
    }
    if (execs->count >= LIMIT_EXECS) {
        err_set(err, CODE_R0781, "%d commands are already running on machines", LIMIT_EXECS);
        return NULL;
    }
    memory = arena_new_small(SIZE_MAX);
    run = arena_one(memory, struct exec_run);
    *run = (struct exec_run){
        .execs = execs,
        .next = execs->runs,
        .link = &execs->runs,
        .memory = memory,
        .order = *order,
        .posts = arena_array(memory, struct post, order->count),
        .batch_end = order->batches.items[0].end,
        .reported = reported,
        .arg = event_arg,
    };
    if (!timers_open(run, err)) {
        arena_free(memory);
        return NULL;
    }
    exec_runs_order_keep(run, order);
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    execs->runs = run;
    execs->count++;
    step_want(run, 0);
    return run;
}

static void exec_hold(struct exec_run *run, bool is_held)
{
    if (run->is_held == is_held || run->is_dropped) {
        return;
    }
    run->is_held = is_held;
    for (size_t i = 0; i < run->begun; i++) {
        if (run->posts[i].session_pool_run != NULL) {
            (is_held ? session_pool_pause : session_pool_resume)(run->posts[i].session_pool_run);
        }
    }
    if (!is_held && !run->is_pausing) {
        step_want(run, 0);
    }
}

static struct exec_counts exec_count(const struct exec_run *run)
{
    return (struct exec_counts){ .running = run->running,
                                 .waiting = run->order.count - run->ended - run->running };
}

static void exec_drop(struct exec_run *run)
{
    assert(!run->is_dropped);
    run->is_dropped = true;
    for (size_t i = 0; i < run->begun; i++) {
        struct post *post = &run->posts[i];

        if (post->state == POST_AUTHORITY) {
            post->state = POST_OVER;
            run->running--;
        } else if (post->session_pool_run != NULL) {
            session_pool_resume(post->session_pool_run); /* a paused run would not end */
            session_pool_cancel(post->session_pool_run);
        }
    }
    if (run->running == 0) {
        exec_runs_run_free(run);
    }
}

/* ---- opening and closing ---- */

struct exec_runs *exec_runs_new(struct loop *loop, struct reach *reach)
{
    struct exec_runs *execs = rows_resize(NULL, sizeof(*execs));

    *execs = (struct exec_runs){ .loop = loop, .reach = reach };
    execs->port = (struct exec_port){
        .begin = exec_begin,
        .hold = exec_hold,
        .count = exec_count,
        .stop = exec_stop,
        .drop = exec_drop,
        .arg = execs,
    };
    return execs;
}

const struct exec_port *exec_runs_port(struct exec_runs *execs)
{
    return &execs->port;
}

void exec_runs_go_on(struct exec_runs *execs)
{
    for (struct exec_run *run = execs->runs, *next; run != NULL; run = next) {
        next = run->next;
        for (size_t i = 0; !run->is_dropped && i < run->begun; i++) {
            if (run->posts[i].state == POST_AUTHORITY) {
                post_begin(&run->posts[i]);
            }
        }
    }
}

bool exec_runs_are_idle(const struct exec_runs *execs)
{
    return execs->count == 0;
}

void exec_runs_close(struct exec_runs *execs)
{
    if (execs == NULL) {
        return;
    }
    execs->is_closed = true;
    for (struct exec_run *run = execs->runs, *next; run != NULL; run = next) {
        next = run->next;
        if (!run->is_dropped) {
            exec_drop(run);
        }
    }
}

void exec_runs_free(struct exec_runs *execs)
{
    if (execs != NULL) {
        assert(execs->runs == NULL && "the pool has reported all of them");
        rows_free(execs);
    }
}
