#include "cli/change/commission.h"

#include "base/sort.h"
#include "cli/args/fields.h"
#include "codec/doc_child.h"
#include "selector/ranges.h"

/* public names start with: commission_ */

/* The machines in a request. */
struct commission_words {
    const struct commission *commission;
    struct buf text; /* machines with their host keys: NAME=FINGERPRINT,... */
    int64_t named;   /* requested machines that are not in the group yet */
};

/* Finds the row with a name or id. NULL: not found; the manager then reports the error. */
static const struct doc *commission_row_find(const struct commission *commission, struct text name)
{
    const struct doc *items = doc_child(commission->rows, "items");
    const struct doc *found = NULL;

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (text_is_equal(doc_child_text(&items->items[i], "id"), name)) {
            return &items->items[i];
        }
        if (text_is_equal(doc_child_text(&items->items[i], "name"), name)) {
            found = &items->items[i];
        }
    }
    return found;
}

/* Return the number of machines that the group has, or that are reserved for it, according to the
 * inventory. */
static int64_t commission_taken(const struct commission *commission, struct text cluster,
                                struct text path)
{
    const struct doc *items = doc_child(commission->rows, "items");
    int64_t count = 0;

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        const struct doc *row = &items->items[i];
        const struct doc *claim = doc_child(row, "claim");
        const struct doc *own = claim != NULL ? claim : doc_child(row, "reserved");

        count += own != NULL && text_is_equal(doc_child_text(row, "cluster"), cluster) &&
                 text_is_equal(doc_child_text(own, "group"), path);
    }
    return count;
}

static bool commission_is_of(const struct commission *commission, const struct doc *row)
{
    const struct doc *reserved = doc_child(row, "reserved");
    struct text cluster = doc_child_text(row, "cluster");

    return reserved != NULL &&
           text_is_equal(arena_printf(commission->command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                      TEXT_ARG(doc_child_text(reserved, "group"))),
                         commission->group.name);
}

static void commission_word_add(struct commission_words *words, struct text name)
{
    const struct commission *commission = words->commission;
    struct command *command = commission->command;
    const struct doc *row = commission_row_find(commission, name);
    struct text key = doc_child_text(row, "fingerprint");
    bool is_approved = text_is_equal(doc_child_text(doc_child(row, "approved"), "key"), key);

    buf_printf(&words->text, "%s%.*s", words->text.length > 0 ? "," : "", TEXT_ARG(name));
    words->named += row == NULL || !commission_is_of(commission, row);
    if (row == NULL || key.length == 0) {
        return;
    }
    if (!is_approved) {
        buf_printf(&words->text, "=%.*s", TEXT_ARG(key));
    }
    command_say(command,
                arena_printf(command->arena, "  %.*s  %.*s  host key %.*s %s",
                             TEXT_ARG(doc_child_text(row, "name")),
                             TEXT_ARG(doc_child_text(row, "address")), TEXT_ARG(key),
                             is_approved ? "approved" : "observed by the manager, not verified"));
}

/* Get the size that the group needs for its present machines and the requested machines. */
static bool commission_size_get(const struct commission_words *words, int64_t *out)
{
    const struct commission *commission = words->commission;
    struct text name = commission->group.name;
    size_t slash = text_find_byte(name, '/');
    struct doc object;
    int64_t needed;

    if (!session_get(commission->command, commission->session,
                     session_path(commission->command, commission->group.kind, name), &object)) {
        return false;
    }
    *out = doc_child_number(doc_child(&object, "spec"), "size");
    needed = words->named + commission_taken(commission, text_slice(name, 0, slash),
                                             text_slice(name, slash + 1, SIZE_MAX));
    *out = needed > *out ? needed : *out;
    return true;
}

