/* reeve repair: repairs nodes with a problem as the policy of their group allows. The manager
 * decides how each node is repaired (query/service_repairs.c): its failed stages run again, or its
 * machine is rebooted or replaced. The command shows all repairs and asks for consent before it
 * sends any request. */
#include "cli/args/consent.h"
#include "cli/change/change.h"
#include "cli/manager/again.h"
#include "cli/manager/batching.h"
#include "cli/manager/follow.h"
#include "cli/manager/nodes.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* public names start with: repair_ verb_ */

#define REPAIR_USE "reeve repair shop/web-2, or --state failed, or --failed-of 912"

struct repair {
    struct command *command;
    struct session session;
    struct batching batching;
    struct selected selected;
    struct doc *items; /* the nodes to repair, a map for each */
    size_t count;
    size_t left;
    struct consent_needs needs;
    bool is_again; /* stages that are not idempotent run again, too */
    enum exit_code worst;
};

static void repair_code_add(struct repair *repair, enum exit_code code)
{
    if (repair->worst == EXIT_CODE_DONE ||
        (repair->worst == EXIT_CODE_PARTIAL && code != EXIT_CODE_DONE)) {
        repair->worst = code;
    }
}

static bool repair_is_by(const struct doc *item, const char *by)
{
    return text_is(doc_child_text(item, "by"), by);
}

/* ---- machines to repair ---- */

static void repair_item_write(struct repair *repair, const struct doc *item)
{
    struct buf *out = &repair->command->notes;
    struct text cause = doc_child_text(item, "cause");

    buf_printf(out, "  %.*s/%.*s  %.*s: ", TEXT_ARG(doc_child_text(item, "cluster")),
               TEXT_ARG(doc_child_text(item, "node")), TEXT_ARG(doc_child_text(item, "state")));
    buf_add_string(out, repair_is_by(item, "reboot")    ? "reboots"
                        : repair_is_by(item, "replace") ? "is replaced"
                                                        : "runs its failed stages again");
    buf_add_string(out, " (");
    glyph_write_text(out, cause.length > 0 ? cause : doc_child_text(item, "why"));
    buf_add_string(out, ")\n");
}

static void repair_left_write(struct repair *repair, const struct doc *left)
{
    for (size_t i = 0; doc_is_list(left) && i < left->item_count; i++) {
        const struct doc *item = &left->items[i];

        buf_printf(&repair->command->notes, "  %.*s/%.*s is left out: %.*s\n",
                   TEXT_ARG(doc_child_text(item, "cluster")),
                   TEXT_ARG(doc_child_text(item, "node")), TEXT_ARG(doc_child_text(item, "why")));
        repair->left++;
    }
}

static void repair_take(struct repair *repair, const struct doc *answer)
{
    const struct doc *items = doc_child(answer, "items");
    size_t added = doc_is_list(items) ? items->item_count : 0;

    repair->items =
        arena_grow(repair->command->arena, repair->items, repair->count * sizeof(*repair->items),
                   (repair->count + added) * sizeof(*repair->items));
    for (size_t i = 0; i < added; i++) {
        repair_item_write(repair, &items->items[i]);
        repair->needs.reboot += repair_is_by(&items->items[i], "reboot");
        repair->needs.replace += repair_is_by(&items->items[i], "replace");
        repair->needs.is_change |= repair_is_by(&items->items[i], "bootstrap");
        repair->items[repair->count++] = items->items[i];
    }
    repair_left_write(repair, doc_child(answer, "left"));
}

/* Ask the manager how each selected node would be repaired. False: an error was added. */
static bool repair_ask(struct repair *repair)
{
    struct command *command = repair->command;

    for (size_t i = 0; i < repair->selected.count; i++) {
        struct err_list before = command->errors;
        struct doc answer;
        struct buf path;

        buf_init(&path, command->arena);
        buf_add_string(&path, "/v1/repairs");
        selected_parameters(&path, &repair->selected, &repair->selected.items[i]);
        if (session_get(command, &repair->session, buf_text(&path), &answer)) {
            repair_take(repair, &answer);
        } else if (selected_is_empty_part(&repair->selected, &command->errors, before.count)) {
            command->errors = before;
        } else {
            return false;
        }
    }
    return repair->count > 0 ||
           err_hint(
               err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                            repair->left > 0 ? "none of these nodes can be repaired"
                                             : "no node is selected"),
               "reeve get nodes --state failed,unhealthy,unreachable lists the nodes that may need a repair");
}

