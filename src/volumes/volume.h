#ifndef REEVE_VOLUMES_VOLUME_H
#define REEVE_VOLUMES_VOLUME_H

#include "records/provider.h"
#include "state/cache.h"

/* public names start with: volume_ VOLUME_ */

/* The record of a volume, or of another resource of a cluster besides its machines:
 *
 *     /TENANT/Volume/CLUSTER/KEY/status   the known state, written by the lease holder
 *     /TENANT/Volume/CLUSTER/KEY/spec     an operator's command to delete it
 *
 * KEY is a digest of plugin, kind and id. */
#define VOLUME_KIND "Volume"

enum volume_state {
    /* A machine uses the volume, or its slot has a machine record. */
    VOLUME_STATE_USED,
    /* No machine uses the volume. Its state may still change without an operator. */
    VOLUME_STATE_FREE,
    /* The volume belongs to a slot without a machine. Its data is kept for the next machine. */
    VOLUME_STATE_KEPT,
    /* The volume belongs to no slot and no machine. It is only shown, never deleted
     * automatically. */
    VOLUME_STATE_ORPHAN,
    /* Its tags have no valid stamp of this store. It is shown and never changed. */
    VOLUME_STATE_FOREIGN,
    /* The intent to delete the volume is recorded. */
    VOLUME_STATE_DELETING,
    VOLUME_STATE_COUNT,
};

/* Return the name of a state: "used", "free", "kept", ... */
const char *volume_state_name(enum volume_state state);

struct volume {
    struct text key;
    struct text plugin;
    struct text kind; /* volume, address, port, disk, key or tag */
    struct text id;
    /* Zone from the request of the machine that used the volume, or from the provider. */
    struct text zone;
    struct text cluster; /* name of the cluster, which may have been deleted in the meantime */
    struct text group;   /* group of the slot; empty: the volume belongs to no slot */
    uint64_t slot;
    struct text node;     /* name of the machine of that slot */
    struct text name;     /* name of the volume in the group; empty: unknown */
    struct text keep;     /* slot, node or always; empty: unknown */
    struct text token;    /* token of the machine for which the volume was created */
    struct text attached; /* id of the machine that uses it; empty: none */
    uint64_t bytes;
    enum volume_state state;
    /* since when no machine uses it, by the cluster's clock; 0: it is used */
    uint64_t free_ms;
    int64_t since_wall_ms;  /* since when it is in its state, for display */
    int64_t until_wall_ms;  /* KEPT: when it will be deleted, for display; 0: never */
    struct text rule;       /* DELETING: keep, node or requested */
    struct text by;         /* DELETING: the operator who requested it */
    struct text cause;      /* reason why the last call was refused, or why the volume is not
                             * deleted */
    uint32_t refusals;      /* number of consecutive refusals */
    uint64_t call_after_ms; /* back-off: no call before this time */
    uint32_t missed;        /* number of consecutive complete listings without it */
    uint64_t missed_ms;     /* time of the first of these listings */
};

/* Formats the value of .../status. */
struct text volume_format(struct arena *arena, const struct volume *volume);

/* Parses a record. `key` is the last part of its key. The texts live in the arena. */
MUST_CHECK bool volume_parse(struct arena *arena, struct text key, struct text bytes,
                             struct volume *out, struct err *err);

/* Reads the record of an object. Returns false if there is no record, or if it cannot be parsed. */
bool volume_read(struct arena *arena, const struct cache_object *object, struct volume *out);

/* Return the name for display: "web-0-data", or the id. It lives in the arena. */
struct text volume_name(struct arena *arena, const struct volume *volume);

/* Return the operator who requested the deletion, from the command of an object; empty: there is no
 * command. */
struct text volume_command(struct arena *arena, const struct cache_object *object);

/* Formats the command to delete a volume. */
struct text volume_command_format(struct arena *arena, struct text by, struct text why,
                                  int64_t wall_ms);

#endif
