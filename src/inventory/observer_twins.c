#include "inventory/observer_parts.h"

/* names: observer_ */

/* Machines that show one host key: they were made from one image, or one moved to another address
 * while its former row still counts as there. */

/* The keys of the rows with the host key of a row, up to the id. */
static struct text observer_keyed_prefix(struct arena *arena, const struct observer_row *row)
{
    return arena_printf(arena, "%.*s/%016llx/", TEXT_ARG(row->tenant->name),
                        (unsigned long long)row->key_hash);
}

/* Find another row with the host key of this one; with is_alive only one whose machine is there.
 * Returns false if there is none. */
static bool observer_twin_find(const struct observer_row *row, struct arena *arena, bool is_alive,
                               struct discovered *out)
{
    const struct map *keyed = &row->observer->keyed;
    struct text prefix = observer_keyed_prefix(arena, row);
    uint64_t revision;

    for (const struct map_node *node = map_first(keyed, prefix);
         row->key_hash != 0 && node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(keyed, node->key)) {
        const struct observer_row *other = node->value;

        if (other != row && (!is_alive || other->state == LIFECYCLE_STATE_DISCOVERED) &&
            observer_row_read(arena, other, out, &revision)) {
            return true;
        }
    }
    return false;
}

const char *observer_twin_lay(struct arena *arena, const struct observer_row *row,
                              struct discovered *stored, struct text *out_fact)
{
    struct discovered_mark *duplicate = &stored->conditions[LIFECYCLE_CONDITION_DUPLICATE];
    const struct observer *observer = row->observer;
    struct discovered twin;

    if (duplicate->since_ms == 0 && stored->state == LIFECYCLE_STATE_DISCOVERED &&
        observer_twin_find(row, arena, true, &twin)) {
        *out_fact = arena_printf(arena, "%.*s (%.*s) at %.*s has the same host key",
                                 TEXT_ARG(twin.name), TEXT_ARG(twin.id), TEXT_ARG(twin.address));
        *duplicate =
            (struct discovered_mark){ observer->options.wall_ms(observer->options.arg), *out_fact };
        return "node.duplicate";
    }
    if (duplicate->since_ms > 0 && !observer_twin_find(row, arena, false, &twin)) {
        *out_fact = TEXT("no other machine has its host key any more");
        *duplicate = (struct discovered_mark){ 0 };
        return "node.unique";
    }
    return NULL;
}

/* Decide again about the rows with the host key of a row. */
static void observer_keyed_wait(const struct observer_row *row)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct map *keyed = &row->observer->keyed;
    struct text prefix = observer_keyed_prefix(arena, row);

    for (const struct map_node *node = map_first(keyed, prefix);
         row->key_hash != 0 && node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(keyed, node->key)) {
        observer_row_wait(node->value, 0);
    }
}

void observer_keyed_index(struct observer_row *row, struct text host_key)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    uint64_t hash = host_key.length == 0 ? 0 : text_hash(host_key, 1) | 1;
    struct map *keyed = &row->observer->keyed;

    if (hash == row->key_hash) {
        return;
    }
    if (row->key_hash != 0) {
        map_remove(keyed,
                   arena_printf(arena, "%.*s%.*s", TEXT_ARG(observer_keyed_prefix(arena, row)),
                                TEXT_ARG(row->id)));
        observer_keyed_wait(row);
    }
    row->key_hash = hash;
    if (hash != 0) {
        map_put(keyed,
                arena_printf(keyed->arena, "%.*s%.*s", TEXT_ARG(observer_keyed_prefix(arena, row)),
                             TEXT_ARG(row->id)),
                row);
        observer_keyed_wait(row);
    }
}
