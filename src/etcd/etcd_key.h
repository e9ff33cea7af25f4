#ifndef REEVE_ETCD_ETCD_KEY_H
#define REEVE_ETCD_ETCD_KEY_H

#include "state/store.h"

/* names: etcd_ */

/* What the keys below the prefix of a store are, and the current state in their values. README.md tells it
 * for people.
 *
 * A full key is prefix + section + name. A value is a checksum (8 bytes) over section, name and what
 * follows it. It cannot cover the revision, which etcd gives only when the value is there. */
enum etcd_section {
    ETCD_SECTION_COUNTER = 'c', /* newest event number of a cluster; newest history of a key */
    ETCD_SECTION_EVENT = 'e',
    ETCD_SECTION_HISTORY = 'h',
    ETCD_SECTION_OBJECT = 'k',
    ETCD_SECTION_META = 'm',
    ETCD_SECTION_PROBE = 'p',
};

/* prefix + section + name, in the arena. */
struct text etcd_key_full(struct arena *arena, struct text prefix, enum etcd_section section,
                          struct text name);

/* The name in a full key of this section. False: it is not below it. */
MUST_CHECK bool etcd_key_name(struct text prefix, enum etcd_section section, struct text full,
                              struct text *out);

/* The first key above all that begin with a text. */
struct text etcd_key_end(struct arena *arena, struct text begin);

/* Checksum and payload, in the arena; and back, borrowed. False: it is not what was written. */
struct text etcd_value_pack(struct arena *arena, enum etcd_section section, struct text name,
                            struct text payload);
MUST_CHECK bool etcd_value_unpack(enum etcd_section section, struct text name, struct text value,
                                  struct text *out);

/* The event of a cluster: everything but its body is in its name. */
struct etcd_event_name {
    struct text cluster;
    uint64_t number;
    uint64_t time_ms;
    unsigned index; /* which one of its transaction */
};
struct text etcd_event_name_pack(struct arena *arena, const struct etcd_event_name *name);
MUST_CHECK bool etcd_event_name_unpack(struct text name, struct etcd_event_name *out);

/* The name that all events of a cluster with this number and above begin at; 0: all of them. */
struct text etcd_event_name_from(struct arena *arena, struct text cluster, uint64_t number);

/* How often something was counted, in a key of its own that every writer compares. */
struct etcd_counter {
    uint64_t number; /* of the newest event or version */
    uint64_t
        created; /* history: revision at which the key began to exist, 0: that of this counter */
    bool is_deleted; /* history: the newest version is a delete */
};
struct text etcd_counter_pack(struct arena *arena, const struct etcd_counter *counter);
MUST_CHECK bool etcd_counter_unpack(struct text payload, struct etcd_counter *out);

/* The name of a counter, and of one of the places that versions of a key take turns in. */
enum etcd_counts { ETCD_COUNTS_EVENTS = 'e', ETCD_COUNTS_VERSIONS = 'v' };
struct text etcd_counter_name(struct arena *arena, enum etcd_counts counts, struct text name);
struct text etcd_version_name(struct arena *arena, struct text key, uint64_t number);
struct text etcd_version_names(struct arena *arena, struct text key);

/* A version as it stands in its place: { created, is_deleted } and the value. */
struct text etcd_version_pack(struct arena *arena, const struct etcd_counter *counter,
                              struct text value);
MUST_CHECK bool etcd_version_unpack(struct text payload, struct etcd_counter *out,
                                    struct text *value);

/* What a store is. */
struct etcd_meta {
    uint64_t format;
    unsigned char incarnation[16];
};
struct text etcd_meta_pack(struct arena *arena, const struct etcd_meta *meta);
MUST_CHECK bool etcd_meta_unpack(struct text payload, struct etcd_meta *out);

/* Does a key have a history? */
bool etcd_key_has_history(struct text key);

#endif
