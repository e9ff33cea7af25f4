#include "cause/cause.h"

#include "base/sort.h"
#include "codec/json.h"
#include "selector/ranges.h"

#include <assert.h>
#include <string.h>

/* Finds the common cause of failures. Normal case: three nodes or more fail. Attributes that enough
 * of these nodes have are candidates, usually fewer than five. For each candidate all nodes are
 * counted. */

bool cause_attributes_have(const struct cause_attributes *list,
                           const struct cause_attribute *attribute)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == attribute->kind &&
            text_is_equal(list->items[i].value, attribute->value)) {
            return true;
        }
    }
    return false;
}

bool cause_node_has(const struct cause_node *node, const struct cause_attribute *attribute)
{
    return cause_attributes_have(&node->own, attribute) ||
           cause_attributes_have(&node->shared, attribute);
}

/* ---- evidence ---- */

/* The failures that count. */
struct evidence {
    const struct cause_node *nodes;
    size_t count;
    uint64_t since_ms; /* failures before this time do not count; 0: all failures count */
    size_t failed;
};

static bool is_failed(const struct evidence *evidence, const struct cause_node *node)
{
    return node->failed_ms > 0 && node->failed_ms >= evidence->since_ms;
}

static void evidence_init(struct evidence *evidence, const struct cause_node *nodes, size_t count,
                          uint64_t since_ms)
{
    *evidence = (struct evidence){ .nodes = nodes, .count = count, .since_ms = since_ms };
    for (size_t i = 0; i < count; i++) {
        evidence->failed += is_failed(evidence, &nodes[i]);
    }
}

static struct cause cause_count(const struct evidence *evidence,
                                const struct cause_attribute *attribute)
{
    struct cause cause = { .attribute = *attribute };

    for (size_t i = 0; i < evidence->count; i++) {
        const struct cause_node *node = &evidence->nodes[i];
        bool fails = is_failed(evidence, node);

        if (!fails && node->failed_ms > 0) {
            continue; /* it failed too long ago */
        }
        if (cause_node_has(node, attribute)) {
            cause.nodes++;
            cause.failed += fails;
            cause.newest_ms =
                fails && node->failed_ms > cause.newest_ms ? node->failed_ms : cause.newest_ms;
        } else {
            cause.others++;
            cause.others_failed += fails;
        }
    }
    return cause;
}

static bool is_cause_shared(const struct evidence *evidence, size_t failed)
{
    return failed >= CAUSE_LEAST && failed * 1000 >= evidence->failed * CAUSE_SHARE_PERMILLE;
}

static bool is_cause(const struct evidence *evidence, const struct cause *cause)
{
    size_t others_failed = cause->others_failed > 0 ? cause->others_failed : 1;

    return is_cause_shared(evidence, cause->failed) && cause->others > 0 &&
           cause->failed * 1000 >= cause->nodes * CAUSE_RATE_PERMILLE &&
           cause->failed * cause->others >= CAUSE_TIMES * others_failed * cause->nodes;
}

/* ---- the most specific cause ---- */

/* True if `a` is reported in preference to `b`. Both are causes. */
static bool is_more_specific(const struct cause *a, const struct cause *b)
{
    bool is_task = a->attribute.kind == CAUSE_TASK;

    if (is_task != (b->attribute.kind == CAUSE_TASK)) {
        return !is_task;
    }
    if (a->failed * b->nodes != b->failed * a->nodes) {
        return a->failed * b->nodes > b->failed * a->nodes;
    }
    if (a->failed != b->failed) {
        return a->failed > b->failed;
    }
    if (a->attribute.kind != b->attribute.kind) {
        return a->attribute.kind < b->attribute.kind;
    }
    return text_compare(a->attribute.value, b->attribute.value) < 0;
}

static int cause_attribute_compare(const void *a, const void *b, void *arg)
{
    const struct cause_attribute *first = a;
    const struct cause_attribute *second = b;

    (void)arg;
    return first->kind != second->kind ? (int)first->kind - (int)second->kind
                                       : text_compare(first->value, second->value);
}

/* Return the attributes of all failed nodes, in order. Each attribute occurs as often as failed
 * nodes have it. */
static struct cause_attribute *failed_attributes(struct arena *arena,
                                                 const struct evidence *evidence, size_t *out_count)
{
    struct cause_attribute *all;
    size_t room = 0;
    size_t count = 0;

    for (size_t i = 0; i < evidence->count; i++) {
        const struct cause_node *node = &evidence->nodes[i];

        room += is_failed(evidence, node) ? node->own.count + node->shared.count : 0;
    }
    all = arena_array(arena, struct cause_attribute, room);
    for (size_t i = 0; i < evidence->count; i++) {
        const struct cause_node *node = &evidence->nodes[i];

        for (size_t j = 0; is_failed(evidence, node) && j < node->own.count; j++) {
            all[count++] = node->own.items[j];
        }
        for (size_t j = 0; is_failed(evidence, node) && j < node->shared.count; j++) {
            all[count++] = node->shared.items[j];
        }
    }
    assert(count == room);
    sort_stable(arena, all, count, sizeof(*all), cause_attribute_compare, NULL);
    *out_count = count;
    return all;
}

