#include "base/sort.h"
#include "selector/ranges.h"
#include "service/exec.h"

#include <assert.h>
#include <string.h>

/* public names start with: exec_ */

/* ---- order ---- */

/* Mixes a hash so that every bit of the input changes all bits of the result. Names that differ
 * only in their last letter then get unrelated positions. */
static uint64_t stir(uint64_t hash)
{
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

static int draw_compare(struct text a, struct text b, uint64_t seed)
{
    uint64_t left = stir(text_hash(a, stir(seed)));
    uint64_t right = stir(text_hash(b, stir(seed)));

    return (left > right) - (left < right);
}

static int is_exec_batches_broken(const struct select_node *node)
{
    return node->is_failed || node->displayed == DISPLAYED_FAILED ||
           node->displayed == DISPLAYED_UNHEALTHY || node->displayed == DISPLAYED_UNREACHABLE;
}

/* Compare two nodes. Equal nodes stay in the order of the selection, by cluster and name. */
static int exec_batches_node_compare(const void *a, const void *b, void *arg)
{
    const struct exec_arrangement *how = arg;
    const struct select_node *left = a;
    const struct select_node *right = b;
    int order = 0;

    if (how->is_zone_apart || how->by == EXEC_BY_ZONE) {
        order = how->by == EXEC_BY_RANDOM ? draw_compare(left->zone, right->zone, how->seed)
                                          : ranges_compare(left->zone, right->zone);
    }
    if (order == 0 && how->is_broken_first) {
        order = is_exec_batches_broken(right) - is_exec_batches_broken(left);
    }
    if (order == 0 && how->by == EXEC_BY_RANDOM) {
        order = draw_compare(left->name, right->name, how->seed);
    }
    return order;
}

/* ---- batches ---- */

static size_t exec_batches_end_find(const struct select_nodes *nodes, size_t start, size_t most,
                                    bool is_zone_apart)
{
    size_t end = start + 1;

    while (end < nodes->count && end - start < most &&
           (!is_zone_apart || text_is_equal(nodes->items[end].zone, nodes->items[start].zone))) {
        end++;
    }
    return end;
}

struct exec_batches exec_arrange(struct arena *arena, struct select_nodes *nodes,
                                 const struct exec_arrangement *how)
{
    struct exec_arrangement used = *how;
    struct exec_batch *batches = arena_array(arena, struct exec_batch, nodes->count);
    size_t canary = how->canary < nodes->count ? how->canary : nodes->count;
    size_t count = 0;

    assert(nodes->count > 0 && how->batch > 0);
    sort_stable(arena, nodes->items, nodes->count, sizeof(*nodes->items), exec_batches_node_compare,
                &used);
    for (size_t start = 0; start < nodes->count; start = batches[count++].end) {
        bool is_canary = start < canary;
        size_t most = is_canary ? canary - start : how->batch;

        batches[count] = (struct exec_batch){ .end = exec_batches_end_find(nodes, start, most,
                                                                           how->is_zone_apart),
                                              .is_canary = is_canary };
    }
    assert(batches[count - 1].end == nodes->count);
    return (struct exec_batches){ batches, count };
}

/* ---- excluded machines ---- */

const char *exec_unfit(struct arena *arena, const struct select_node *node, struct text *out_why)
{
    if (node->record_state != PLAN_RECORD_ACTIVE) {
        *out_why = arena_printf(arena, "it is %s", node->state);
        return "not there";
    }
    if (node->alarm.length > 0) {
        *out_why = arena_printf(arena, "the machine shows an unexpected host key: %.*s",
                                TEXT_ARG(node->alarm));
        return "host key";
    }
    return NULL;
}
