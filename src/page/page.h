#ifndef REEVE_PAGE_PAGE_H
#define REEVE_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The built-in web page: the files of web/ and the libraries that they import. Each file is
 * compressed. */

/* One file of the page. */
struct page_file {
    const char *name; /* such as app/main.js */
    const char *type; /* content type */
    const char *etag; /* SHA-256, in quotes, of the compressed bytes */
    struct text gzip; /* the bytes to send, with Content-Encoding: gzip */
    /* the file is not in web/: it is a library, or was generated from another file of reeve */
    bool is_made;
};

/* Returns whether the page is built in. If npm was missing at build time, it is not, and page_start
 * returns a page that explains how to add it. */
bool page_is_there(void);

/* Returns the folder in the addresses of the page's files. Its name changes with every change of a
 * file, so that browsers may cache the files for any time. */
const char *page_folder(void);

/* Returns a file by its name; NULL if there is none. */
const struct page_file *page_find(struct text name);

/* Returns the page itself, which is the answer for every address that is not a file. */
const struct page_file *page_start(void);

#endif
