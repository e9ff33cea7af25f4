#include "budget/budget.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "plan/guard.h"
#include "state/objects.h"

#include <string.h>

/* public names start with: budget_ */

enum { MINUTES_DAY = 24 * 60, MS_MINUTE = 60 * 1000 };

/* ---- specification ---- */

static const char *const budget_days[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

/* Read HH:MM, up to 24:00. */
MUST_CHECK static bool budget_minute_parse(struct text word, unsigned *out)
{
    int64_t hours;
    int64_t minutes;

    if (word.length != 5 || word.data[2] != ':' ||
        !text_parse_int64(text_slice(word, 0, 2), &hours) ||
        !text_parse_int64(text_slice(word, 3, SIZE_MAX), &minutes) || hours < 0 || minutes < 0 ||
        minutes > 59 || hours * 60 + minutes > MINUTES_DAY) {
        return false;
    }
    *out = (unsigned)(hours * 60 + minutes);
    return true;
}

MUST_CHECK static bool budget_days_parse(const struct doc *list, unsigned *out)
{
    *out = list == NULL ? (1u << 7) - 1 : 0;
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        size_t day = 0;

        while (day < 7 && !(doc_is_scalar(&list->items[i]) &&
                            text_is(list->items[i].text, budget_days[day]))) {
            day++;
        }
        if (day == 7) {
            return false;
        }
        *out |= 1u << day;
    }
    return *out != 0;
}

MUST_CHECK static bool budget_window_parse(const struct doc *doc, struct budget_window *out)
{
    const struct doc *from = doc_child(doc, "from");
    const struct doc *to = doc_child(doc, "to");

    *out = (struct budget_window){ .to = MINUTES_DAY };
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        struct text key = doc->entries[i].key;

        if (!text_is(key, "days") && !text_is(key, "from") && !text_is(key, "to")) {
            return false;
        }
    }
    return doc_is_map(doc) && budget_days_parse(doc_child(doc, "days"), &out->days) &&
           (from == NULL || budget_minute_parse(doc_child_text(doc, "from"), &out->from)) &&
           (to == NULL || budget_minute_parse(doc_child_text(doc, "to"), &out->to)) &&
           out->from != out->to;
}

MUST_CHECK static bool budget_windows_parse(const struct doc *list, struct budget *out,
                                            const struct doc **out_field, struct err *err)
{
    *out_field = list;
    if (list != NULL && (!doc_is_list(list) || list->item_count > BUDGET_WINDOWS_MAX)) {
        return err_set(err, CODE_R0307, "windows must be a list of at most %d windows",
                       BUDGET_WINDOWS_MAX);
    }
    for (size_t i = 0; list != NULL && i < list->item_count; i++) {
        *out_field = &list->items[i];
        if (!budget_window_parse(&list->items[i], &out->windows[out->window_count++])) {
            err_set(err, CODE_R0307, "this window has no valid form");
            return err_hint(err, "write {days: [mon, tue], from: \"08:00\", to: \"17:00\"}, in "
                                 "UTC; without days, each day");
        }
    }
    return true;
}

bool budget_parse(struct arena *arena, const struct doc *spec, struct budget *out,
                  const struct doc **out_field, struct err *err)
{
    *out = (struct budget){ .max = (uint32_t)doc_child_number(spec, "maxUnavailable") };
    *out_field = doc_child(spec, "selector");
    return selector_parse(arena, doc_child_text(spec, "selector"), &out->selector, err) &&
           budget_windows_parse(doc_child(spec, "windows"), out, out_field, err);
}

/* True if the minute of the week is in the window that begins on this day. */
static bool budget_window_has(const struct budget_window *window, unsigned day, int64_t minute)
{
    int64_t begin = (int64_t)day * MINUTES_DAY + window->from;
    int64_t length = window->to > window->from ? window->to - window->from
                                               : MINUTES_DAY - window->from + window->to;
    int64_t since = (minute - begin + INT64_C(7) * MINUTES_DAY) % (INT64_C(7) * MINUTES_DAY);

    return (window->days & (1u << day)) != 0 && since < length;
}

bool budget_is_open(const struct budget *budget, int64_t wall_ms)
{
    /* 1970-01-01 was a Thursday */
    int64_t minute = (wall_ms / MS_MINUTE + INT64_C(3) * MINUTES_DAY) % (INT64_C(7) * MINUTES_DAY);
    bool is_open = budget->window_count == 0;

    for (size_t i = 0; i < budget->window_count; i++) {
        for (unsigned day = 0; day < 7; day++) {
            is_open = is_open || budget_window_has(&budget->windows[i], day, minute);
        }
    }
    return is_open;
}

