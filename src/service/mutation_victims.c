#include "base/sort.h"
#include "codec/json.h"
#include "inventory/inventory.h"
#include "model/nest.h"
#include "records/abandoned.h"
#include "records/commands.h"
#include "selector/ranges.h"
#include "service/service_parts.h"

#include <assert.h>
#include <string.h>

/* public names start with: mutation_ */

/* Selects the machines that are removed from shrinking groups, if the request lists them (decision
 * 0092). They belong to one group, or to several groups of one cluster: such a request takes effect
 * completely or not at all (C27). Their tokens are stored in the commands of the group (`victims`,
 * pass_commands.c), in the transaction that shrinks the group. So neither takes effect without the
 * other, and a later machine with the same name is not affected. The next change of the size
 * removes the command. */

struct victims {
    struct mutation *mutation;
    struct arena *arena;
    struct text id;          /* cluster id */
    struct text path;        /* path of the group */
    const struct doc *group; /* the group in the plan; it shrinks */
    struct record *records;  /* records of its machines that are not being destroyed */
    size_t record_count;
    bool *is_chosen;    /* true for chosen records; one entry for each record */
    size_t named_count; /* number of listed machines and unfilled slots */
    size_t going_count;
};

/* ---- reading ---- */

static const struct doc *mutation_victims_groups(const struct mutation *mutation)
{
    return mutation->change.plan.item_count == 0 ? NULL
                                                 : doc_child(mutation->change.plan.items, "groups");
}

/* Return the group in the plan if its size changes; otherwise NULL. */
static const struct doc *resized_find(const struct victims *victims)
{
    const struct doc *groups = mutation_victims_groups(victims->mutation);

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (text_is_equal(mutation_text_of(&groups->items[i], "path"), victims->path) &&
            doc_child(&groups->items[i], "oldSize") != NULL) {
            return &groups->items[i];
        }
    }
    return NULL;
}

static void records_read(struct victims *victims)
{
    const struct record *all;
    size_t count = 0;
    size_t own = 0;

    all = mutation_records(victims->mutation, victims->id, &count);
    victims->records = arena_array(victims->arena, struct record, count);
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(all[i].plan.group, victims->path) &&
            all[i].plan.state != PLAN_RECORD_DELETE) {
            victims->records[own++] = all[i];
        }
    }
    victims->record_count = own;
    victims->is_chosen = arena_array(victims->arena, bool, own);
}

/* ---- selection ---- */

MUST_CHECK static bool mutation_victims_refuse(const struct victims *victims, struct text command,
                                               const char *why, struct err *err)
{
    err_set(err, CODE_R0791, "'%.*s' cannot be removed: %s", TEXT_ARG(command), why);
    return err_hint(err, "without this name, these members of %.*s would be removed: %.*s",
                    TEXT_ARG(victims->path), TEXT_ARG(mutation_text_of(victims->group, "destroy")));
}

/* Return the name of a node without the prefix CLUSTER/. */
static struct text own_name(const struct victims *victims, struct text command)
{
    struct text cluster = victims->mutation->change.objects[0].name;

    return text_has_prefix(command, cluster) && command.length > cluster.length &&
                   command.data[cluster.length] == '/'
               ? text_slice(command, cluster.length + 1, command.length)
               : command;
}

/* Handle a name that no machine has: it may be the name of an unfilled slot. Unfilled slots are
 * removed in order of their numbers. */
MUST_CHECK static bool place_choose(struct victims *victims, struct text command, struct text name,
                                    struct err *err)
{
    /* checked, because ranges_has would find an empty name in an empty list */
    if (name.length > 0 && (ranges_has(mutation_text_of(victims->group, "destroy"), name) ||
                            ranges_has(mutation_text_of(victims->group, "unfilled"), name))) {
        victims->named_count++;
        return true;
    }
    return mutation_victims_refuse(
        victims, command,
        victims->record_count == 0 && name.length > 0 &&
                ranges_has(mutation_text_of(victims->group, "members"), name)
            ? "while no machine exists, the slots with the highest numbers are removed first"
            : "the group has no such member",
        err);
}

