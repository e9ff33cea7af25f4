#include "base/limits.h"
#include "base/suggest.h"
#include "codec/number.h"
#include "model/scalar.h"
#include "model/shape_value.h"

#include <assert.h>
#include <string.h>

struct text shape_words(struct shape *shape, const struct shape_step *step)
{
    if (step == NULL) {
        return TEXT("the document");
    }
    if (step->key.data == NULL) {
        return arena_printf(shape->arena, "item %zu of '%.*s'", step->index + 1,
                            step->outer == NULL ? 0 : TEXT_ARG(step->outer->key));
    }
    return arena_printf(shape->arena, "'%.*s'", TEXT_ARG(step->key));
}

/* Format a scalar for a message; a long one is cut. */
static struct text scalar_words(struct shape *shape, const struct doc *doc)
{
    size_t length = doc->text.length;

    if (length > 60) {
        for (length = 57; length > 0 && (doc->text.data[length] & 0xc0) == 0x80;) {
            length--; /* do not cut a character */
        }
    }
    return arena_printf(shape->arena, "'%.*s%s'", (int)length,
                        doc->text.data == NULL ? "" : doc->text.data,
                        length < doc->text.length ? "..." : "");
}

static struct err *mismatch(struct shape *shape, const struct doc *doc,
                            const struct shape_step *step, enum code code, const char *wanted)
{
    struct text what = shape_words(shape, step);
    struct text got = scalar_words(shape, doc);

    return shape_fault(shape, step, doc_place(doc), code,
                       arena_printf(shape->arena, "%.*s must be %s, got %.*s", TEXT_ARG(what),
                                    wanted, TEXT_ARG(got)));
}

static bool shape_scalar_text_read(struct shape *shape, const struct schema_type *type,
                                   const struct doc *doc, const struct shape_step *step,
                                   struct doc *out)
{
    struct err err;

    if (type->check != NULL && !type->check(doc->text, &err)) {
        err_place(&err, doc_place(doc));
        shape_path(&err, step);
        err_list_add(shape->errors, &err);
        return false;
    }
    *out = doc_text(doc->text, doc);
    return true;
}

static bool int_read(struct shape *shape, const struct schema_type *type, const struct doc *doc,
                     const struct shape_step *step, struct doc *out)
{
    int64_t value;

    if (doc->style == DOC_STYLE_QUOTED || !text_parse_int64(doc->text, &value)) {
        struct err *err = mismatch(shape, doc, step, CODE_R0302, "an integer");

        if (doc->style == DOC_STYLE_QUOTED && text_parse_int64(doc->text, &value)) {
            err_hint(err, "leave the quotes out: %lld", (long long)value);
        }
        return false;
    }
    if (value < type->min || value > type->max) {
        struct text bounds = arena_printf(shape->arena, "from %lld to %lld", (long long)type->min,
                                          (long long)type->max);

        mismatch(shape, doc, step, CODE_R0305, bounds.data);
        return false;
    }
    /* Each number is stored in one spelling: -0 becomes 0, and 007 becomes 7. */
    *out = doc_int(shape->arena, value, doc);
    return true;
}

static bool shape_scalar_bool_read(struct shape *shape, const struct doc *doc,
                                   const struct shape_step *step, struct doc *out)
{
    static const char *const others[] = { "yes", "Yes", "on",  "On",  "True",  "TRUE",
                                          "no",  "No",  "off", "Off", "False", "FALSE" };
    bool is_plain = doc->style == DOC_STYLE_PLAIN;

    if (!is_plain || !(text_is(doc->text, "true") || text_is(doc->text, "false"))) {
        struct err *err = mismatch(shape, doc, step, CODE_R0302, "true or false");

        for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
            if (text_is(doc->text, others[i])) {
                err_hint(err, "write %s", i < ARRAY_COUNT(others) / 2 ? "true" : "false");
            }
        }
        return false;
    }
    *out = doc_plain(doc->text, doc);
    return true;
}

static bool shape_scalar_word_read(struct shape *shape, const struct schema_type *type,
                                   const struct doc *doc, const struct shape_step *step,
                                   struct doc *out)
{
    struct text word = schema_word_find(type, doc->text);
    struct suggest suggest = suggest_start(doc->text);
    struct text words;
    struct err *err;

    if (word.length > 0) {
        *out = doc_text(word, doc);
        return true;
    }
    for (size_t i = 0; schema_word_at(type, i).length > 0; i++) {
        suggest_offer(&suggest, schema_word_at(type, i));
    }
    words = schema_type_format(shape->arena,
                               &(struct schema_type){ .kind = TYPE_WORD, .words = type->words });
    err = mismatch(shape, doc, step, CODE_R0307, words.data);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    }
    return false;
}

