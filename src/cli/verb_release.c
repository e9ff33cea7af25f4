/* reeve release: machines go back to their owners. What is sent is a smaller size of their group in which they go first; what reeve has
 * written on a machine is removed by the reconciler, before the provider lets it go (docs/decisions/0118). */
#include "cli/change.h"
#include "cli/fields.h"
#include "cli/nodes.h"
#include "cli/plan_writer.h"
#include "cli/say.h"
#include "model/ranges.h"

#include <string.h>

struct released {
    struct text cluster;
    const struct doc *node;
};

/* The machines of all words. */
struct release_list {
    struct command *command;
    const struct session *session;
    struct released *items;
    size_t count;
    size_t room;
};

static struct text release_name(const struct released *one)
{
    return listing_text(one->node, "metadata", "name");
}

/* One that is named twice is meant once. */
static void release_add(struct release_list *list, struct text cluster, const struct doc *node)
{
    struct released *grown;

    for (size_t i = 0; i < list->count; i++) {
        if (text_is_equal(list->items[i].cluster, cluster) &&
            text_is_equal(listing_text(list->items[i].node, "metadata", "id"),
                          listing_text(node, "metadata", "id"))) {
            return;
        }
    }
    if (list->count == list->room) {
        list->room = 2 * list->room + 8;
        grown = arena_array(list->command->arena, struct released, list->room);
        if (list->count > 0) {
            memcpy(grown, list->items, list->count * sizeof(*grown));
        }
        list->items = grown;
    }
    list->items[list->count++] = (struct released){ cluster, node };
}

/* What a word names: a machine by its name, id or token, or a range of them. False: an error was added. */
static bool release_word_read(struct release_list *list, const char *word)
{
    struct command *command = list->command;
    size_t before = list->count;
    struct text cluster;
    struct text name;
    struct nodes nodes;

    if (!nodes_word_read(command, word, "reeve release shop/rack-2", &cluster, &name) ||
        !nodes_home_ask(command, list->session, name, &cluster) ||
        !nodes_get(command, list->session, cluster, &nodes)) {
        return false;
    }
    for (size_t i = 0; i < nodes.count; i++) {
        const struct doc *node = &nodes.items[i];

        if (ranges_has(name, listing_text(node, "metadata", "name")) ||
            text_is_equal(listing_text(node, "metadata", "id"), name) ||
            text_is_equal(listing_text(node, "status", "id"), name)) {
            release_add(list, cluster, node);
        }
    }
    return list->count > before ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                 "there is no machine '%.*s' in %.*s; one that was released is no "
                                 "member any more",
                                 TEXT_ARG(name), TEXT_ARG(cluster)),
                    "reeve tree %.*s shows what there is; reeve events %.*s says what was released",
                    TEXT_ARG(cluster), TEXT_ARG(cluster));
}

/* ---- --force ---- */

static enum exit_code release_abandon(struct release_list *list)
{
    struct command *command = list->command;

    for (size_t i = 0; i < list->count; i++) {
        const struct released *one = &list->items[i];

        if (!say_of_node(command, list->session, one->cluster,
                         listing_text(one->node, "metadata", "id"), "abandon",
                         args_named(&command->args, "message"))) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes,
                   "%.*s/%.*s: its release is given up; what reeve has written on it may still be "
                   "there (docs/reference/release.md)\n",
                   TEXT_ARG(one->cluster), TEXT_ARG(release_name(one)));
    }
    return EXIT_CODE_DONE;
}

/* ---- a smaller size ---- */

/* Machines that a plugin makes belong to nobody else. */
static bool release_may(struct release_list *list, const struct released *one)
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
                             TEXT_ARG(one->cluster), TEXT_ARG(release_name(one)), TEXT_ARG(plugin)),
                "reeve scale %.*s/%.*s -1 --pick %.*s destroys it", TEXT_ARG(one->cluster),
                TEXT_ARG(listing_text(one->node, "metadata", "group")),
                TEXT_ARG(release_name(one)));
        }
    }
    return true;
}

static bool release_is_leaving(const struct released *one)
{
    return text_is(listing_text(one->node, "status", "state"), "delete");
}

static void release_leaving_tell(struct command *command, const struct released *one)
{
    struct text step = nodes_step(command, one->node);

    buf_printf(&command->notes, "%.*s/%.*s is being released already%s%.*s\n",
               TEXT_ARG(one->cluster), TEXT_ARG(release_name(one)), step.length > 0 ? ": " : "",
               TEXT_ARG(step));
}

/* One request for the group of list->items[first] and all others of it; they are marked as taken by an empty cluster. */
static bool release_call_make(struct release_list *list, size_t first, struct change_call *out)
{
    struct command *command = list->command;
    struct text cluster = list->items[first].cluster;
    struct text group = listing_text(list->items[first].node, "metadata", "group");
    struct target target = {
        schema_kind_find(TEXT("NodeGroup")),
        arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group)),
    };
    struct doc patch = doc_map(NULL, 0, NULL);
    struct buf victims;
    struct doc object;
    int64_t count = 0;
    int64_t size;

    buf_init(&victims, command->arena);
    for (size_t i = first; i < list->count; i++) {
        struct released *one = &list->items[i];

        if (text_is_equal(one->cluster, cluster) &&
            text_is_equal(listing_text(one->node, "metadata", "group"), group)) {
            buf_printf(&victims, "%s%.*s", count == 0 ? "" : ",", TEXT_ARG(release_name(one)));
            one->cluster = TEXT("");
            count++;
        }
    }
    *out = (struct change_call){ .method = "PATCH",
                                 .path = session_path(command, target.kind, target.name),
                                 .content_type = "application/merge-patch+json",
                                 .victims = buf_text(&victims) };
    if (!change_pin_get(command, list->session, &target, &out->if_match) ||
        !session_get(command, list->session, out->path, &object)) {
        return false;
    }
    size = plan_child_number(doc_child(&object, "spec"), "size") - count;
    if (!fields_put(command, &patch, TEXT("size"), 0,
                    doc_int(command->arena, size > 0 ? size : 0, NULL))) {
        return false;
    }
    out->body = change_body(command, &patch);
    return true;
}

static enum exit_code release_run(struct release_list *list)
{
    struct command *command = list->command;
    struct change_call *calls = arena_array(command->arena, struct change_call, list->count);
    struct change_set set = { .calls = calls };

    for (size_t i = 0; i < list->count; i++) {
        if (release_is_leaving(&list->items[i])) {
            release_leaving_tell(command, &list->items[i]);
            list->items[i].cluster = TEXT("");
        } else if (!release_may(list, &list->items[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].cluster.length > 0 && !release_call_make(list, i, &calls[set.count++])) {
            return EXIT_CODE_FAILED;
        }
    }
    return set.count == 0 ? EXIT_CODE_DONE : change_run(command, list->session, &set);
}

enum exit_code verb_release(struct command *command)
{
    struct session session;
    struct release_list list = { .command = command, .session = &session };

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < command->args.word_count; i++) {
        if (!release_word_read(&list, command->args.words[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    return args_has(&command->args, FLAG_RELEASE_FORCE) ? release_abandon(&list)
                                                        : release_run(&list);
}
