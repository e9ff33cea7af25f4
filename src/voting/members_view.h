#ifndef REEVE_VOTING_MEMBERS_VIEW_H
#define REEVE_VOTING_MEMBERS_VIEW_H

#include "codec/doc.h"
#include "etcd/etcd_members.h"
#include "sys/loop.h"

/* public names start with: members_view_ */

/* The members of the store in etcd, as this manager sees them: the list, and every two seconds the
 * status of each member at its own address.
 *
 * Normal case: all members answer. A member that does not answer keeps its last status, with the
 * time at which it was heard. Without a quorum the last list is kept. */
struct members_view;

/* One member. */
struct members_view_member {
    struct etcd_members_row row;       /* texts are valid until the next iteration of the loop */
    struct etcd_members_status status; /* its newest status; id 0: it has never answered */
    enum etcd_members_problem problem; /* of its newest answer */
    char reason[LIMIT_ERROR_TEXT_BYTES];
    bool is_heard; /* it answered the newest question */
    bool is_leader;
    uint64_t heard_ms; /* when it last answered; before the first answer, when it was first seen */
    uint64_t lag;      /* entries of the log that it lacks, compared with the newest member */
};

/* Service levels of docs/spec/MANAGERS.md section 9, as far as this manager knows. */
enum members_view_level { MEMBERS_VIEW_A, MEMBERS_VIEW_B, MEMBERS_VIEW_C };

struct members_view_options {
    struct loop *loop;
    struct store *store; /* its status shows whether etcd's quorum answers */
    struct etcd_options etcd;
};

/* Starts to observe. Fails if the loop has no room. */
MUST_CHECK bool members_view_open(const struct members_view_options *options,
                                  struct members_view **out, struct err *err);

/* Ends. To be called before the store is closed. NULL is allowed. */
void members_view_close(struct members_view *members_view);

/* members_view_count returns the number of known members; 0: the list was not read yet. */
size_t members_view_count(const struct members_view *members_view);
const struct members_view_member *members_view_at(const struct members_view *members_view,
                                                  size_t index);

/* Returns the level. *reason is a text for people, valid until the next call; empty at level A. */
enum members_view_level members_view_level(struct members_view *members_view, const char **reason);

/* Returns the endpoint at which the leader is asked; NULL: no leader is known. Valid until the next
 * iteration of the loop. */
const char *members_view_leader_endpoint(const struct members_view *members_view);

/* Returns how many voters may be lost before the store has no quorum. */
size_t members_view_spare(const struct members_view *members_view);

/* True if the leader of the newest known term has answered the newest list. Only then does the
 * absence of a member show that it was removed: etcd 3.4 answers a list from any member, which may
 * lag. */
bool members_view_is_certain(const struct members_view *members_view);

/* Changes how etcd is reached (etcd.h): the list is asked, and the member of this host found, at
 * these endpoints from now on. Not to be called within a callback of this module. Fails with R0512
 * and R0516. */
MUST_CHECK bool members_view_reach_set(struct members_view *members_view,
                                       const struct etcd_options *etcd, struct err *err);

/* Adds to a map: {level, levelReason, members: [{client, id, kind, lag, leader, name, peer,
 * problem, reason, silentSeconds, state, version}], spare}. */
void members_view_show(struct members_view *members_view, struct arena *arena,
                       struct doc_builder *builder);

#endif