/* Check the batch flags. They apply to stages that run again; reboots and replacements follow the
 * rollout of their group. */
static bool repair_flags_check(struct repair *repair)
{
    static const char *const flags[] = { "batch", "max-fail", "canary",   "bake",         "order",
                                         "seed",  "spread",   "deadline", "pause-between" };
    struct command *command = repair->command;

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (repair->needs.reboot + repair->needs.replace > 0 &&
            args_named(&command->args, flags[i]) != NULL) {
            return err_hint(
                err_list_set(
                    &command->errors, (struct place){ 0 }, CODE_R0005,
                    "--%s applies only to stages that run again; reboots and replacements follow the rollout of their group",
                    flags[i]),
                "leave it out, or repair the nodes with failed stages alone: --state failed");
        }
    }
    return true;
}

/* ---- stages ---- */

/* Return the names of a cluster's nodes whose stages run again, separated by commas. */
static struct text repair_stage_names(struct repair *repair, struct text cluster)
{
    struct buf names;

    buf_init(&names, repair->command->arena);
    for (size_t i = 0; i < repair->count; i++) {
        const struct doc *item = &repair->items[i];

        if (repair_is_by(item, "bootstrap") &&
            text_is_equal(doc_child_text(item, "cluster"), cluster)) {
            buf_printf(&names, "%s%.*s", names.length > 0 ? "," : "",
                       TEXT_ARG(doc_child_text(item, "node")));
        }
    }
    return buf_text(&names);
}

/* True if this is the first item of its cluster, or (`is_group`) of its group. */
static bool repair_is_first(const struct repair *repair, size_t index, bool is_group)
{
    const struct doc *one = &repair->items[index];

    for (size_t i = 0; i < index; i++) {
        const struct doc *item = &repair->items[i];

        if (text_is_equal(doc_child_text(item, "cluster"), doc_child_text(one, "cluster")) &&
            (!is_group ||
             text_is_equal(doc_child_text(item, "group"), doc_child_text(one, "group")))) {
            return false;
        }
    }
    return true;
}

/* Ask for consent if stages that are not idempotent would run again. */
static bool repair_again_ask(struct repair *repair)
{
    struct command *command = repair->command;
    struct again again;

    again_init(&again, command);
    for (size_t i = 0; i < repair->count; i++) {
        struct text cluster = doc_child_text(&repair->items[i], "cluster");
        struct nodes nodes;

        if (!repair_is_first(repair, i, false) || repair_stage_names(repair, cluster).length == 0) {
            continue;
        }
        if (!nodes_get(command, &repair->session, cluster, &nodes)) {
            return false;
        }
        for (size_t j = 0; j < repair->count; j++) {
            const struct doc *item = &repair->items[j];
            const struct doc *node = nodes_find(&nodes, doc_child_text(item, "node"));

            if (node != NULL && repair_is_by(item, "bootstrap") &&
                text_is_equal(doc_child_text(item, "cluster"), cluster)) {
                again_add(&again, cluster, node, true, 0);
            }
        }
    }
    return again_ask(&again, &repair->session, &repair->is_again);
}

static void repair_stages_run(struct repair *repair, struct text cluster)
{
    struct command *command = repair->command;
    struct selected_place place = { .cluster = cluster,
                                    .names = repair_stage_names(repair, cluster) };
    struct selected selected = { .items = &place, .count = 1, .is_named = true };
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct batching_body body;
    struct doc answer;

    batching_body_init(&body, command);
    batching_text(&body, "why", text_from(args_named(&command->args, "message")));
    if (repair->is_again) {
        doc_builder_put(&body.builder, "again", doc_bool(true, NULL));
    }
    if (!batching_put(&body, &repair->batching, &selected, &place)) {
        repair_code_add(repair, EXIT_CODE_FAILED);
        return;
    }
    request.path = batching_path(command, &place, "bootstrap");
    request.body = batching_body_format(&body);
    if (!session_ask(command, &repair->session, &request, &answer)) {
        repair_code_add(repair, EXIT_CODE_FAILED);
        return;
    }
    repair_code_add(repair, follow_job(command, &repair->session, doc_child_number(&answer, "job"),
                                       args_named(&command->args, "detach") != NULL));
}

