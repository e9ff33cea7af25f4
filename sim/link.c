#include "link.h"

#include "base/heap.h"
#include "base/mem.h"

#include <assert.h>

/* ---- calls in progress ---- */

enum parcel_step { PARCEL_THERE, PARCEL_AT_TRUTH, PARCEL_BACK };

enum parcel_kind {
    PARCEL_LIST,
    PARCEL_TXN,
    PARCEL_EVENTS,
    PARCEL_EVENTS_BEFORE,
    PARCEL_HISTORY,
    PARCEL_OTHER
};

/* One call that is in transit to the real store or back. */
struct parcel {
    struct heap_node waiting;
    struct parcel *next; /* the next call in the list of all calls */
    struct arena *arena;
    struct link *link;
    enum parcel_kind kind;
    enum parcel_step step;
    struct link_fate fate;
    struct store_range range;
    struct store_txn txn;
    struct text name;
    uint64_t number;
    size_t limit;
    store_done *done;
    void *arg;
    enum outcome outcome;
    struct store_answer answer;
};

/* Changes of one revision that a watch will receive later. */
struct reports {
    struct reports *next;
    struct arena *arena;
    uint64_t due;
    enum store_watch_state state;
    uint64_t revision;
    struct store_change *changes;
    size_t count;
};

struct store_watch {
    struct store_watch *next;
    struct link *link;
    struct store_watch *truth; /* the watch in the real store; NULL: it has ended there */
    store_watch_seen *seen;
    void *arg;
    struct reports *first;
    struct reports **last;
    uint64_t newest_due;
    bool is_closed;
};

struct link {
    struct store store; /* must be the first member */
    struct arena *memory;
    struct link_options options;
    struct heap parcels;
    struct parcel *all;
    struct store_watch *watches;
    bool is_cut;
};

static struct link *link_of(struct store *store)
{
    return (struct link *)store;
}

static uint64_t now_of(const struct link *link)
{
    return link->options.now_ms(link->options.arg);
}

/* ---- parcels ---- */

static struct parcel *parcel_new(struct link *link, enum parcel_kind kind,
                                 const struct store_txn *txn, store_done *done, void *arg)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct parcel *parcel = arena_one(arena, struct parcel);

    *parcel = (struct parcel){
        .arena = arena, .link = link, .kind = kind, .done = done, .arg = arg, .next = link->all
    };
    link->all = parcel;
    if (link->is_cut) {
        parcel->fate.is_lost = true;
    } else {
        parcel->fate = link->options.fate(link->options.arg, txn);
    }
    heap_put(&link->parcels, &parcel->waiting, now_of(link) + parcel->fate.there_ms);
    return parcel;
}

static void parcel_free(struct parcel *parcel)
{
    struct parcel **at = &parcel->link->all;

    while (*at != parcel) {
        at = &(*at)->next;
    }
    *at = parcel->next;
    heap_remove(&parcel->link->parcels, &parcel->waiting);
    arena_free(parcel->arena);
}

static void parcel_return(struct parcel *parcel, enum outcome outcome)
{
    parcel->step = PARCEL_BACK;
    parcel->outcome = outcome;
    if (outcome == OUTCOME_UNKNOWN) {
        err_set(&parcel->answer.err, CODE_R0501, "the store does not answer");
    }
    heap_put(&parcel->link->parcels, &parcel->waiting, now_of(parcel->link) + parcel->fate.back_ms);
}

/* Stores the answer of the real store until it arrives at the manager. */
static void truth_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct parcel *parcel = arg;
    struct arena *arena = parcel->arena;
    struct store_item *items = arena_array(arena, struct store_item, answer->count);
    struct store_event *events = arena_array(arena, struct store_event, answer->count);

    assert(parcel->step == PARCEL_AT_TRUTH);
    parcel->answer = *answer;
    for (size_t i = 0; answer->items != NULL && i < answer->count; i++) {
        items[i] = answer->items[i];
        items[i].key = arena_text(arena, answer->items[i].key);
        items[i].value = arena_text(arena, answer->items[i].value);
    }
    for (size_t i = 0; answer->events != NULL && i < answer->count; i++) {
        events[i] = answer->events[i];
        events[i].cluster = arena_text(arena, answer->events[i].cluster);
        events[i].body = arena_text(arena, answer->events[i].body);
    }
    parcel->answer.items = answer->items == NULL ? NULL : items;
    parcel->answer.events = answer->events == NULL ? NULL : events;
    parcel_return(parcel, parcel->fate.is_unheard ? OUTCOME_UNKNOWN : outcome);
}

