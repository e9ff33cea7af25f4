#include "provider/link.h"

#include "base/limits.h"
#include "host/sandbox.h"
#include "host/sandbox_group.h"
#include "sys/worker.h"

#include <assert.h>
#include <stdio.h>

enum { GROUP_PAUSE_MS = 50, GROUP_TRIES = 100 };

/* Freed when it is closed, the process has ended, and its group is removed. */
struct link {
    struct link_options options;
    struct worker *worker;
    struct sandbox_group group;
    /* retries the removal while the group still has child processes of the plugin's process */
    struct loop_timer *again;
    unsigned tries;
    /* The plugin's name. Copied, because the owner may be freed before the process ends. */
    char name[LIMIT_GROUP_NAME_BYTES + 1];
    bool is_closed;
    bool is_gone;
};

static void link_settle(struct link *link)
{
    if (link->is_closed && link->is_gone) {
        rows_free(link);
    }
}

static void group_over(struct link *link)
{
    if (link->again != NULL) {
        loop_timer_close(link->again);
        --*link->options.alive;
    }
    link->is_gone = true;
    link_settle(link);
}

static void group_again(void *arg)
{
    struct link *link = arg;
    bool is_away = sandbox_group_remove(&link->group);

    if (!is_away && ++link->tries < GROUP_TRIES) {
        loop_timer_start(link->again, GROUP_PAUSE_MS, 0);
        return;
    }
    if (!is_away) {
        log_warn(link->options.log, "plugin", "group_stays", log_string("plugin", link->name));
    }
    group_over(link);
}

static void link_frame_came(void *arg, struct text frame)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    const struct link *link = arg;
    struct wire_message message;
    struct err err;

    if (!wire_parse(arena, frame, &message, &err)) {
        worker_fail(link->worker, err.text);
        return;
    }
    link->options.reported(link->options.arg, &message);
}

static void link_worker_ended(void *arg, const char *why)
{
    const struct link *link = arg;

    link->options.ended(link->options.arg, why);
}

/* Logs the standard error of the plugin. */
static void link_worker_wrote(void *keep, struct text piece)
{
    const struct link *link = keep;

    log_warn(link->options.log, "plugin", "stderr", log_string("plugin", link->name),
             log_text("text", text_trim(text_slice(piece, 0, LIMIT_LOG_LINE_BYTES / 2))));
}

/* Removes the control group. The removal is retried, because killed child processes may take a
 * moment longer to end. */
static void process_gone(void *keep)
{
    struct link *link = keep;
    struct err err;

    if (!sandbox_group_remove(&link->group) &&
        loop_timer_open(link->options.loop, group_again, link, &link->again, &err)) {
        ++*link->options.alive;
        loop_timer_start(link->again, GROUP_PAUSE_MS, 0);
        return;
    }
    group_over(link);
}

bool link_send(struct link *link, struct text frame)
{
    assert(!link->is_closed);
    return worker_send(link->worker, frame);
}

bool link_send_secret(struct link *link, struct text frame)
{
    assert(!link->is_closed);
    return worker_send_secret(link->worker, frame);
}

int link_pid(const struct link *link)
{
    return worker_pid(link->worker);
}

const char *link_group(const struct link *link)
{
    return link->group.why;
}

void link_close(struct link *link)
{
    if (link != NULL) {
        assert(!link->is_closed);
        link->is_closed = true;
        worker_close(link->worker);
        link_settle(link);
    }
}

/* Puts the process into a control group before its first message, so that the limits apply to all
 * its children. Machines of a plugin with the profile `host` outlive the process and have their own
 * groups. */
static void group_give(struct link *link)
{
    struct sandbox_group_options options = {
        .memory_bytes = LIMIT_SANDBOX_DATA_BYTES,
        /* 2: the plugin process and the process that waits for it */
        .processes_max = LIMIT_SANDBOX_THREADS + 2,
        .pid = worker_pid(link->worker),
    };

    if (link->options.open.profile == SANDBOX_CLOUD) {
        sandbox_group_give(&options, &link->group);
    }
}

bool link_open(const struct link_options *options, struct link **out, struct err *err)
{
    static const char *const argv[] = { "reeve-host", "serve", NULL };
    struct wire_message message = { .type = WIRE_OPEN, .open = options->open };
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct link *link = rows_resize(NULL, sizeof(*link));
    struct worker_options worker = {
        .loop = options->loop,
        .program = options->program,
        .argv = argv,
        .end_ms = options->end_ms,
        .queue_max = LIMIT_WIRE_FRAME_BYTES,
        .unreadable = CODE_R0601,
        .unstarted = CODE_R0603,
        .alive = options->alive,
        .reported = link_frame_came,
        .ended = link_worker_ended,
        .wrote = link_worker_wrote,
        .arg = link,
        .gone = process_gone,
        .keep = link,
    };
    struct buf buf;

    *link = (struct link){ .options = *options };
    snprintf(link->name, sizeof(link->name), "%.*s", TEXT_ARG(options->open.name));
    link->options.open = (struct wire_open){ .profile = options->open.profile };
    if (!worker_open(&worker, &link->worker, err)) {
        rows_free(link);
        return false;
    }
    group_give(link);
    *out = link;
    buf_init(&buf, arena);
    wire_format(&buf, &message);
    /* if sending fails, `ended` reports the end of the process */
    (void)!worker_send(link->worker, buf_text(&buf));
    return true;
}
