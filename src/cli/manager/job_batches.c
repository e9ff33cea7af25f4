#include "cli/manager/job_batches.h"

#include "base/time.h"
#include "cli/manager/job_failed.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "sys/clock.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

enum { SKIPPED_SHOWN_BYTES = 300 };

static const struct doc *job_batches_status_of(const struct doc *job)
{
    return doc_child(job, "status");
}

static bool is_state(const struct doc *status, const char *state)
{
    return text_is(doc_child_text(status, "state"), state);
}

static bool is_cut_by(const struct doc *status, const char *cut)
{
    return text_is(doc_child_text(status, "cut"), cut);
}

static int64_t job_batches_machines_of(const struct doc *status, const char *what)
{
    return doc_child_number(doc_child(status, "machines"), what);
}

static bool is_job_batches_rollout(const struct doc *status)
{
    return text_is(doc_child_text(status, "verb"), "rollout");
}

bool job_batches_is_rollout_of(const struct doc *job, struct text group)
{
    return is_job_batches_rollout(job_batches_status_of(job)) &&
           text_is_equal(doc_child_text(job_batches_status_of(job), "group"), group);
}

bool job_batches_is(const struct doc *job)
{
    return doc_child_text(job_batches_status_of(job), "verb").length > 0;
}

/* ---- in words ---- */

static void job_batches_part_write(struct buf *out, const struct doc *status, const char *what,
                                   const char *words)
{
    int64_t count = job_batches_machines_of(status, what);

    if (count > 0) {
        buf_printf(out, ", %lld %s", (long long)count, words);
    }
}

/* Return the reason why no more machines are started, in terms of the flag that set the limit. */
static const char *cut_words(const struct doc *status)
{
    return is_cut_by(status, "canary")      ? "a canary has failed"
           : is_cut_by(status, "failed")    ? "too many machines have failed"
           : is_cut_by(status, "deadline")  ? "the deadline has passed"
           : is_cut_by(status, "cancelled") ? "the job was cancelled"
                                            : "";
}

/* Write "batch 3 of 24" or "batch 1 of 24, the canary". */
static void job_batches_batch_write(struct buf *out, const struct doc *status)
{
    const struct doc *batch = doc_child(status, "batch");
    int64_t number = doc_child_number(batch, "number");

    if (number == 0) {
        return;
    }
    buf_printf(out, "; batch %lld of %lld", (long long)number,
               (long long)doc_child_number(batch, "count"));
    if (text_is(doc_child_text(batch, "canary"), "true")) {
        buf_add_string(out,
                       doc_child_number(batch, "size") == 1 ? ", the canary" : ", the canaries");
    }
}

/* Write "; until 14:03:10Z (canary bakes)", with the date unless the time is within the next 24
 * hours. */
static void job_batches_rest_write(struct buf *out, const struct doc *status)
{
    bool is_bake = text_is(doc_child_text(doc_child(status, "batch"), "canary"), "true");
    int64_t until_ms = doc_child_moment(status, "until");
    char time[TIME_TEXT_BYTES];

    if (until_ms <= 0) {
        return;
    }
    time_format(until_ms, time);
    buf_add_string(out, "; until ");
    if (until_ms - clock_wall_ms(clock_system()) >= DAY_MS) {
        buf_printf(out, "%.10s ", time);
    }
    buf_printf(out, "%.8sZ (%s)", time + sizeof("2026-11-24T") - 1,
               is_bake ? "canary bakes" : "pause between batches");
}

static bool is_verb(const struct doc *status, const char *verb)
{
    return text_is(doc_child_text(status, "verb"), verb);
}

/* Return the word for machines on which the job is done, such as "bootstrapped again". */
static const char *done_words(const struct doc *status)
{
    return is_job_batches_rollout(status)    ? "with the changed stages"
           : is_verb(status, "verify")       ? "verified"
           : is_verb(status, "correct")      ? "corrected"
           : is_verb(status, "drain")        ? "drained"
           : is_verb(status, "undrain")      ? "in service again"
           : is_verb(status, "commission")   ? "in service"
           : is_verb(status, "decommission") ? "out of their groups"
                                             : "bootstrapped again";
}

/* Write ": 3 same, 1 drifted" for a job that verifies. */
static void verdicts_write(struct buf *out, const struct doc *status)
{
    static const char *const names[] = { "same", "drifted", "unknown" };
    const struct doc *verdicts = doc_child(status, "verdicts");
    bool is_first = true;

    for (size_t i = 0; i < ARRAY_COUNT(names) && is_verb(status, "verify"); i++) {
        int64_t count = doc_child_number(verdicts, names[i]);

        if (count > 0) {
            buf_printf(out, "%s%lld %s", is_first ? ": " : ", ", (long long)count, names[i]);
            is_first = false;
        }
    }
}

