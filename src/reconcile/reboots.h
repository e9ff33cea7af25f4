#ifndef REEVE_RECONCILE_REBOOTS_H
#define REEVE_RECONCILE_REBOOTS_H

#include "reconcile/control_parts.h"

/* names: reboots_ reboot_ */

/* Reboots that operators requested (docs/decisions/0120): the manager's part, on the machines that
 * it logs in to. The planner decides which reboots begin and which need a provider call
 * (plan/compute_reboot.c). The record has the progress of each. */

/* One reboot request of the operator commands of a group (pass_commands.c). */
struct reboot_request {
    uint64_t number;
    struct text by;
    const struct doc *tokens; /* a list */
};

/* Sets *out to the next request from *at on and advances *at. False: there is none. */
bool reboots_request_next(const struct doc *words, size_t *at, struct reboot_request *out);

/* The newest request that names this machine; its number is 0 if none does. */
struct reboot_request reboots_request_of(const struct doc *words, struct text token);

/* Does the manager log in to machines of this plugin? */
bool reboots_logs_in(const struct control *control, struct text plugin);

/* `read` is the boot text of a machine, "BOOT SECONDS": its boot id and its uptime. Has the machine
 * booted since the record requested a reboot? */
bool reboots_is_over(const struct record *record, struct text read, uint64_t now_ms);

/* The boot id alone. */
struct text reboots_boot(struct text read);

/* Write into the records of a world when each machine was last seen on an unchanged boot. The
 * records are in the order of the record cache. */
void reboots_lay(const struct reconciler *reconciler, struct plan_record *records);

/* Why an overdue reboot was not confirmed; empty: unknown. Of the arena. */
struct text reboots_why(struct reconciler *reconciler, struct arena *arena, struct text token);

/* A pass has ended: start to watch the machines whose reboot is in progress. */
void reboots_note(struct reconciler *reconciler);

/* Do the work that is due. Returns the time of the next call by the port's clock. */
uint64_t reboots_run(struct control *control, uint64_t now_ms);

/* Another manager may take over: stop watching. Reboots on the machines continue by themselves. */
void reboots_drop(struct reconciler *reconciler);

#endif
