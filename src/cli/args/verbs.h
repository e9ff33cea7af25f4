#ifndef REEVE_CLI_ARGS_VERBS_H
#define REEVE_CLI_ARGS_VERBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/suggest.h"
#include "base/text.h"
#include "base/exits.h"

/* public names start with: verb_ verbs_ flag_ flags_ */

struct command;

/* The rows of verbs.def as tables. */

/* Number of a verb: index of its row in verbs_table. */
enum verb_id {
#define VERB(id, ...) VERB_##id,
#include "cli/args/verbs.def"
#undef VERB
    VERB_COUNT,
    VERB_COMMON = VERB_COUNT, /* pseudo verb that owns the flags common to all verbs */
    VERB_TOP,                 /* pseudo verb that owns the flags of reeve without a verb */
};

/* Number of a flag of a verb, such as FLAG_VALIDATE_FILE: the index of its row in flags_table. */
enum flag_id {
#define FLAG(verb, id, ...) FLAG_##verb##_##id,
#include "cli/args/verbs.def"
#undef FLAG
    FLAG_COUNT,
};

/* The type of the words after a verb; completion uses it. */
enum verb_argument {
    ARGUMENT_NONE,
    ARGUMENT_FILE,
    ARGUMENT_SUBJECT, /* kind, field path or error code */
    ARGUMENT_SHELL,
    ARGUMENT_TOPIC,  /* help topic or verb */
    ARGUMENT_TARGET, /* a kind, then names of objects */
    ARGUMENT_HOLD,
    ARGUMENT_JOB,       /* a subcommand, then the number of a job */
    ARGUMENT_ROLLOUT,   /* a subcommand, then a group */
    ARGUMENT_CONTEXT,   /* use, show or rm, then a context */
    ARGUMENT_PLUGIN,    /* a subcommand, then the file of a plugin */
    ARGUMENT_BOOTSTRAP, /* a subcommand, then a bundle */
    ARGUMENT_CONFIG,    /* a subcommand, then a folder or a configuration */
    ARGUMENT_IMAGE,     /* a subcommand, then a file or an image */
    ARGUMENT_POWER,     /* a subcommand, then machines */
    ARGUMENT_MANAGER,   /* a subcommand, then a manager */
};

/* The type of a flag's value. */
enum flag_sort {
    FLAG_NONE, /* no value: the flag is given or not */
    FLAG_FILE,
    FLAG_WORD,    /* one of `words` */
    FLAG_FORMAT,  /* one of `words`, where a word that ends in '=' needs text after it */
    FLAG_COLUMNS, /* columns of a table */
    FLAG_ORDER,   /* a column; with '-' before it in reverse order */
    FLAG_EXAMPLE, /* name of an example of init */
    FLAG_NUMBER,
    FLAG_CONDITION, /* conditions of wait, separated by commas */
    FLAG_STATE,     /* states of machines, separated by commas */
    FLAG_JOB,       /* a job by its number */
    FLAG_TEXT,      /* any text */
    FLAG_TARGET,    /* an object: KIND/NAME */
    FLAG_CLUSTER,   /* a cluster by its name */
    FLAG_GROUP,     /* a group: CLUSTER/GROUP */
    FLAG_NODE,      /* a node: CLUSTER/NODE */
    FLAG_CONTEXT,   /* name of a context in the user's file */
};

/* A row VERB of verbs.def. */
struct verb {
    enum verb_id id;
    const char *name;
    const char *summary;
    const char *synopsis;
    enum verb_argument argument;
    size_t least; /* number of words after the verb */
    size_t most;
    const char *since;
    const char *text;
    enum exit_code (*run)(struct command *command);
};

/* A row FLAG of verbs.def. */
struct flag {
    enum verb_id owner; /* verb of the flag; or VERB_COMMON, VERB_TOP */
    enum flag_id id;
    const char *name; /* without the dashes */
    char letter;      /* letter of the short form; 0: none */
    enum flag_sort sort;
    const char *value_name;
    const char *words; /* allowed words, separated by '|'; may be empty */
    bool is_repeated;
    const char *help; /* empty: the flag is for scripts of this project and is not shown in help */
};

