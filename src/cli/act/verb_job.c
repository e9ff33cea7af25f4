/* reeve job and reeve rollout: the progress of a change, and operator commands about it. */
#include "cli/change/change.h"
#include "cli/change/commission.h"
#include "cli/change/job_subjects.h"
#include "cli/manager/again.h"
#include "cli/manager/follow.h"
#include "cli/manager/job_batches.h"
#include "cli/manager/job_text.h"
#include "cli/manager/kept.h"
#include "cli/manager/nodes.h"
#include "cli/manager/say.h"
#include "codec/doc_child.h"

#include <string.h>

/* ---- selection of the job ---- */

static bool job_refuse(struct command *command, const char *word)
{
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "'%s' is not a job", word),
        "write its number, as reeve get jobs lists it: reeve job watch 912");
}

/* A command about a job needs its number; reeve never guesses the job. */
static void number_miss(struct command *command)
{
    const char *word = command->args.words[0];

    (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "job %s needs the number of a job", word),
                    "reeve get jobs lists them: reeve job %s 912", word);
}

static bool job_number_read(struct command *command, const char *word, uint64_t *out)
{
    return kept_job_number(text_from(word), out) || job_refuse(command, word);
}

/* Find the newest job that is not done, for a command without a number. */
static bool job_newest_find(struct command *command, const struct session *session, uint64_t *out)
{
    struct listing jobs;

    *out = 0;
    if (!listing_get(command, session, schema_kind_find(TEXT("Job")), TEXT(""), &jobs)) {
        return false;
    }
    for (size_t i = 0; i < jobs.count; i++) {
        uint64_t number =
            (uint64_t)doc_child_number(doc_child(&jobs.items[i], "status"), "revision");

        *out = !job_text_is_ended(&jobs.items[i]) && number > *out ? number : *out;
    }
    if (*out == 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                     "no job is in progress"),
                        "reeve get jobs lists earlier jobs");
    }
    return true;
}

/* ---- commands ---- */

struct job_command {
    const char *verb;
    const char *word; /* command for the job; NULL: the job is only shown */
    const char *done;
    const char *of_batches; /* the corresponding command for a batch job; NULL: none */
    const char *batches_done;
};

static const struct job_command job_commands[] = {
    { "watch", NULL, NULL, NULL, NULL },
    { "cancel", "pause",
      "paused: running work is completed, no more work starts, failed machines are not healed",
      "job-cancel", "cancelled: running work is completed, no more work starts" },
    { "pause", "pause", "paused until reeve job resume", "job-pause",
      "paused until reeve job resume: running work is completed" },
    { "resume", "resume", "resumed", "job-resume", "resumed" },
    { "retry", "retry", "refused requests are retried now", NULL, NULL },
};

static const struct job_command *job_word_find(struct command *command)
{
    const char *verb = command->args.words[0];

    for (size_t i = 0; i < ARRAY_COUNT(job_commands); i++) {
        if (strcmp(job_commands[i].verb, verb) == 0) {
            return &job_commands[i];
        }
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "reeve job has no '%s'", verb),
             "use watch, cancel, pause, resume or retry; reeve logs shows the output of stages");
    return NULL;
}

/* Check --failed, which applies only to retry. It has no effect, because a retry never touches
 * finished nodes; it only makes this explicit. */
static bool failed_check(struct command *command, const struct job_command *word)
{
    return !args_has(&command->args, FLAG_JOB_FAILED) || strcmp(word->verb, "retry") == 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "--failed applies only to retry, not to %s", word->verb),
                    "reeve job retry 912 --failed");
}

/* Check that the job still runs. A command is sent for the clusters of the job, so after its end it
 * would affect the next job of the cluster. */
static bool is_under_way(struct command *command, uint64_t number, const struct doc *jobs)
{
    for (size_t i = 0; i < jobs->item_count; i++) {
        if (!job_text_is_ended(&jobs->items[i])) {
            return true;
        }
    }
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                 "job/%llu has ended: none of its work is in progress",
                                 (unsigned long long)number),
                    "reeve get jobs lists running jobs; reeve pause CLUSTER, reeve resume CLUSTER");
}

/* Ask for consent if the retry runs a stage that is not idempotent. */
static bool job_again_agree(struct command *command, const struct session *session,
                            const struct doc *jobs, bool *out_is_again)
{
    struct again again;

    again_init(&again, command);
    for (size_t i = 0; i < jobs->item_count; i++) {
        struct text cluster = doc_child_text(doc_child(&jobs->items[i], "metadata"), "cluster");
        struct nodes nodes;

        if (job_text_is_ended(&jobs->items[i])) {
            continue;
        }
        if (!nodes_get(command, session, cluster, &nodes)) {
            return false;
        }
        for (size_t j = 0; j < nodes.count; j++) {
            again_add(&again, cluster, &nodes.items[j], true, 0);
        }
    }
    return again_ask(&again, session, out_is_again);
}

