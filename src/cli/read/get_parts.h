#ifndef REEVE_CLI_READ_GET_PARTS_H
#define REEVE_CLI_READ_GET_PARTS_H

#include "cli/args/command.h"
#include "cli/args/paged.h"
#include "cli/args/target.h"
#include "cli/manager/listing.h"
#include "cli/manager/session.h"

/* private to src/cli/read src/cli */
/* names: get_ */

/* The parts of reeve get (verb_get.c): what each kind of object shows beside the list itself. */

/* May --bare stand with these objects and flags? False: an error was added. */
bool get_bare_check(struct command *command, const struct targets *targets);

/* Print the file of each object, without its id: applying it changes nothing. No names: all of the
 * kind. */
enum exit_code get_bare(struct command *command, const struct session *session,
                        struct targets *targets);

/* Is the kind behind get that of bundles? */
bool get_is_bundles(struct command *command);

/* reeve get bundles: those that groups name, by whom, and whether the manager keeps them. */
enum exit_code get_bundles(struct command *command);

/* What reeve get nodegroups and reeve get holds show of nodes, beside the objects themselves. */

/* Of each group the counts of its nodes by displayed state, as nodes_counts has them. False: an
 * error was added. */
bool get_counts(struct command *command, const struct session *session,
                const struct listing *groups, struct doc **out);

/* Of each hold the nodes that need a look: {cause, names, next, nodes}. `nodes` has each of them
 * with name, state, cause, since, next and nextAt; the texts are for a table. False: an error was
 * added. */
bool get_hold_nodes(struct command *command, const struct session *session,
                    const struct listing *holds, struct doc **out);

/* Does the command ask for machines in the form of another tool, by -o or by a flag of such a
 * form? */
bool get_forms_is(const struct command *command);

/* Print them as the manager writes them: for Ansible, OpenSSH, /etc/hosts, Prometheus,
 * Terraform. */
enum exit_code get_forms(struct command *command);

/* What is in force of each group, with what comes from its cluster: {image, labels, machineSize,
 * plugin, size, zones}. Only clusters that give their groups something are asked for it. False: an
 * error was added. */
bool get_groups_effective(struct command *command, const struct session *session,
                          const struct listing *groups, struct doc **out);

/* The same of what the groups themselves say: of those that were, for which nobody can be asked. */
struct doc *get_groups_own(struct command *command, const struct listing *groups);

/* Records that the controller keeps, by name: `get job 475`, `get resource shop/web-0`, `get holds
 * shop`. They are listed, and those that are named are taken from the list. */

/* Is it such a kind, whose records can be named? Plans and nodes are named in their own ways. */
bool get_kept_is(const struct schema_kind *kind);

/* Names after the kind, or one that begins with it: job/475. */
struct get_kept {
    const struct schema_kind *kind;
    const char *const *words; /* KIND/NAME, or NAME */
    size_t count;
};

/* Leave those in the list that are named. A cluster names all of its records, a group those of the
 * group. False: one of the names fits nothing, an error was added. */
bool get_kept_choose(struct command *command, const struct session *session,
                     const struct get_kept *kept, struct listing *listing);

/* The machines that words and flags of reeve get nodes mean (selected.h); without any all that the
 * caller may see. False: an error was added. */
bool get_nodes_list(struct command *command, const struct session *session, struct listing *out);

/* A page of them; it lives until the function returns. `items` may be NULL: none. */
typedef void get_nodes_page(void *arg, const struct doc *items);

/* The same, page by page in the arena of `paged`. */
bool get_nodes_pages(struct paged *paged, const struct session *session, get_nodes_page *page,
                     void *arg);

/* The words after the kind, which may be before the first of them as well: node/shop/web-0. */
const char *const *get_nodes_words(struct command *command, size_t *out_count);

/* The words behind reeve get as plans: all of them (targets of none), or some by their ids. Always
 * true. */
bool get_plans_named(struct command *command, const struct schema_kind *kind, struct targets *out);

/* Saved plans, the newest first, as objects: what the manager says of each, with kind and metadata.
 * False: an error was added. */
bool get_plans_list(struct command *command, const struct session *session,
                    const struct targets *targets, struct listing *out);

/* What people read of one: .made, .until, .what. */
void get_plans_row(struct command *command, const struct doc *plan, struct doc_builder *row);

/* Do the words behind reeve get mean plugins? They have no documents: what there is of them is said
 * by themselves. */
bool get_is_plugins(struct command *command);

/* reeve get plugins, reeve get plugin NAME..., reeve get plugin/NAME. */
enum exit_code get_plugins(struct command *command);

#endif
