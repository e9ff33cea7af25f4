#include "codec/yaml.h"

#include "base/map.h"
#include "codec/number.h"
#include "codec/source.h"
#include "codec/tree.h"
#include "codec/yaml_block.h"
#include "codec/yaml_fault.h"
#include "codec/yaml_quoted.h"
#include "codec/yaml_scan.h"

#include <assert.h>
#include <libfyaml.h>
#include <string.h>

/* The happy path: libfyaml turns the bytes into events, and each event is copied into the tree at
 * once; its own documents, which resolve aliases without a limit, are never made. Scalars of one line
 * borrow from the bytes. Failure modes: source_check and yaml_guard before libfyaml sees a byte; what
 * libfyaml refuses is said in our words by yaml_fault_report; tags, merge keys, aliases and complex
 * keys here; depth, nodes and doubles in the tree.
 *
 * This is the only file that may call fy_*. */

/* A value that &name stands before. */
struct anchor {
    struct tree_branch branch; /* once it has ended */
    bool has_ended;
};

/* A list or map that is open. */
struct level {
    struct anchor *anchor; /* NULL = none */
    size_t indent;         /* of its first key or '-'; 0 inside brackets */
    bool is_flow;          /* in brackets, or inside one that is */
};

struct reader {
    struct text bytes;
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct tree tree;
    struct err *err;
    uint16_t source;
    struct map anchors;                            /* of this document: name to struct anchor */
    struct level levels[LIMIT_DOCUMENT_DEPTH + 1]; /* by depth; [0] is the document */
    size_t expansions;
    struct source_cursor cursor;
    size_t after; /* where the last token with a text of its own ended */
    struct doc *docs;
    size_t doc_count;
    size_t doc_room;
};

/* A token: what libfyaml says about it, asked once. A column counts code points, a position bytes. */
struct span {
    struct fy_token *token;
    const struct fy_mark *start;
    const struct fy_mark *end;
};

static struct span span_of(struct fy_token *token)
{
    struct span span = { token, fy_token_start_mark(token), fy_token_end_mark(token) };

    assert(span.start != NULL && span.end != NULL);
    assert(span.start->input_pos <= span.end->input_pos);
    return span;
}

/* ---- places ---- */

/* Place of a token, with `around` characters at both ends that are not part of it (quotes). Of
 * several lines only the first counts. */
static struct place span_place(const struct reader *reader, const struct span *span, int around)
{
    int length = span->end->column - span->start->column + 2 * around;
    int column = span->start->column - around;

    assert(span->start->line >= 0);
    if (span->start->line != span->end->line) {
        size_t start = span->start->input_pos;
        size_t bytes = source_line_bytes(reader->bytes, start, span->end->input_pos);

        length = (int)source_count_points(reader->bytes.data + start, bytes) + around;
    }
    return (struct place){
        .line = (uint32_t)span->start->line + 1,
        .column = column < 0 ? 1 : (uint32_t)column + 1,
        .length = length < 1 ? 1 : (uint32_t)length,
        .source = reader->source,
    };
}

/* Place of a value that is not there: its key, the '-' of its item, or its list. */
static struct place empty_place(struct reader *reader)
{
    const struct doc_entry *key = tree_key_now(&reader->tree);
    const struct tree_frame *top = tree_top(&reader->tree);
    size_t dash;

    if (key != NULL) {
        return (struct place){ key->line, key->column, key->length, reader->source };
    }
    if (top == NULL) {
        return source_place(reader->bytes, reader->after, 1, reader->tree.origin);
    }
    dash = yaml_find_indicator(reader->bytes, reader->after, "-");
    if (dash == SIZE_MAX) {
        return (struct place){ top->doc.line, top->doc.column, 1, reader->source };
    }
    reader->after = dash + 1;
    return source_place_next(&reader->cursor, reader->bytes, dash, 1, reader->tree.origin);
}

/* ---- scalars ---- */

static void after_set(struct reader *reader, size_t offset)
{
    reader->after = offset > reader->bytes.length ? reader->bytes.length : offset;
    assert(reader->after <= reader->bytes.length);
}

/* Bytes of a token. */
static struct text span_text(const struct reader *reader, const struct span *span)
{
    assert(span->end->input_pos <= reader->bytes.length);
    return (struct text){ reader->bytes.data + span->start->input_pos,
                          span->end->input_pos - span->start->input_pos };
}

/* Does a value that begins at `place` stand deeper than the list or map around it? libfyaml lets pass
 * what does not. */
static bool indent_check(struct reader *reader, struct place place)
{
    const struct level *level = &reader->levels[reader->tree.depth];

    assert(place.column > 0);
    if (reader->tree.depth == 0 || level->is_flow || place.column > level->indent + 1) {
        return true;
    }
    return yaml_fault_indent(&reader->tree, place, reader->err);
}

