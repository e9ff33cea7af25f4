#ifndef REEVE_CLI_ARGS_COMMAND_H
#define REEVE_CLI_ARGS_COMMAND_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/args/args.h"
#include "base/exits.h"
#include "cli/term/source.h"
#include "cli/term/style.h"

/* names: command_ verb_ */

struct plugins_trusted;

/* One run of reeve. Verbs read args, fill out, notes and errors, and return their exit code; the
 * errors decide it where there are any. main writes everything at the end: out to standard output,
 * then notes and errors to standard error.
 *
 * Lifetime: all memory of the run is in the arena. */
struct command {
    struct arena *arena;
    const struct plugins_trusted *trusted; /* plugins that make machines out of this computer */
    const char *program; /* how to call it again: argv[0] where that is a path, else "reeve" */
    struct args args;
    struct source_set sources;
    struct err_list errors;
    struct style out_style;
    struct style error_style;
    struct buf out;      /* data */
    struct buf notes;    /* what is neither data nor an error; dropped by -q */
    bool is_strict;      /* warnings fail */
    bool has_unread;     /* a file could not be read or is not YAML: what refers to it is unknown */
    bool has_store_note; /* why the store takes no changes was said, or is said by the verb */
    bool has_written;    /* command_flush has written data */
    bool has_reported;   /* the verb has put the warnings into `out` itself */
};

/* Fold the notes, which are for people alone. Callers that write them or count their lines call it.
 * */
void command_fold_notes(struct command *command);

/* Write what `out` and `notes` hold now, and empty them: before a question, and while something is
 * watched. */
void command_flush(struct command *command);

/* Make what `out` holds from `from` on, text for people, fit the terminal. Notes are folded when
 * they are written. */
void command_fold(struct command *command, size_t from);

/* Write a line to standard error at once, after the output so far. */
void command_say(struct command *command, struct text line);

/* Write the warnings that there are to standard error at once, behind what was written so far, and
 * forget them. Nothing where there are errors, which are printed with them at the end. */
void command_warn(struct command *command);

/* Does -v ask for more words? */
bool command_is_verbose(const struct command *command);

/* Is this word the value of -o? */
bool command_output_is(const struct command *command, const char *word);

/* Are files named by the flag? False: an error is added that says how. */
bool command_needs_files(struct command *command, enum flag_id flag);

/* Every verb of verbs.def. */
#define VERB(id, function, ...) enum exit_code function(struct command *command);
#include "cli/args/verbs.def"
#undef VERB

#endif