MUST_CHECK static bool command_choose(struct victims *victims, struct text command, struct err *err)
{
    struct text name = own_name(victims, command);
    bool is_found = false;

    for (size_t i = 0; i < victims->record_count; i++) {
        const struct record *record = &victims->records[i];

        if (!ranges_has(name, record->name) && !text_is_equal(name, record->plan.id) &&
            !text_is_equal(name, record->plan.token)) {
            continue;
        }
        if (record->plan.is_protected) {
            return mutation_victims_refuse(victims, record->name, "the machine is protected", err);
        }
        is_found = true;
        victims->named_count += !victims->is_chosen[i];
        victims->is_chosen[i] = true;
    }
    if (!is_found && !place_choose(victims, command, name, err)) {
        return false;
    }
    return victims->named_count <= victims->going_count ||
           mutation_victims_refuse(victims, command,
                                   "more machines are given than will be "
                                   "removed",
                                   err);
}

/* Choose the machine with a name from the first group that has it. If no group has it, the error is
 * that of the last group. */
MUST_CHECK static bool name_choose(struct victims *groups, size_t count, struct text command,
                                   struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (command_choose(&groups[i], command, err)) {
            return true;
        }
    }
    return false;
}

MUST_CHECK static bool choose(struct victims *groups, size_t count, struct err *err)
{
    struct text rest = groups->mutation->request.victims;
    size_t going = 0;
    struct text command;

    for (size_t i = 0; i < count; i++) {
        going += groups[i].group == NULL ? 0 : groups[i].going_count;
    }
    if (going == 0) {
        err_set(err, CODE_R0791, "machines to destroy are given, but the change destroys none");
        return err_hint(err, "leave them out, or set a smaller size");
    }
    for (size_t i = 0; i < count; i++) {
        records_read(&groups[i]);
    }
    while (ranges_next(&rest, &command)) {
        if (!name_choose(groups, count, command, err)) {
            return false;
        }
    }
    return true;
}

/* ---- writing ---- */

/* Return the group's commands with these victims in place of earlier victims. Empty: the group has
 * no commands. */
static struct text commands_make(struct victims *victims, const struct cache_object *control,
                                 const struct doc *tokens)
{
    struct arena *arena = victims->arena;
    struct doc commands = commands_read(arena, control);
    struct buf buf;

    commands = nest_put(arena, &commands, "victims",
                        tokens->item_count == 0 ? (struct doc){ 0 } : *tokens);
    if (commands.entry_count == 0) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, &commands);
    return buf_text(&buf);
}

static void commands_write(struct victims *victims)
{
    struct mutation *mutation = victims->mutation;
    struct text id =
        arena_printf(victims->arena, "%.*s/%.*s", TEXT_ARG(victims->id), TEXT_ARG(victims->path));
    const struct cache_object *control =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Control"), id);
    bool is_said = control != NULL && control->parts[CACHE_SPEC].bytes != NULL;
    struct doc *items = arena_array(victims->arena, struct doc, victims->record_count);
    struct change_op op = { .key = objects_key(victims->arena, mutation->actor.tenant,
                                               TEXT("Control"), id, CACHE_SPEC) };
    struct doc tokens;
    size_t count = 0;

    for (size_t i = 0; i < victims->record_count; i++) {
        if (victims->is_chosen[i]) {
            items[count++] = doc_text(victims->records[i].plan.token, NULL);
        }
    }
    tokens = doc_list(items, count, NULL);
    op.value = commands_make(victims, control, &tokens);
    op.is_delete = op.value.length == 0;
    if (is_said ? !text_is_equal(op.value, blob_text(control->parts[CACHE_SPEC].bytes))
                : !op.is_delete) {
        mutation_op_append(mutation, op, is_said ? control->parts[CACHE_SPEC].revision : 0);
    }
}

