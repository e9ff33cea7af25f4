/* reeve power: switches machines of the inventory on and off by their BMCs. */
#include "base/limits.h"
#include "base/suggest.h"
#include "cli/args/consent.h"
#include "cli/manager/kept.h"
#include "cli/manager/session.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/clock.h"

#include <string.h>
#include <time.h>

/* public names start with: power_ verb_ */

enum {
    POWER_POLL_NS = 500 * 1000 * 1000,
    POWER_WAIT_MS = 6 * 60 * 1000, /* longer than the manager tries */
};

static const struct output_column power_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "ID", ".id", OUTPUT_KEEP, false },
    { "MEMBER", ".member", OUTPUT_DROP, false },
    { "BMC", ".power.bmc", OUTPUT_KEEP, false },
    { "POWER", ".power.state", OUTPUT_KEEP, false },
    { "WAITING FOR", ".waits", OUTPUT_KEEP, false },
};
static const struct output_view power_view = { "node/{id}", power_columns,
                                               ARRAY_COUNT(power_columns) };

/* The machines that the arguments name. */
struct power_list {
    struct command *command;
    struct session session;
    struct doc answer;
    const struct doc **items;
    size_t count;
};

/* ---- machines ---- */

static struct text power_member(struct arena *arena, const struct doc *row)
{
    struct text name = doc_child_text(doc_child(row, "claim"), "name");

    return name.length == 0
               ? TEXT("")
               : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(doc_child_text(row, "cluster")),
                              TEXT_ARG(name));
}

/* Finds the row of an argument: an id, a name, or CLUSTER/NODE. NULL: an error was added. */
static const struct doc *power_row_of(struct power_list *list, const char *word)
{
    struct command *command = list->command;
    const struct doc *items = doc_child(&list->answer, "items");
    const struct doc *found = NULL;
    size_t count = 0;

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        const struct doc *row = &items->items[i];

        if (text_is(doc_child_text(row, "id"), word)) {
            return row;
        }
        if (text_is(doc_child_text(row, "name"), word) ||
            text_is(power_member(command->arena, row), word)) {
            found = row;
            count++;
        }
    }
    if (count == 1) {
        return found;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 },
                          count == 0 ? CODE_R0403 : CODE_R0826,
                          count == 0 ? "there is no machine '%s' in the inventory"
                                     : "several machines of the inventory are named '%s'",
                          word),
             "reeve discover --all lists the machines with their ids");
    return NULL;
}

/* Reads the inventory, and finds the machines of the arguments from the second one on. Without
 * such arguments all machines with power control are meant. */
static bool power_list_read(struct power_list *list, size_t first)
{
    struct command *command = list->command;
    const struct doc *items;
    size_t all;

    if (!session_open(command, &list->session) ||
        !session_get(command, &list->session, TEXT("/v1/nodes?discovered=1"), &list->answer)) {
        return false;
    }
    items = doc_child(&list->answer, "items");
    all = doc_is_list(items) ? items->item_count : 0;
    list->items =
        arena_array(command->arena, const struct doc *, all + command->args.argument_count + 1);
    for (size_t i = first; i < command->args.argument_count; i++) {
        const struct doc *row = power_row_of(list, command->args.words[i]);

        if (row == NULL) {
            return false;
        }
        list->items[list->count++] = row;
    }
    for (size_t i = 0; first >= command->args.argument_count && i < all; i++) {
        if (doc_child(&items->items[i], "power") != NULL) {
            list->items[list->count++] = &items->items[i];
        }
    }
    return true;
}

static bool power_post(struct power_list *list, const struct doc *row, const char *what,
                       struct doc_builder *body, struct doc *out)
{
    struct command *command = list->command;
    struct client_request request = { .method = "POST",
                                      .content_type = "application/json",
                                      .accept = "application/json" };
    struct doc doc = doc_builder_map(body, NULL);
    struct buf buf;

    buf_init(&buf, command->arena);
    json_format(&buf, &doc);
    request.body = buf_text(&buf);
    request.path = arena_printf(command->arena, "/v1/nodes/%.*s/%s",
                                TEXT_ARG(doc_child_text(row, "id")), what);
    return session_ask(command, &list->session, &request, out);
}

/* ---- status ---- */

/* What a machine waits for: its order, and why that has not succeeded yet. */
static struct text power_waits(struct arena *arena, const struct doc *power)
{
    const struct doc *order = doc_child(power, "order");
    struct text fault = doc_child_text(power, "fault");

