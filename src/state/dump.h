#ifndef REEVE_STATE_DUMP_H
#define REEVE_STATE_DUMP_H

#include "state/store.h"

/* public names start with: dump_ store_dump_ */

/* The whole content of a store at one revision, as it is copied from one engine to another
 * (docs/decisions/0191): objects, all versions of keys that end in /spec (including deleted keys),
 * and events. Texts are valid only during a call. */

/* A version of a key. Each key has exactly one newest version, or none if it is not a /spec and
 * does not exist. */
struct store_dump_row {
    struct text key;
    struct text value; /* empty for a deletion */
    uint64_t created;  /* revision at which the key was created */
    uint64_t revision;
    uint64_t number; /* number of the version, for a key that ends in /spec; otherwise 1 */
    bool is_delete;
    bool is_newest;
};

/* Receives the content. The versions of a key come in ascending order. A function that returns
 * false ends the dump. */
struct store_dump_sink {
    bool (*row)(void *arg, const struct store_dump_row *row, struct err *err);
    /* `index` orders the events of one revision. */
    bool (*event)(void *arg, const struct store_event *event, unsigned index, struct err *err);
    void *arg;
};

/* Metadata of a dump. */
struct store_dump_head {
    unsigned char incarnation[16];
    uint64_t revision;
};

#endif