static void job_said_note(struct command *command, uint64_t number, const struct target *target,
                          const char *done)
{
    buf_printf(&command->notes, "job/%llu, %.*s: %s\n", (unsigned long long)number,
               TEXT_ARG(target_format(command->arena, target)), done);
}

/* Explain that a cancel does not revert the change, which remains the desired state. The note has
 * the state after the cancel, and the two commands to continue. */
static void cancel_note(struct command *command, const struct target *target)
{
    buf_printf(
        &command->notes,
        "  the change stays in force: reeve resume %.*s continues it, reeve undo %.*s reverts it\n",
        TEXT_ARG(target->name),
        TEXT_ARG(text_slice(target->name, 0, text_find_byte(target->name, '/'))));
}

/* Send a command about a batch job, identified by its number. It does not affect other work on the
 * cluster. */
static bool batches_say(struct command *command, const struct session *session, uint64_t number,
                        const struct job_command *word, const struct doc *job)
{
    struct target target = say_subject(doc_child_text(doc_child(job, "metadata"), "cluster"));
    struct say say = {
        .word = word->of_batches,
        .job = arena_printf(command->arena, "%llu", (unsigned long long)number),
        .why = args_value(&command->args, FLAG_JOB_MESSAGE),
    };

    if (!say_it(command, session, &target, &say, NULL)) {
        return false;
    }
    job_said_note(command, number, &target, word->batches_done);
    return true;
}

static bool retry_refuse(struct command *command, uint64_t number, const struct doc *job)
{
    struct text verb = doc_child_text(doc_child(job, "status"), "verb");
    const char *by = text_is(verb, "verify")    ? "reeve verify"
                     : text_is(verb, "correct") ? "reeve verify --fix"
                     : text_is(verb, "drain")   ? "reeve drain"
                     : text_is(verb, "undrain") ? "reeve undrain"
                                                : "reeve bootstrap run";

    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0816,
                     "job/%llu is one of %s and cannot be retried", (unsigned long long)number, by),
        "to repeat its failed work: %s --failed-of %llu", by, (unsigned long long)number);
}

/* A command about a job of a change is sent for its groups, or for its cluster. */
static bool change_say(struct command *command, const struct session *session, uint64_t number,
                       const struct job_command *word, const struct doc *job, bool is_again)
{
    const char *message = args_value(&command->args, FLAG_JOB_MESSAGE);
    struct text why =
        arena_printf(command->arena, "job/%llu %s%s%s", (unsigned long long)number, word->verb,
                     message == NULL ? "" : ": ", message == NULL ? "" : message);
    struct say say = { .word = word->word,
                       .is_again = is_again,
                       .why = arena_string(command->arena, why) };
    struct job_subjects subjects;
    int64_t reboots = 0;

    if (strcmp(word->verb, "cancel") == 0 &&
        !job_reboots_drop(command, session, job, why, &reboots)) {
        return false;
    }
    if (!job_subjects_find(command, session, word->verb, job, &subjects)) {
        return false;
    }
    if (reboots > 0) {
        buf_printf(&command->notes,
                   "job/%llu: %lld reboot%s dropped; reboots that have started are completed\n",
                   (unsigned long long)number, (long long)reboots, reboots == 1 ? "" : "s");
    } else if (subjects.count == 0) {
        buf_printf(&command->notes,
                   "job/%llu: only reboots that have started are left, and they are completed\n",
                   (unsigned long long)number);
    }
    for (size_t i = 0; i < subjects.count; i++) {
        struct target target = say_subject(subjects.names[i]);

        if (!say_it(command, session, &target, &say, NULL)) {
            return false;
        }
        job_said_note(command, number, &target, word->done);
        if (strcmp(word->verb, "cancel") == 0) {
            cancel_note(command, &target);
        }
    }
    return true;
}

/* Check that the command applies to these jobs, and get consent for stages that would run a second
 * time. */
static bool check_word(struct command *command, const struct session *session, uint64_t number,
                       const struct job_command *word, const struct doc *jobs, bool *out_is_again)
{
    if (strcmp(word->verb, "retry") != 0) {
        return is_under_way(command, number, jobs);
    }
    if (jobs->item_count > 0 && job_batches_is(&jobs->items[0])) {
        return retry_refuse(command, number, &jobs->items[0]);
    }
    return is_under_way(command, number, jobs) &&
           job_again_agree(command, session, jobs, out_is_again);
}

