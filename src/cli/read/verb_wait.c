/* reeve wait: waits for all objects with one observation, one stream and one deadline, and prints
 * the names of objects that do not meet the condition. The observation gives the state at one
 * revision, and the stream continues after that revision, so no change is lost. If the stream may
 * have missed changes (a reset, or a change without a name), the objects are read again. */
#include "cli/manager/follow.h"
#include "cli/manager/kept.h"
#include "cli/manager/wait_set.h"
#include "cli/manager/watch.h"
#include "sys/interrupt.h"

#include <string.h>

/* How often the command prints the objects that it still waits for. */
#define WAIT_REPORT_MS (30 * 1000)

struct waiting {
    struct command *command;
    struct session session;
    struct wait_set set;
    bool can_fail;  /* the flag --or-fail is given */
    bool has_ended; /* an error was added */
};

/* True if the result is final: the condition holds, or it can no longer hold. */
static bool is_decided(const struct waiting *waiting)
{
    return wait_set_is_met(&waiting->set) || (waiting->can_fail && wait_set_is_lost(&waiting->set));
}

/* Read the objects again. If the manager is unavailable now, the stream ends too; it then waits for
 * the manager, and the objects are read when the manager is available again. */
static bool look_anew(struct waiting *waiting)
{
    struct err_list before = waiting->command->errors;
    const struct err_list *errors = &waiting->command->errors;

    if (wait_set_look(&waiting->set, waiting->command, &waiting->session)) {
        return true;
    }
    if (errors->count > before.count &&
        err_kind(&errors->items[errors->count - 1]) == ERR_KIND_UNAVAILABLE) {
        waiting->command->errors = before;
        waiting->set.revision = 0;
        return true;
    }
    return false;
}

static bool wait_change_take(void *arg, struct text type, const struct doc *doc)
{
    struct waiting *waiting = arg;

    if (!wait_set_take(&waiting->set, type, doc) && !look_anew(waiting)) {
        waiting->has_ended = true;
    }
    return !waiting->has_ended && !is_decided(waiting);
}

/* Write ": only 2 such nodegroups are there", if more objects must appear before the condition can
 * hold. */
static void lacking_report(const struct wait_set *set, struct buf *line)
{
    if (set->count == 0) {
        buf_printf(line, ": no such %s exists", set->kind->singular);
    } else {
        buf_printf(line, ": only %zu such %s %s present", set->count,
                   set->count == 1 ? set->kind->singular : set->kind->plural,
                   set->count == 1 ? "is" : "are");
    }
}

/* Print "waiting for 2 of 1000: cluster/late does not exist yet; ..." */
static void wait_waiting_report(void *arg)
{
    struct waiting *waiting = arg;
    struct command *command = waiting->command;
    struct arena_mark mark = arena_mark(command->arena);
    size_t missing = wait_set_missing(&waiting->set);
    size_t lacking = wait_set_lacking(&waiting->set);
    size_t named = 0;
    struct buf line;

    if (args_has(&command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    buf_init(&line, command->arena);
    buf_printf(&line, "waiting for %zu of %zu", missing + lacking, waiting->set.count + lacking);
    if (lacking > 0) {
        lacking_report(&waiting->set, &line);
    }
    for (size_t i = 0; i < waiting->set.count && named < WAIT_REPORT_NAMES; i++) {
        if (!wait_set_holds(&waiting->set, waiting->set.items[i])) {
            buf_printf(&line, "%s%.*s", named++ > 0 || lacking > 0 ? "; " : ": ",
                       TEXT_ARG(wait_set_why(&waiting->set, command, waiting->set.items[i])));
        }
    }
    if (missing > named) {
        buf_printf(&line, "; and %zu more", missing - named);
    }
    buf_add_string(&line, "\n");
    command_say(command, buf_text(&line));
    arena_rewind(command->arena, mark);
    buf_init(&command->out, command->arena);
    buf_init(&command->notes, command->arena);
}

/* Add one error for each object that misses the condition. */
static void missing_name(struct waiting *waiting, enum code code, const char *hint)
{
    struct command *command = waiting->command;
    struct wait_set *set = &waiting->set;

    for (size_t i = 0; i < set->count; i++) {
        if (!wait_set_holds(set, set->items[i]) &&
            (code != CODE_R0029 || wait_set_is_hopeless(set, set->items[i]))) {
            err_hint(err_list_set(&command->errors, (struct place){ 0 }, code, "%.*s",
                                  TEXT_ARG(wait_set_why(set, command, set->items[i]))),
                     "%s", hint);
        }
    }
    if (command->errors.errors == 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, code,
                              "there are %zu such %s, and %zu are needed", set->count,
                              set->kind == NULL ? "objects" : set->kind->plural, set->least),
                 "%s", hint);
    }
}

