/* YAML: no text breaks the parser; every error has a place; and the places of parsed data are
 * within the text. Parsing its canonical JSON gives the same bytes, and parsing its YAML gives the
 * same tree. */
#include <string.h>

#include "codec/json.h"
#include "codec/yaml.h"
#include "fuzz.h"

static void check_round_trip(struct arena *arena, const struct doc *doc)
{
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };
    struct buf buf;
    bool is_read;
    bool is_same;

    buf_init(&buf, arena);
    yaml_format(&buf, doc);
    if (buf.length > LIMIT_DOCUMENT_BYTES) {
        return;
    }
    is_read = yaml_parse(arena, buf_text(&buf), &origin, &docs, &err) && docs.count == 1;
    is_same = is_read && doc_is_equal(doc, &docs.items[0]);
    if (!is_same) {
        fprintf(stderr, "%u:%u: %s\n%s", err.place.line, err.place.column, err.text, buf.data);
    }
    FUZZ_CHECK(is_read);
    FUZZ_CHECK(is_same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct text bytes = { (const char *)data, size };
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    if (!yaml_parse(arena, bytes, &origin, &docs, &err)) {
        fuzz_check_error(&err, bytes);
        return 0;
    }
    for (size_t i = 0; i < docs.count; i++) {
        fuzz_check_tree(&docs.items[i], bytes);
        fuzz_check_canonical(arena, &docs.items[i]);
        check_round_trip(arena, &docs.items[i]);
    }
    return 0;
}
