#include "codec/yaml.h"

#include "codec/json.h"
#include "codec/source.h"
#include "codec/yaml_fault.h"
#include "codec/yaml_guard.h"
#include "codec/yaml_read.h"

#include <assert.h>
#include <libfyaml.h>
#include <string.h>

/* Normal case: libfyaml finds where tokens begin and end. Each of its events is converted and
 * passed to yaml_read.c, which makes the tree. libfyaml's own documents, which resolve aliases
 * without a limit, are never made. Failures: source_check() and yaml_guard() run before libfyaml
 * reads a byte. yaml_fault_report() translates libfyaml's errors; yaml_read.c and tree.c find the
 * others.
 *
 * Only this file may call functions fy_*. */

struct parsing {
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct yaml_reader reader;
};

/* Keep libfyaml from writing output: its errors are collected, other messages are dropped. */
static void yaml_output_drop(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static void parser_open(struct parsing *parsing, struct text bytes)
{
    struct fy_diag_cfg diag_config = { .output_fn = yaml_output_drop,
                                       .level = FYET_MAX,
                                       .module_mask = ~0U };
    struct fy_parse_cfg config = { .search_path = "",
                                   .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                            FYPCF_DISABLE_MMAP_OPT | FYPCF_DISABLE_ACCELERATORS |
                                            FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                            FYPCF_SLOPPY_FLOW_INDENTATION };
    int status;

    assert(bytes.length > 0);
    parsing->diag = fy_diag_create(&diag_config);
    assert(parsing->diag != NULL && "out of memory");
    fy_diag_set_collect_errors(parsing->diag, true);
    config.diag = parsing->diag;
    parsing->parser = fy_parser_create(&config);
    assert(parsing->parser != NULL && "out of memory");
    status = fy_parser_set_string(parsing->parser, bytes.data, bytes.length);
    assert(status == 0 && "out of memory");
}

static void parser_close(struct parsing *parsing)
{
    assert(parsing->parser != NULL);
    assert(parsing->diag != NULL);
    fy_parser_destroy(parsing->parser);
    fy_diag_destroy(parsing->diag);
}

static void span_set(struct yaml_event *event, struct fy_token *token)
{
    const struct fy_mark *start;
    const struct fy_mark *end;

    assert(event->span.end == 0);
    if (token == NULL) {
        return;
    }
    start = fy_token_start_mark(token);
    end = fy_token_end_mark(token);
    assert(start != NULL && end != NULL);
    assert(start->line >= 0 && start->column >= 0);
    event->span = (struct yaml_span){
        .start = start->input_pos,
        .end = end->input_pos,
        .line = (uint32_t)start->line,
        .column = (uint32_t)start->column,
        .end_line = (uint32_t)end->line,
        .end_column = (uint32_t)end->column,
    };
}

static void name_set(struct yaml_event *event, struct fy_token *token)
{
    assert(event->name.data == NULL);
    if (token != NULL) {
        event->name.data = fy_token_get_text(token, &event->name.length);
        assert(event->name.data != NULL);
    }
}

static void tag_set(struct yaml_event *event, struct fy_token *token)
{
    assert(!event->has_tag);
    if (token != NULL) {
        const struct fy_mark *start = fy_token_start_mark(token);

        assert(start != NULL);
        event->has_tag = true;
        event->tag_start = start->input_pos;
    }
}

/* Return the token of a value. A missing value has no token up to libfyaml 0.7 (Debian 12), and a
 * token without bytes from 0.8 on (Debian 13). */
static struct fy_token *yaml_value_of(struct fy_token *token)
{
    bool is_nothing = token == NULL || (fy_token_scalar_style(token) == FYSS_PLAIN &&
                                        fy_token_start_mark(token)->input_pos ==
                                            fy_token_end_mark(token)->input_pos);

    return is_nothing ? NULL : token;
}

static enum yaml_style style_of(struct fy_token *token)
{
    enum fy_scalar_style style;

    if (token == NULL) {
        return YAML_STYLE_EMPTY;
    }
    style = fy_token_scalar_style(token);
    if (style == FYSS_SINGLE_QUOTED) {
        return YAML_STYLE_SINGLE;
    }
    if (style == FYSS_DOUBLE_QUOTED) {
        return YAML_STYLE_DOUBLE;
    }
    return style == FYSS_LITERAL || style == FYSS_FOLDED ? YAML_STYLE_BLOCK : YAML_STYLE_PLAIN;
}

/* Convert an event of libfyaml. Returns false if it is not needed. */
static bool event_translate(struct fy_event *from, struct yaml_event *to)
{
    assert(from != NULL);
    *to = (struct yaml_event){ 0 };
    switch (from->type) {
    case FYET_DOCUMENT_START:
        to->kind = YAML_EVENT_DOCUMENT;
        span_set(to, from->document_start.document_start);
        return true;
    case FYET_DOCUMENT_END:
        to->kind = YAML_EVENT_END;
        return true;
    case FYET_MAPPING_START:
        to->kind = YAML_EVENT_MAP;
        span_set(to, from->mapping_start.mapping_start);
        name_set(to, from->mapping_start.anchor);
        tag_set(to, from->mapping_start.tag);
        return true;
    case FYET_SEQUENCE_START:
        to->kind = YAML_EVENT_LIST;
        span_set(to, from->sequence_start.sequence_start);
        name_set(to, from->sequence_start.anchor);
        tag_set(to, from->sequence_start.tag);
        return true;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        to->kind = YAML_EVENT_CLOSE;
        span_set(to, from->type == FYET_MAPPING_END ? from->mapping_end.mapping_end
                                                    : from->sequence_end.sequence_end);
        return true;
    case FYET_SCALAR:
        to->kind = YAML_EVENT_SCALAR;
        to->style = style_of(yaml_value_of(from->scalar.value));
        span_set(to, yaml_value_of(from->scalar.value));
        name_set(to, from->scalar.anchor);
        tag_set(to, from->scalar.tag);
        return true;
    case FYET_ALIAS:
        to->kind = YAML_EVENT_ALIAS;
        span_set(to, from->alias.anchor);
        name_set(to, from->alias.anchor);
        return true;
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
        break;
    }
    return false;
}

/* Report the reason why libfyaml has stopped. */
static bool fail_syntax(struct parsing *parsing)
{
    struct yaml_fault fault = {
        .bytes = parsing->reader.bytes,
        .message = "",
        .line = 1,
        .column = 1,
        .tree = &parsing->reader.tree,
    };
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(parsing->diag, &iterator);

    assert(parsing->diag != NULL);
    while (first != NULL && first->type < FYET_ERROR) {
        first = fy_diag_errors_iterate(parsing->diag, &iterator);
    }
    if (first != NULL) {
        assert(first->msg != NULL);
        fault.message = first->msg;
        fault.line = first->line < 1 ? 1 : (uint32_t)first->line;
        fault.column = first->column < 1 ? 1 : (uint32_t)first->column;
    } else { /* libfyaml gave no message: the text after the last token is most likely the fault */
        struct text bytes = parsing->reader.bytes;
        size_t at = parsing->reader.after;
        struct place place;

        while (at < bytes.length && (bytes.data[at] == ':' || bytes.data[at] == ' ')) {
            at++;
        }
        place = source_place(bytes, at, 1, NULL);
        fault.line = place.line;
        fault.column = place.column;
    }
    return yaml_fault_report(&fault, parsing->reader.err);
}

static bool parsing_run(struct parsing *parsing)
{
    bool has_ended = false;
    bool is_good = true;

    assert(parsing->parser != NULL);
    while (is_good && !has_ended) {
        struct fy_event *event = fy_parser_parse(parsing->parser);
        struct yaml_event ours;

        if (event == NULL) {
            return fail_syntax(parsing);
        }
        has_ended = event->type == FYET_STREAM_END;
        if (event_translate(event, &ours)) {
            is_good = yaml_reader_take(&parsing->reader, &ours);
        }
        fy_parser_event_free(parsing->parser, event);
    }
    return is_good;
}

/* True for JSON without line breaks, for which libfyaml needs hundreds of bytes per byte. */
static bool is_json_line(struct text bytes)
{
    struct text start = text_trim(bytes);

    return start.length > 0 && (start.data[0] == '{' || start.data[0] == '[') &&
           yaml_is_crowded(bytes);
}

MUST_CHECK static bool json_line_parse(struct arena *arena, struct text bytes,
                                       const struct origin *origin, struct yaml_docs *out,
                                       struct err_list *tolerated, struct err *err)
{
    struct doc *doc = arena_one(arena, struct doc);

    if (!json_parse_tolerant(arena, bytes, origin, doc, tolerated, err)) {
        return false;
    }
    *out = (struct yaml_docs){ doc, 1 };
    return true;
}

bool yaml_parse_tolerant(struct arena *arena, struct text bytes, const struct origin *origin,
                         struct yaml_docs *out, struct err_list *tolerated, struct err *err)
{
    struct parsing parsing;
    bool is_read;

    assert(out != NULL && err != NULL);
    if (!source_check(bytes, origin, err)) {
        return false;
    }
    if (text_has_prefix(bytes, TEXT("\xef\xbb\xbf"))) {
        /* A byte order mark does not count as a column. */
        bytes = text_slice(bytes, 3, bytes.length);
    }
    if (is_json_line(bytes)) {
        return json_line_parse(arena, bytes, origin, out, tolerated, err);
    }
    if (!yaml_guard(bytes, origin, err)) {
        return false;
    }
    if (bytes.length == 0) {
        *out = (struct yaml_docs){ 0 };
        return true;
    }
    yaml_reader_init(&parsing.reader, arena, bytes, origin, err);
    parsing.reader.tree.tolerated = tolerated;
    parser_open(&parsing, bytes);
    is_read = parsing_run(&parsing);
    parser_close(&parsing);
    yaml_reader_fini(&parsing.reader);
    if (is_read) {
        *out = (struct yaml_docs){ parsing.reader.docs, parsing.reader.doc_count };
    }
    return is_read;
}

bool yaml_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                struct yaml_docs *out, struct err *err)
{
    return yaml_parse_tolerant(arena, bytes, origin, out, NULL, err);
}
