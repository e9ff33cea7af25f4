#ifndef REEVE_CLI_TERM_SOURCE_H
#define REEVE_CLI_TERM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"

/* One text that this command read: a file, standard input, or an expression of the command line. */
struct source {
    const char *name; /* name as the user wrote it, or "<stdin>", "<-o path>" */
    struct text bytes;
    size_t *line_starts; /* offsets; computed when the first line is requested */
    size_t line_count;
};

/* All texts of one command, numbered from 1: the `source` of a struct place.
 *
 * Lifetime: the caller owns texts and names, which must live as long as the set. The rest is in the
 * arena. */
struct source_set {
    struct arena *arena;
    struct source *items;
    size_t count;
    size_t room;
};

/* Initialize an empty set in memory of the caller. */
void source_set_init(struct source_set *set, struct arena *arena);

/* Return the number that the next text will get, or 0 if the set is full. */
uint16_t source_set_next(const struct source_set *set);

/* Add a text; returns its number. The set must not be full. */
uint16_t source_set_add(struct source_set *set, const char *name, struct text bytes);

/* Return the name of a text. NULL: no text has the number. */
const char *source_name(const struct source_set *set, uint16_t number);

/* Get one line, counted from 1, without its line end. Returns false if there is no such line. */
bool source_line(struct source_set *set, uint16_t number, uint32_t line, struct text *out);

#endif