/* Send the command for every cluster of the job. */
static bool clusters_say(struct command *command, const struct session *session, uint64_t number,
                         const struct job_command *word)
{
    bool is_again = false;
    struct doc jobs;

    if (!follow_get_begun(command, session, number, &jobs) ||
        !check_word(command, session, number, word, &jobs, &is_again)) {
        return false;
    }
    for (size_t i = 0; i < jobs.item_count; i++) {
        const struct doc *job = &jobs.items[i];
        if (job_text_is_ended(job)) {
            continue; /* the job has several clusters, and this one is done */
        }
        if (!(job_batches_is(job) ? batches_say(command, session, number, word, job)
                                  : change_say(command, session, number, word, job, is_again))) {
            return false;
        }
    }
    return true;
}

/* Retry a job whose failed machines were returned to the inventory: they are commissioned again, by
 * a change with a plan and a job of its own. False: the job has no such machines; else *out_code is
 * set. */
static bool returned_retry(struct command *command, const struct session *session, uint64_t number,
                           const struct job_command *word, enum exit_code *out_code)
{
    struct change_set set = { 0 };
    struct doc jobs;

    if (strcmp(word->verb, "retry") != 0) {
        return false;
    }
    if (!follow_get_begun(command, session, number, &jobs)) {
        *out_code = EXIT_CODE_FAILED;
        return true;
    }
    for (size_t i = 0; i < jobs.item_count; i++) {
        if (!job_text_is_ended(&jobs.items[i])) {
            return false;
        }
    }
    if (!commission_again_make(command, session, &jobs, &set.calls, &set.count)) {
        *out_code = EXIT_CODE_FAILED;
        return true;
    }
    if (set.count > 0) {
        *out_code = change_run(command, session, &set);
    }
    return set.count > 0;
}

enum exit_code verb_job(struct command *command)
{
    const struct job_command *word = job_word_find(command);
    struct follow follow = { .stays = true };
    enum exit_code code;
    struct session session;

    if (word == NULL || !failed_check(command, word) ||
        (command->args.argument_count > 1 &&
         !job_number_read(command, command->args.words[1], &follow.number)) ||
        !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (command->args.argument_count < 2 && word->word != NULL) {
        number_miss(command);
        return EXIT_CODE_USAGE;
    }
    if (command->args.argument_count < 2 && !job_newest_find(command, &session, &follow.number)) {
        return EXIT_CODE_NOT_FOUND;
    }
    if (word->word != NULL && returned_retry(command, &session, follow.number, word, &code)) {
        return code;
    }
    if (word->word != NULL) {
        return clusters_say(command, &session, follow.number, word) ? EXIT_CODE_DONE
                                                                    : EXIT_CODE_FAILED;
    }
    follow.deadline_ms = session_deadline(command, &session);
    return follow_run(command, &session, &follow);
}

/* ---- rollouts ---- */

/* Show which machines of the group wait for a hold, and the possible actions. */
static bool holds_show(struct command *command, const struct session *session, struct text cluster,
                       struct text group)
{
    struct listing holds;

    if (!job_text_holds_get(command, session, cluster, group, &holds)) {
        return false;
    }
    for (size_t i = 0; i < holds.count; i++) {
        job_text_hold(command, &holds.items[i]);
    }
    return true;
}

/* Show the progress of changed stages on members in service: the newest such rollout, unless it is
 * complete. */
static void in_place_show(struct command *command, const struct target *target,
                          const struct doc *status)
{
    if (status == NULL || text_is(doc_child_text(status, "state"), "done")) {
        return;
    }
    buf_printf(&command->out, "%.*s  job/%.*s %.*s, in place: ", TEXT_ARG(target->name),
               TEXT_ARG(doc_child_text(status, "revision")),
               TEXT_ARG(doc_child_text(status, "state")));
    job_batches_text(&command->out, status);
    buf_add_string(&command->out, "\n");
    /* for a held rollout, the hold already shows these reasons */
    if (!text_is(doc_child_text(status, "state"), "held")) {
        job_batches_waits(&command->out, status);
    }
}

/* Show the progress of a group: its line in the newest job. */
static bool rollout_show(struct command *command, const struct session *session,
                         const struct target *target)
{
    size_t slash = text_find_byte(target->name, '/');
    struct text group = text_slice(target->name, slash + 1, target->name.length);
    struct text query =
        arena_printf(command->arena, "cluster=%.*s", TEXT_ARG(text_slice(target->name, 0, slash)));
    struct listing jobs;
    const struct doc *status = NULL;
    const struct doc *in_place = NULL;
    const struct doc *groups;
    struct doc object;

    if (!session_get(command, session, session_path(command, target->kind, target->name),
                     &object) ||
        !listing_get(command, session, schema_kind_find(TEXT("Job")), query, &jobs)) {
        return false;
    }
    for (size_t i = 0; i < jobs.count; i++) {
        const struct doc *one = doc_child(&jobs.items[i], "status");

        if (job_batches_is_rollout_of(&jobs.items[i], group) &&
            doc_child_number(one, "revision") > doc_child_number(in_place, "revision")) {
            in_place = one;
        }
        if (job_batches_is(&jobs.items[i])) {
            continue; /* a batch job replaces no machines */
        }
        status =
            doc_child_number(one, "revision") > doc_child_number(status, "revision") ? one : status;
    }
    groups = doc_child(status, "groups");
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *line = &groups->items[i];

        if (text_is_equal(doc_child_text(line, "group"), group)) {
            buf_printf(&command->out, "%.*s  job/%.*s %.*s: ", TEXT_ARG(target->name),
                       TEXT_ARG(doc_child_text(status, "revision")),
                       TEXT_ARG(doc_child_text(status, "state")));
            job_text_counts(&command->out, line);
            buf_add_string(&command->out, "\n");
            in_place_show(command, target, in_place);
            return holds_show(command, session, text_slice(target->name, 0, slash), group);
        }
    }
    buf_printf(&command->out, "%.*s  no rollout is in progress\n", TEXT_ARG(target->name));
    return true;
}

