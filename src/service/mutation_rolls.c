#include "model/nest.h"
#include "plan/superseded.h"
#include "records/fleet.h"
#include "service/service_parts.h"

/* public names start with: mutation_ */

/* Finds the running rollouts that a change supersedes. A rollout is running while a group has ready
 * machines of another generation than the desired one. A change of the fields that define machines
 * supersedes it: the remaining machines get the newer state directly. Every plan reports that for
 * such a group (`supersedes`: the number of machines that the rollout has not replaced yet).
 *
 * The author of a file may not know about the rollout. So applying a file needs explicit consent
 * (decision 0092), and the object in the plan shows that. A request that sets a field or undoes a
 * change names the group, so its sender is assumed to know. */

struct rolls {
    struct mutation *mutation;
    struct arena *arena;
    struct fleet_cluster was;    /* the current groups of the cluster */
    struct fleet_cluster wanted; /* the groups of the cluster after the change */
    struct record *records;      /* records of the cluster's machines */
    size_t record_count;
    /* number of machines that the plan counts as replaced without need */
    uint64_t unlike;
};

static bool is_mutation_rolls_wanted(const struct fleet_group *group,
                                     const struct plan_record *record)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, record->generation) ||
            text_is_equal(group->choices[i].former, record->generation)) {
            return true;
        }
    }
    return false;
}

/* Count the machines of the group that a rollout still has to replace; a job calls them `old`.
 * Protected machines are not replaced. */
static size_t outdated_count(const struct rolls *rolls, const struct fleet_group *group)
{
    size_t count = 0;

    for (size_t i = 0; !group->plan.is_protected && i < rolls->record_count; i++) {
        const struct plan_record *record = &rolls->records[i].plan;

        count += record->state == PLAN_RECORD_ACTIVE && !record->is_starting &&
                 !record->is_protected && text_is_equal(record->group, group->plan.path) &&
                 !is_mutation_rolls_wanted(group, record);
    }
    return count;
}

static const struct fleet_group *mutation_rolls_group_find(const struct fleet_cluster *cluster,
                                                           struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

/* Return the current path of the group. */
static struct text current_path(const struct doc *planned)
{
    struct text path = mutation_text_of(planned, "was");

    return path.length > 0 ? path : mutation_text_of(planned, "path");
}

/* Count the machines that the change replaces. Unfilled slots do not count, nor do machines that
 * already have the new generation (an undone rollout). */
static size_t mutation_rolls_replaced_count(const struct rolls *rolls, const struct doc *planned,
                                            const struct fleet_group *wanted)
{
    size_t most = (size_t)mutation_number_of(planned, "replace");
    struct text path = current_path(planned);
    size_t count = 0;

    for (size_t i = 0; i < rolls->record_count; i++) {
        const struct plan_record *record = &rolls->records[i].plan;

        count += record->state != PLAN_RECORD_DELETE && !record->is_protected &&
                 text_is_equal(record->group, path) && !is_mutation_rolls_wanted(wanted, record);
    }
    return count < most ? count : most;
}

/* Lower the number of replaced machines, which was computed from the files, to the number of
 * machines that need it. */
static struct doc replaced_report(struct rolls *rolls, const struct doc *planned)
{
    const struct fleet_group *wanted =
        mutation_rolls_group_find(&rolls->wanted, mutation_text_of(planned, "path"));
    int64_t most = mutation_number_of(planned, "replace");
    size_t count;

    if (wanted == NULL || !mutation_knows_machines(rolls->mutation)) {
        return *planned;
    }
    count = mutation_rolls_replaced_count(rolls, planned, wanted);
    rolls->unlike += (uint64_t)most - count;
    return nest_put(rolls->arena, planned, "replace",
                    count == 0 ? (struct doc){ 0 } : doc_int(rolls->arena, (int64_t)count, NULL));
}

static struct doc mutation_rolls_group_report(struct rolls *rolls, const struct doc *planned)
{
    const struct fleet_group *group;
    struct doc reported = *planned;
    size_t count;

    if (doc_child(planned, "replace") == NULL) {
        return reported;
    }
    group = mutation_rolls_group_find(&rolls->was, current_path(planned));
    count = group == NULL ? 0 : outdated_count(rolls, group);
    reported = replaced_report(rolls, planned);
    return count == 0 ? reported
                      : nest_put(rolls->arena, &reported, "supersedes",
                                 doc_int(rolls->arena, (int64_t)count, NULL));
}

static bool has_replaced(const struct doc *groups)
{
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (doc_child(&groups->items[i], "replace") != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns false if the object is unchanged. */
static bool mutation_rolls_object_report(void *arg, const struct doc *planned, struct doc *out)
{
    struct rolls *rolls = arg;
    const struct doc *groups = doc_child(planned, "groups");
    const struct change_object *object;
    int64_t superseded = 0;
    struct doc *reported;

    if (!has_replaced(groups)) {
        return false;
    }
    object = mutation_current_find(&rolls->mutation->change, planned);
    if (object == NULL || !fleet_groups_read(rolls->arena, &object->old_stored, &rolls->was)) {
        return false;
    }
    rolls->wanted = (struct fleet_cluster){ 0 };
    rolls->unlike = 0;
    if (object->new_stored.group_count > 0 &&
        !fleet_groups_read(rolls->arena, &object->new_stored, &rolls->wanted)) {
        return false;
    }
    mutation_groups_reduce(rolls->mutation, &rolls->was);
    mutation_groups_reduce(rolls->mutation, &rolls->wanted);
    rolls->records = mutation_records(rolls->mutation, object->id, &rolls->record_count);
    reported = arena_array(rolls->arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        reported[i] = mutation_rolls_group_report(rolls, &groups->items[i]);
        superseded += mutation_number_of(&reported[i], "supersedes");
    }
    *out = nest_put(rolls->arena, planned, "groups", doc_list(reported, groups->item_count, NULL));
    *out = mutation_sum_lower(rolls->mutation, out, "replace", rolls->unlike);
    if (superseded > 0 && rolls->mutation->request.mode == CHANGE_APPLY) {
        *out = nest_put(rolls->arena, out, "supersedes", doc_int(rolls->arena, superseded, NULL));
    }
    return true;
}

void mutation_rolls_report(struct mutation *mutation)
{
    struct rolls rolls = { .mutation = mutation, .arena = mutation->work };

    mutation_plan_report(mutation, mutation_rolls_object_report, &rolls);
}

bool mutation_rolls_agreed(const struct mutation *mutation, struct err *err)
{
    return mutation->request.mode != CHANGE_APPLY || mutation->request.supersedes ||
           superseded_check(&mutation->change.plan, err);
}
