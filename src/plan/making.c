#include "plan/making.h"

#include "base/macros.h"

#include <stddef.h>

static const char *const fields[] = {
    "image",          "imageAsOf", "machineSize", "network", "resourceProperties",
    "securityGroups", "sshKey",    "subnet",      "volumes",
};

const char *making_field(unsigned index)
{
    return index < ARRAY_COUNT(fields) ? fields[index] : NULL;
}

bool making_is_path(struct text path)
{
    struct text field = text_slice(path, 0, text_find_byte(path, '.'));

    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (text_is(field, fields[i])) {
            return true;
        }
    }
    return text_is(path, "resourcePlugin.name");
}
