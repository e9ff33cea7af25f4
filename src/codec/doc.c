#include "codec/doc.h"

#include "base/sort.h"

#include <assert.h>
#include <string.h>

static bool is_one_of(struct text text, const struct text *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool is_null_word(struct text text)
{
    static const struct text words[] = { TEXT("null"), TEXT("Null"), TEXT("NULL"), TEXT("~") };

    return is_one_of(text, words, ARRAY_COUNT(words));
}

static bool is_bool_word(struct text text)
{
    static const struct text words[] = { TEXT("true"),  TEXT("True"),  TEXT("TRUE"),
                                         TEXT("false"), TEXT("False"), TEXT("FALSE") };

    return is_one_of(text, words, ARRAY_COUNT(words));
}

bool doc_is_null(const struct doc *doc)
{
    return doc_is_scalar(doc) && doc->style == DOC_STYLE_PLAIN && is_null_word(doc->text);
}

/* Return the number of digits of this base (8, 10, 16) from `at` on. */
static size_t count_digits(struct text text, size_t at, int base)
{
    size_t start = at;

    for (; at < text.length; at++) {
        char c = text.data[at];
        bool is_digit = (c >= '0' && c <= (base == 8 ? '7' : '9')) ||
                        (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));

        if (!is_digit) {
            break;
        }
    }
    return at - start;
}

/* Find the type of a plain number by this pattern: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) (
 * [eE] [-+]? [0-9]+ )? | [-+]? \.inf | \.nan */
static enum doc_type number_type(struct text text)
{
    static const struct text words[] = { TEXT(".inf"), TEXT(".Inf"), TEXT(".INF"),
                                         TEXT(".nan"), TEXT(".NaN"), TEXT(".NAN") };
    bool has_sign = text.data[0] == '-' || text.data[0] == '+';
    struct text rest = text_slice(text, has_sign ? 1 : 0, text.length);
    size_t at = count_digits(rest, 0, 10);
    size_t digits = at;
    bool is_float = false;

    if (!has_sign && at == 1 && rest.data[0] == '0' && rest.length > 2 &&
        (rest.data[1] == 'o' || rest.data[1] == 'x')) {
        size_t used = count_digits(rest, 2, rest.data[1] == 'o' ? 8 : 16);

        return used == rest.length - 2 ? DOC_TYPE_INT : DOC_TYPE_TEXT;
    }
    if (is_one_of(rest, words, has_sign ? 3 : ARRAY_COUNT(words))) {
        return DOC_TYPE_FLOAT;
    }
    if (at < rest.length && rest.data[at] == '.') {
        size_t more = count_digits(rest, at + 1, 10);

        is_float = true;
        digits += more;
        at += 1 + more;
    }
    if (digits > 0 && at < rest.length && (rest.data[at] == 'e' || rest.data[at] == 'E')) {
        size_t sign =
            at + 1 < rest.length && (rest.data[at + 1] == '-' || rest.data[at + 1] == '+');
        size_t more = count_digits(rest, at + 1 + sign, 10);

        is_float = more > 0;
        at += more > 0 ? 1 + sign + more : 0;
    }
    if (digits == 0 || at != rest.length) {
        return DOC_TYPE_TEXT;
    }
    return is_float ? DOC_TYPE_FLOAT : DOC_TYPE_INT;
}

enum doc_type doc_core_type(const struct doc *doc)
{
    assert(doc_is_scalar(doc));
    if (doc->style == DOC_STYLE_QUOTED) {
        return DOC_TYPE_TEXT;
    }
    if (doc->style == DOC_STYLE_EMPTY || doc->text.length == 0) {
        return DOC_TYPE_NULL;
    }
    switch (doc->text.data[0]) {
    case 'n':
    case 'N':
    case '~':
        return is_null_word(doc->text) ? DOC_TYPE_NULL : DOC_TYPE_TEXT;
    case 't':
    case 'T':
    case 'f':
    case 'F':
        return is_bool_word(doc->text) ? DOC_TYPE_BOOL : DOC_TYPE_TEXT;
    case '+':
    case '-':
    case '.':
        return number_type(doc->text);
    default:
        return doc->text.data[0] >= '0' && doc->text.data[0] <= '9' ? number_type(doc->text)
                                                                    : DOC_TYPE_TEXT;
    }
}

