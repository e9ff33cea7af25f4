/* The laws on random worlds: plan_random SEED COUNT. Prints how many worlds were looked at, and a hash over
 * all decisions: the same seed gives the same hash, whatever the compiler. */

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "worlds.h"

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t hash = 0;

    printf("1..1\n");
    for (uint64_t i = 0; i < count; i++) {
        struct luck luck = { .state = (seed + i) * 0x9e3779b97f4a7c15u + 1 };
        struct laws laws = { .arena = arena_new(LIMIT_WORK_ARENA_BYTES) };
        const char *broken;
        struct text lines;

        worlds_draw(&laws, &luck);
        lines = laws_plan_lines(&laws, &laws.world);
        hash = text_hash(lines, hash);
        broken = laws_broken(&laws);
        if (broken != NULL) {
            printf("# seed %llu: %s\n%.*s", (unsigned long long)(seed + i), broken,
                   TEXT_ARG(lines));
            worlds_show(&laws.world);
            printf("not ok 1 - laws\n");
            return 1;
        }
        arena_free(laws.arena);
    }
    printf("# %llu worlds, hash %016llx\nok 1 - laws_hold_on_random_worlds\n",
           (unsigned long long)count, (unsigned long long)hash);
    return 0;
}
