/* reeve status: shows on one screen the manager, its clusters, the last events, and useful next
 * commands. */
#include "base/sort.h"
#include "cli/args/when.h"
#include "cli/change/plan_writer.h"
#include "cli/manager/job_batches.h"
#include "cli/manager/job_text.h"
#include "cli/manager/listing.h"
#include "cli/manager/live.h"
#include "cli/manager/managers.h"
#include "cli/manager/nodes.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"
#include "selector/ranges.h"

#include <string.h>

/* Maximum number of lines for clusters and changes on a screen. */
#define STATUS_CLUSTERS 12

#define STATUS_CHANGES 5

/* Maximum number of lines of nodes that need attention, and of such nodes that are read in each
 * cluster. */
enum { STATUS_PROBLEMS_MAX = 24, STATUS_NODES = 2000 };

/* Maximum width of the names of the nodes in one line; further names are counted. */
enum { STATUS_NAMES_COLUMNS = 60 };

/* Displayed states and other conditions of nodes that need attention. */
#define STATUS_PROBLEMS "refused,failed,unhealthy,unreachable,blocked"

struct problem;

struct status {
    struct command *command;
    struct session session;
    struct doc who;
    struct listing clusters;
    struct listing holds;
    struct listing jobs;      /* running jobs, the newest first */
    struct problem *problems; /* nodes that need attention */
    size_t problem_count;
    struct doc cleanups; /* machines of the inventory whose cleanup is pending, as a list */
    bool has_more_problems;
    struct text notice;  /* reason why the manager accepts no changes; empty: it accepts changes */
    struct doc managers; /* the managers, in the format of managers_get; empty: unknown */
};

static int revision_compare(const void *a, const void *b, void *arg)
{
    int64_t left = doc_child_number(doc_child(a, "status"), "revision");
    int64_t right = doc_child_number(doc_child(b, "status"), "revision");

    (void)arg;
    return left > right ? -1 : left < right;
}

/* Get the running jobs. Ended jobs are listed by reeve get jobs. */
static bool jobs_get(struct status *status)
{
    struct command *command = status->command;
    struct listing *jobs = &status->jobs;
    size_t open = 0;

    if (!listing_get(command, &status->session, schema_kind_find(TEXT("Job")), TEXT(""), jobs)) {
        return false;
    }
    for (size_t i = 0; i < jobs->count; i++) {
        if (!job_text_is_ended(&jobs->items[i])) {
            jobs->items[open++] = jobs->items[i];
        }
    }
    jobs->count = open;
    sort_stable(command->arena, jobs->items, jobs->count, sizeof(*jobs->items), revision_compare,
                NULL);
    return true;
}

static bool all_problems_get(struct status *status);

/* Get the machines of the inventory whose cleanup is pending (I30). For a user without the right to
 * see them, the list is empty. */
static void cleanups_get(struct status *status)
{
    struct command *command = status->command;
    struct err_list before = command->errors;
    struct doc answer;

    if (session_get(command, &status->session,
                    TEXT("/v1/nodes?discovered=1&condition=cleanupPending"), &answer) &&
        doc_is_list(doc_child(&answer, "items"))) {
        status->cleanups = *doc_child(&answer, "items");
    } else {
        command->errors = before;
        status->cleanups = doc_list(NULL, 0, NULL);
    }
}

static bool status_facts_get(struct status *status)
{
    struct command *command = status->command;

    if (!session_problem(command, &status->session, &status->notice) ||
        !session_get(command, &status->session, TEXT("/v1/whoami"), &status->who) ||
        !managers_get(command, &status->session, TEXT(""), &status->managers) ||
        !listing_get(command, &status->session, schema_kind_find(TEXT("Cluster")), TEXT(""),
                     &status->clusters) ||
        !listing_get(command, &status->session, schema_kind_find(TEXT("Hold")), TEXT(""),
                     &status->holds)) {
        return false;
    }
    cleanups_get(status);
    return all_problems_get(status) && jobs_get(status);
}

static void manager_write(struct status *status)
{
    struct command *command = status->command;

    buf_printf(&command->out, "%.*s, user %.*s (%.*s)\n",
               TEXT_ARG(session_words(command, &status->session)),
               TEXT_ARG(doc_child_text(&status->who, "user")),
               TEXT_ARG(doc_child_text(&status->who, "role")));
    buf_printf(&command->out, "manager   %.*s at %.*s, revision %llu\n",
               TEXT_ARG(doc_child_text(&status->who, "version")),
               TEXT_ARG(status->session.client.address.url),
               (unsigned long long)status->clusters.revision);
    if (managers_summary(command, &status->managers).length > 0) {
        buf_printf(&command->out, "          %.*s\n",
                   TEXT_ARG(managers_summary(command, &status->managers)));
    }
}

