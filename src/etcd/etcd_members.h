#ifndef REEVE_ETCD_ETCD_MEMBERS_H
#define REEVE_ETCD_ETCD_MEMBERS_H

#include "base/outcome.h"
#include "etcd/etcd.h"

/* public names start with: etcd_members_ */

/* The members of etcd: list, add, promote, remove and move the leader, by etcd's services Cluster
 * and Maintenance, on a link of its own.
 *
 * Every call is asynchronous and ends with exactly one `done`, within etcd_members_run and never
 * earlier, at the latest after the time limit of the options. After OUTCOME_UNKNOWN a change may
 * have had its effect: list the members again. */
struct etcd_members;

enum { ETCD_MEMBERS_MAX = 64, ETCD_MEMBERS_CALLS = 16 };

/* What is wrong with etcd; each kind needs another reaction (docs/spec/MANAGERS.md section 7). */
enum etcd_members_problem {
    ETCD_MEMBERS_FINE,
    ETCD_MEMBERS_UNREACHABLE, /* no member answers at the endpoints, or TLS fails */
    ETCD_MEMBERS_NO_QUORUM,   /* a member answers, and it has no leader or no majority */
    ETCD_MEMBERS_FULL,        /* etcd has no space */
    ETCD_MEMBERS_REPLACED,    /* another etcd answers */
    ETCD_MEMBERS_DAMAGED,     /* the member reports that its data are damaged */
    ETCD_MEMBERS_REJECTED,    /* etcd is well, and rejects this change: see the error */
    ETCD_MEMBERS_PROBLEM_COUNT,
};

/* One member. Texts are valid during `done`. */
struct etcd_members_row {
    uint64_t id;
    struct text name;   /* empty: it has never started */
    struct text peer;   /* its first peer URL */
    struct text client; /* its first client URL; empty: it has never started */
    bool is_learner;
};

/* The status of one member, as it knows it by itself. */
struct etcd_members_status {
    uint64_t id;
    uint64_t leader; /* 0: it knows no leader */
    uint64_t term;
    uint64_t index;   /* newest entry of its log that it knows as committed */
    uint64_t applied; /* newest entry that it has applied */
    uint64_t bytes;
    bool is_learner;
    struct text version;
};

struct etcd_members_answer {
    enum outcome outcome;
    enum etcd_members_problem problem;
    struct err err;                      /* set unless the outcome is OK */
    uint64_t cluster_id;                 /* cluster id of the etcd that answered; 0: none did */
    const struct etcd_members_row *rows; /* the members after a list or a change */
    size_t count;
    uint64_t added; /* id of the added member */
    struct etcd_members_status status;
};

typedef void etcd_members_done(void *arg, const struct etcd_members_answer *answer);

/* Connects to the endpoints of the options, whose prefix is not used. The status, and a move of the
 * leader, are those of the one member at the endpoint: give a single one for them. `cluster_id`:
 * answers of another etcd are ETCD_MEMBERS_REPLACED; 0: any is accepted. Fails with R0516. */
MUST_CHECK bool etcd_members_open(const struct etcd_options *options, uint64_t cluster_id,
                                  struct etcd_members **out, struct err *err);

/* Ends all calls, which are reported before it returns, and closes the link. NULL is allowed. */
void etcd_members_close(struct etcd_members *members);

/* The descriptor is readable while etcd_members_run has work. */
int etcd_members_descriptor(const struct etcd_members *members);
void etcd_members_run(struct etcd_members *members);

/* True if another call can be made: at most ETCD_MEMBERS_CALLS are in progress. */
bool etcd_members_has_room(const struct etcd_members *members);

void etcd_members_list(struct etcd_members *members, etcd_members_done *done, void *arg);
void etcd_members_status(struct etcd_members *members, etcd_members_done *done, void *arg);

/* Adds a member that will start with this peer URL, as a learner. etcd accepts one learner. */
void etcd_members_add(struct etcd_members *members, struct text peer, etcd_members_done *done,
                      void *arg);

/* Makes a learner a voter. REFUSED with ETCD_MEMBERS_REJECTED while it has not caught up. */
void etcd_members_promote(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                          void *arg);

/* Removes a member. A member that does not exist counts as removed. */
void etcd_members_remove(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                         void *arg);

/* Changes the peer URL of a member. */
void etcd_members_update(struct etcd_members *members, uint64_t id, struct text peer,
                         etcd_members_done *done, void *arg);

/* Makes the member with this id the leader. Must be sent to the leader. */
void etcd_members_move_leader(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                              void *arg);

/* Returns the word for a problem, for output: "no quorum". */
const char *etcd_members_problem_name(enum etcd_members_problem problem);

#endif
