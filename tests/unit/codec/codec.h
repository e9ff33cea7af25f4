#ifndef REEVE_TESTS_UNIT_CODEC_CODEC_H
#define REEVE_TESTS_UNIT_CODEC_CODEC_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "unit.h"

/* Memory limit of the tests. It is sufficient for every document of these tests; parsing must not
 * need more. */
#define ARENA_BYTES ((size_t)512 * 1024 * 1024)

static const struct origin file_origin = { .kind = ORIGIN_FILE, .source = 1 };

/* Parses a text that must be valid JSON. */
static inline struct doc json_read(struct arena *arena, struct text bytes)
{
    struct doc doc = { 0 };
    struct err err = { 0 };

    if (!json_parse(arena, bytes, &file_origin, &doc, &err)) {
        fail_msg("%.*s: %u:%u: %s", TEXT_ARG(bytes), err.place.line, err.place.column, err.text);
    }
    return doc;
}

/* Parses a text that must be valid YAML with one document. */
static inline struct doc yaml_read(struct arena *arena, struct text bytes)
{
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    if (!yaml_parse(arena, bytes, &file_origin, &docs, &err)) {
        fail_msg("%.*s: %u:%u: %s", TEXT_ARG(bytes), err.place.line, err.place.column, err.text);
    }
    assert_int_equal(docs.count, 1);
    return docs.items[0];
}

/* Returns the canonical form. */
static inline const char *canonical(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    assert_int_equal(buf.length, json_count_bytes(doc));
    return buf_text(&buf).data;
}

/* A text that is refused, with the expected error. */
struct refusal {
    const char *bytes;
    enum code code;
    uint32_t line;
    uint32_t column;
    uint32_t length;
    const char *text; /* expected text of the error; NULL: not checked */
    const char *path;
};

typedef bool read_function(struct arena *arena, struct text bytes, struct err *err);

static inline void check_refusal(read_function *parse, struct text bytes,
                                 const struct refusal *refusal)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct err err = { 0 };

    if (parse(arena, bytes, &err)) {
        fail_msg("accepted: %.*s", TEXT_ARG(bytes));
    }
    if (err.code != refusal->code || err.place.line != refusal->line ||
        err.place.column != refusal->column || err.place.length != refusal->length ||
        (refusal->text != NULL && strcmp(err.text, refusal->text) != 0) ||
        (refusal->path != NULL && strcmp(err.path, refusal->path) != 0)) {
        fail_msg("%.200s\n    is %s %u:%u+%u '%s' path '%s'\nnot %s %u:%u+%u '%s'", bytes.data,
                 code_get(err.code)->name, err.place.line, err.place.column, err.place.length,
                 err.text, err.path, code_get(refusal->code)->name, refusal->line, refusal->column,
                 refusal->length, refusal->text == NULL ? "" : refusal->text);
    }
    assert_int_equal(err.place.source, 1);
}

#endif
