#include "service/select_change.h"

#include "base/limits.h"
#include "codec/json.h"
#include "records/fleet_parts.h"
#include "selector/ranges.h"

#include <assert.h>

/* Reads which machines failed in a cluster's job (pass_jobs.c), and the desired state at the job's
 * revision. The current desired state comes from the specification, which may be newer than any
 * job. */

/* ---- parsing ---- */

MUST_CHECK static bool select_change_number_read(struct text word, uint64_t *out)
{
    int64_t number;

    if (!text_parse_int64(word, &number) || number < 1) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

bool select_change_parse(struct text failed_of, struct text revision, struct select_change *out,
                         struct err *err)
{
    struct select_change change = { 0 };
    struct text word =
        text_slice(failed_of, text_has_prefix(failed_of, TEXT("job/")) ? 4 : 0, failed_of.length);

    if (failed_of.length > 0 && !select_change_number_read(word, &change.job)) {
        err_set(err, CODE_R0426, "'%.*s' is not a job", TEXT_ARG(failed_of));
        return err_hint(err, "write its number, 912 or job/912: reeve get jobs lists them");
    }
    change.is_revision = revision.length > 0;
    change.is_not = text_has_prefix(revision, TEXT("!"));
    word = text_slice(revision, change.is_not ? 1 : 0, revision.length);
    if (change.is_revision && !text_is(word, "current") &&
        !select_change_number_read(word, &change.revision)) {
        err_set(err, CODE_R0426, "'%.*s' is not a revision", TEXT_ARG(revision));
        return err_hint(err, "write current, !current, or a number, 912 or !912");
    }
    *out = change;
    return true;
}

/* ---- jobs ---- */

/* Find the job in this cluster. False: the job does not exist, or was deleted. */
static bool job_find(const struct select_change *change, const struct cache *cache,
                     struct text tenant, struct text id, uint64_t number, struct doc *out)
{
    const struct cache_object *row = cache_find(
        cache, tenant, TEXT("Job"),
        arena_printf(change->memory, "%.*s/%020llu", TEXT_ARG(id), (unsigned long long)number));
    struct err err;

    return row != NULL && row->parts[CACHE_STATUS].bytes != NULL &&
           json_parse(change->memory, blob_text(row->parts[CACHE_STATUS].bytes), NULL, out, &err) &&
           doc_is_map(out);
}

static struct text select_change_text_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static int64_t select_change_number_of(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    (void)!text_parse_int64(select_change_text_of(doc, name), &number);
    return number;
}

/* Read the names of failed machines. A job with problems but without names was written by an older
 * version of reeve. */
MUST_CHECK static bool select_change_failed_take(struct select_change *change,
                                                 const struct doc *job, struct err *err)
{
    const struct doc *problems = doc_child(job, "problems");
    bool is_any = doc_is_list(problems) && problems->item_count > 0;
    int64_t more = select_change_number_of(job, "failedMore");

    change->failed = select_change_text_of(job, "failedNodes");
    change->ended_ms = select_change_number_of(job, "ended");
    if (more > 0 || (is_any && change->failed.length == 0)) {
        err_set(err, CODE_R0795, "job/%llu does not name all machines that failed in it",
                (unsigned long long)change->job);
        return err_hint(err, "--state starting,refused selects the machines that are not ready "
                             "now");
    }
    return true;
}

/* Read the desired state of the job. In a cluster with very many groups, a job has no rows of
 * groups; then the desired state is unknown. */
static bool made_take(struct select_change *change, const struct doc *job)
{
    const struct doc *groups = doc_child(job, "groups");

    if (!doc_is_list(groups) || groups->item_count == 0) {
        return false;
    }
    change->made = arena_array(change->memory, struct select_made, groups->item_count);
    change->made_count = groups->item_count;
    for (size_t i = 0; i < groups->item_count; i++) {
        const struct doc *group = &groups->items[i];
        const struct doc *generations = doc_child(group, "generations");

        change->made[i] = (struct select_made){
            .path = select_change_text_of(group, "group"),
            .generations = doc_is_list(generations) ? *generations : doc_list(NULL, 0, NULL),
            .chain = select_change_text_of(group, "chain"),
        };
        if (doc_is_map(doc_child(group, "chains"))) {
            change->made[i].chains = *doc_child(group, "chains");
        }
    }
    return true;
}

/* ---- the current desired state ---- */

static struct doc choices_doc(struct arena *arena, const struct fleet_group *group)
{
    struct doc *items = arena_array(arena, struct doc, group->choice_count + 1);

    for (size_t i = 0; i < group->choice_count; i++) {
        items[i] = doc_text(arena_text(arena, group->choices[i].generation), NULL);
    }
    return doc_list(items, group->choice_count, NULL);
}

MUST_CHECK static bool wanted_take(struct select_change *change, const struct cache *cache,
                                   struct text tenant, struct text id, struct err *err)
{
    struct fleet_cluster cluster = { .tenant = tenant, .id = id };

    fleet_wanted_read(cache, &cluster);
    if (cluster.problem.code != CODE_NONE) {
        *err = cluster.problem;
        arena_free(cluster.memory);
        return false;
    }
    change->made = arena_array(change->memory, struct select_made, cluster.group_count + 1);
    change->made_count = cluster.group_count;
    for (size_t i = 0; i < cluster.group_count; i++) {
        const struct fleet_group *group = &cluster.groups[i];

        change->made[i] = (struct select_made){
            .path = arena_text(change->memory, group->plan.path),
            .generations = choices_doc(change->memory, group),
            .chain = arena_text(change->memory, group->chain),
            .chains = fleet_chains_format(change->memory, group),
        };
    }
    arena_free(cluster.memory);
    return true;
}

/* Find the revision of the last change of the specification. */
static uint64_t select_change_newest_find(const struct select_change *change,
                                          const struct cache *cache, struct text tenant,
                                          struct text id)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT("Cluster"), id);
    uint64_t newest = object == NULL ? 0 : object->parts[CACHE_SPEC].revision;
    struct text prefix = objects_group_prefix(change->memory, tenant, id);

    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        uint64_t revision = object->parts[CACHE_SPEC].revision;

        newest = revision > newest ? revision : newest;
    }
    return newest;
}

