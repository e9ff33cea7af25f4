#include "cli/manager/follow.h"

#include "base/limits.h"
#include "base/time.h"
#include "cli/manager/job_batches.h"
#include "cli/manager/job_failed.h"
#include "cli/manager/job_text.h"
#include "cli/manager/nodes.h"
#include "cli/manager/watch.h"
#include "cli/term/fold.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "plan/compute.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/* How long an announced job may take to start, in ms, if the manager does not report that it is
 * about to start. */
#define FOLLOW_BEGIN_MS 5000

/* How long a command about a job waits for a job that is about to start. */
#define FOLLOW_BEGIN_WAIT_MS 10000

/* Stop watching a job that waits for an operator after this time without progress. */
#define FOLLOW_WAIT_MS 2000

/* Interval of redraws and of clock checks. */
#define FOLLOW_TICK_MS      200
#define FOLLOW_LOOK_MS      20
#define FOLLOW_LOOK_LATE_MS 500 /* interval after a slow start, to send fewer requests */

/* How often the stages of nodes are requested. */
#define FOLLOW_STAGES_MS 1000

/* Interval between requests that check whether the store can be written, while nothing changes. */
#define FOLLOW_STILL_MS 2000

/* Without a terminal, progress is printed at this interval. */
#define FOLLOW_HEARTBEAT_MS 30000

enum { FOLLOW_GROUPS = 15, FOLLOW_BAR = 24 };

struct following {
    struct command *command;
    const struct session *session;
    const struct follow *follow;
    /* Position in the command's arena: memory after it belongs to one observation. */
    struct arena_mark mark;
    struct doc jobs; /* the list of jobs, as last received */
    uint64_t begun_ms;
    uint64_t changed_ms; /* time of the last change */
    uint64_t reported_ms;
    int64_t seen_revision;  /* revision of the last change that was received */
    size_t rows;            /* number of terminal rows that the picture uses */
    bool has_none;          /* the job was announced, but none has started */
    bool has_reported_wait; /* it was reported that the job is about to start */
    struct job_failed failed;
    struct arena *stages_memory; /* memory of `stages` */
    struct text stages; /* the running stages on nodes of the first cluster, as last received */
    uint64_t stages_ms;
    /* reason why the store cannot be written; empty: no problem is known */
    char problem[LIMIT_ERROR_TEXT_BYTES];
    uint64_t problem_ms;
};

static uint64_t follow_now_ms(void)
{
    return clock_monotonic_ms(clock_system());
}

/* ---- what is known ---- */

static struct text number_text(struct arena *arena, uint64_t number)
{
    return arena_printf(arena, "%llu", (unsigned long long)number);
}

bool follow_get(struct command *command, const struct session *session, uint64_t number,
                struct doc *out)
{
    struct text path = arena_printf(command->arena, "/v1/jobs/%.*s",
                                    TEXT_ARG(number_text(command->arena, number)));
    struct doc answer;
    const struct doc *items;

    if (!session_get(command, session, path, &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    *out = doc_is_list(items) ? *items : doc_list(NULL, 0, NULL);
    return true;
}

/* True if the manager has not reconciled the cluster since the change, but will do so. */
static bool is_follow_to_begin(const struct command *command)
{
    const struct err_list *errors = &command->errors;

    return errors->items[errors->count - 1].code == CODE_R0803;
}

bool follow_get_begun(struct command *command, const struct session *session, uint64_t number,
                      struct doc *out)
{
    struct err_list before = command->errors;
    uint64_t due_ms = follow_now_ms() + FOLLOW_BEGIN_WAIT_MS;

    while (!follow_get(command, session, number, out)) {
        if (!is_follow_to_begin(command) || follow_now_ms() >= due_ms) {
            return false;
        }
        command->errors = before;
        (void)poll(NULL, 0, FOLLOW_LOOK_MS);
    }
    return true;
}

static const struct doc *follow_status_of(const struct doc *job)
{
    return doc_child(job, "status");
}

static struct text follow_state_of(const struct doc *job)
{
    return doc_child_text(follow_status_of(job), "state");
}

static int64_t follow_machines_of(const struct doc *job, const char *what)
{
    return doc_child_number(doc_child(follow_status_of(job), "machines"), what);
}

static size_t count_state(const struct doc *jobs, const char *state)
{
    size_t count = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        count += text_is(follow_state_of(&jobs->items[i]), state);
    }
    return count;
}

static size_t count_open(const struct doc *jobs)
{
    size_t count = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        count += !job_text_is_ended(&jobs->items[i]);
    }
    return count;
}

