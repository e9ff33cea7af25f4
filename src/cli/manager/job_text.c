#include "cli/manager/job_text.h"

#include "cli/args/when.h"
#include "cli/manager/job_batches.h"
#include "cli/term/glyph.h"
#include "cli/term/wrap.h"
#include "codec/doc_child.h"

/* HOLDS_WARNED: maximum number of holds that one command warns about. */
enum { HOLD_INDENT = 6, HOLD_COLUMNS = 80, HOLDS_WARNED = 3 };

static void job_text_part_write(struct buf *out, const struct doc *counts, const char *key,
                                const char *word)
{
    int64_t count = doc_child_number(counts, key);

    if (count > 0) {
        buf_printf(out, ", %lld %s", (long long)count, word);
    }
}

int64_t job_text_updated(const struct doc *counts)
{
    return doc_child_number(counts,
                            doc_is_present(doc_child(counts, "updated")) ? "updated" : "ready");
}

/* Write "; unhealthy machines: 4". */
static void job_text_aside_write(struct buf *out, const struct doc *counts, const char *key)
{
    int64_t count = doc_child_number(counts, key);

    if (count > 0) {
        buf_printf(out, "; %s machines: %lld", key, (long long)count);
    }
}

void job_text_counts(struct buf *out, const struct doc *counts)
{
    /* both old and new machines can be unhealthy; these are counted separately, because otherwise
     * the counts in the list would add up to more than the number of machines */
    bool is_aside = doc_child_number(counts, "creating") + doc_child_number(counts, "leaving") +
                        doc_child_number(counts, "old") >
                    0;

    buf_printf(out, "%lld of %lld as wanted", (long long)job_text_updated(counts),
               (long long)doc_child_number(counts, "wanted"));
    job_text_part_write(out, counts, "failed", "failed");
    if (!is_aside) {
        job_text_part_write(out, counts, "unhealthy", "unhealthy");
        job_text_part_write(out, counts, "unreachable", "unreachable");
    }
    job_text_part_write(out, counts, "staging", "with stages to run");
    /* "creating" includes machines that were never ready, and machines that are rebooting */
    job_text_part_write(out, counts, "creating", "being created or starting");
    job_text_part_write(out, counts, "rebootLate", "not back after their reboot");
    job_text_part_write(out, counts, "rebooting", "being rebooted");
    job_text_part_write(out, counts, "reboots", "to be rebooted");
    job_text_part_write(out, counts, "leaving", "going");
    job_text_part_write(out, counts, "old", "to be replaced");
    if (is_aside) {
        job_text_aside_write(out, counts, "unhealthy");
        job_text_aside_write(out, counts, "unreachable");
    }
}

void job_text_progress(struct buf *out, const struct doc *status)
{
    if (doc_child_text(status, "verb").length > 0) {
        job_batches_text(out, status);
    } else {
        job_text_counts(out, doc_child(status, "machines"));
    }
}

void job_text_help(struct buf *out, const struct doc *problem)
{
    struct text at = doc_child_text(problem, "nextAt");
    struct text hint = doc_child_text(problem, "hint");

    if (at.length > 0) {
        buf_printf(out, "      next: reeve tries again, at %.*s\n", TEXT_ARG(at));
    }
    if (hint.length > 0) {
        buf_add_string(out, "      hint: ");
        glyph_write_text(out, hint);
        buf_add_string(out, "\n");
    }
}

bool job_text_is_ended(const struct doc *job)
{
    return doc_is_present(doc_child(doc_child(job, "status"), "ended"));
}

void job_text_line(struct buf *out, const struct doc *job)
{
    const struct doc *status = doc_child(job, "status");

    buf_printf(out, "job/%lld  ", (long long)doc_child_number(status, "revision"));
    glyph_write_text(out, listing_text(job, "metadata", "cluster"));
    buf_printf(out, "  %.*s: ", TEXT_ARG(doc_child_text(status, "state")));
    job_text_progress(out, status);
    buf_add_string(out, "\n");
}

struct text job_text_answer(struct command *command, const struct doc *hold)
{
    static const char *const answers[] = { "approved", "rejected" };
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
        const struct doc *mark = doc_child(doc_child(hold, "spec"), answers[i]);
        struct text why = doc_child_text(mark, "why");

        if (doc_is_present(mark)) {
            buf_printf(&buf, "%s by %.*s, %.*s%s%.*s", answers[i],
                       TEXT_ARG(doc_child_text(mark, "by")),
                       TEXT_ARG(when_format(command, doc_child_text(mark, "at"))),
                       why.length > 0 ? ": " : "", TEXT_ARG(why));
        }
    }
    return buf_text(&buf);
}

/* Write "paused by anna, 5 min ago: moving"; for a pause of the cluster in a group's hold,
 * "cluster/shop paused by ...". */
static void pause_write(struct command *command, const struct doc *hold, const struct doc *pause,
                        struct buf *out)
{
    struct text why = doc_child_text(pause, "why");
    struct text until = doc_child_text(pause, "until");
    struct text by = doc_child_text(pause, "by");
    struct text at = doc_child_text(pause, "at");

