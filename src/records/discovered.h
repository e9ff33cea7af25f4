#ifndef REEVE_RECORDS_DISCOVERED_H
#define REEVE_RECORDS_DISCOVERED_H

#include "base/err.h"
#include "codec/doc.h"
#include "model/lifecycle.h"
#include "records/node_state.h"
#include "state/cache.h"

/* public names start with: discovered_ */

/* Rows of the inventory (LIFECYCLE.md section 2): machines that reeve did not create, one row each.
 *
 *     /TENANT/DiscoveredNode/m-XXXXXX/base        the row, canonical JSON
 *     /TENANT/Claim/CLUSTER/TOKEN/base            {"row": id}: the machine of a record
 *
 * A claim has two keys, which are written in one transaction: the row contains the record's token,
 * and the value of the token's key contains the row. So no machine belongs to two records, and no
 * record has two machines (I29). */
#define DISCOVERED_KIND       "DiscoveredNode"
#define DISCOVERED_CLAIM_KIND "Claim"

enum {
    DISCOVERED_ROW_BYTES = 4096,
    DISCOVERED_SOURCES = 8,
    DISCOVERED_MACS = 8,
    DISCOVERED_ID_BYTES = 8, /* m- and 6 hex digits */
};

/* The information that one source has about the machine. */
struct discovered_source {
    struct text kind; /* manual, serf, probe, boot */
    struct text name; /* the name of the machine in that source */
    struct text address;
    struct text tags; /* JSON, a map; empty: none */
    int64_t since_ms;
    int64_t seen_ms;
    struct text note; /* "suspected", "left"; empty: alive */
};

/* The record that has claimed the machine. All empty: the machine is not claimed. */
struct discovered_claim {
    struct text cluster; /* id of the cluster */
    struct text token;
    struct text group;
    uint64_t slot;
    struct text life;   /* incarnation of the store that claimed the machine */
    struct text mac;    /* stamp of this installation (keyed digest) */
    struct text name;   /* name of the member: web-0 */
    struct text labels; /* JSON; empty: none */
    /* An operator has released the machine to its owner. The row becomes unallocated when the
     * release is complete. */
    bool is_released;
    /* the machine is unreachable and was decommissioned: its cleanup is pending */
    bool is_absent;
    bool is_sized;   /* same as in discovered_reservation */
    bool is_adopted; /* same as in discovered_reservation */
    /* The batches of the commission: those of the reservation until their job exists, then the name
     * of the job's request (state/batches.h). */
    struct text batching;
    struct text batch_job;
};

/* What must be removed from a machine that was unreachable when it left its group (C21). */
struct discovered_cleanup {
    struct text cluster; /* id of the cluster */
    struct text name;    /* name of the cluster */
    struct text group;
    struct text member; /* name of the member: web-3 */
    struct text token;  /* token of the previous record */
    int64_t since_ms;   /* 0: no cleanup is pending */
};

/* The hooks that the pending cleanup of a row runs, as a map {hook, hooks, limitMs}. It is stored
 * separately from the row because of its size. */
#define DISCOVERED_CLEANUP_KIND "DiscoveredCleanup"

struct discovered_hooks {
    bool are_run;          /* true if the hooks `cleanup` of bundles run */
    uint64_t limit_ms;     /* time limit of these hooks; 0: the default */
    struct node_hook hook; /* the hook that is a playbook; without a digest there is none */
};

/* These functions return the key of the pending cleanup, and write and read its value. If there is
 * no value, the hooks are not run. */
struct text discovered_hooks_key(struct arena *arena, struct text tenant, struct text row);
struct text discovered_hooks_format(struct arena *arena, const struct discovered_hooks *hooks);
struct discovered_hooks discovered_hooks_read(struct arena *arena, const struct cache *cache,
                                              struct text tenant, struct text row);

/* The group for which an operator has commissioned the machine, until the machine is claimed. */
struct discovered_reservation {
    struct text cluster; /* id of the cluster; empty: not reserved */
    struct text group;
    struct text by;
    int64_t at_ms;
    /* The commission has increased the size of the group for this machine. If the commission fails,
     * the size is reduced again (C25). */
    bool is_sized;
    /* The machine is already in service: it becomes a member without running stages (decision
     * 0151). */
    bool is_adopted;
    /* The machine runs its stages in a batch of its commission (decision 0166): a map {at, bake,
     * batch, by, canaries, deadline, maxFail, pause, request, why}, as JSON. Empty: it runs them
     * immediately. */
    struct text batching;
};

/* What a login to the machine has found (decision 0167). */
struct discovered_found {
    struct text facts; /* JSON, a map, as nodes report it; empty: the login failed */
    struct text serial;
    struct text uuid;
    struct text macs[DISCOVERED_MACS]; /* MAC addresses of its physical interfaces */
    size_t mac_count;
    struct text login; /* the login that was used, for display; empty: none */
    struct text why;   /* why the login failed */
};

/* The netboot system on the machine (src/netboot). */
struct discovered_netboot {
    struct text boot; /* id of the boot; empty: the machine does not run the netboot system */
    int64_t since_ms;
};

/* The installation of an image on the machine, or the wipe of its disks. The netboot system reads
 * the order and reports its steps; the order names no secret. */
enum discovered_install_state {
    DISCOVERED_INSTALL_NONE,
    DISCOVERED_INSTALL_WANTED, /* the machine has not begun */
    DISCOVERED_INSTALL_RUNNING,
    DISCOVERED_INSTALL_DONE, /* the machine starts the installed system */
    DISCOVERED_INSTALL_FAILED,
    DISCOVERED_INSTALL_WIPE, /* the disks are to be wiped at the next boot from the network */
    DISCOVERED_INSTALL_STATES,
};

