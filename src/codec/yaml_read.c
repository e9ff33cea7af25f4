#include "codec/yaml_read.h"

#include "codec/number.h"
#include "codec/yaml_block.h"
#include "codec/yaml_fault.h"
#include "codec/yaml_quoted.h"
#include "codec/yaml_scan.h"

#include <assert.h>
#include <string.h>

struct yaml_anchor {
    struct tree_branch branch; /* set when the value has ended */
    bool has_ended;
};

void yaml_reader_init(struct yaml_reader *reader, struct arena *arena, struct text bytes,
                      const struct origin *origin, struct err *err)
{
    assert(bytes.length > 0);
    assert(err != NULL);
    *reader = (struct yaml_reader){ .bytes = bytes, .err = err, .source = source_number(origin) };
    tree_init(&reader->tree, arena, origin);
    map_init(&reader->anchors, arena);
}

void yaml_reader_fini(struct yaml_reader *reader)
{
    tree_fini(&reader->tree);
}

/* ---- positions ---- */

/* Return the position of a span, with `around` characters at both ends that are not part of it
 * (quotes). If it has several lines, only the first one is used. */
static struct place span_place(const struct yaml_reader *reader, const struct yaml_span *span,
                               uint32_t around)
{
    uint32_t length = span->end_column - span->column + 2 * around;

    assert(span->end <= reader->bytes.length);
    if (span->line != span->end_line) {
        size_t bytes = source_line_bytes(reader->bytes, span->start, span->end);

        length = (uint32_t)source_count_points(reader->bytes.data + span->start, bytes) + around;
    }
    return (struct place){
        .line = span->line + 1,
        .column = span->column < around ? 1 : span->column - around + 1,
        .length = length == 0 ? 1 : length,
        .source = reader->source,
    };
}

/* Return the position of a byte, for an error. */
static struct place byte_place(const struct yaml_reader *reader, size_t offset)
{
    assert(offset <= reader->bytes.length);
    return source_place(reader->bytes, offset, 1, reader->tree.origin);
}

/* Return the position of a missing value: its key, the '-' of its item, or its list. */
static struct place empty_place(struct yaml_reader *reader)
{
    const struct doc_entry *key = tree_key_now(&reader->tree);
    const struct tree_frame *top = tree_top(&reader->tree);
    size_t dash;

    assert(reader->after <= reader->bytes.length);
    if (key != NULL) {
        return (struct place){ key->line, key->column, key->length, reader->source };
    }
    assert(top != NULL);
    dash = yaml_find_indicator(reader->bytes, reader->after, "-");
    if (dash == SIZE_MAX) {
        return (struct place){ top->doc.line, top->doc.column, 1, reader->source };
    }
    reader->after = dash + 1;
    return source_place_next(&reader->cursor, reader->bytes, dash, 1, reader->tree.origin);
}

static void after_set(struct yaml_reader *reader, size_t offset)
{
    reader->after = offset > reader->bytes.length ? reader->bytes.length : offset;
    assert(reader->after <= reader->bytes.length);
}

/* Check that a value at `place` is indented deeper than the surrounding map or list. The parser
 * accepts values that are not. */
static bool indent_check(struct yaml_reader *reader, struct place place)
{
    const struct yaml_level *level = &reader->levels[reader->tree.depth];

    assert(place.column > 0);
    if (reader->tree.depth == 0 || level->is_flow || place.column > level->indent + 1) {
        return true;
    }
    return yaml_fault_indent(&reader->tree, place, reader->err);
}

/* ---- scalars ---- */

/* Read a block scalar: its header defines the meaning of the lines. If there is no text, the parser
 * interprets the next key as text; this is recognised by the indentation. */
static bool block_read(struct yaml_reader *reader, const struct yaml_span *span, struct text lines,
                       struct doc *doc, struct place *out_place)
{
    size_t indent = reader->levels[reader->tree.depth].indent;
    size_t offset = yaml_find_block_header(reader->bytes, reader->after, span->start);
    struct yaml_block_header header;