/* ---- nodes ---- */

struct budget_traits {
    const struct budget_question *question;
    struct doc labels;
};

static bool budget_trait_find(void *arg, struct text key, struct text *out)
{
    const struct budget_traits *traits = arg;
    const struct budget_question *question = traits->question;
    const struct {
        const char *key;
        struct text value;
    } own[] = {
        { "cluster", question->cluster }, { "group", question->group }, { "name", question->name },
        { "plugin", question->plugin },   { "zone", question->zone },
    };
    const struct doc *label;

    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        if (text_is(key, own[i].key) && own[i].value.length > 0) {
            *out = own[i].value;
            return true;
        }
    }
    label = doc_is_map(&traits->labels) ? doc_find(&traits->labels, key) : NULL;
    if (!doc_is_scalar(label)) {
        return false;
    }
    *out = label->text;
    return true;
}

static bool budget_matches(struct arena *arena, const struct budget *budget,
                           const struct budget_question *question)
{
    struct budget_traits traits = { .question = question };
    struct doc labels;
    struct err err;

    if (question->labels.length > 0 && json_parse(arena, question->labels, NULL, &labels, &err) &&
        doc_is_map(doc_child(&labels, "labels"))) {
        traits.labels = *doc_child(&labels, "labels");
    }
    return selector_matches(&budget->selector, budget_trait_find, &traits);
}

/* ---- tickets ---- */

struct budget_ticket {
    uint64_t number;
    struct text cluster;
    struct text token;
    int64_t at_ms;
};

MUST_CHECK static bool budget_ticket_read(struct arena *arena, const struct cache_object *object,
                                          struct budget_ticket *out)
{
    struct text id = cache_id(object);
    size_t slash = text_find_byte(id, '/');
    struct doc doc;
    struct err err;
    int64_t number;

    if (object->parts[CACHE_BASE].bytes == NULL || slash == SIZE_MAX ||
        !text_parse_int64(text_slice(id, slash + 1, SIZE_MAX), &number) || number < 0 ||
        !json_parse(arena, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc, &err)) {
        return false;
    }
    *out = (struct budget_ticket){ .number = (uint64_t)number,
                                   .cluster = doc_child_text(&doc, "cluster"),
                                   .token = doc_child_text(&doc, "token"),
                                   .at_ms = doc_child_number(&doc, "at") };
    return true;
}

void budget_asks_init(struct budget_asks *asks, struct arena *arena)
{
    *asks = (struct budget_asks){ .arena = arena };
    asks->keys = arena_array(arena, struct text, BUDGET_ASKS_MAX);
    asks->values = arena_array(arena, struct text, BUDGET_ASKS_MAX);
}

static struct text budget_ticket_key(struct arena *arena, struct text tenant,
                                     const struct budget *budget, uint64_t number)
{
    return objects_key(
        arena, tenant, TEXT(TICKET_KIND),
        arena_printf(arena, "%.*s/%llu", TEXT_ARG(budget->name), (unsigned long long)number),
        CACHE_BASE);
}

static bool budget_is_asked(const struct budget_asks *asks, struct text key)
{
    size_t i = 0;

    while (i < asks->count && !text_is_equal(asks->keys[i], key)) {
        i++;
    }
    return i < asks->count;
}

/* The state of one budget for a node. */
struct budget_state {
    bool *is_used; /* tickets in use, by number */
    size_t used;
    bool is_held; /* the node has a ticket */
};

static struct budget_state budget_state_read(struct arena *arena,
                                             const struct budget_question *question,
                                             const struct budget *budget,
                                             const struct budget_asks *asks)
{
    struct budget_state state = { .is_used = arena_array(arena, bool, budget->max + 1) };
    struct text prefix = arena_printf(arena, "/%.*s/" TICKET_KIND "/%.*s/",
                                      TEXT_ARG(question->tenant), TEXT_ARG(budget->name));

    memset(state.is_used, 0, budget->max + 1);
    for (const struct cache_object *object = cache_first(question->cache, prefix); object != NULL;
         object = cache_next(question->cache, prefix, object)) {
        struct budget_ticket ticket;

        if (!budget_ticket_read(arena, object, &ticket)) {
            continue;
        }
        state.is_held =
            state.is_held ||
            (text_is_equal(ticket.cluster, question->cluster_id) &&
             (text_is_equal(ticket.token, question->token) || BUG(question, BUG_TICKET_SHARED)));
        state.used++;
        if (ticket.number < budget->max) {
            state.is_used[ticket.number] = true;
        }
    }
    for (uint32_t i = 0; i < budget->max; i++) {
        if (!state.is_used[i] &&
            budget_is_asked(asks, budget_ticket_key(arena, question->tenant, budget, i))) {
            state.is_used[i] = true;
            state.used++;
        }
    }
    return state;
}

