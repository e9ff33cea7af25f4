#include "cli/manager/watch.h"

#include "client/problem.h"
#include "codec/json.h"
#include "sys/clock.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* How often an unavailable manager is retried. */
#define WATCH_PAUSE_MS 500

enum { UNAVAILABLE = 503 };

struct follower {
    struct command *command;
    const struct watch *watch;
    struct arena *arena; /* the memory of one event */
    char last_id[LIMIT_EVENT_NAME_BYTES + 1];
    bool is_enough;
};

static bool watch_event_take(void *arg, const struct client_event *event)
{
    struct follower *follower = arg;
    struct arena_mark mark = arena_mark(follower->arena);
    struct doc doc;
    struct err err;

    if (event->id.length > 0) {
        memcpy(follower->last_id, event->id.data, event->id.length);
        follower->last_id[event->id.length] = '\0';
    }
    if (json_parse(follower->arena, event->data, NULL, &doc, &err)) {
        follower->is_enough = !follower->watch->change(follower->watch->arg, event->type, &doc);
    }
    arena_rewind(follower->arena, mark);
    return !follower->is_enough;
}

static void tick_take(void *arg)
{
    struct follower *follower = arg;

    follower->watch->tick(follower->watch->arg);
}

/* Return the remaining time until the deadline, in ms. It limits each request, because a manager
 * may accept a request and send nothing. */
static uint64_t watch_time_left(const struct session *session, uint64_t deadline_ms)
{
    uint64_t now = clock_monotonic_ms(clock_system());
    uint64_t left_ms = deadline_ms > now ? deadline_ms - now : 1;

    return left_ms < session->client.timeout_ms ? left_ms : session->client.timeout_ms;
}

static struct text watch_path(struct command *command, const struct watch *watch)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_printf(&path, "/v1/watch?kinds=%s", watch->kinds);
    if (watch->selector != NULL) {
        buf_add_string(&path, "&selector=");
        client_path_add(&path, text_from(watch->selector));
    }
    if (watch->cluster.length > 0) {
        buf_add_string(&path, "&cluster=");
        client_path_add(&path, watch->cluster);
    }
    return buf_text(&path);
}

static uint64_t watch_now_ms(void)
{
    return clock_monotonic_ms(clock_system());
}

bool watch_wait_away(struct command *command, uint64_t deadline_ms, uint64_t *away_since_ms,
                     const struct err *err)
{
    uint64_t pause_ms;

    if (*away_since_ms == 0) {
        *away_since_ms = watch_now_ms();
        command_say(command, arena_printf(command->arena, "%s; trying again\n", err->text));
    }
    if (deadline_ms == UINT64_MAX && watch_now_ms() - *away_since_ms > WATCH_AWAY_MS) {
        err_list_add(&command->errors, err);
        return false;
    }
    pause_ms = deadline_ms - watch_now_ms() < WATCH_PAUSE_MS ? deadline_ms - watch_now_ms()
                                                             : WATCH_PAUSE_MS;
    (void)!poll(NULL, 0, (int)pause_ms);
    return true;
}

/* Read the reason of a rejection from the manager's answer. */
static void watch_refusal_take(struct arena *arena, const struct client_answer *answer,
                               struct err *out)
{
    struct err_list errors;
    struct doc plan;

    err_list_init(&errors, arena);
    problem_read(arena, answer, NULL, NULL, &errors, &plan);
    *out = errors.items[0];
}

bool watch_run(struct command *command, const struct session *session, const struct watch *watch,
               bool *out_is_over)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES / 4);
    AUTO(arena) call_arena = arena_new(LIMIT_WORK_ARENA_BYTES / 4);
    struct follower follower = { .command = command, .watch = watch, .arena = arena };
    struct client_request request = { .method = "GET",
                                      .path = watch_path(command, watch),
                                      .accept = "text/event-stream" };
    struct client_stream stream = { .event = watch_event_take,
                                    .tick = watch->tick == NULL ? NULL : tick_take,
                                    .tick_ms = watch->tick_ms,
                                    .arg = &follower,
                                    .deadline_ms = watch->deadline_ms };
    struct client client = session->client;
    uint64_t away_since_ms = 0;
    struct client_answer answer;
    struct err err;

    if (watch->from > 0) {
        snprintf(follower.last_id, sizeof(follower.last_id), "%llu",
                 (unsigned long long)watch->from);
    }
    while (!follower.is_enough) {
        struct arena_mark mark = arena_mark(call_arena);
        bool is_waiting;
        bool is_done;

        client.timeout_ms = watch_time_left(session, watch->deadline_ms);
        request.last_event_id = text_from(follower.last_id);
        is_done = client_stream_read(call_arena, &client, &request, &stream, &answer, &err);
        *out_is_over = stream.is_over;
        is_waiting = is_done && answer.head.status == UNAVAILABLE;
        /* the manager has restarted and still reads its store, or it is shutting down */
        if (is_waiting) {
            watch_refusal_take(call_arena, &answer, &err);
        } else if (is_done && answer.head.status >= 300) {
            session_refused(command, &answer);
            return false;
        }
        if (stream.is_over || stream.is_enough || watch_now_ms() >= watch->deadline_ms) {
            *out_is_over = !stream.is_enough;
            return true;
        }
        if (is_done && !is_waiting) { /* the stream has ended because the manager has ended */
            err_set(&err, CODE_R0018, "the manager ended the stream");
        } else if (!is_waiting && err_kind(&err) != ERR_KIND_UNAVAILABLE &&
                   err.code != CODE_R0016) {
            err_list_add(&command->errors, &err);
            return false;
        }
        if (answer.head.status == 200) {
            away_since_ms = 0;
        }
        arena_rewind(call_arena, mark);
        if (!watch_wait_away(command, watch->deadline_ms, &away_since_ms, &err)) {
            return false;
        }
    }
    return true;
}

bool watch_is_refused(const struct command *command, const struct err_list *before)
{
    const struct err_list *now = &command->errors;

    return now->errors == before->errors + 1 && now->items[now->count - 1].code == CODE_R0409;
}