/* True if the job waits only for a time, as a baking canary does. */
static bool is_passing(const struct doc *job)
{
    const struct doc *waits = doc_child(follow_status_of(job), "waits");
    bool is_passing =
        text_is(follow_state_of(job), "waiting") && doc_is_list(waits) && waits->item_count > 0;

    for (size_t i = 0; is_passing && i < waits->item_count; i++) {
        struct text name = waits->items[i].text;
        size_t colon = text_find_byte(name, ':');
        enum plan_rule rule =
            plan_rule_find(colon == SIZE_MAX ? name : text_slice(name, colon + 1, name.length));

        is_passing = rule < PLAN_RULE_COUNT && plan_rule_is_passing(rule);
    }
    return is_passing;
}

static bool is_waiting_one(const struct doc *job)
{
    return job_batches_is(job) ? job_batches_is_waiting(job)
                               : text_is(follow_state_of(job), "paused") ||
                                     (text_is(follow_state_of(job), "waiting") && !is_passing(job));
}

/* True if none of the jobs makes progress without an operator. */
static bool is_follow_waiting(const struct doc *jobs)
{
    size_t waiting = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        waiting += !job_text_is_ended(&jobs->items[i]) && is_waiting_one(&jobs->items[i]);
    }
    return waiting > 0 && waiting == count_open(jobs);
}

/* True if a deadline of the jobs has passed. A command that does not wait for the end of the work
 * stops watching then; the manager completes running work. */
static bool has_late(const struct doc *jobs)
{
    size_t late = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        late += job_batches_is(&jobs->items[i]) && job_batches_is_late(&jobs->items[i]);
    }
    return late > 0;
}

/* ---- the picture ---- */

static void bar_write(struct buf *out, int64_t ready, int64_t wanted)
{
    int64_t full = wanted <= 0 ? FOLLOW_BAR : ready * FOLLOW_BAR / wanted;

    for (int64_t i = 0; i < FOLLOW_BAR; i++) {
        buf_add_string(out, i < full ? "#" : ".");
    }
}

static bool is_group_done(const struct doc *group)
{
    return doc_child_number(group, "ready") == doc_child_number(group, "wanted") &&
           doc_child_number(group, "creating") + doc_child_number(group, "leaving") +
                   doc_child_number(group, "old") + doc_child_number(group, "failed") +
                   doc_child_number(group, "staging") ==
               0;
}

/* Write the groups, those that are not done first; further groups are only counted. */
static void follow_groups_write(struct following *following, const struct doc *job)
{
    const struct doc *groups = doc_child(follow_status_of(job), "groups");
    struct buf *out = &following->command->notes;
    size_t shown = 0;
    size_t done = 0;

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *group = &groups->items[i];

        if (is_group_done(group)) {
            done++;
        } else if (shown < FOLLOW_GROUPS) {
            struct text name = doc_child_text(group, "group");

            buf_printf(out, "  %-20.*s ", TEXT_ARG(name));
            job_text_counts(out, group);
            buf_add_string(out, "\n");
            shown++;
        }
    }
    if (doc_is_list(groups) && groups->item_count - done > shown) {
        buf_printf(out, "  ... and %zu more groups", groups->item_count - done - shown);
        buf_add_string(out, "\n");
    }
    if (done > 0 && shown > 0) {
        buf_printf(out, "  %zu group%s as wanted", done, done == 1 ? " is" : "s are");
        buf_add_string(out, "\n");
    }
}

