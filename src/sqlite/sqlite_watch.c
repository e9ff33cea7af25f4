#include "base/limits.h"
#include "sqlite/sqlite_store.h"

#include <assert.h>

/* A watch is a read that is repeated after each commit. If a watch has reported all earlier
 * changes, it gets the changes of a commit directly. */

struct store_watch {
    struct store_watch *next;
    struct blob *prefix;
    uint64_t next_revision;
    store_watch_seen *seen;
    void *arg;
    bool is_asking; /* a read for the watch is active */
    bool is_closed;
};

static void watch_ask(struct sqlite_store *sqlite, struct store_watch *watch)
{
    struct request *request = sqlite_request_new(sqlite, REQUEST_CHANGES, NULL, NULL);

    assert(!watch->is_asking);
    watch->is_asking = true;
    request->watch = watch;
    request->key = arena_text(request->arena, blob_text(watch->prefix));
    request->number = watch->next_revision;
    sqlite_read_put(sqlite, request);
}

struct store_watch *sqlite_watch_open(struct store *store, struct text prefix,
                                      uint64_t from_revision, store_watch_seen *seen, void *arg)
{
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    struct store_watch *watch = pool_take(sqlite->watch_pool);

    assert(watch != NULL && "too many watches of the store are open");
    *watch = (struct store_watch){
        .next = sqlite->watches,
        .prefix = blob_new(prefix),
        .next_revision = from_revision == 0 ? 1 : from_revision,
        .seen = seen,
        .arg = arg,
    };
    sqlite->watches = watch;
    watch_ask(sqlite, watch);
    return watch;
}

void sqlite_watch_close(struct store *store, struct store_watch *watch)
{
    (void)store;
    watch->is_closed = true; /* freed when no read for it is active */
}

/* Reports the changes of a read with one call of `seen` per revision. */
static void watch_report(struct store_watch *watch, const struct sqlite_changes *changes)
{
    const struct store_change *items = changes->items;
    size_t start = 0;

    while (start < changes->count && !watch->is_closed) {
        size_t end = start + 1;

        while (end < changes->count && items[end].item.revision == items[start].item.revision) {
            end++;
        }
        watch->seen(watch->arg, STORE_WATCH_CHANGES, items[start].item.revision, items + start,
                    end - start);
        start = end;
    }
}

void sqlite_watch_finish(struct sqlite_store *sqlite, const struct request *request)
{
    struct store_watch *watch = request->watch;
    enum store_watch_state state =
        request->result.err.code == CODE_R0503 ? STORE_WATCH_COMPACTED : STORE_WATCH_LOST;

    watch->is_asking = false;
    if (watch->is_closed) {
        return;
    }
    if (request->result.outcome == OUTCOME_OK) {
        watch->next_revision = request->changes.next_revision;
        if (watch->next_revision <= sqlite->figures.revision) {
            watch_ask(sqlite, watch); /* starts the next read before the callbacks */
        }
        watch_report(watch, &request->changes);
        return;
    }
    watch->is_closed = true;
    watch->seen(watch->arg, state, 0, NULL, 0);
}

/* Returns the changes of keys with this prefix, in the request's arena. */
static struct sqlite_changes changes_below(const struct request *request, struct text prefix)
{
    const struct sqlite_changes *all = &request->changes;
    struct sqlite_changes some = {
        .items = arena_array(request->arena, struct store_change, all->count),
        .next_revision = all->next_revision,
    };

    for (size_t i = 0; i < all->count; i++) {
        if (text_has_prefix(all->items[i].item.key, prefix)) {
            some.items[some.count++] = all->items[i];
        }
    }
    return some;
}

void sqlite_watches_report(struct sqlite_store *sqlite, const struct request *request)
{
    uint64_t next = request->changes.next_revision;

    for (struct store_watch *watch = sqlite->watches; watch != NULL && next > 0;
         watch = watch->next) {
        struct sqlite_changes some;

        if (watch->is_closed || watch->is_asking || watch->next_revision + 1 != next) {
            continue; /* the next read of this watch will include the changes */
        }
        some = changes_below(request, blob_text(watch->prefix));
        watch->next_revision = next;
        watch_report(watch, &some);
    }
}

void sqlite_watches_turn(struct sqlite_store *sqlite)
{
    for (struct store_watch **link = &sqlite->watches; *link != NULL;) {
        struct store_watch *watch = *link;

        if (watch->is_closed && !watch->is_asking) {
            *link = watch->next;
            blob_free(watch->prefix);
            pool_give(sqlite->watch_pool, watch);
            continue;
        }
        if (!watch->is_closed && !watch->is_asking &&
            watch->next_revision <= sqlite->figures.revision) {
            watch_ask(sqlite, watch);
        }
        link = &watch->next;
    }
}

void sqlite_watches_end(struct sqlite_store *sqlite)
{
    for (struct store_watch *watch = sqlite->watches; watch != NULL; watch = watch->next) {
        watch->is_closed = true;
    }
}

struct pool *sqlite_watch_pool_new(void)
{
    return pool_new(sizeof(struct store_watch), LIMIT_STORE_WATCHES);
}