/* Behind | or >: its header tells what the lines mean. libfyaml takes the next key for text where there
 * is none; by the indentation it is seen. */
static bool block_read(struct reader *reader, const struct span *span, struct doc *doc,
                       struct place *out_place)
{
    const struct level *level = &reader->levels[reader->tree.depth];
    size_t start = span->start->input_pos;
    size_t offset = yaml_find_block_header(reader->bytes, reader->after, start);
    struct text lines = span_text(reader, span);
    struct yaml_block_header header;

    if (offset == SIZE_MAX) { /* libfyaml lets some headers pass at the end of a text */
        return yaml_fault_header(
            &reader->tree, source_place(reader->bytes, start, 1, reader->tree.origin), reader->err);
    }
    header = yaml_block_header(reader->bytes, offset);
    *out_place = source_place_next(&reader->cursor, reader->bytes, offset, 1, reader->tree.origin);
    if (header.indent == 0 && reader->tree.depth > 0) {
        size_t shallow = yaml_block_find_shallow(lines, level->indent);

        if (shallow != SIZE_MAX) {
            return yaml_fault_indent(
                &reader->tree, source_place(reader->bytes, start + shallow, 1, reader->tree.origin),
                reader->err);
        }
    }
    doc->text = yaml_block_text(reader->tree.arena, lines, header, level->indent);
    return true;
}

/* What a scalar's token says. libfyaml finds where it begins and ends; what it means is read here, since
 * libfyaml's own reading of some texts is wrong (docs/decisions/0010). */
static bool token_read(struct reader *reader, struct fy_token *token, struct doc *doc,
                       struct place *out_place)
{
    struct span span = span_of(token);
    enum fy_scalar_style style = fy_token_scalar_style(token);
    struct text text = span_text(reader, &span);
    int quotes = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;

    doc->style = style == FYSS_PLAIN ? DOC_STYLE_PLAIN : DOC_STYLE_QUOTED;
    if (style == FYSS_LITERAL || style == FYSS_FOLDED) {
        if (!block_read(reader, &span, doc, out_place)) {
            return false;
        }
    } else {
        *out_place = span_place(reader, &span, quotes);
        if (style == FYSS_DOUBLE_QUOTED) {
            doc->text = yaml_unquote_double(reader->tree.arena, text);
        } else if (style == FYSS_SINGLE_QUOTED) {
            doc->text = yaml_unquote_single(reader->tree.arena, text);
        } else {
            doc->text = span.start->line == span.end->line
                            ? text
                            : yaml_fold_plain(reader->tree.arena, text);
        }
    }
    after_set(reader, span.end->input_pos + (size_t)quotes);
    return true;
}

/* Turn a scalar's token (NULL: nothing stands there) into a doc. */
static bool scalar_make(struct reader *reader, struct fy_token *token, struct doc *out)
{
    struct place place = { 0 };

    *out = (struct doc){ .kind = DOC_KIND_SCALAR, .origin = reader->tree.origin };
    if (token == NULL) {
        out->style = DOC_STYLE_EMPTY;
        out->text = TEXT("");
        place = empty_place(reader);
    } else if (!token_read(reader, token, out, &place)) {
        return false;
    }
    out->line = place.line;
    out->column = place.column;
    out->length = place.length;
    return true;
}

static bool scalar_check(struct reader *reader, const struct doc *doc)
{
    char first = doc->text.length == 0 ? '\0' : doc->text.data[0];

    assert(doc_is_scalar(doc));
    if (doc->style == DOC_STYLE_QUOTED && text_find_byte(doc->text, '\0') != SIZE_MAX) {
        return yaml_fault_nul(&reader->tree, doc_place(doc), reader->err);
    }
    if (doc->style == DOC_STYLE_PLAIN &&
        ((first >= '0' && first <= '9') || first == '-' || first == '+') &&
        doc_core_type(doc) == DOC_TYPE_INT && !number_fits_int64(doc->text)) {
        return yaml_fault_integer(&reader->tree, doc, reader->err) ||
               tree_tolerate(&reader->tree, reader->err);
    }
    return true;
}

static bool key_read(struct reader *reader, struct fy_token *token, struct anchor *anchor)
{
    struct doc doc;

    if (token == NULL) {
        size_t offset = yaml_find_indicator(reader->bytes, reader->after, ":?");
        struct place place = source_place(
            reader->bytes, offset == SIZE_MAX ? reader->after : offset, 1, reader->tree.origin);

        return yaml_fault_key(&reader->tree, "nothing", place, reader->err);
    }
    if (!scalar_make(reader, token, &doc) ||
        (doc.style == DOC_STYLE_QUOTED && !scalar_check(reader, &doc))) {
        return false;
    }
    if (doc.style == DOC_STYLE_PLAIN && text_is(doc.text, "<<")) {
        return yaml_fault_merge(&reader->tree, doc_place(&doc), reader->err);
    }
    tree_key(&reader->tree, doc.text,
             (struct place){ doc.line, doc.column, doc.length, reader->source });
    if (anchor != NULL) {
        *anchor = (struct anchor){ { doc, 1, 0 }, true };
    }
    return true;
}

