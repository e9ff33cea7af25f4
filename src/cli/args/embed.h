#ifndef REEVE_CLI_ARGS_EMBED_H
#define REEVE_CLI_ARGS_EMBED_H

#include <stddef.h>

#include "base/text.h"

/* Files of the source tree that are part of the binary. embed.py writes them into embedded.c at
 * build time, so that each exists only once. */
struct embed_file {
    const char *name; /* the file's name without folder and extension */
    struct text bytes;
};

/* examples/NAME.yaml: the examples that init offers, in the order of meson.build. */
extern const struct embed_file embed_examples[];
extern const size_t embed_example_count;

/* Help topics: src/cli/args/topics/NAME.txt. */
extern const struct embed_file embed_topics[];
extern const size_t embed_topic_count;

/* Scripts of reeve completion: src/cli/args/completions/SHELL.in. */
extern const struct embed_file embed_completions[];
extern const size_t embed_completion_count;

/* Return a file by its name. NULL: there is none. */
const struct embed_file *embed_find(const struct embed_file *files, size_t count, struct text name);

/* Return the summary of an example: its first line without "# ". */
struct text embed_summary(const struct embed_file *file);

#endif
