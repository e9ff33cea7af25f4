#include "managed_store/managed_watch.h"

#include "base/buf.h"
#include "etcd_member/member.h"
#include "sys/child.h"
#include "sys/launcher.h"
#include "sys/process.h"

#include <stdlib.h>

/* public names start with: managed_watch_ */

enum {
    WATCH_LOOK_MS = 1000,
    WATCH_ALONE_MS = 2 * 1000, /* time without an answer after which reeve-store is started */
    WATCH_UNIT_MS = 15 * 1000, /* the same where a service manager may start it */
    WATCH_PAUSE_MAX_MS = 60 * 1000,
    WATCH_LAUNCH_MS = 20 * 1000,
    WATCH_GRACE_MS = 1000,
    WATCH_OUTPUT_BYTES = 4096,
};

struct managed_watch {
    struct loop *loop;
    struct log *log;
    const char *data;
    const char *program;
    struct loop_timer *timer;
    uint64_t silent_since_ms; /* 0: it answers */
    uint64_t pause_ms;        /* between the latest start and the next one */
    uint64_t next_ms;
    bool is_launching;
};

static void managed_watch_launched(void *arg, const struct child_end *end)
{
    struct managed_watch *watch = arg;

    watch->is_launching = false;
    if (end->code != 0) {
        log_warn(watch->log, "store", "reeve_store_not_started",
                 log_text("reason", text_trim(end->output[CHILD_ERROR])));
    }
}

static void managed_watch_launch(struct managed_watch *watch)
{
    const char *argv[] = { "reeve-store", "detach", launcher_is_running() ? NULL : watch->data,
                           NULL };
    struct child_options options = {
        .path = watch->program,
        .argv = argv,
        .deadline_ms = WATCH_LAUNCH_MS,
        .grace_ms = WATCH_GRACE_MS,
        .output_max = WATCH_OUTPUT_BYTES,
        .done = managed_watch_launched,
        .arg = watch,
    };
    struct child *child;
    struct err err;

    log_warn(watch->log, "store", "reeve_store_ended", log_string("action", "it is started again"));
    watch->is_launching = child_start(watch->loop, &options, &child, &err);
    if (!watch->is_launching) {
        log_warn(watch->log, "store", "reeve_store_not_started", log_string("reason", err.text));
    }
}

static void managed_watch_look(void *arg)
{
    struct managed_watch *watch = arg;
    uint64_t now_ms = loop_now_ms(watch->loop);

    if (watch->is_launching) {
        return;
    }
    if (member_is_served(watch->data)) {
        if (watch->silent_since_ms == 0 && now_ms >= watch->next_ms) {
            watch->pause_ms = 0; /* it has stayed, so the next end is a new one */
        }
        watch->silent_since_ms = 0;
        return;
    }
    if (watch->silent_since_ms == 0) {
        watch->silent_since_ms = now_ms;
    }
    if (now_ms < watch->next_ms ||
        now_ms - watch->silent_since_ms <
            (getenv("INVOCATION_ID") != NULL ? WATCH_UNIT_MS : WATCH_ALONE_MS)) {
        return;
    }
    watch->pause_ms = watch->pause_ms == 0                       ? WATCH_ALONE_MS
                      : watch->pause_ms < WATCH_PAUSE_MAX_MS / 2 ? watch->pause_ms * 2
                                                                 : WATCH_PAUSE_MAX_MS;
    watch->next_ms = now_ms + watch->pause_ms;
    managed_watch_launch(watch);
}

bool managed_watch_open(struct arena *arena, struct loop *loop, struct log *log, const char *data,
                        struct managed_watch **out, struct err *err)
{
    struct managed_watch *watch = arena_one(arena, struct managed_watch);

    *watch = (struct managed_watch){
        .loop = loop,
        .log = log,
        .data = data,
        .program = arena_string(
            arena, arena_printf(arena, "%.*s/reeve-store", TEXT_ARG(process_folder(arena)))),
    };
    if (!loop_timer_open(loop, managed_watch_look, watch, &watch->timer, err)) {
        return false;
    }
    loop_timer_start(watch->timer, WATCH_LOOK_MS, WATCH_LOOK_MS);
    *out = watch;
    return true;
}

void managed_watch_close(struct managed_watch *watch)
{
    if (watch != NULL) {
        loop_timer_close(watch->timer);
        watch->timer = NULL;
    }
}