    assert(reader->after <= span->start || span->start == reader->bytes.length);
    if (offset == SIZE_MAX) { /* the parser accepts some invalid headers at the end of a text */
        return yaml_fault_header(&reader->tree, byte_place(reader, span->start), reader->err);
    }
    header = yaml_block_header(reader->bytes, offset);
    *out_place = source_place_next(&reader->cursor, reader->bytes, offset, 1, reader->tree.origin);
    if (header.indent == 0 && reader->tree.depth > 0) {
        size_t shallow = yaml_block_find_shallow(lines, indent);

        if (shallow != SIZE_MAX) {
            return yaml_fault_indent(&reader->tree, byte_place(reader, span->start + shallow),
                                     reader->err);
        }
    }
    doc->text = yaml_block_text(reader->tree.arena, lines, header, indent);
    return true;
}

/* Read the text of a scalar, and its position. */
static bool yaml_read_text_read(struct yaml_reader *reader, const struct yaml_event *event,
                                struct doc *doc, struct place *out_place)
{
    const struct yaml_span *span = &event->span;
    struct arena *arena = reader->tree.arena;
    struct text text = { reader->bytes.data + span->start, span->end - span->start };
    uint32_t quotes = event->style == YAML_STYLE_SINGLE || event->style == YAML_STYLE_DOUBLE;

    assert(event->style != YAML_STYLE_EMPTY);
    assert(span->start <= span->end && span->end <= reader->bytes.length);
    doc->style = event->style == YAML_STYLE_PLAIN ? DOC_STYLE_PLAIN : DOC_STYLE_QUOTED;
    if (event->style == YAML_STYLE_BLOCK) {
        if (!block_read(reader, span, text, doc, out_place)) {
            return false;
        }
    } else {
        *out_place = span_place(reader, span, quotes);
        if (event->style == YAML_STYLE_DOUBLE) {
            doc->text = yaml_unquote_double(arena, text);
        } else if (event->style == YAML_STYLE_SINGLE) {
            doc->text = yaml_unquote_single(arena, text);
        } else {
            doc->text = span->line == span->end_line ? text : yaml_fold_plain(arena, text);
        }
    }
    after_set(reader, span->end + quotes);
    return true;
}

static bool yaml_read_scalar_make(struct yaml_reader *reader, const struct yaml_event *event,
                                  struct doc *out)
{
    struct place place = { 0 };

    assert(event->kind == YAML_EVENT_SCALAR);
    *out = (struct doc){ .kind = DOC_KIND_SCALAR, .origin = reader->tree.origin };
    if (event->style == YAML_STYLE_EMPTY) {
        out->style = DOC_STYLE_EMPTY;
        out->text = TEXT("");
        place = empty_place(reader);
    } else if (!yaml_read_text_read(reader, event, out, &place)) {
        return false;
    }
    out->line = place.line;
    out->column = place.column;
    out->length = place.length;
    return true;
}

static struct place scalar_place(const struct yaml_reader *reader, const struct doc *doc)
{
    return (struct place){ doc->line, doc->column, doc->length, reader->source };
}

static bool nul_check(struct yaml_reader *reader, const struct doc *doc)
{
    assert(doc_is_scalar(doc));
    if (doc->style != DOC_STYLE_QUOTED || text_find_byte(doc->text, '\0') == SIZE_MAX) {
        return true;
    }
    return yaml_fault_nul(&reader->tree, scalar_place(reader, doc), reader->err);
}

static bool integer_check(struct yaml_reader *reader, const struct doc *doc)
{
    char first = doc->text.length == 0 ? '\0' : doc->text.data[0];
    bool can_be_number = (first >= '0' && first <= '9') || first == '-' || first == '+';

    assert(doc_is_scalar(doc));
    if (!can_be_number || doc_core_type(doc) != DOC_TYPE_INT || number_fits_int64(doc->text)) {
        return true;
    }
    return yaml_fault_integer(&reader->tree, doc, reader->err) ||
           tree_tolerate(&reader->tree, reader->err);
}

/* ---- anchors and aliases ---- */

/* Record the anchor, if any, before a value. NULL if there is none. */
static struct yaml_anchor *anchor_begin(struct yaml_reader *reader, struct text name)
{
    struct yaml_anchor *anchor;

