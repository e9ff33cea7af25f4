#ifndef REEVE_CLI_ACT_EXEC_TEXT_H
#define REEVE_CLI_ACT_EXEC_TEXT_H

#include "base/map.h"
#include "cli/args/command.h"

/* names: exec_ */

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

/* Write those that ran into command->out, most machines first; and those that did not (with their causes) to standard error. */
void exec_fold_write(struct command *command, struct exec_fold *fold);

/* Did it end with 0? */
bool exec_answer_is_well(const struct exec_answer *answer);

/* The same as a document. */
struct doc exec_answer_doc(struct arena *arena, const struct exec_answer *answer);

#endif