bool commission_call_make(const struct commission *commission, struct change_call *out)
{
    struct command *command = commission->command;
    struct commission_words words = { .commission = commission };
    struct doc patch = doc_map(NULL, 0, NULL);
    int64_t size;

    buf_init(&words.text, command->arena);
    for (size_t i = 0; i < commission->count; i++) {
        commission_word_add(&words, commission->names[i]);
    }
    *out =
        (struct change_call){ .method = "PATCH", .content_type = "application/merge-patch+json" };
    out->path = session_path(command, commission->group.kind, commission->group.name);
    if (!commission_size_get(&words, &size) ||
        !change_pin_get(command, commission->session, &commission->group, &out->if_match) ||
        !fields_put(command, &patch, TEXT("size"), 0, doc_int(command->arena, size, NULL))) {
        return false;
    }
    out->body = change_body(command, &patch);
    out->commissions = buf_text(&words.text);
    out->vars = commission->vars;
    out->batching = commission->batching;
    out->is_adoption = commission->is_adoption;
    out->is_move = commission->is_move;
    if (commission->is_adoption) {
        command_say(
            command,
            TEXT(
                "  the machines are adopted as they are: reeve writes keys and facts, but runs no stages and no configuration"));
    }
    return true;
}

/* ---- selection ---- */

static bool commission_has_condition(const struct doc *row, const char *type)
{
    const struct doc *list = doc_child(row, "conditions");

    for (size_t i = 0; i < doc_child_count(row, "conditions"); i++) {
        if (text_is(doc_child_text(&list->items[i], "type"), type)) {
            return true;
        }
    }
    return false;
}

/* Return why a selected machine is left out, although it is in no group. NULL: it is not left out.
 * A machine that has left a group, or whose commission has failed, is commissioned only if it is
 * given by its name. */
static const char *commission_left_out(const struct doc *row)
{
    static const char *const conditions[] = { "failed", "cleanupPending", "duplicate", "flapping" };

    for (size_t i = 0; i < ARRAY_COUNT(conditions); i++) {
        if (commission_has_condition(row, conditions[i])) {
            return conditions[i];
        }
    }
    if (doc_child(row, "reserved") != NULL) {
        return "reserved for a group";
    }
    if (!text_is(doc_child_text(row, "state"), "discovered")) {
        return "it is away";
    }
    return text_is(doc_child_text(row, "status"), "unallocated") ? NULL
           : text_is(doc_child_text(row, "status"), "decommissioned")
               ? "decommissioned: name it to commission it again"
               : "its facts are incomplete";
}

static int commission_row_compare(const void *a, const void *b, void *arg)
{
    const struct doc *const *left = a;
    const struct doc *const *right = b;

    (void)arg;
    return ranges_compare(doc_child_text(*left, "name"), doc_child_text(*right, "name"));
}

bool commission_select(struct command *command, const struct session *session, const char *selector,
                       size_t most, struct text **out_names, size_t *out_count)
{
    const struct doc **rows;
    const struct doc *items;
    struct doc answer;
    size_t count = 0;
    size_t room;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes?discovered=1&selector=");
    client_path_add(&path, text_from(selector));
    if (!session_get(command, session, buf_text(&path), &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    room = doc_child_count(&answer, "items");
    rows = arena_array(command->arena, const struct doc *, room + 1);
    for (size_t i = 0; i < room; i++) {
        const struct doc *row = &items->items[i];
        const char *why = commission_left_out(row);

        if (doc_child(row, "claim") != NULL || doc_child(row, "ignored") != NULL) {
            continue;
        }
        if (why == NULL) {
            rows[count++] = row;
        } else {
            buf_printf(&command->notes, "left out: %.*s (%.*s): %s\n",
                       TEXT_ARG(doc_child_text(row, "name")), TEXT_ARG(doc_child_text(row, "id")),
                       why);
        }
    }
    sort_stable(command->arena, rows, count, sizeof(struct doc *), commission_row_compare, NULL);
    *out_count = count < most ? count : most;
    *out_names = arena_array(command->arena, struct text, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
        (*out_names)[i] = doc_child_text(rows[i], "id");
    }
    return count > 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                 "no machine of the inventory that waits matches '%s'", selector),
                    "reeve discover lists them; a fact that is not known matches nothing");
}

/* ---- moves ---- */

/* Return the group that has a machine, as CLUSTER/PATH. Empty: none. */
static struct text commission_owner(const struct commission *commission, struct text name)
{
    const struct doc *row = commission_row_find(commission, name);
    const struct doc *claim = row == NULL ? NULL : doc_child(row, "claim");

    return claim == NULL ? TEXT("")
                         : arena_printf(commission->command->arena, "%.*s/%.*s",
                                        TEXT_ARG(doc_child_text(row, "cluster")),
                                        TEXT_ARG(doc_child_text(claim, "group")));
}

