#ifndef REEVE_PAGE_TABLE_H
#define REEVE_PAGE_TABLE_H

#include "page/page.h"

/* private to src/page */
/* names: page_table */

/* Inside of page.c: what embed.py writes. */

/* The files, their number, the folder they are served below, and whether they are the page, not
 * only its placeholder. */
extern const struct page_file page_table[];
extern const size_t page_table_count;
extern const char *const page_table_folder;
extern const bool page_table_is_whole;

/* A name, and what belongs to it. */
struct page_pair {
    const char *name;
    const char *value;
};

/* The end of a file's name, and the type of its content. */
extern const struct page_pair page_table_types[];
extern const size_t page_table_type_count;

/* A library as modules import it, and the file of the page that it is. */
extern const struct page_pair page_table_libraries[];
extern const size_t page_table_library_count;

#endif