    if (listing_text(hold, "metadata", "group").length > 0 &&
        text_find_byte(doc_child_text(pause, "of"), '/') == SIZE_MAX) {
        buf_printf(out, "cluster/%.*s ", TEXT_ARG(doc_child_text(pause, "of")));
    }
    buf_add_string(out, "paused");
    if (by.length > 0) { /* a command recorded by an older manager has no author */
        buf_printf(out, " by %.*s, %.*s", TEXT_ARG(by), TEXT_ARG(when_format(command, at)));
    }
    if (until.length > 0) {
        buf_printf(out, ", until %.*s", TEXT_ARG(until));
    }
    buf_printf(out, "%s%.*s; ", why.length > 0 ? ": " : "", TEXT_ARG(why));
}

struct text job_text_fact(struct command *command, const struct doc *hold)
{
    const struct doc *pauses = doc_child(doc_child(hold, "status"), "pauses");
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; doc_is_list(pauses) && i < pauses->item_count; i++) {
        pause_write(command, hold, &pauses->items[i], &buf);
    }
    buf_add(&buf, listing_text(hold, "status", "fact"));
    return buf_text(&buf);
}

void job_text_hold(struct command *command, const struct doc *hold)
{
    struct text since = listing_text(hold, "status", "since");
    size_t columns = command->out_style.columns;
    struct text answer = job_text_answer(command, hold);
    struct buf advice;

    buf_add_string(&command->out, answer.length > 0 ? "  ~ " : "  ! ");
    glyph_write_text(&command->out, listing_hold(command->arena, hold));
    buf_add_string(&command->out, "  ");
    glyph_write_text(&command->out, job_text_fact(command, hold));
    if (since.length > 0) {
        buf_printf(&command->out, " (began %.*s)", TEXT_ARG(when_format(command, since)));
    }
    buf_add_string(&command->out, "\n");
    buf_init(&advice, command->arena);
    glyph_write_text(&advice, answer.length > 0 ? answer : listing_text(hold, "status", "advice"));
    wrap_write(&command->out, buf_text(&advice), HOLD_INDENT,
               columns == 0 || columns > HOLD_COLUMNS ? HOLD_COLUMNS : columns, false);
}

struct doc job_text_hold_doc(struct command *command, const struct doc *hold)
{
    const struct doc *status = doc_child(hold, "status");
    struct text answer = job_text_answer(command, hold);
    struct doc_builder row;

    doc_builder_init(&row, command->arena);
    doc_builder_put(&row, "advice", doc_text(doc_child_text(status, "advice"), NULL));
    if (answer.length > 0) {
        doc_builder_put(&row, "answer", doc_text(answer, NULL));
    }
    doc_builder_put(&row, "fact", doc_text(doc_child_text(status, "fact"), NULL));
    doc_builder_put(&row, "name", doc_text(listing_hold(command->arena, hold), NULL));
    if (doc_is_list(doc_child(status, "pauses"))) {
        doc_builder_put(&row, "pauses", *doc_child(status, "pauses"));
    }
    doc_builder_put(&row, "since", doc_text(doc_child_text(status, "since"), NULL));
    return doc_builder_map(&row, NULL);
}

bool job_text_holds_get(struct command *command, const struct session *session, struct text cluster,
                        struct text group, struct listing *out)
{
    struct listing all;
    struct buf query;

    buf_init(&query, command->arena);
    buf_add_string(&query, "cluster=");
    client_path_add(&query, cluster);
    if (!listing_get(command, session, schema_kind_find(TEXT("Hold")), buf_text(&query), &all)) {
        return false;
    }
    *out = (struct listing){ .items = arena_array(command->arena, struct doc, all.count + 1),
                             .revision = all.revision };
    for (size_t i = 0; i < all.count; i++) {
        struct text place = listing_text(&all.items[i], "status", "group");

        if (group.length == 0 || place.length == 0 || text_is_equal(place, group)) {
            out->items[out->count++] = all.items[i];
        }
    }
    return true;
}

void job_text_holds_warn(struct command *command, const struct session *session,
                         struct text cluster, struct text subject)
{
    struct err_list before = command->errors;
    struct listing holds;

    if (!job_text_holds_get(command, session, cluster, TEXT(""), &holds)) {
        command->errors = before;
        return;
    }
    for (size_t i = 0; i < holds.count && i < HOLDS_WARNED; i++) {
        struct text advice = listing_text(&holds.items[i], "status", "advice");
        struct err *err;

        if (job_text_answer(command, &holds.items[i]).length > 0) {
            continue; /* an operator has already approved or rejected this hold */
        }
        err = err_list_warn(&command->errors, (struct place){ 0 }, CODE_R0028,
                            "%.*s waits for %.*s: %.*s", TEXT_ARG(subject),
                            TEXT_ARG(listing_hold(command->arena, &holds.items[i])),
                            TEXT_ARG(job_text_fact(command, &holds.items[i])));
        err_hint(err, "%.*s", TEXT_ARG(advice));
    }
}
