#ifndef REEVE_PAGE_DISK_H
#define REEVE_PAGE_DISK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "page/page.h"

/* names: page_disk_ */

/* The page as its files lie in a folder, for who changes it (reeved --ui-dir): read again for each
 * request. Its libraries and what is made of other files still come from the program. Reading waits
 * for the disk: never in earnest. */
struct page_disk;

/* One file as it is sent. */
struct page_disk_file {
    const char *type;  /* of its content */
    struct text bytes; /* in the arena, or as long as the program runs */
    bool is_gzip;      /* they are compressed: it comes from the program */
};

/* Take a folder that the operator names, web/ of the source tree; page_disk_close gives it back.
 * The page_disk lives in the arena. R0792: it is not a folder of the page; R0793: this program has
 * no libraries for it. */
MUST_CHECK bool page_disk_open(struct arena *arena, const char *path, struct page_disk **out,
                               struct err *err);

/* Give the folder back. NULL is allowed. */
void page_disk_close(struct page_disk *disk);

/* The folder that addresses of its files have now, as page_folder is for those that were built in:
 * another one after every change, so that a worker that other tabs keep alive is not taken for the
 * new one. */
struct text page_disk_folder(const struct page_disk *disk, struct arena *arena);

/* Is this the name of such a folder, of now or of before a change? */
bool page_disk_is_folder(struct text name);

/* A file by its name beneath the folder, as embed.py would have built it in. R0423: there is none
 * that belongs to the page, or it cannot be read; nothing outside of the folder is ever read, links
 * included. */
MUST_CHECK bool page_disk_read(const struct page_disk *disk, struct arena *arena, struct text name,
                               struct page_disk_file *out, struct err *err);

/* The page itself, which is index.html with the folder of now in its addresses. */
MUST_CHECK bool page_disk_start(const struct page_disk *disk, struct arena *arena,
                                struct page_disk_file *out, struct err *err);

#endif
