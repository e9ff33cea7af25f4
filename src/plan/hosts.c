#include "plan/hosts.h"

/* public names start with: plan_host_ */

static int plan_host_compare(const struct plan_host *a, const struct plan_host *b, struct text seed)
{
    uint64_t of_a = text_hash(a->id, text_hash(seed, 0));
    uint64_t of_b = text_hash(b->id, text_hash(seed, 0));

    if (a->members != b->members) {
        return a->members < b->members ? -1 : 1;
    }
    if (a->machines != b->machines) {
        return a->machines < b->machines ? -1 : 1;
    }
    return of_a != of_b ? (of_a < of_b ? -1 : 1) : text_compare(a->id, b->id);
}

size_t plan_host_choose(const struct plan_host *hosts, size_t count, struct text seed)
{
    size_t found = count == 0 ? SIZE_MAX : 0;

    for (size_t i = 1; i < count; i++) {
        if (plan_host_compare(&hosts[i], &hosts[found], seed) < 0) {
            found = i;
        }
    }
    return found;
}
