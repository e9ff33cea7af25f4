#ifndef REEVE_CLI_ARGS_ARGS_H
#define REEVE_CLI_ARGS_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "cli/args/verbs.h"

/* One flag of the command line. */
struct args_flag {
    enum flag_id id;
    const char *value; /* NULL: the flag takes no value */
};

/* A parsed command line, by the rows of verbs.def. Strings are those of argv. */
struct args {
    const struct verb *verb; /* NULL: no verb was given */
    const char **words;      /* the arguments after the verb */
    size_t argument_count;
    /* number of arguments before `--`; equal to argument_count if there is no `--` */
    size_t words_before;
    bool has_end;            /* `--` was written */
    struct args_flag *flags; /* in the order given */
    size_t flag_count;
};

/* Parse a command line (without argv[0]). Every mistake goes into `errors`, with a suggestion if
 * the intended word is clear. *out then has the valid parts, so that --help and -o still take
 * effect. */
void args_parse(struct arena *arena, size_t count, char *const *strings, struct args *out,
                struct err_list *errors);

/* True if the flag was given. */
bool args_has(const struct args *args, enum flag_id id);

/* Return the value of a flag, or the last value if it was repeated. NULL: it was not given. */
const char *args_value(const struct args *args, enum flag_id id);

/* Return the n-th value (from 0) of a repeated flag. NULL: there are fewer values. */
const char *args_value_at(const struct args *args, enum flag_id id, size_t index);

/* args_named returns the value of the flag with this name, regardless of the verb, because many
 * verbs share a flag. args_named_at returns the value at an index of a repeated flag. */
const char *args_named(const struct args *args, const char *name);
const char *args_named_at(const struct args *args, const char *name, size_t index);

/* Return the value of -o for any verb. NULL: it was not given. */
const char *args_output(const struct args *args);

#endif
