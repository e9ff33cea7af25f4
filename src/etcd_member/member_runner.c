#include "etcd_member/member_runner.h"

#include "base/limits.h"
#include "etcd_member/member_etcd.h"
#include "etcd_member/member_files.h"
#include "etcd_member/member_metrics.h"
#include "etcd_member/member_record.h"
#include "sys/child.h"
#include "sys/clock.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Normal case: the record says that the member shall run, etcd is started, its log is read, its
 * metrics answer, and the method START ends.
 *
 * Failures: etcd ends by itself: it is started again after a pause that doubles. The process of a
 * former reeve-store may still use the data: the start waits for its end. A kill at any time leaves
 * a record, from which the next process continues. */

enum {
    MEMBER_TURN_BUSY_MS = 50,
    MEMBER_TURN_MS = 1000,
    MEMBER_MESSAGE_MAX = 512,
    MEMBER_SWEEP_MS = 3600 * 1000,
    /* several times the time after which a member without a leader wants to be elected */
    MEMBER_REPLAY_MS = 5000,
    /* etcd has no deadline; the timer of the child needs one: ten years */
    MEMBER_FOREVER_DAYS = 3650,
    MEMBER_DAY_MS = 24 * 3600 * 1000,
};

/* What etcd runs for. */
enum member_purpose { MEMBER_PURPOSE_NONE, MEMBER_PURPOSE_SERVE, MEMBER_PURPOSE_REPLAY };

/* A request in progress. */
struct member_task {
    struct member_task *next;
    struct arena *memory;
    struct member_ipc_ask ask;
    member_runner_done *done;
    void *arg;
    uint64_t until_ms;
    uint64_t begun_ms;
    uint64_t failures; /* number of failures of the runner when the request began */
    bool is_begun;     /* the record was written */
};

struct member_runner {
    struct member_runner_options options;
    struct member_record record;
    struct loop_timer *turn;
    struct member_task *tasks;
    /* etcd */
    struct child *etcd; /* NULL: it does not run */
    enum member_purpose purpose;
    struct member_etcd_log *reading;
    uint64_t etcd_since_ms;
    bool is_etcd_ending;
    bool is_outdated;      /* etcd runs with former arguments */
    struct child *restore; /* etcdctl; NULL: it does not run */
    /* metrics: the newest values, and when they were requested */
    struct member_metrics *fetching;
    uint64_t fetching_since_ms;
    struct member_etcd_metrics metrics;
    uint64_t metrics_ms;    /* when the request for the values was sent; 0: none since the start */
    uint64_t no_metrics_ms; /* when the last request was sent that was not answered */
    /* failures */
    uint64_t crashes;
    uint64_t failures;
    uint64_t pause_until_ms;
    uint64_t swept_ms;
    char reason[MEMBER_ETCD_REASON_BYTES];
    struct err failure; /* the newest failure */
    bool is_over;
};

static void member_turn(struct member_runner *runner);

static uint64_t member_now_ms(const struct member_runner *runner)
{
    return loop_now_ms(runner->options.loop);
}

/* ---- failures ---- */

/* Sets the pause before the next attempt, and reports the failure to requests that wait. */
static void member_fail(struct member_runner *runner, const struct err *failure)
{
    uint64_t pause_ms = LIMIT_MEMBER_PAUSE_MS;

    runner->failures++;
    runner->crashes++;
    runner->failure = *failure;
    for (uint64_t i = 1; i < runner->crashes && pause_ms < LIMIT_MEMBER_PAUSE_MAX_MS; i++) {
        pause_ms *= 2;
    }
    pause_ms = pause_ms < LIMIT_MEMBER_PAUSE_MAX_MS ? pause_ms : LIMIT_MEMBER_PAUSE_MAX_MS;
    runner->pause_until_ms = member_now_ms(runner) + pause_ms;
    log_error(runner->options.log, "member", "failed", log_string("reason", failure->text),
              log_int("crashes", (int64_t)runner->crashes), log_duration("again_in", pause_ms));
}

/* Writes a changed record, and then makes it the current one. Its texts are copied. */
MUST_CHECK static bool member_record_change(struct member_runner *runner,
                                            const struct member_record *changed, struct err *err)
{
    struct member_record next = *changed;

    next.memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    next.arguments = member_record_copy(next.memory, &changed->arguments);
    next.next = member_record_copy(next.memory, &changed->next);
    if (!member_record_write(runner->options.folder, &next, err)) {
        arena_free(next.memory);
        return false;
    }
    member_record_free(&runner->record);
    runner->record = next;
    return true;
}

