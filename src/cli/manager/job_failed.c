#include "cli/manager/job_failed.h"

#include "cli/manager/job_batches.h"
#include "cli/manager/nodes.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"

static const struct doc *job_failed_status_of(const struct doc *job)
{
    return doc_child(job, "status");
}

static const struct doc *problems_of(const struct doc *job)
{
    static const struct doc none = { 0 };
    const struct doc *problems = doc_child(job_failed_status_of(job), "problems");

    return doc_is_list(problems) ? problems : &none;
}

static struct text job_failed_cluster_of(const struct doc *job)
{
    return doc_child_text(doc_child(job, "metadata"), "cluster");
}

static int64_t job_failed_count_of(const struct doc *job, const char *what)
{
    return doc_child_number(doc_child(doc_child(job, "status"), "machines"), what);
}

void job_failed_write(struct command *command, const struct doc *problem)
{
    buf_printf(&command->notes, "  ! %.*s  ", TEXT_ARG(doc_child_text(problem, "name")));
    glyph_write_text(&command->notes, nodes_failure(command, doc_child(problem, "node")));
    buf_add_string(&command->notes, "\n");
}

/* ---- lines ---- */

static bool report_once(struct job_failed *failed, uint64_t hash)
{
    size_t known = failed->count < JOB_FAILED_SHOWN ? failed->count : JOB_FAILED_SHOWN;

    for (size_t i = 0; i < known; i++) {
        if (failed->reported[i] == hash) {
            return false;
        }
    }
    failed->reported[failed->count++ % JOB_FAILED_SHOWN] = hash;
    return true;
}

/* Write the output of a program as one word in a line of fields. */
static void quoted_write(struct command *command, struct text words)
{
    struct doc doc = doc_text(words, NULL);
    struct buf quoted;

    buf_init(&quoted, command->arena);
    json_format(&quoted, &doc);
    glyph_write_text(&command->notes, buf_text(&quoted));
}

static void job_failed_line_write(struct command *command, struct text cluster,
                                  const struct doc *problem)
{
    const struct doc *step = doc_child(problem, "node");
    struct text name = doc_child_text(problem, "name");
    long long number = (long long)doc_child_number(step, "number");
    long long attempt = (long long)doc_child_number(step, "attempt");

    buf_printf(&command->notes,
               "node=%.*s event=failed stage=%lld name=%.*s exit=%lld attempt=%lld error=",
               TEXT_ARG(name), number, TEXT_ARG(doc_child_text(step, "stage")),
               (long long)doc_child_number(step, "code"), attempt);
    quoted_write(command, doc_child_text(step, "why"));
    buf_printf(&command->notes, " log=\"reeve logs %.*s/%.*s --stage %lld --attempt %lld\"\n",
               TEXT_ARG(cluster), TEXT_ARG(name), number, attempt);
}

void job_failed_lines(struct job_failed *failed, struct command *command, const struct doc *job,
                      uint64_t number, const char *time)
{
    const struct doc *problems = problems_of(job);
    struct text cluster = job_failed_cluster_of(job);

    for (size_t i = 0; i < problems->item_count; i++) {
        const struct doc *step = doc_child(&problems->items[i], "node");
        uint64_t hash = text_hash(doc_child_text(&problems->items[i], "name"),
                                  text_hash(cluster, (uint64_t)doc_child_moment(step, "since")));

        if (doc_is_map(step) && report_once(failed, hash)) {
            buf_printf(&command->notes, "%s job=%llu cluster=%.*s ", time,
                       (unsigned long long)number, TEXT_ARG(cluster));
            job_failed_line_write(command, cluster, &problems->items[i]);
        }
    }
}

/* ---- the end ---- */

/* Return the first failure of all jobs, for the error message. */
static const struct doc *first_find(const struct doc *jobs, struct text *out_cluster)
{
    for (size_t i = 0; i < jobs->item_count; i++) {
        const struct doc *problems = problems_of(&jobs->items[i]);

        for (size_t j = 0; j < problems->item_count; j++) {
            if (doc_is_map(doc_child(&problems->items[j], "node"))) {
                *out_cluster = job_failed_cluster_of(&jobs->items[i]);
                return &problems->items[j];
            }
        }
    }
    return NULL;
}

/* Write the other failures that the job lists, unless a picture shows them. Failures that the job
 * does not list are only counted. */
static void others_write(struct command *command, const struct doc *jobs, const struct doc *first,
                         int64_t failed)
{
    int64_t shown = 1;

    for (size_t i = 0; i < jobs->item_count; i++) {
        const struct doc *problems = problems_of(&jobs->items[i]);

        for (size_t j = 0; j < problems->item_count; j++) {
            if (&problems->items[j] == first ||
                !doc_is_map(doc_child(&problems->items[j], "node"))) {
                continue;
            }
            if (!command->error_style.is_drawn) {
                job_failed_write(command, &problems->items[j]);
            }
            shown++;
        }
    }
    if (failed > shown) {
        buf_printf(&command->notes, "  ... and %lld more; reeve tree shows all\n",
                   (long long)(failed - shown));
    }
}

/* Return the command that retries the failed machines. */
static struct text again_words(struct command *command, const struct doc *jobs, uint64_t number)
{
    if (jobs->item_count > 0 &&
        text_is(doc_child_text(doc_child(&jobs->items[0], "status"), "verb"), "decommission")) {
        return TEXT("reeve discover; a cleanup that is pending is made again by reeve itself");
    }
    return arena_printf(command->arena,
                        jobs->item_count > 0 && job_batches_is(&jobs->items[0])
                            ? "reeve bootstrap run --failed-of %llu"
                            : "reeve job retry %llu --failed",
                        (unsigned long long)number);
}

