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

/* Return the machine of an argument without the kind prefix that `-o name` prints, as in
 * node/shop/web-0. */
struct text nodes_word_bare(struct text word);

/* Read CLUSTER/NODE, or NODE alone. For NODE alone, *out_cluster is empty, and nodes_memory_find
 * finds the cluster. False: R0005 was added, whose hint is `use`, the correct form of the
 * command. */
bool nodes_word_read(struct command *command, const char *word, const char *use,
                     struct text *out_cluster, struct text *out_node);

/* Find the only cluster that has a machine with this name, or a machine in this range of names, in
 * a list of machines of all clusters. False: R0403 was added, because no cluster or several
 * clusters have such a machine. */
bool nodes_memory_find(struct command *command, const struct listing *machines, struct text name,
                       struct text *out);

/* Request the machines of all clusters from the manager, and find the cluster with
 * nodes_memory_find. If the cluster is already set, does nothing. */
bool nodes_memory_ask(struct command *command, const struct session *session, struct text name,
                      struct text *cluster);

/* Get all machines of a cluster. False: an error was added. */
bool nodes_get(struct command *command, const struct session *session, struct text cluster,
               struct nodes *out);

/* Same as nodes_get(), for machines with this name, id, token or range of names. The list may have
 * a few other machines, because the manager leaves out most of the others, but not all. */
bool nodes_get_named(struct command *command, const struct session *session, struct text cluster,
                     struct text name, struct nodes *out);

/* Return the machines of one group; there may be none. */
struct nodes nodes_of(const struct nodes *nodes, struct text group);

/* Return the machine with this name, token or machine id. If two machines have this name because
 * one replaces the other, returns the new machine. NULL: there is none. */
const struct doc *nodes_find(const struct nodes *nodes, struct text name);

/* Return the displayed state of a machine: "creating", "refused", "leaving", "ready". */
const char *nodes_state(const struct doc *node);

/* True if the machine has not reached the desired generation or stages. */
bool nodes_is_outdated(const struct doc *node);

/* Return the counts of these machines, in the format of a cluster's status. */
struct doc nodes_counts(struct arena *arena, const struct nodes *nodes);

/* True if a node in this state is in service. */
bool nodes_is_serving(const struct doc *node);

/* Write "ready 3/4, failed 1, outdated 2" from a map of counts by displayed state: the number of
 * ready machines of `wanted` machines, then the counts of machines that are not ready or are
 * outdated. */
void nodes_counts_write(struct buf *out, const struct doc *counts, int64_t wanted);

/* Return a word that selects nodes by state: the displayed states and "outdated". NULL: `index` is
 * past the last word. */
const char *nodes_state_word(size_t index);

/* Return the median duration of a stage, in ms, on the machines of a group that have run it. -1: no
 * machine has run it. */
int64_t nodes_median_ms(struct command *command, const struct nodes *nodes, struct text group,
                        int64_t stage);

/* Format the stages that run on the machines of a cluster, one line each: "  9 nodes  stage-1
 * packages, for 20 s (median 1 min)". Empty: no stage runs. */
struct text nodes_stages(struct command *command, const struct nodes *nodes);

/* Format the current step of one machine, followed by the median duration in its group if that is
 * known. */
struct text nodes_step_beside(struct command *command, const struct nodes *nodes,
                              const struct doc *node);

/* Format the failure of a step: "stage-0 base: E: no such package (exit 3)". If the stage was
 * ended, for example by a timeout, the text has the reason. If the stage printed nothing, the text
 * says so. */
struct text nodes_failure(struct command *command, const struct doc *step);

/* Format the progress of a machine's keys, facts and stages, with the time since the step began:
 * "stage-1 hello, for 12 s". For a failed machine, the text is the reason. Empty: nothing is
 * known. */
struct text nodes_step(struct command *command, const struct doc *node);

/* True if the stages of the machine have failed. */
bool nodes_is_failed(const struct doc *node);

/* True if a stage of the machine has failed, even if the node is in service. */
bool nodes_has_failure(const struct doc *node);

/* Return the wall time of an event ("made", "unhealthy", ...) in milliseconds since 1970. 0: the
 * status does not have it. The status stores times of the controller's clock; `created` is the
 * value of that clock at the wall time `made`. */
int64_t nodes_moment(const struct doc *status, const char *field);

/* Return the number of consecutive machines from index `first` on that have the same state as the
 * first. */
size_t nodes_alike(const struct nodes *nodes, size_t first);

#endif