/* Like member_record_change(), outside of a request: the next turn tries again. */
static void member_record_advance(struct member_runner *runner, const struct member_record *changed)
{
    struct err err = { 0 };

    if (!member_record_change(runner, changed, &err)) {
        member_fail(runner, &err);
    }
}

/* ---- etcd ---- */

static void on_etcd_warned(void *arg, struct text message)
{
    struct member_runner *runner = arg;

    log_warn(runner->options.log, "etcd", "message",
             log_text("text", text_slice(message, 0, MEMBER_MESSAGE_MAX)));
}

static void on_etcd_output(void *arg, enum child_stream stream, struct text piece)
{
    struct member_runner *runner = arg;

    (void)stream;
    member_etcd_log_read(runner->reading, piece, on_etcd_warned, runner);
}

/* etcd ended by itself. */
static void member_crashed(struct member_runner *runner, const struct child_end *end)
{
    struct err err = { 0 };

    if (member_now_ms(runner) - runner->etcd_since_ms > LIMIT_MEMBER_STEADY_MS) {
        runner->crashes = 0;
    }
    if (runner->reading->reason[0] != '\0') {
        snprintf(runner->reason, sizeof(runner->reason), "%s", runner->reading->reason);
    } else if (end->signal != 0) {
        snprintf(runner->reason, sizeof(runner->reason), "signal %d", end->signal);
    } else {
        snprintf(runner->reason, sizeof(runner->reason), "exit code %d", end->code);
    }
    err_set(&err, CODE_R0597, "etcd has ended: %s", runner->reason);
    member_fail(runner, &err);
}

static void on_etcd_end(void *arg, const struct child_end *end)
{
    struct member_runner *runner = arg;

    member_metrics_cancel(runner->fetching);
    runner->fetching = NULL;
    runner->etcd = NULL;
    runner->metrics_ms = 0;
    if (!runner->is_etcd_ending) {
        member_crashed(runner, end);
    } else {
        log_info(runner->options.log, "etcd", "ended", log_string("member", "stopped"));
    }
    runner->is_etcd_ending = false;
    runner->is_outdated = false;
    member_turn(runner);
}

MUST_CHECK static bool member_etcd_begin(struct member_runner *runner, enum member_purpose purpose,
                                         struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    /* etcd 3.4 runs on ARM only if this variable names it; elsewhere it has no effect */
    static const char *const environment[] = { "ETCD_UNSUPPORTED_ARCH=arm64", NULL };
    struct child_options options = {
        .path = runner->options.etcd,
        .argv = member_etcd_run(arena, &runner->record.arguments, purpose == MEMBER_PURPOSE_REPLAY),
        .envp = environment,
        .folder = runner->options.path,
        .deadline_ms = (uint64_t)MEMBER_FOREVER_DAYS * MEMBER_DAY_MS,
        .grace_ms = LIMIT_MEMBER_END_MS,
        .output = on_etcd_output,
        .done = on_etcd_end,
        .arg = runner,
        .is_killed_with_parent = true,
    };

    if (runner->record.has_begun && !member_files_has_data(runner->options.folder)) {
        return err_set(err, CODE_R0596, "the data of the member '%.*s' are missing",
                       TEXT_ARG(runner->record.arguments.name));
    }
    member_files_sockets_remove(runner->options.folder);
    *runner->reading = (struct member_etcd_log){ 0 };
    runner->metrics_ms = 0;
    if (!child_start(runner->options.loop, &options, &runner->etcd, err)) {
        char why[MEMBER_ETCD_REASON_BYTES];

        snprintf(why, sizeof(why), "%s", err->text);
        err_set(err, CODE_R0597, "etcd cannot be started: %s", why);
        return err_hint(err, "apt-get install etcd-server etcd-client");
    }
    return true;
}

static void member_etcd_start(struct member_runner *runner, enum member_purpose purpose)
{
    struct err err = { 0 };

    if (member_now_ms(runner) < runner->pause_until_ms ||
        member_files_is_used(runner->options.folder)) {
        return;
    }
    if (!member_etcd_begin(runner, purpose, &err)) {
        snprintf(runner->reason, sizeof(runner->reason), "%s", err.text);
        member_fail(runner, &err);
        return;
    }
    runner->purpose = purpose;
    runner->etcd_since_ms = member_now_ms(runner);
    log_info(runner->options.log, "etcd", "started",
             log_text("member", runner->record.arguments.name),
             log_int("pid", child_pid(runner->etcd)));
}

