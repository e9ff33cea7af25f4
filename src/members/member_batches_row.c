#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "members/members.h"
#include "members/rollouts.h"
#include "selector/ranges.h"

#include <assert.h>
#include <string.h>

/* public names start with: members_ */

/* Formats the displayed state of a batch job: its row of the kind Job, in the form of
 * pass_jobs.c. */

struct writing {
    struct arena *arena;
    const struct member_batches *batches;
    struct doc_builder builder;
};

static struct doc member_batches_row_number(const struct writing *writing, uint64_t value)
{
    return doc_int(writing->arena, (int64_t)value, NULL);
}

static size_t member_batches_row_count_of(const struct writing *writing, enum bootstrap_mark mark)
{
    return bootstrap_batches_count(writing->batches->marks, writing->batches->request.count, mark);
}

static const struct member *member_batches_row_node_of(const struct writing *writing, size_t at)
{
    return map_find(&writing->batches->members->by_token, writing->batches->request.tokens[at]);
}

static int64_t member_batches_row_wall_ms(const struct writing *writing)
{
    const struct control *control = writing->batches->members->reconciler->control;

    return control->ports.wall_ms(control->ports.arg);
}

static bool is_bad(char mark)
{
    return mark == BOOTSTRAP_MARK_FAILED || mark == BOOTSTRAP_MARK_LOST;
}

/* ---- names ---- */

/* Puts the names of the machines with one of these marks, but at most `most` names. */
static void member_batches_row_names_put(struct writing *writing, const char *what,
                                         const char *marks, size_t most)
{
    const struct member_batches *batches = writing->batches;
    struct text *names = arena_array(writing->arena, struct text, most);
    size_t count = 0;
    size_t more = 0;

    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member = strchr(marks, batches->marks[i]) != NULL
                                          ? member_batches_row_node_of(writing, i)
                                          : NULL;

        if (member != NULL && count < most) {
            names[count++] = member->name;
        } else {
            more += member != NULL;
        }
    }
    batches_names_put(&writing->builder, what, names, count, more);
}

/* Puts the names of members that run their previous stages instead of the stages of this
 * rollout. */
static void reverted_put(struct writing *writing)
{
    const struct member_batches *batches = writing->batches;
    struct text *names = arena_array(writing->arena, struct text, batches->request.count + 1);
    size_t count = 0;

    for (size_t i = 0; batches_is_rollout(&batches->request) && i < batches->request.count; i++) {
        const struct member *member = batches->marks[i] == BOOTSTRAP_MARK_FAILED
                                          ? member_batches_row_node_of(writing, i)
                                          : NULL;

        if (member != NULL &&
            text_is_equal(member->state.reverted,
                          batches_chain(&batches->request, batches->request.tokens[i]))) {
            names[count++] = member->name;
        }
    }
    batches_names_put(&writing->builder, "reverted", names, count, 0);
}

/* True if the job has a problem with the machine: it failed, or it may not leave its group. */
static bool is_row_problem(const struct writing *writing, size_t at)
{
    const struct member_batches *batches = writing->batches;

    return is_bad(batches->marks[at]) ||
           batches_refusal(&batches->commands, batches->request.tokens[at]).length > 0;
}

/* True if a `drain` or `undrain` hook has failed on the machine, or could not be run. */
static bool has_blocker(const struct writing *writing, const struct member *member)
{
    return batches_is_drain(&writing->batches->request) &&
           text_is_equal(member->state.lifecycle.job, writing->batches->name);
}

/* True if the machine failed because of its verdict, and not because of a stage. */
static bool verdict_failed(const struct writing *writing, const struct member *member)
{
    return writing->batches->request.verb != BATCHES_VERB_BOOTSTRAP &&
           text_is_equal(member->state.verify_job, writing->batches->name);
}

static struct text verdict_words(struct arena *arena, const struct member *member)
{
    const struct node_verified *verified = &member->state.verified;
    struct text words = verified->verdict == NODE_VERDICT_UNKNOWN ? verified->why : verified->files;

    return record_sentence(
        arena,
        arena_printf(arena, "%s: %.*s", node_verdict_name(verified->verdict), TEXT_ARG(words)));
}

