#ifndef REEVE_MANAGED_STORE_MANAGED_MEMBER_H
#define REEVE_MANAGED_STORE_MANAGED_MEMBER_H

#include "managed_store/managed_store.h"
#include "sys/log.h"
#include "sys/loop.h"

/* public names start with: managed_member_ */

/* The member of this host while the manager runs: what its process, reeve-store, reports, and the
 * requests that make it run another member or none. The housekeeper of the members decides which
 * (voting/voting.h).
 *
 * Normal case: a manager that joined the store has no member. The housekeeper adds one to the list
 * of the store and names it. Then reeve-store is started, and starts it in an empty folder.
 *
 * Failure: reeve-store does not answer or rejects a request. The request is repeated after a pause,
 * and the reason is logged once. */
struct managed_member;

struct managed_member_options {
    struct loop *loop;
    struct log *log;
    struct managed_store_options store; /* texts outlive the member */
};

/* A member that this host shall run. */
struct managed_member_wanted {
    struct text name;
    struct text cluster; /* NAME=PEER-URL,... of all members */
    struct text peer;    /* its URL for other members */
    struct text client;  /* its URL for clients */
};

/* Starts to observe. Fails with R0532 if the loop has no room. */
MUST_CHECK bool managed_member_open(const struct managed_member_options *options,
                                    struct managed_member **out, struct err *err);

/* Ends; the member runs on. NULL is allowed. */
void managed_member_close(struct managed_member *member);

/* Asks reeve-store for its status, unless a request is in progress. To be called about once a
 * second, after managed_member_run. */
void managed_member_look(struct managed_member *member);

/* True once it is known whether this host has a member. */
bool managed_member_is_known(const struct managed_member *member);

/* Returns the name of the member in the folder of this host; empty: there is none. Valid until the
 * next iteration of the loop. */
struct text managed_member_name(const struct managed_member *member);

/* True if the member of this host runs. */
bool managed_member_is_running(const struct managed_member *member);

/* Makes this host run this member, in an empty folder; NULL: none. A former member is put aside
 * first. Repeated calls change nothing. */
void managed_member_run(struct managed_member *member, const struct managed_member_wanted *wanted);

#endif
