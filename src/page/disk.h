#ifndef REEVE_PAGE_DISK_H
#define REEVE_PAGE_DISK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "page/page.h"

/* public names start with: page_disk_ */

/* The page from a folder on the disk, for its developers (reeved --ui-dir). Its files are read
 * again for each request. Its libraries and generated files still come from the program. Reading
 * blocks the process, so it is not for production. */
struct page_disk;

/* One file of the page, in the form in which it is sent. */
struct page_disk_file {
    const char *type;  /* content type */
    struct text bytes; /* content; in the arena, or static */
    bool is_gzip;      /* the bytes are compressed with gzip, because the file comes from the
                        * program */
};

/* Opens the folder that the operator has given (web/ of the source tree). The result lives in the
 * arena; page_disk_close closes the folder. R0792: the folder does not contain the web page; R0793:
 * this program was built without the libraries that the page needs. */
MUST_CHECK bool page_disk_open(struct arena *arena, const char *path, struct page_disk **out,
                               struct err *err);

/* Closes the folder. NULL is allowed. */
void page_disk_close(struct page_disk *disk);

/* Returns the name of the folder in the addresses of the page's files, like page_folder for the
 * built-in files. It changes with every change of a file. So a new page never uses an old worker,
 * which other tabs may keep alive. */
struct text page_disk_folder(const struct page_disk *disk, struct arena *arena);

/* Returns whether a name has the form of such a folder name, whether current or old. */
bool page_disk_is_folder(struct text name);

/* Reads a file of the page by its name, in the form in which embed.py would embed it. R0423: the
 * page has no such file, or it cannot be read. Links are not followed, and nothing outside the
 * folder is ever read. */
MUST_CHECK bool page_disk_read(const struct page_disk *disk, struct arena *arena, struct text name,
                               struct page_disk_file *out, struct err *err);

/* Returns the page itself: index.html with the current folder name in its addresses. */
MUST_CHECK bool page_disk_start(const struct page_disk *disk, struct arena *arena,
                                struct page_disk_file *out, struct err *err);

#endif