static void follow_holds_write(struct buf *out, const struct doc *job)
{
    const struct doc *waits = doc_child(follow_status_of(job), "waits");
    struct text cluster = doc_child_text(doc_child(job, "metadata"), "cluster");

    for (size_t i = 0; doc_is_list(waits) && i < waits->item_count; i++) {
        struct text name = waits->items[i].text;

        buf_printf(out, "  ! held: hold/%.*s%s%.*s", TEXT_ARG(cluster),
                   text_find_byte(name, ':') == SIZE_MAX ? ":" : "/", TEXT_ARG(name));
        buf_add_string(out, "\n");
    }
}

/* Write the reasons why a job waits. Failed stages are left out, because the picture or earlier
 * lines show them, and the end of the job reports them again. */
static void needs_write(struct following *following, const struct doc *job)
{
    const struct doc *problems = doc_child(follow_status_of(job), "problems");
    struct buf *out = &following->command->notes;

    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        int64_t tries = doc_child_number(&problems->items[i], "tries");

        if (doc_is_map(doc_child(&problems->items[i], "node"))) {
            if (following->command->error_style.is_drawn) {
                job_failed_write(following->command, &problems->items[i]);
            }
            continue;
        }
        buf_printf(out, "  ! %.*s  %.*s, %lld time%s",
                   TEXT_ARG(doc_child_text(&problems->items[i], "name")),
                   TEXT_ARG(doc_child_text(&problems->items[i], "text")), (long long)tries,
                   TEXT_PLURAL(tries));
        buf_add_string(out, "\n");
        job_text_help(out, &problems->items[i]);
    }
    if (job_batches_is(job)) {
        job_batches_waits(out, follow_status_of(job));
    } else {
        follow_holds_write(out, job);
    }
}

static void follow_head_write(struct following *following, const struct doc *job)
{
    struct buf *out = &following->command->notes;
    uint64_t seconds = (follow_now_ms() - following->begun_ms) / 1000;

    buf_printf(out, "job/%llu  %.*s  %02llu:%02llu  ",
               (unsigned long long)following->follow->number,
               TEXT_ARG(doc_child_text(doc_child(job, "metadata"), "cluster")),
               (unsigned long long)(seconds / 60), (unsigned long long)(seconds % 60));
    bar_write(out, job_text_updated(doc_child(follow_status_of(job), "machines")),
              follow_machines_of(job, "wanted"));
    buf_printf(out, "  %.*s: ", TEXT_ARG(follow_state_of(job)));
    job_text_progress(out, follow_status_of(job));
    buf_add_string(out, "\n");
}

/* Write the running stages, which are fetched at intervals. If the request fails, the
 * picture is drawn without them. */
static void stages_write(struct following *following, struct text cluster)
{
    struct command *command = following->command;
    struct err_list before = command->errors;
    struct arena *memory;
    struct nodes nodes;

    if (following->stages_ms == 0 || follow_now_ms() - following->stages_ms >= FOLLOW_STAGES_MS) {
        following->stages_ms = follow_now_ms();
        memory = arena_new_small(SIZE_MAX);
        following->stages = nodes_get(command, following->session, cluster, &nodes)
                                ? arena_text(memory, nodes_stages(command, &nodes))
                                : TEXT("");
        arena_free(following->stages_memory);
        following->stages_memory = memory;
        command->errors = before;
    }
    buf_add(&command->notes, following->stages);
}

/* Find out whether the store accepts writes, because a job that waits for this cannot report it.
 * True: the result has changed and must be printed. */
static bool store_monitor_check(struct following *following)
{
    struct command *command = following->command;
    struct err_list before = command->errors;
    char problem[sizeof(following->problem)] = "";
    struct text found;
    bool is_new;

    if (follow_now_ms() - following->changed_ms < FOLLOW_STILL_MS) {
        following->problem[0] = '\0';
        return false;
    }
    if (follow_now_ms() - following->problem_ms < FOLLOW_STILL_MS) {
        return false;
    }
    following->problem_ms = follow_now_ms();
    if (session_problem(command, following->session, &found)) {
        snprintf(problem, sizeof(problem), "%.*s", TEXT_ARG(found));
    }
    command->errors = before;
    is_new = strcmp(problem, following->problem) != 0;
    memcpy(following->problem, problem, sizeof(problem));
    return is_new;
}

