#ifndef REEVE_PAGE_TABLE_H
#define REEVE_PAGE_TABLE_H

#include "page/page.h"

/* private to src/page */
/* public names start with: page_table */

/* Tables for page.c, which embed.py generates. */

/* The files of the page, their number, and the folder in their addresses. page_table_is_whole: the
 * tables contain the page, and not only its placeholder. */
extern const struct page_file page_table[];
extern const size_t page_table_count;
extern const char *const page_table_folder;
extern const bool page_table_is_whole;

/* A name and its value. */
struct page_pair {
    const char *name;
    const char *value;
};

/* Pairs of a file name extension and a media type. */
extern const struct page_pair page_table_types[];
extern const size_t page_table_type_count;

/* Pairs of a library's name in imports and its file in the page. */
extern const struct page_pair page_table_libraries[];
extern const size_t page_table_library_count;

#endif