/* Requests the ticket with the first free number. The search starts at a number that depends on the
 * cluster, so that two clusters rarely request the same ticket. */
static void budget_ask(const struct budget_question *question, const struct budget *budget,
                       const struct budget_state *state, struct budget_asks *asks)
{
    uint32_t first = (uint32_t)(text_hash(question->cluster_id, 1) % budget->max);

    for (uint32_t i = 0; i < budget->max && asks->count < BUDGET_ASKS_MAX; i++) {
        uint32_t number = (first + i) % budget->max;

        if (!state->is_used[number]) {
            asks->keys[asks->count] =
                budget_ticket_key(asks->arena, question->tenant, budget, number);
            asks->values[asks->count++] =
                arena_printf(asks->arena, "{\"at\":%lld,\"cluster\":\"%.*s\",\"token\":\"%.*s\"}",
                             (long long)question->wall_ms, TEXT_ARG(question->cluster_id),
                             TEXT_ARG(question->token));
            return;
        }
    }
}

/* Reads a budget of the tenant. If it cannot be parsed, a newer version wrote it, and it limits
 * nothing. */
MUST_CHECK static bool budget_read(struct arena *arena, const struct cache_object *object,
                                   struct budget *out)
{
    const struct doc *field;
    struct doc doc;
    struct err err;

    if (object->parts[CACHE_SPEC].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL, &doc, &err) ||
        !budget_parse(arena, doc_child(&doc, "spec"), out, &field, &err)) {
        return false;
    }
    out->name = arena_text(arena, cache_id(object));
    out->max = out->max > BUDGET_TICKETS_MAX ? BUDGET_TICKETS_MAX : out->max;
    return true;
}

/* Checks one budget that matches the node. The node has a ticket, or a ticket can be requested, or
 * *out_wait is set. */
struct budget_need {
    struct budget budget;
    struct budget_state state;
};

static struct text budget_wait_words(struct arena *arena, const struct budget *budget,
                                     const struct budget_state *state, int64_t wall_ms)
{
    if (!budget_is_open(budget, wall_ms)) {
        return arena_printf(
            arena, "budget %.*s permits no operation at this time, because no window is open",
            TEXT_ARG(budget->name));
    }
    return state->used < budget->max
               ? TEXT("")
               : arena_printf(arena,
                              "budget %.*s: %zu nodes are out of service, and at most %u may be",
                              TEXT_ARG(budget->name), state->used, budget->max);
}

bool budget_may(const struct budget_question *question, struct budget_asks *asks,
                struct text *out_wait)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text prefix = arena_printf(arena, "/%.*s/Budget/", TEXT_ARG(question->tenant));
    const struct cache_object *object = cache_first(question->cache, prefix);
    struct budget_need *needs;
    size_t count = 0;
    size_t before = asks->count;

    *out_wait = TEXT("");
    if (object == NULL || !GUARD(question, G24)) {
        return true;
    }
    needs = arena_array(arena, struct budget_need, BUDGETS_MAX);
    for (; object != NULL && count < BUDGETS_MAX;
         object = cache_next(question->cache, prefix, object)) {
        struct budget_need *need = &needs[count];
        struct text wait;

        if (!budget_read(arena, object, &need->budget) ||
            !budget_matches(arena, &need->budget, question)) {
            continue;
        }
        need->state = budget_state_read(arena, question, &need->budget, asks);
        if (need->state.is_held) {
            continue;
        }
        wait = budget_wait_words(arena, &need->budget, &need->state, question->wall_ms);
        if (wait.length > 0) {
            *out_wait = arena_text(asks->arena, wait);
            /* take no ticket of this budget while a ticket of another budget is not available */
            return false;
        }
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        budget_ask(question, &needs[i].budget, &needs[i].state, asks);
    }
    return count == 0 && asks->count == before;
}

void budget_tickets(const struct cache *cache, struct text tenant, struct text cluster_id,
                    int64_t wall_ms, budget_ticket_fn *found, void *arg)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text prefix = arena_printf(arena, "/%.*s/" TICKET_KIND "/", TEXT_ARG(tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct budget_ticket ticket;

        if (budget_ticket_read(arena, object, &ticket) &&
            text_is_equal(ticket.cluster, cluster_id)) {
            found(arg, cache_id(object), object->parts[CACHE_BASE].revision, ticket.token,
                  wall_ms - ticket.at_ms);
        }
    }
}
