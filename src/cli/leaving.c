#include "cli/leaving.h"

#include "cli/manager/managers.h"
#include "codec/doc_child.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <poll.h>

/* The manager shows the request to leave shortly after it was stored, so the request may be missing
 * in the first answers. */
enum { LEAVING_LOOK_MS = 500, LEAVING_UNSEEN_LOOKS = 20 };

/* Return the row of a manager. NULL: the answer does not list it. */
static const struct doc *leaving_row(const struct doc *managers, struct text name)
{
    const struct doc *items = doc_child(managers, "items");

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (text_is_equal(doc_child_text(&items->items[i], "name"), name) ||
            text_is_equal(doc_child_text(&items->items[i], "id"), name)) {
            return &items->items[i];
        }
    }
    return NULL;
}

static enum exit_code leaving_done(struct command *command, struct text name)
{
    buf_printf(&command->notes,
               "%.*s has left the store. Its manager does not start again before it joins: %s "
               "manager join\n",
               TEXT_ARG(name), command->program);
    return EXIT_CODE_DONE;
}

static enum exit_code leaving_late(struct command *command, struct text name, struct text waits_for)
{
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0028,
                          "manager '%.*s' has not left yet: %.*s", TEXT_ARG(name),
                          TEXT_ARG(waits_for)),
             "it leaves as soon as it can; to keep it: %s manager undrain %.*s", command->program,
             TEXT_ARG(name));
    return EXIT_CODE_TIMEOUT;
}

/* Handle a connected manager that has stopped or is unreachable. If this is the manager that
 * leaves, and it was about to end, it has left. */
static enum exit_code leaving_silent(struct command *command, struct text name, struct text shown)
{
    if (!text_is(shown, "it ends")) {
        return EXIT_CODE_UNAVAILABLE;
    }
    err_list_init(&command->errors, command->arena);
    return leaving_done(command, name);
}

/* Set the text that Ctrl-C prints. Every request replaces that text, so this is called after each
 * request. */
static void leaving_interruptible(struct command *command, struct text name)
{
    interrupt_report(arena_printf(command->arena,
                                  "interrupted: %.*s leaves as soon as it can; to keep it: %s "
                                  "manager undrain %.*s",
                                  TEXT_ARG(name), command->program, TEXT_ARG(name))
                         .data);
    interrupt_expect(INTERRUPT_REPORTING);
}

enum exit_code leaving_wait(struct command *command, const struct session *session,
                            struct text name)
{
    uint64_t deadline_ms = session_deadline(command, session);
    struct text shown = TEXT("");
    unsigned unseen = 0;

    while (true) {
        const struct doc *row;
        struct text waits_for;
        struct doc managers;

        if (!managers_get(command, session, TEXT(""), &managers)) {
            return leaving_silent(command, name, shown);
        }
        leaving_interruptible(command, name);
        row = leaving_row(&managers, name);
        if (row == NULL && doc_is_list(doc_child(&managers, "items"))) {
            return leaving_done(command, name);
        }
        waits_for = row == NULL ? shown : doc_child_text(row, "leaving");
        if (waits_for.length == 0 && (shown.length > 0 || unseen++ >= LEAVING_UNSEEN_LOOKS)) {
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0589,
                         "manager '%.*s' stays: the request to leave was withdrawn (undrain)",
                         TEXT_ARG(name));
            return EXIT_CODE_CONFLICT;
        }
        if (waits_for.length > 0 && !text_is_equal(waits_for, shown)) {
            command_say(command, arena_printf(command->arena, "%.*s: %.*s\n", TEXT_ARG(name),
                                              TEXT_ARG(waits_for)));
            shown = waits_for;
        }
        if (clock_monotonic_ms(clock_system()) >= deadline_ms) {
            return leaving_late(command, name, shown);
        }
        (void)poll(NULL, 0, LEAVING_LOOK_MS);
    }
}