static void member_etcd_end(struct member_runner *runner)
{
    if (runner->etcd != NULL && !runner->is_etcd_ending) {
        runner->is_etcd_ending = true;
        child_stop(runner->etcd);
    }
}

/* True if etcd runs, has read its log and answers. */
static bool member_is_up(const struct member_runner *runner)
{
    return runner->etcd != NULL && !runner->is_etcd_ending && !runner->is_outdated &&
           runner->reading->is_read && runner->metrics_ms != 0;
}

/* True if everything that the member knew as committed when it started, and knows now, is
 * applied. */
static bool member_is_applied(const struct member_runner *runner)
{
    return member_is_up(runner) && runner->metrics.applied >= runner->reading->committed &&
           runner->metrics.applied >= runner->metrics.committed;
}

/* True if the log is replayed. What was committed is known only to the entry behind it: a member
 * whose last entries it alone can commit commits them soon. Others cannot, because their peers do
 * not answer: after MEMBER_REPLAY_MS the entries that are known as committed are all there are. */
static bool member_is_replayed(const struct member_runner *runner)
{
    return member_is_applied(runner) &&
           (runner->metrics.applied > runner->reading->last ||
            member_now_ms(runner) - runner->etcd_since_ms > MEMBER_REPLAY_MS);
}

/* ---- metrics ---- */

static void on_metrics(void *arg, const struct member_etcd_metrics *metrics)
{
    struct member_runner *runner = arg;

    runner->fetching = NULL;
    if (metrics == NULL) {
        runner->no_metrics_ms = runner->fetching_since_ms;
    } else {
        runner->metrics = *metrics;
        runner->metrics_ms = runner->fetching_since_ms;
    }
    member_turn(runner);
}

static void member_metrics_request(struct member_runner *runner)
{
    struct err err;

    if (runner->fetching != NULL || runner->etcd == NULL) {
        return;
    }
    runner->fetching_since_ms = member_now_ms(runner);
    if (!member_metrics_start(runner->options.loop, on_metrics, runner, &runner->fetching, &err)) {
        runner->no_metrics_ms = runner->fetching_since_ms;
    }
}

/* ---- the rebuild ---- */

static void member_phase_set(struct member_runner *runner, enum member_phase phase)
{
    struct member_record changed = runner->record;

    changed.phase = phase;
    member_record_advance(runner, &changed);
}

static void on_restore_end(void *arg, const struct child_end *end)
{
    struct member_runner *runner = arg;
    struct err err = { 0 };

    runner->restore = NULL;
    if (runner->record.phase != MEMBER_PHASE_RESTORE) {
        return; /* the rebuild was cancelled */
    }
    if (end->code == 0) {
        log_info(runner->options.log, "member", "rebuilt",
                 log_text("token", runner->record.next.token));
        member_phase_set(runner, MEMBER_PHASE_SWAP);
    } else {
        err_set(&err, CODE_R0597, "etcdctl snapshot restore: %.*s",
                TEXT_ARG(text_slice(text_trim(end->output[CHILD_ERROR]), 0, MEMBER_MESSAGE_MAX)));
        member_fail(runner, &err);
    }
    member_turn(runner);
}

static void member_restore_start(struct member_runner *runner)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    static const char *const environment[] = { "ETCDCTL_API=3", NULL };
    struct child_options options = {
        .path = runner->options.etcdctl,
        .argv = member_etcd_restore(arena, &runner->record.next),
        .envp = environment,
        .folder = runner->options.path,
        .deadline_ms = LIMIT_MEMBER_RESTORE_MS,
        .grace_ms = LIMIT_MEMBER_END_MS,
        .output_max = LIMIT_MEMBER_LINE_BYTES,
        .done = on_restore_end,
        .arg = runner,
        .is_killed_with_parent = true,
    };
    struct err err = { 0 };

    if (member_now_ms(runner) < runner->pause_until_ms ||
        member_files_is_used(runner->options.folder)) {
        return;
    }
    if (!member_files_new_remove(runner->options.folder, &err) ||
        !child_start(runner->options.loop, &options, &runner->restore, &err)) {
        member_fail(runner, &err);
    }
}

