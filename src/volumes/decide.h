#ifndef REEVE_VOLUMES_DECIDE_H
#define REEVE_VOLUMES_DECIDE_H

#include "plan/world.h"
#include "volumes/volume.h"

/* public names start with: volumes_ */

/* Decides about the volumes of a cluster after one complete listing of one plugin. The function is
 * pure: it only returns decisions. */

/* A resource as the plugin lists it. */
struct volumes_row {
    const struct provider_resource *resource;
    struct text key;
    bool is_stamped;  /* its stamp is a stamp of this installation (G4) */
    bool is_verified; /* its stamp is valid for this incarnation of the store */
};

/* A machine record of the cluster, in any state. */
struct volumes_machine {
    struct text group;
    uint64_t slot;
    struct text token;
    struct text id;
    struct text zone; /* zone that was requested; empty: any */
    struct text name;
};

/* A leaf group of the specification. */
struct volumes_group {
    struct text path;
    uint64_t size;
    uint64_t recorded; /* number of machine records of the group */
    bool is_protected;
    bool is_paused;
};

/* A record of a volume in the store. */
struct volumes_known {
    struct volume volume;
    struct text bytes;        /* the record as it is stored */
    struct text requested_by; /* operator who requested its deletion; empty: no operator did */
    bool is_calling;          /* a call that deletes it is in progress */
};

struct volumes_world {
    uint64_t now_ms; /* current time of the cluster's clock */
    int64_t wall_ms;
    uint64_t retain_ms; /* how long the volume of a slot without a machine is kept */
    uint64_t orphan_ms; /* how long a resource is unused until it is an orphan */
    uint64_t lag_ms;    /* maximum age of the plugin's listings */
    size_t deletions;   /* maximum number of expired volumes that are deleted after one listing */
    struct text plugin;
    struct text cluster; /* name of the cluster */
    /* why no volume is deleted automatically now; empty: deletion is permitted */
    struct text held;
    const struct volumes_row *rows;
    size_t row_count;
    const struct volumes_machine *machines;
    size_t machine_count;
    const struct volumes_group *groups;
    size_t group_count;
    const struct volumes_known *known;
    size_t known_count;
    const struct plan_limits *limits;
};

/* One record to write. */
struct volumes_change {
    struct volume volume;
    size_t known;          /* index of its record; SIZE_MAX: it is new */
    bool is_changed;       /* the record differs from the stored one */
    bool is_removed;       /* the record is deleted */
    bool has_call;         /* delete the volume at the provider when the record is committed */
    bool is_command_ended; /* the operator command has had its effect, or cannot have one */
    const char *event;     /* type of the event; NULL: none */
    struct text fact;
};

struct volumes_changes {
    struct volumes_change *items;
    size_t count;
};

/* Decide about all resources. The changes live in the arena and borrow texts from the world. */
void volumes_decide(struct arena *arena, const struct volumes_world *world,
                    struct volumes_changes *out);

#endif
