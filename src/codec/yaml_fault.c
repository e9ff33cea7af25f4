#include "codec/yaml_fault.h"

#include "codec/source.h"
#include "codec/yaml_scan.h"

#include <assert.h>
#include <string.h>

/* libfyaml's messages describe the state of its parser, but users need to know how to correct the
 * text. So this file looks a message up by its beginning. Its row has the code, the expected token,
 * and a function that finds a better position or the other end of the error. A message without a
 * row still gives an error with its position, and libfyaml's message is in the note. */

/* The state of one translation. */
struct finding {
    const struct yaml_fault *fault;
    size_t offset;     /* offset of the fault in the bytes */
    size_t line_start; /* offset of the start of its line */
    size_t indent;     /* blanks and tabs before the first word of that line */
    struct err *err;
};

typedef void refine(struct finding *finding);

struct row {
    const char *message; /* the beginning of libfyaml's message */
    enum code code;
    const char *expected;
    const char *hint; /* NULL: no hint */
    refine *refine;   /* NULL: the fault is reported as it is */
};

/* ---- positions ---- */

static size_t line_find(struct text bytes, uint32_t line)
{
    size_t at = 0;

    assert(line > 0);
    for (uint32_t i = 1; i < line; i++) {
        size_t end = text_find_byte(text_slice(bytes, at, bytes.length), '\n');

        if (end == SIZE_MAX) {
            return bytes.length;
        }
        at += end + 1;
    }
    return at;
}