static void member_swap(struct member_runner *runner)
{
    struct member_record changed = runner->record;
    struct err err = { 0 };

    if (member_now_ms(runner) < runner->pause_until_ms) {
        return;
    }
    if (!member_files_swap(runner->options.folder, runner->record.arguments.name,
                           clock_wall_ms(clock_system()), &err)) {
        member_fail(runner, &err);
        return;
    }
    changed.arguments = runner->record.next;
    changed.next = (struct member_ipc_arguments){ 0 };
    changed.phase = MEMBER_PHASE_NONE;
    changed.has_begun = true;
    member_record_advance(runner, &changed);
}

/* ---- towards the record ---- */

static enum member_purpose member_purpose_wanted(const struct member_runner *runner)
{
    if (runner->is_over || !runner->record.has_member) {
        return MEMBER_PURPOSE_NONE;
    }
    if (runner->record.phase == MEMBER_PHASE_REPLAY) {
        return MEMBER_PURPOSE_REPLAY;
    }
    return runner->record.phase == MEMBER_PHASE_NONE && runner->record.shall_run
               ? MEMBER_PURPOSE_SERVE
               : MEMBER_PURPOSE_NONE;
}

static void member_without_etcd(struct member_runner *runner, enum member_purpose wanted)
{
    if (wanted != MEMBER_PURPOSE_NONE) {
        member_etcd_start(runner, wanted);
    } else if (runner->record.phase == MEMBER_PHASE_RESTORE && runner->restore == NULL &&
               !runner->is_over) {
        member_restore_start(runner);
    } else if (runner->record.phase == MEMBER_PHASE_SWAP && !runner->is_over) {
        member_swap(runner);
    }
}

static void member_with_etcd(struct member_runner *runner, enum member_purpose wanted)
{
    if (runner->purpose != wanted || runner->is_outdated) {
        member_etcd_end(runner);
    } else if (wanted == MEMBER_PURPOSE_REPLAY && member_is_replayed(runner)) {
        member_phase_set(runner, MEMBER_PHASE_RESTORE);
    } else if (member_is_up(runner) && !runner->record.has_begun) {
        struct member_record changed = runner->record;

        changed.has_begun = true;
        member_record_advance(runner, &changed);
    }
}

/* ---- requests ---- */

static enum member_ipc_state member_state(const struct member_runner *runner)
{
    if (!runner->record.has_member) {
        return MEMBER_IPC_ABSENT;
    }
    if (runner->record.phase != MEMBER_PHASE_NONE) {
        return MEMBER_IPC_REBUILDING;
    }
    if (runner->etcd != NULL) {
        return runner->is_etcd_ending ? MEMBER_IPC_ENDING : MEMBER_IPC_RUNNING;
    }
    return runner->record.shall_run ? MEMBER_IPC_WAITING : MEMBER_IPC_STOPPED;
}

/* True if the present run of etcd counts as a success. */
static bool member_is_steady(const struct member_runner *runner)
{
    return runner->etcd != NULL &&
           member_now_ms(runner) - runner->etcd_since_ms > LIMIT_MEMBER_STEADY_MS;
}

static void member_reply_fill(const struct member_runner *runner, struct member_ipc_reply *out)
{
    *out = (struct member_ipc_reply){
        .state = member_state(runner),
        .arguments = runner->record.arguments,
        .crashes = member_is_steady(runner) ? 0 : runner->crashes,
        .reason = text_from(runner->reason),
        .version = text_from(runner->reading->version),
        .bytes = member_files_bytes(runner->options.folder),
        .free_bytes = member_files_free_bytes(runner->options.folder),
    };
    if (runner->etcd != NULL) {
        out->pid = (uint64_t)child_pid(runner->etcd);
        out->is_serving = runner->reading->is_serving;
        out->term = runner->reading->term;
        out->last = runner->reading->last;
    }
    if (member_is_up(runner)) {
        out->committed = runner->metrics.committed > runner->reading->committed
                             ? runner->metrics.committed
                             : runner->reading->committed;
        out->applied = runner->metrics.applied;
        out->has_leader = runner->metrics.has_leader;
    }
}