static void follow_problem_write(struct following *following)
{
    if (following->problem[0] != '\0') {
        buf_add_string(&following->command->notes, "  ! ");
        glyph_write_text(&following->command->notes, text_from(following->problem));
        buf_add_string(&following->command->notes, "\n");
    }
}

/* Draw the picture over the previous picture. If there are many clusters, only their sum is
 * shown. */
static void follow_picture_draw(struct following *following)
{
    struct command *command = following->command;
    const struct doc *jobs = &following->jobs;
    size_t shown = jobs->item_count < 3 ? jobs->item_count : 3;

    if (following->rows > 0) {
        buf_printf(&command->notes, "\x1b[%zuA\x1b[J", following->rows);
    }
    for (size_t i = 0; i < shown; i++) {
        follow_head_write(following, &jobs->items[i]);
        follow_groups_write(following, &jobs->items[i]);
        if (jobs->item_count == 1 && !job_text_is_ended(&jobs->items[i])) {
            stages_write(following,
                         doc_child_text(doc_child(&jobs->items[i], "metadata"), "cluster"));
        }
        needs_write(following, &jobs->items[i]);
    }
    if (jobs->item_count > shown) {
        buf_printf(&command->notes, "  ... and %zu more clusters, %zu of all are not done\n",
                   jobs->item_count - shown, count_open(jobs));
    }
    follow_problem_write(following);
    if (count_open(jobs) > 0) {
        buf_add_string(&command->notes, "ctrl-c stops watching, the job continues\n");
    }
    command_fold_notes(command);
    following->rows = fold_rows(buf_text(&command->notes), command->error_style.columns);
    command_flush(command);
}

/* ---- lines ---- */

static void fields_write(struct buf *out, const struct doc *job)
{
    static const char *const counts[] = { "ready", "wanted", "creating", "leaving", "old" };

    if (job_batches_is(job)) {
        job_batches_fields(out, follow_status_of(job));
        return;
    }
    buf_printf(out, " state=%.*s", TEXT_ARG(follow_state_of(job)));
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        buf_printf(out, " %s=%lld", counts[i], (long long)follow_machines_of(job, counts[i]));
    }
}

static void follow_lines_write(struct following *following)
{
    struct command *command = following->command;
    char time[TIME_TEXT_BYTES];

    time_format(clock_wall_ms(clock_system()), time);
    for (size_t i = 0; i < following->jobs.item_count; i++) {
        const struct doc *job = &following->jobs.items[i];

        job_failed_lines(&following->failed, command, job, following->follow->number, time);
        buf_printf(&command->notes, "%s job=%llu cluster=%.*s", time,
                   (unsigned long long)following->follow->number,
                   TEXT_ARG(doc_child_text(doc_child(job, "metadata"), "cluster")));
        fields_write(&command->notes, job);
        buf_add_string(&command->notes, "\n");
        if (job_batches_is(job) && !job_text_is_ended(job)) {
            job_batches_waits(&command->notes, follow_status_of(job));
        } else if (!text_is(follow_state_of(job), "running")) {
            needs_write(following, job);
        }
    }
    follow_problem_write(following);
    command_flush(command);
    following->reported_ms = follow_now_ms();
}

static void follow_show(struct following *following, bool has_changed)
{
    struct arena_mark mark = arena_mark(following->command->arena);

    if (args_has(&following->command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    has_changed = store_monitor_check(following) || has_changed;
    if (following->command->error_style.is_drawn) {
        follow_picture_draw(following);
    } else if (has_changed || follow_now_ms() - following->reported_ms >= FOLLOW_HEARTBEAT_MS) {
        follow_lines_write(following);
    }
    arena_rewind(following->command->arena, mark);
    buf_init(&following->command->out, following->command->arena);
    buf_init(&following->command->notes, following->command->arena);
}

/* ---- the groups of the change ---- */

/* True if the plan changes this group of the cluster. */
static bool is_planned(const struct doc *plan, struct text cluster, struct text path)
{
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count &&
                           text_is_equal(doc_child_text(&plan->items[i], "name"), cluster);
             j++) {
            if (text_is_equal(doc_child_text(&groups->items[j], "path"), path) &&
                !text_is(doc_child_text(&groups->items[j], "change"), "none")) {
                return true;
            }
        }
    }
    return false;
}

