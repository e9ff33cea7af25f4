/* Converts libvirt's errors and states to results and states of the interface. Pure. */
#include "answers.h"

#include "reeve/plugin.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <strings.h>

struct virt_error_row {
    int code;
    const char *contains;
    int32_t result;
};

/* An enum with a name for each row, so that two rows with the same name do not compile. */
enum virt_error_name {
#define VIRT_ERROR(name, code, contains, result) VIRT_ERROR_##name,
#include "errors.def"
#undef VIRT_ERROR
};

static const struct virt_error_row virt_error_rows[] = {
#define VIRT_ERROR(name, code, contains, result) [VIRT_ERROR_##name] = { code, contains, result },
#include "errors.def"
#undef VIRT_ERROR
};

static bool virt_message_has(struct text message, const char *part)
{
    size_t length = strlen(part);

    for (size_t i = 0; i + length <= message.length; i++) {
        if (strncasecmp(message.data + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

int32_t virt_classify(int code, struct text message, bool is_change)
{
    int32_t result = VIRT_DOUBT;

    for (size_t i = 0; i < ARRAY_COUNT(virt_error_rows); i++) {
        const struct virt_error_row *row = &virt_error_rows[i];

        if ((row->code == 0 || row->code == code) &&
            (row->contains == NULL || virt_message_has(message, row->contains))) {
            result = row->result;
            break;
        }
    }
    if (result == VIRT_DOUBT) {
        return is_change ? REEVE_UNKNOWN : REEVE_TRANSIENT;
    }
    return result;
}

int32_t virt_state_of(int state)
{
    switch (state) {
#define VIRT_STATE(name, result) \
    case name:                   \
        return result;
#include "states.def"
#undef VIRT_STATE
    default:
        return REEVE_PENDING;
    }
}