static void member_task_unlink(struct member_runner *runner, const struct member_task *task)
{
    struct member_task **link = &runner->tasks;

    while (*link != task) {
        link = &(*link)->next;
    }
    *link = task->next;
}

static void member_task_free(struct member_task *task)
{
    arena_free(task->memory);
    rows_free(task);
}

/* Ends a request; failure NULL: it has succeeded. */
static void member_task_end(struct member_runner *runner, struct member_task *task,
                            const struct err *failure)
{
    struct member_ipc_reply reply;

    member_task_unlink(runner, task);
    member_reply_fill(runner, &reply);
    if (failure != NULL) {
        reply.code = failure->code;
        reply.message = text_from(failure->text);
        reply.hint = text_from(failure->hint);
    }
    task->done(task->arg, &reply);
    member_task_free(task);
}

MUST_CHECK static bool member_fits(const struct member_runner *runner,
                                   const struct member_ipc_arguments *asked, struct err *err)
{
    const struct member_ipc_arguments *has = &runner->record.arguments;

    if (!text_is_equal(has->manager, asked->manager)) {
        return err_set(err, CODE_R0596,
                       "the folder has the member '%.*s' of the manager %.*s, not of %.*s",
                       TEXT_ARG(has->name), TEXT_ARG(has->manager), TEXT_ARG(asked->manager));
    }
    if (!text_is_equal(has->name, asked->name) || !text_is_equal(has->token, asked->token)) {
        return err_set(err, CODE_R0596,
                       "the folder has the member '%.*s' of the store %.*s, not '%.*s' of %.*s",
                       TEXT_ARG(has->name), TEXT_ARG(has->token), TEXT_ARG(asked->name),
                       TEXT_ARG(asked->token));
    }
    return true;
}

MUST_CHECK static bool member_start_begin(struct member_runner *runner,
                                          const struct member_ipc_arguments *asked, struct err *err)
{
    struct member_record changed = runner->record;
    bool is_changed = !member_record_is_equal(&runner->record.arguments, asked);

    if (!member_record_check(asked, err)) {
        return false;
    }
    if (runner->record.phase != MEMBER_PHASE_NONE) {
        return err_set(err, CODE_R0596, "the store of the member is being rebuilt");
    }
    if (runner->record.has_member && !member_fits(runner, asked, err)) {
        return false;
    }
    if (runner->record.has_member && runner->record.shall_run && !is_changed) {
        return true;
    }
    if (!runner->record.has_member) {
        changed.has_begun = false;
    }
    changed.has_member = true;
    changed.shall_run = true;
    changed.arguments = *asked;
    if (!member_record_change(runner, &changed, err)) {
        return false;
    }
    runner->is_outdated = is_changed && runner->etcd != NULL;
    runner->pause_until_ms = 0;
    return true;
}

MUST_CHECK static bool member_stop_begin(struct member_runner *runner, struct err *err)
{
    struct member_record changed = runner->record;

    if (runner->record.phase == MEMBER_PHASE_SWAP) {
        return err_set(err, CODE_R0596, "the rebuilt store is being put into place");
    }
    if (!runner->record.shall_run && runner->record.phase == MEMBER_PHASE_NONE) {
        return true;
    }
    changed.shall_run = false;
    changed.phase = MEMBER_PHASE_NONE;
    if (!member_record_change(runner, &changed, err)) {
        return false;
    }
    if (runner->restore != NULL) {
        child_kill(runner->restore);
    }
    return true;
}

MUST_CHECK static bool member_rebuild_begin(struct member_runner *runner,
                                            const struct member_ipc_arguments *asked,
                                            struct err *err)
{
    struct member_record changed = runner->record;

    if (!member_record_check(asked, err)) {
        return false;
    }
    if (!runner->record.has_member) {
        return err_set(err, CODE_R0596, "the folder has no member whose database could be used");
    }
    if (runner->record.phase != MEMBER_PHASE_NONE) {
        return text_is_equal(runner->record.next.token, asked->token) ||
               err_set(err, CODE_R0596, "another rebuild, of the store %.*s, is not complete",
                       TEXT_ARG(runner->record.next.token));
    }
    if (text_is_equal(runner->record.arguments.token, asked->token)) {
        return member_start_begin(runner, asked, err);
    }
    if (!text_is_equal(runner->record.arguments.manager, asked->manager)) {
        return member_fits(runner, asked, err);
    }
    changed.next = *asked;
    changed.phase = MEMBER_PHASE_REPLAY;
    changed.shall_run = true;
    if (!member_record_change(runner, &changed, err)) {
        return false;
    }
    runner->pause_until_ms = 0;
    return true;
}