/* Make the problem of a machine. A machine that was unreachable has no failed stage. */
static struct doc problem_make(const struct writing *writing, const struct member *member,
                               char mark)
{
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "name", doc_text(member->name, NULL));
    if (writing->batches->request.verb == BATCHES_VERB_DECOMMISSION) {
        struct text refusal = batches_refusal(&writing->batches->commands, member->token);

        doc_builder_put(
            &builder, "text",
            doc_text(refusal.length > 0 ? refusal : member->state.cleanup_failure, NULL));
        doc_builder_put(&builder, "tries", member_batches_row_number(writing, 1));
    } else if (mark == BOOTSTRAP_MARK_FAILED && has_blocker(writing, member)) {
        doc_builder_put(&builder, "text", doc_text(member->state.lifecycle.blocker, NULL));
        doc_builder_put(&builder, "tries", member_batches_row_number(writing, 1));
    } else if (mark == BOOTSTRAP_MARK_FAILED && verdict_failed(writing, member)) {
        doc_builder_put(&builder, "text", doc_text(verdict_words(writing->arena, member), NULL));
        doc_builder_put(&builder, "tries", member_batches_row_number(writing, 1));
    } else if (mark == BOOTSTRAP_MARK_FAILED) {
        node_state_failure_put(&builder, &member->state);
    } else {
        const struct node_state *state = &member->state;
        struct text why = record_sentence(writing->arena, state->blocked_why);
        struct text hint = nodes_cause_hint(writing->arena, state->blocked,
                                            writing->batches->members->reconciler->cluster->name,
                                            member->name, member->way.user);

        if (hint.length > 0) {
            doc_builder_put(&builder, "hint", doc_text(hint, NULL));
        }
        doc_builder_put(
            &builder, "text",
            doc_text(arena_printf(writing->arena, "%s%s%.*s",
                                  member->is_unreachable ? "the machine could not be reached"
                                                         : "the stages could not be run",
                                  why.length > 0 ? ": " : "", TEXT_ARG(why)),
                     NULL));
        doc_builder_put(&builder, "tries", member_batches_row_number(writing, member->failures));
    }
    return doc_builder_map(&builder, NULL);
}

/* Finds the problem in the row as it was first reported. Later results of other jobs or commands do
 * not belong to this job. NULL: the problem is new. */
static const struct doc *problem_find(const struct writing *writing, const struct member *member,
                                      size_t at)
{
    const struct member_batches *batches = writing->batches;
    const struct doc *problems = doc_child(&batches->row, "problems");
    bool is_known =
        at < batches->written.marks.length && batches->written.marks.data[at] == batches->marks[at];

    for (size_t i = 0; is_known && doc_is_list(problems) && i < problems->item_count; i++) {
        const struct doc *name = doc_child(&problems->items[i], "name");

        if (doc_is_scalar(name) && text_is_equal(name->text, member->name)) {
            return &problems->items[i];
        }
    }
    return NULL;
}

static void problems_put(struct writing *writing)
{
    const struct member_batches *batches = writing->batches;
    struct doc *items = arena_array(writing->arena, struct doc, LIMIT_JOB_PROBLEMS);
    size_t count = 0;

    for (size_t i = 0; i < batches->request.count && count < LIMIT_JOB_PROBLEMS; i++) {
        const struct member *member =
            is_row_problem(writing, i) ? member_batches_row_node_of(writing, i) : NULL;

        const struct doc *known = member != NULL ? problem_find(writing, member, i) : NULL;

        if (member != NULL) {
            items[count++] =
                known != NULL ? *known : problem_make(writing, member, batches->marks[i]);
        }
    }
    doc_builder_put(&writing->builder, "problems", doc_list(items, count, NULL));
}

/* ---- progress ---- */

static void batch_put(struct writing *writing)
{
    const struct batches *request = &writing->batches->request;
    size_t batch = writing->batches->step.batch;
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "canary", doc_bool(batch < request->canaries, NULL));
    doc_builder_put(&builder, "count", member_batches_row_number(writing, request->batch_count));
    doc_builder_put(&builder, "number", member_batches_row_number(writing, batch + 1));
    doc_builder_put(
        &builder, "size",
        member_batches_row_number(writing, request->ends[batch] -
                                               (batch == 0 ? 0 : request->ends[batch - 1])));
    doc_builder_put(&writing->builder, "batch", doc_builder_map(&builder, NULL));
}

