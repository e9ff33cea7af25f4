#include "base/set.h"

void set_init(struct set *set, struct arena *arena)
{
    map_init(&set->map, arena);
}

bool set_add(struct set *set, struct text text)
{
    return map_put(&set->map, text, set) == NULL;
}

bool set_has(const struct set *set, struct text text)
{
    return map_find(&set->map, text) != NULL;
}

size_t set_count(const struct set *set)
{
    return set->map.count;
}