/* ---- anchors, aliases, tags ---- */

static bool tag_refuse(struct reader *reader, struct fy_token *tag)
{
    const struct fy_mark *start = fy_token_start_mark(tag);

    assert(start != NULL);
    return yaml_fault_tag(&reader->tree, reader->bytes, start->input_pos, reader->err) ||
           tree_tolerate(&reader->tree, reader->err);
}

/* Note the anchor, if any, before a value. NULL where there is none. */
static struct anchor *anchor_begin(struct reader *reader, struct fy_token *token)
{
    struct anchor *anchor;
    size_t length = 0;
    const char *name;

    if (token == NULL) {
        return NULL;
    }
    name = fy_token_get_text(token, &length);
    assert(name != NULL);
    anchor = arena_one(reader->tree.arena, struct anchor);
    map_put(&reader->anchors, arena_text(reader->tree.arena, (struct text){ name, length }),
            anchor);
    return anchor;
}

static bool alias_read(struct reader *reader, struct fy_token *token)
{
    size_t length = 0;
    const char *data = fy_token_get_text(token, &length);
    struct text name = { data, length };
    struct span span = span_of(token);
    struct place place = span_place(reader, &span, 1); /* the '*' stands before it */
    const struct anchor *anchor = map_find(&reader->anchors, name);

    assert(data != NULL);
    place.length--;
    after_set(reader, span.end->input_pos);
    if (tree_wants_key(&reader->tree)) {
        return yaml_fault_key(&reader->tree, "an alias", place, reader->err);
    }
    if (anchor == NULL) {
        return yaml_fault_alias(&reader->tree, CODE_R0112, name, place, reader->err);
    }
    if (!anchor->has_ended) {
        return yaml_fault_alias(&reader->tree, CODE_R0113, name, place, reader->err);
    }
    if (reader->expansions == LIMIT_ALIAS_EXPANSIONS) {
        return yaml_fault_alias(&reader->tree, CODE_R0109, name, place, reader->err);
    }
    reader->expansions++;
    return tree_add_again(&reader->tree, &anchor->branch, place, reader->err);
}

/* ---- events ---- */

static bool scalar_read(struct reader *reader, const struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    struct anchor *anchor;
    struct doc doc;

    if (event->scalar.tag != NULL && !tag_refuse(reader, event->scalar.tag)) {
        return false;
    }
    if (tree_wants_key(&reader->tree)) {
        return key_read(reader, token, anchor_begin(reader, event->scalar.anchor));
    }
    if (token == NULL && tree_top(&reader->tree) == NULL) {
        return true; /* an empty document */
    }
    if (!scalar_make(reader, token, &doc) || !scalar_check(reader, &doc) ||
        (token != NULL && !indent_check(reader, (struct place){ doc.line, doc.column, doc.length,
                                                                reader->source }))) {
        return false;
    }
    anchor = anchor_begin(reader, event->scalar.anchor);
    if (anchor != NULL) {
        *anchor = (struct anchor){ { doc, 1, 0 }, true };
    }
    return tree_add(&reader->tree, &doc, reader->err);
}

/* Begin a list or map at its bracket, its first '-', or (length 0) its first key. */
static bool container_open(struct reader *reader, enum doc_kind kind, struct fy_token *token,
                           struct fy_token *anchor)
{
    struct span span = span_of(token);
    bool has_bracket = span.end->input_pos > span.start->input_pos;
    bool is_flow = has_bracket || reader->levels[reader->tree.depth].is_flow;
    struct place place = span_place(reader, &span, 0);

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
    reader->levels[reader->tree.depth] = (struct level){
        .anchor = anchor_begin(reader, anchor),
        .indent = is_flow ? 0 : yaml_find_indent(reader->bytes, span.start->input_pos),
        .is_flow = is_flow,
    };
    if (has_bracket || kind == DOC_KIND_LIST) {
        after_set(reader, span.end->input_pos);
    }
    return true;
}

static bool container_close(struct reader *reader, struct fy_token *token)
{
    struct anchor *anchor = reader->levels[reader->tree.depth].anchor;
    struct tree_branch branch = { 0 };

    assert(reader->tree.depth > 0);
    if (token != NULL) {
        struct span span = span_of(token);

        if (span.end->input_pos > span.start->input_pos) {
            after_set(reader, span.end->input_pos);
        }
    }
    if (!tree_close(&reader->tree, &branch, reader->err)) {
        return false;
    }
    if (anchor != NULL) {
        *anchor = (struct anchor){ branch, true };
    }
    return true;
}