/* True if a hold applies to this group alone. */
static bool is_group_held(const struct doc *job, struct text path)
{
    const struct doc *waits = doc_child(follow_status_of(job), "waits");

    for (size_t i = 0; doc_is_list(waits) && i < waits->item_count; i++) {
        struct text name = waits->items[i].text;

        if (text_has_prefix(name, path) && name.length > path.length &&
            name.data[path.length] == ':') {
            return true;
        }
    }
    return false;
}

/* True if all groups of the change have their desired state. Other groups of the cluster may still
 * wait. */
static bool are_own_done(const struct following *following)
{
    const struct doc *jobs = &following->jobs;
    size_t own = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        const struct doc *groups = doc_child(follow_status_of(&jobs->items[i]), "groups");
        struct text cluster = doc_child_text(doc_child(&jobs->items[i], "metadata"), "cluster");

        if (!text_is(follow_state_of(&jobs->items[i]), "waiting")) {
            return false;
        }
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            struct text path = doc_child_text(&groups->items[j], "group");

            if (!is_planned(following->follow->plan, cluster, path)) {
                continue;
            }
            if (!is_group_done(&groups->items[j]) || is_group_held(&jobs->items[i], path)) {
                return false;
            }
            own++;
        }
    }
    return own > 0;
}

/* ---- going on ---- */

static bool is_enough(const struct following *following)
{
    const struct doc *jobs = &following->jobs;

    if (jobs->item_count == 0 || count_open(jobs) == 0) {
        return jobs->item_count > 0;
    }
    return !following->follow->stays &&
           (has_late(jobs) || are_own_done(following) ||
            (is_follow_waiting(jobs) && follow_now_ms() - following->changed_ms >= FOLLOW_WAIT_MS));
}

/* Handle a change of the job from the stream; the next observation shows the new state. */
static bool follow_change_take(void *arg, struct text type, const struct doc *doc)
{
    const struct following *following = arg;
    char number[24];

    snprintf(number, sizeof(number), "%llu", (unsigned long long)following->follow->number);
    return !text_is(type, "reset") &&
           !text_is(doc_child_text(doc_child(doc, "metadata"), "name"), number);
}

static void tick(void *arg)
{
    follow_show(arg, false);
}

static bool has_moved(struct following *following)
{
    int64_t newest = 0;

    for (size_t i = 0; i < following->jobs.item_count; i++) {
        int64_t revision =
            doc_child_number(doc_child(&following->jobs.items[i], "metadata"), "revision");

        newest = revision > newest ? revision : newest;
    }
    if (newest == following->seen_revision) {
        return false;
    }
    following->seen_revision = newest;
    following->changed_ms = follow_now_ms();
    return true;
}

/* True if the change started no job. This is not an error: after an undo before the first machine
 * was changed, all machines are already in the desired state. */
static bool has_none(struct following *following)
{
    struct command *command = following->command;
    const struct err_list *errors = &command->errors;

    return following->follow->is_announced &&
           err_kind(&errors->items[errors->count - 1]) == ERR_KIND_NOT_FOUND;
}

static enum exit_code none_report(struct following *following, const struct err_list *before)
{
    struct command *command = following->command;

    command->errors = *before;
    buf_add_string(&command->notes,
                   "this change affects no machine; reeve status shows the current state\n");
    return EXIT_CODE_DONE;
}

