#ifndef COMMON_XML_H
#define COMMON_XML_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>

/* public names start with: xml_ */

/* XML answers of providers, read while they arrive.
 *
 * A listing has rows: elements at a given path. Each row is passed to the caller as a tree when its
 * element closes; its memory is then used for the next row. All other elements, such as page tokens
 * and error codes, are kept as "the rest". Attributes, comments and namespaces are dropped. A
 * document with a document type is rejected, so it cannot define entities. */

/* An element. `text` is its character data without blanks at both ends. */
struct xml_node {
    struct text name;
    struct text text;
    const struct xml_node *first; /* the first child */
    const struct xml_node *next;  /* the next sibling */
};

/* Receives a row, which is valid until the function returns. Returns false to stop. */
typedef bool xml_on_row(void *arg, const struct xml_node *row);

struct xml_reader;

/* Creates a reader. `rows` is the path of the rows below the document's element, with '/' between
 * the names ("reservationSet/item"); empty: no rows. The rest and its texts live in `arena`. The
 * caller frees the reader. */
struct xml_reader *xml_reader_new(struct arena *arena, struct text rows, xml_on_row *on_row,
                                  void *arg);
void xml_reader_free(struct xml_reader *reader);

/* Reads only those children of rows that have one of these names (NULL at the end); called before
 * the first part. Other children are removed before the document is parsed (xml_filter.h), so they
 * are not checked. */
void xml_reader_keep(struct xml_reader *reader, const char *const *names);

/* Reads the next part. Returns false if the part is not XML, has a document type, exceeds a limit
 * (depth 64; 10,000 elements and 4 MiB for one row; 100,000 elements and 8 MiB for the rest), or if
 * on_row has stopped. */
bool xml_reader_add(struct xml_reader *reader, struct text part);

/* Ends the document. Returns the document's element, without rows. NULL: the document is not
 * complete, or a part was rejected. */
const struct xml_node *xml_reader_end(struct xml_reader *reader);

/* Parses a whole document without rows. Returns NULL if it is not valid. */
const struct xml_node *xml_parse(struct arena *arena, struct text bytes);

/* Returns the element at a path of names with '/' between them. NULL: there is none, or `node` is
 * NULL. */
const struct xml_node *xml_find(const struct xml_node *node, const char *path);

/* Returns the text of the element at a path. Empty: there is none. */
struct text xml_text(const struct xml_node *node, const char *path);

#endif