/* Write the reason why the manager carries out no changes at present. */
static void notice_write(struct status *status)
{
    struct command *command = status->command;

    if (status->notice.length > 0) {
        buf_add_string(&command->out, "  ! ");
        glyph_write_text(&command->out, status->notice);
        buf_add_string(&command->out, "\n");
    }
}

/* Return the counts of the cluster's machines by displayed state. */
static const struct doc *status_counts_of(const struct doc *cluster)
{
    return doc_child(doc_child(cluster, "status"), "machines");
}

/* Write alarms about unexpected host keys: another host may intercept the connection, and only an
 * operator can decide. */
static void alarms_write(struct command *command, const struct doc *cluster, struct text name)
{
    int64_t alarms = doc_child_number(doc_child(cluster, "status"), "alarms");

    if (alarms > 0) {
        buf_printf(&command->out,
                   "  ! %lld machine%s of %.*s show%s another host key: %s tree %.*s\n",
                   (long long)alarms, TEXT_PLURAL(alarms), TEXT_ARG(name), alarms == 1 ? "s" : "",
                   command->program, TEXT_ARG(name));
    }
}

/* Write the holds, those that wait for an operator first. */
static void status_holds_write(struct status *status)
{
    struct command *command = status->command;
    size_t answered = 0;

    if (status->holds.count == 0) {
        return;
    }
    for (size_t i = 0; i < status->holds.count; i++) {
        answered += job_text_answer(command, &status->holds.items[i]).length > 0;
    }
    buf_printf(&command->out, "holds     %zu", status->holds.count);
    if (answered > 0) {
        buf_printf(&command->out, ", %zu of them answered", answered);
    }
    buf_add_string(&command->out, "\n");
    for (size_t i = 0; i < status->holds.count && i < STATUS_CLUSTERS; i++) {
        job_text_hold(command, &status->holds.items[i]);
    }
    if (status->holds.count > STATUS_CLUSTERS) {
        buf_printf(&command->out, "  ... and %zu more: reeve get holds\n",
                   status->holds.count - STATUS_CLUSTERS);
    }
}

/* Nodes of one group that are in the same state for the same cause. */
struct problem {
    const struct doc *first;
    struct text key;
    struct text since;   /* the earliest start */
    struct text next_at; /* the earliest next time */
    struct text *names;  /* names of all these nodes */
    size_t count;
    size_t room;
};

/* Return a key from the state and the cause without the node's name. Nodes with the same key are
 * printed as one line. */
static struct text status_problem_key(struct command *command, const struct doc *node)
{
    const struct doc *problem = doc_child(doc_child(node, "status"), "problem");
    struct text name = listing_text(node, "metadata", "name");
    struct text cause = doc_child_text(problem, "cause");
    const char *at =
        name.length == 0 ? NULL : memmem(cause.data, cause.length, name.data, name.length);
    size_t before = at == NULL ? cause.length : (size_t)(at - cause.data);

    return arena_printf(
        command->arena, "%.*s/%.*s %.*s %d%d %.*s|%.*s",
        TEXT_ARG(listing_text(node, "metadata", "cluster")),
        TEXT_ARG(listing_text(node, "metadata", "group")),
        TEXT_ARG(listing_text(node, "status", "state")), nodes_is_outdated(node),
        text_is(listing_text(node, "status", "blocked"), "true"),
        TEXT_ARG(text_slice(cause, 0, before)),
        TEXT_ARG(at == NULL ? TEXT("") : text_slice(cause, before + name.length, SIZE_MAX)));
}

static struct text status_earlier(struct text a, struct text b)
{
    return a.length == 0 || (b.length > 0 && text_compare(b, a) < 0) ? b : a;
}

static void status_name_add(struct arena *arena, struct problem *problem, struct text name)
{
    if (problem->count == problem->room) {
        size_t room = problem->room == 0 ? 4 : 2 * problem->room;
        struct text *names = arena_array(arena, struct text, room);

        for (size_t i = 0; i < problem->count; i++) {
            names[i] = problem->names[i];
        }
        problem->names = names;
        problem->room = room;
    }
    problem->names[problem->count++] = name;
}

