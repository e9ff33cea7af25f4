#include "model/lifecycle.h"

#include <assert.h>

#define TO(id) (1u << LIFECYCLE_STATUS_##id)

static const struct {
    const char *name;
    unsigned next;
} lifecycle_statuses[LIFECYCLE_STATUS_COUNT] = {
#define STATUS(id, name, next) [LIFECYCLE_STATUS_##id] = { name, next },
#include "model/lifecycle.def"
};

static const char *const lifecycle_states[LIFECYCLE_STATE_COUNT] = {
#define STATE(id, name) [LIFECYCLE_STATE_##id] = name,
#include "model/lifecycle.def"
};

static const char *const lifecycle_conditions[LIFECYCLE_CONDITION_COUNT] = {
#define CONDITION(id, name) [LIFECYCLE_CONDITION_##id] = name,
#include "model/lifecycle.def"
};

const char *lifecycle_status_name(enum lifecycle_status status)
{
    assert(status < LIFECYCLE_STATUS_COUNT);
    return lifecycle_statuses[status].name;
}

const char *lifecycle_state_name(enum lifecycle_state state)
{
    assert(state < LIFECYCLE_STATE_COUNT);
    return lifecycle_states[state];
}

const char *lifecycle_condition_name(enum lifecycle_condition condition)
{
    assert(condition < LIFECYCLE_CONDITION_COUNT);
    return lifecycle_conditions[condition];
}

bool lifecycle_status_parse(struct text name, enum lifecycle_status *out)
{
    for (size_t i = 0; i < LIFECYCLE_STATUS_COUNT; i++) {
        if (text_is(name, lifecycle_statuses[i].name)) {
            *out = (enum lifecycle_status)i;
            return true;
        }
    }
    return false;
}

bool lifecycle_state_parse(struct text name, enum lifecycle_state *out)
{
    for (size_t i = 0; i < LIFECYCLE_STATE_COUNT; i++) {
        if (text_is(name, lifecycle_states[i])) {
            *out = (enum lifecycle_state)i;
            return true;
        }
    }
    return false;
}

bool lifecycle_condition_parse(struct text name, enum lifecycle_condition *out)
{
    for (size_t i = 0; i < LIFECYCLE_CONDITION_COUNT; i++) {
        if (text_is(name, lifecycle_conditions[i])) {
            *out = (enum lifecycle_condition)i;
            return true;
        }
    }
    return false;
}

bool lifecycle_may_move(enum lifecycle_status from, enum lifecycle_status to)
{
    assert(from < LIFECYCLE_STATUS_COUNT && to < LIFECYCLE_STATUS_COUNT);
    return (lifecycle_statuses[from].next & 1u << to) != 0;
}