/* ---- machines ---- */

/* Return the names of a group's nodes that get this kind of repair. */
static struct text repair_names(struct repair *repair, const struct doc *group, const char *by)
{
    struct buf names;

    buf_init(&names, repair->command->arena);
    for (size_t i = 0; i < repair->count; i++) {
        const struct doc *item = &repair->items[i];

        if (repair_is_by(item, by) &&
            text_is_equal(doc_child_text(item, "cluster"), doc_child_text(group, "cluster")) &&
            text_is_equal(doc_child_text(item, "group"), doc_child_text(group, "group"))) {
            buf_printf(&names, "%s%.*s", names.length > 0 ? "," : "",
                       TEXT_ARG(doc_child_text(item, "node")));
        }
    }
    return buf_text(&names);
}

/* Make the request for a group: its reboots and its replacements. False: an error was added. */
static bool repair_call_make(struct repair *repair, const struct doc *group,
                             struct change_call *out)
{
    struct command *command = repair->command;
    struct doc patch = doc_map(NULL, 0, NULL);
    struct target target = {
        schema_kind_find(TEXT("NodeGroup")),
        arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(doc_child_text(group, "cluster")),
                     TEXT_ARG(doc_child_text(group, "group"))),
    };

    *out = (struct change_call){ .method = "PATCH",
                                 .path = session_path(command, target.kind, target.name),
                                 .content_type = "application/merge-patch+json",
                                 .reboots = repair_names(repair, group, "reboot"),
                                 .replaces = repair_names(repair, group, "replace") };
    out->body = change_body(command, &patch);
    return change_pin_get(command, &repair->session, &target, &out->if_match);
}

static void repair_machines_run(struct repair *repair)
{
    struct command *command = repair->command;
    struct change_set set = { .calls =
                                  arena_array(command->arena, struct change_call, repair->count),
                              .agreed = &repair->needs };

    for (size_t i = 0; i < repair->count; i++) {
        const struct doc *item = &repair->items[i];

        if (!repair_is_first(repair, i, true) ||
            repair_names(repair, item, "reboot").length +
                    repair_names(repair, item, "replace").length ==
                0) {
            continue;
        }
        if (!repair_call_make(repair, item, &set.calls[set.count])) {
            repair_code_add(repair, EXIT_CODE_FAILED);
            return;
        }
        set.count++;
    }
    if (set.count > 0) {
        repair_code_add(repair, change_run(command, &repair->session, &set));
    }
}

/* ---- the verb ---- */

/* Batch flags that do not apply to this verb. All other batch flags work as with every verb. */
static const struct batching_refusal refusals[] = {
    { "surge", "repair has no --surge: the rollout of the group applies",
      "reeve set CLUSTER/GROUP rollout.surge=N changes it" },
    { "unavailable", "repair has no --unavailable: the policy of the group applies",
      "reeve set CLUSTER/GROUP rollout.unavailable=N changes it" },
};

static bool repair_agree(struct repair *repair)
{
    command_flush(repair->command);
    return repair_again_ask(repair) &&
           ((repair->is_again && repair->needs.reboot + repair->needs.replace == 0) ||
            consent_get(repair->command, &repair->needs,
                        session_words(repair->command, &repair->session), NULL, NULL));
}

enum exit_code verb_repair(struct command *command)
{
    const struct args *args = &command->args;
    struct repair repair = { .command = command };

    if (!batching_read(command, refusals, ARRAY_COUNT(refusals), &repair.batching)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &repair.session) ||
        !selected_read(command, &repair.session, args->words, args->argument_count, REPAIR_USE,
                       &repair.selected) ||
        !repair_ask(&repair)) {
        return EXIT_CODE_FAILED;
    }
    if (!repair_flags_check(&repair)) {
        return EXIT_CODE_USAGE;
    }
    if (repair.batching.is_dry) {
        return EXIT_CODE_DONE;
    }
    if (!repair_agree(&repair)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; i < repair.count; i++) {
        struct text cluster = doc_child_text(&repair.items[i], "cluster");

        if (repair_is_first(&repair, i, false) && repair_stage_names(&repair, cluster).length > 0) {
            repair_stages_run(&repair, cluster);
        }
    }
    repair_machines_run(&repair);
    return repair.worst;
}