static void status_problem_add(struct status *status, const struct doc *node)
{
    const struct doc *problem = doc_child(doc_child(node, "status"), "problem");
    struct text key = status_problem_key(status->command, node);
    struct problem *found = NULL;

    for (size_t i = 0; i < status->problem_count && found == NULL; i++) {
        found = text_is_equal(status->problems[i].key, key) ? &status->problems[i] : NULL;
    }
    if (found == NULL && status->problem_count == STATUS_PROBLEMS_MAX) {
        status->has_more_problems = true;
        return;
    }
    if (found == NULL) {
        found = &status->problems[status->problem_count++];
        *found = (struct problem){ .first = node, .key = key };
    }
    status_name_add(status->command->arena, found, listing_text(node, "metadata", "name"));
    found->since = status_earlier(found->since, doc_child_text(problem, "since"));
    found->next_at = status_earlier(found->next_at, doc_child_text(problem, "nextAt"));
}

static int status_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Format names as ranges: "web-[1-40,45]". */
static struct text names_format(struct command *command, const struct problem *problem)
{
    struct buf buf;

    sort_stable(command->arena, problem->names, problem->count, sizeof(*problem->names),
                status_name_compare, NULL);
    buf_init(&buf, command->arena);
    ranges_format(&buf, problem->names, problem->count);
    return buf_text(&buf);
}

/* Write names with their number: "web-[1-40,45] (41)". If not all names fit on the line, only the
 * first names are written. */
static void status_names_write(struct command *command, const struct problem *problem)
{
    struct text all = names_format(command, problem);
    size_t open = SIZE_MAX;
    size_t cut = 0;

    if (glyph_text_columns(all) <= STATUS_NAMES_COLUMNS) {
        glyph_write_text(&command->out, all);
    } else {
        for (size_t i = 0; i < STATUS_NAMES_COLUMNS; i++) {
            cut = all.data[i] == ',' ? i : cut;
        }
        all = text_slice(all, 0, cut == 0 ? STATUS_NAMES_COLUMNS : cut);
        for (size_t i = 0; i < all.length; i++) {
            open = all.data[i] == '[' ? i : all.data[i] == ']' ? SIZE_MAX : open;
        }
        glyph_write_text(&command->out, all);
        buf_add_string(&command->out, open == SIZE_MAX ? ",..." : ",...]");
    }
    if (problem->count > 1) {
        buf_printf(&command->out, " (%zu)", problem->count);
    }
}

/* Write the state of the nodes, since when, the cause, and the next step. */
static void status_problem_write(struct command *command, const struct problem *one)
{
    const struct doc *node = one->first;
    const struct doc *problem = doc_child(doc_child(node, "status"), "problem");
    struct text hint = doc_child_text(problem, "hint");
    struct text cluster = listing_text(node, "metadata", "cluster");
    bool is_blocked = text_is(listing_text(node, "status", "blocked"), "true");

    buf_add_string(&command->out, "  ! ");
    glyph_write_text(&command->out, cluster);
    buf_add_string(&command->out, "/");
    status_names_write(command, one);
    buf_printf(&command->out, "  %.*s%s%s", TEXT_ARG(listing_text(node, "status", "state")),
               is_blocked ? ", blocked" : "", nodes_is_outdated(node) ? ", outdated" : "");
    if (one->since.length > 0) {
        buf_printf(&command->out, ", since %.*s", TEXT_ARG(when_format(command, one->since)));
    }
    buf_add_string(&command->out, ": ");
    glyph_write_text(&command->out, doc_child_text(problem, "cause"));
    buf_printf(&command->out, "\n      next: %.*s%s%.*s\n",
               TEXT_ARG(doc_child_text(problem, "next")), one->next_at.length > 0 ? ", at " : "",
               TEXT_ARG(one->next_at));
    if (hint.length > 0) {
        buf_add_string(&command->out, "      hint: ");
        glyph_write_text(&command->out, hint);
        buf_add_string(&command->out, "\n");
    }
}

static int64_t problem_count(const struct doc *cluster)
{
    const struct doc *counts = status_counts_of(cluster);

    return doc_child_number(counts, "failed") + doc_child_number(counts, "unhealthy") +
           doc_child_number(counts, "unreachable") + doc_child_number(counts, "creating") +
           doc_child_number(counts, "blocked");
}