struct rollout_command {
    const char *verb;
    const char *word;
    const char *rule; /* rule of the hold that the command approves; NULL: none */
    const char *done;
};

static const struct rollout_command rollout_words[] = {
    { "pause", "rollout-pause", NULL,
      "no further machine is replaced, and no further member runs changed stages, until reeve rollout resume" },
    { "resume", "rollout-resume", NULL, "resumed" },
    { "abort", "rollout-abort", NULL,
      "stopped where it is; reeve undo reverts the change, reeve rollout resume continues it" },
    { "promote", "approve", "roll_failed", "the rollout continues although machines have failed" },
    { "promote", "approve", "rollout",
      "the rollout continues without the members that have failed" },
};

/* Find out whether the in-place rollout of the group is held. */
static bool hold_find(struct command *command, const struct session *session,
                      const struct target *target, bool *out_in_place)
{
    size_t slash = text_find_byte(target->name, '/');
    struct listing holds;

    *out_in_place = false;
    if (!job_text_holds_get(command, session, text_slice(target->name, 0, slash),
                            text_slice(target->name, slash + 1, target->name.length), &holds)) {
        return false;
    }
    for (size_t i = 0; i < holds.count; i++) {
        *out_in_place |=
            text_is(doc_child_text(doc_child(&holds.items[i], "status"), "rule"), "rollout");
    }
    return true;
}

static enum exit_code rollout_say(struct command *command, const struct session *session,
                                  const struct target *target)
{
    const char *verb = command->args.words[0];
    bool in_place = false;

    if (strcmp(verb, "promote") == 0 && !hold_find(command, session, target, &in_place)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < ARRAY_COUNT(rollout_words); i++) {
        const struct rollout_command *word = &rollout_words[i];

        if (strcmp(word->verb, verb) != 0 ||
            (word->rule != NULL && in_place != (strcmp(word->rule, "rollout") == 0))) {
            continue;
        }
        if (!say_word(command, session, target, word->word,
                      word->rule == NULL ? TEXT("") : text_from(word->rule),
                      args_value(&command->args, FLAG_ROLLOUT_MESSAGE))) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "%.*s: %s\n", TEXT_ARG(target_format(command->arena, target)),
                   word->done);
        return EXIT_CODE_DONE;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "reeve rollout has no '%s'", verb),
             "use status, pause, resume, promote, abort or restart");
    return EXIT_CODE_USAGE;
}

enum exit_code verb_rollout(struct command *command)
{
    const struct args *args = &command->args;
    struct kept_words words;
    struct target target;
    struct session session;

    if (!kept_words_read(command, args->words + 1, args->argument_count - 1, &words) ||
        words.count != 1 || !kept_read(command, words.items[0], &target)) {
        if (command->errors.errors == 0) {
            (void)kept_refuse(command, args->words[2], "one CLUSTER/GROUP");
        }
        return EXIT_CODE_USAGE;
    }
    if (text_find_byte(target.name, '/') == SIZE_MAX) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "'%.*s' is not the name of a group", TEXT_ARG(target.name)),
                 "write CLUSTER/GROUP: reeve rollout status shop/web");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (strcmp(command->args.words[0], "status") == 0) {
        return rollout_show(command, &session, &target) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
    }
    if (strcmp(command->args.words[0], "restart") == 0) {
        return rollout_restart(command, &session, &target);
    }
    return rollout_say(command, &session, &target);
}
