#include "cli/manager/live.h"

#include "cli/manager/listing.h"
#include "cli/manager/watch.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <poll.h>

/* Minimum time between two pictures, in ms: at most ten pictures per second. */
#define LIVE_PAUSE_MS 100

struct screen {
    struct command *command;
    const struct live *live;
    uint64_t revision; /* the revision that the picture shows */
    uint64_t drawn_ms;
    bool has_failed;
};

static bool live_picture_draw(struct screen *screen)
{
    struct command *command = screen->command;

    if (command->out_style.is_drawn) {
        buf_add_string(&command->out, "\x1b[H\x1b[2J");
    }
    screen->has_failed = !screen->live->draw(screen->live->arg, &screen->revision);
    screen->drawn_ms = clock_monotonic_ms(clock_system());
    command_flush(command);
    return !screen->has_failed;
}

/* Without a terminal, write one line: time, object, change, author. */
static void live_line_write(struct screen *screen, struct text type, const struct doc *doc)
{
    struct command *command = screen->command;
    struct text by = listing_text(doc, "metadata", "by");

    if (screen->live->is_jsonl) {
        json_format(&command->out, doc);
        buf_add_string(&command->out, "\n");
    } else if (text_is(type, "del")) {
        struct text name = doc_child_text(doc, "name");
        struct text cluster = doc_child_text(doc, "cluster");

        buf_printf(&command->out, "%.*s/%.*s%s%.*s deleted revision=%.*s\n",
                   TEXT_ARG(doc_child_text(doc, "kind")), TEXT_ARG(cluster),
                   cluster.length > 0 ? "/" : "",
                   TEXT_ARG(name.length > 0 ? name : doc_child_text(doc, "id")),
                   TEXT_ARG(doc_child_text(doc, "revision")));
    } else {
        buf_printf(&command->out, "%.*s %.*s changed revision=%.*s by=%.*s\n",
                   TEXT_ARG(listing_text(doc, "metadata", "updated")),
                   TEXT_ARG(listing_ref(command->arena, doc)),
                   TEXT_ARG(listing_text(doc, "metadata", "revision")), TEXT_ARG(by));
    }
    command_flush(command);
}

static bool live_change_take(void *arg, struct text type, const struct doc *doc)
{
    struct screen *screen = arg;
    uint64_t now_ms = clock_monotonic_ms(clock_system());
    struct arena_mark mark = arena_mark(screen->command->arena);

    if (text_is(type, "hello")) {
        return true;
    }
    if (!screen->command->out_style.is_drawn && !text_is(type, "reset")) {
        live_line_write(screen, type, doc);
        arena_rewind(screen->command->arena, mark);
        buf_init(&screen->command->out, screen->command->arena);
        buf_init(&screen->command->notes, screen->command->arena);
        return true;
    }
    if ((uint64_t)doc_child_number(doc_child(doc, "metadata"), "revision") <= screen->revision &&
        text_is(type, "put")) {
        return true; /* the picture already shows this change */
    }
    if (now_ms - screen->drawn_ms < LIVE_PAUSE_MS) {
        (void)!poll(NULL, 0, (int)(LIVE_PAUSE_MS - (now_ms - screen->drawn_ms)));
    }
    live_picture_draw(screen);
    arena_rewind(screen->command->arena, mark);
    buf_init(&screen->command->out, screen->command->arena);
    buf_init(&screen->command->notes, screen->command->arena);
    return !screen->has_failed;
}

/* Follow the changes. For a user that may see only one cluster, follow only that cluster. */
static bool changes_follow(struct command *command, const struct session *session,
                           struct watch *watch)
{
    struct err_list before = command->errors;
    struct err_list refused;
    bool is_over;

    if (watch_run(command, session, watch, &is_over)) {
        return true;
    }
    if (!watch_is_refused(command, &before)) {
        return false;
    }
    refused = command->errors;
    command->errors = before;
    if (!listing_only_cluster(command, session, &watch->cluster)) {
        return false;
    }
    if (watch->cluster.length == 0) {
        command->errors = refused;
        return false;
    }
    return watch_run(command, session, watch, &is_over);
}

enum exit_code live_run(struct command *command, const struct session *session,
                        const struct live *live, bool is_watching)
{
    struct screen screen = { .command = command, .live = live };
    struct watch watch = { .kinds = live->kinds,
                           .selector = live->selector,
                           .deadline_ms = session_deadline(command, session),
                           .change = live_change_take,
                           .arg = &screen };

    if (!is_watching) {
        return live->draw(live->arg, &screen.revision) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
    }
    interrupt_expect(INTERRUPT_READING);
    if (!live_picture_draw(&screen)) {
        return EXIT_CODE_FAILED;
    }
    watch.from = screen.revision;
    return changes_follow(command, session, &watch) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