/* Puts the counts of machines. Counts that only jobs of changes use are 0 here. */
static void member_batches_row_machines_put(struct writing *writing)
{
    struct doc_builder builder;

    doc_builder_init(&builder, writing->arena);
    doc_builder_put(&builder, "creating", member_batches_row_number(writing, 0));
    doc_builder_put(&builder, "failed",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_FAILED) +
                                     member_batches_row_count_of(writing, BOOTSTRAP_MARK_LOST)));
    doc_builder_put(&builder, "gone",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_GONE)));
    doc_builder_put(&builder, "leaving", member_batches_row_number(writing, 0));
    doc_builder_put(&builder, "old", member_batches_row_number(writing, 0));
    doc_builder_put(&builder, "ready",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_DONE)));
    doc_builder_put(&builder, "skipped",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_SKIPPED)));
    doc_builder_put(&builder, "staging",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_BEGUN)));
    doc_builder_put(&builder, "waiting",
                    member_batches_row_number(
                        writing, member_batches_row_count_of(writing, BOOTSTRAP_MARK_WAITING)));
    doc_builder_put(&builder, "wanted",
                    member_batches_row_number(writing, writing->batches->request.count));
    doc_builder_put(&writing->builder, "machines", doc_builder_map(&builder, NULL));
}

/* True if the job has ended because another job replaces it: another rollout, or the job that
 * deletes the cluster. If the job had been stopped before, the reason of that stop is kept. */
static bool is_superseded(const struct writing *writing)
{
    const struct member_batches *batches = writing->batches;

    if (batches->is_superseded) {
        return batches->step.state == BOOTSTRAP_BATCHES_OVER;
    }
    return batches->step.state == BOOTSTRAP_BATCHES_OVER && batches->successor > 0 &&
           batches->step.cut == BOOTSTRAP_CUT_NONE &&
           (batches->is_damaged || member_batches_row_count_of(writing, BOOTSTRAP_MARK_GONE) > 0);
}

static void successor_put(struct writing *writing)
{
    if (is_superseded(writing) && writing->batches->successor > 0) {
        doc_builder_put(&writing->builder, "supersededBy",
                        doc_text(arena_printf(writing->arena, "job/%llu",
                                              (unsigned long long)writing->batches->successor),
                                 NULL));
    }
}

static const char *state_word(const struct writing *writing)
{
    switch (writing->batches->step.state) {
    case BOOTSTRAP_BATCHES_RUNNING:
        break;
    case BOOTSTRAP_BATCHES_RESTING:
        return "resting";
    case BOOTSTRAP_BATCHES_PAUSED:
        return "paused";
    case BOOTSTRAP_BATCHES_STOPPING:
        return "stopping";
    case BOOTSTRAP_BATCHES_HELD:
        return "held";
    case BOOTSTRAP_BATCHES_OVER:
        return is_superseded(writing)                                             ? "superseded"
               : member_batches_row_count_of(writing, BOOTSTRAP_MARK_SKIPPED) > 0 ? "stopped"
               : member_batches_row_count_of(writing, BOOTSTRAP_MARK_FAILED) +
                           member_batches_row_count_of(writing, BOOTSTRAP_MARK_LOST) >
                       0
                   ? "failed"
                   : "done";
    }
    return "running";
}

/* Puts the wall-clock time at which the job continues. It was computed when the pause began. */
static void until_put(struct writing *writing)
{
    const struct member_batches *batches = writing->batches;
    const struct doc *until = doc_child(&batches->row, "until");

    if (batches->step.state != BOOTSTRAP_BATCHES_RESTING) {
        return;
    }
    if (doc_is_scalar(until) && batches->written.rest_ms == batches->step.rest_ms) {
        doc_builder_put(&writing->builder, "until", *until);
        return;
    }
    doc_builder_put(&writing->builder, "until",
                    member_batches_row_number(
                        writing, (uint64_t)member_batches_row_wall_ms(writing) +
                                     batches->step.until_ms - members_now(batches->members)));
}

