#include "service/mutation_members.h"

#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "model/nest.h"
#include "records/commands.h"
#include "selector/ranges.h"

/* public names start with: mutation_members_ */

/* ---- begin ---- */

static void members_records_read(struct mutation_members *members)
{
    size_t count = 0;
    const struct record *all = mutation_records(members->mutation, members->cluster_id, &count);

    members->records = arena_array(members->arena, struct record, count);
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(all[i].plan.group, members->path)) {
            members->records[members->record_count++] = all[i];
        }
    }
    members->is_chosen = arena_array(members->arena, bool, members->record_count);
}

bool mutation_members_begin(struct mutation *mutation, const struct mutation_members_kind *kind,
                            struct mutation_members *out, struct err *err)
{
    const struct service_patch *patch = mutation->patch;
    bool is_both = mutation->request.replaces.length > 0 && mutation->request.reboots.length > 0;

    if (is_both || patch == NULL || patch->kind->owner != OWNER_NODEGROUP ||
        mutation->change.object_count != 1 || mutation->request.document_count != 1 ||
        !doc_is_map(patch->patch) || patch->patch->entry_count > 0) {
        err_set(err, kind->code, "machines can be %s only by a request that changes nothing else",
                kind->past);
        return err_hint(err, "send an empty merge patch of one node group: {}");
    }
    *out = (struct mutation_members){ .kind = kind, .mutation = mutation, .arena = mutation->work };
    out->cluster_id = mutation->change.objects[0].id;
    out->path = mutation_text_of(&mutation->request.documents[0], "name");
    out->control_id =
        arena_printf(out->arena, "%.*s/%.*s", TEXT_ARG(out->cluster_id), TEXT_ARG(out->path));
    out->control = cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Control"),
                              out->control_id);
    out->requests = commands_read(out->arena, out->control);
    members_records_read(out);
    return true;
}

/* ---- selection ---- */

bool mutation_members_refuse(const struct mutation_members *members, struct text name,
                             const char *why, const char *hint, struct err *err)
{
    err_set(err, members->kind->code, "'%.*s/%.*s' cannot be %s: %s",
            TEXT_ARG(members->mutation->change.objects[0].name), TEXT_ARG(name),
            members->kind->past, why);
    return err_hint(err, "%s", hint);
}

bool mutation_members_check(const struct mutation_members *members, const struct record *record,
                            struct err *err)
{
    if (record->plan.state == PLAN_RECORD_CREATE) {
        return mutation_members_refuse(
            members, record->name, "the machine is being created",
            arena_printf(members->arena,
                         "wait until the machine exists: reeve wait node/%.*s/%.*s --for ready",
                         TEXT_ARG(members->mutation->change.objects[0].name),
                         TEXT_ARG(record->name))
                .data,
            err);
    }
    if (record->plan.state == PLAN_RECORD_DELETE) {
        return mutation_members_refuse(members, record->name,
                                       "the machine is being destroyed already",
                                       members->kind->gone_hint, err);
    }
    return members->kind->check(members, record, err);
}

void mutation_members_add(struct mutation_members *members, size_t index)
{
    const struct record *record = &members->records[index];

    if (!members->is_chosen[index] &&
        (members->kind->is_requested == NULL || !members->kind->is_requested(record))) {
        members->is_chosen[index] = true;
        members->count++;
    }
}

MUST_CHECK static bool members_word_choose(struct mutation_members *members, struct text command,
                                           struct err *err)
{
    const struct record *destroyed = NULL;
    bool is_found = false;

    for (size_t i = 0; i < members->record_count; i++) {
        const struct record *record = &members->records[i];
        bool is_token = text_is_equal(command, record->plan.token);

        if (!ranges_has(command, record->name) && !text_is_equal(command, record->plan.id) &&
            !is_token) {
            continue;
        }
        if (record->plan.state == PLAN_RECORD_DELETE && !is_token) {
            destroyed = record;
            continue;
        }
        if (!mutation_members_check(members, record, err)) {
            return false;
        }
        is_found = true;
        mutation_members_add(members, i);
    }
    if (!is_found && destroyed != NULL) {
        return mutation_members_check(members, destroyed, err);
    }
    return is_found || mutation_members_refuse(
                           members, command, "the group has no such machine",
                           arena_printf(members->arena, "reeve tree %.*s shows the machines",
                                        TEXT_ARG(members->mutation->change.objects[0].name))
                               .data,
                           err);
}

