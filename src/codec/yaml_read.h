#ifndef REEVE_CODEC_YAML_READ_H
#define REEVE_CODEC_YAML_READ_H

#include "base/err.h"
#include "base/macros.h"
#include "base/map.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "codec/source.h"
#include "codec/tree.h"

/* From the events of a YAML parser to trees, without the parser: yaml.c feeds it.
 *
 * The parser tells where things begin and end; what a text means, how deep it is indented, what an alias
 * stands for and what is refused is decided here. */

/* What the parser has met. */
enum yaml_event_kind {
    YAML_EVENT_DOCUMENT, /* a document begins */
    YAML_EVENT_END,      /* it ends */
    YAML_EVENT_LIST,
    YAML_EVENT_MAP,
    YAML_EVENT_CLOSE, /* the innermost list or map ends */
    YAML_EVENT_SCALAR,
    YAML_EVENT_ALIAS,
};

/* How a scalar is written. */
enum yaml_style {
    YAML_STYLE_EMPTY, /* nothing stands there; there is no span */
    YAML_STYLE_PLAIN,
    YAML_STYLE_SINGLE,
    YAML_STYLE_DOUBLE,
    YAML_STYLE_BLOCK, /* | or > */
};

/* A stretch of the bytes: without quotes, without the header of a block, without the star of an alias.
 * Lines and columns (in code points) count from 0. */
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
    struct yaml_span span; /* of lists and maps: the bracket; empty where there is none */
    size_t tag_start;
    struct text name; /* of the anchor (data NULL = none), or of what an alias names */
};

/* A value that &name stands before. */
struct yaml_anchor;

/* A list or map that is open. */
struct yaml_level {
    struct yaml_anchor *anchor; /* NULL = none */
    size_t indent;              /* of its first key or '-'; 0 inside brackets */
    bool is_flow;               /* in brackets, or inside one that is */
};

struct yaml_reader {
    struct text bytes;
    struct tree tree;
    struct err *err;
    uint16_t source;
    struct map anchors;                                 /* of this document, by name */
    struct yaml_level levels[LIMIT_DOCUMENT_DEPTH + 1]; /* by depth; [0] is the document */
    size_t expansions;
    size_t after; /* where the last token with a text of its own ended */
    struct source_cursor cursor;
    struct doc *docs;
    size_t doc_count;
    size_t doc_room;
};

/* Begin in memory of the caller, who ends it with yaml_reader_fini. Documents live in the arena, in
 * reader->docs; *err is filled by the fault that ends the reading. */
void yaml_reader_init(struct yaml_reader *reader, struct arena *arena, struct text bytes,
                      const struct origin *origin, struct err *err);

/* Free what was needed while reading. The documents stay. */
void yaml_reader_fini(struct yaml_reader *reader);

/* Take one event. False: *err is set and reading is over. */
MUST_CHECK bool yaml_reader_take(struct yaml_reader *reader, const struct yaml_event *event);

#endif
