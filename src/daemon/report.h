#ifndef REEVE_DAEMON_REPORT_H
#define REEVE_DAEMON_REPORT_H

#include "base/exits.h"
#include "codec/doc.h"
#include "reconcile/control.h"

/* public names start with: report_ */

/* Returns the report of a pass, as the manager sends it and reeve-controller prints it:
 * {"actions":[{act,fact,group,rule,slot}],"cluster","end","holds":[{fact,group,rule}],"machines",
 * "message","revision"}. */
struct doc report_doc(struct arena *arena, const struct control_report *report);

/* Prints the report for the operator. */
void report_show(const struct doc *report);

/* Returns the exit code of reeve-controller (UX.md 3.6). */
enum exit_code report_code(const struct doc *report);

#endif
