/* Decisions of the planner: the laws (tests/plan/laws.h) hold in every world that the bytes
 * describe. */
#include "fuzz.h"
#include "worlds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct luck luck = { .state = 1, .data = data, .size = size };
    struct laws laws = { .arena = arena_new((size_t)256 << 20) };

    worlds_draw(&laws, &luck);
    FUZZ_CHECK(laws_broken(&laws) == NULL);
    arena_free(laws.arena);
    return 0;
}
