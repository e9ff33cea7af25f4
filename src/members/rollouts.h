#ifndef REEVE_MEMBERS_ROLLOUTS_H
#define REEVE_MEMBERS_ROLLOUTS_H

#include "members/members.h"

/* names: rollout_ rollouts_ member_needs_ member_has_ members_slots_ members_is_in_ */

/* Rollouts of changed stages to members that have been in service (decision 0110). A rollout is a job of batches that the reconciler
 * creates: one for each group and desired stage digest chain. bootstrap/rollout.h arranges its members, bootstrap/batches.h decides which of
 * them start; a member starts only once its mark is in the store. */

/* One that is to be created. */
struct rollout_new {
    struct rollout_new *next;
    struct text name; /* of its key */
    struct text value;
};

/* Has this member been in service? One of a group that counts before its stages are done has been once it completed a chain, or
 * served while the group had none. */
bool member_has_served(const struct member *member, const struct fleet_group *group);

/* Has this member been in service, does it lag, and has no rollout slot been granted to it? Then its stages do not start. */
bool member_needs_slot(const struct member *member, const struct fleet_group *group);

/* Is the member out of service, as far as is known of its machine and its stages? */
bool rollout_is_out(const struct member *member);

/* Has the member completed the chain of the rollout? */
bool rollout_is_done(const struct member *member, const struct member_batches *batches);

/* Its group as it is desired now; NULL: it is not there. A renamed group is the same one. */
const struct fleet_group *rollout_group(const struct member_batches *batches);

/* Is the chain of the rollout still the desired one? */
bool rollout_is_current(const struct member_batches *batches);

/* The name by which nodes remember the slot, from what is in the store. */
void rollout_request_make(struct member_batches *batches);

/* What operators said of it since: `rollout resume` and `rollout promote`. Sets what is written next; returns the cut as it is from
 * here on, and starts from the marks that are in the store. */
enum bootstrap_cut rollout_commands_apply(struct member_batches *batches);

/* What became of a member. */
enum bootstrap_mark rollout_mark_of(const struct member_batches *batches,
                                    const struct member *member, enum bootstrap_mark mark);

/* What its group's service allows; lives in the arena. */
const struct bootstrap_service *rollout_service(struct arena *arena,
                                                const struct member_batches *batches);

/* Why no slot is granted for now, as members_batches_pause says it. */
struct text rollout_pause(struct arena *arena, const struct member_batches *batches);

/* Which members failed, with the stage and its exit code, and how many have not started. */
struct text rollout_fact(struct arena *arena, const struct member_batches *batches);

/* Members know their mark in the current rollout, for passes. */
void rollout_marks_note(const struct member_batches *batches);

/* What it waits for where it is held, or where no member may start for now; empty: it goes on. */
struct text rollout_waits(struct arena *arena, const struct member_batches *batches);

/* Find the rollouts that are missing: members of a group lag, and none covers its chain. */
void rollouts_find_missing(struct members *members);

/* Add them to what is written. */
void rollouts_write(struct members *members);

/* The rollout of this group's desired chain; NULL: there is none. */
const struct member_batches *rollout_find(const struct members *members,
                                          const struct fleet_group *group);

#endif
