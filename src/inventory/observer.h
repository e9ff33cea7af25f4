#ifndef REEVE_INVENTORY_OBSERVER_H
#define REEVE_INVENTORY_OBSERVER_H

#include "records/discovered.h"
#include "records/membership.h"
#include "state/cache.h"
#include "state/store.h"

/* public names start with: observer_ */

/* Follows the rows of the inventory and what sources and probes report about these rows, and writes
 * the state of each row (evidence.h). It creates rows for machines that a source reports for the
 * first time. It never starts an action on machines in service (I33): the states only determine
 * which machines may be commissioned.
 *
 * Several managers may observe the same rows. A write succeeds only if the row has not changed
 * since it was read, so each change is written once. */
struct observer;

struct observer_options {
    struct store *store;
    struct cache *cache;
    uint64_t (*now_ms)(void *arg);
    int64_t (*wall_ms)(void *arg);
    void (*id_make)(void *arg, char out[static 37]);
    /* Tests whether a machine accepts connections to the port of its sshd; no data is sent to it.
     * `done` is called once, after the call has returned. */
    void (*probe)(void *arg, struct text address, uint16_t port,
                  void (*done)(void *done_arg, bool is_alive), void *done_arg);
    /* Reads the host key of a machine by a key exchange without a login. `done` is called once;
     * the key is empty if there is none. NULL: keys are not read. */
    void (*host_key)(void *arg, struct text address, uint16_t port,
                     void (*done)(void *done_arg, struct text host_key, struct text why),
                     void *done_arg);
    /* Removes reeve's files from a machine that was unreachable when it left its group
     * (discovered_cleanup). `done` is called once, possibly before the call has returned. NULL:
     * nothing is removed. */
    void (*cleanup)(void *arg, struct text tenant, const struct discovered *row,
                    void (*done)(void *done_arg, bool is_done, struct text why), void *done_arg);
    /* Logs in to a machine and reads its facts and its identity, without changes on the machine.
     * Returns false if there is no login for the machine. Otherwise `done` is called once, possibly
     * before the call has returned. NULL: no facts are read. */
    bool (*facts)(void *arg, struct text tenant, const struct discovered *row,
                  void (*done)(void *done_arg, const struct discovered_found *found),
                  void *done_arg);
    void (*wake)(void *arg); /* called when observer_run may have work */
    uint32_t times;          /* divisor of all times; 1 in production */
    void *arg;
};

struct observer *observer_new(const struct observer_options *options);

/* observer_close stops the observer: it no longer writes or requests anything. Call it before the
 * cache is freed. Call observer_free after the store has answered all calls. Both accept NULL. */
void observer_close(struct observer *observer);
void observer_free(struct observer *observer);

/* Process a report of a source of a tenant: "serf". */
void observer_report(struct observer *observer, struct text tenant, struct text source,
                     const struct membership_report *report);

/* Records that a group could allocate this machine automatically and needs its facts. A network
 * listed in autoCommission counts as approval in advance. The facts are read if there is a login
 * for the machine. */
void observer_facts_ask(struct observer *observer, struct text tenant, struct text id);

/* Set serial number and product UUID, unless the value is one that many machines report. */
void observer_identity_set(struct text serial, struct text uuid, struct discovered *row);

/* Do the due work. Call it after cache_run. Returns when to call it again, in ms from now;
 * UINT64_MAX: after the next change. */
uint64_t observer_run(struct observer *observer);

/* Kind of the row that marks a hold: the states of the tenant's machines are frozen (I17). Its
 * content is {since, why}. */
#define OBSERVER_HOLD_KIND "InventoryHold"
#define OBSERVER_HOLD_ID   "states"

#endif