static void parcel_hand_over(struct parcel *parcel)
{
    struct store *truth = parcel->link->options.truth;

    parcel->step = PARCEL_AT_TRUTH;
    switch (parcel->kind) {
    case PARCEL_LIST:
        store_list(truth, &parcel->range, truth_reported, parcel);
        break;
    case PARCEL_TXN:
        store_txn(truth, &parcel->txn, truth_reported, parcel);
        break;
    case PARCEL_EVENTS:
        store_events(truth, parcel->name, parcel->number, parcel->limit, truth_reported, parcel);
        break;
    case PARCEL_EVENTS_BEFORE:
        store_events_before(truth, parcel->name, parcel->number, parcel->limit, truth_reported,
                            parcel);
        break;
    case PARCEL_HISTORY:
        store_history(truth, parcel->name, truth_reported, parcel);
        break;
    case PARCEL_OTHER:
        parcel_return(parcel, OUTCOME_OK);
        break;
    }
}

static void parcel_arrive(struct parcel *parcel)
{
    if (parcel->fate.is_refused) {
        err_set(&parcel->answer.err, CODE_R0501, "the store turns it away");
        parcel_return(parcel, OUTCOME_REFUSED);
    } else if (parcel->fate.is_lost) {
        parcel_return(parcel, OUTCOME_UNKNOWN);
    } else {
        parcel_hand_over(parcel);
    }
}

void link_carry(struct store *store)
{
    struct link *link = link_of(store);
    uint64_t now = now_of(link);

    for (struct parcel *parcel = link->all, *next; parcel != NULL; parcel = next) {
        next = parcel->next;
        if (parcel->step == PARCEL_THERE && parcel->waiting.is_in && parcel->waiting.due <= now) {
            heap_remove(&link->parcels, &parcel->waiting);
            parcel_arrive(parcel);
        }
    }
}

/* ---- watches ---- */

static void news_free(struct store_watch *watch)
{
    while (watch->first != NULL) {
        struct reports *reports = watch->first;

        watch->first = reports->next;
        arena_free(reports->arena);
    }
    watch->last = &watch->first;
}

static void watch_seen(void *arg, enum store_watch_state state, uint64_t revision,
                       const struct store_change *changes, size_t count)
{
    struct store_watch *watch = arg;
    struct link *link = watch->link;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct reports *reports = arena_one(arena, struct reports);
    uint64_t due = now_of(link) + link->options.watch_delay_ms(link->options.arg);

    *reports =
        (struct reports){ .arena = arena, .state = state, .revision = revision, .count = count };
    reports->changes = arena_array(arena, struct store_change, count);
    for (size_t i = 0; i < count; i++) {
        reports->changes[i] = changes[i];
        reports->changes[i].item.key = arena_text(arena, changes[i].item.key);
        reports->changes[i].item.value = arena_text(arena, changes[i].item.value);
    }
    watch->newest_due = due > watch->newest_due ? due : watch->newest_due;
    reports->due = watch->newest_due;
    *watch->last = reports;
    watch->last = &reports->next;
    if (state != STORE_WATCH_CHANGES) {
        watch->truth = NULL;
    }
}

static struct store_watch *driver_watch(struct store *store, struct text prefix,
                                        uint64_t from_revision, store_watch_seen *seen, void *arg)
{
    struct link *link = link_of(store);
    struct store_watch *watch = arena_one(link->memory, struct store_watch);

    *watch = (struct store_watch){ .link = link, .seen = seen, .arg = arg, .next = link->watches };
    watch->last = &watch->first;
    link->watches = watch;
    if (!link->is_cut) {
        watch->truth = store_watch(link->options.truth, prefix, from_revision, watch_seen, watch);
    }
    return watch;
}

