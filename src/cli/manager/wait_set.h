#ifndef REEVE_CLI_MANAGER_WAIT_SET_H
#define REEVE_CLI_MANAGER_WAIT_SET_H

#include "base/map.h"
#include "cli/manager/session.h"
#include "cli/args/target.h"

/* names: wait_set_ */

/* What reeve wait waits for: objects, how each stands as far as is known, and what shall hold for
 * them. */

enum { WAIT_NAME_BYTES = 64, WAIT_TIME_BYTES = 32, WAIT_COUNTS_BYTES = 160 };

/* The number of names in a line. */
enum { WAIT_REPORT_NAMES = 3 };

/* What may be waited for, as it is written; behind one that ends with '=' something follows. */
extern const char *const wait_set_conditions[];
extern const size_t wait_set_condition_count;

/* One object that is waited for. */
struct wait_item {
    struct target target;
    bool is_there;
    bool is_lost; /* it was there, and was deleted while we waited */
    bool is_ready;
    int64_t ready; /* machines of so many that are wanted */
    int64_t wanted;
    int64_t outdated;
    int64_t observed;               /* the desired revision that these counts belong to */
    char counts[WAIT_COUNTS_BYTES]; /* in words */
    int64_t revision; /* of its newest change, of a cluster also of its groups; 0 = unknown */
    char by[WAIT_NAME_BYTES];
    char at[WAIT_TIME_BYTES];
};

struct wait_set {
    struct arena *arena;            /* of its own: the command's is emptied between looks */
    const struct schema_kind *kind; /* of a selection; NULL: the objects are named */
    struct text query;              /* of a selection; may be empty */
    struct wait_item **items;
    size_t count;
    size_t room;
    struct map by_name; /* "KIND/NAME" to its item */
    uint64_t revision;  /* of the newest look */
    bool is_presence_wanted;
    bool is_absence_wanted;
    bool is_ready_wanted;   /* of clusters: every machine is there and as it is wanted */
    bool is_update_wanted;  /* of clusters: and none is outdated */
    int64_t wants_revision; /* at least; 0 = any */
    size_t least;           /* so many at least; 0 = all */
    unsigned percent;       /* or this share of them; 0 = none */
};

/* Read words and flags of the command. False: an error was added. */
bool wait_set_read(struct wait_set *set, struct command *command);

/* Ask the manager how all of them stand. False: an error was added. */
bool wait_set_look(struct wait_set *set, struct command *command, const struct session *session);

/* Take a change of the stream. False: what it says is not enough, so look. */
bool wait_set_take(struct wait_set *set, struct text type, const struct doc *doc);

/* Does the condition hold for one of them; how many miss it; does it hold for as many as it
 * shall? */
bool wait_set_holds(const struct wait_set *set, const struct wait_item *item);
size_t wait_set_missing(const struct wait_set *set);
bool wait_set_is_met(const struct wait_set *set);

/* Fewer of the selection are there than shall be gone: what is not there cannot go. False: R0004
 * was added. */
bool wait_set_check(const struct wait_set *set, struct command *command);

/* How many of the selection have to come yet, before it can hold for as many as it shall? */
size_t wait_set_lacking(const struct wait_set *set);

/* Can it no longer hold for one of them; for as many as it shall? */
bool wait_set_is_hopeless(const struct wait_set *set, const struct wait_item *item);
bool wait_set_is_lost(const struct wait_set *set);

/* "cluster/late is not there yet": one that misses it, and why. */
struct text wait_set_why(const struct wait_set *set, const struct command *command,
                         const struct wait_item *item);

#endif