MUST_CHECK static bool revision_enter(struct select_change *change, const struct cache *cache,
                                      struct text tenant, struct text id, struct err *err)
{
    struct doc job;

    if (change->revision == 0 ||
        change->revision == select_change_newest_find(change, cache, tenant, id)) {
        return wanted_take(change, cache, tenant, id, err);
    }
    change->is_known =
        job_find(change, cache, tenant, id, change->revision, &job) && made_take(change, &job);
    return true;
}

/* ---- a cluster ---- */

bool select_change_enter(struct select_change *change, const struct cache *cache,
                         struct text tenant, struct text id, struct err *err)
{
    struct doc job;

    assert(change->memory == NULL);
    change->is_known = true;
    if (change->job == 0 && !change->is_revision) {
        return true;
    }
    change->memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    if (change->job > 0) {
        change->is_known = job_find(change, cache, tenant, id, change->job, &job);
        if (change->is_known && !select_change_failed_take(change, &job, err)) {
            return false;
        }
    }
    if (change->is_known && change->is_revision &&
        !revision_enter(change, cache, tenant, id, err)) {
        return false;
    }
    change->is_any_known |= change->is_known;
    return true;
}

void select_change_leave(struct select_change *change)
{
    arena_free(change->memory);
    change->memory = NULL;
    change->failed = TEXT("");
    change->ended_ms = 0;
    change->made = NULL;
    change->made_count = 0;
}

/* ---- a machine ---- */

bool select_change_is_failed(const struct record *record, const struct node_state *state)
{
    return (record->plan.state == PLAN_RECORD_CREATE && record->plan.refusals > 0) ||
           node_state_has_failure(state);
}

/* True if this machine failed in the job. False for a machine that was created in its slot
 * later. */
static bool is_failed_there(const struct select_change *change, const struct record *record)
{
    struct text rest = change->failed;
    struct text pattern;

    if (change->ended_ms > 0 && record->made_wall_ms > change->ended_ms) {
        return false;
    }
    while (ranges_next(&rest, &pattern)) {
        if (ranges_has(pattern, record->name) || text_is_equal(pattern, record->plan.token)) {
            return true;
        }
    }
    return false;
}

static struct text select_change_chain_of(const struct select_change *change,
                                          const struct select_made *made, uint64_t slot)
{
    const struct doc *own =
        made->chains.entry_count == 0
            ? NULL
            : doc_child(&made->chains,
                        arena_string(change->memory, arena_printf(change->memory, "%llu",
                                                                  (unsigned long long)slot)));

    return doc_is_scalar(own) ? own->text : made->chain;
}

static bool is_made_so(const struct select_change *change, const struct record *record,
                       const struct node_state *state)
{
    const struct select_made *made = NULL;
    bool is_any = false;
    struct text chain;

    for (size_t i = 0; i < change->made_count && made == NULL; i++) {
        made = text_is_equal(change->made[i].path, record->plan.group) ? &change->made[i] : NULL;
    }
    for (size_t i = 0; made != NULL && i < made->generations.item_count; i++) {
        is_any |= text_is_equal(made->generations.items[i].text, record->plan.generation);
    }
    if (!is_any) {
        return false;
    }
    chain = select_change_chain_of(change, made, record->plan.slot);
    return chain.length == 0 || text_is_equal(chain, state->chain_done);
}

bool select_change_has(const struct select_change *change, const struct record *record,
                       const struct node_state *state)
{
    return change->is_known && (change->job == 0 || is_failed_there(change, record)) &&
           (!change->is_revision || is_made_so(change, record, state) != change->is_not);
}

bool select_change_check(const struct select_change *change, struct text cluster, struct err *err)
{
    const char *of = cluster.length > 0 ? " of " : "";

    if (change->is_any_known || (change->job == 0 && change->revision == 0)) {
        return true;
    }
    if (change->job > 0) {
        err_set(err, CODE_R0795, "there is no job/%llu%s%.*s", (unsigned long long)change->job, of,
                TEXT_ARG(cluster));
    } else {
        err_set(err, CODE_R0795, "the desired state%s%.*s at revision %llu is not known", of,
                TEXT_ARG(cluster), (unsigned long long)change->revision);
    }
    return err_hint(err, "the ten newest jobs of a cluster are kept: reeve get jobs");
}