bool mutation_members_choose(struct mutation_members *members, struct text names, struct err *err)
{
    bool is_any_named = false;
    struct text command;

    while (ranges_next(&names, &command)) {
        is_any_named = true;
        if (!members_word_choose(members, command, err)) {
            return false;
        }
    }
    if (!is_any_named) {
        err_set(err, members->kind->code, "no machine to be %s is given", members->kind->past);
        return err_hint(err, "name members as %s=web-0,web-[2-4]", members->kind->name);
    }
    if (members->count > members->kind->named_max) {
        err_set(err, members->kind->code, "%zu machines are given, but at most %zu are allowed",
                members->count, members->kind->named_max);
        return err_hint(err, "%s", members->kind->max_hint);
    }
    return true;
}

/* ---- writing ---- */

struct doc mutation_members_tokens(const struct mutation_members *members)
{
    struct doc *items = arena_array(members->arena, struct doc, members->count);
    size_t count = 0;

    for (size_t i = 0; i < members->record_count; i++) {
        if (members->is_chosen[i]) {
            items[count++] = doc_text(members->records[i].plan.token, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

void mutation_members_write(struct mutation_members *members, struct doc request)
{
    const struct cache_object *control = members->control;
    bool is_stored = control != NULL && control->parts[CACHE_SPEC].bytes != NULL;
    struct doc written = nest_put(members->arena, &members->requests, members->kind->name, request);
    struct change_op op = { .key = objects_key(members->arena, members->mutation->actor.tenant,
                                               TEXT("Control"), members->control_id, CACHE_SPEC) };
    struct buf buf;

    buf_init(&buf, members->arena);
    json_format(&buf, &written);
    op.value = buf_text(&buf);
    mutation_op_append(members->mutation, op, is_stored ? control->parts[CACHE_SPEC].revision : 0);
}

/* ---- the plan ---- */

static int members_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

static struct doc members_names(const struct mutation_members *members)
{
    struct text *names = arena_array(members->arena, struct text, members->record_count);
    struct buf buf;
    size_t count = 0;

    for (size_t i = 0; i < members->record_count; i++) {
        if (members->is_chosen[i]) {
            names[count++] = members->records[i].name;
        }
    }
    sort_stable(members->arena, names, count, sizeof(*names), members_name_compare, NULL);
    buf_init(&buf, members->arena);
    ranges_format(&buf, names, count);
    return doc_text(buf_text(&buf), NULL);
}

static bool members_object_report(void *arg, const struct doc *planned, struct doc *out)
{
    const struct mutation_members *members = arg;
    struct arena *arena = members->arena;
    const struct doc *groups = doc_child(planned, "groups");
    const struct doc *sums = doc_child(planned, "sums");
    struct doc number = doc_int(arena, (int64_t)members->count, NULL);
    struct doc *shown;
    struct doc sum;

    if (!doc_is_list(groups) || sums == NULL) {
        return false;
    }
    shown = arena_array(arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        shown[i] = groups->items[i];
        if (text_is_equal(mutation_text_of(&shown[i], "path"), members->path)) {
            shown[i] = nest_put(arena, &shown[i], "change", doc_text(TEXT("change"), NULL));
            shown[i] = nest_put(arena, &shown[i], members->kind->name, number);
            shown[i] = nest_put(arena, &shown[i], members->kind->past, members_names(members));
        }
    }
    sum = nest_put(arena, sums, members->kind->name, number);
    *out = nest_put(arena, planned, "groups", doc_list(shown, groups->item_count, NULL));
    *out = nest_put(arena, out, "change", doc_text(TEXT("change"), NULL));
    *out = nest_put(arena, out, "sums", sum);
    return true;
}

void mutation_members_report(struct mutation_members *members)
{
    mutation_plan_report(members->mutation, members_object_report, members);
}
