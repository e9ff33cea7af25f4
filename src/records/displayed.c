#include "records/displayed.h"

#include <assert.h>

static const char *const names[DISPLAYED_COUNT] = {
    [DISPLAYED_REFUSED] = "refused",     [DISPLAYED_FAILED] = "failed",
    [DISPLAYED_UNHEALTHY] = "unhealthy", [DISPLAYED_UNREACHABLE] = "unreachable",
    [DISPLAYED_CREATING] = "creating",   [DISPLAYED_STARTING] = "starting",
    [DISPLAYED_LEAVING] = "leaving",     [DISPLAYED_MAINTENANCE] = "maintenance",
    [DISPLAYED_DRIFTED] = "drifted",     [DISPLAYED_READY] = "ready",
};

enum displayed displayed_of(const struct plan_record *record)
{
    switch (record->state) {
    case PLAN_RECORD_CREATE:
        return record->fault != PLAN_FAULT_NONE ? DISPLAYED_REFUSED : DISPLAYED_CREATING;
    case PLAN_RECORD_DELETE:
        return DISPLAYED_LEAVING;
    case PLAN_RECORD_ACTIVE:
        break;
    }
    return record->failed_since_ms > 0        ? DISPLAYED_FAILED
           : record->unreachable_since_ms > 0 ? DISPLAYED_UNREACHABLE
           : record->maintenance_since_ms > 0 ? DISPLAYED_MAINTENANCE
           : record->failing_since_ms > 0     ? DISPLAYED_UNHEALTHY
           : record->is_starting              ? DISPLAYED_STARTING
           : record->drifted_since_ms > 0     ? DISPLAYED_DRIFTED
                                              : DISPLAYED_READY;
}

bool displayed_is_serving(enum displayed displayed)
{
    return displayed == DISPLAYED_READY || displayed == DISPLAYED_DRIFTED;
}

const char *displayed_name(enum displayed displayed)
{
    assert(displayed < DISPLAYED_COUNT);
    return names[displayed];
}

const char *displayed_names(void)
{
    return "ready,drifted,maintenance,starting,failed,unhealthy,unreachable,creating,refused,leaving";
}

bool displayed_parse(struct text name, enum displayed *out)
{
    for (*out = 0; *out < DISPLAYED_COUNT; (*out)++) {
        if (text_is(name, names[*out])) {
            return true;
        }
    }
    return false;
}