static enum exit_code wait_end_report(struct waiting *waiting)
{
    struct wait_set *set = &waiting->set;

    if (wait_set_is_met(set)) {
        buf_printf(&waiting->command->notes, "%zu of %zu: %s\n", set->count - wait_set_missing(set),
                   set->count, args_value(&waiting->command->args, FLAG_WAIT_FOR));
    } else if (waiting->can_fail && wait_set_is_lost(set)) {
        missing_name(waiting, CODE_R0029, "reeve events shows who deleted it, and why");
    } else {
        missing_name(waiting, CODE_R0028, "wait longer with --timeout");
    }
    return EXIT_CODE_DONE;
}

static bool wait_use_check(struct waiting *waiting)
{
    struct command *command = waiting->command;

    return wait_set_read(&waiting->set, command) && session_open(command, &waiting->session);
}

/* wait job/912 --for job=done: waits for one job. While the job itself waits for something, this
 * command waits too, unless --or-fail is given. */
static enum exit_code job_wait(struct waiting *waiting)
{
    struct command *command = waiting->command;
    const char *condition = args_value(&command->args, FLAG_WAIT_FOR);
    struct follow follow = { .stays = !waiting->can_fail };

    if (!kept_job_number(text_from(command->args.words[0]), &follow.number) ||
        command->args.argument_count > 1 ||
        (condition != NULL && strcmp(condition, "job=done") != 0)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                              "wait accepts one job, by its number, and only --for job=done"),
                 "reeve wait job/912 --for job=done");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &waiting->session)) {
        return EXIT_CODE_USAGE;
    }
    follow.deadline_ms = session_deadline(command, &waiting->session);
    return follow_run(command, &waiting->session, &follow);
}

enum exit_code verb_wait(struct command *command)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES / 4);
    struct waiting waiting = { .command = command,
                               .set.arena = arena,
                               .can_fail = args_has(&command->args, FLAG_WAIT_OR_FAIL) };
    struct watch watch = { .kinds = "cluster,nodegroup,clustertemplate,nodegrouptemplate",
                           .selector = args_value(&command->args, FLAG_WAIT_SELECTOR),
                           .change = wait_change_take,
                           .tick = wait_waiting_report,
                           .tick_ms = WAIT_REPORT_MS,
                           .arg = &waiting };
    bool is_over = false;

    if (command->args.argument_count > 0 &&
        text_has_prefix(text_from(command->args.words[0]), TEXT("job/"))) {
        return job_wait(&waiting);
    }
    if (!wait_use_check(&waiting)) {
        return EXIT_CODE_USAGE;
    }
    watch.deadline_ms = session_deadline(command, &waiting.session);
    interrupt_expect(INTERRUPT_READING);
    if (!wait_set_look(&waiting.set, command, &waiting.session)) {
        return EXIT_CODE_FAILED;
    }
    if (!wait_set_check(&waiting.set, command)) {
        return EXIT_CODE_USAGE;
    }
    if (!is_decided(&waiting)) {
        wait_waiting_report(&waiting);
        watch.from = waiting.set.revision;
        if (!watch_run(command, &waiting.session, &watch, &is_over) || waiting.has_ended) {
            return EXIT_CODE_FAILED;
        }
    }
    return wait_end_report(&waiting);
}
