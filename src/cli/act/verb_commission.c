/* reeve commission: takes machines of the inventory into a group. The request is a larger size of
 * the group that names the machines, and the fingerprints of their host keys: the consent to the
 * plan approves them. */
#include "cli/args/fields.h"
#include "cli/change/change.h"
#include "codec/doc_child.h"

/* names: commission_ verb_ */

struct commission {
    struct command *command;
    struct session session;
    struct target group;
    struct buf words;   /* NAME=FINGERPRINT,... */
    struct doc rows;    /* of the inventory */
    int64_t unapproved; /* named machines whose key is not approved */
    int64_t named;      /* named machines that the group does not have yet */
};

/* The row of a name or id; NULL: the manager reports which name is wrong. */
static const struct doc *commission_row_find(const struct commission *commission, struct text name)
{
    const struct doc *items = doc_child(&commission->rows, "items");
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

/* The number of machines that the group has or that are reserved for it, as the inventory knows
 * them. */
static int64_t commission_taken(const struct commission *commission, struct text cluster,
                                struct text path)
{
    const struct doc *items = doc_child(&commission->rows, "items");
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

static void commission_word_add(struct commission *commission, struct text name)
{
    struct command *command = commission->command;
    const struct doc *row = commission_row_find(commission, name);
    struct text key = doc_child_text(row, "fingerprint");
    bool is_approved = text_is_equal(doc_child_text(doc_child(row, "approved"), "key"), key);

    buf_printf(&commission->words, "%s%.*s", commission->words.length > 0 ? "," : "",
               TEXT_ARG(name));
    commission->named += row == NULL || !commission_is_of(commission, row);
    if (row == NULL || key.length == 0) {
        return;
    }
    if (!is_approved) {
        buf_printf(&commission->words, "=%.*s", TEXT_ARG(key));
        commission->unapproved++;
    }
    command_say(command,
                arena_printf(command->arena, "  %.*s  %.*s  host key %.*s %s",
                             TEXT_ARG(doc_child_text(row, "name")),
                             TEXT_ARG(doc_child_text(row, "address")), TEXT_ARG(key),
                             is_approved ? "approved" : "observed by the manager, not verified"));
}

/* The size that the group needs for its machines and the named ones. */
static bool commission_size_get(struct commission *commission, int64_t *out)
{
    struct text name = commission->group.name;
    size_t slash = text_find_byte(name, '/');
    struct doc object;
    int64_t needed;

    if (!session_get(commission->command, &commission->session,
                     session_path(commission->command, commission->group.kind, name), &object)) {
        return false;
    }
    *out = doc_child_number(doc_child(&object, "spec"), "size");
    needed = commission->named + commission_taken(commission, text_slice(name, 0, slash),
                                                  text_slice(name, slash + 1, SIZE_MAX));
    *out = needed > *out ? needed : *out;
    return true;
}

enum exit_code verb_commission(struct command *command)
{
    const struct args *args = &command->args;
    struct commission commission = { .command = command };
    struct change_call call = { .method = "PATCH", .content_type = "application/merge-patch+json" };
    struct change_set set = { .calls = &call, .count = 1 };
    struct doc patch = doc_map(NULL, 0, NULL);
    const char *group = args_value(args, FLAG_COMMISSION_GROUP);
    int64_t size;

    if (group == NULL || text_find_byte(text_from(group), '/') == SIZE_MAX) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "commission needs the group that takes the machines"),
                 "%s commission NODE -g CLUSTER/GROUP", command->program);
        return EXIT_CODE_USAGE;
    }
    commission.group = (struct target){ schema_kind_find(TEXT("NodeGroup")), text_from(group) };
    buf_init(&commission.words, command->arena);
    if (!session_open(command, &commission.session) ||
        !session_get(command, &commission.session, TEXT("/v1/nodes?discovered=1"),
                     &commission.rows)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < args->argument_count; i++) {
        commission_word_add(&commission, text_from(args->words[i]));
    }
    call.path = session_path(command, commission.group.kind, commission.group.name);
    if (!commission_size_get(&commission, &size) ||
        !change_pin_get(command, &commission.session, &commission.group, &call.if_match) ||
        !fields_put(command, &patch, TEXT("size"), 0, doc_int(command->arena, size, NULL))) {
        return EXIT_CODE_FAILED;
    }
    call.body = change_body(command, &patch);
    call.commissions = buf_text(&commission.words);
    return change_run(command, &commission.session, &set);
}