static void driver_watch_close(struct store *store, struct store_watch *watch)
{
    if (watch->truth != NULL) {
        store_watch_close(link_of(store)->options.truth, watch->truth);
        watch->truth = NULL;
    }
    news_free(watch);
    watch->is_closed = true;
}

void link_lose_watches(struct store *store)
{
    struct link *link = link_of(store);

    for (struct store_watch *watch = link->watches; watch != NULL; watch = watch->next) {
        if (watch->truth != NULL) {
            store_watch_close(link->options.truth, watch->truth);
            watch_seen(watch, STORE_WATCH_LOST, 0, NULL, 0);
        }
    }
}

static size_t watch_run(struct store_watch *watch, uint64_t now)
{
    size_t count = 0;

    while (!watch->is_closed && watch->first != NULL && watch->first->due <= now) {
        struct reports *reports = watch->first;

        watch->first = reports->next;
        if (watch->first == NULL) {
            watch->last = &watch->first;
        }
        watch->is_closed = reports->state != STORE_WATCH_CHANGES;
        watch->seen(watch->arg, reports->state, reports->revision, reports->changes,
                    reports->count);
        arena_free(reports->arena);
        count++;
    }
    return count;
}

/* Remove ended watches. */
static void watches_sweep(struct link *link)
{
    for (struct store_watch **at = &link->watches; *at != NULL;) {
        struct store_watch *watch = *at;

        if (watch->is_closed && watch->truth == NULL) {
            news_free(watch);
            *at = watch->next;
        } else {
            at = &watch->next;
        }
    }
}

/* ---- the driver ---- */

static size_t driver_run(struct store *store)
{
    struct link *link = link_of(store);
    uint64_t now = now_of(link);
    size_t count = 0;
    struct heap_node *first;

    while ((first = heap_first(&link->parcels)) != NULL && first->due <= now) {
        struct parcel *parcel = heap_owner(first, struct parcel, waiting);

        if (parcel->step != PARCEL_BACK) {
            break; /* link_carry handles calls that have not reached the real store */
        }
        heap_remove(&link->parcels, first);
        parcel->done(parcel->arg, parcel->outcome, &parcel->answer);
        parcel_free(parcel);
        count++;
    }
    for (struct store_watch *watch = link->watches; watch != NULL; watch = watch->next) {
        count += watch_run(watch, now);
    }
    watches_sweep(link);
    return count;
}

uint64_t link_due(const struct store *store)
{
    const struct link *link = (const struct link *)store;
    const struct heap_node *first = heap_first(&link->parcels);
    uint64_t due = first == NULL ? UINT64_MAX : first->due;

    for (const struct store_watch *watch = link->watches; watch != NULL; watch = watch->next) {
        if (watch->first != NULL && watch->first->due < due) {
            due = watch->first->due;
        }
    }
    return due;
}

static void driver_status(const struct store *store, struct store_status *out)
{
    store_status(((const struct link *)store)->options.truth, out);
}

static void driver_list(struct store *store, const struct store_range *range, store_done *done,
                        void *arg)
{
    struct parcel *parcel = parcel_new(link_of(store), PARCEL_LIST, NULL, done, arg);

    parcel->range = *range;
    parcel->range.prefix = arena_text(parcel->arena, range->prefix);
    parcel->range.after = arena_text(parcel->arena, range->after);
}

static void txn_copy(struct arena *arena, const struct store_txn *txn, struct store_txn *out)
{
    struct store_compare *compares = arena_array(arena, struct store_compare, txn->compare_count);
    struct store_op *ops = arena_array(arena, struct store_op, txn->op_count);
    struct store_event *events = arena_array(arena, struct store_event, txn->event_count);

    for (size_t i = 0; i < txn->compare_count; i++) {
        compares[i] = txn->compares[i];
        compares[i].key = arena_text(arena, txn->compares[i].key);
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        ops[i] = txn->ops[i];
        ops[i].key = arena_text(arena, txn->ops[i].key);
        ops[i].value = arena_text(arena, txn->ops[i].value);
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        events[i] = txn->events[i];
        events[i].cluster = arena_text(arena, txn->events[i].cluster);
        events[i].body = arena_text(arena, txn->events[i].body);
    }
    *out = *txn;
    out->compares = compares;
    out->ops = ops;
    out->events = events;
}

