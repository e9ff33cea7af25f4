#ifndef REEVE_CLI_READ_GET_NODES_H
#define REEVE_CLI_READ_GET_NODES_H

#include "cli/manager/listing.h"
#include "cli/args/paged.h"

/* names: get_ */

/* The machines that words and flags of reeve get nodes mean (selected.h); without any all that the caller may see. False: an
 * error was added. */
bool get_nodes_list(struct command *command, const struct session *session, struct listing *out);

/* A page of them; it lives until the function returns. `items` may be NULL: none. */
typedef void get_nodes_page(void *arg, const struct doc *items);

/* The same, page by page in the arena of `paged`. */
bool get_nodes_pages(struct paged *paged, const struct session *session, get_nodes_page *page,
                     void *arg);

/* The words after the kind, which may be before the first of them as well: node/shop/web-0. */
const char *const *get_nodes_words(struct command *command, size_t *out_count);

#endif