static void document_begin(struct reader *reader, struct fy_token *token)
{
    tree_reset(&reader->tree);
    map_init(&reader->anchors, reader->tree.arena);
    if (token != NULL) {
        after_set(reader, fy_token_end_mark(token)->input_pos);
    }
}

static void document_end(struct reader *reader)
{
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

static bool event_read(struct reader *reader, const struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        document_begin(reader, event->document_start.document_start);
        return true;
    case FYET_DOCUMENT_END:
        document_end(reader);
        return true;
    case FYET_MAPPING_START:
        return (event->mapping_start.tag == NULL || tag_refuse(reader, event->mapping_start.tag)) &&
               container_open(reader, DOC_KIND_MAP, event->mapping_start.mapping_start,
                              event->mapping_start.anchor);
    case FYET_SEQUENCE_START:
        return (event->sequence_start.tag == NULL ||
                tag_refuse(reader, event->sequence_start.tag)) &&
               container_open(reader, DOC_KIND_LIST, event->sequence_start.sequence_start,
                              event->sequence_start.anchor);
    case FYET_MAPPING_END:
        return container_close(reader, event->mapping_end.mapping_end);
    case FYET_SEQUENCE_END:
        return container_close(reader, event->sequence_end.sequence_end);
    case FYET_SCALAR:
        return scalar_read(reader, event);
    case FYET_ALIAS:
        return alias_read(reader, event->alias.anchor);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
        break;
    }
    return true;
}

/* libfyaml has stopped: say why. */
static bool fail_syntax(struct reader *reader)
{
    struct yaml_fault fault = {
        .bytes = reader->bytes, .message = "", .line = 1, .column = 1, .tree = &reader->tree
    };
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(reader->diag, &iterator);

    while (first != NULL && first->type < FYET_ERROR) {
        first = fy_diag_errors_iterate(reader->diag, &iterator);
    }
    if (first != NULL) {
        assert(first->msg != NULL);
        fault.message = first->msg;
        fault.line = first->line < 1 ? 1 : (uint32_t)first->line;
        fault.column = first->column < 1 ? 1 : (uint32_t)first->column;
    }
    return yaml_fault_report(&fault, reader->err);
}

static bool reader_run(struct reader *reader)
{
    bool has_ended = false;
    bool is_good = true;

    while (is_good && !has_ended) {
        struct fy_event *event = fy_parser_parse(reader->parser);

        if (event == NULL) {
            return fail_syntax(reader);
        }
        has_ended = event->type == FYET_STREAM_END;
        is_good = event_read(reader, event);
        fy_parser_event_free(reader->parser, event);
    }
    return is_good;
}

/* Nothing of libfyaml's is ever written anywhere: faults are collected, the rest is dropped. */
static void output_drop(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static void parser_open(struct reader *reader)
{
    struct fy_diag_cfg diag_config = { .output_fn = output_drop,
                                       .level = FYET_MAX,
                                       .module_mask = ~0U };
    struct fy_parse_cfg config = { .search_path = "",
                                   .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                            FYPCF_DISABLE_MMAP_OPT | FYPCF_DISABLE_ACCELERATORS |
                                            FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                            FYPCF_SLOPPY_FLOW_INDENTATION };
    int status;

    reader->diag = fy_diag_create(&diag_config);
    assert(reader->diag != NULL && "out of memory");
    fy_diag_set_collect_errors(reader->diag, true);
    config.diag = reader->diag;
    reader->parser = fy_parser_create(&config);
    assert(reader->parser != NULL && "out of memory");
    status = fy_parser_set_string(reader->parser, reader->bytes.data, reader->bytes.length);
    assert(status == 0 && "out of memory");
}

bool yaml_parse_tolerant(struct arena *arena, struct text bytes, const struct origin *origin,
                         struct yaml_docs *out, struct err_list *tolerated, struct err *err)
{
    struct reader reader = { .bytes = bytes, .err = err, .source = source_number(origin) };
    bool is_read;

    assert(out != NULL && err != NULL);
    if (!source_check(bytes, origin, err) || !yaml_guard(bytes, origin, err)) {
        return false;
    }
    if (bytes.length == 0) {
        *out = (struct yaml_docs){ 0 };
        return true;
    }
    tree_init(&reader.tree, arena, origin);
    reader.tree.tolerated = tolerated;
    parser_open(&reader);
    is_read = reader_run(&reader);
    fy_parser_destroy(reader.parser);
    fy_diag_destroy(reader.diag);
    tree_fini(&reader.tree);
    if (is_read) {
        *out = (struct yaml_docs){ .items = reader.docs, .count = reader.doc_count };
    }
    return is_read;
}

bool yaml_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                struct yaml_docs *out, struct err *err)
{
    return yaml_parse_tolerant(arena, bytes, origin, out, NULL, err);
}
