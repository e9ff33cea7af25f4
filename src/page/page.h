#ifndef REEVE_PAGE_PAGE_H
#define REEVE_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The web page as it was built in: the files of web/ and the libraries they import, each
 * compressed. */

/* One file. */
struct page_file {
    const char *name; /* app/main.js */
    const char *type; /* of its content */
    const char *etag; /* SHA-256 of its bytes as they are sent, in quotes */
    struct text gzip; /* what is sent, with Content-Encoding: gzip */
    bool is_made;     /* it lies not in web/: a library, or made from another file of reeve */
};

/* Was the page built in? Without npm it is not, and page_start says how to add it. */
bool page_is_there(void);

/* The folder that the page's files are served below: it is another one with every change of any of
 * them, so that they may be kept forever. */
const char *page_folder(void);

/* A file by its name; NULL where there is none. */
const struct page_file *page_find(struct text name);

/* What is served where no file is meant: the page itself. */
const struct page_file *page_start(void);

#endif
