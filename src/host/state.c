#include "base/limits.h"
#include "host/host.h"

#include <pthread.h>
#include <time.h>

/* One access that waits for the manager's answer. It lives on the stack of its thread. */
struct state_wait {
    struct state_wait *next;
    uint64_t number;
    struct arena *arena;
    struct wire_state *out;
    bool is_answered;
};

struct state {
    struct out *out;
    const char *folder; /* the plugin's folder; NULL: the manager keeps the state */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct state_wait *waits;
    uint64_t number;
    bool is_closed;
};

struct state *state_new(struct out *out, bool has_manager, const char *folder)
{
    struct state *state = rows_resize(NULL, sizeof(*state));
    pthread_condattr_t attributes;

    *state = (struct state){ .out = out,
                             .folder = has_manager ? NULL : folder,
                             .mutex = PTHREAD_MUTEX_INITIALIZER,
                             .is_closed = !has_manager && folder == NULL };
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&state->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return state;
}

/* Sets the result of an access without an answer. A write may have happened. */
static void state_lost(const struct state_request *request, struct wire_state *out)
{
    *out = (struct wire_state){ .result = request->access == WIRE_STATE_PUT ? REEVE_UNKNOWN
                                                                            : REEVE_TRANSIENT,
                                .message = TEXT("the manager has not answered in time") };
}

static struct timespec state_until(uint64_t deadline_ms)
{
    struct timespec boot, until;
    uint64_t now_ms, left_ms;

    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_MONOTONIC, &until);
    now_ms = (uint64_t)boot.tv_sec * 1000 + (uint64_t)boot.tv_nsec / 1000000;
    left_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;
    until.tv_sec += (time_t)(left_ms / 1000);
    until.tv_nsec += (long)(left_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

static void state_wait_remove(struct state *state, const struct state_wait *gone)
{
    struct state_wait **at = &state->waits;

    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
}

static void state_ask(struct state *state, struct arena *arena, const struct state_request *request,
                      struct wire_state *out)
{
    struct timespec until = state_until(request->deadline_ms);
    struct wire_message message = { .type = WIRE_STATE_ASK };
    struct state_wait wait = { .arena = arena, .out = out };
    int error = 0;

    state_lost(request, out);
    pthread_mutex_lock(&state->mutex);
    wait.number = ++state->number;
    wait.next = state->waits;
    state->waits = &wait;
    pthread_mutex_unlock(&state->mutex);
    message.state_ask = (struct wire_state_ask){ .number = wait.number,
                                                 .call = request->call,
                                                 .access = request->access,
                                                 .key = request->key,
                                                 .after = request->after,
                                                 .value = request->value,
                                                 .version = request->version };
    out_send(state->out, &message);
    pthread_mutex_lock(&state->mutex);
    while (!wait.is_answered && !state->is_closed && error == 0) {
        error = pthread_cond_timedwait(&state->changed, &state->mutex, &until);
    }
    state_wait_remove(state, &wait);
    pthread_mutex_unlock(&state->mutex);
}

void state_access(struct state *state, struct arena *arena, const struct state_request *request,
                  struct wire_state *out)
{
    if (state->folder != NULL) {
        state_folder_access(state->folder, arena, request, out);
    } else {
        state_ask(state, arena, request, out);
    }
}

void state_answer(struct state *state, const struct wire_state *answer)
{
    struct state_wait *wait;

    pthread_mutex_lock(&state->mutex);
    for (wait = state->waits; wait != NULL && wait->number != answer->number;) {
        wait = wait->next;
    }
    if (wait != NULL && !wait->is_answered) { /* otherwise the deadline of the access has passed */
        struct wire_state_entry *entries =
            arena_array(wait->arena, struct wire_state_entry, answer->entries.count);

        for (size_t i = 0; i < answer->entries.count; i++) {
            const struct wire_state_entry *from =
                wire_item(answer->entries, struct wire_state_entry, i);

            entries[i] =
                (struct wire_state_entry){ arena_text(wait->arena, from->key),
                                           arena_text(wait->arena, from->value), from->version };
        }
        *wait->out = (struct wire_state){ .result = answer->result,
                                          .has_more = answer->has_more,
                                          .entries = { entries, answer->entries.count },
                                          .message = arena_text(wait->arena, answer->message) };
        wait->is_answered = true;
        pthread_cond_broadcast(&state->changed);
    }
    pthread_mutex_unlock(&state->mutex);
}

void state_close(struct state *state)
{
    pthread_mutex_lock(&state->mutex);
    state->is_closed = true;
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->mutex);
}