MUST_CHECK static bool member_task_begin(struct member_runner *runner, struct member_task *task,
                                         struct err *err)
{
    task->is_begun = true;
    task->begun_ms = member_now_ms(runner);
    task->failures = runner->failures;
    switch ((enum member_ipc_method)task->ask.method) {
    case MEMBER_IPC_START:
        return member_start_begin(runner, &task->ask.arguments, err);
    case MEMBER_IPC_STOP:
    case MEMBER_IPC_PUT_ASIDE:
        return member_stop_begin(runner, err);
    case MEMBER_IPC_REBUILD:
        return member_rebuild_begin(runner, &task->ask.arguments, err);
    case MEMBER_IPC_WAIT_APPLIED:
        return runner->record.shall_run ||
               err_set(err, CODE_R0596, "the member does not run, so it applies nothing");
    case MEMBER_IPC_STATUS:
        return true;
    case MEMBER_IPC_METHOD_COUNT:
        break;
    }
    return err_set(err, CODE_R0596, "the method %llu is not known",
                   (unsigned long long)task->ask.method);
}

/* Renames the data, then changes the record: after a kill in between, the method finds no data. */
MUST_CHECK static bool member_aside_do(struct member_runner *runner, struct err *err)
{
    struct member_record changed = runner->record;

    if (!member_files_put_aside(runner->options.folder, runner->record.arguments.name,
                                clock_wall_ms(clock_system()), err)) {
        return false;
    }
    changed.has_member = false;
    changed.has_begun = false;
    changed.arguments = (struct member_ipc_arguments){ 0 };
    if (!member_record_change(runner, &changed, err)) {
        return false;
    }
    runner->crashes = 0;
    runner->reason[0] = '\0';
    return true;
}

/* Returns true if the request has ended, with the error set if it has failed. */
MUST_CHECK static bool member_task_is_done(struct member_runner *runner, struct member_task *task,
                                           struct err *err)
{
    bool is_new = runner->metrics_ms > task->begun_ms;

    switch ((enum member_ipc_method)task->ask.method) {
    case MEMBER_IPC_STATUS:
        return runner->etcd == NULL || is_new || runner->no_metrics_ms > task->begun_ms;
    case MEMBER_IPC_STOP:
        return runner->etcd == NULL && runner->restore == NULL;
    case MEMBER_IPC_PUT_ASIDE:
        if (runner->etcd != NULL || runner->restore != NULL ||
            member_files_is_used(runner->options.folder)) {
            return false;
        }
        (void)!member_aside_do(runner, err);
        return true;
    case MEMBER_IPC_WAIT_APPLIED:
        return is_new && member_is_applied(runner);
    case MEMBER_IPC_START:
    case MEMBER_IPC_REBUILD:
        return runner->record.phase == MEMBER_PHASE_NONE && member_is_up(runner) &&
               runner->purpose == MEMBER_PURPOSE_SERVE;
    case MEMBER_IPC_METHOD_COUNT:
        break;
    }
    return true;
}

/* Moves one request on. Returns true if it has ended and was freed. */
static bool member_task_turn(struct member_runner *runner, struct member_task *task)
{
    struct err err = { 0 };

    if (!task->is_begun && !member_task_begin(runner, task, &err)) {
        member_task_end(runner, task, &err);
        return true;
    }
    if (member_task_is_done(runner, task, &err)) {
        member_task_end(runner, task, err.code == CODE_NONE ? NULL : &err);
        return true;
    }
    if (task->ask.method != MEMBER_IPC_STATUS && runner->failures != task->failures) {
        err = runner->failure;
        member_task_end(runner, task, &err);
        return true;
    }
    if (member_now_ms(runner) >= task->until_ms) {
        err_set(&err, CODE_R0597, "the member was not ready in time%s%s",
                runner->reason[0] == '\0' ? "" : "; its etcd has ended before: ", runner->reason);
        member_task_end(runner, task, &err);
        return true;
    }
    return false;
}

/* Moves all requests for the status on, and the first one that changes something. Returns true if
 * some wait. */