/* Return the mark of an abandoned release of a member, if it exists. *out_key is its key. */
static const struct cache_object *row_abandoned_find(const struct victims *victims,
                                                     const struct discovered *row,
                                                     struct text *out_key)
{
    const struct mutation *mutation = victims->mutation;
    struct text id = arena_printf(victims->arena, "%.*s/%.*s", TEXT_ARG(victims->id),
                                  TEXT_ARG(row->claim.token));

    *out_key =
        objects_key(victims->arena, mutation->actor.tenant, TEXT(ABANDONED_KIND), id, CACHE_BASE);
    return cache_find(mutation->service->cache, mutation->actor.tenant, TEXT(ABANDONED_KIND), id);
}

/* Mark the release of a disappeared machine as abandoned, so that the reconciler does not wait for
 * the machine. R0822: the machine has not disappeared. */
MUST_CHECK static bool row_absent_take(struct victims *victims, struct discovered *row,
                                       struct err *err)
{
    struct mutation *mutation = victims->mutation;
    struct text key;
    const struct cache_object *object = row_abandoned_find(victims, row, &key);

    if (row->state != LIFECYCLE_STATE_DISAPPEARED) {
        err_set(err, CODE_R0822, "machine %.*s (%.*s) has not disappeared",
                TEXT_ARG(row->claim.name), TEXT_ARG(row->name));
        return err_hint(
            err, "leave out --absent: reeve then first removes what it has written on the machine");
    }
    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        mutation_op_append(
            mutation,
            (struct change_op){ .key = key,
                                .value = arena_printf(victims->arena, "{\"at\":%lld}",
                                                      (long long)mutation->begun_ms) },
            0);
    }
    return true;
}

/* Remove the marker of an abandoned release, because the machine is released normally after all. */
static void row_absent_end(struct victims *victims, const struct discovered *row)
{
    struct mutation *mutation = victims->mutation;
    struct text key;
    const struct cache_object *object = row_abandoned_find(victims, row, &key);

    if (row->claim.is_absent && object != NULL && object->parts[CACHE_BASE].bytes != NULL) {
        mutation_op_append(mutation, (struct change_op){ .key = key, .is_delete = true },
                           object->parts[CACHE_BASE].revision);
    }
}

/* Note in the inventory rows of the chosen machines how they leave: returned to their owners, and
 * so unallocated, or absent. The note replaces an earlier one that was not carried out, because the
 * size may have been restored in between. R0822: a machine is not in the inventory, or has not
 * disappeared. */
MUST_CHECK static bool rows_leave(struct victims *victims, struct err *err)
{
    struct mutation *mutation = victims->mutation;
    bool is_release = mutation->request.is_release;
    bool is_absent = mutation->request.is_absent;

    for (size_t i = 0; i < victims->record_count; i++) {
        const struct cache_object *object =
            cache_find(mutation->service->cache, mutation->actor.tenant, TEXT(DISCOVERED_KIND),
                       victims->records[i].plan.id);
        struct discovered row;

        if (!victims->is_chosen[i]) {
            continue;
        }
        /* C26: every machine that has disappeared is reported */
        if (!is_absent && !mutation->request.is_return &&
            !inventory_leave_check(victims->arena, object, victims->records[i].plan.token, err)) {
            err_list_add(&mutation->errors, err);
            continue;
        }
        if (!discovered_read(victims->arena, object, &row) ||
            !text_is_equal(row.claim.token, victims->records[i].plan.token)) {
            if (is_absent) {
                return err_set(err, CODE_R0822, "machine %.*s is not one of the inventory",
                               TEXT_ARG(victims->records[i].name));
            }
            continue;
        }
        if (row.claim.is_released == is_release && !row.claim.is_absent && !is_absent &&
            !row.claim.is_sized) {
            continue;
        }
        row.claim.is_sized = false; /* not set, because this change itself reduces the size */
        if (!is_absent) {
            row_absent_end(victims, &row);
        }
        row.claim.is_released = is_release;
        row.claim.is_absent = is_absent;
        if (is_absent && !row_absent_take(victims, &row, err)) {
            return false;
        }
        mutation_op_append(mutation,
                           (struct change_op){ .key = discovered_key(
                                                   victims->arena, mutation->actor.tenant, row.id),
                                               .value = discovered_format(victims->arena, &row) },
                           object->parts[CACHE_BASE].revision);
    }
    return true;
}