/* Report once that the job is about to start, if it takes longer than jobs usually take. */
static void wait_report(struct following *following)
{
    struct command *command = following->command;

    if (following->has_reported_wait || follow_now_ms() - following->begun_ms <= FOLLOW_BEGIN_MS ||
        args_has(&command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    following->has_reported_wait = true;
    buf_printf(
        &command->notes,
        "job/%llu has not started yet: the manager still evaluates the cluster; see reeve events\n",
        (unsigned long long)following->follow->number);
    command_flush(command);
}

/* Get the present state of the jobs, repeatedly until the announced job has started. False: an
 * error was added. */
static bool follow_look(struct following *following)
{
    struct command *command = following->command;
    struct err_list before = command->errors;
    uint64_t away_since_ms = 0;

    for (;;) {
        enum err_kind kind;

        command->errors = before;
        arena_rewind(command->arena, following->mark);
        buf_init(&command->out, command->arena);
        buf_init(&command->notes, command->arena);
        if (follow_get(command, following->session, following->follow->number, &following->jobs)) {
            follow_show(following, has_moved(following));
            return true;
        }
        kind = err_kind(&command->errors.items[command->errors.count - 1]);
        if (kind == ERR_KIND_UNAVAILABLE &&
            (following->seen_revision > 0 || following->follow->is_announced ||
             following->follow->is_written)) {
            /* the manager is restarting; the next stream waits until the manager is available
             * again */
            away_since_ms = away_since_ms == 0 ? follow_now_ms() : away_since_ms;
            if (follow_now_ms() >= following->follow->deadline_ms ||
                follow_now_ms() - away_since_ms > WATCH_AWAY_MS) {
                return false;
            }
            (void)poll(NULL, 0, FOLLOW_LOOK_LATE_MS);
            continue;
        }
        if (is_follow_to_begin(command)) {
            if (follow_now_ms() >= following->follow->deadline_ms) {
                command->errors = before;
                following->jobs = doc_list(NULL, 0, NULL);
                return true;
            }
            wait_report(following);
        } else if (kind != ERR_KIND_NOT_FOUND ||
                   follow_now_ms() - following->begun_ms > FOLLOW_BEGIN_MS) {
            following->has_none = has_none(following);
            return following->has_none;
        }
        (void)poll(NULL, 0,
                   follow_now_ms() - following->begun_ms > FOLLOW_BEGIN_MS ? FOLLOW_LOOK_LATE_MS
                                                                           : FOLLOW_LOOK_MS);
    }
}

/* True if the job waits for something other than nodes whose stages failed. */
static bool is_follow_held(const struct doc *job)
{
    const struct doc *waits = doc_child(follow_status_of(job), "waits");
    const struct doc *problems = doc_child(follow_status_of(job), "problems");
    bool is_follow_held = doc_is_list(waits) && waits->item_count > 0;

    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        is_follow_held = is_follow_held || !doc_is_map(doc_child(&problems->items[i], "node"));
    }
    return is_follow_held || text_is(follow_state_of(job), "paused");
}

/* True if one of the jobs waits for a hold, so that a list of holds has the details. */
static bool has_hold(const struct doc *jobs)
{
    for (size_t i = 0; i < jobs->item_count; i++) {
        if (doc_child_count(follow_status_of(&jobs->items[i]), "waits") > 0) {
            return true;
        }
    }
    return false;
}

/* Warn about the holds for which the jobs wait. */
static void follow_waits_warn(struct following *following)
{
    struct command *command = following->command;
    const struct doc *jobs = &following->jobs;
    struct text subject =
        arena_printf(command->arena, "job/%llu", (unsigned long long)following->follow->number);

    for (size_t i = 0; i < jobs->item_count; i++) {
        if (doc_child_count(follow_status_of(&jobs->items[i]), "waits") > 0) {
            job_text_holds_warn(command, following->session,
                                doc_child_text(doc_child(&jobs->items[i], "metadata"), "cluster"),
                                subject);
        }
    }
}

static enum exit_code follow_end_report(struct following *following)
{
    struct command *command = following->command;
    const struct doc *jobs = &following->jobs;
    int64_t ready = 0;
    int64_t failed = 0;
    int64_t wanted = 0;
    size_t held = 0;

    if (!is_enough(following)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0028,
                              "job/%llu is not done yet",
                              (unsigned long long)following->follow->number),
                 "the job continues; reeve job watch %llu",
                 (unsigned long long)following->follow->number);
        return EXIT_CODE_TIMEOUT;
    }
    if (count_state(jobs, "done") == jobs->item_count) {
        return EXIT_CODE_DONE;
    }
    if (are_own_done(following)) {
        buf_printf(
            &command->notes,
            "this change is complete; job/%llu still waits for other groups: reeve get holds\n",
            (unsigned long long)following->follow->number);
        return EXIT_CODE_DONE;
    }
    if (job_batches_is(&jobs->items[0])) {
        return job_batches_end(command, jobs, following->follow->number);
    }
    if (count_state(jobs, "failed") > 0 && count_open(jobs) == 0) {
        return job_failed_returned(command, following->session, jobs, following->follow->number);
    }
    if (count_open(jobs) == 0) {
        buf_add_string(
            &command->notes,
            "a later change of the same groups superseded this change; reeve get jobs lists the job of the later one\n");
        return EXIT_CODE_CONFLICT;
    }
    for (size_t i = 0; i < jobs->item_count; i++) {
        ready += follow_machines_of(&jobs->items[i], "ready") +
                 follow_machines_of(&jobs->items[i], "old");
        failed += follow_machines_of(&jobs->items[i], "failed");
        wanted += follow_machines_of(&jobs->items[i], "wanted");
        held += is_follow_held(&jobs->items[i]);
    }
    if (failed > 0) {
        job_failed_end(command, jobs, following->follow->number);
    }
    if (failed > 0 && held == 0) {
        return ready > 0 && failed < wanted ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
    }
    follow_waits_warn(following);
    buf_printf(
        &command->notes,
        "job/%llu waits: reeve %s shows the reason; reeve job watch %llu, reeve job retry %llu\n",
        (unsigned long long)following->follow->number, has_hold(jobs) ? "get holds" : "status",
        (unsigned long long)following->follow->number,
        (unsigned long long)following->follow->number);
    return ready > 0 ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}

