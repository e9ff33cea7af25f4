/* Compares the JSON parser with jansson: both accept the same texts and return the same values,
 * except for the differences in README.md. Parsed data is formatted in canonical form; parsing this
 * gives the same tree and the same bytes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "codec/json.h"
#include "codec/yaml.h"
#include "fuzz.h"

static bool is_same(const struct doc *doc, const json_t *value);

static bool is_same_map(const struct doc *doc, const json_t *value)
{
    if (json_object_size(value) != doc->entry_count) {
        return false;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct text key = doc->entries[i].key;

        if (!is_same(&doc->entries[i].value, json_object_getn(value, key.data, key.length))) {
            return false;
        }
    }
    return true;
}

static bool is_same_scalar(const struct doc *doc, const json_t *value)
{
    char *end = NULL;
    char spelling[64];

    switch (doc_core_type(doc)) {
    case DOC_TYPE_NULL:
        return json_is_null(value);
    case DOC_TYPE_BOOL:
        return json_is_boolean(value) && json_is_true(value) == text_is(doc->text, "true");
    case DOC_TYPE_TEXT:
        return json_is_string(value) &&
               text_is_equal(doc->text,
                             (struct text){ json_string_value(value), json_string_length(value) });
    case DOC_TYPE_INT:
    case DOC_TYPE_FLOAT:
    case DOC_TYPE_COUNT:
        break;
    }
    if (doc->text.length >= sizeof(spelling)) {
        return json_is_number(value);
    }
    memcpy(spelling, doc->text.data, doc->text.length);
    spelling[doc->text.length] = '\0';
    if (json_is_integer(value)) {
        return strtoll(spelling, &end, 10) == json_integer_value(value);
    }
    return json_is_real(value) && strtod(spelling, &end) == json_real_value(value);
}

static bool is_same(const struct doc *doc, const json_t *value)
{
    if (doc->kind == DOC_KIND_MAP) {
        return json_is_object(value) && is_same_map(doc, value);
    }
    if (doc->kind == DOC_KIND_LIST) {
        bool same = json_is_array(value) && json_array_size(value) == doc->item_count;

        for (size_t i = 0; same && i < doc->item_count; i++) {
            same = is_same(&doc->items[i], json_array_get(value, i));
        }
        return same;
    }
    return is_same_scalar(doc, value);
}

/* Checks that parsing JSON as YAML gives the same tree, unless it is not valid YAML. */
static void check_as_yaml(struct arena *arena, struct text bytes, const struct doc *doc)
{
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    if (yaml_parse(arena, bytes, &origin, &docs, &err)) {
        FUZZ_CHECK(docs.count == 1);
        FUZZ_CHECK(doc_is_equal(doc, &docs.items[0]));
    }
}

/* Checks that the parser of records accepts the same texts and returns the same trees, and that the
 * formatted tree is a record. */
static void check_as_record(struct arena *arena, struct text bytes, const struct doc *doc)
{
    struct doc record = { 0 };
    struct err err = { 0 };
    struct buf buf;

    FUZZ_CHECK(json_parse_record(arena, bytes, NULL, &record, &err) == (doc != NULL));
    FUZZ_CHECK(doc == NULL || doc_is_equal(doc, &record));
    if (doc != NULL) {
        buf_init(&buf, arena);
        json_format(&buf, doc);
        FUZZ_CHECK(json_parse_record(arena, buf_text(&buf), NULL, &record, &err));
        FUZZ_CHECK(doc_is_equal(doc, &record));
        FUZZ_CHECK(json_is_longer(doc, buf.length - 1) && !json_is_longer(doc, buf.length));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct text bytes = { (const char *)data, size };
    struct doc doc = { 0 };
    struct err err = { 0 };
    json_error_t error;
    json_t *value;
    bool is_read;

    is_read = json_parse(arena, bytes, &origin, &doc, &err);
    value = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!is_read) {
        fuzz_check_error(&err, bytes);
        FUZZ_CHECK(value == NULL || err_kind(&err) == ERR_KIND_LIMIT || err.code == CODE_R0104);
    } else if (value == NULL) {
        FUZZ_CHECK(json_error_code(&error) == json_error_numeric_overflow);
    } else {
        FUZZ_CHECK(is_same(&doc, value));
    }
    check_as_record(arena, bytes, is_read ? &doc : NULL);
    if (is_read) {
        fuzz_check_canonical(arena, &doc);
        check_as_yaml(arena, bytes, &doc);
    }
    json_decref(value);
    return 0;
}
