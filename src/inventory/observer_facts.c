#include "inventory/inventory.h"
#include "inventory/observer_parts.h"
#include "inventory/traits.h"
#include "records/record.h"

#include <stdio.h>

/* names: observer_ */

/* Facts and identity of machines that wait to be commissioned, read by a login (decision 0167).
 *
 * Normal case: the machine has the host key that an operator has approved, and there is a login for
 * it. Its facts are read once, and again when the machine returns, because they may have changed in
 * the meantime.
 *
 * Failures: the delay between attempts grows. The row has the reason why the newest attempt
 * failed. */

/* True if reeve may log in to the machine (I27) and a login would find missing facts. A machine
 * with a pending cleanup is cleaned up first. From a member only the identity is read, to find its
 * duplicates, because the member itself reports its facts. */
static bool is_observer_facts_wanted(const struct observer_row *row,
                                     const struct discovered *stored)
{
    bool is_trusted = discovered_is_approved(stored) || stored->claim.token.length > 0 ||
                      (row->is_facts_asked && stored->approved_by.length == 0);

    return row->observer->options.facts != NULL && is_trusted && stored->host_key.length > 0 &&
           stored->state == LIFECYCLE_STATE_DISCOVERED && stored->cleanup.since_ms == 0 &&
           stored->address.length > 0 && !stored->is_ignored && stored->netboot.boot.length == 0 &&
           (stored->read_ms == 0 || row->is_facts_stale);
}

void observer_facts_renew(struct observer_row *row)
{
    row->is_facts_stale = true;
    row->facts_ms = 0;
    row->facts_again_ms = 0;
}

static void observer_facts_delay(struct observer_row *row)
{
    row->facts_again_ms =
        row->facts_again_ms == 0 ? OBSERVER_KEY_AGAIN_MS : 2 * row->facts_again_ms;
    if (row->facts_again_ms > OBSERVER_KEY_AGAIN_MAX_MS) {
        row->facts_again_ms = OBSERVER_KEY_AGAIN_MAX_MS;
    }
    row->facts_ms = observer_now(row->observer);
    observer_row_wait_before(row, row->facts_ms + row->facts_again_ms);
}

/* Copy the found facts and identity to the row, as far as they fit. */
static void observer_facts_lay(struct arena *arena, const struct discovered_found *found,
                               struct discovered *stored)
{
    struct text former = stored->facts;
    struct text facts = traits_facts_make(arena, found->facts, TEXT(""));

    observer_identity_set(found->serial, found->uuid, stored);
    stored->mac_count = found->mac_count;
    for (size_t i = 0; i < found->mac_count; i++) {
        stored->macs[i] = found->macs[i];
    }
    if (discovered_format(arena, stored).length > OBSERVER_FACTS_ROW_BYTES) {
        stored->mac_count = 0;
    }
    stored->facts = facts.length > 0 ? facts : former;
    if (discovered_format(arena, stored).length > OBSERVER_FACTS_ROW_BYTES) {
        stored->facts = former;
    }
    stored->read_fault = TEXT("");
}

static void observer_facts_found(struct observer_row *row, struct arena *arena,
                                 const struct discovered_found *found)
{
    struct observer *observer = row->observer;
    struct discovered stored;
    struct text former;
    uint64_t revision;

    if (!observer_row_read(arena, row, &stored, &revision)) {
        return;
    }
    if (row->is_writing || !text_is(stored.address, row->facts_address)) {
        /* read again, because the row or the machine at the address has changed */
        row->facts_ms = 0;
        observer_row_wait_before(row, observer_now(observer) + OBSERVER_BUSY_MS);
        return;
    }
    if (found->facts.length == 0) {
        observer_facts_delay(row);
        former = stored.read_fault;
        stored.read_fault = record_sentence(arena, found->why);
        /* a member itself reports why a login fails */
        if (stored.claim.token.length == 0 && !text_is_equal(former, stored.read_fault)) {
            observer_row_write(row, &stored, revision, NULL, TEXT(""));
        }
        return;
    }
    row->is_facts_stale = false;
    row->facts_again_ms = 0;
    former = discovered_format(arena, &stored);
    observer_facts_lay(arena, found, &stored);
    if (stored.read_ms > 0 && text_is_equal(former, discovered_format(arena, &stored))) {
        return;
    }
    stored.read_ms = observer->options.wall_ms(observer->options.arg);
    observer_row_write(row, &stored, revision, "node.facts_read",
                       arena_printf(arena, "logged in as %.*s", TEXT_ARG(found->login)));
}

static void observer_facts_taken(void *arg, const struct discovered_found *found)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer_row *row = arg;
    struct observer *observer = row->observer;

    row->is_reading_facts = false;
    if (!observer_row_is_over(row)) {
        observer->logins--;
        observer_facts_found(row, arena, found);
        observer->options.wake(observer->options.arg);
    }
}

void observer_facts_begin(struct observer_row *row, const struct discovered *stored)
{
    struct observer *observer = row->observer;
    uint64_t due_ms = row->facts_ms + row->facts_again_ms;

    if (row->is_reading_facts || row->is_writing || !is_observer_facts_wanted(row, stored) ||
        stored->address.length >= sizeof(row->facts_address)) {
        return;
    }
    if (row->facts_ms > 0 && observer_now(observer) < due_ms) {
        observer_row_wait_before(row, due_ms);
        return;
    }
    if (observer->logins >= OBSERVER_LOGINS) {
        observer_row_wait_before(row, observer_now(observer) + OBSERVER_BUSY_MS);
        return;
    }
    row->is_reading_facts = true;
    snprintf(row->facts_address, sizeof(row->facts_address), "%.*s", TEXT_ARG(stored->address));
    observer->logins++;
    if (!observer->options.facts(observer->options.arg, row->tenant->name, stored,
                                 observer_facts_taken, row)) {
        row->is_reading_facts = false; /* there is no login for this machine */
        observer->logins--;
    }
}

void observer_facts_forget(struct observer_row *row, struct discovered *stored)
{
    if (stored->read_ms > 0) {
        stored->facts = TEXT("");
        stored->serial = TEXT("");
        stored->uuid = TEXT("");
        stored->mac_count = 0;
        stored->read_ms = 0;
    }
    stored->read_fault = TEXT("");
    observer_facts_renew(row);
}

void observer_facts_ask(struct observer *observer, struct text tenant, struct text id)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer_row *row =
        map_find(&observer->rows, arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(id)));

    if (row != NULL && !row->is_facts_asked) {
        row->is_facts_asked = true;
        observer_row_wait_before(row, 0);
        observer->options.wake(observer->options.arg);
    }
}
