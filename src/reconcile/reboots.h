#ifndef REEVE_RECONCILE_REBOOTS_H
#define REEVE_RECONCILE_REBOOTS_H

#include "reconcile/control_parts.h"
#include "records/reboot_request.h"

/* public names start with: reboots_ reboot_ */

/* Reboots that operators requested (docs/decisions/0120): the part that a manager does on the
 * machines to which it logs in. The planner decides which reboots begin and which need a provider
 * call (plan/compute_reboot.c). The record has the progress of each reboot. */

/* True if the manager logs in to machines of this plugin. */
bool reboots_logs_in(const struct control *control, struct text plugin);

/* Writes into the records of a world when a run last read an unchanged boot id on each machine. The
 * records are in the order of the record cache. */
void reboots_lay(const struct reconciler *reconciler, struct plan_record *records);

/* Returns the reason why an overdue reboot was not confirmed; empty: unknown. The text lives in the
 * arena. */
struct text reboots_why(struct reconciler *reconciler, struct arena *arena, struct text token);

/* Handle the end of a pass: start to watch the machines whose reboot is in progress. */
void reboots_note(struct reconciler *reconciler);

/* Do the work that is due. Returns the time of the next call by the port's clock. */
uint64_t reboots_run(struct control *control, uint64_t now_ms);

/* Stop watching reboots, because another manager may take over. The reboots continue on the
 * machines. */
void reboots_drop(struct reconciler *reconciler);

#endif
