#include "plan/fields.h"

#include <assert.h>

/* public names start with: plan_ */

const char *plan_rule_limits(enum plan_rule rule)
{
    static const char *const limits[PLAN_RULE_COUNT] = {
        [PLAN_RULE_backoff_exhausted] = "tries retry retryMax",
        [PLAN_RULE_refused] = "retry retryMax",
        [PLAN_RULE_failed] = "tries retry",
        [PLAN_RULE_absent] = "absences absenceFor",
        [PLAN_RULE_confirm] = "absences absenceFor lookups lookupInterval",
        [PLAN_RULE_ended] = "lookups lookupInterval",
        [PLAN_RULE_lost] = "absences absenceFor lookups lookupInterval",
        [PLAN_RULE_stopped] = "lookups lookupInterval",
        [PLAN_RULE_unhealthy] = "budgetPermille budgetWindow",
        [PLAN_RULE_forget] = "lookups lookupInterval late",
        [PLAN_RULE_late] = "late",
        [PLAN_RULE_sighted] = "sightings sightingFor",
        [PLAN_RULE_quarantine] = "sightings sightingFor undoFor unknownPermille",
        [PLAN_RULE_orphan] = "sightings sightingFor undoFor budgetPermille budgetWindow",
        [PLAN_RULE_unlisted] = "unheardFor",
        [PLAN_RULE_listing_brake] = "brakePermille",
        [PLAN_RULE_budget] = "budgetPermille budgetWindow",
        [PLAN_RULE_many_unknown] = "unknownPermille",
        [PLAN_RULE_new_incarnation] = "newIncarnationFor late",
        [PLAN_RULE_reboot] = "rebootFor provenFor",
        [PLAN_RULE_reboot_asked] = "rebootFor",
        [PLAN_RULE_stuck] = "goingFor",
    };

    assert(rule < PLAN_RULE_COUNT);
    return limits[rule] == NULL ? "" : limits[rule];
}