static void driver_txn(struct store *store, const struct store_txn *txn, store_done *done,
                       void *arg)
{
    struct parcel *parcel = parcel_new(link_of(store), PARCEL_TXN, txn, done, arg);

    txn_copy(parcel->arena, txn, &parcel->txn);
}

static void driver_events(struct store *store, struct text cluster, uint64_t after_number,
                          size_t limit, store_done *done, void *arg)
{
    struct parcel *parcel = parcel_new(link_of(store), PARCEL_EVENTS, NULL, done, arg);

    parcel->name = arena_text(parcel->arena, cluster);
    parcel->number = after_number;
    parcel->limit = limit;
}

static void driver_events_before(struct store *store, struct text cluster, uint64_t before_number,
                                 size_t limit, store_done *done, void *arg)
{
    struct parcel *parcel = parcel_new(link_of(store), PARCEL_EVENTS_BEFORE, NULL, done, arg);

    parcel->name = arena_text(parcel->arena, cluster);
    parcel->number = before_number;
    parcel->limit = limit;
}

static void driver_history(struct store *store, struct text key, store_done *done, void *arg)
{
    struct parcel *parcel = parcel_new(link_of(store), PARCEL_HISTORY, NULL, done, arg);

    parcel->name = arena_text(parcel->arena, key);
}

/* Does nothing, because only the simulator compacts the store and drops events. */
static void driver_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    (void)revision;
    (void)parcel_new(link_of(store), PARCEL_OTHER, NULL, done, arg);
}

static void driver_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max,
                               store_done *done, void *arg)
{
    (void)before_ms;
    (void)rows_max;
    (void)parcel_new(link_of(store), PARCEL_OTHER, NULL, done, arg);
}

static int driver_descriptor(const struct store *store)
{
    (void)store;
    return -1;
}

static void watches_end(struct link *link)
{
    for (struct store_watch *watch = link->watches; watch != NULL; watch = watch->next) {
        if (watch->truth != NULL) {
            store_watch_close(link->options.truth, watch->truth);
            watch->truth = NULL;
        }
        news_free(watch);
    }
}

void link_cut(struct store *store)
{
    struct link *link = link_of(store);

    link->is_cut = true;
    watches_end(link);
    for (struct parcel *parcel = link->all; parcel != NULL; parcel = parcel->next) {
        parcel->fate = (struct link_fate){ .is_lost = true };
        assert(parcel->step != PARCEL_AT_TRUTH && "the truth is run after each carrying");
        parcel_return(parcel, OUTCOME_UNKNOWN);
    }
}

void link_sever(struct store *store, struct store *truth)
{
    struct link *link = link_of(store);

    link->is_cut = true;
    watches_end(link);
    link->options.truth = truth;
    for (struct parcel *parcel = link->all; parcel != NULL; parcel = parcel->next) {
        assert(parcel->step != PARCEL_AT_TRUTH && "the truth is run after each carrying");
        if (parcel->step != PARCEL_BACK) {
            parcel_return(parcel, OUTCOME_UNKNOWN);
        }
    }
}

static void driver_close(struct store *store)
{
    struct link *link = link_of(store);

    link_cut(store);
    while (link->all != NULL) {
        struct parcel *parcel = link->all;

        parcel->done(parcel->arg, OUTCOME_UNKNOWN, &parcel->answer);
        parcel_free(parcel);
    }
    heap_clear(&link->parcels);
    arena_free(link->memory);
}

struct store *link_open(struct link_options options)
{
    static const struct store_driver driver = {
        .name = "link",
        .close = driver_close,
        .descriptor = driver_descriptor,
        .run = driver_run,
        .status = driver_status,
        .list = driver_list,
        .txn = driver_txn,
        .watch = driver_watch,
        .watch_close = driver_watch_close,
        .compact = driver_compact,
        .events = driver_events,
        .events_before = driver_events_before,
        .events_drop = driver_events_drop,
        .history = driver_history,
    };
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct link *link = arena_one(memory, struct link);

    link->store.driver = &driver;
    link->memory = memory;
    link->options = options;
    return &link->store;
}