/* Puts the reasons why no more machines are started, and why started machines make no progress. */
static void waits_put(struct writing *writing)
{
    enum { PAUSE, HELD, BUDGET, CAUSE, SLOTS, COUNT };
    const struct member_batches *batches = writing->batches;
    struct doc *items = arena_array(writing->arena, struct doc, COUNT);
    struct text held = members_batches_held(batches);
    struct text waits[COUNT] = {
        [PAUSE] = batches->step.state == BOOTSTRAP_BATCHES_PAUSED
                      ? members_batches_pause(writing->arena, batches)
                      : TEXT(""),
        [HELD] = held.length == 0 ? held
                                  : arena_printf(writing->arena, "%.*s is paused", TEXT_ARG(held)),
        [SLOTS] = batches_is_rollout(&batches->request) ? rollout_waits(writing->arena, batches)
                  : batches_is_drain(&batches->request) ? drain_waits(writing->arena, batches)
                                                        : TEXT(""),
        [BUDGET] = members_budgets_waits(writing->arena, batches),
        [CAUSE] = members_causes_waits(writing->arena, batches),
    };
    size_t count = 0;

    for (size_t i = 0; i < COUNT; i++) {
        if (i == SLOTS && waits[BUDGET].length + waits[CAUSE].length > 0) {
            continue; /* the group has room */
        }
        if (waits[i].length > 0 && !(i == HELD && text_is_equal(waits[i], waits[PAUSE]))) {
            items[count++] = doc_text(waits[i], NULL);
        }
    }
    doc_builder_put(&writing->builder, "waits", doc_list(items, count, NULL));
}

static struct text approved_text(const struct member_batches *batches)
{
    return batches_has_approval(batches)
               ? (struct text){ batches->approved, batches->request.count }
               : TEXT("");
}

static void progress_put(struct writing *writing, uint64_t seen_ms)
{
    const struct member_batches *batches = writing->batches;

    batches_progress_put(&writing->builder, &(struct batches_progress){
                                                .request = batches->name,
                                                .marks = { batches->marks, batches->request.count },
                                                .rest_ms = batches->step.rest_ms,
                                                .deadline_ms = batches->deadline_ms,
                                                .seen_ms = seen_ms,
                                                .cut = batches->step.cut,
                                                .resumed = text_from(batches->resumed),
                                                .approved = approved_text(batches),
                                            });
}

static void begun_put(struct writing *writing)
{
    const struct doc *begun = doc_child(&writing->batches->row, "begun");

    doc_builder_put(&writing->builder, "begun",
                    doc_is_scalar(begun)
                        ? *begun
                        : doc_int(writing->arena, member_batches_row_wall_ms(writing), NULL));
}

static void member_batches_row_text_put(struct writing *writing, const char *name,
                                        struct text value)
{
    if (value.length > 0) {
        doc_builder_put(&writing->builder, name, doc_text(value, NULL));
    }
}

static void over_put(struct writing *writing)
{
    member_batches_row_text_put(writing, "cut",
                                text_from(batches_cut_word(writing->batches->step.cut)));
    if (writing->batches->step.state == BOOTSTRAP_BATCHES_OVER) {
        doc_builder_put(&writing->builder, "ended",
                        doc_int(writing->arena, member_batches_row_wall_ms(writing), NULL));
    }
}

/* ---- a request that cannot be parsed ---- */

static void kept_put(struct writing *writing, const char *name, struct doc otherwise)
{
    const struct doc *kept = doc_child(&writing->batches->row, name);

    if (doc_is_present(kept) || doc_is_present(&otherwise)) {
        doc_builder_put(&writing->builder, name, doc_is_present(kept) ? *kept : otherwise);
    }
}

static struct doc reason_make(const struct writing *writing)
{
    struct doc *item = arena_one(writing->arena, struct doc);
    bool is_over = writing->batches->step.state == BOOTSTRAP_BATCHES_OVER;

    *item = doc_text(TEXT("the stored request cannot be read (R0755)"), NULL);
    return doc_list(item, is_over ? 0 : 1, NULL);
}

