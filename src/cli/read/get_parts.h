#ifndef REEVE_CLI_READ_GET_PARTS_H
#define REEVE_CLI_READ_GET_PARTS_H

#include "cli/args/command.h"
#include "cli/args/paged.h"
#include "cli/args/target.h"
#include "cli/manager/listing.h"
#include "cli/manager/session.h"

/* private to src/cli/read src/cli */
/* public names start with: get_ */

/* Internals of reeve get (verb_get.c): the additional output for each kind of object. */

/* Check that --bare can be combined with these objects and flags. False: an error was added. */
bool get_bare_check(struct command *command, const struct targets *targets);

/* Print the file of each object, without its id; applying the file changes nothing. Without names,
 * prints all objects of the kind. */
enum exit_code get_bare(struct command *command, const struct session *session,
                        struct targets *targets);

/* True if the kind after `get` is bundles. */
bool get_is_bundles(struct command *command);

/* Implements reeve get bundles: lists the bundles that groups use, the groups that use them, and
 * whether the manager has them. */
enum exit_code get_bundles(struct command *command);

/* get_is_configs returns true if the kind after `get` is configurations; get_configs lists them. */
bool get_is_configs(struct command *command);
enum exit_code get_configs(struct command *command);

/* get_is_images returns true if the kind after `get` is images; get_images lists their versions. */
bool get_is_images(struct command *command);
enum exit_code get_images(struct command *command);

/* get_is_managers returns true if the kind after `get` is managers, which are not objects of files;
 * get_managers lists them. */
bool get_is_managers(struct command *command);
enum exit_code get_managers(struct command *command);

/* Implements reeve manager status. */
enum exit_code get_managers_status(struct command *command);

/* Data about nodes that reeve get nodegroups and reeve get holds show in addition to the
 * objects. */

/* Get for each group the counts of its nodes by displayed state, in the format of nodes_counts.
 * False: an error was added. */
bool get_counts(struct command *command, const struct session *session,
                const struct listing *groups, struct doc **out);

/* Get for each hold the nodes that need attention: {cause, names, next, nodes}. `nodes` has one
 * item per node with name, state, cause, since, next and nextAt; the other members are texts for a
 * table. False: an error was added. */
bool get_hold_nodes(struct command *command, const struct session *session,
                    const struct listing *holds, struct doc **out);

/* True if the command requests machines in the format of another tool, by -o or by a flag of that
 * format. */
bool get_forms_is(const struct command *command);

/* Print the machines in a format that the manager writes: for Ansible, OpenSSH, /etc/hosts,
 * Prometheus or Terraform. */
enum exit_code get_forms(struct command *command);

/* Get the effective values of each group, including those from its cluster: {image, labels,
 * machineSize, plugin, size, zones}. The manager is queried only about clusters that set values for
 * their groups. False: an error was added. */
bool get_groups_effective(struct command *command, const struct session *session,
                          const struct listing *groups, struct doc **out);

/* Make these values only from the groups' own specifications, for past revisions, because the
 * manager has no effective values of the past. */
struct doc *get_groups_own(struct command *command, const struct listing *groups);

/* Selects records that the controller writes, by name: `get job 475`, `get resource shop/web-0`,
 * `get holds shop`. All records are listed, then the requested records are selected from the
 * list. */

/* True for a kind whose records can be selected in this way. Plans and nodes have separate
 * rules. */
bool get_kept_is(const struct schema_kind *kind);

/* Names after the kind, or arguments that begin with the kind, such as job/475. */
struct get_kept {
    const struct schema_kind *kind;
    const char *const *words; /* KIND/NAME, or NAME */
    size_t count;
};

/* Keep only the requested records in the list. The name of a cluster or a group selects all of its
 * records. False: one of the names matches nothing; an error was added. */
bool get_kept_choose(struct command *command, const struct session *session,
                     const struct get_kept *kept, struct listing *listing);

/* Get the machines that the words and flags of reeve get nodes select (selected.h). Without words
 * and flags, gets all machines that the user may see. False: an error was added. */
bool get_nodes_list(struct command *command, const struct session *session, struct listing *out);

/* Called for each page of machines, which is valid until the function returns. `items` is NULL for
 * an empty page. */
typedef void get_nodes_page(void *arg, const struct doc *items);

/* Get these machines page by page, in the arena of `paged`. */
bool get_nodes_pages(struct paged *paged, const struct session *session, get_nodes_page *page,
                     void *arg);

/* Return the arguments after the kind. The kind may also be part of the first argument:
 * node/shop/web-0. */
const char *const *get_nodes_words(struct command *command, size_t *out_count);

/* Read the arguments after reeve get as plans: all plans (then there are no targets), or some plans
 * by their ids. Always returns true. */
bool get_plans_named(struct command *command, const struct schema_kind *kind, struct targets *out);

/* Get saved plans, the newest first, as objects with kind and metadata. False: an error was
 * added. */
bool get_plans_list(struct command *command, const struct session *session,
                    const struct targets *targets, struct listing *out);

/* Add the columns of a plan for users: .made, .until, .what. */
void get_plans_row(struct command *command, const struct doc *plan, struct doc_builder *row);

/* True if the arguments after reeve get select plugins, which are not objects with documents. */
bool get_is_plugins(struct command *command);

/* Read the flags -o and --cols of reeve get. False: errors were added. */
MUST_CHECK bool get_output_parse(struct command *command, const struct output_view *view,
                                 struct output *out);

/* Implements reeve get plugins, reeve get plugin NAME... and reeve get plugin/NAME. */
enum exit_code get_plugins(struct command *command);

/* Add the columns of a volume: .size, .since, .until. */
void get_volume_row(struct command *command, const struct doc *volume, struct doc_builder *row);

#endif
