#ifndef REEVE_CLI_ARGS_PAGED_H
#define REEVE_CLI_ARGS_PAGED_H

#include "cli/args/command.h"
#include "cli/term/output.h"

/* A list that is written page by page, so that a command needs the memory of one page for a list of
 * any length. Between paged_begin and paged_end, command->arena is the arena of the page: objects
 * in it are valid until paged_next. */
struct paged {
    struct command *command;
    struct output *output;
    struct arena *memory;
    struct arena *page;
    struct arena_mark mark;
    /* Number of rows written so far. */
    size_t row_count;
};

void paged_begin(struct paged *paged, struct command *command, struct output *output);

/* Write a page, which may be empty. The last page closes a JSON list, and writes the header of a
 * list without rows. */
void paged_write(struct paged *paged, const struct output_data *data, bool is_last);

/* paged_next frees the current page, so that the next one can be read. paged_end frees
 * everything. */
void paged_next(struct paged *paged);

void paged_end(struct paged *paged);

#endif