void job_batches_text(struct buf *out, const struct doc *status)
{
    bool is_over = doc_is_present(doc_child(status, "ended"));

    if (job_batches_machines_of(status, "wanted") == 0) {
        buf_add_string(out, "the machines of the job are not known");
        return;
    }
    buf_printf(out, "%lld of %lld %s", (long long)job_batches_machines_of(status, "ready"),
               (long long)job_batches_machines_of(status, "wanted"), done_words(status));
    verdicts_write(out, status);
    job_batches_part_write(out, status, "failed", "failed");
    job_batches_part_write(out, status, "staging", "in progress");
    job_batches_part_write(out, status, "waiting", "waiting");
    job_batches_part_write(out, status, "skipped", "not started");
    job_batches_part_write(out, status, "gone", "gone");
    if (!is_over) {
        job_batches_batch_write(out, status);
        job_batches_rest_write(out, status);
    }
    if (cut_words(status)[0] != '\0') {
        buf_printf(out, "; %s", cut_words(status));
    }
    if (is_state(status, "superseded") && doc_child_text(status, "supersededBy").length == 0) {
        buf_add_string(out, "; other stages are desired now");
    } else if (is_state(status, "superseded")) {
        buf_printf(out, "; the cluster is deleted by %.*s",
                   TEXT_ARG(doc_child_text(status, "supersededBy")));
    }
}

void job_batches_skipped(struct buf *out, const struct doc *status)
{
    struct text all = doc_child_text(status, "skippedNodes");
    struct text shown = text_slice(all, 0, SKIPPED_SHOWN_BYTES);

    while (shown.length > 0 && shown.length < all.length && all.data[shown.length] != ',') {
        shown.length--;
    }
    if (all.length == 0) {
        return;
    }
    buf_add_string(out, "  not started: ");
    glyph_write_text(out, shown);
    if (shown.length < all.length || doc_child_number(status, "skippedMore") > 0) {
        buf_printf(out, ", ... (reeve why job/%lld -o json has more)",
                   (long long)doc_child_number(status, "revision"));
    }
    buf_add_string(out, "\n");
}

struct text job_batches_short(struct arena *arena, const struct doc *job)
{
    const struct doc *batch = doc_child(job_batches_status_of(job), "batch");
    struct text verb = doc_child_text(job_batches_status_of(job), "verb");

    return batch == NULL ? verb
                         : arena_printf(arena, "%.*s %lld/%lld", TEXT_ARG(verb),
                                        (long long)doc_child_number(batch, "number"),
                                        (long long)doc_child_number(batch, "count"));
}

void job_batches_fields(struct buf *out, const struct doc *status)
{
    static const char *const counts[] = { "ready",   "wanted",  "failed", "staging",
                                          "waiting", "skipped", "gone" };
    const struct doc *batch = doc_child(status, "batch");
    int64_t until_ms = doc_child_moment(status, "until");
    char time[TIME_TEXT_BYTES];

    buf_printf(out, " verb=%.*s state=%.*s batch=%lld/%lld",
               TEXT_ARG(doc_child_text(status, "verb")), TEXT_ARG(doc_child_text(status, "state")),
               (long long)doc_child_number(batch, "number"),
               (long long)doc_child_number(batch, "count"));
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        buf_printf(out, " %s=%lld", counts[i],
                   (long long)job_batches_machines_of(status, counts[i]));
    }
    if (until_ms > 0) {
        time_format(until_ms, time);
        buf_printf(out, " until=%s", time);
    }
    if (doc_child_text(status, "cut").length > 0) {
        buf_printf(out, " cut=%.*s", TEXT_ARG(doc_child_text(status, "cut")));
    }
}

void job_batches_waits(struct buf *out, const struct doc *status)
{
    const struct doc *waits = doc_child(status, "waits");

    for (size_t i = 0; doc_is_list(waits) && i < waits->item_count; i++) {
        buf_add_string(out, "  ! ");
        glyph_write_text(out, waits->items[i].text);
        buf_add_string(out, "\n");
    }
}

/* ---- state ---- */

bool job_batches_is_waiting(const struct doc *job)
{
    const struct doc *status = job_batches_status_of(job);
    const struct doc *waits = doc_child(status, "waits");

    return is_state(status, "damaged") || is_state(status, "held") ||
           (job_batches_machines_of(status, "staging") == 0 &&
            (is_state(status, "paused") ||
             (is_state(status, "running") && doc_is_list(waits) && waits->item_count > 0)));
}

