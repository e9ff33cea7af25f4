#ifndef REEVE_ENGINE_FLEET_H
#define REEVE_ENGINE_FLEET_H

#include "engine/objects.h"
#include "engine/record.h"

/* The clusters of a store as deciding needs them, kept beside the cache by a watch: what is wanted, decoded,
 * and one packed row for each machine. One change costs one row, however many there are.
 *
 * What is borrowed from here is true within the turn of the loop; plan_compute reads it as it lies. */
struct fleet;

/* What the packed row of a machine does not have; beside each plan_record. */
struct fleet_machine {
    struct fleet_cluster *cluster;
    size_t index; /* in the cluster's records */
    struct blob *key;
    struct blob *bytes;
    uint64_t revision; /* of the record's key */
    struct text plugin;
    struct text life;
};

/* What a group's machines are made of: as it is written, or by one of its alternatives. */
struct fleet_choice {
    struct text plugin;
    struct text generation;
    struct text properties; /* canonical JSON: what makes its machines */
    const struct text *zones;
    size_t zone_count;
};

/* A wanted group. */
struct fleet_group {
    struct plan_group plan;       /* without sources, alternatives and what operators have said */
    struct fleet_choice *choices; /* the first one as it is written, then its alternatives */
    size_t choice_count;
    struct text labels; /* canonical JSON of what is changed in place */
    struct naming_affix affix;
};

struct fleet_cluster {
    struct text tenant;
    struct text id;
    struct text key;          /* TENANT/ID */
    struct text name;         /* empty: not known */
    bool is_there;            /* its spec stands in the store */
    uint64_t wanted_revision; /* at which what is wanted was changed last, as far as is known */
    uint64_t version;         /* another one with each change of what is wanted, said or recorded */
    bool is_stale;            /* what is wanted is to be read anew: fleet_wanted */
    struct err trouble;       /* why what is wanted cannot be read; code 0: it can */
    struct err damage;        /* a record of a machine cannot be read; code 0: all can */
    struct arena *home;       /* of what is wanted */
    struct fleet_group *groups;
    size_t group_count;
    struct plan_record *records; /* in no order; source, absence and witness are not theirs */
    struct fleet_machine **machines;
    size_t count;
    size_t room;
    void *keeper; /* of whoever acts for it */
};

/* Something that should be decided about has changed: what is wanted, or what an operator has said. */
typedef void fleet_changed(void *arg, struct fleet_cluster *cluster);

/* Follow a cache, which must be READY. */
struct fleet *fleet_new(struct cache *cache, fleet_changed *changed, void *arg);

/* End it, after the cache. NULL is allowed. */
void fleet_free(struct fleet *fleet);

/* To be called after cache_run: read everything anew where the cache had lost its store. */
void fleet_run(struct fleet *fleet);

/* A cluster by TENANT/ID, NULL where there is none; and all of them in order of key. */
struct fleet_cluster *fleet_find(const struct fleet *fleet, struct text key);
struct fleet_cluster *fleet_next(const struct fleet *fleet, const struct fleet_cluster *cluster);

/* The machine with this token in a cluster, NULL where there is none. */
struct fleet_machine *fleet_machine_find(const struct fleet *fleet,
                                         const struct fleet_cluster *cluster, struct text token);

/* Read what is wanted of a cluster anew, if it changed. */
void fleet_wanted(struct fleet *fleet, struct fleet_cluster *cluster);

/* Its group with this path, NULL where there is none. */
const struct fleet_group *fleet_group_find(const struct fleet_cluster *cluster, struct text path);

/* All machines. */
size_t fleet_count(const struct fleet *fleet);

#endif
