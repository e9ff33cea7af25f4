#include "id.h"

#include "machine.h"

enum { PREFIX_BYTES = 9 };

const char *id_prefix(struct work *work, struct text cluster)
{
    return arena_printf(work->arena, "%08x-",
                        (unsigned)(text_hash(cluster, work->local->folder_hash) & 0xffffffffU))
        .data;
}

const char *id_check(struct work *work, struct text id)
{
    if (id.length != MACHINE_ID_BYTES - 1) {
        return NULL;
    }
    for (size_t i = 0; i < id.length; i++) {
        bool is_digit =
            (id.data[i] >= '0' && id.data[i] <= '9') || (id.data[i] >= 'a' && id.data[i] <= 'f');

        if (i == PREFIX_BYTES - 1 ? id.data[i] != '-' : !is_digit) {
            return NULL;
        }
    }
    return arena_string(work->arena, id);
}
