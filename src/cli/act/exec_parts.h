#ifndef REEVE_CLI_ACT_EXEC_PARTS_H
#define REEVE_CLI_ACT_EXEC_PARTS_H

#include "base/map.h"
#include "cli/args/command.h"
#include "cli/manager/batching.h"
#include "codec/doc.h"

/* private to src/cli/act */
/* public names start with: exec_ */

/* The parts of reeve exec (verb_exec.c): the request, the dry run, and the output of machines. */

/* The command to run and its batches, as given on the command line. */
struct exec_request {
    struct text order; /* the command */
    struct batching batching;
};

/* Read the request from the command line. False: an error was added, also for flags that do not
 * apply to exec. */
bool exec_request_read(struct command *command, struct exec_request *out);

/* Write the body of the request for one cluster of a manager. False: an error was added. */
bool exec_request_body(struct command *command, const struct exec_request *request,
                       const struct selected *selected, const struct selected_place *place,
                       struct text *out);

/* reeve exec --dry-run: the machines of each batch. Batches are numbered across clusters, because
 * clusters are processed one after the other. */
struct exec_dry {
    struct command *command;
    struct arena *arena;
    struct doc *batches;
    size_t count;
    size_t room;
    bool has_clusters; /* the machines belong to several clusters, so names are shown in full */
};

/* Initialize a dry run. Added rows are allocated in `arena`. */
void exec_dry_init(struct exec_dry *dry, struct command *command, struct arena *arena,
                   bool has_clusters);

/* Add a row `batch` of the answer. */
void exec_dry_add(struct exec_dry *dry, const struct doc *batch);

/* Write all rows into command->out, in the format of -o. In text output, a last line says that
 * nothing was run. */
enum exit_code exec_dry_write(struct exec_dry *dry);

/* Prints the output of a command on many machines: equal outputs appear once, with the names of the
 * machines. */

/* The result on one machine. */
struct exec_answer {
    struct text node; /* name as CLUSTER/NODE */
    struct text out;  /* the received part of the output; it may contain any bytes */
    struct text error;
    struct text fault; /* empty: the command ran */
    struct text why;
    struct text signal;
    int64_t code;
    int64_t dropped; /* number of output bytes dropped beyond the limit */
    int64_t took_ms;
    bool can_have_run;
};

/* Groups results that differ only in the machine and the duration. */
struct exec_fold;

/* exec_fold_add adds a result and copies the parts that it needs. */
struct exec_fold *exec_fold_new(struct arena *arena);
void exec_fold_add(struct exec_fold *fold, const struct exec_answer *answer);

/* Write the results of machines on which the command ran into command->out, the largest group
 * first. Write the other machines, with their causes, to standard error. */
void exec_fold_write(struct command *command, struct exec_fold *fold);

/* True if the command exited with 0. */
bool exec_answer_is_well(const struct exec_answer *answer);

/* Return the result as a document. */
struct doc exec_answer_doc(struct arena *arena, const struct exec_answer *answer);

#endif
