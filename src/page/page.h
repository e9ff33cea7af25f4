#ifndef REEVE_PAGE_PAGE_H
#define REEVE_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The built-in web page: the files of web/ and the libraries that they import, each compressed. */

/* One file of the page. */
struct page_file {
    const char *name; /* such as app/main.js */
    const char *type; /* content type */
    const char *etag; /* SHA-256 of its bytes as they are sent, in quotes */
    struct text gzip; /* the bytes that are sent, with Content-Encoding: gzip */
    /* It is not a file of web/: a library, or generated from another file of reeve. */
    bool is_made;
};

/* Returns whether the page is built in. Without npm it is not, and page_start explains how to add
 * it. */
bool page_is_there(void);

/* Returns the folder under which the page's files are served. Its name changes with every change of
 * a file, so that browsers may cache the files without limit. */
const char *page_folder(void);

/* Returns a file by its name; NULL: there is none. */
const struct page_file *page_find(struct text name);

/* Returns the page itself, which is served for every address that is not a file. */
const struct page_file *page_start(void);

#endif