bool job_batches_is_late(const struct doc *job)
{
    return is_cut_by(job_batches_status_of(job), "deadline");
}

/* ---- the end ---- */

/* Add R0796: the machines that were not started; running machines are completed. */
static enum exit_code job_batches_late_report(struct command *command, const struct doc *status,
                                              uint64_t number)
{
    int64_t unbegun =
        job_batches_machines_of(status, "waiting") + job_batches_machines_of(status, "skipped");
    int64_t staging = job_batches_machines_of(status, "staging");
    struct err *err =
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0796,
                     "the deadline has passed: %lld of %lld machines were not started",
                     (long long)unbegun, (long long)job_batches_machines_of(status, "wanted"));

    job_batches_skipped(&command->notes, status);
    if (staging > 0) {
        (void)err_note(err, "machines in progress are completed: %lld", (long long)staging);
    }
    (void)!err_hint(err, "reeve job watch %llu; start the others again",
                    (unsigned long long)number);
    return EXIT_CODE_TIMEOUT;
}

static void job_batches_skipped_report(struct command *command, const struct doc *status,
                                       uint64_t number)
{
    int64_t skipped = job_batches_machines_of(status, "skipped");

    if (skipped > 0) {
        buf_printf(&command->notes, "job/%llu: %lld of %lld machines were not started: %s\n",
                   (unsigned long long)number, (long long)skipped,
                   (long long)job_batches_machines_of(status, "wanted"), cut_words(status));
        job_batches_skipped(&command->notes, status);
    }
}

static void job_batches_waiting_report(struct command *command, const struct doc *status,
                                       uint64_t number)
{
    const struct doc *waits = doc_child(status, "waits");
    struct text why = doc_is_list(waits) && waits->item_count > 0 ? waits->items[0].text
                                                                  : TEXT("the job is paused");

    buf_printf(&command->notes, "job/%llu waits: ", (unsigned long long)number);
    glyph_write_text(&command->notes, why);
    if (is_state(status, "damaged")) {
        buf_printf(&command->notes, "; reeve job cancel %llu removes it\n",
                   (unsigned long long)number);
        return;
    }
    if (is_job_batches_rollout(status)) {
        buf_printf(&command->notes, "; reeve rollout %s %.*s/%.*s\n",
                   is_state(status, "held") ? "resume|promote|undo" : "status",
                   TEXT_ARG(doc_child_text(status, "cluster")),
                   TEXT_ARG(doc_child_text(status, "group")));
        return;
    }
    buf_printf(&command->notes, "; reeve job watch %llu, reeve job %s %llu\n",
               (unsigned long long)number, is_state(status, "paused") ? "resume" : "cancel",
               (unsigned long long)number);
}

static enum exit_code one_end(struct command *command, const struct doc *jobs,
                              const struct doc *job, uint64_t number)
{
    const struct doc *status = job_batches_status_of(job);

    if (is_state(status, "done")) {
        return EXIT_CODE_DONE;
    }
    if (is_state(status, "superseded") && doc_child_text(status, "supersededBy").length == 0) {
        buf_printf(&command->notes, "job/%llu has ended: other stages are desired now\n",
                   (unsigned long long)number);
        return EXIT_CODE_CONFLICT;
    }
    if (is_state(status, "superseded")) {
        buf_printf(&command->notes, "job/%llu has ended: the cluster is deleted by %.*s\n",
                   (unsigned long long)number, TEXT_ARG(doc_child_text(status, "supersededBy")));
        return EXIT_CODE_CONFLICT;
    }
    if (job_batches_machines_of(status, "failed") > 0) {
        job_failed_end(command, jobs, number);
    }
    if (job_batches_is_late(job)) {
        return job_batches_late_report(command, status, number);
    }
    if (doc_is_present(doc_child(status, "ended"))) {
        job_batches_skipped_report(command, status, number);
    } else {
        job_batches_waiting_report(command, status, number);
    }
    return job_batches_machines_of(status, "ready") > 0 ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}

enum exit_code job_batches_end(struct command *command, const struct doc *jobs, uint64_t number)
{
    enum exit_code code = EXIT_CODE_DONE;

    for (size_t i = 0; i < jobs->item_count && code == EXIT_CODE_DONE; i++) {
        code = one_end(command, jobs, &jobs->items[i], number);
    }
    return code;
}