/* Writes the row of a damaged job. The last known values are kept for a manager that can parse the
 * request. */
static void damaged_write(struct writing *writing)
{
    static const char *const kept[] = { "batch",       "by",           "failedMore",
                                        "failedNodes", "machines",     "progress",
                                        "skippedMore", "skippedNodes", "why" };
    const struct member_batches *batches = writing->batches;

    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        kept_put(writing, kept[i], (struct doc){ 0 });
    }
    begun_put(writing);
    kept_put(writing, "problems", doc_list(NULL, 0, NULL));
    if (!doc_is_present(doc_child(&batches->row, "progress"))) {
        member_batches_row_machines_put(writing);
        progress_put(writing, batches->written.seen_ms);
    }
    member_batches_row_text_put(writing, "state",
                                is_superseded(writing)                          ? TEXT("superseded")
                                : batches->step.state == BOOTSTRAP_BATCHES_OVER ? TEXT("stopped")
                                                                                : TEXT("damaged"));
    doc_builder_put(&writing->builder, "waits", reason_make(writing));
}

/* ---- the row ---- */

/* Puts how many machines have each verdict of this job. */
static void verdicts_put(struct writing *writing)
{
    const struct member_batches *batches = writing->batches;
    size_t counts[NODE_VERDICT_COUNT] = { 0 };
    struct doc_builder builder;

    if (batches->request.verb != BATCHES_VERB_VERIFY &&
        batches->request.verb != BATCHES_VERB_CORRECT) {
        return;
    }
    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member = member_batches_row_node_of(writing, i);

        if (member != NULL && text_is_equal(member->state.verify_job, batches->name)) {
            counts[member->state.verified.verdict]++;
        }
    }
    doc_builder_init(&builder, writing->arena);
    for (enum node_verdict verdict = NODE_VERDICT_NONE + 1; verdict < NODE_VERDICT_COUNT;
         verdict++) {
        doc_builder_put(&builder, node_verdict_name(verdict),
                        member_batches_row_number(writing, counts[verdict]));
    }
    doc_builder_put(&writing->builder, "verdicts", doc_builder_map(&builder, NULL));
}

static void requested_write(struct writing *writing, uint64_t seen_ms)
{
    const struct member_batches *batches = writing->batches;

    batch_put(writing);
    begun_put(writing);
    member_batches_row_text_put(writing, "by", batches->request.by);
    member_batches_row_names_put(writing, "failed",
                                 (const char[]){ BOOTSTRAP_MARK_FAILED, BOOTSTRAP_MARK_LOST, '\0' },
                                 batches->request.count);
    member_batches_row_machines_put(writing);
    progress_put(writing, seen_ms);
    reverted_put(writing);
    member_batches_row_names_put(writing, "skipped", (const char[]){ BOOTSTRAP_MARK_SKIPPED, '\0' },
                                 LIMIT_JOB_NAMES);
    member_batches_row_text_put(writing, "state", text_from(state_word(writing)));
    problems_put(writing);
    until_put(writing);
    verdicts_put(writing);
    waits_put(writing);
    member_batches_row_text_put(writing, "why", batches->request.why);
}

struct text members_batches_row(struct arena *arena, const struct member_batches *batches,
                                uint64_t seen_ms)
{
    struct writing writing = { .arena = arena, .batches = batches };
    struct doc_builder *builder = &writing.builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(builder, arena);
    if (batches->is_damaged) {
        damaged_write(&writing);
    } else {
        requested_write(&writing, seen_ms);
    }
    member_batches_row_text_put(&writing, "cluster", batches->members->reconciler->cluster->name);
    over_put(&writing);
    doc_builder_put(builder, "groups", doc_list(NULL, 0, NULL));
    doc_builder_put(builder, "revision", member_batches_row_number(&writing, batches->number));
    successor_put(&writing);
    member_batches_row_text_put(&writing, "group", batches->request.group);
    doc_builder_put(builder, BATCHES_VERB,
                    doc_text(text_from(batches_verb_name(&batches->request)), NULL));
    doc = doc_builder_map(builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}
