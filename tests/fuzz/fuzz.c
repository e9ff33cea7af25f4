#include "fuzz.h"

#include <string.h>

#include "codec/json.h"

static size_t line_count(struct text bytes)
{
    size_t count = 1;

    for (size_t i = 0; i < bytes.length; i++) {
        count += bytes.data[i] == '\n';
    }
    return count;
}

/* Returns the number of code points of a line, without its line end. */
static size_t line_points(struct text bytes, size_t line)
{
    size_t start = 0;
    size_t end;

    for (size_t i = 1; i < line; i++) {
        start += text_find_byte(text_slice(bytes, start, bytes.length), '\n') + 1;
    }
    end = text_find_byte(text_slice(bytes, start, bytes.length), '\n');
    return text_count_points(text_slice(bytes, start, end == SIZE_MAX ? bytes.length : end));
}

static void check_place(struct place place, struct text bytes)
{
    FUZZ_CHECK(place_is_known(place));
    FUZZ_CHECK(place.line >= 1 && place.line <= line_count(bytes) + 1);
    FUZZ_CHECK(place.column >= 1 && place.length >= 1);
    if (place.line <= line_count(bytes)) {
        FUZZ_CHECK(place.column <= line_points(bytes, place.line) + 1);
        FUZZ_CHECK(place.column + place.length <= line_points(bytes, place.line) + 2);
    }
}

void fuzz_check_error(const struct err *err, struct text bytes)
{
    FUZZ_CHECK(err->code > CODE_NONE && err->code < CODE_COUNT);
    FUZZ_CHECK(err->text[0] != '\0');
    FUZZ_CHECK(text_find_bad_utf8(text_from(err->text)) == SIZE_MAX);
    FUZZ_CHECK(text_find_bad_utf8(text_from(err->note)) == SIZE_MAX);
    FUZZ_CHECK(text_find_bad_utf8(text_from(err->hint)) == SIZE_MAX);
    FUZZ_CHECK(text_find_bad_utf8(text_from(err->path)) == SIZE_MAX);
    if (bytes.length < 4096) {
        check_place(err->place, bytes);
        if (place_is_known(err->note_place)) {
            check_place(err->note_place, bytes);
        }
    }
}

void fuzz_check_tree(const struct doc *doc, struct text bytes)
{
    FUZZ_CHECK(doc_is_present(doc));
    if (bytes.length < 1024) {
        check_place(doc_place(doc), bytes);
    }
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        fuzz_check_tree(&doc->items[i], bytes);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        if (bytes.length < 1024) {
            check_place(doc_key_place(&doc->entries[i]), bytes);
        }
        FUZZ_CHECK(i == 0 || text_compare(doc->entries[i - 1].key, doc->entries[i].key) < 0);
        fuzz_check_tree(&doc->entries[i].value, bytes);
    }
}

void fuzz_check_canonical(struct arena *arena, const struct doc *doc)
{
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct buf first;
    struct buf again;
    struct doc copy = { 0 };
    struct err err = { 0 };

    buf_init(&first, arena);
    json_format(&first, doc);
    FUZZ_CHECK(first.length == json_count_bytes(doc));
    if (first.length > LIMIT_DOCUMENT_BYTES) {
        return; /* aliases can make a document larger than the limit */
    }
    FUZZ_CHECK(json_parse(arena, buf_text(&first), &origin, &copy, &err));
    buf_init(&again, arena);
    json_format(&again, &copy);
    FUZZ_CHECK(text_is_equal(buf_text(&first), buf_text(&again)));

    buf_init(&again, arena);
    json_format_pretty(&again, doc);
    if (again.length <= LIMIT_DOCUMENT_BYTES) {
        struct doc pretty = { 0 };

        FUZZ_CHECK(json_parse(arena, buf_text(&again), &origin, &pretty, &err));
        FUZZ_CHECK(doc_is_equal(&pretty, &copy));
    }
}
