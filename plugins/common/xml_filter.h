#ifndef COMMON_XML_FILTER_H
#define COMMON_XML_FILTER_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>

/* public names start with: xml_filter_ */

/* Removes elements of rows from an XML document before it is parsed. The parser needs most of the
 * time of a listing, and most of a row of EC2 is not read: the filter finds the end of such an
 * element by its tags alone.
 *
 * It looks for tags, comments, CDATA sections and processing instructions, and changes nothing
 * else. What it lets pass is judged by the parser; what it removes is not judged. */
struct xml_filter {
    struct text rows;         /* path of the rows, as in xml_reader_new() */
    size_t row_depth;         /* depth of a row; the document's element has 1 */
    const char *const *names; /* children of a row that are kept, with NULL at the end */
    bool (*pass)(void *arg, struct text part);
    void *arg;
    size_t depth;      /* number of open elements */
    size_t matched;    /* number of open elements that are on the path of rows */
    size_t skip_depth; /* depth of the element that is removed; 0: none */
    struct buf held;   /* begin of a tag that the last part cut */
};

/* Prepare a filter. It borrows all texts. Kept parts are passed to `pass`, which returns false to
 * stop. */
void xml_filter_init(struct xml_filter *filter, struct arena *arena, struct text rows,
                     const char *const *names, bool (*pass)(void *arg, struct text part),
                     void *arg);

/* Filter the next part. Returns false if `pass` has stopped, or if a part cuts a tag or comment
 * that is longer than 64 KiB. */
bool xml_filter_add(struct xml_filter *filter, struct text part);

/* Pass on what is held at the end of the document. */
bool xml_filter_end(struct xml_filter *filter);

#endif