static bool member_tasks_turn(struct member_runner *runner)
{
    bool has_changing = false;

    for (struct member_task *task = runner->tasks, *next; task != NULL; task = next) {
        bool is_changing = task->ask.method != MEMBER_IPC_STATUS;

        next = task->next;
        if (is_changing && has_changing) {
            continue;
        }
        if (!member_task_turn(runner, task)) {
            has_changing = has_changing || is_changing;
        }
    }
    return runner->tasks != NULL;
}

/* ---- turns ---- */

static void member_turn(struct member_runner *runner)
{
    enum member_purpose wanted;
    bool is_busy;

    is_busy = !runner->is_over && member_tasks_turn(runner);
    wanted = member_purpose_wanted(runner);
    if (runner->etcd == NULL) {
        member_without_etcd(runner, wanted);
    } else {
        member_with_etcd(runner, wanted);
    }
    if (runner->is_over && runner->etcd == NULL && runner->restore == NULL) {
        loop_stop(runner->options.loop);
        return;
    }
    is_busy = is_busy || runner->record.phase != MEMBER_PHASE_NONE ||
              (runner->etcd == NULL && wanted != MEMBER_PURPOSE_NONE) ||
              (runner->etcd != NULL && !member_is_up(runner));
    if (is_busy) {
        member_metrics_request(runner);
    }
    loop_timer_start(runner->turn, is_busy ? MEMBER_TURN_BUSY_MS : MEMBER_TURN_MS, 0);
}

static void on_turn(void *arg)
{
    struct member_runner *runner = arg;

    log_tick(runner->options.log);
    if (member_now_ms(runner) - runner->swept_ms > MEMBER_SWEEP_MS || runner->swept_ms == 0) {
        runner->swept_ms = member_now_ms(runner);
        member_files_sweep(runner->options.folder, clock_wall_ms(clock_system()));
    }
    member_turn(runner);
}

/* ---- public functions ---- */

bool member_runner_open(const struct member_runner_options *options, struct member_runner **out,
                        struct err *err)
{
    struct member_runner *runner = rows_resize(NULL, sizeof(*runner));

    *runner = (struct member_runner){ .options = *options };
    if (!member_record_read(options->folder, &runner->record, err)) {
        rows_free(runner);
        return false;
    }
    runner->reading = rows_resize(NULL, sizeof(*runner->reading));
    *runner->reading = (struct member_etcd_log){ 0 };
    if (!loop_timer_open(options->loop, on_turn, runner, &runner->turn, err)) {
        member_runner_free(runner);
        return false;
    }
    loop_timer_start(runner->turn, 1, 0);
    *out = runner;
    return true;
}

struct member_task *member_runner_ask(struct member_runner *runner,
                                      const struct member_ipc_ask *ask, member_runner_done *done,
                                      void *arg)
{
    struct member_task *task = rows_resize(NULL, sizeof(*task));
    struct member_task **last = &runner->tasks;
    uint64_t timeout_ms = ask->timeout_ms == 0 ? LIMIT_MEMBER_CALL_MS : ask->timeout_ms;

    timeout_ms = timeout_ms < LIMIT_MEMBER_CALL_MAX_MS ? timeout_ms : LIMIT_MEMBER_CALL_MAX_MS;
    *task = (struct member_task){ .memory = arena_new_small(LIMIT_WORK_ARENA_BYTES),
                                  .ask = *ask,
                                  .done = done,
                                  .arg = arg,
                                  .until_ms = member_now_ms(runner) + timeout_ms };
    task->ask.arguments = member_record_copy(task->memory, &ask->arguments);
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = task;
    loop_timer_start(runner->turn, 1, 0);
    return task;
}

void member_runner_forget(struct member_runner *runner, struct member_task *task)
{
    member_task_unlink(runner, task);
    member_task_free(task);
}

void member_runner_end(struct member_runner *runner)
{
    runner->is_over = true;
    if (runner->restore != NULL) {
        child_kill(runner->restore);
    }
    member_etcd_end(runner);
    loop_timer_start(runner->turn, 1, 0);
}

void member_runner_free(struct member_runner *runner)
{
    if (runner == NULL) {
        return;
    }
    while (runner->tasks != NULL) {
        member_runner_forget(runner, runner->tasks);
    }
    member_metrics_cancel(runner->fetching);
    loop_timer_close(runner->turn);
    member_record_free(&runner->record);
    rows_free(runner->reading);
    rows_free(runner);
}
