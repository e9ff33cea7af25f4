#ifndef REEVE_CLI_MANAGER_NODES_H
#define REEVE_CLI_MANAGER_NODES_H

#include "cli/manager/listing.h"

/* The machines of a cluster, read from their records, for verbs that show machines by group. */
struct nodes {
    /* Resource objects sorted by group, by state (those that need attention first; those with a
     * failed stage before others), then by name. */
    struct doc *items;
    size_t count;
};

/* The machine in an argument, without the kind prefix that `-o name` prints: node/shop/web-0. */
struct text nodes_word_bare(struct text word);

/* Read CLUSTER/NODE, or NODE alone: then *out_cluster is empty, and nodes_memory_find finds it.
 * False: R0005 was added; `use` is the correct form of the command for its hint. */
bool nodes_word_read(struct command *command, const char *word, const char *use,
                     struct text *out_cluster, struct text *out_node);

/* Find the one cluster that has a machine with this bare name (or one in a range), in a list of
 * machines of all clusters. False: R0403 was added: no cluster has it, or several do. */
bool nodes_memory_find(struct command *command, const struct listing *machines, struct text name,
                       struct text *out);

/* Request the machines of all clusters from the manager, and find the name with nodes_memory_find.
 * A cluster that is already set stays. */
bool nodes_memory_ask(struct command *command, const struct session *session, struct text name,
                      struct text *cluster);

/* Get all machines of a cluster. False: an error was added. */
bool nodes_get(struct command *command, const struct session *session, struct text cluster,
               struct nodes *out);

/* Like nodes_get(), for machines that may have this name, id, token or range of names: the manager
 * leaves out most others. */
bool nodes_get_named(struct command *command, const struct session *session, struct text cluster,
                     struct text name, struct nodes *out);

/* The machines of one group; may be none. */
struct nodes nodes_of(const struct nodes *nodes, struct text group);

/* The machine with this name, token or machine id; NULL if there is none. If two have this name
 * because one replaces the other, returns the new one. */
const struct doc *nodes_find(const struct nodes *nodes, struct text name);

/* The displayed state of a machine: "creating", "refused", "leaving", "ready". */
const char *nodes_state(const struct doc *node);

/* True if the machine has not reached the desired generation or stages. */
bool nodes_is_outdated(const struct doc *node);

/* Counts of these machines, in the form of a cluster's status. */
struct doc nodes_counts(struct arena *arena, const struct nodes *nodes);

/* True if a node in this state is in service. */
bool nodes_is_serving(const struct doc *node);

/* Write "ready 3/4, failed 1, outdated 2" from a map of counts by displayed state: how many of
 * `wanted` are ready, then the counts of the machines that are not ready or are outdated. */
void nodes_counts_write(struct buf *out, const struct doc *counts, int64_t wanted);

/* The words that select nodes by state: the displayed states and "outdated"; NULL after the last
 * one. */
const char *nodes_state_word(size_t index);

/* The median duration of a stage on those machines of a group that have run it; -1 if none has. */
int64_t nodes_median_ms(struct command *command, const struct nodes *nodes, struct text group,
                        int64_t stage);

/* The stages that run on the machines of a cluster, one line each: "  9 nodes  stage-1 packages,
 * for 20 s (median 1 min)". Empty if none runs. */
struct text nodes_stages(struct command *command, const struct nodes *nodes);

/* The current step of one machine, with the median duration of its group next to it if that is
 * known. */
struct text nodes_step_beside(struct command *command, const struct nodes *nodes,
                              const struct doc *node);

/* The failure in a step: "stage-0 base: E: no such package (exit 3)". If the stage did not exit by
 * itself, the text has the reason. If the stage printed nothing, the text says so. */
struct text nodes_failure(struct command *command, const struct doc *step);

/* The progress of a machine's keys, facts and stages, with the time since it began: "stage-1 hello,
 * for 12 s". For a failed machine the text is the reason. Empty if nothing is known. */
struct text nodes_step(struct command *command, const struct doc *node);

/* True if the stages of the machine have failed. */
bool nodes_is_failed(const struct doc *node);

/* True if a stage of the machine has failed, even if the node is in service. */
bool nodes_has_failure(const struct doc *node);

/* The wall time of an event ("made", "unhealthy", ...) in milliseconds since 1970; 0 if the status
 * does not have it. The status stores events by the controller's clock; `created` is that clock's
 * value at the wall time `made`. */
int64_t nodes_moment(const struct doc *status, const char *field);

/* The number of consecutive machines from `first` on that have the same state as it. */
size_t nodes_alike(const struct nodes *nodes, size_t first);

#endif