    if (power == NULL) {
        return TEXT("a BMC: reeve power set NODE ipmi://USER@ADDRESS --secret NAME");
    }
    if (order == NULL) {
        return fault;
    }
    return arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(doc_child_text(order, "action")),
                        fault.length > 0 ? ": " : "", TEXT_ARG(fault));
}

static enum exit_code power_status_run(struct command *command)
{
    struct power_list list = { .command = command };
    struct output output;
    struct doc *objects;
    struct doc *rows;
    struct err err;

    if (!output_parse(command->arena, args_value(&command->args, FLAG_POWER_OUTPUT), NULL,
                      OUTPUT_TABLE, &power_view, &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!power_list_read(&list, 1)) {
        return EXIT_CODE_FAILED;
    }
    if (list.count == 0 && output.format == OUTPUT_TABLE) {
        buf_printf(&command->notes,
                   "no machine has power control; next: %s power set NODE ipmi://USER@ADDRESS "
                   "--secret NAME\n",
                   command->program);
        return EXIT_CODE_DONE;
    }
    objects = arena_array(command->arena, struct doc, list.count + 1);
    rows = arena_array(command->arena, struct doc, list.count + 1);
    for (size_t i = 0; i < list.count; i++) {
        const struct doc *row = list.items[i];
        struct doc_builder builder;

        objects[i] = *row;
        doc_builder_init(&builder, command->arena);
        for (size_t j = 0; j < row->entry_count; j++) {
            doc_builder_add(&builder, &row->entries[j]);
        }
        doc_builder_put(&builder, "member", doc_text(power_member(command->arena, row), NULL));
        doc_builder_put(&builder, "waits",
                        doc_text(power_waits(command->arena, doc_child(row, "power")), NULL));
        rows[i] = doc_builder_map(&builder, NULL);
    }
    output_write(command->arena, &output, &command->out_style,
                 &(struct output_data){ objects, list.count, rows, list.count }, &command->out);
    return EXIT_CODE_DONE;
}

/* ---- orders ---- */

/* Waits until the manager has carried out the order of a machine. */
static bool power_order_wait(struct power_list *list, const struct doc *row)
{
    struct command *command = list->command;
    uint64_t end_ms = clock_monotonic_ms(clock_system()) + POWER_WAIT_MS;
    struct text path =
        arena_printf(command->arena, "/v1/nodes/%.*s/power", TEXT_ARG(doc_child_text(row, "id")));
    struct text shown = TEXT("");
    struct text fault = TEXT("");
    struct doc power;

    do {
        const struct timespec pause = { .tv_nsec = POWER_POLL_NS };

        (void)nanosleep(&pause, NULL);
        if (!session_get(command, &list->session, path, &power)) {
            return false;
        }
        fault = doc_child_text(&power, "fault");
        if (doc_child(&power, "order") == NULL) {
            break;
        }
        if (fault.length > 0 && !text_is_equal(fault, shown)) {
            shown = fault;
            buf_printf(&command->notes, "%.*s waits: %.*s\n", TEXT_ARG(doc_child_text(row, "id")),
                       TEXT_ARG(fault));
            command_flush(command);
        }
    } while (clock_monotonic_ms(clock_system()) < end_ms);
    if (fault.length > 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0860, "%.*s: %.*s",
                              TEXT_ARG(doc_child_text(row, "id")), TEXT_ARG(fault)),
                 "correct the access with %s power set, and repeat the command", command->program);
        return false;
    }
    buf_printf(&command->out, "node/%.*s is %.*s\n", TEXT_ARG(doc_child_text(row, "id")),
               TEXT_ARG(doc_child_text(&power, "state")));
    return true;
}

static bool power_order_post(struct power_list *list, const struct doc *row, const char *action)
{
    struct command *command = list->command;
    const char *why = args_value(&command->args, FLAG_POWER_MESSAGE);
    struct doc_builder body;
    struct doc answer;

    doc_builder_init(&body, command->arena);
    doc_builder_put(&body, "action", doc_text(text_from(action), NULL));
    /* consent was given before for all members that are interrupted */
    doc_builder_put(&body, "consent", doc_bool(true, NULL));
    if (why != NULL) {
        doc_builder_put(&body, "why", doc_text(text_from(why), NULL));
    }
    return power_post(list, row, "power", &body, &answer);
}

static enum exit_code power_order_run(struct command *command)
{
    const char *action = command->args.words[0];
    struct power_list list = { .command = command };
    struct consent_needs needs = { .is_change = true };
    bool is_good = true;