enum {
    DISCOVERED_INSTALL_BEGIN_MS = 10 * 60 * 1000, /* from the order to its first step */
    DISCOVERED_INSTALL_STEP_MS = 30 * 60 * 1000,  /* for one step */
    DISCOVERED_INSTALL_BOOT_MS = 20 * 60 * 1000,  /* from the last step to the first login */
    DISCOVERED_INSTALL_WHY_BYTES = 300,
};

struct discovered_install {
    struct text id; /* of this installation; a report with another id is an old one */
    enum discovered_install_state state;
    int64_t since_ms;   /* since when it has this state and step */
    struct text step;   /* the newest step that the machine has reported */
    struct text why;    /* what the machine reported about a failure */
    struct text image;  /* the reference of the group: debian-12 */
    struct text digest; /* the version that it named when the machine was claimed */
    struct text format;
    uint64_t bytes;
    struct text disk;      /* pattern of the name of the disk; empty: the only one */
    struct text arguments; /* of the kernel */
    struct text keys;      /* lines of authorized_keys */
    bool is_wiped_after;   /* the disks are wiped when the machine has left its group */
    bool is_off_after;     /* the machine is switched off when it has left its group */
};

struct discovered_mark {
    int64_t since_ms; /* since when the condition holds; 0: it does not hold */
    struct text reason;
};

struct discovered {
    struct text id;
    struct text name;
    enum lifecycle_state state;
    enum lifecycle_state prev_state;
    int64_t state_since_ms;
    uint32_t flaps; /* number of changes of the state so far */
    /* The status while the machine is not claimed. While it is claimed, the node has the status
     * (node_state.h). */
    enum lifecycle_status status;
    enum lifecycle_status prev_status;
    int64_t status_since_ms;
    struct text why; /* reason of the status */
    struct text by;
    struct text address;
    uint16_t port;      /* port of its sshd; 0: the default */
    struct text user;   /* login user; empty: root */
    struct text secret; /* name of the secret with the login's key; empty: none */
    struct text serial;
    struct text uuid;
    struct text macs[DISCOVERED_MACS];
    size_t mac_count;
    struct text host_key; /* "TYPE BASE64"; empty: unknown */
    struct text facts;    /* JSON, a map; empty: unknown */
    /* When a login read the facts and the identity; 0: never, or not since the machine got its
     * present address. */
    int64_t read_ms;
    struct text read_fault; /* why the newest login failed; empty: it succeeded */
    struct discovered_source sources[DISCOVERED_SOURCES];
    size_t source_count;
    struct text approved_by; /* name of the approving operator; empty: not approved */
    struct text approved_key;
    int64_t approved_ms;
    struct discovered_claim claim;
    struct discovered_reservation reserved;
    struct discovered_cleanup cleanup;
    struct discovered_netboot netboot;
    struct discovered_install install;
    struct discovered_mark conditions[LIFECYCLE_CONDITION_COUNT];
    bool is_ignored;
};

/* The word for a state of an installation. */
const char *discovered_install_name(enum discovered_install_state state);

/* Puts why the image of a machine could not be installed, as {text}; nothing if that is not so. */
void discovered_failure_put(struct doc_builder *builder, const struct cache *cache,
                            struct text tenant, struct text id);

/* How long an installation may stay in its state and step, in ms; 0: for ever. */
uint64_t discovered_install_limit(const struct discovered_install *install);

/* Format the row. */
struct text discovered_format(struct arena *arena, const struct discovered *row);

/* Parse a row. Texts live in the arena. Fails with R0554 if the bytes are invalid. */
MUST_CHECK bool discovered_parse(struct arena *arena, struct text id, struct text bytes,
                                 struct discovered *out, struct err *err);

/* Make the row for display: as it is stored, with `id` and the fingerprints of its keys. */
struct doc discovered_show(struct arena *arena, const struct discovered *row);

/* Read the row of a cache object. False: there is none, or it cannot be read. */
bool discovered_read(struct arena *arena, const struct cache_object *object,
                     struct discovered *out);

/* Finds a row by its id, or by its name if exactly one row has that name. *out_count is the number
 * of rows with the name; *out_revision is the store's revision of the row. Both may be NULL. */
bool discovered_find(struct arena *arena, const struct cache *cache, struct text tenant,
                     struct text name, struct discovered *out, uint64_t *out_revision,
                     size_t *out_count);

/* Return keys of the store. */
struct text discovered_key(struct arena *arena, struct text tenant, struct text id);
struct text discovered_claim_key(struct arena *arena, struct text tenant, struct text cluster,
                                 struct text token);

/* Return the id of the row that the record with this token has claimed; empty if there is none. */
struct text discovered_claimed(struct arena *arena, const struct cache *cache, struct text tenant,
                               struct text cluster, struct text token);

/* Return the fingerprint SHA256:... of the row's host key; empty: no key is known. */
struct text discovered_fingerprint(struct arena *arena, const struct discovered *row);

/* True if an operator has approved the present host key of the machine. */
bool discovered_is_approved(const struct discovered *row);

/* Changes the status or the state of a row, and stores the previous value and the time.
 * lifecycle.def must allow the transition. */
void discovered_move(struct discovered *row, enum lifecycle_status status, int64_t now_ms,
                     struct text by, struct text why);
void discovered_state_set(struct discovered *row, enum lifecycle_state state, int64_t now_ms);

#endif
