#include "provider/plugin_state.h"

#include "base/limits.h"
#include "reeve/plugin.h"

#define PLUGIN_STATE_PART "/base"

/* One read or write of the state, until the store has answered. */
struct plugin_state_call {
    struct arena *arena;
    enum wire_access access;
    size_t prefix; /* length of the store key's part that precedes the plugin's key */
    struct text key;
    struct text value;
    hosted_state_done *done;
    void *arg;
};

static void plugin_state_end(struct plugin_state_call *call, const struct wire_state *answer)
{
    call->done(call->arg, answer);
    arena_free(call->arena);
}

static struct wire_state_entry plugin_state_entry(const struct plugin_state_call *call,
                                                  const struct store_item *item)
{
    struct text key = text_slice(item->key, call->prefix,
                                 item->key.length - call->prefix - (sizeof(PLUGIN_STATE_PART) - 1));

    return (struct wire_state_entry){ key, item->value, item->revision };
}

static void plugin_state_failed(struct plugin_state_call *call, enum outcome outcome,
                                const struct store_answer *answer)
{
    plugin_state_end(call, &(struct wire_state){ .result = outcome == OUTCOME_UNKNOWN &&
                                                                   call->access == WIRE_STATE_PUT
                                                               ? REEVE_UNKNOWN
                                                               : REEVE_TRANSIENT,
                                                 .message = text_from(answer->err.text) });
}

static void plugin_state_read(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct plugin_state_call *call = arg;
    struct wire_state_entry *entries;
    size_t count = answer->count;

    if (outcome != OUTCOME_OK) {
        plugin_state_failed(call, outcome, answer);
        return;
    }
    entries = arena_array(call->arena, struct wire_state_entry, count + 1);
    for (size_t i = 0; i < count; i++) {
        entries[i] = plugin_state_entry(call, &answer->items[i]);
    }
    if (call->access == WIRE_STATE_GET && count == 0) {
        entries[count++] = (struct wire_state_entry){ .key = call->key };
    }
    plugin_state_end(call, &(struct wire_state){ .result = REEVE_OK,
                                                 .has_more = answer->has_more,
                                                 .entries = { entries, count } });
}

static void plugin_state_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct plugin_state_call *call = arg;
    struct wire_state_entry entry = { call->key, call->value,
                                      call->value.length == 0 ? 0 : answer->revision };

    if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502) {
        plugin_state_end(call, &(struct wire_state){ .result = REEVE_INVALID });
    } else if (outcome != OUTCOME_OK) {
        plugin_state_failed(call, outcome, answer);
    } else {
        plugin_state_end(call,
                         &(struct wire_state){ .result = REEVE_OK, .entries = { &entry, 1 } });
    }
}

static void plugin_state_put(struct store *store, struct text key, const struct wire_state_ask *ask,
                             struct plugin_state_call *call)
{
    struct store_compare compare = { .key = key, .revision = ask->version };
    struct store_op op = { .key = key, .value = ask->value, .is_delete = ask->value.length == 0 };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    store_txn(store, &txn, plugin_state_written, call);
}

void plugin_state_access(struct store *store, const struct hosted_use *user,
                         const struct wire_state_ask *ask, hosted_state_done *done, void *arg)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct plugin_state_call *call = arena_one(arena, struct plugin_state_call);
    struct text folder = arena_printf(arena, "/%.*s/" PLUGIN_STATE_KIND "/%.*s%s%.*s/",
                                      TEXT_ARG(user->tenant), TEXT_ARG(user->plugin),
                                      user->account.length > 0 ? "@" : "", TEXT_ARG(user->account));
    struct text key =
        arena_printf(arena, "%.*s%.*s" PLUGIN_STATE_PART, TEXT_ARG(folder), TEXT_ARG(ask->key));

    *call = (struct plugin_state_call){ .arena = arena,
                                        .access = (enum wire_access)ask->access,
                                        .prefix = folder.length,
                                        .key = arena_text(arena, ask->key),
                                        .value = arena_text(arena, ask->value),
                                        .done = done,
                                        .arg = arg };
    if (ask->access == WIRE_STATE_PUT) {
        plugin_state_put(store, key, ask, call);
    } else if (ask->access == WIRE_STATE_GET) {
        store_get(store, key, 0, plugin_state_read, call);
    } else {
        struct store_range range = {
            .prefix = arena_printf(arena, "%.*s%.*s", TEXT_ARG(folder), TEXT_ARG(ask->key)),
            .after = ask->after.length == 0 ? TEXT("")
                                            : arena_printf(arena, "%.*s%.*s" PLUGIN_STATE_PART,
                                                           TEXT_ARG(folder), TEXT_ARG(ask->after)),
            .limit = LIMIT_PLUGIN_STATE_PAGE,
            .bytes = LIMIT_PLUGIN_STATE_PAGE_BYTES,
        };

        store_list(store, &range, plugin_state_read, call);
    }
}