/* Return the offset of a line and column; the end of the line if the line is shorter. */
static size_t offset_find(struct text bytes, uint32_t line, uint32_t column)
{
    size_t at = line_find(bytes, line);
    size_t end = at + source_line_bytes(bytes, at, bytes.length);

    assert(column > 0);
    for (uint32_t i = 1; i < column && at < end; i++) {
        at++;
        while (at < end && ((unsigned char)bytes.data[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    return at;
}

static struct place finding_place(const struct finding *finding, size_t offset, size_t length)
{
    assert(offset <= finding->fault->bytes.length);
    return source_place(finding->fault->bytes, offset, length == 0 ? 1 : length,
                        finding->fault->tree->origin);
}

static char yaml_fault_byte_at(const struct finding *finding, size_t offset)
{
    struct text bytes = finding->fault->bytes;

    return offset < bytes.length ? bytes.data[offset] : '\0';
}

/* Return the length of the word at a byte, at least 1. */
static size_t count_word_points(const struct finding *finding, size_t offset)
{
    size_t end = offset;

    assert(offset <= finding->fault->bytes.length);
    while (yaml_fault_byte_at(finding, end) != '\0' &&
           strchr(" \t\r\n:,[]{}\"'", yaml_fault_byte_at(finding, end)) == NULL) {
        end++;
    }
    if (end == offset) {
        return 1;
    }
    return source_count_points(finding->fault->bytes.data + offset, end - offset);
}

/* Return the innermost open list or map in brackets, or NULL. */
static const struct doc *flow_find(const struct finding *finding)
{
    const struct tree *tree = finding->fault->tree;

    assert(finding->fault->tree->depth <= LIMIT_DOCUMENT_DEPTH);
    for (size_t i = tree->depth; i > 0; i--) {
        const struct doc *doc = &tree->frames[i - 1].doc;
        char c =
            yaml_fault_byte_at(finding, offset_find(finding->fault->bytes, doc->line, doc->column));

        assert(doc->line > 0);
        if (c == '[' || c == '{') {
            return doc;
        }
    }
    return NULL;
}

/* Set the position of an error, unless a refinement has found a better one. */
static void place_set(struct finding *finding, size_t offset)
{
    assert(finding->err->code != CODE_NONE);
    finding->err->place = finding_place(finding, offset, count_word_points(finding, offset));
}

/* Set the note to the position of an open list or map. A container without a key has no length
 * yet. */
static void note_place_set(struct finding *finding, const struct doc *doc)
{
    assert(doc->line > 0);
    finding->err->note_place = doc_place(doc);
    finding->err->note_place.length = 1;
}

/* ---- refinements ---- */

/* Points to the bracket that is still open. */
static void refine_bracket(struct finding *finding)
{
    const struct doc *open = flow_find(finding);
    char found[SOURCE_FOUND_BYTES];

    assert(finding->err->code != CODE_NONE);
    if (open == NULL) {
        return;
    }
    err_set(finding->err,
            finding->offset >= finding->fault->bytes.length ||
                    strchr("]}", yaml_fault_byte_at(finding, finding->offset)) != NULL
                ? CODE_R0122
                : CODE_R0101,
            "expected ',' or '%c', found %s", open->kind == DOC_KIND_LIST ? ']' : '}',
            source_found(finding->fault->bytes, finding->offset, found));
    err_note(finding->err, "the '%c' in line %u is not closed",
             open->kind == DOC_KIND_LIST ? '[' : '{', open->line);
    place_set(finding, finding->offset);
    note_place_set(finding, open);
}

/* Refines a missing value: at the end of the text a bracket is still open. */
static void refine_node(struct finding *finding)
{
    assert(finding->err->code != CODE_NONE);
    if (finding->offset >= finding->fault->bytes.length) {
        refine_bracket(finding);
    }
}

/* Refines an unclosed text in quotes. libfyaml marks the quote, or the first byte after it. */
static void refine_quote(struct finding *finding)
{
    struct text bytes = finding->fault->bytes;
    bool is_indented = strstr(finding->fault->message, "without closing") != NULL;
    bool is_single = strncmp(finding->fault->message, "single", 6) == 0 ||
                     strstr(finding->fault->message, " single") != NULL;
    size_t start = finding->offset;
    size_t length;

    assert(finding->err->code != CODE_NONE);
    if (start > 0 && yaml_fault_byte_at(finding, start - 1) == (is_single ? '\'' : '"') &&
        is_indented) {
        start--;
    }
    err_set(finding->err, CODE_R0123, "expected %s that closes the text, found %s",
            is_single ? "a single quote" : "'\"'",
            is_indented ? "the end of the text" : "a next line that is not indented deeper");
    err_hint(finding->err, "close the quote, or indent the lines that go on");
    length = source_line_bytes(bytes, start, bytes.length);
    finding->err->place =
        finding_place(finding, start, source_count_points(bytes.data + start, length));
}

/* Points to the tab among the blanks before the fault. */
static void refine_tab(struct finding *finding)
{
    assert(finding->line_start <= finding->offset);
    for (size_t at = finding->line_start; at <= finding->offset; at++) {
        if (yaml_fault_byte_at(finding, at) == '\t') {
            err_set(finding->err, CODE_R0121, "expected spaces in front of the line, found a tab");
            err_hint(finding->err, "replace the tab with spaces");
            finding->err->place = finding_place(finding, at, 1);
            return;
        }
    }
}

/* Adds the correct indentation to the note. */
static void note_indentation(struct finding *finding)
{
    const struct tree_frame *top = tree_top(finding->fault->tree);

    if (top == NULL || top->doc.line == 0) {
        return;
    }
    err_note(finding->err, "%s that begins in line %u is at column %u",
             top->doc.kind == DOC_KIND_MAP ? "the map" : "the list", top->doc.line,
             top->doc.column);
    note_place_set(finding, &top->doc);
}

/* Refines a word in place of a key: the cause is wrong indentation, a missing colon, or text after
 * a value. */
static void refine_value(struct finding *finding)
{
    const struct tree_frame *top = tree_top(finding->fault->tree);
    bool is_first = finding->offset <= finding->line_start + finding->indent;
    char found[SOURCE_FOUND_BYTES];
    size_t end = finding->offset;

    assert(finding->err->code != CODE_NONE);
    source_found(finding->fault->bytes, finding->offset, found);
    if (yaml_fault_byte_at(finding, finding->offset) == '-') {
        err_set(finding->err, CODE_R0120, "expected a key of the map, found '-'");
        err_hint(finding->err, "a list and a map cannot have the same indentation here");
        note_indentation(finding);
    } else if (!is_first) {
        err_set(finding->err, CODE_R0101, "expected the end of the value, found %s", found);
        err_hint(finding->err, "put the whole value in quotes");
    } else if (top != NULL && top->doc.column != finding->fault->column) {
        err_set(finding->err, CODE_R0120,
                "expected the indentation of the map or list around it, found %s in column %u",
                found, finding->fault->column);
        err_hint(finding->err, "give keys of one map, and items of one list, the same indentation");
        note_indentation(finding);
    } else {
        while (yaml_fault_byte_at(finding, end) > ' ' && yaml_fault_byte_at(finding, end) != ':') {
            end++;
        }
        err_set(finding->err, CODE_R0101, "expected ':' and a value after %s", found);
        err_hint(finding->err, yaml_fault_byte_at(finding, end) == ':'
                                   ? "put a space after the colon"
                                   : "a key and its value are written 'key: value'");
    }
    place_set(finding, finding->offset);
}

/* Return the offset of the first line below the fault with a key, and set *out_key to its first
 * word. SIZE_MAX: there is none. */
static size_t key_below_find(const struct finding *finding, struct text *out_key)
{
    struct text bytes = finding->fault->bytes;
    size_t at = finding->offset + source_line_bytes(bytes, finding->offset, bytes.length);

    while (at < bytes.length) {
        size_t start = at + 1 + (yaml_fault_byte_at(finding, at) == '\r');
        size_t end = start + source_line_bytes(bytes, start < bytes.length ? start : bytes.length,
                                               bytes.length);

        while (yaml_fault_byte_at(finding, start) == ' ' ||
               yaml_fault_byte_at(finding, start) == '-') {
            start++;
        }
        for (size_t i = start; i < end; i++) {
            if (bytes.data[i] == ':' && (i + 1 == end || bytes.data[i + 1] == ' ')) {
                *out_key = text_slice(bytes, start, i - start);
                return start;
            }
        }
        at = end;
    }
    return SIZE_MAX;
}

/* Refines a text that continues on the next lines, one of which is a key. */
static void refine_key(struct finding *finding)
{
    struct text bytes = finding->fault->bytes;
    struct text key = { 0 };
    size_t start = key_below_find(finding, &key);
    bool is_first = finding->offset == finding->line_start + finding->indent;
    struct place place;
    char found[SOURCE_FOUND_BYTES];

    assert(finding->err->code != CODE_NONE);
    if (start == SIZE_MAX) {
        return;
    }
    assert(start > finding->offset);
    place = finding_place(finding, start, source_count_points(key.data, key.length));
    if (is_first && place.column == finding->fault->column) {
        err_set(finding->err, CODE_R0101, "expected ':' and a value after %s",
                source_found(bytes, finding->offset, found));
        err_hint(finding->err, "a key and its value are written 'key: value'");
        place_set(finding, finding->offset);
        return;
    }
    err_set(finding->err, CODE_R0120,
            "expected nothing but text in the value of line %u, found the key '%.*s'",
            finding->fault->line, TEXT_ARG(key));
    err_hint(finding->err, "give the key the same indentation as the other keys of its map");
    err_note(finding->err, "the value begins in line %u", finding->fault->line);
    finding->err->note_place = finding_place(finding, finding->offset, 1);
    finding->err->place = place;
}

/* Extends the marked range to all recognisable characters of the escape sequence. */
static void refine_escape(struct finding *finding)
{
    struct text bytes = finding->fault->bytes;
    size_t end = finding->offset + 1;
    enum code code = finding->err->code;
    char hint[LIMIT_ERROR_TEXT_BYTES];

    assert(finding->err->code == CODE_R0103 || finding->err->code == CODE_R0124);
    if (yaml_fault_byte_at(finding, finding->offset) != '\\') {
        return;
    }
    memcpy(hint, finding->err->hint, sizeof(hint));
    while (end < finding->offset + 10 && end < bytes.length &&
           strchr(" \t\r\n\"\\", bytes.data[end]) == NULL) {
        end++;
    }
    while (((unsigned char)yaml_fault_byte_at(finding, end) & 0xc0) == 0x80) {
        end++; /* include the whole code point */
    }
    err_set(finding->err, code, "expected %s, found '%.*s'",
            code == CODE_R0103 ? "an escape that is a character"
                               : "an escape such as \\n or \\u00e9",
            (int)(end - finding->offset), bytes.data + finding->offset);
    err_hint(finding->err, "%s", hint);
    finding->err->place =
        finding_place(finding, finding->offset,
                      source_count_points(bytes.data + finding->offset, end - finding->offset));
}

/* Refines a comma or bracket in place of a value. */
static void refine_extra(struct finding *finding)
{
    err_hint(finding->err, yaml_fault_byte_at(finding, finding->offset) == ','
                               ? "remove the comma"
                               : "remove the bracket");
}

/* ---- the table ---- */

static const struct row rows[] = {
#define ROW(message, code, expected, hint, refine) { message, CODE_##code, expected, hint, refine },
#include "codec/yaml_fault.def"
#undef ROW
};

static const struct row *yaml_fault_row_find(const char *message)
{
    assert(message != NULL);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strncmp(message, rows[i].message, strlen(rows[i].message)) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

bool yaml_fault_report(const struct yaml_fault *fault, struct err *err)
{
    const struct row *row = yaml_fault_row_find(fault->message);
    struct finding finding = { .fault = fault, .err = err };
    char found[SOURCE_FOUND_BYTES];

    assert(fault->tree != NULL);
    assert(fault->line > 0 && fault->column > 0);
    finding.line_start = line_find(fault->bytes, fault->line);
    finding.offset = offset_find(fault->bytes, fault->line, fault->column);
    while (yaml_fault_byte_at(&finding, finding.line_start + finding.indent) == ' ' ||
           yaml_fault_byte_at(&finding, finding.line_start + finding.indent) == '\t') {
        finding.indent++;
    }
    if (row != NULL && row->code == CODE_R0110) {
        return yaml_fault_tag(fault->tree, fault->bytes, finding.offset, err);
    }
    source_found(fault->bytes, finding.offset, found);
    if (row == NULL) {
        err_set(err, CODE_R0101, "expected YAML, found %s", found);
        if (fault->message[0] != '\0') {
            err_note(err, "%s", fault->message);
        }
    } else {
        err_set(err, row->code, "expected %s, found %s", row->expected, found);
        if (row->hint != NULL) {
            err_hint(err, "%s", row->hint);
        }
    }
    place_set(&finding, finding.offset);
    if (row != NULL && row->refine != NULL) {
        row->refine(&finding);
    }
    assert(err->place.line > 0);
    return false;
}
