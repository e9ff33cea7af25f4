#ifndef REEVE_CLI_ACT_EXEC_PARTS_H
#define REEVE_CLI_ACT_EXEC_PARTS_H

#include "base/map.h"
#include "cli/args/command.h"
#include "cli/manager/batching.h"
#include "codec/doc.h"

/* private to src/cli/act */
/* names: exec_ */

/* The parts of reeve exec (verb_exec.c): the request, the dry run, and the output of machines. */

/* What is to be run, and in which batches, as the command line has it. */
struct exec_request {
    struct text order; /* the command */
    struct batching batching;
};

/* Read it. False: an error was added, of words that mean nothing for a command as well. */
bool exec_request_read(struct command *command, struct exec_request *out);

/* The body of the request about one place. False: an error was added. */
bool exec_request_body(struct command *command, const struct exec_request *request,
                       const struct selected *selected, const struct selected_place *place,
                       struct text *out);

/* reeve exec --dry-run: who, in which batches. Batches are counted through, for clusters follow
 * each other. */
struct exec_dry {
    struct command *command;
    struct arena *arena;
    struct doc *batches;
    size_t count;
    size_t room;
    bool has_clusters; /* of several: names are shown in full */
};

/* What is added is kept in the arena. */
void exec_dry_init(struct exec_dry *dry, struct command *command, struct arena *arena,
                   bool has_clusters);

/* A row `batch` of the answer. */
void exec_dry_add(struct exec_dry *dry, const struct doc *batch);

/* Write all of them into command->out, in the format of -o; for people a last line says that
 * nothing was run. */
enum exit_code exec_dry_write(struct exec_dry *dry);

/* Prints the output of a command on many machines: equal outputs appear once, with the names of the
 * machines. */

/* How it went on one machine. */
struct exec_answer {
    struct text node; /* CLUSTER/NODE */
    struct text out;  /* what was received of it; any bytes */
    struct text error;
    struct text fault; /* empty: it ran */
    struct text why;
    struct text signal;
    int64_t code;
    int64_t dropped; /* bytes beyond the limit */
    int64_t took_ms;
    bool can_have_run;
};

/* Answers that are the same but for the machine and its time. */
struct exec_fold;

/* Keep an answer: what is needed of it is copied. */
struct exec_fold *exec_fold_new(struct arena *arena);
void exec_fold_add(struct exec_fold *fold, const struct exec_answer *answer);

/* Write those that ran into command->out, most machines first; and those that did not (with their
 * causes) to standard error. */
void exec_fold_write(struct command *command, struct exec_fold *fold);

/* Did it end with 0? */
bool exec_answer_is_well(const struct exec_answer *answer);

/* The same as a document. */
struct doc exec_answer_doc(struct arena *arena, const struct exec_answer *answer);

#endif
