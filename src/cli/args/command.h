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

/* public names start with: command_ verb_ */

struct plugins_trusted;

/* One run of reeve. Verbs read `args`, fill `out`, `notes` and `errors`, and return their exit
 * code. If there are errors, the errors determine the exit code instead. main writes everything at
 * the end: out to standard output, then notes and errors to standard error.
 *
 * Lifetime: all memory of the run is in the arena. */
struct command {
    struct arena *arena;
    const struct plugins_trusted *trusted; /* plugins that create machines on this computer */
    const char *program; /* how to run this program again: argv[0] if it is a path, else "reeve" */
    struct args args;
    struct source_set sources;
    struct err_list errors;
    struct style out_style;
    struct style error_style;
    struct buf out;   /* data for standard output */
    struct buf notes; /* output that is neither data nor an error; dropped by -q */
    bool is_strict;   /* warnings fail the command */
    /* a file could not be read or is not YAML: references into it cannot be checked */
    bool has_unread;
    /* the reason why the store accepts no changes was already reported, or the verb reports it
     * itself */
    bool has_store_note;
    bool has_stale_note; /* the age of the answers has been reported */
    bool has_written;    /* command_flush has written data */
    bool has_reported;   /* the verb has already written the warnings into `out` */
};

/* Fold the notes to the terminal; they are for users only. Callers that write the notes or count
 * their lines call it. */
void command_fold_notes(struct command *command);

/* Write the present contents of `out` and `notes`, and empty both: before a question, and during a
 * watch. */
void command_flush(struct command *command);

/* Wrap the text in `out`, starting at offset `from`, to the width of the terminal. Notes are
 * wrapped when they are written. */
void command_fold(struct command *command, size_t from);

/* Write a line to standard error immediately, after the output so far. */
void command_say(struct command *command, struct text line);

/* Write the warnings to standard error immediately, after the output so far, and remove them. Does
 * nothing if there are errors: main prints both at the end. */
void command_warn(struct command *command);

/* True if -v is given. */
bool command_is_verbose(const struct command *command);

/* True if this text is the value of -o. */
bool command_output_is(const struct command *command, const char *word);

/* Check that the flag names at least one file. False: an error was added whose hint shows how. */
bool command_needs_files(struct command *command, enum flag_id flag);

/* Every verb of verbs.def. */
#define VERB(id, function, ...) enum exit_code function(struct command *command);
#include "cli/args/verbs.def"
#undef VERB

#endif
