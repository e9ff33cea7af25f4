#ifndef REEVE_VOTING_VOTING_ETCD_H
#define REEVE_VOTING_VOTING_ETCD_H

#include "voting/members_view.h"
#include "voting/voting.h"

/* public names start with: voting_etcd_ */

/* Connects the housekeeper (voting.h) with etcd: the ports `members` and `change`. */
struct voting_etcd;

struct voting_etcd_options {
    struct loop *loop;
    struct etcd_options etcd;
    struct members_view *members_view; /* lives longer than this */
};

/* The texts of options->etcd live as long as the result, or until voting_etcd_reach_set. */
struct voting_etcd *voting_etcd_new(const struct voting_etcd_options *options);

/* Ends a change in progress, which is reported as not certain, and frees it. NULL is allowed. */
void voting_etcd_free(struct voting_etcd *it);

/* Changes how etcd is reached from the next change on. The texts live until another call. */
void voting_etcd_reach_set(struct voting_etcd *it, const struct etcd_options *etcd);

/* Implement the ports of the same names. */
size_t voting_etcd_members(const struct voting_etcd *it,
                           struct voting_row out[static VOTING_MEMBERS_MAX], uint64_t *out_leader);
void voting_etcd_change(struct voting_etcd *it, enum plan_voters_kind kind, uint64_t member,
                        struct text peer, voting_changed *changed, void *changed_arg);

#endif
