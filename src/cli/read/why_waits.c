#include "cli/read/why_waits.h"

#include "cli/manager/follow.h"
#include "cli/manager/job_batches.h"
#include "cli/manager/job_text.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

#include <assert.h>

bool why_holds(struct command *command, const struct session *session, struct text cluster,
               struct text group, bool is_shown, struct doc *out)
{
    struct listing holds;
    struct doc *items;

    if (!job_text_holds_get(command, session, cluster, group, &holds)) {
        return false;
    }
    items = arena_array(command->arena, struct doc, holds.count + 1);
    for (size_t i = 0; i < holds.count; i++) {
        items[i] = job_text_hold_doc(command, &holds.items[i]);
        if (is_shown) {
            job_text_hold(command, &holds.items[i]);
        }
    }
    *out = doc_list(items, holds.count, NULL);
    return true;
}

/* ---- a job ---- */

/* Write the groups of a job: "web: 3 of 5 as wanted, 1 being created or starting". */
static void why_waits_groups_write(struct command *command, const struct doc *status)
{
    const struct doc *groups = doc_child(status, "groups");

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *group = &groups->items[i];
        bool moves = doc_child_number(group, "creating") + doc_child_number(group, "leaving") +
                         doc_child_number(group, "old") >
                     0;

        if (moves || doc_child_number(group, "ready") != doc_child_number(group, "wanted")) {
            buf_add_string(&command->out, "  ");
            glyph_write_text(&command->out, doc_child_text(group, "group"));
            buf_add_string(&command->out, ": ");
            job_text_counts(&command->out, group);
            buf_add_string(&command->out, "\n");
        }
    }
}

static void why_waits_problems_write(struct command *command, const struct doc *status,
                                     struct text cluster)
{
    const struct doc *problems = doc_child(status, "problems");

    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        const struct doc *problem = &problems->items[i];
        struct text name = doc_child_text(problem, "name");
        int64_t tries = doc_child_number(problem, "tries");

        buf_printf(&command->out, "  ! %.*s/%.*s  ", TEXT_ARG(cluster), TEXT_ARG(name));
        glyph_write_text(&command->out, doc_child_text(problem, "text"));
        buf_printf(&command->out, ", %lld time%s; %s why %.*s/%.*s\n", (long long)tries,
                   TEXT_PLURAL(tries), command->program, TEXT_ARG(cluster), TEXT_ARG(name));
        job_text_help(&command->out, problem);
    }
}

static const char *state_words(const struct doc *job)
{
    static const struct {
        const char *state;
        const char *words;
    } states[] = {
        { "done", "done: everything is as wanted" },
        { "superseded", "ended: superseded by a newer change" },
        { "running", "runs: no action is needed" },
        { "waiting", "waits: the job continues when the holds below are answered or end" },
        { "paused", "is paused: reeve resume, or reeve job resume, continues it" },
    };
    struct text state = doc_child_text(doc_child(job, "status"), "state");

    for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
        if (text_is(state, states[i].state)) {
            return states[i].words;
        }
    }
    return "is in a state that this version of reeve does not know";
}

/* Write a batch job: its progress, the reasons for which it waits, and its problems. */
static void batches_write(struct command *command, const struct doc *job, struct text cluster)
{
    const struct doc *status = doc_child(job, "status");

    buf_printf(&command->out,
               "job/%lld  %.*s  %.*s: ", (long long)doc_child_number(status, "revision"),
               TEXT_ARG(cluster), TEXT_ARG(doc_child_text(status, "state")));
    job_batches_text(&command->out, status);
    buf_add_string(&command->out, "\n");
    job_batches_waits(&command->out, status);
    job_batches_skipped(&command->out, status);
    why_waits_problems_write(command, status, cluster);
}

static void job_write(struct command *command, const struct doc *job, struct text cluster)
{
    const struct doc *status = doc_child(job, "status");

    if (job_batches_is(job)) {
        batches_write(command, job, cluster);
        return;
    }
    buf_printf(&command->out, "job/%lld  %.*s  %s\n",
               (long long)doc_child_number(status, "revision"), TEXT_ARG(cluster),
               state_words(job));
    if (job_text_is_ended(job)) {
        return;
    }
    why_waits_groups_write(command, status);
    why_waits_problems_write(command, status, cluster);
}

bool why_job(struct command *command, const struct session *session, uint64_t number, bool is_shown,
             struct doc *out)
{
    struct doc_builder builder;
    struct doc *items;
    struct doc jobs;

    assert(number > 0);
    if (!follow_get(command, session, number, &jobs)) {
        return false;
    }
    items = arena_array(command->arena, struct doc, jobs.item_count + 1);
    for (size_t i = 0; i < jobs.item_count; i++) {
        const struct doc *job = &jobs.items[i];
        struct text cluster = listing_text(job, "metadata", "cluster");
        struct doc holds = doc_list(NULL, 0, NULL);

        if (is_shown) {
            job_write(command, job, cluster);
        }
        if (!job_text_is_ended(job) && !job_batches_is(job) &&
            !why_holds(command, session, cluster, TEXT(""), is_shown, &holds)) {
            return false;
        }
        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "cluster", doc_text(cluster, NULL));
        doc_builder_put(&builder, "holds", holds);
        doc_builder_put(&builder, "job", doc_int(command->arena, (int64_t)number, NULL));
        doc_builder_put(&builder, "status", *doc_child(job, "status"));
        items[i] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "items", doc_list(items, jobs.item_count, NULL));
    *out = doc_builder_map(&builder, NULL);
    return true;
}

struct text why_role_words(struct arena *arena, const struct doc *machine)
{
    struct text role = doc_child_text(machine, "waitsForRole");

    return role.length == 0
               ? doc_child_text(machine, "waitsForNode")
               : arena_printf(arena, "a node in service with the role '%.*s'", TEXT_ARG(role));
}
