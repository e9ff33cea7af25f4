/* Checks the laws on random worlds: plan_random SEED COUNT [VERSION HASH]. Prints the number of
 * worlds, and a hash over all decisions. The same seed gives the same hash with every compiler.
 * With VERSION and HASH, checks that the planner is the one of that version. Replays use the
 * planner of the recorded version, so each version has a separate hash. */

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "worlds.h"

static bool is_version(char **words, uint64_t hash)
{
    bool is_good =
        strtoull(words[0], NULL, 10) == PLAN_VERSION && strtoull(words[1], NULL, 16) == hash;

    if (!is_good) {
        printf(
            "# the planner decides otherwise than version %s did: raise PLAN_VERSION in plan/compute.h (it is "
            "%d), and write it with the hash %016llx into tests/plan/meson.build\n",
            words[0], PLAN_VERSION, (unsigned long long)hash);
    }
    printf("%sok 2 - the_version_is_that_of_the_decisions\n", is_good ? "" : "not ");
    return is_good;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t hash = 0;

    printf("1..%d\n", argc > 4 ? 2 : 1);
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
    return argc <= 4 || is_version(argv + 3, hash) ? 0 : 1;
}
