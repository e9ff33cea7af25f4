/* Formats the running stages, with the durations of the same stages on other machines of their
 * group. */
#include "base/sort.h"
#include "cli/manager/nodes.h"
#include "codec/doc_child.h"

enum { STAGES_SHOWN = 8 };

static const struct doc *step_of(const struct doc *node)
{
    static const struct doc none = { 0 };
    const struct doc *step = doc_child(doc_child(node, "status"), "node");

    return doc_is_map(step) ? step : &none;
}

static bool is_nodes_stages_running(const struct doc *step)
{
    return doc_is_map(step) && text_has_prefix(doc_child_text(step, "step"), TEXT("stage-"));
}

/* ---- medians ---- */

static int nodes_stages_number_compare(const void *a, const void *b, void *arg)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    (void)arg;
    return (left > right) - (left < right);
}

/* Return the duration of a stage on one machine, in ms. -1: it has not run the stage. */
static int64_t took_ms(const struct doc *node, int64_t stage)
{
    const struct doc *took = doc_child(step_of(node), "took");

    for (size_t i = 0; doc_is_list(took) && i < took->item_count; i++) {
        if (doc_child_number(&took->items[i], "number") == stage) {
            return doc_child_number(&took->items[i], "ms");
        }
    }
    return -1;
}

int64_t nodes_median_ms(struct command *command, const struct nodes *nodes, struct text group,
                        int64_t stage)
{
    int64_t *times = arena_array(command->arena, int64_t, nodes->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        int64_t ms = text_is_equal(listing_text(&nodes->items[i], "metadata", "group"), group)
                         ? took_ms(&nodes->items[i], stage)
                         : -1;

        if (ms >= 0) {
            times[count++] = ms;
        }
    }
    sort_stable(command->arena, times, count, sizeof(*times), nodes_stages_number_compare, NULL);
    return count == 0 ? -1 : times[count / 2];
}

/* Format a median duration: " (median 9 s)". */
static struct text median_format(struct command *command, const struct nodes *nodes,
                                 const struct doc *node)
{
    int64_t ms = nodes_median_ms(command, nodes, listing_text(node, "metadata", "group"),
                                 doc_child_number(step_of(node), "number"));
    int64_t seconds = (ms + 500) / 1000;

    return ms < 0 ? TEXT("")
           : seconds < 120
               ? arena_printf(command->arena, " (median %lld s)", (long long)seconds)
               : arena_printf(command->arena, " (median %lld min)", (long long)(seconds + 30) / 60);
}

struct text nodes_step_beside(struct command *command, const struct nodes *nodes,
                              const struct doc *node)
{
    struct text step = nodes_step(command, node);

    return !is_nodes_stages_running(step_of(node))
               ? step
               : arena_printf(command->arena, "%.*s%.*s", TEXT_ARG(step),
                              TEXT_ARG(median_format(command, nodes, node)));
}

/* ---- stages that run ---- */

/* Machines of a group at the same stage. `oldest` is the machine that has run the stage for the
 * longest time; this time is shown. */
struct stage_row {
    const struct doc *oldest;
    size_t count;
};

static bool is_nodes_stages_alike(const struct doc *a, const struct doc *b)
{
    return text_is_equal(listing_text(a, "metadata", "group"),
                         listing_text(b, "metadata", "group")) &&
           doc_child_number(step_of(a), "number") == doc_child_number(step_of(b), "number");
}

static size_t rows_collect(const struct nodes *nodes, struct stage_row rows[static STAGES_SHOWN],
                           size_t *out_more)
{
    size_t count = 0;

    *out_more = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct doc *node = &nodes->items[i];
        size_t at = 0;

        if (!is_nodes_stages_running(step_of(node))) {
            continue;
        }
        while (at < count && !is_nodes_stages_alike(rows[at].oldest, node)) {
            at++;
        }
        if (at == STAGES_SHOWN) {
            (*out_more)++;
            continue;
        }
        if (at == count) {
            rows[count++] = (struct stage_row){ .oldest = node };
        }
        rows[at].count++;
        if (doc_child_moment(step_of(node), "since") <
            doc_child_moment(step_of(rows[at].oldest), "since")) {
            rows[at].oldest = node;
        }
    }
    return count;
}

struct text nodes_stages(struct command *command, const struct nodes *nodes)
{
    struct stage_row rows[STAGES_SHOWN];
    size_t more;
    size_t count = rows_collect(nodes, rows, &more);
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&buf, "    %zu node%s  %.*s\n", rows[i].count,
                   TEXT_PLURAL((int64_t)rows[i].count),
                   TEXT_ARG(nodes_step_beside(command, nodes, rows[i].oldest)));
    }
    if (more > 0) {
        buf_printf(&buf, "    ... and %zu more nodes in other stages\n", more);
    }
    return buf_text(&buf);
}
