#ifndef REEVE_PAGE_TABLE_H
#define REEVE_PAGE_TABLE_H

#include "page/page.h"

/* names: page_table */

/* Inside of page.c: what embed.py writes. */

/* The files, their number, the folder they are served below, and whether that is the page and not only what stands
 * in for it. */
extern const struct page_file page_table[];
extern const size_t page_table_count;
extern const char *const page_table_folder;
extern const bool page_table_is_whole;

#endif
