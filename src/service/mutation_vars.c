#include "codec/json.h"
#include "model/nest.h"
#include "records/fleet_parts.h"
#include "selector/ranges.h"
#include "service/service_parts.h"

/* public names start with: mutation_ vars_ */

/* Sets and removes variables of single members (decision 0155) when a request adds or removes
 * machines.
 *
 * Commissioned machines: the same change sets the variables of the group's new members. A machine
 * may get any free slot. So all machines of a request have the same variables, and no other member
 * of the group may be waiting for a machine.
 *
 * Removed members: the change that removes a member by its name removes its variables; an undo
 * restores both. */

/* ---- members that leave ---- */

static struct text vars_own_name(struct text word)
{
    size_t slash = text_find_byte(word, '/');

    return slash == SIZE_MAX ? word : text_slice(word, slash + 1, SIZE_MAX);
}

static bool vars_is_named(struct text victims, struct text name)
{
    struct text rest = victims;
    struct text word;

    while (ranges_next(&rest, &word)) {
        if (ranges_has(vars_own_name(word), name)) {
            return true;
        }
    }
    return false;
}

/* Return the map `members` of a group without the variables of members that leave. Absent: the map
 * would be empty. */
static struct doc vars_members_leave(struct arena *arena, const struct doc *members,
                                     struct text victims)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < members->entry_count; i++) {
        struct doc_entry entry = members->entries[i];

        if (doc_is_map(doc_child(&entry.value, "vars")) && vars_is_named(victims, entry.key)) {
            entry.value = nest_put(arena, &entry.value, "vars", (struct doc){ 0 });
        }
        if (!doc_is_map(&entry.value) || entry.value.entry_count > 0) {
            doc_builder_add(&builder, &entry);
        }
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, members);
}

/* Return a group or a cluster without the variables of members that leave. */
static struct doc vars_leave(struct arena *arena, const struct doc *object, struct text victims)
{
    const struct doc *members = doc_child(object, "members");
    const struct doc *groups = doc_child(object, "groups");
    struct doc out = *object;
    struct doc below;

    if (doc_is_map(members)) {
        out = nest_put(arena, &out, "members", vars_members_leave(arena, members, victims));
    }
    if (!doc_is_map(groups)) {
        return out;
    }
    below = *groups;
    for (size_t i = 0; i < groups->entry_count; i++) {
        if (doc_is_map(&groups->entries[i].value)) {
            below = nest_put(arena, &below, arena_string(arena, groups->entries[i].key),
                             vars_leave(arena, &groups->entries[i].value, victims));
        }
    }
    return nest_put(arena, &out, "groups", below);
}

/* ---- members that come ---- */

MUST_CHECK static bool vars_parse(struct mutation *mutation, struct doc *out, struct err *err)
{
    if (json_parse(mutation->work, mutation->request.vars, NULL, out, err) && doc_is_map(out)) {
        return true;
    }
    err_set(err, CODE_R0838, "the variables of commissioned machines are not a map");
    return err_hint(err, "write a JSON map: vars={\"device\":\"/dev/sdb\"}");
}

/* Find the current state of the group that receives the machines. */
MUST_CHECK static bool vars_group_find(struct mutation *mutation, const struct doc *document,
                                       struct fleet_cluster *out, struct text *out_path,
                                       struct err *err)
{
    struct text name = mutation_text_of(document, "cluster");
    const struct cache_object *object = objects_find(
        mutation->service->cache, mutation->actor.tenant, objects_kind("Cluster"), name);

    *out_path = mutation_text_of(document, "name");
    if (object == NULL) {
        return err_set(err, CODE_R0403, "there is no cluster '%.*s'", TEXT_ARG(name));
    }
    *out = (struct fleet_cluster){ .tenant = mutation->actor.tenant,
                                   .id = arena_text(mutation->work, cache_id(object)) };
    fleet_wanted_read(mutation->service->cache, out);
    if (out->problem.code != CODE_NONE) {
        *err = out->problem;
        return false;
    }
    return fleet_group_find(out, *out_path) != NULL ||
           err_set(err, CODE_R0403, "there is no group '%.*s'", TEXT_ARG(*out_path));
}

