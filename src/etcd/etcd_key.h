#ifndef REEVE_ETCD_ETCD_KEY_H
#define REEVE_ETCD_ETCD_KEY_H

#include "state/store.h"

/* public names start with: etcd_ */

/* Keys and values of the store below its prefix; README.md describes them.
 *
 * A full key is prefix + section + name. A value is a checksum (8 bytes) over section, name and
 * payload, followed by the payload. The checksum cannot cover the revision, because etcd assigns it
 * after the value is complete. */
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

/* Returns the first key above all keys with this prefix. */
struct text etcd_key_end(struct arena *arena, struct text begin);

/* etcd_value_pack returns a payload with its checksum, in the arena. etcd_value_unpack extracts the
 * payload, which is borrowed from the value; false: the value is damaged. */
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

/* Returns the lower bound of the names of a cluster's events with this number or a higher one; 0:
 * all events. */
struct text etcd_event_name_from(struct arena *arena, struct text cluster, uint64_t number);

/* A counter. Every transaction that uses it compares its key. */
struct etcd_counter {
    uint64_t number; /* number of the newest event or version */
    /* for a version counter: revision at which the key was created; 0: the revision of the counter
     * itself */
    uint64_t created;
    bool is_deleted; /* for a version counter: the newest version is a deletion */
};
struct text etcd_counter_pack(struct arena *arena, const struct etcd_counter *counter);
MUST_CHECK bool etcd_counter_unpack(struct text payload, struct etcd_counter *out);

/* Return the name of a counter's key, and of a slot for a version of a key. The slots of a key are
 * used in rotation. */
enum etcd_counts { ETCD_COUNTS_EVENTS = 'e', ETCD_COUNTS_VERSIONS = 'v' };
struct text etcd_counter_name(struct arena *arena, enum etcd_counts counts, struct text name);
struct text etcd_version_name(struct arena *arena, struct text key, uint64_t number);
struct text etcd_version_names(struct arena *arena, struct text key);

/* Extracts the key from the name of such a slot; it is borrowed from the name. */
MUST_CHECK bool etcd_version_name_unpack(struct text name, struct text *out_key);

/* Packs a version for its slot: created and is_deleted of the counter, and the value. */
struct text etcd_version_pack(struct arena *arena, const struct etcd_counter *counter,
                              struct text value);
MUST_CHECK bool etcd_version_unpack(struct text payload, struct etcd_counter *out,
                                    struct text *value);

/* A value that was copied from another engine (etcd_move.h). Its key keeps its revision in that
 * engine: the value begins with that revision, so that a compare can check it. etcd_copied_bounds
 * returns the bounds between which all values with this revision are. */
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

/* States of a store at a prefix (etcd_move.h). */
enum etcd_meta_state {
    ETCD_META_ACTIVE,
    ETCD_META_ARRIVING, /* a store is being copied to this prefix, or was copied and is not in use
                         * yet */
    ETCD_META_FROZEN,   /* it is being copied to another engine; the next opening cancels that */
    ETCD_META_MOVED,    /* it was moved to `place` */
    ETCD_META_STATES,
};

/* Metadata of a store. A store of format 1 was never copied: its first revision is etcd's revision
 * of its metadata. */
enum { ETCD_META_FORMAT_FIRST = 1, ETCD_META_FORMAT = 2, ETCD_MOVE_ID_BYTES = 16 };
struct etcd_meta {
    uint64_t format;
    unsigned char incarnation[16];
    /* the following members exist from format 2 on */
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
