#ifndef REEVE_ETCD_ETCD_KEY_H
#define REEVE_ETCD_ETCD_KEY_H

#include "state/store.h"

/* public names start with: etcd_ */

/* Keys and values of the store below its prefix; README.md describes them.
 *
 * A full key is prefix + section + name. A value is a checksum (8 bytes) over section, name and the
 * payload after it. The checksum cannot cover the revision, which etcd assigns after the value is
 * complete. */
enum etcd_section {
    ETCD_SECTION_COUNTER = 'c', /* newest event number of a cluster; newest version of a key */
    ETCD_SECTION_EVENT = 'e',
    ETCD_SECTION_HISTORY = 'h',
    ETCD_SECTION_OBJECT = 'k',
    ETCD_SECTION_META = 'm',
    ETCD_SECTION_PROBE = 'p',
};

/* Returns prefix + section + name, in the arena. */
struct text etcd_key_full(struct arena *arena, struct text prefix, enum etcd_section section,
                          struct text name);

/* Extracts the name from a full key of this section. Returns false if the key belongs to another
 * section. */
MUST_CHECK bool etcd_key_name(struct text prefix, enum etcd_section section, struct text full,
                              struct text *out);

/* Returns the first key above all keys that begin with this text. */
struct text etcd_key_end(struct arena *arena, struct text begin);

/* etcd_value_pack returns a payload with its checksum, in the arena. etcd_value_unpack returns the
 * payload, borrowed from the value; false: the value is damaged. */
struct text etcd_value_pack(struct arena *arena, enum etcd_section section, struct text name,
                            struct text payload);
MUST_CHECK bool etcd_value_unpack(enum etcd_section section, struct text name, struct text value,
                                  struct text *out);

/* An event of a cluster. The name of its key contains all fields except the body. */
struct etcd_event_name {
    struct text cluster;
    uint64_t number;
    uint64_t time_ms;
    unsigned index; /* position within its transaction */
};
struct text etcd_event_name_pack(struct arena *arena, const struct etcd_event_name *name);
MUST_CHECK bool etcd_event_name_unpack(struct text name, struct etcd_event_name *out);

/* Returns the lower bound of the names of a cluster's events with this number or above; 0: all. */
struct text etcd_event_name_from(struct arena *arena, struct text cluster, uint64_t number);

/* A counter. Every writer compares its key. */
struct etcd_counter {
    uint64_t number; /* number of the newest event or version */
    /* For a version counter: the revision at which the key was created; 0: the revision of this
     * counter. */
    uint64_t created;
    bool is_deleted; /* for a version counter: the newest version is a deletion */
};
struct text etcd_counter_pack(struct arena *arena, const struct etcd_counter *counter);
MUST_CHECK bool etcd_counter_unpack(struct text payload, struct etcd_counter *out);

/* Return the name of a counter, and of a slot for versions of a key. The slots are used in
 * rotation. */
enum etcd_counts { ETCD_COUNTS_EVENTS = 'e', ETCD_COUNTS_VERSIONS = 'v' };
struct text etcd_counter_name(struct arena *arena, enum etcd_counts counts, struct text name);
struct text etcd_version_name(struct arena *arena, struct text key, uint64_t number);
struct text etcd_version_names(struct arena *arena, struct text key);

/* Returns the key of such a slot, borrowed from its name. */
MUST_CHECK bool etcd_version_name_unpack(struct text name, struct text *out_key);

/* Packs a version for its slot: { created, is_deleted } and the value. */
struct text etcd_version_pack(struct arena *arena, const struct etcd_counter *counter,
                              struct text value);
MUST_CHECK bool etcd_version_unpack(struct text payload, struct etcd_counter *out,
                                    struct text *value);

/* A value that was copied from another engine (etcd_move.h). Its key keeps the revision that it had
 * there: the value begins with it, so that a compare can name it.
 * etcd_copied_bounds returns the values between which every value with this revision is. */
struct etcd_copied {
    uint64_t revision;
    uint64_t created;
};
struct text etcd_copied_pack(struct arena *arena, enum etcd_section section, struct text name,
                             const struct etcd_copied *copied, struct text payload);
MUST_CHECK bool etcd_copied_unpack(enum etcd_section section, struct text name, struct text value,
                                   struct etcd_copied *out, struct text *payload);
void etcd_copied_bounds(struct arena *arena, uint64_t revision, struct text *above,
                        struct text *below);

/* Whether a store may be used (etcd_move.h). */
enum etcd_meta_state {
    ETCD_META_ACTIVE,
    ETCD_META_ARRIVING, /* a store is being copied here, or was copied and is not in use yet */
    ETCD_META_FROZEN,   /* it is being copied to another engine; the next opening ends that */
    ETCD_META_MOVED,    /* it was moved to `place` */
    ETCD_META_STATES,
};

/* Metadata of a store. A store of format 1 was never copied: its first revision is that of its
 * metadata in etcd. */
enum { ETCD_META_FORMAT_FIRST = 1, ETCD_META_FORMAT = 2, ETCD_MOVE_ID_BYTES = 16 };
struct etcd_meta {
    uint64_t format;
    unsigned char incarnation[16];
    /* from format 2 on: */
    enum etcd_meta_state state;
    unsigned char move[ETCD_MOVE_ID_BYTES]; /* id of the newest move */
    uint64_t base;                          /* etcd's revisions minus the store's, modulo 2^64 */
    uint64_t copied;                        /* etcd's revision of the last copied value */
    struct text place;
};
struct text etcd_meta_pack(struct arena *arena, const struct etcd_meta *meta);
MUST_CHECK bool etcd_meta_unpack(struct text payload, struct etcd_meta *out);

/* Returns whether a key has a history. */
bool etcd_key_has_history(struct text key);

#endif
