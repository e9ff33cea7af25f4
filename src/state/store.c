#include "state/store.h"

#include "base/limits.h"

#include <assert.h>

void store_close(struct store *store)
{
    if (store != NULL) {
        store->driver->close(store);
    }
}

int store_descriptor(const struct store *store)
{
    return store->driver->descriptor(store);
}

size_t store_run(struct store *store)
{
    return store->driver->run(store);
}

void store_status(const struct store *store, struct store_status *out)
{
    assert(out != NULL);
    store->driver->status(store, out);
}

void store_list(struct store *store, const struct store_range *range, store_done *done, void *arg)
{
    assert(range != NULL && done != NULL);
    store->driver->list(store, range, done, arg);
}

void store_get(struct store *store, struct text key, uint64_t at_revision, store_done *done,
               void *arg)
{
    struct store_range range = {
        .prefix = key, .limit = 1, .at_revision = at_revision, .is_exact = true
    };

    assert(key.length > 0 && done != NULL);
    store->driver->list(store, &range, done, arg);
}

void store_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg)
{
    assert(txn != NULL && done != NULL);
    store->driver->txn(store, txn, done, arg);
}

struct store_watch *store_watch(struct store *store, struct text prefix, uint64_t from_revision,
                                store_watch_seen *seen, void *arg)
{
    assert(seen != NULL);
    return store->driver->watch(store, prefix, from_revision, seen, arg);
}

void store_watch_close(struct store *store, struct store_watch *watch)
{
    assert(watch != NULL);
    store->driver->watch_close(store, watch);
}

void store_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    assert(done != NULL);
    store->driver->compact(store, revision, done, arg);
}

void store_events(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                  store_done *done, void *arg)
{
    assert(done != NULL);
    store->driver->events(store, cluster, after_number, limit, done, arg);
}

void store_events_before(struct store *store, struct text cluster, uint64_t before_number,
                         size_t limit, store_done *done, void *arg)
{
    assert(done != NULL);
    store->driver->events_before(store, cluster, before_number, limit, done, arg);
}

void store_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max, store_done *done,
                       void *arg)
{
    assert(done != NULL);
    store->driver->events_drop(store, before_ms, rows_max, done, arg);
}

void store_history(struct store *store, struct text key, store_done *done, void *arg)
{
    assert(key.length > 0 && done != NULL);
    store->driver->history(store, key, done, arg);
}

void store_audit(struct store *store, bool is_deep, store_done *done, void *arg)
{
    assert(done != NULL && store->driver->audit != NULL);
    store->driver->audit(store, is_deep, done, arg);
}

bool store_has_audit(const struct store *store)
{
    return store->driver->audit != NULL;
}

MUST_CHECK static bool store_key_check(struct text key, struct err *err)
{
    if (key.length == 0 || key.length > LIMIT_STORE_KEY_BYTES) {
        return err_set(err, CODE_R0504, "a key has %zu bytes, 1 to %d are allowed", key.length,
                       LIMIT_STORE_KEY_BYTES);
    }
    return true;
}

MUST_CHECK static bool store_value_check(struct text value, struct err *err)
{
    if (value.length > LIMIT_STORE_VALUE_BYTES) {
        return err_set(err, CODE_R0504, "a value has %zu bytes, at most %d are allowed",
                       value.length, LIMIT_STORE_VALUE_BYTES);
    }
    return true;
}

bool store_txn_check(const struct store_txn *txn, struct err *err)
{
    size_t operations = txn->compare_count + txn->op_count + txn->event_count;

    if (operations > LIMIT_STORE_TXN_OPERATIONS) {
        return err_set(err, CODE_R0504, "a transaction has %zu operations, at most %d are allowed",
                       operations, LIMIT_STORE_TXN_OPERATIONS);
    }
    for (size_t i = 0; i < txn->compare_count; i++) {
        if (!store_key_check(txn->compares[i].key, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!store_key_check(txn->ops[i].key, err) || !store_value_check(txn->ops[i].value, err)) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (text_is_equal(txn->ops[i].key, txn->ops[j].key)) {
                return err_set(err, CODE_R0504, "a transaction changes the key '%.*s' twice",
                               TEXT_ARG(txn->ops[i].key));
            }
        }
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        if (!store_key_check(txn->events[i].cluster, err) ||
            !store_value_check(txn->events[i].body, err)) {
            return false;
        }
    }
    return true;
}