/* Get the nodes of a cluster that need attention. */
static bool problems_get(struct status *status, struct text cluster)
{
    struct command *command = status->command;
    const struct doc *items;
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_printf(&path, "/v1/nodes?limit=%d&state=" STATUS_PROBLEMS "&cluster=", STATUS_NODES);
    client_path_add(&path, cluster);
    if (!session_get(command, &status->session, buf_text(&path), &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        status_problem_add(status, &items->items[i]);
    }
    status->has_more_problems |= doc_is_present(doc_child(&answer, "next"));
    return true;
}

static bool all_problems_get(struct status *status)
{
    struct command *command = status->command;

    status->problems = arena_array(command->arena, struct problem, STATUS_PROBLEMS_MAX);
    status->problem_count = 0;
    status->has_more_problems = false;
    for (size_t i = 0; i < status->clusters.count && status->problem_count < STATUS_PROBLEMS_MAX;
         i++) {
        const struct doc *cluster = &status->clusters.items[i];

        if (problem_count(cluster) > 0 &&
            !problems_get(status, listing_name(command->arena, cluster))) {
            return false;
        }
    }
    return true;
}

static void status_problems_write(struct status *status)
{
    struct command *command = status->command;

    if (status->problem_count == 0) {
        return;
    }
    buf_add_string(&command->out, "nodes that need attention\n");
    for (size_t i = 0; i < status->problem_count; i++) {
        status_problem_write(command, &status->problems[i]);
    }
    if (status->has_more_problems) {
        buf_add_string(&command->out,
                       "  ... reeve get nodes --state " STATUS_PROBLEMS " lists all\n");
    }
}

static void cleanups_write(struct status *status)
{
    struct command *command = status->command;

    if (status->cleanups.item_count == 0) {
        return;
    }
    buf_printf(&command->out, "cleanup pending  %zu (R0831): reeve discover\n",
               status->cleanups.item_count);
    for (size_t i = 0; i < status->cleanups.item_count && i < STATUS_CLUSTERS; i++) {
        const struct doc *row = &status->cleanups.items[i];
        const struct doc *pending = doc_child(row, "cleanupPending");

        buf_add_string(&command->out, "  ! ");
        glyph_write_text(&command->out, doc_child_text(row, "name"));
        buf_printf(&command->out, ", was %.*s/%.*s", TEXT_ARG(doc_child_text(pending, "name")),
                   TEXT_ARG(doc_child_text(pending, "member")));
        for (size_t j = 0; j < doc_child_count(row, "conditions"); j++) {
            const struct doc *condition = &doc_child(row, "conditions")->items[j];

            if (text_is(doc_child_text(condition, "type"), "cleanupPending")) {
                buf_add_string(&command->out, ": ");
                glyph_write_text(&command->out, doc_child_text(condition, "reason"));
            }
        }
        buf_add_string(&command->out, "\n");
    }
}

static void status_clusters_write(struct status *status)
{
    struct command *command = status->command;
    size_t columns = 0;

    buf_printf(&command->out, "clusters  %zu\n", status->clusters.count);
    for (size_t i = 0; i < status->clusters.count && i < STATUS_CLUSTERS; i++) {
        columns = glyph_widest(columns, listing_name(command->arena, &status->clusters.items[i]),
                               PLAN_PATH_COLUMNS);
    }
    for (size_t i = 0; i < status->clusters.count && i < STATUS_CLUSTERS; i++) {
        struct text name = listing_name(command->arena, &status->clusters.items[i]);
        const struct doc *meta = doc_child(&status->clusters.items[i], "metadata");
        int64_t groups = doc_child_number(meta, "groups");
        int64_t nodes = doc_child_number(meta, "nodes");
        size_t used = glyph_text_columns(name);

        buf_add_string(&command->out, "  ");
        glyph_write_text(&command->out, name);
        buf_add_bytes(&command->out, ' ', used < columns ? columns - used : 0);
        buf_printf(&command->out, "  %lld group%s, %lld node%s wanted, ", (long long)groups,
                   TEXT_PLURAL(groups), (long long)nodes, TEXT_PLURAL(nodes));
        nodes_counts_write(&command->out, status_counts_of(&status->clusters.items[i]), nodes);
        buf_add_string(&command->out, "\n");
        alarms_write(command, &status->clusters.items[i], name);
    }
    if (status->clusters.count > STATUS_CLUSTERS) {
        buf_printf(&command->out, "  ... and %zu more: reeve get clusters\n",
                   status->clusters.count - STATUS_CLUSTERS);
    }
}

static void jobs_write(struct status *status)
{
    struct command *command = status->command;

    if (status->jobs.count == 0) {
        return;
    }
    buf_printf(&command->out, "jobs      %zu under way\n", status->jobs.count);
    for (size_t i = 0; i < status->jobs.count && i < STATUS_CLUSTERS; i++) {
        buf_add_string(&command->out, "  ");
        job_text_line(&command->out, &status->jobs.items[i]);
        if (job_batches_is(
                /* the list of holds already has the reason why a job of a change waits */
                &status->jobs.items[i])) {
            job_batches_waits(&command->out, doc_child(&status->jobs.items[i], "status"));
        }
    }
    if (status->jobs.count > STATUS_CLUSTERS) {
        buf_printf(&command->out, "  ... and %zu more: reeve get jobs\n",
                   status->jobs.count - STATUS_CLUSTERS);
    }
}

static int newest_compare(const void *a, const void *b, void *arg)
{
    int64_t left = doc_child_number(doc_child(a, "metadata"), "revision");
    int64_t right = doc_child_number(doc_child(b, "metadata"), "revision");

    (void)arg;
    return left > right ? -1 : left < right;
}

static void newest_write(struct status *status)
{
    struct command *command = status->command;
    size_t count = status->clusters.count;
    struct doc *items = arena_array(command->arena, struct doc, count + 1);

    for (size_t i = 0; i < count; i++) {
        items[i] = status->clusters.items[i];
    }
    sort_stable(command->arena, items, count, sizeof(*items), newest_compare, NULL);
    if (count > 0) {
        buf_add_string(&command->out, "newest changes\n");
    }
    for (size_t i = 0; i < count && i < STATUS_CHANGES; i++) {
        struct text why = listing_text(&items[i], "metadata", "why");

        buf_printf(&command->out, "  %.*s  ",
                   TEXT_ARG(when_format(command, listing_text(&items[i], "metadata", "updated"))));
        glyph_write_text(&command->out, listing_ref(command->arena, &items[i]));
        buf_printf(&command->out, "  by %.*s%s",
                   TEXT_ARG(listing_text(&items[i], "metadata", "by")), why.length > 0 ? ": " : "");
        glyph_write_text(&command->out, why);
        buf_add_string(&command->out, "\n");
    }
}

static void status_next_write(struct status *status)
{
    struct command *command = status->command;
    struct text first = status->clusters.count > 0
                            ? listing_name(command->arena, &status->clusters.items[0])
                            : TEXT("");
    const char *program = command->program;

    buf_add_string(&command->out, "next\n");
    if (first.length == 0) {
        buf_printf(&command->out,
                   "  %s init\n  %s plan -f cluster.yaml\n  %s apply -f cluster.yaml\n", program,
                   program, program);
        return;
    }
    if (status->holds.count > 0) {
        buf_printf(&command->out, "  %s why %.*s\n", program,
                   TEXT_ARG(listing_hold(command->arena, &status->holds.items[0])));
    }
    if (status->jobs.count > 0) {
        buf_printf(
            &command->out, "  %s job watch %lld\n", program,
            (long long)doc_child_number(doc_child(&status->jobs.items[0], "status"), "revision"));
    }
    buf_printf(&command->out, "  %s tree %.*s\n  %s describe cluster/%.*s\n", program,
               TEXT_ARG(first), program, TEXT_ARG(first));
    buf_printf(&command->out, "  %s edit cluster/%.*s\n  %s events cluster/%.*s\n", program,
               TEXT_ARG(first), program, TEXT_ARG(first));
    buf_printf(&command->out, "  %s get cluster/%.*s -o yaml --bare\n", program, TEXT_ARG(first));
}

static struct doc jobs_doc(struct status *status)
{
    struct arena *arena = status->command->arena;
    struct doc *items = arena_array(arena, struct doc, status->jobs.count + 1);

    for (size_t i = 0; i < status->jobs.count; i++) {
        const struct doc *job = &status->jobs.items[i];
        const struct doc *reported = doc_child(job, "status");
        struct doc_builder row;

        doc_builder_init(&row, arena);
        doc_builder_put(&row, "cluster", doc_text(listing_text(job, "metadata", "cluster"), NULL));
        doc_builder_put(&row, "job", doc_int(arena, doc_child_number(reported, "revision"), NULL));
        doc_builder_put(&row, "machines", *doc_child(reported, "machines"));
        doc_builder_put(&row, "state", doc_text(doc_child_text(reported, "state"), NULL));
        if (job_batches_is(job)) {
            doc_builder_put(&row, "verb", doc_text(doc_child_text(reported, "verb"), NULL));
        }
        items[i] = doc_builder_map(&row, NULL);
    }
    return doc_list(items, status->jobs.count, NULL);
}

static struct doc status_holds_doc(struct status *status)
{
    struct command *command = status->command;
    struct doc *items = arena_array(command->arena, struct doc, status->holds.count + 1);

    for (size_t i = 0; i < status->holds.count; i++) {
        items[i] = job_text_hold_doc(command, &status->holds.items[i]);
    }
    return doc_list(items, status->holds.count, NULL);
}

/* Return the first node of each line as a document, with `alike`, the number of further nodes of
 * the line, and `names`, the names of all nodes of the line. */
static struct doc problems_doc(struct status *status)
{
    struct arena *arena = status->command->arena;
    struct text names;
    struct doc *items = arena_array(arena, struct doc, status->problem_count + 1);

    for (size_t i = 0; i < status->problem_count; i++) {
        names = names_format(status->command, &status->problems[i]);
        items[i] = nest_put(arena, status->problems[i].first, "alike",
                            doc_int(arena, (int64_t)status->problems[i].count - 1, NULL));
        items[i] = nest_put(arena, &items[i], "names", doc_text(names, NULL));
    }
    return doc_list(items, status->problem_count, NULL);
}

static void status_json_write(struct status *status)
{
    struct command *command = status->command;
    struct doc *clusters = arena_array(command->arena, struct doc, status->clusters.count + 1);
    struct doc_builder builder;
    struct doc all;

    for (size_t i = 0; i < status->clusters.count; i++) {
        struct text name = listing_name(command->arena, &status->clusters.items[i]);
        const struct doc *meta = doc_child(&status->clusters.items[i], "metadata");
        struct doc_builder row;

        doc_builder_init(&row, command->arena);
        doc_builder_put(&row, "name", doc_text(name, NULL));
        doc_builder_put(&row, "groups",
                        doc_int(command->arena, doc_child_number(meta, "groups"), NULL));
        if (doc_is_present(status_counts_of(&status->clusters.items[i]))) {
            doc_builder_put(&row, "machines", *status_counts_of(&status->clusters.items[i]));
        }
        doc_builder_put(&row, "nodesWanted",
                        doc_int(command->arena, doc_child_number(meta, "nodes"), NULL));
        clusters[i] = doc_builder_map(&row, NULL);
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "cleanups", status->cleanups);
    doc_builder_put(&builder, "clusters", doc_list(clusters, status->clusters.count, NULL));
    doc_builder_put(&builder, "holds", status_holds_doc(status));
    doc_builder_put(&builder, "jobs", jobs_doc(status));
    if (doc_is_list(doc_child(&status->managers, "items"))) {
        doc_builder_put(&builder, "managers", status->managers);
    }
    doc_builder_put(&builder, "nodes", problems_doc(status));
    doc_builder_put(&builder, "revision",
                    doc_int(command->arena, (int64_t)status->clusters.revision, NULL));
    if (status->notice.length > 0) {
        doc_builder_put(&builder, "problem", doc_text(status->notice, NULL));
    }
    doc_builder_put(&builder, "url", doc_text(status->session.client.address.url, NULL));
    doc_builder_put(&builder, "user", doc_text(doc_child_text(&status->who, "user"), NULL));
    doc_builder_put(&builder, "version", doc_text(doc_child_text(&status->who, "version"), NULL));
    all = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &all);
}

static bool picture(void *arg, uint64_t *out_revision)
{
    struct status *status = arg;
    size_t from = status->command->out.length;

    if (!status_facts_get(status)) {
        return false;
    }
    *out_revision = status->clusters.revision;
    if (command_output_is(status->command, "json")) {
        status_json_write(status);
        return true;
    }
    notice_write(status);
    managers_level_write(status->command, &status->managers, false);
    managers_waiting_write(status->command, &status->managers, STATUS_CLUSTERS);
    status_holds_write(status);
    manager_write(status);
    status_clusters_write(status);
    status_problems_write(status);
    cleanups_write(status);
    jobs_write(status);
    newest_write(status);
    status_next_write(status);
    command_fold(status->command, from);
    return true;
}

enum exit_code verb_status(struct command *command)
{
    struct status status = { .command = command };
    struct live live = { .kinds = "cluster,nodegroup,job", .draw = picture, .arg = &status };

    if (!session_open(command, &status.session)) {
        return EXIT_CODE_FAILED;
    }
    return live_run(command, &status.session, &live, args_has(&command->args, FLAG_STATUS_WATCH));
}