    if (name.data == NULL) {
        return NULL;
    }
    anchor = arena_one(reader->tree.arena, struct yaml_anchor);
    map_put(&reader->anchors, arena_text(reader->tree.arena, name), anchor);
    return anchor;
}

static void anchor_end(struct yaml_anchor *anchor, const struct tree_branch *branch)
{
    assert(branch->height <= LIMIT_DOCUMENT_DEPTH);
    assert(branch->nodes > 0);
    if (anchor != NULL) {
        *anchor = (struct yaml_anchor){ *branch, true };
    }
}

static bool alias_read(struct yaml_reader *reader, const struct yaml_event *event)
{
    const struct yaml_anchor *anchor = map_find(&reader->anchors, event->name);
    struct place place = span_place(reader, &event->span, 1); /* include the '*' before the name */

    assert(event->kind == YAML_EVENT_ALIAS);
    assert(reader->expansions <= LIMIT_ALIAS_EXPANSIONS);
    assert(event->name.data != NULL);
    place.length--;
    after_set(reader, event->span.end);
    if (tree_wants_key(&reader->tree)) {
        return yaml_fault_key(&reader->tree, "an alias", place, reader->err);
    }
    if (anchor == NULL) {
        return yaml_fault_alias(&reader->tree, CODE_R0112, event->name, place, reader->err);
    }
    if (!anchor->has_ended) {
        return yaml_fault_alias(&reader->tree, CODE_R0113, event->name, place, reader->err);
    }
    if (reader->expansions == LIMIT_ALIAS_EXPANSIONS) {
        return yaml_fault_alias(&reader->tree, CODE_R0109, event->name, place, reader->err);
    }
    reader->expansions++;
    return tree_add_again(&reader->tree, &anchor->branch, place, reader->err);
}

/* ---- events ---- */

static bool yaml_read_key_read(struct yaml_reader *reader, const struct yaml_event *event)
{
    struct yaml_anchor *anchor = anchor_begin(reader, event->name);
    struct doc doc;

    assert(tree_wants_key(&reader->tree));
    if (event->style == YAML_STYLE_EMPTY) {
        size_t offset = yaml_find_indicator(reader->bytes, reader->after, ":?");

        return yaml_fault_key(&reader->tree, "nothing",
                              byte_place(reader, offset == SIZE_MAX ? reader->after : offset),
                              reader->err);
    }
    if (!yaml_read_scalar_make(reader, event, &doc) || !nul_check(reader, &doc)) {
        return false;
    }
    if (doc.style == DOC_STYLE_PLAIN && text_is(doc.text, "<<")) {
        return yaml_fault_merge(&reader->tree, scalar_place(reader, &doc), reader->err);
    }
    tree_key(&reader->tree, doc.text, scalar_place(reader, &doc));
    anchor_end(anchor, &(struct tree_branch){ doc, 1, 0 });
    return true;
}

static bool scalar_read(struct yaml_reader *reader, const struct yaml_event *event)
{
    struct doc doc;

    if (tree_wants_key(&reader->tree)) {
        return yaml_read_key_read(reader, event);
    }
    if (event->style == YAML_STYLE_EMPTY && tree_top(&reader->tree) == NULL) {
        /* An empty document. */
        return true;
    }
    if (!yaml_read_scalar_make(reader, event, &doc) || !nul_check(reader, &doc) ||
        !integer_check(reader, &doc)) {
        return false;
    }
    if (event->style != YAML_STYLE_EMPTY && !indent_check(reader, scalar_place(reader, &doc))) {
        return false;
    }
    anchor_end(anchor_begin(reader, event->name), &(struct tree_branch){ doc, 1, 0 });
    return tree_add(&reader->tree, &doc, reader->err);
}