static bool shape_scalar_size_read(struct shape *shape, const struct schema_type *type,
                                   const struct doc *doc, const struct shape_step *step,
                                   struct doc *out)
{
    uint64_t bytes;
    struct err *err;

    if (scalar_parse_size(doc->text, type->unit, &bytes)) {
        bool is_bare =
            text_find_byte(TEXT("0123456789"), doc->text.data[doc->text.length - 1]) != SIZE_MAX;

        *out = is_bare ? doc_plain(doc->text, doc) : doc_text(doc->text, doc);
        return true;
    }
    err = mismatch(shape, doc, step, CODE_R0319, "a size");
    err_hint(err, "units are B kB MB GB TB KiB MiB GiB TiB, as in 20GiB%s%s",
             type->unit == NULL ? "" : "; a bare number counts ",
             type->unit == NULL ? "" : type->unit);
    return false;
}

/* Return a text that describes the expected integer and its bounds. */
static const char *bounds_words(struct shape *shape, const struct schema_type *type)
{
    return arena_printf(shape->arena, "a %s",
                        schema_type_format(shape->arena, &(struct schema_type){ .kind = type->kind,
                                                                                .min = type->min,
                                                                                .max = type->max })
                            .data)
        .data;
}

static bool shape_scalar_duration_read(struct shape *shape, const struct schema_type *type,
                                       const struct doc *doc, const struct shape_step *step,
                                       struct doc *out)
{
    uint64_t ms;

    if (scalar_parse_duration(doc->text, &ms)) {
        if (ms < (uint64_t)type->min || (type->max > 0 && ms > (uint64_t)type->max)) {
            (void)mismatch(shape, doc, step, CODE_R0319, bounds_words(shape, type));
            return false;
        }
        *out = doc_text(doc->text, doc);
        return true;
    }
    err_hint(mismatch(shape, doc, step, CODE_R0319, "a duration"),
             "units are ms s m h d, as in 30s or 1h30m");
    return false;
}

static bool share_read(struct shape *shape, const struct schema_type *type, const struct doc *doc,
                       const struct shape_step *step, struct doc *out)
{
    struct scalar_share share;

    if (scalar_parse_share(doc->text, &share)) {
        if ((int64_t)share.value < type->min) {
            (void)mismatch(shape, doc, step, CODE_R0302, bounds_words(shape, type));
            return false;
        }
        *out =
            share.is_percent ? doc_text(doc->text, doc) : doc_int(shape->arena, share.value, doc);
        return true;
    }
    err_hint(mismatch(shape, doc, step, CODE_R0302, "a count or a percentage"),
             "write a count like 3 or a percentage like 34%%");
    return false;
}

/* True for an integer beyond 64 bits: the reader has reported it and continued. */
static bool is_reported_by_reader(const struct doc *doc)
{
    return doc->style == DOC_STYLE_PLAIN && doc->text.length >= strlen("9223372036854775808") &&
           doc_core_type(doc) == DOC_TYPE_INT && !number_fits_int64(doc->text);
}

bool shape_scalar(struct shape *shape, const struct schema_type *type, const struct doc *doc,
                  const struct shape_step *step, struct doc *out)
{
    assert(out != NULL);
    if (!doc_is_scalar(doc)) {
        struct text wanted =
            schema_type_format(shape->arena, &(struct schema_type){ .kind = type->kind,
                                                                    .min = type->min,
                                                                    .max = type->max,
                                                                    .words = type->words,
                                                                    .what = type->what });
        struct text what = shape_words(shape, step);

        shape_fault(shape, step, doc_place(doc), CODE_R0302,
                    arena_printf(shape->arena, "%.*s must be %s, got a %s", TEXT_ARG(what),
                                 wanted.data, doc_is_list(doc) ? "list" : "map"));
        return false;
    }
    if (is_reported_by_reader(doc)) {
        return false;
    }
    switch (type->kind) {
    case TYPE_TEXT:
        return shape_scalar_text_read(shape, type, doc, step, out);
    case TYPE_INT:
        return int_read(shape, type, doc, step, out);
    case TYPE_BOOL:
        return shape_scalar_bool_read(shape, doc, step, out);
    case TYPE_WORD:
        return shape_scalar_word_read(shape, type, doc, step, out);
    case TYPE_SIZE:
        return shape_scalar_size_read(shape, type, doc, step, out);
    case TYPE_DURATION:
        return shape_scalar_duration_read(shape, type, doc, step, out);
    case TYPE_SHARE:
        return share_read(shape, type, doc, step, out);
    case TYPE_OBJECT:
    case TYPE_OPAQUE:
    case TYPE_GROUPS:
    case TYPE_KIND_COUNT:
        break;
    }
    assert(false && "no scalar type");
    return false;
}
