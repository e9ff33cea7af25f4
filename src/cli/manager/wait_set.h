#ifndef REEVE_CLI_MANAGER_WAIT_SET_H
#define REEVE_CLI_MANAGER_WAIT_SET_H

#include "base/map.h"
#include "cli/manager/session.h"
#include "cli/args/target.h"

/* public names start with: wait_set_ */

/* The objects that reeve wait waits for, their last known state, and the condition that they must
 * meet. */

enum { WAIT_NAME_BYTES = 64, WAIT_TIME_BYTES = 32, WAIT_COUNTS_BYTES = 160 };

/* Maximum number of names in one line of output. */
enum { WAIT_REPORT_NAMES = 3 };

/* The conditions as users write them; a condition that ends with '=' takes a value. */
extern const char *const wait_set_conditions[];
extern const size_t wait_set_condition_count;

/* One object that is waited for. */
struct wait_item {
    struct target target;
    bool is_there;
    bool is_lost; /* the object was deleted during the wait */
    bool is_ready;
    int64_t ready; /* ready machines, of `wanted` */
    int64_t wanted;
    int64_t outdated;
    int64_t observed;               /* the desired revision to which these counts belong */
    char counts[WAIT_COUNTS_BYTES]; /* the numbers of its machines as text */
    int64_t revision; /* newest revision, for a cluster also of its groups; 0 = unknown */
    char by[WAIT_NAME_BYTES];
    char at[WAIT_TIME_BYTES];
};

struct wait_set {
    /* a separate arena, because the command's arena is emptied between observations */
    struct arena *arena;
    const struct schema_kind *kind; /* kind of a selection; NULL: the objects are named */
    struct text query;              /* query of a selection; may be empty */
    struct wait_item **items;
    size_t count;
    size_t room;
    struct map by_name; /* "KIND/NAME" to its item */
    uint64_t revision;  /* revision of the newest observation */
    bool is_presence_wanted;
    bool is_absence_wanted;
    /* Condition for clusters: every machine exists and has the desired state. */
    bool is_ready_wanted;
    bool is_update_wanted;  /* condition for clusters: in addition, no machine is outdated */
    int64_t wants_revision; /* minimum revision; 0 = any */
    size_t least;           /* minimum number of objects; 0: all */
    unsigned percent;       /* minimum percentage of the objects; 0: none */
};

/* Read words and flags of the command. False: an error was added. */
bool wait_set_read(struct wait_set *set, struct command *command);

/* Get the state of all objects from the manager. False: an error was added. */
bool wait_set_look(struct wait_set *set, struct command *command, const struct session *session);

/* Apply a change from the stream. False: the change lacks needed data, so wait_set_look must be
 * called. */
bool wait_set_take(struct wait_set *set, struct text type, const struct doc *doc);

/* wait_set_holds returns whether the condition holds for one object. wait_set_missing returns the
 * number of objects for which it does not hold. wait_set_is_met returns whether it holds for as
 * many objects as needed. */
bool wait_set_holds(const struct wait_set *set, const struct wait_item *item);
size_t wait_set_missing(const struct wait_set *set);
bool wait_set_is_met(const struct wait_set *set);

/* For a wait for deletion: check that the selection has at least as many objects as must be
 * deleted. False: R0004 was added. */
bool wait_set_check(const struct wait_set *set, struct command *command);

/* Return how many objects must still appear before enough objects can meet the condition. */
size_t wait_set_lacking(const struct wait_set *set);

/* wait_set_is_hopeless returns whether the condition can no longer become true for one object,
 * wait_set_is_lost whether it can no longer become true for as many objects as needed. */
bool wait_set_is_hopeless(const struct wait_set *set, const struct wait_item *item);
bool wait_set_is_lost(const struct wait_set *set);

/* Return why an object does not meet the condition: "cluster/late does not exist yet". */
struct text wait_set_why(const struct wait_set *set, const struct command *command,
                         const struct wait_item *item);

#endif
