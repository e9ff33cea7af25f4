#include "cli/change/job_subjects.h"

#include "cli/manager/job_text.h"
#include "codec/doc_child.h"

#include <string.h>

/* True if the job has unfinished work in this group. */
static bool is_open(const struct doc *group)
{
    static const char *const left[] = { "old",      "creating", "leaving",
                                        "outdated", "failed",   "staging" };
    const char *done = doc_child(group, "updated") != NULL ? "updated" : "ready";
    int64_t count = doc_child_number(group, "wanted") - doc_child_number(group, done);

    for (size_t i = 0; i < ARRAY_COUNT(left) && count <= 0; i++) {
        count = doc_child_number(group, left[i]);
    }
    return count > 0;
}

static void job_subjects_add(struct job_subjects *subjects, struct text name)
{
    size_t i = 0;

    while (i < subjects->count && !text_is_equal(subjects->names[i], name)) {
        i++;
    }
    if (i == subjects->count) {
        subjects->names[subjects->count++] = name;
    }
}

/* Find the groups of a job with unfinished work. A cancel skips groups with only reboots left,
 * because reboots need no pause. Returns whether any group was found. */
static bool open_find(struct command *command, struct text cluster, const struct doc *groups,
                      bool is_cancel, struct job_subjects *out)
{
    bool is_any_rebooted = false;

    if (!doc_is_list(groups)) {
        return false;
    }
    out->names = arena_array(command->arena, struct text, groups->item_count + 1);
    for (size_t i = 0; i < groups->item_count; i++) {
        bool is_rebooted = is_cancel && job_reboots_only(&groups->items[i]);

        is_any_rebooted = is_any_rebooted || is_rebooted;
        if (is_open(&groups->items[i]) && !is_rebooted) {
            job_subjects_add(out,
                             arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                          TEXT_ARG(doc_child_text(&groups->items[i], "group"))));
        }
    }
    return is_any_rebooted;
}

static bool paused_find(struct command *command, const struct session *session, struct text cluster,
                        struct job_subjects *out)
{
    struct listing holds;
    size_t most = 0;

    if (!job_text_holds_get(command, session, cluster, TEXT(""), &holds)) {
        return false;
    }
    for (size_t i = 0; i < holds.count; i++) {
        const struct doc *pauses = doc_child(doc_child(&holds.items[i], "status"), "pauses");

        most += doc_is_list(pauses) ? pauses->item_count : 0;
    }
    out->names = arena_array(command->arena, struct text, most + 1);
    for (size_t i = 0; i < holds.count; i++) {
        const struct doc *pauses = doc_child(doc_child(&holds.items[i], "status"), "pauses");

        for (size_t j = 0; doc_is_list(pauses) && j < pauses->item_count; j++) {
            job_subjects_add(out, doc_child_text(&pauses->items[j], "of"));
        }
    }
    return true;
}

bool job_subjects_find(struct command *command, const struct session *session, const char *verb,
                       const struct doc *job, struct job_subjects *out)
{
    struct text cluster = doc_child_text(doc_child(job, "metadata"), "cluster");
    bool is_any_rebooted = false;

    *out = (struct job_subjects){ 0 };
    if (strcmp(verb, "cancel") == 0 || strcmp(verb, "pause") == 0) {
        is_any_rebooted = open_find(command, cluster, doc_child(doc_child(job, "status"), "groups"),
                                    strcmp(verb, "cancel") == 0, out);
    } else if (strcmp(verb, "resume") == 0 && !paused_find(command, session, cluster, out)) {
        return false;
    }
    if (out->count == 0 && !is_any_rebooted) {
        out->names = arena_array(command->arena, struct text, 1);
        out->names[out->count++] = cluster;
        out->is_whole = true;
    }
    return true;
}
