#include "cli/change/members.h"

#include "cli/manager/listing.h"
#include "cli/manager/selected.h"
#include "selector/ranges.h"

#include <string.h>

struct text members_name(const struct member *one)
{
    return listing_text(one->node, "metadata", "name");
}

static void members_add(struct members *members, struct text cluster, const struct doc *node)
{
    struct member *grown;

    for (size_t i = 0; i < members->count; i++) {
        if (text_is_equal(members->items[i].cluster, cluster) &&
            text_is_equal(listing_text(members->items[i].node, "metadata", "id"),
                          listing_text(node, "metadata", "id"))) {
            return;
        }
    }
    if (members->count == members->room) {
        members->room = 2 * members->room + 8;
        grown = arena_array(members->command->arena, struct member, members->room);
        if (members->count > 0) {
            memcpy(grown, members->items, members->count * sizeof(*grown));
        }
        members->items = grown;
    }
    members->items[members->count++] = (struct member){ cluster, node };
}

static bool member_unfound(struct members *members, struct text cluster, struct text name)
{
    struct err *err =
        err_list_set(&members->command->errors, (struct place){ 0 }, CODE_R0403,
                     "there is no machine '%.*s' in %.*s%s%s%s", TEXT_ARG(name), TEXT_ARG(cluster),
                     members->verb_past == NULL ? "" : "; one that was ",
                     members->verb_past == NULL ? "" : members->verb_past,
                     members->verb_past == NULL ? "" : " is no longer a member");

    return err_hint(
        err,
        "reeve get nodes -c %.*s lists its machines; reeve events cluster/%.*s shows its events",
        TEXT_ARG(cluster), TEXT_ARG(cluster));
}

bool members_word_read(struct members *members, const char *word)
{
    struct command *command = members->command;
    size_t before = members->count;
    struct text cluster;
    struct text name;
    struct nodes nodes;

    if (!nodes_word_read(command, word, members->use, &cluster, &name) ||
        !nodes_memory_ask(command, members->session, name, &cluster) ||
        !nodes_get_named(command, members->session, cluster, name, &nodes)) {
        return false;
    }
    for (size_t i = 0; i < nodes.count; i++) {
        const struct doc *node = &nodes.items[i];

        if (ranges_has(name, listing_text(node, "metadata", "name")) ||
            text_is_equal(listing_text(node, "metadata", "id"), name) ||
            text_is_equal(listing_text(node, "status", "id"), name)) {
            members_add(members, cluster, node);
        }
    }
    return members->count > before || member_unfound(members, cluster, name);
}

bool members_read(struct members *members)
{
    for (size_t i = 0; i < members->command->args.argument_count; i++) {
        if (!members_word_read(members, members->command->args.words[i])) {
            return false;
        }
    }
    return true;
}

bool members_select(struct members *members)
{
    static const char *const flags[] = { "cluster",   "group",    "selector", "state",
                                         "failed-of", "revision", "all" };
    const struct args *args = &members->command->args;
    struct selected selected;
    struct selected_node *nodes;
    bool is_selected = args->argument_count == 0;
    size_t count;

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        is_selected = is_selected || args_named(args, flags[i]) != NULL;
    }
    if (!is_selected) {
        return members_read(members);
    }
    if (!selected_read(members->command, members->session, args->words, args->argument_count,
                       members->use, &selected) ||
        !selected_find(members->command, members->session, &selected, &nodes, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct text word = arena_printf(members->command->arena, "%.*s/%.*s",
                                        TEXT_ARG(nodes[i].cluster), TEXT_ARG(nodes[i].name));

        if (!members_word_read(members, arena_string(members->command->arena, word))) {
            return false;
        }
    }
    return true;
}

size_t members_group_take(struct members *members, size_t first, struct change_call *out_call,
                          struct text *out_names)
{
    struct command *command = members->command;
    struct text cluster = members->items[first].cluster;
    struct text group = listing_text(members->items[first].node, "metadata", "group");
    struct target target = {
        schema_kind_find(TEXT("NodeGroup")),
        arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group)),
    };
    struct buf names;
    size_t count = 0;

    buf_init(&names, command->arena);
    for (size_t i = first; i < members->count; i++) {
        struct member *one = &members->items[i];

        if (text_is_equal(one->cluster, cluster) &&
            text_is_equal(listing_text(one->node, "metadata", "group"), group)) {
            buf_printf(&names, "%s%.*s", count == 0 ? "" : ",", TEXT_ARG(members_name(one)));
            one->cluster = TEXT("");
            count++;
        }
    }
    *out_names = buf_text(&names);
    *out_call = (struct change_call){ .method = "PATCH",
                                      .path = session_path(command, target.kind, target.name),
                                      .content_type = "application/merge-patch+json" };
    return change_pin_get(command, members->session, &target, &out_call->if_match) ? count : 0;
}

static enum exit_code members_send(struct members *members, enum members_request_kind kind)
{
    struct command *command = members->command;
    struct change_call *calls = arena_array(command->arena, struct change_call, members->count);
    struct change_set set = { .calls = calls };
    struct doc patch = doc_map(NULL, 0, NULL);

    for (size_t i = 0; i < members->count; i++) {
        struct change_call *call = &calls[set.count];
        struct text names;

        if (members->items[i].cluster.length == 0) {
            continue;
        }
        if (members_group_take(members, i, call, &names) == 0) {
            return EXIT_CODE_FAILED;
        }
        call->replaces = kind == MEMBERS_REPLACE ? names : TEXT("");
        call->reboots = kind == MEMBERS_REBOOT ? names : TEXT("");
        call->body = change_body(command, &patch);
        set.count++;
    }
    return change_run(command, members->session, &set);
}

enum exit_code members_request(struct command *command, enum members_request_kind kind,
                               const char *use)
{
    struct session session;
    struct members members = { .command = command, .session = &session, .use = use };

    return !session_open(command, &session) || !members_select(&members)
               ? EXIT_CODE_FAILED
               : members_send(&members, kind);
}
