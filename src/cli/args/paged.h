#ifndef REEVE_CLI_ARGS_PAGED_H
#define REEVE_CLI_ARGS_PAGED_H

#include "cli/args/command.h"
#include "cli/term/output.h"

/* A list that is written page by page, so that a command needs the memory of one page, however long
 * the list is. Between paged_begin and paged_end command->arena is that of the page: what is made
 * there lives until paged_next. */
struct paged {
    struct command *command;
    struct output *output;
    struct arena *memory;
    struct arena *page;
    struct arena_mark mark;
    /* Rows that were written so far. */
    size_t row_count;
};

void paged_begin(struct paged *paged, struct command *command, struct output *output);

/* Write a page, which may be empty. A list of JSON is closed, and of an empty list the header is
 * written, with the last one. */
void paged_write(struct paged *paged, const struct output_data *data, bool is_last);

/* Forget the page. */
void paged_next(struct paged *paged);

void paged_end(struct paged *paged);

#endif