static bool vars_is_held(const struct record *records, size_t count, struct text path,
                         uint64_t slot)
{
    size_t i = 0;

    while (i < count &&
           !(text_is_equal(records[i].plan.group, path) && records[i].plan.slot == slot)) {
        i++;
    }
    return i < count;
}

static size_t vars_words_count(struct text list)
{
    size_t count = list.length > 0;

    for (size_t i = 0; i < list.length; i++) {
        count += list.data[i] == ',';
    }
    return count;
}

/* Put the variables into the map `members` for one more member. */
static struct doc vars_member_put(struct arena *arena, const struct doc *members, struct text name,
                                  const struct doc *vars)
{
    const char *key = arena_string(arena, name);
    const struct doc *known = doc_child(members, key);
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc own = nest_put(arena, doc_is_map(known) ? known : &none, "vars", *vars);

    return nest_put(arena, members, key, own);
}

/* Put the variables of the request into the group for its new members. */
MUST_CHECK static bool vars_come(struct mutation *mutation, const struct fleet_group *group,
                                 struct text cluster, struct doc *document, const struct doc *vars,
                                 struct err *err)
{
    const struct doc *known = doc_child(document, "members");
    struct doc members = doc_is_map(known) ? *known : doc_map(NULL, 0, document);
    size_t wanted = vars_words_count(mutation->request.commissions);
    size_t count;
    struct record *records = mutation_records(mutation, cluster, &count);
    size_t alive = 0;
    int64_t size = mutation_number_of(document, "size");
    uint64_t slot = group->plan.first_slot;

    for (size_t i = 0; i < count; i++) {
        alive += text_is_equal(records[i].plan.group, group->plan.path) &&
                 records[i].plan.state != PLAN_RECORD_DELETE;
    }
    if (size < 0 || (size_t)size != alive + wanted) {
        err_set(err, CODE_R0822,
                "%zu machines are commissioned with variables, and %lld members of group '%.*s' "
                "have no machine",
                wanted, (long long)size - (long long)alive, TEXT_ARG(group->plan.path));
        return err_hint(err, "commission them without --var, then: reeve upgrade NODE --var "
                             "NAME=VALUE");
    }
    for (size_t i = 0; i < wanted; slot++) {
        if (!vars_is_held(records, count, group->plan.path, slot)) {
            members = vars_member_put(mutation->work, &members,
                                      naming_format(mutation->work, &group->affix, slot), vars);
            i++;
        }
    }
    *document = nest_put(mutation->work, document, "members", members);
    return true;
}

MUST_CHECK static bool vars_commission(struct mutation *mutation, struct doc *document,
                                       struct err *err)
{
    struct fleet_cluster cluster;
    struct text path;
    struct doc vars;
    bool is_made;

    if (!vars_parse(mutation, &vars, err)) {
        return false;
    }
    if (mutation->request.commissions.length == 0 ||
        mutation->patch->kind->owner != OWNER_NODEGROUP) {
        return err_set(err, CODE_R0426,
                       "variables are given to machines that are commissioned "
                       "into one node group");
    }
    if (!vars_group_find(mutation, document, &cluster, &path, err)) {
        arena_free(cluster.memory);
        return false;
    }
    is_made =
        vars_come(mutation, fleet_group_find(&cluster, path), cluster.id, document, &vars, err);
    arena_free(cluster.memory);
    return is_made;
}

bool mutation_vars_lay(struct mutation *mutation, struct doc *document, struct err *err)
{
    if (mutation->request.victims.length > 0) {
        *document = vars_leave(mutation->work, document, mutation->request.victims);
    }
    return mutation->request.vars.length == 0 || vars_commission(mutation, document, err);
}
