/* reeve release and decommission: take machines out of their groups. release returns them to their
 * owners. The request sets a smaller size of their groups, and names the machines to remove first.
 * The reconciler removes reeve's files from a machine before the provider releases it
 * (docs/decisions/0113). */
#include "cli/args/fields.h"
#include "cli/change/change.h"
#include "cli/change/members.h"
#include "cli/manager/say.h"
#include "codec/doc_child.h"

/* ---- --force ---- */

static enum exit_code release_abandon(struct members *list)
{
    struct command *command = list->command;

    for (size_t i = 0; i < list->count; i++) {
        const struct member *one = &list->items[i];

        if (!say_of_node(command, list->session, one->cluster,
                         listing_text(one->node, "metadata", "id"), "abandon",
                         args_named(&command->args, "message"))) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(
            &command->notes,
            "%.*s/%.*s: the release is abandoned; files that reeve wrote may remain on the machine (docs/reference/release.md)\n",
            TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)));
    }
    return EXIT_CODE_DONE;
}

/* ---- a smaller size ---- */

/* Check that the machine can be released; a machine that a plugin created has no other owner. */
static bool release_may(struct members *list, const struct member *one)
{
    struct command *command = list->command;
    struct text plugin = listing_text(one->node, "status", "plugin");
    const struct doc *can;
    struct doc about;

    if (!session_get(command, list->session,
                     arena_printf(command->arena, "/v1/plugins/%.*s", TEXT_ARG(plugin)), &about)) {
        return false;
    }
    can = doc_child(&about, "can");
    for (size_t i = 0; doc_is_list(can) && i < can->item_count; i++) {
        if (doc_is_scalar(&can->items[i]) && text_is(can->items[i].text, "dispose")) {
            return err_hint(
                err_list_set(&command->errors, (struct place){ 0 }, CODE_R0817,
                             "%.*s/%.*s was made by plugin %.*s for reeve, and has no other owner",
                             TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)), TEXT_ARG(plugin)),
                "reeve scale %.*s/%.*s -1 --pick %.*s destroys it", TEXT_ARG(one->cluster),
                TEXT_ARG(listing_text(one->node, "metadata", "group")),
                TEXT_ARG(members_name(one)));
        }
    }
    return true;
}

static bool release_is_leaving(const struct member *one)
{
    return text_is(listing_text(one->node, "status", "state"), "delete");
}

static void release_leaving_report(struct command *command, const struct member *one)
{
    struct text step = nodes_step(command, one->node);

    buf_printf(&command->notes, "%.*s/%.*s is being released already%s%.*s\n",
               TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)), step.length > 0 ? ": " : "",
               TEXT_ARG(step));
}

/* True if all members of the cluster that are not taken yet are of one group. */
static bool release_has_one_group(const struct members *list, size_t first)
{
    struct text group = listing_text(list->items[first].node, "metadata", "group");

    for (size_t i = first; i < list->count; i++) {
        if (text_is_equal(list->items[i].cluster, list->items[first].cluster) &&
            !text_is_equal(listing_text(list->items[i].node, "metadata", "group"), group)) {
            return false;
        }
    }
    return true;
}

/* Take a group of the cluster: put its smaller size into the patch, and its names into the list. */
static bool release_group_put(struct members *list, size_t first, bool is_alone, struct doc *patch,
                              struct buf *all, struct change_call *out)
{
    struct command *command = list->command;
    struct text path = listing_text(list->items[first].node, "metadata", "group");
    struct text names;
    size_t count = members_group_take(list, first, out, &names);
    struct doc object;
    int64_t size;

    if (count == 0 || !session_get(command, list->session, out->path, &object)) {
        return false;
    }
    buf_printf(all, "%s%.*s", all->length > 0 ? "," : "", TEXT_ARG(names));
    size = doc_child_number(doc_child(&object, "spec"), "size") - (int64_t)count;
    return fields_put(command, patch,
                      is_alone ? TEXT("size")
                               : arena_printf(command->arena, "groups.%.*s.size", TEXT_ARG(path)),
                      0, doc_int(command->arena, size > 0 ? size : 0, NULL));
}

/* Make one request for list->items[first] and all other items of its cluster: about their group, or
 * about the cluster, so that all groups become smaller or none. */
static bool release_call_make(struct members *list, size_t first, struct change_call *out)
{
    struct command *command = list->command;
    struct target cluster = { schema_kind_find(TEXT("Cluster")), list->items[first].cluster };
    bool is_alone = release_has_one_group(list, first);
    struct doc patch = doc_map(NULL, 0, NULL);
    struct buf names;

    buf_init(&names, command->arena);
    for (size_t i = first; i < list->count; i++) {
        if (text_is_equal(list->items[i].cluster, cluster.name) &&
            !release_group_put(list, i, is_alone, &patch, &names, out)) {
            return false;
        }
    }
    if (!is_alone) {
        out->path = session_path(command, cluster.kind, cluster.name);
        if (!change_pin_get(command, list->session, &cluster, &out->if_match)) {
            return false;
        }
    }
    out->victims = buf_text(&names);
    out->body = change_body(command, &patch);
    return true;
}

static enum exit_code release_run(struct members *list, bool is_release, bool is_absent)
{
    struct command *command = list->command;
    struct change_call *calls = arena_array(command->arena, struct change_call, list->count);
    struct change_set set = { .calls = calls };

    for (size_t i = 0; i < list->count; i++) {
        if (release_is_leaving(&list->items[i])) {
            release_leaving_report(command, &list->items[i]);
            list->items[i].cluster = TEXT("");
        } else if (is_release && !release_may(list, &list->items[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].cluster.length == 0) {
            continue;
        }
        if (!release_call_make(list, i, &calls[set.count])) {
            return EXIT_CODE_FAILED;
        }
        calls[set.count].is_absent = is_absent;
        calls[set.count++].is_release = is_release;
    }
    return set.count == 0 ? EXIT_CODE_DONE : change_run(command, list->session, &set);
}

enum exit_code verb_release(struct command *command)
{
    struct session session;
    struct members list = { .command = command,
                            .session = &session,
                            .use = "reeve release shop/rack-2",
                            .verb_past = "released" };

    if (!session_open(command, &session) || !members_read(&list)) {
        return EXIT_CODE_FAILED;
    }
    return args_has(&command->args, FLAG_RELEASE_FORCE) ? release_abandon(&list)
                                                        : release_run(&list, true, false);
}

/* Decommission without a smaller size: other machines take the slots, as by reeve replace. */
static enum exit_code release_refill(struct command *command)
{
    if (args_has(&command->args, FLAG_DECOMMISSION_ABSENT)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--absent and --refill exclude each other"),
                 "decommission the machine with --absent, then: %s scale CLUSTER/GROUP +1",
                 command->program);
        return EXIT_CODE_USAGE;
    }
    return members_request(command, MEMBERS_REPLACE, "reeve decommission dc/workers-3 --refill");
}

enum exit_code verb_decommission(struct command *command)
{
    struct session session;
    struct members list = { .command = command,
                            .session = &session,
                            .use = "reeve decommission dc/workers-3",
                            .verb_past = "decommissioned" };

    if (args_has(&command->args, FLAG_DECOMMISSION_REFILL)) {
        return release_refill(command);
    }
    return !session_open(command, &session) || !members_read(&list)
               ? EXIT_CODE_FAILED
               : release_run(&list, false, args_has(&command->args, FLAG_DECOMMISSION_ABSENT));
}