/* Make the request for the group of the first machine, with all other machines of that group. */
static bool commission_leave_make(const struct commission *commission, size_t first,
                                  struct change_call *out)
{
    struct command *command = commission->command;
    struct text group = commission_owner(commission, commission->names[first]);
    struct target target = { schema_kind_find(TEXT("NodeGroup")), group };
    struct doc patch = doc_map(NULL, 0, NULL);
    struct buf victims;
    struct doc object;
    int64_t size;
    int64_t count = 0;

    *out =
        (struct change_call){ .method = "PATCH", .content_type = "application/merge-patch+json" };
    out->path = session_path(command, target.kind, target.name);
    if (!session_get(command, commission->session, out->path, &object) ||
        !change_pin_get(command, commission->session, &target, &out->if_match)) {
        return false;
    }
    buf_init(&victims, command->arena);
    for (size_t i = first; i < commission->count; i++) {
        if (text_is_equal(commission_owner(commission, commission->names[i]), group)) {
            const struct doc *row = commission_row_find(commission, commission->names[i]);

            buf_printf(&victims, "%s%.*s", count++ > 0 ? "," : "",
                       TEXT_ARG(doc_child_text(doc_child(row, "claim"), "name")));
        }
    }
    size = doc_child_number(doc_child(&object, "spec"), "size") - count;
    if (!fields_put(command, &patch, TEXT("size"), 0,
                    doc_int(command->arena, size > 0 ? size : 0, NULL))) {
        return false;
    }
    out->body = change_body(command, &patch);
    out->victims = buf_text(&victims);
    return true;
}

bool commission_leaves_make(const struct commission *commission, struct change_call *out_calls,
                            size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < commission->count; i++) {
        struct text group = commission_owner(commission, commission->names[i]);
        bool is_done = group.length == 0 || text_is_equal(group, commission->group.name);

        for (size_t j = 0; !is_done && j < i; j++) {
            is_done = text_is_equal(commission_owner(commission, commission->names[j]), group);
        }
        if (!is_done && !commission_leave_make(commission, i, &out_calls[(*out_count)++])) {
            return false;
        }
    }
    return true;
}

/* ---- again ---- */

/* A group to which returned machines are commissioned again. */
struct commission_group {
    struct text name; /* the group: CLUSTER/GROUP */
    struct text *machines;
    size_t count;
};

static size_t commission_groups_find(struct command *command, const struct doc *jobs,
                                     struct commission_group *groups)
{
    size_t count = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        const struct doc *returned = doc_child(doc_child(&jobs->items[i], "status"), "returned");
        struct text cluster = doc_child_text(doc_child(&jobs->items[i], "metadata"), "cluster");

        for (size_t j = 0; doc_is_list(returned) && j < returned->item_count; j++) {
            struct text name = arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                            TEXT_ARG(doc_child_text(&returned->items[j], "group")));
            size_t at = 0;

            while (at < count && !text_is_equal(groups[at].name, name)) {
                at++;
            }
            if (at == count) {
                groups[count++] = (struct commission_group){
                    .name = name,
                    .machines = arena_array(command->arena, struct text, returned->item_count),
                };
            }
            groups[at].machines[groups[at].count++] =
                doc_child_text(&returned->items[j], "machine");
        }
    }
    return count;
}

bool commission_again_make(struct command *command, const struct session *session,
                           const struct doc *jobs, struct change_call **out_calls,
                           size_t *out_count)
{
    struct commission_group *groups;
    struct doc rows;
    size_t room = 0;

    for (size_t i = 0; i < jobs->item_count; i++) {
        room += doc_child_count(doc_child(&jobs->items[i], "status"), "returned");
    }
    *out_count = 0;
    if (room == 0) {
        return true;
    }
    groups = arena_array(command->arena, struct commission_group, room);
    *out_calls = arena_array(command->arena, struct change_call, room);
    *out_count = commission_groups_find(command, jobs, groups);
    if (!session_get(command, session, TEXT("/v1/nodes?discovered=1"), &rows)) {
        return false;
    }
    for (size_t i = 0; i < *out_count; i++) {
        const struct commission commission = {
            .command = command,
            .session = session,
            .group = { schema_kind_find(TEXT("NodeGroup")), groups[i].name },
            .names = groups[i].machines,
            .count = groups[i].count,
            .rows = &rows,
        };

        if (!commission_call_make(&commission, &(*out_calls)[i])) {
            return false;
        }
    }
    return true;
}