/* A row EXAMPLE: a command that --help shows and a test runs. */
struct verb_example {
    enum verb_id verb;
    const char *command;
    enum exit_code code;
    const char *text;
};

/* A row VERB_EXIT: the condition under which a verb ends with a code. */
struct verb_exit {
    enum verb_id verb;
    enum exit_code code;
    const char *text;
};

/* A word of another tool, and the corresponding command of reeve. */
struct verb_foreign {
    const char *word;
    const char *verb;
    const char *rest;
};

/* How the arguments of a former spelling are rewritten. */
enum moved_words {
    MOVED_AS_IS,
    MOVED_LABELS, /* KEY=VALUE becomes labels.KEY=VALUE, and KEY- becomes labels.KEY=null */
    /* the first argument becomes the value after `back`, as in `inventory csv -c shop` */
    MOVED_FORM,
};

/* A MOVED row: a former spelling of a reeve command, and its current spelling. */
struct verb_moved {
    const char *verb;
    const char *word;  /* first argument of the former spelling, which is removed; empty: any */
    const char *front; /* the current verb, and the words before the arguments */
    const char *back;  /* the words after the arguments; may be empty */
    enum moved_words words;
};

/* A help topic: its name, and a summary of one line. */
struct verb_named {
    const char *name;
    const char *summary;
};

/* Rows VERB, in order of enum verb_id. */
extern const struct verb verbs_table[];
/* Number of rows VERB. */
extern const size_t verbs_count;

/* Rows FLAG, in order of enum flag_id. */
extern const struct flag flags_table[];
/* Number of rows FLAG. */
extern const size_t flags_count;

/* The rows EXAMPLE of verbs.def. */
extern const struct verb_example verbs_examples[];
/* Number of rows EXAMPLE. */
extern const size_t verbs_example_count;

/* The rows VERB_EXIT of verbs.def. */
extern const struct verb_exit verbs_exits[];
/* Number of rows VERB_EXIT. */
extern const size_t verbs_exit_count;

/* The rows FOREIGN of verbs.def. */
extern const struct verb_foreign verbs_foreign[];
/* Number of rows FOREIGN. */
extern const size_t verbs_foreign_count;

/* The rows MOVED of verbs.def. */
extern const struct verb_moved verbs_moved[];
/* Number of rows MOVED. */
extern const size_t verbs_moved_count;

/* A row SHORT: a verb of the short help, and the heading above it. */
struct verb_short {
    const char *heading;
    enum verb_id verb;
};

/* The rows SHORT of verbs.def. */
extern const struct verb_short verbs_short[];
/* Number of rows SHORT. */
extern const size_t verbs_short_count;

/* The rows TOPIC of verbs.def. */
extern const struct verb_named verbs_topics[];
/* Number of rows TOPIC. */
extern const size_t verbs_topic_count;

/* Return the command to show in hints for reading files with this verb, such as "validate". */
const char *verb_use_with_files(const struct verb *verb);

/* True if the verb has a row HIDDEN: it works, but is not listed in help. */
bool verb_is_hidden(const struct verb *verb);

/* Find a former spelling by its verb and the word after it (may be NULL). NULL: it is not a former
 * spelling. */
const struct verb_moved *verb_moved_find(const char *verb, const char *word);

/* Find a verb by its name. NULL: there is none. */
const struct verb *verb_find(struct text name);

/* verb_foreign_find finds a word of another tool, verb_topic_find a help topic. NULL: not found. */
const struct verb_foreign *verb_foreign_find(struct text word);
const struct verb_named *verb_topic_find(struct text name);

/* True if the flag belongs to this verb, or for VERB_TOP to `reeve` without a verb. */
bool flag_is_of(const struct flag *flag, enum verb_id verb);

/* flag_find finds a flag of a verb by its name, flag_find_letter by its letter. NULL: not found.
 * With the verb VERB_COUNT, flags of all verbs are searched. */
const struct flag *flag_find(enum verb_id verb, struct text name);
const struct flag *flag_find_letter(enum verb_id verb, char letter);

/* Cut the next word, up to '|', from the front of *words. Empty at the end. */
struct text flag_word_next(struct text *words);

/* Add all listed verbs as candidates of a suggestion. */
void verbs_suggest(struct suggest *suggest);

#endif
