#ifndef REEVE_CAUSE_CAUSE_H
#define REEVE_CAUSE_CAUSE_H

#include "base/mem.h"
#include "base/text.h"

/* The common cause of failures in one cluster (N9, decision 0161). Pure: the same nodes give the
 * same answer, in any order. */

/* The attributes that nodes may have in common, in the order in which equal evidence is
 * reported. */
enum cause_kind {
    CAUSE_ZONE,
    CAUSE_RACK,
    CAUSE_IMAGE,
    CAUSE_STAGES,        /* the stages of a group since their last change */
    CAUSE_CONFIGURATION, /* a revision of a configuration */
    CAUSE_BUNDLE,
    CAUSE_ROLE,
    CAUSE_PLUGIN,
    CAUSE_TASK, /* the stage or task that failed first; only failed nodes have it */
    CAUSE_KIND_COUNT,
};

struct cause_attribute {
    enum cause_kind kind;
    struct text value;
};

/* Attributes of one node or of many nodes. No attribute occurs twice. */
struct cause_attributes {
    const struct cause_attribute *items;
    size_t count;
};

struct cause_node {
    struct cause_attributes own;
    /* attributes that the node has because of its group; none of them is also in `own` */
    struct cause_attributes shared;
    uint64_t failed_ms; /* since when the node fails; 0: it does not fail */
};

/* Bounds for a common cause. */
enum {
    CAUSE_LEAST = 3,            /* minimum number of failures */
    CAUSE_SHARE_PERMILLE = 800, /* minimum share of the failed nodes that have the attribute */
    /* factor by which nodes with the attribute fail more often than the others */
    CAUSE_TIMES = 3,
    CAUSE_RATE_PERMILLE = 100, /* minimum share of the nodes with the attribute that fail */
};

/* A common cause: `failed` of the `nodes` that have the attribute, and `others_failed` of the
 * `others` that lack it. */
struct cause {
    struct cause_attribute attribute;
    size_t failed;
    size_t nodes;
    size_t others_failed;
    size_t others;
    uint64_t newest_ms; /* when the newest of the `failed` nodes failed */
};

/* True if the nodes have a common cause. An attribute is one if
 *
 * - at least CAUSE_LEAST nodes fail, and CAUSE_SHARE_PERMILLE of them have it, and
 * - CAUSE_RATE_PERMILLE of the nodes that have it fail, and
 * - these nodes fail CAUSE_TIMES as often as the nodes without it. If all nodes have the
 *   attribute, there is nothing to compare with, so it is not a cause. If none of N other nodes
 *   fails, they count as if one did, because it is unknown whether their rate is below 1/N.
 *
 * Failures that are older than `window_ms` are not evidence, and their nodes are ignored. The
 * exception is `standing`, the attribute of the current hold (NULL: there is none). For it, older
 * failures count too, and it is the cause as long as the conditions above are met. So a hold ends
 * when nodes recover, and not because time passes.
 *
 * If several attributes are causes, the most specific one is reported: the one with the largest
 * share of failed nodes among its nodes; then the one that more failed nodes have; then by kind and
 * value. A task is reported only if no other attribute explains the failures. */
bool cause_find(struct arena *arena, const struct cause_node *nodes, size_t count,
                const struct cause_attribute *standing, uint64_t now_ms, uint64_t window_ms,
                struct cause *out);

bool cause_node_has(const struct cause_node *node, const struct cause_attribute *attribute);

/* True if the list has the attribute. */
bool cause_attributes_have(const struct cause_attributes *list,
                           const struct cause_attribute *attribute);

/* Format an attribute: "zone b". The text lives in the arena. */
struct text cause_attribute_text(struct arena *arena, const struct cause_attribute *attribute);

/* cause_observation_format formats the observation of a cause: its attribute and the time of its
 * newest failure. The text lives in the arena. cause_observation_parse reads it and borrows from
 * the text; it returns false if the text is not an observation. */
struct text cause_observation_format(struct arena *arena, const struct cause *cause);
MUST_CHECK bool cause_observation_parse(struct text text, struct cause_attribute *out,
                                        uint64_t *out_newest_ms);

/* Return the attribute of a hold, if the hold applies to the node; otherwise an empty text.
 * `status` is the JSON of the hold. The text lives in the arena. */
struct text cause_hold_attribute(struct arena *arena, struct text status, struct text node);

/* True if an approval of the observation `approved` also covers `observation`: it has the same
 * attribute, and no later failure. */
bool cause_observation_covers(struct text approved, struct text observation);

#endif
