#ifndef REEVE_INVENTORY_INVENTORY_H
#define REEVE_INVENTORY_INVENTORY_H

#include "records/discovered.h"
#include "records/provider.h"
#include "state/cache.h"
#include "state/store.h"

/* public names start with: inventory_ */

/* The name of the plugin whose machines are the rows of the inventory. This plugin is a part of the
 * manager; there is no plugin file. */
#define INVENTORY_PLUGIN "inventory"

/* A provider for machines that reeve did not create (records/discovered.h). Its listing of a
 * cluster has the rows that the cluster has claimed. `create` claims a row; `destroy` ends the
 * claim and returns the machine to the inventory. Neither changes anything on the machine. */
struct inventory;
struct fleet;

struct inventory_options {
    struct store *store;
    struct cache *cache;
    int64_t (*wall_ms)(void *arg);
    void (*wake)(void *arg); /* called when inventory_run may have work */
    uint32_t times;          /* divisor of times; 1 in production */
    /* The login user for a tenant's machines, if neither the row nor the group has one; may be
     * empty. NULL: root. */
    struct text (*user)(void *arg, struct text tenant);
    /* Called for a machine that cannot be allocated because its facts were never read
     * (observer_facts_ask). NULL: no component reads facts. */
    void (*facts_ask)(void *arg, struct text tenant, struct text row);
    /* Returns the record cache, which has the other groups that could allocate the same machine.
     * NULL: other groups are ignored. */
    const struct fleet *(*fleet)(void *arg);
    void *arg;
    uint32_t guards_off; /* bits by enum plan_guard that the simulator has switched off */
};

struct inventory *inventory_new(const struct inventory_options *options);

/* inventory_close ends all calls; later answers of the store call no `done`. Call inventory_free
 * after the store has answered all calls. Both accept NULL. */
void inventory_close(struct inventory *inventory);
void inventory_free(struct inventory *inventory);

/* Returns the provider for a tenant, owned by the inventory. */
struct provider *inventory_provider(struct inventory *inventory, struct text tenant);

/* Same as provider_run and provider_due (records/provider.h), for the providers of all tenants.
 * Call inventory_run after cache_run. */
size_t inventory_run(struct inventory *inventory);
uint64_t inventory_due(const struct inventory *inventory);

/* The member that needs a machine, and the conditions for the machine. */
struct inventory_wanted {
    struct text cluster; /* id */
    struct text group;
    struct text name;          /* name of the member: web-0 */
    struct text token;         /* token of its record */
    struct text automatic;     /* autoCommission: off, listed or a CIDR; empty: off */
    struct text match;         /* selector over facts and tags; empty: all machines */
    const struct doc *members; /* the group's members with their pins; NULL: none */
    struct text image;         /* image that is installed first; empty: none */
    struct text disk;          /* pattern of the disk for the image; empty: the only one */
    struct text arguments;     /* kernel arguments of the installed system */
    bool is_wiped;             /* The disks are wiped when the machine leaves the group. */
    bool is_switched_off;      /* The machine is switched off when it leaves the group. */
    int64_t now_ms;            /* wall clock */
    uint32_t times;            /* divisor of times; 1 in production */
    /* Called for a machine whose facts were never read, so that `match` cannot be evaluated. The
     * machine is not allocated until then. NULL: not called. */
    void (*facts_ask)(void *arg, struct text row);
    void *facts_arg;
};

/* A machine is allocated automatically only after its state has not changed for this time. */
enum { INVENTORY_STEADY_MS = 60 * 1000 };

/* Read from provider_request.more the fields that determine which machine is allocated. Texts are
 * in the arena. *out_user is the login user, or empty if none is given. */
void inventory_wanted_read(struct arena *arena, struct text more, struct inventory_wanted *out,
                           struct text *out_user);

/* Finds the row for a member: the row of its group that was reserved first, or else, with
 * autoCommission, a matching row that no other group in `fleet` could allocate. A NULL `fleet`
 * means that there are no other groups. A slot with a pin gets only the pinned machine, even if
 * other groups match it. Returns false if there is no such row; *out_why then has the conditions of
 * the search and the command that helps. Texts are in the arena. */
bool inventory_choose(struct arena *arena, const struct cache *cache, struct text tenant,
                      const struct fleet *fleet, const struct inventory_wanted *wanted,
                      struct discovered *out, uint64_t *out_revision, struct text *out_why);

/* A row that an operator assigns to a group. */
struct inventory_commission {
    struct text cluster; /* id */
    struct text group;
    struct text fingerprint; /* the host key that the operator approves; empty: none */
    bool is_by_id;           /* The operator gave the row by its id. */
    bool can_approve;
    bool is_adoption; /* The machine is already in service. */
    bool is_move;     /* It may be a member of another group, which it leaves first. */
    /* The image of the group. Machines get one exactly if they have booted from the network. */
    struct text image;
    struct text by;
    int64_t now_ms;
};

/* Reserve a row for a group, and approve its host key if the operator has approved it. Fails if the
 * machine does not qualify: R0842 (state), R0822 (status, or a member), R0827 (reserved), R0826
 * (duplicate, not given by its id), R0856 (image), R0837 (host key not approved). */
MUST_CHECK bool inventory_commission(struct arena *arena, struct discovered *row,
                                     const struct inventory_commission *wanted, struct err *err);

/* Check whether a member's machine may leave its group. The machine must be reachable, because it
 * is cleaned up first (C26). `object` is the row of the machine. If it is NULL or the row of
 * another member, the machine is not from the inventory and may leave. Fails with R0842. */
MUST_CHECK bool inventory_leave_check(struct arena *arena, const struct cache_object *object,
                                      struct text token, struct err *err);

#endif