/* Return the error code of the first failure. A failed playbook has the code for configurations. */
static enum code code_of(const struct doc *first)
{
    return first != NULL && text_is(doc_child_text(doc_child(first, "node"), "stage"), "configure")
               ? CODE_R0830
               : CODE_R0810;
}

void job_failed_end(struct command *command, const struct doc *jobs, uint64_t number)
{
    struct text again = again_words(command, jobs, number);
    const struct doc *first;
    struct text cluster = TEXT("");
    int64_t failed = 0;
    int64_t wanted = 0;
    struct err *err;

    for (size_t i = 0; i < jobs->item_count; i++) {
        failed += job_failed_count_of(&jobs->items[i], "failed");
        wanted += job_failed_count_of(&jobs->items[i], "wanted");
    }
    first = first_find(jobs, &cluster);
    err = err_list_set(&command->errors, (struct place){ 0 }, code_of(first),
                       "%lld of %lld node%s failed", (long long)failed, (long long)wanted,
                       wanted == 1 ? "" : "s");
    if (first == NULL) { /* other problems of the job come before the first failed machine */
        err_hint(err, "reeve tree shows them; %.*s", TEXT_ARG(again));
        return;
    }
    if (failed > 1) {
        others_write(command, jobs, first, failed);
    }
    err_note(err, "%.*s/%.*s: %.*s", TEXT_ARG(cluster), TEXT_ARG(doc_child_text(first, "name")),
             TEXT_ARG(nodes_failure(command, doc_child(first, "node"))));
    err_hint(err, "reeve logs %.*s/%.*s --stage %lld; then %.*s", TEXT_ARG(cluster),
             TEXT_ARG(doc_child_text(first, "name")),
             (long long)doc_child_number(doc_child(first, "node"), "number"), TEXT_ARG(again));
}

/* ---- returned machines ---- */

/* Return the state of the machines after the job: "cleaned up, unallocated again", or that a
 * cleanup is pending. */
static struct text returned_state(struct command *command, const struct session *session,
                                  const struct doc *jobs)
{
    struct err_list before = command->errors;
    const struct doc *items;
    size_t pending = 0;
    struct doc rows;

    if (!session_get(command, session, TEXT("/v1/nodes?discovered=1"), &rows)) {
        /* this is not an error: only a detail of the message is missing */
        command->errors = before;
        return TEXT("unallocated again");
    }
    items = doc_child(&rows, "items");
    for (size_t i = 0; i < jobs->item_count; i++) {
        const struct doc *returned = doc_child(job_failed_status_of(&jobs->items[i]), "returned");

        for (size_t j = 0; doc_is_list(returned) && j < returned->item_count; j++) {
            struct text id = doc_child_text(&returned->items[j], "machine");

            for (size_t k = 0; doc_is_list(items) && k < items->item_count; k++) {
                pending += text_is_equal(doc_child_text(&items->items[k], "id"), id) &&
                           doc_child(&items->items[k], "cleanupPending") != NULL;
            }
        }
    }
    return pending == 0
               ? TEXT("cleaned up, unallocated again")
               : arena_printf(command->arena, "unallocated again, cleanup pending on %zu (R0831)",
                              pending);
}

/* Add ", size of workers 39" for each group that has lost a machine. */
static void returned_sizes_write(struct buf *out, const struct doc *job)
{
    const struct doc *groups = doc_child(job_failed_status_of(job), "groups");
    const struct doc *returned = doc_child(job_failed_status_of(job), "returned");

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        struct text group = doc_child_text(&groups->items[i], "group");

        for (size_t j = 0; doc_is_list(returned) && j < returned->item_count; j++) {
            if (text_is_equal(doc_child_text(&returned->items[j], "group"), group)) {
                buf_printf(out, ", size of %.*s %lld", TEXT_ARG(group),
                           (long long)doc_child_number(&groups->items[i], "wanted"));
                break;
            }
        }
    }
}

enum exit_code job_failed_returned(struct command *command, const struct session *session,
                                   const struct doc *jobs, uint64_t number)
{
    struct text state = returned_state(command, session, jobs);
    struct text cluster = TEXT("");
    const struct doc *first = first_find(jobs, &cluster);
    int64_t failed = 0;
    int64_t wanted = 0;
    struct buf sizes;
    struct err *err;

    buf_init(&sizes, command->arena);
    for (size_t i = 0; i < jobs->item_count; i++) {
        failed += job_failed_count_of(&jobs->items[i], "failed");
        wanted += job_failed_count_of(&jobs->items[i], "wanted") +
                  (int64_t)doc_child_count(job_failed_status_of(&jobs->items[i]), "returned");
        returned_sizes_write(&sizes, &jobs->items[i]);
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0830,
                       "%lld of %lld node%s failed; %.*s%.*s", (long long)failed, (long long)wanted,
                       wanted == 1 ? "" : "s", TEXT_ARG(state), TEXT_ARG(buf_text(&sizes)));
    if (first != NULL) {
        if (failed > 1) {
            others_write(command, jobs, first, failed);
        }
        err_note(err, "%.*s/%.*s: %.*s", TEXT_ARG(cluster), TEXT_ARG(doc_child_text(first, "name")),
                 TEXT_ARG(nodes_failure(command, doc_child(first, "node"))));
    }
    err_hint(err, "reeve job retry %llu --failed commissions them again",
             (unsigned long long)number);
    return failed < wanted ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}
