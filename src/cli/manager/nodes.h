#ifndef REEVE_CLI_MANAGER_NODES_H
#define REEVE_CLI_MANAGER_NODES_H

#include "cli/manager/listing.h"

/* The machines of a cluster by their records, for verbs that show them with their groups. */
struct nodes {
    /* Resource objects in order of group, then state (what needs a look first; with a stage that
     * failed before without), then name. */
    struct doc *items;
    size_t count;
};

/* A machine without the kind that may be in front of it: node/shop/web-0, as `-o name` prints
 * it. */
struct text nodes_word_bare(struct text word);

/* CLUSTER/NODE, as people write it, or NODE alone: then the cluster is empty, for nodes_memory_find
 * to find. False: R0005 was added; `use` is the command as it would be right. */
bool nodes_word_read(struct command *command, const char *word, const char *use,
                     struct text *out_cluster, struct text *out_node);

/* The one cluster among whose machines (of all clusters) a bare name, or one of a range, is found.
 * False: R0403 was added: there is none, or several have it. */
bool nodes_memory_find(struct command *command, const struct listing *machines, struct text name,
                       struct text *out);

/* The same where the manager has not been asked for machines yet. A cluster that is known already
 * stays. */
bool nodes_memory_ask(struct command *command, const struct session *session, struct text name,
                      struct text *cluster);

/* All of a cluster. False: an error was added. */
bool nodes_get(struct command *command, const struct session *session, struct text cluster,
               struct nodes *out);

/* Those of one group; may be none. */
struct nodes nodes_of(const struct nodes *nodes, struct text group);

/* The one with this name, token or machine's id; NULL where there is none. If two have this name
 * because one replaces the other, the one that stays. */
const struct doc *nodes_find(const struct nodes *nodes, struct text name);

/* Its displayed state: "creating", "refused", "leaving", "ready". */
const char *nodes_state(const struct doc *node);

/* Has it not reached the desired generation or stages? */
bool nodes_is_outdated(const struct doc *node);

/* Counts of these, as the status of a cluster has them. */
struct doc nodes_counts(struct arena *arena, const struct nodes *nodes);

/* "ready 3/4, failed 1, outdated 2": how many of so many are ready, and the counts of those that
 * are not or are outdated, from a map of counts by displayed state. */
void nodes_counts_write(struct buf *out, const struct doc *counts, int64_t wanted);

/* The words by which nodes are selected, which are their states and the mark "outdated"; NULL after
 * the last one. */
const char *nodes_state_word(size_t index);

/* The median duration of a stage on the machines of a group that have run it; -1: none has. */
int64_t nodes_median_ms(struct command *command, const struct nodes *nodes, struct text group,
                        int64_t stage);

/* What runs on them, of a cluster: "  9 nodes  stage-1 packages, for 20 s (median 1 min)", a line
 * of each; nothing where nothing does. */
struct text nodes_stages(struct command *command, const struct nodes *nodes);

/* The step of one machine, which may be beside the median of its kind. */
struct text nodes_step_beside(struct command *command, const struct nodes *nodes,
                              const struct doc *node);

/* A failure as its step has it: "stage-0 base: E: no such package (exit 3)"; where it did not end
 * by itself, how it did; and of one without a word that it wrote nothing. */
struct text nodes_failure(struct command *command, const struct doc *step);

/* How far its keys, facts and stages are, in words, and since when: "stage-1 hello, for 12 s"; of
 * one that has failed why. Empty where nothing is known of it. */
struct text nodes_step(struct command *command, const struct doc *node);

/* Have its stages failed? */
bool nodes_is_failed(const struct doc *node);

/* Has one of them failed, whether the node serves all the same or not? */
bool nodes_has_failure(const struct doc *node);

/* When something of it began that is in its status as a time of the controller's clock ("made",
 * "unhealthy", ...), in milliseconds since 1970; 0: it is not there. That clock stood at `created`
 * when it was `made` by everybody's. */
int64_t nodes_moment(const struct doc *status, const char *field);

/* How many from `first` on are in the state of that one. */
size_t nodes_alike(const struct nodes *nodes, size_t first);

#endif
