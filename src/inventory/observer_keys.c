#include "inventory/observer_parts.h"

#include <stdio.h>

/* public names start with: observer_ */

/* Host keys of machines, read by key exchanges without a login. */

void observer_key_renew(struct observer_row *row)
{
    row->keyed_ms = 0;
    row->key_again_ms = 0;
}

/* Handle an attempt that returned no key: double the delay until the next attempt. */
static void observer_key_failed(struct observer_row *row)
{
    row->key_again_ms = row->key_again_ms == 0 ? OBSERVER_KEY_AGAIN_MS : 2 * row->key_again_ms;
    if (row->key_again_ms > OBSERVER_KEY_AGAIN_MAX_MS) {
        row->key_again_ms = OBSERVER_KEY_AGAIN_MAX_MS;
    }
    row->keyed_ms = observer_now(row->observer);
    observer_row_wait_before(row, row->keyed_ms + row->key_again_ms);
}

static void observer_keyed(void *arg, struct text host_key, struct text why)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer_row *row = arg;
    struct observer *observer = row->observer;
    struct discovered stored;
    uint64_t revision;

    (void)why;
    row->is_keying = false;
    if (observer_row_is_over(row)) {
        return;
    }
    observer->keys--;
    if (!observer_row_read(arena, row, &stored, &revision)) {
        return;
    }
    if (!text_is(stored.address, row->keyed) || row->is_writing) {
        observer_key_renew(row);
        observer_row_wait_before(row, observer_now(observer) + OBSERVER_BUSY_MS);
    } else if (host_key.length == 0) {
        observer_key_failed(row);
    } else if (stored.host_key.length == 0) {
        stored.host_key = host_key;
        observer_row_write(row, &stored, revision, NULL, TEXT(""));
    }
    observer->options.wake(observer->options.arg);
}

void observer_key_begin(struct observer_row *row, const struct discovered *stored)
{
    struct observer *observer = row->observer;
    uint64_t due_ms = row->keyed_ms + row->key_again_ms;

    if (observer->options.host_key == NULL || row->is_keying || row->has_key || row->is_writing ||
        stored->address.length == 0 || stored->address.length >= sizeof(row->keyed) ||
        row->state != LIFECYCLE_STATE_DISCOVERED) {
        return;
    }
    if (row->keyed_ms > 0 && observer_now(observer) < due_ms) {
        observer_row_wait_before(row, due_ms);
        return;
    }
    if (observer->keys >= OBSERVER_KEYS) {
        observer_row_wait(row, observer_now(observer) + OBSERVER_BUSY_MS);
        return;
    }
    row->is_keying = true;
    snprintf(row->keyed, sizeof(row->keyed), "%.*s", TEXT_ARG(stored->address));
    observer->keys++;
    observer->options.host_key(observer->options.arg, stored->address,
                               stored->port == 0 ? 22 : stored->port, observer_keyed, row);
}
