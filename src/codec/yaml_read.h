#ifndef REEVE_CODEC_YAML_READ_H
#define REEVE_CODEC_YAML_READ_H

#include "base/err.h"
#include "base/macros.h"
#include "base/map.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "codec/source.h"
#include "codec/tree.h"

/* private to src/codec */

/* Builds trees from the events of a YAML parser. It is independent of the parser; yaml.c calls it.
 *
 * The parser finds where tokens begin and end. This module decides the meaning of a text and its
 * indentation, the value of an alias, and which input is rejected. */

/* The kinds of parser events. */
enum yaml_event_kind {
    YAML_EVENT_DOCUMENT, /* start of a document */
    YAML_EVENT_END,      /* end of a document */
    YAML_EVENT_LIST,
    YAML_EVENT_MAP,
    YAML_EVENT_CLOSE, /* the innermost list or map ends */
    YAML_EVENT_SCALAR,
    YAML_EVENT_ALIAS,
};

/* The style of a scalar. */
enum yaml_style {
    YAML_STYLE_EMPTY, /* no text; there is no span */
    YAML_STYLE_PLAIN,
    YAML_STYLE_SINGLE,
    YAML_STYLE_DOUBLE,
    YAML_STYLE_BLOCK, /* | or > */
};

/* A range of the bytes: without quotes, without the header of a block, without the star of an
 * alias. Lines and columns (in code points) count from 0. */
struct yaml_span {
    size_t start;
    size_t end;
    uint32_t line;
    uint32_t column;
    uint32_t end_line;
    uint32_t end_column;
};

struct yaml_event {
    enum yaml_event_kind kind;
    enum yaml_style style;
    bool has_tag;
    /* Position of the opening bracket of lists and maps; empty if there is none. */
    struct yaml_span span;
    size_t tag_start;
    struct text name; /* name of the anchor (data NULL: none), or of the target of an alias */
};

/* A value with an anchor (&name). */
struct yaml_anchor;

/* An open list or map. */
struct yaml_level {
    struct yaml_anchor *anchor; /* NULL: no anchor */
    size_t indent;              /* indentation of its first key or '-'; 0 inside brackets */
    bool is_flow;               /* the node is in brackets, or inside of brackets */
};

struct yaml_reader {
    struct text bytes;
    struct tree tree;
    struct err *err;
    uint16_t source;
    struct map anchors; /* anchors of this document, by name */
    /* State of each nesting level; [0] is the document. */
    struct yaml_level levels[LIMIT_DOCUMENT_DEPTH + 1];
    size_t expansions;
    size_t after; /* end of the last token that has its own text */
    struct source_cursor cursor;
    size_t documents; /* number of documents, including empty ones */
    struct doc *docs;
    size_t doc_count;
    size_t doc_room;
};

/* Initialize in memory of the caller, who ends it with yaml_reader_fini(). Documents live in the
 * arena, in reader->docs. *err is set by the error that ends the reading. */
void yaml_reader_init(struct yaml_reader *reader, struct arena *arena, struct text bytes,
                      const struct origin *origin, struct err *err);

/* Free the working memory. The documents remain valid. */
void yaml_reader_fini(struct yaml_reader *reader);

/* Handle one event. Returns false when *err is set and the reading has ended. */
MUST_CHECK bool yaml_reader_take(struct yaml_reader *reader, const struct yaml_event *event);

#endif
