#include "cli/change/undo_group.h"

#include "cli/change/change.h"
#include "cli/manager/nodes.h"
#include "cli/manager/say.h"
#include "codec/doc_child.h"

#include <assert.h>

/* reeve undo of a group. While a rollout is unfinished, the undo applies to the change that is
 * being rolled out. The group may have newer changes of other values, such as its size or a label;
 * undoing those would not affect the rollout. */

/* How many of the newest changes are searched for the change that is being rolled out. */
enum { CHANGES_MAX = 10 };

struct undoing {
    struct command *command;
    const struct session *session;
    const struct target *target;
    struct change_call call;
};

static struct text undo_body(struct command *command, int64_t to)
{
    return to == 0 ? TEXT("{}") : arena_printf(command->arena, "{\"to\":%lld}", (long long)to);
}

/* True if a group of the plan runs changed stages on members in service. */
static bool changes_in_place(const struct doc *plan)
{
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            if (doc_child(&groups->items[j], "inPlace") != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* Find out whether an undo to this revision would replace machines. Revision 0 is the second
 * newest. False: unknown. */
static bool replaces_read(struct undoing *undoing, int64_t to, bool *out_replaces)
{
    struct change_call call = undoing->call;
    const struct doc *needs;

    call.body = undo_body(undoing->command, to);
    if (!change_dry(undoing->command, undoing->session, &call)) {
        return false;
    }
    needs = doc_child(&call.answer, "needs");
    *out_replaces =
        doc_child_number(needs, "replace") > 0 || changes_in_place(doc_child(&call.answer, "plan"));
    return true;
}

static struct text change_format(struct arena *arena, const struct doc *change)
{
    struct text why = doc_child_text(change, "why");

    return arena_printf(
        arena, "revision %lld, by %.*s%s%.*s", (long long)doc_child_number(change, "revision"),
        TEXT_ARG(doc_child_text(change, "by")), why.length > 0 ? ": " : "", TEXT_ARG(why));
}

/* Find the newest change that replaced machines, except the newest change of all. Returns its index
 * in the list; 0: there is none. */
static size_t roll_find(struct undoing *undoing, const struct doc *changes)
{
    struct err_list before = undoing->command->errors;

    for (size_t i = 1; i + 1 < changes->item_count && i < CHANGES_MAX; i++) {
        bool replaces = false;

        if (!replaces_read(undoing, doc_child_number(&changes->items[i + 1], "revision"),
                           &replaces)) {
            /* this is not an error: the past state of the group is no longer stored */
            undoing->command->errors = before;
            return 0;
        }
        if (replaces) {
            return i;
        }
    }
    return 0;
}

static enum exit_code other_refuse(struct undoing *undoing)
{
    struct command *command = undoing->command;
    const struct target *target = undoing->target;
    struct text subject = target_format(command->arena, target);
    const struct doc *changes;
    const struct doc *before;
    struct doc history;
    struct err *err;
    size_t at;

    if (!session_get(command, undoing->session,
                     arena_printf(command->arena, "%.*s?view=history",
                                  TEXT_ARG(session_path(command, target->kind, target->name))),
                     &history)) {
        return EXIT_CODE_FAILED;
    }
    changes = doc_child(&history, "items");
    assert(doc_is_list(changes) && changes->item_count > 0);
    at = roll_find(undoing, changes);
    before = changes->item_count > 1 ? &changes->items[1] : &changes->items[0];
    err = err_list_set(
        &command->errors, (struct place){ 0 }, CODE_R0575,
        "undoing the newest change of %.*s (%.*s) would replace no machine and run no stage",
        TEXT_ARG(subject), TEXT_ARG(change_format(command->arena, &changes->items[0])));
    if (at == 0) {
        err_hint(
            err,
            "to undo only that change: reeve undo %.*s --to %lld; a change of the cluster may have started the rollout: reeve describe %.*s --history",
            TEXT_ARG(target->name), (long long)doc_child_number(before, "revision"),
            TEXT_ARG(target_cluster(target)));
    } else {
        err_hint(
            err,
            "the change being rolled out is %.*s; to undo it and all later changes: reeve undo %.*s --to %lld",
            TEXT_ARG(change_format(command->arena, &changes->items[at])), TEXT_ARG(target->name),
            (long long)doc_child_number(&changes->items[at + 1], "revision"));
    }
    return EXIT_CODE_CONFLICT;
}

/* Resume the rollout of a group. A pause or an abort stays in effect when the target of the rollout
 * changes, so without this the undo would stop in the middle. */
static bool roll_resume(struct command *command, const struct session *session, void *arg)
{
    struct err_list before = command->errors;

    if (say_word(command, session, arg, "rollout-resume", TEXT(""), "undo")) {
        return true;
    }
    if (command->errors.errors == before.errors + 1 &&
        command->errors.items[command->errors.count - 1].code == CODE_R0433) {
        command->errors = before; /* not an error (R0433): the rollout was not stopped */
        return true;
    }
    return false;
}

/* Find out whether a rollout of the group is unfinished: a member has not reached the desired state
 * yet. */
static bool rolls_read(struct undoing *undoing, bool *out_rolls)
{
    struct text cluster = target_cluster(undoing->target);
    struct text group =
        text_slice(undoing->target->name, cluster.length + 1, undoing->target->name.length);
    struct nodes nodes;

    *out_rolls = false;
    if (!nodes_get(undoing->command, undoing->session, cluster, &nodes)) {
        return false;
    }
    nodes = nodes_of(&nodes, group);
    for (size_t i = 0; i < nodes.count; i++) {
        *out_rolls = *out_rolls || nodes_is_outdated(&nodes.items[i]);
    }
    return true;
}

enum exit_code undo_group(struct command *command, const struct session *session,
                          const struct target *target, const char *to)
{
    struct target subject = *target;
    int64_t revision = 0;
    struct undoing undoing = { command, session, target, { 0 } };
    struct change_set set = { &undoing.call, 1, .arg = &subject };
    bool replaces = false;
    bool rolls = false;

    if (to != NULL && !text_parse_int64(text_from(to), &revision)) {
        return EXIT_CODE_USAGE;
    }
    undoing.call = (struct change_call){ .method = "POST",
                                         .content_type = "application/json",
                                         .body = undo_body(command, revision) };
    if (!change_pin_get(command, session, target, &undoing.call.if_match)) {
        return EXIT_CODE_NOT_FOUND;
    }
    undoing.call.path = arena_printf(command->arena, "%.*s/undo",
                                     TEXT_ARG(session_path(command, target->kind, target->name)));
    if (!replaces_read(&undoing, revision, &replaces) ||
        (!replaces && to == NULL && !rolls_read(&undoing, &rolls))) {
        return EXIT_CODE_FAILED;
    }
    if (rolls) {
        return other_refuse(&undoing);
    }
    set.then = replaces ? roll_resume : NULL;
    return change_run(command, session, &set);
}
