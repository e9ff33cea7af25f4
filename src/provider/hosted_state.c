#include "provider/hosted_parts.h"
#include "reeve/plugin.h"

#include <assert.h>

/* Handles requests of a plugin's process to read or write its state. The port answers later, and
 * the process may have ended by then. */

static void hosted_state_unlink(struct hosted *self, const struct hosted_ask *gone)
{
    struct hosted_ask **at = &self->asks;

    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
    self->asks_count--;
}

static void hosted_state_send(struct hosted *self, const struct wire_state *answer)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct wire_message message = { .type = WIRE_STATE, .state = *answer };
    struct buf buf;

    buf_init(&buf, arena);
    wire_format(&buf, &message);
    if (!link_send(self->link, buf_text(&buf))) {
        hosted_forget(self, "the plugin does not read the answers to its requests");
    }
}

static void hosted_state_answered(void *arg, const struct wire_state *answer)
{
    struct hosted_ask *ask = arg;
    struct hosted *self = ask->self;
    struct wire_state numbered = *answer;

    numbered.number = ask->number;
    if (self != NULL) {
        hosted_state_unlink(self, ask);
    }
    rows_free(ask);
    if (self != NULL) {
        hosted_state_send(self, &numbered);
    }
}

/* Validates a state request. Returns NULL, or the reason why an intact reeve-host would never send
 * it. */
static const char *hosted_state_lie(const struct hosted *self, const struct wire_state_ask *ask)
{
    bool is_list = ask->access == WIRE_STATE_LIST;
    struct text key = ask->key;

    if (self->options.state.access == NULL || self->asks_count >= LIMIT_HOST_CALLS_MAX) {
        return "the plugin requests a state that it does not have, or too often at the same time";
    }
    if (is_list && key.length > 0 && key.data[key.length - 1] == '/') {
        key = text_slice(key, 0, key.length - 1);
    }
    if (ask->access >= WIRE_STATE_COUNT ||
        (!(is_list && ask->key.length == 0) && !wire_state_key_is_fit(key)) ||
        (ask->after.length > 0 && !wire_state_key_is_fit(ask->after)) ||
        ask->value.length > LIMIT_PLUGIN_STATE_VALUE_BYTES) {
        return "the plugin requests its state with an invalid key or value";
    }
    return NULL;
}

void hosted_state_take(struct hosted *self, const struct wire_state_ask *ask)
{
    const struct hosted_use user = { .tenant = self->options.tenant,
                                     .account = self->options.account,
                                     .plugin = self->options.facts->hello.name,
                                     .digest = self->options.facts->open.digest };
    const char *lie = hosted_state_lie(self, ask);
    const struct hosted_call *call = self->calls;
    struct hosted_ask *kept;

    while (call != NULL && !(call->id == ask->call && call->is_under_way)) {
        call = call->next;
    }
    if (lie != NULL || call == NULL) {
        hosted_forget(self, lie != NULL ? lie : "the plugin requests its state outside of a call");
        return;
    }
    kept = rows_resize(NULL, sizeof(*kept));
    *kept = (struct hosted_ask){ self->asks, self, ask->number };
    self->asks = kept;
    self->asks_count++;
    if (call->is_given_up && ask->access == WIRE_STATE_PUT) {
        /* the deadline of the call has passed, so the state must not change */
        hosted_state_answered(kept, &(struct wire_state){ .result = REEVE_TRANSIENT });
        return;
    }
    self->options.state.access(self->options.state.arg, &user, ask, hosted_state_answered, kept);
}

void hosted_state_drop(struct hosted *self)
{
    for (struct hosted_ask *ask = self->asks, *next; ask != NULL; ask = next) {
        next = ask->next;
        ask->self = NULL;
        ask->next = NULL;
    }
    self->asks = NULL;
    self->asks_count = 0;
}