/* Begin a list or map at its bracket, its first '-', or (length 0) its first key. */
static bool container_open(struct yaml_reader *reader, const struct yaml_event *event)
{
    enum doc_kind kind = event->kind == YAML_EVENT_LIST ? DOC_KIND_LIST : DOC_KIND_MAP;
    bool has_bracket = event->span.end > event->span.start;
    bool is_flow = has_bracket || reader->levels[reader->tree.depth].is_flow;
    struct place place = span_place(reader, &event->span, 0);

    assert(event->kind == YAML_EVENT_LIST || event->kind == YAML_EVENT_MAP);
    if (tree_wants_key(&reader->tree)) {
        return yaml_fault_key(&reader->tree, kind == DOC_KIND_LIST ? "a list" : "a map", place,
                              reader->err);
    }
    if (has_bracket && !indent_check(reader, place)) {
        return false;
    }
    if (kind == DOC_KIND_MAP && !has_bracket) {
        place.length = 0;
    }
    if (!tree_open(&reader->tree, kind, place, reader->err)) {
        return false;
    }
    assert(reader->tree.depth <= LIMIT_DOCUMENT_DEPTH);
    reader->levels[reader->tree.depth] = (struct yaml_level){
        .anchor = anchor_begin(reader, event->name),
        .indent = is_flow ? 0 : yaml_find_indent(reader->bytes, event->span.start),
        .is_flow = is_flow,
    };
    if (has_bracket || kind == DOC_KIND_LIST) {
        after_set(reader, event->span.end);
    }
    return true;
}

static bool container_close(struct yaml_reader *reader, const struct yaml_event *event)
{
    struct yaml_anchor *anchor = reader->levels[reader->tree.depth].anchor;
    struct tree_branch branch = { 0 };

    assert(reader->tree.depth > 0);
    if (event->span.end > event->span.start) {
        after_set(reader, event->span.end);
        tree_stretch(&reader->tree, event->span.end_line + 1, event->span.end_column + 1);
    }
    if (!tree_close(&reader->tree, &branch, reader->err)) {
        return false;
    }
    anchor_end(anchor, &branch);
    return true;
}

static bool document_begin(struct yaml_reader *reader, const struct yaml_event *event)
{
    assert(reader->tree.depth == 0);
    if (event->span.end > reader->after) {
        after_set(reader, event->span.end); /* position after --- */
    }
    if (reader->documents == LIMIT_DOCUMENTS_PER_SET) {
        return yaml_fault_documents(&reader->tree, byte_place(reader, reader->after), reader->err);
    }
    reader->documents++;
    tree_reset(&reader->tree);
    map_init(&reader->anchors, reader->tree.arena);
    return true;
}

static void document_end(struct yaml_reader *reader)
{
    assert(reader->tree.depth == 0);
    assert(reader->doc_count <= reader->doc_room);
    if (reader->tree.root.kind == DOC_KIND_NONE) {
        return;
    }
    if (reader->doc_count == reader->doc_room) {
        size_t room = reader->doc_room == 0 ? 4 : reader->doc_room * 2;

        reader->docs =
            arena_grow(reader->tree.arena, reader->docs, reader->doc_room * sizeof(*reader->docs),
                       room * sizeof(*reader->docs));
        reader->doc_room = room;
    }
    assert(reader->doc_count < reader->doc_room);
    reader->docs[reader->doc_count++] = reader->tree.root;
}

bool yaml_reader_take(struct yaml_reader *reader, const struct yaml_event *event)
{
    assert(event != NULL);
    if (event->has_tag &&
        !yaml_fault_tag(&reader->tree, reader->bytes, event->tag_start, reader->err) &&
        !tree_tolerate(&reader->tree, reader->err)) {
        return false;
    }
    switch (event->kind) {
    case YAML_EVENT_DOCUMENT:
        return document_begin(reader, event);
    case YAML_EVENT_END:
        document_end(reader);
        return true;
    case YAML_EVENT_LIST:
    case YAML_EVENT_MAP:
        return container_open(reader, event);
    case YAML_EVENT_CLOSE:
        return container_close(reader, event);
    case YAML_EVENT_SCALAR:
        return scalar_read(reader, event);
    case YAML_EVENT_ALIAS:
        break;
    }
    assert(event->kind == YAML_EVENT_ALIAS);
    return alias_read(reader, event);
}
