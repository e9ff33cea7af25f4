#ifndef REEVE_RECONCILE_REBOOTS_H
#define REEVE_RECONCILE_REBOOTS_H

#include "reconcile/control_parts.h"

/* names: reboots_ reboot_ */

/* Reboots that operators requested (docs/decisions/0122): what the manager does about them on the machines that it logs in to. The
 * planner decides which begin and which are called for (plan/compute_reboot.c); the record says how far each one is. */

/* One request among the words of a group (pass_commands.c). */
struct reboot_request {
    uint64_t number;
    struct text by;
    const struct doc *tokens; /* a list */
};

/* The next request of the words from *at on, which moves on. False: there is none. */
bool reboots_request_next(const struct doc *words, size_t *at, struct reboot_request *out);

/* The newest request of the words that names this machine; number 0: none does. */
struct reboot_request reboots_request_of(const struct doc *words, struct text token);

/* Does the manager log in to machines of this plugin? */
bool reboots_logs_in(const struct control *control, struct text plugin);

/* What was read on a machine, "BOOT SECONDS": which boot it has and for how long. Has it booted since the record says that it was to? */
bool reboots_is_over(const struct record *record, struct text read, uint64_t now_ms);

/* The boot alone. */
struct text reboots_boot(struct text read);

/* Write into the records of a world when the boots of machines were seen to be the same. Records are in the order of the fleet. */
void reboots_lay(const struct reconciler *reconciler, struct plan_record *records);

/* Why a reboot that is overdue was not seen to happen; empty: nothing is known. Of the arena. */
struct text reboots_why(struct reconciler *reconciler, struct arena *arena, struct text token);

/* A pass has ended: machines whose reboot is under way are watched from now on. */
void reboots_note(struct reconciler *reconciler);

/* Do what is due; returns when the next is, by the port's clock. */
uint64_t reboots_run(struct control *control, uint64_t now_ms);

/* Another manager may do it from here on. What runs on machines goes on by itself. */
void reboots_drop(struct reconciler *reconciler);

#endif