/* Put the listed machines of all groups into the plan. */
static void mutation_victims_report(const struct victims *groups, size_t count)
{
    struct mutation *mutation = groups->mutation;
    size_t room = 0;
    size_t named_count = 0;
    struct text *named;

    for (size_t i = 0; i < count; i++) {
        room += groups[i].record_count;
    }
    named = arena_array(groups->arena, struct text, room);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < groups[i].record_count; j++) {
            if (groups[i].is_chosen[j]) {
                named[named_count++] = groups[i].records[j].plan.token;
            }
        }
    }
    if (named_count > 0) {
        mutation_going_report(mutation, named, named_count);
    }
}

static struct victims mutation_victims_of(struct mutation *mutation, struct text path)
{
    struct victims victims = { .mutation = mutation,
                               .arena = mutation->work,
                               .id = mutation->change.objects[0].id,
                               .path = path };
    int64_t going;

    victims.group = resized_find(&victims);
    if (victims.group != NULL) {
        going = mutation_number_of(victims.group, "oldSize") -
                mutation_number_of(victims.group, "size");
        victims.going_count = going > 0 ? (size_t)going : 0;
    }
    return victims;
}

/* Find the groups from which the request may list machines: the group in the request, or the groups
 * of its cluster whose size changes. Returns their number; 0: the request may not list machines. */
static size_t mutation_victims_find(struct mutation *mutation, struct victims **out)
{
    const struct service_patch *patch = mutation->patch;
    const struct doc *groups = mutation_victims_groups(mutation);
    size_t count = 0;

    if (patch == NULL || mutation->change.object_count != 1 ||
        mutation->request.document_count != 1) {
        return 0;
    }
    if (patch->kind->owner == OWNER_NODEGROUP) {
        *out = arena_one(mutation->work, struct victims);
        **out = mutation_victims_of(mutation,
                                    mutation_text_of(&mutation->request.documents[0], "name"));
        return 1;
    }
    if (patch->kind->owner != OWNER_CLUSTER || !doc_is_list(groups)) {
        return 0;
    }
    *out = arena_array(mutation->work, struct victims, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        (*out)[count] = mutation_victims_of(mutation, mutation_text_of(&groups->items[i], "path"));
        count += (*out)[count].group != NULL;
    }
    return count;
}

bool mutation_victims_take(struct mutation *mutation, struct err *err)
{
    bool is_named = mutation->request.victims.length > 0;
    struct victims *groups;
    size_t count;

    mutation_going_report(mutation, NULL, 0);
    count = mutation_victims_find(mutation, &groups);
    if (count == 0) {
        return !is_named ||
               err_set(err, CODE_R0791,
                       "select machines to destroy only together with new sizes of groups of one "
                       "cluster");
    }
    if (!is_named && groups->group == NULL) {
        return true;
    }
    if (is_named) {
        if (!choose(groups, count, err)) {
            return false;
        }
        mutation_victims_report(groups, count);
    }
    for (size_t i = 0; i < count; i++) {
        commands_write(&groups[i]);
        if (mutation->request.is_return) {
            mutation_return_note(mutation, groups[i].path, groups[i].records, groups[i].is_chosen,
                                 groups[i].record_count);
        }
        if (!rows_leave(&groups[i], err)) {
            return false;
        }
    }
    return true;
}