const struct doc_entry *doc_entry_find(const struct doc *doc, struct text key)
{
    size_t low = 0;
    size_t high;

    if (!doc_is_map(doc)) {
        return NULL;
    }
    high = doc->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(key, doc->entries[middle].key);

        if (order == 0) {
            return &doc->entries[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const struct doc *doc_find(const struct doc *doc, struct text key)
{
    const struct doc_entry *entry = doc_entry_find(doc, key);

    return entry == NULL ? NULL : &entry->value;
}

/* True if this step of a pointer, with ~0 and ~1 in it, spells the key. */
static bool step_is_key(struct text step, struct text key)
{
    size_t at = 0;

    for (size_t i = 0; i < step.length; i++, at++) {
        char c = step.data[i];

        if (c == '~' && i + 1 < step.length &&
            (step.data[i + 1] == '0' || step.data[i + 1] == '1')) {
            c = step.data[++i] == '0' ? '~' : '/';
        }
        if (at >= key.length || key.data[at] != c) {
            return false;
        }
    }
    return at == key.length;
}

static const struct doc *doc_step_follow(const struct doc *doc, struct text step)
{
    int64_t index;

    if (doc_is_list(doc)) {
        bool is_index = text_parse_int64(step, &index) && index >= 0;

        return is_index && (uint64_t)index < doc->item_count ? &doc->items[index] : NULL;
    }
    if (text_find_byte(step, '~') == SIZE_MAX) {
        return doc_find(doc, step);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        if (step_is_key(step, doc->entries[i].key)) {
            return &doc->entries[i].value;
        }
    }
    return NULL;
}

const struct doc *doc_at(const struct doc *doc, struct text pointer)
{
    while (doc != NULL && pointer.length > 0) {
        struct text rest = text_slice(pointer, 1, pointer.length);
        size_t end = text_find_byte(rest, '/');

        if (pointer.data[0] != '/') {
            return NULL;
        }
        if (end == SIZE_MAX) {
            end = rest.length;
        }
        doc = doc_step_follow(doc, text_slice(rest, 0, end));
        pointer = text_slice(rest, end, rest.length);
    }
    return doc;
}

struct place doc_place(const struct doc *doc)
{
    assert(doc != NULL);
    if (doc->origin == NULL || doc->origin->source == 0 || doc->line == 0) {
        return (struct place){ 0 };
    }
    return (struct place){ doc->line, doc->column, doc->length, doc->origin->source };
}

struct place doc_key_place(const struct doc_entry *entry)
{
    const struct origin *origin = entry->value.origin;

    if (origin == NULL || origin->source == 0 || entry->line == 0) {
        return (struct place){ 0 };
    }
    return (struct place){ entry->line, entry->column, entry->length, origin->source };
}

size_t doc_count_nodes(const struct doc *doc)
{
    size_t count = 1;

    assert(doc != NULL);
    if (doc->kind == DOC_KIND_LIST) {
        for (size_t i = 0; i < doc->item_count; i++) {
            count += doc_count_nodes(&doc->items[i]);
        }
    } else if (doc->kind == DOC_KIND_MAP) {
        for (size_t i = 0; i < doc->entry_count; i++) {
            count += doc_count_nodes(&doc->entries[i].value);
        }
    }
    return count;
}

static bool scalar_is_equal(const struct doc *a, const struct doc *b)
{
    enum doc_type type;

    if (a->style == b->style && text_is_equal(a->text, b->text)) {
        /* Scalars of the same spelling and style have the same meaning. */
        return true;
    }
    type = doc_core_type(a);
    if (type != doc_core_type(b)) {
        return false;
    }
    return type == DOC_TYPE_NULL || text_is_equal(a->text, b->text);
}

bool doc_is_equal(const struct doc *a, const struct doc *b)
{
    assert(a != NULL && b != NULL);
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == DOC_KIND_SCALAR) {
        return scalar_is_equal(a, b);
    }
    if (doc_is_shared(a, b)) {
        return true;
    }
    if (a->kind == DOC_KIND_LIST) {
        for (size_t i = 0; i < a->item_count && i < b->item_count; i++) {
            if (!doc_is_equal(&a->items[i], &b->items[i])) {
                return false;
            }
        }
        return a->item_count == b->item_count;
    }
    if (a->kind == DOC_KIND_MAP) {
        for (size_t i = 0; i < a->entry_count && i < b->entry_count; i++) {
            if (!text_is_equal(a->entries[i].key, b->entries[i].key) ||
                !doc_is_equal(&a->entries[i].value, &b->entries[i].value)) {
                return false;
            }
        }
        return a->entry_count == b->entry_count;
    }
    return true;
}

struct doc doc_int(struct arena *arena, int64_t value, const struct doc *like)
{
    return doc_plain(arena_number(arena, value), like);
}

struct doc doc_bool(bool value, const struct doc *like)
{
    return doc_plain(value ? TEXT("true") : TEXT("false"), like);
}

struct doc doc_list(const struct doc *items, size_t count, const struct doc *like)
{
    struct doc doc = doc_like(DOC_KIND_LIST, like);

    assert(items != NULL || count == 0);
    doc.items = items;
    doc.item_count = count;
    return doc;
}

/* True if the entries are in byte order and keys are unique. */
static bool is_doc_ordered(const struct doc_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (text_compare(entries[i - 1].key, entries[i].key) >= 0) {
            return false;
        }
    }
    return true;
}

struct doc doc_map(const struct doc_entry *entries, size_t count, const struct doc *like)
{
    struct doc doc = doc_like(DOC_KIND_MAP, like);

    assert(entries != NULL || count == 0);
    assert(is_doc_ordered(entries, count));
    doc.entries = entries;
    doc.entry_count = count;
    return doc;
}

struct doc doc_with_origins(struct arena *arena, const struct doc *doc, doc_origin_map *map,
                            void *arg)
{
    struct doc copy = *doc;

    assert(map != NULL);
    copy.origin = map(doc->origin, arg);
    if (doc->kind == DOC_KIND_LIST) {
        struct doc *items = arena_array(arena, struct doc, doc->item_count);

        for (size_t i = 0; i < doc->item_count; i++) {
            items[i] = doc_with_origins(arena, &doc->items[i], map, arg);
        }
        copy.items = items;
    } else if (doc->kind == DOC_KIND_MAP) {
        struct doc_entry *entries = arena_array(arena, struct doc_entry, doc->entry_count);

        for (size_t i = 0; i < doc->entry_count; i++) {
            entries[i] = doc->entries[i];
            entries[i].value = doc_with_origins(arena, &doc->entries[i].value, map, arg);
        }
        copy.entries = entries;
    }
    return copy;
}

void doc_builder_init(struct doc_builder *builder, struct arena *arena)
{
    assert(arena != NULL);
    *builder = (struct doc_builder){ .arena = arena };
}

void doc_builder_grow(struct doc_builder *builder)
{
    size_t room = builder->room == 0 ? 8 : builder->room * 2;
    size_t entry_bytes = sizeof(*builder->entries);

    assert(builder->count == builder->room);
    builder->entries = arena_grow(builder->arena, builder->entries, builder->room * entry_bytes,
                                  room * entry_bytes);
    builder->room = room;
}

static int doc_entry_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct doc_entry *)a)->key, ((const struct doc_entry *)b)->key);
}

/* Sort the entries and keep the last one of each key. Returns the number of entries. */
static size_t entries_sort(struct doc_builder *builder)
{
    struct doc_entry *entries = builder->entries;
    size_t kept = 0;

    sort_stable(builder->arena, entries, builder->count, sizeof(*entries), doc_entry_compare, NULL);
    for (size_t i = 0; i < builder->count; i++) {
        bool is_last =
            i + 1 == builder->count || !text_is_equal(entries[i].key, entries[i + 1].key);

        if (is_last) {
            entries[kept++] = entries[i];
        }
    }
    assert(is_doc_ordered(entries, kept));
    return kept;
}

struct doc doc_builder_map(struct doc_builder *builder, const struct doc *like)
{
    struct doc doc = doc_like(DOC_KIND_MAP, like);

    assert(builder->entries != NULL || builder->count == 0);
    /* in most cases the entries come from maps, which are already in order */
    doc.entry_count =
        is_doc_ordered(builder->entries, builder->count) ? builder->count : entries_sort(builder);
    doc.entries = builder->entries;
    return doc;
}
