#include "engine/nodes.h"

#include <assert.h>

const char *nodes_end_name(enum nodes_end end)
{
    static const char *const names[NODES_END_COUNT] = {
        [NODES_END_DONE] = "done",
        [NODES_END_CONTINUED] = "stage failed, and the rest was run",
        [NODES_END_FAILED] = "stage failed",
        [NODES_END_TIMEOUT] = "stage timed out",
        [NODES_END_INTERRUPTED] = "stage was interrupted",
        [NODES_END_UNREACHABLE] = "unreachable",
        [NODES_END_REFUSED] = "refused",
        [NODES_END_CANCELLED] = "cancelled",
    };

    assert(end < NODES_END_COUNT);
    return names[end];
}