/* Watch the jobs until `is_enough` is true. False: an error was added. */
static bool watch_on(struct following *following)
{
    const struct follow *follow = following->follow;
    struct watch watch = { .kinds = "job",
                           .change = follow_change_take,
                           .tick = tick,
                           .tick_ms = FOLLOW_TICK_MS,
                           .arg = following };
    bool is_late = false;

    for (;;) {
        bool is_leaving;

        if (!follow_look(following)) {
            return false;
        }
        if (following->has_none || is_enough(following) || follow_now_ms() >= follow->deadline_ms) {
            return true;
        }
        is_leaving = !follow->stays && is_follow_waiting(&following->jobs);
        watch.from = (uint64_t)following->seen_revision;
        watch.deadline_ms =
            is_leaving && following->changed_ms + FOLLOW_WAIT_MS < follow->deadline_ms
                ? following->changed_ms + FOLLOW_WAIT_MS
                : follow->deadline_ms;
        if (!watch_run(following->command, following->session, &watch, &is_late)) {
            return false;
        }
    }
}

enum exit_code follow_run(struct command *command, const struct session *session,
                          const struct follow *follow)
{
    struct following following = {
        .command = command, .session = session, .follow = follow, .begun_ms = follow_now_ms()
    };
    struct err_list before = command->errors;
    char left[512];
    bool is_watched;

    command_flush(command);
    following.mark = arena_mark(command->arena);
    snprintf(left, sizeof(left),
             "no longer watched; job/%llu continues: reeve job watch %llu, reeve job cancel %llu%s",
             (unsigned long long)follow->number, (unsigned long long)follow->number,
             (unsigned long long)follow->number, follow->left == NULL ? "" : follow->left);
    interrupt_report(left);
    interrupt_expect(INTERRUPT_REPORTING);
    is_watched = watch_on(&following);
    arena_free(following.stages_memory);
    if (!is_watched) {
        return EXIT_CODE_FAILED;
    }
    interrupt_expect(INTERRUPT_READING);
    return following.has_none ? none_report(&following, &before) : follow_end_report(&following);
}

enum exit_code follow_job(struct command *command, const struct session *session, int64_t number,
                          bool is_detached)
{
    struct follow follow = { .number = (uint64_t)number,
                             .is_written = true,
                             .deadline_ms = session_deadline(command, session) };

    if (!is_detached) {
        return follow_run(command, session, &follow);
    }
    buf_printf(&command->notes, "job/%lld continues; reeve job watch %lld\n", (long long)number,
               (long long)number);
    return EXIT_CODE_DONE;
}