    if (!power_list_read(&list, 1)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < list.count; i++) {
        struct text member = power_member(command->arena, list.items[i]);

        if (member.length > 0 && strcmp(action, "on") != 0) {
            needs.reboot++;
            buf_printf(&command->notes, "%s interrupts member %.*s\n", action, TEXT_ARG(member));
        }
    }
    command_flush(command);
    if (strcmp(action, "on") != 0 &&
        !consent_get(command, &needs, session_words(command, &list.session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (!power_order_post(&list, list.items[i], action)) {
            return EXIT_CODE_FAILED;
        }
    }
    for (size_t i = 0; i < list.count && !args_has(&command->args, FLAG_POWER_DETACH); i++) {
        is_good = power_order_wait(&list, list.items[i]) && is_good;
    }
    return is_good ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

/* ---- access ---- */

static enum exit_code power_set_run(struct command *command)
{
    struct power_list list = { .command = command };
    const char *secret = args_value(&command->args, FLAG_POWER_SECRET);
    const char *pin = args_value(&command->args, FLAG_POWER_PIN);
    const struct doc *row;
    struct doc_builder body;
    struct doc answer;

    if (secret == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "power set needs the name of the secret with the password"),
                 "%s create secret bmc --from-file FILE, then --secret bmc", command->program);
        return EXIT_CODE_USAGE;
    }
    if (!power_list_read(&list, 3) || (row = power_row_of(&list, command->args.words[1])) == NULL) {
        return EXIT_CODE_FAILED;
    }
    doc_builder_init(&body, command->arena);
    if (pin != NULL) {
        doc_builder_put(&body, "pin", doc_text(text_from(pin), NULL));
    }
    doc_builder_put(&body, "secret", doc_text(text_from(secret), NULL));
    doc_builder_put(&body, "url", doc_text(text_from(command->args.words[2]), NULL));
    if (!power_post(&list, row, "bmc", &body, &answer)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->out, "node/%.*s has the BMC %.*s\n", TEXT_ARG(doc_child_text(row, "id")),
               TEXT_ARG(doc_child_text(&answer, "bmc")));
    buf_printf(&command->notes, "next: %s power status %.*s\n", command->program,
               TEXT_ARG(doc_child_text(row, "id")));
    return EXIT_CODE_DONE;
}

static enum exit_code power_unset_run(struct command *command)
{
    struct power_list list = { .command = command };

    if (!power_list_read(&list, 1)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < list.count; i++) {
        struct doc_builder body;
        struct doc answer;

        doc_builder_init(&body, command->arena);
        doc_builder_put(&body, "remove", doc_bool(true, NULL));
        if (!power_post(&list, list.items[i], "bmc", &body, &answer)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->out, "node/%.*s has no BMC any longer\n",
                   TEXT_ARG(doc_child_text(list.items[i], "id")));
    }
    return EXIT_CODE_DONE;
}

/* ---- the verb ---- */

enum exit_code verb_power(struct command *command)
{
    static const struct {
        const char *word;
        enum exit_code (*run)(struct command *command);
        size_t least;
        size_t most;
        const char *needs;
    } rows[] = {
        { "cycle", power_order_run, 2, SIZE_MAX, "a machine" },
        { "netboot", power_order_run, 2, SIZE_MAX, "a machine" },
        { "off", power_order_run, 2, SIZE_MAX, "a machine" },
        { "on", power_order_run, 2, SIZE_MAX, "a machine" },
        { "set", power_set_run, 3, 3, "a machine and the address of its BMC" },
        { "status", power_status_run, 1, SIZE_MAX, "" },
        { "unset", power_unset_run, 2, SIZE_MAX, "a machine" },
    };
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t count = command->args.argument_count;

        if (strcmp(command->args.words[0], rows[i].word) != 0) {
            suggest_offer(&suggest, text_from(rows[i].word));
        } else if (count > rows[i].most) {
            (void)kept_refuse(command, command->args.words[rows[i].most], "fewer arguments");
            return EXIT_CODE_USAGE;
        } else if (count < rows[i].least) {
            err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                  "power %s needs %s", rows[i].word, rows[i].needs),
                     "reeve help power shows examples");
            return EXIT_CODE_USAGE;
        } else {
            return rows[i].run(command);
        }
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "reeve power has no '%s'",
                       command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help power lists the subcommands");
    }
    return EXIT_CODE_USAGE;
}