static bool cause_search(struct arena *arena, const struct evidence *evidence, struct cause *out)
{
    struct cause_attribute *all;
    bool is_found = false;
    size_t count;

    if (evidence->failed < CAUSE_LEAST) {
        return false;
    }
    all = failed_attributes(arena, evidence, &count);
    for (size_t i = 0, end; i < count; i = end) {
        struct cause cause;

        for (end = i + 1; end < count && cause_attribute_compare(&all[i], &all[end], NULL) == 0;
             end++) {
        }
        if (!is_cause_shared(evidence, end - i)) {
            continue;
        }
        cause = cause_count(evidence, &all[i]);
        if (is_cause(evidence, &cause) && (!is_found || is_more_specific(&cause, out))) {
            *out = cause;
            is_found = true;
        }
    }
    return is_found;
}

bool cause_find(struct arena *arena, const struct cause_node *nodes, size_t count,
                const struct cause_attribute *standing, uint64_t now_ms, uint64_t window_ms,
                struct cause *out)
{
    struct evidence evidence;

    if (standing != NULL) {
        struct cause cause;

        evidence_init(&evidence, nodes, count, 0);
        cause = cause_count(&evidence, standing);
        if (is_cause(&evidence, &cause)) {
            *out = cause;
            return true;
        }
    }
    evidence_init(&evidence, nodes, count, now_ms > window_ms ? now_ms - window_ms : 1);
    return cause_search(arena, &evidence, out);
}

/* ---- as text ---- */

static const char *const kinds[CAUSE_KIND_COUNT] = {
    [CAUSE_ZONE] = "zone",
    [CAUSE_RACK] = "rack",
    [CAUSE_IMAGE] = "image",
    [CAUSE_STAGES] = "stages",
    [CAUSE_CONFIGURATION] = "configuration",
    [CAUSE_BUNDLE] = "bundle",
    [CAUSE_ROLE] = "role",
    [CAUSE_PLUGIN] = "plugin",
    [CAUSE_TASK] = "task",
};

struct text cause_attribute_text(struct arena *arena, const struct cause_attribute *attribute)
{
    return arena_printf(arena, "%s %.*s", kinds[attribute->kind], TEXT_ARG(attribute->value));
}

struct text cause_observation_format(struct arena *arena, const struct cause *cause)
{
    return arena_printf(arena, "%llu %s %.*s", (unsigned long long)cause->newest_ms,
                        kinds[cause->attribute.kind], TEXT_ARG(cause->attribute.value));
}

bool cause_observation_parse(struct text text, struct cause_attribute *out, uint64_t *out_newest_ms)
{
    size_t first = text_find_byte(text, ' ');
    struct text rest = first < text.length ? text_slice(text, first + 1, SIZE_MAX) : TEXT("");
    size_t second = text_find_byte(rest, ' ');
    int64_t newest_ms;
    int kind = 0;

    if (second >= rest.length || !text_parse_int64(text_slice(text, 0, first), &newest_ms) ||
        newest_ms < 0) {
        return false;
    }
    while (kind < CAUSE_KIND_COUNT && !text_is(text_slice(rest, 0, second), kinds[kind])) {
        kind++;
    }
    if (kind == CAUSE_KIND_COUNT) {
        return false;
    }
    *out =
        (struct cause_attribute){ (enum cause_kind)kind, text_slice(rest, second + 1, SIZE_MAX) };
    *out_newest_ms = (uint64_t)newest_ms;
    return true;
}

struct text cause_hold_attribute(struct arena *arena, struct text status, struct text node)
{
    const struct doc *nodes;
    const struct doc *attribute;
    struct doc doc;
    struct err err;
    struct text rest;
    struct text pattern;

    if (status.length == 0 || !json_parse(arena, arena_text(arena, status), NULL, &doc, &err)) {
        return TEXT("");
    }
    nodes = doc_child(&doc, "nodes");
    attribute = doc_child(&doc, "attribute");
    rest = doc_is_scalar(nodes) && doc_is_scalar(attribute) ? nodes->text : TEXT("");
    while (ranges_next(&rest, &pattern)) {
        if (ranges_has(pattern, node)) {
            return attribute->text;
        }
    }
    return TEXT("");
}

bool cause_observation_covers(struct text approved, struct text observation)
{
    struct cause_attribute first;
    struct cause_attribute second;
    uint64_t first_ms;
    uint64_t second_ms;

    return cause_observation_parse(approved, &first, &first_ms) &&
           cause_observation_parse(observation, &second, &second_ms) &&
           cause_attribute_compare(&first, &second, NULL) == 0 && second_ms <= first_ms;
}
