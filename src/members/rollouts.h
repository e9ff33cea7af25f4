#ifndef REEVE_MEMBERS_ROLLOUTS_H
#define REEVE_MEMBERS_ROLLOUTS_H

#include "members/members.h"

/* public names start with: rollout_ rollouts_ member_needs_ */
/* public names start with: member_has_ members_slots_ members_is_in_ */

/* Rollouts of changed stages to members that have been ready (decision 0110). A rollout is a batch
 * job that the reconciler creates: one for each group and desired stage digest chain.
 * bootstrap/rollout.h arranges its members, and bootstrap/batches.h decides which of them start. A
 * member starts only when its mark is in the store. */

/* A rollout to be created. */
struct rollout_new {
    struct rollout_new *next;
    struct text name; /* name in its key */
    struct text value;
};

/* True if this member has been ready at least once. If machines of its group count as ready before
 * their stages are complete, true if the member has completed a chain, or was ready while the group
 * had none. */
bool member_has_served(const struct member *member, const struct fleet_group *group);

/* True if this member has been ready, has outdated stages and has no rollout slot, so that its
 * stages must not start. */
bool member_needs_slot(const struct member *member, const struct fleet_group *group);

/* True if the known state of its machine and stages, or an operator's command, shows that the
 * member is out of service. */
bool rollout_is_out(const struct member *member);

/* True if the member has completed the chain of the rollout. */
bool rollout_is_done(const struct member *member, const struct member_batches *batches);

/* Return the group of the rollout in the current specification; NULL: it does not exist. A renamed
 * group counts as the same group. */
const struct fleet_group *rollout_group(const struct member_batches *batches);

/* True if the chain of the rollout is still the desired one. */
bool rollout_is_current(const struct member_batches *batches);

/* Sets the name under which nodes store the slot, from the state in the store. */
void rollout_request_make(struct member_batches *batches);

/* Applies the new operator commands `rollout resume` and `rollout promote`, starting from the marks
 * in the store. Sets the values that are written next. Returns the current stop reason. */
enum bootstrap_cut rollout_commands_apply(struct member_batches *batches);

/* Return the current mark of a member. */
enum bootstrap_mark rollout_mark_of(const struct member_batches *batches,
                                    const struct member *member, enum bootstrap_mark mark);

/* Returns how many members of the group may be out of service. The result lives in the arena. */
const struct bootstrap_service *rollout_service(struct arena *arena,
                                                const struct member_batches *batches);

/* Withdraws unused slots. A member may get its slot while it is out of service. If it is in service
 * again before its stages have started, it waits like other members until the group has room. */
void rollout_unused_slots_return(struct member_batches *batches,
                                 const struct bootstrap_service *service);

/* Returns the reason why no slot is granted now, like members_batches_pause. */
struct text rollout_pause(struct arena *arena, const struct member_batches *batches);

/* Return a text with the members that failed, each with stage and exit code, and with the number of
 * members that have not started. */
struct text rollout_fact(struct arena *arena, const struct member_batches *batches);

/* Set the mark of each member in the current rollout. Passes read it. */
void rollout_marks_note(const struct member_batches *batches);

/* Returns the reason why the rollout waits: it is held, or no member may start now. Empty: it makes
 * progress. */
struct text rollout_waits(struct arena *arena, const struct member_batches *batches);

/* Finds missing rollouts: groups with outdated members whose desired chain has no rollout yet. */
void rollouts_find_missing(struct members *members);

/* True if machines of another generation replace members of the group. */
bool rollout_is_replacing(const struct members *members, const struct fleet_group *group);

/* Adds a job for these members to the jobs that are created next, in batches by the policy of the
 * group. The name and all texts of `request` live in rollouts_memory. If a job with this name
 * exists, nothing happens. */
void rollout_new_add(struct members *members, const struct fleet_group *group,
                     const struct member *const *list, size_t count, struct text name,
                     const struct batches *request);

/* Add the rollouts to be created to the writes. */
void rollouts_write(struct members *members);

/* Return the rollout of this group's desired chain; NULL: there is none. */
const struct member_batches *rollout_find(const struct members *members,
                                          const struct fleet_group *group);

#endif
