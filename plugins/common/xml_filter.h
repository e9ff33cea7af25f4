#ifndef COMMON_XML_FILTER_H
#define COMMON_XML_FILTER_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>

/* public names start with: xml_filter_ */

/* Removes elements of rows from an XML document before it is parsed. The parser takes most of the
 * time of a listing, although most of a row of EC2 is not used. The filter skips such elements
 * quickly, because it only looks for tags.
 *
 * It recognizes tags, comments, CDATA sections and processing instructions. The parser checks what
 * the filter passes on; removed elements are not checked. */
struct xml_filter {
    struct text rows;         /* path of the rows, as in xml_reader_new() */
    size_t row_depth;         /* depth of a row; the document's element has 1 */
    const char *const *names; /* names of the children of a row to keep, with NULL at the end */
    bool (*pass)(void *arg, struct text part);
    void *arg;
    size_t depth;      /* number of open elements */
    size_t matched;    /* number of open elements that are on the path of rows */
    size_t skip_depth; /* depth of the element that is removed; 0: none */
    struct buf held;   /* start of a tag that was cut at the end of the last part */
};

/* Initializes a filter. The texts are not copied. Kept parts are passed to `pass`, which returns
 * false to stop. */
void xml_filter_init(struct xml_filter *filter, struct arena *arena, struct text rows,
                     const char *const *names, bool (*pass)(void *arg, struct text part),
                     void *arg);

/* Filter the next part. Returns false if `pass` has stopped, or if a part cuts a tag or comment
 * that is longer than 64 KiB. */
bool xml_filter_add(struct xml_filter *filter, struct text part);

/* Passes on the held bytes at the end of the document. */
bool xml_filter_end(struct xml_filter *filter);

#endif
