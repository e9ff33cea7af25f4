#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"

#include <assert.h>
#include <string.h>

/* A fast reader for records, which json_format() wrote: no spaces, keys in byte order, most strings
 * in ASCII without an escape. Each request reads some of them. The reader for texts of users also
 * tracks positions and makes messages, which would take most of the time of a request.
 *
 * Normal case: one pass over the bytes. Children are on one stack until their container ends; then
 * they are copied into the arena.
 *
 * Failure: any other form ends this pass, such as an escape, a fraction, a character beyond ASCII,
 * a thousand fields or an error. The other reader then reads the text from its start. So both
 * readers accept the same texts and give the same tree. */

enum {
    PENDING_MAX = 192, /* maximum number of entries on the stack */
    DIGITS_MAX = 18,   /* digits of a number that certainly fits into 64 bits */
};

struct scan {
    const char *at;
    const char *end;
    struct arena *arena;
    const struct origin *origin;
    struct doc_entry *pending;
    size_t count; /* entries on the stack */
    size_t depth;
};

static bool value_scan(struct scan *scan, struct doc *out);

/* Skip the next byte and return true if it has this value. */
static inline bool json_record_byte_take(struct scan *scan, char byte)
{
    bool is_it = scan->at < scan->end && *scan->at == byte;

    scan->at += is_it;
    return is_it;
}

#define HIGH_BITS UINT64_C(0x8080808080808080)

static inline bool is_json_record_plain(char byte)
{
    return byte >= 0x20 && byte != '"' && byte != '\\' && (unsigned char)byte < 0x80;
}

/* Read the string after its opening quote. */
static inline bool string_scan(struct scan *scan, struct text *out)
{
    const char *start = scan->at;
    const char *at = start;

    while (scan->end - at >= (ptrdiff_t)sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        word = text_specials(word) | (word & HIGH_BITS);
        if (word != 0) { /* the lowest mark is exact; a big-endian machine checks single bytes */
            at += __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(word) / 8 : 0;
            break;
        }
        at += sizeof(word);
    }
    while (at < scan->end && is_json_record_plain(*at)) {
        at++;
    }
    *out = (struct text){ start, (size_t)(at - start) };
    scan->at = at;
    return json_record_byte_take(scan, '"');
}

static inline struct doc json_record_scalar_make(const struct scan *scan, enum doc_style style,
                                                 struct text text)
{
    assert(style == DOC_STYLE_PLAIN || style == DOC_STYLE_QUOTED);
    return (struct doc){
        .kind = DOC_KIND_SCALAR, .style = (uint8_t)style, .origin = scan->origin, .text = text
    };
}

/* Read an integer of at most DIGITS_MAX digits. */
static bool json_record_number_scan(struct scan *scan, struct doc *out)
{
    const char *start = scan->at;
    const char *digits = start + (*start == '-');
    const char *at = digits;

    while (at < scan->end && *at >= '0' && *at <= '9') {
        at++;
    }
    if (at == digits || at - digits > DIGITS_MAX || (*digits == '0' && at - digits > 1)) {
        return false;
    }
    scan->at = at;
    *out = json_record_scalar_make(scan, DOC_STYLE_PLAIN,
                                   (struct text){ start, (size_t)(at - start) });
    return true;
}

/* Read true, false or null. */
static bool scan_word(struct scan *scan, struct doc *out)
{
    static const struct text words[] = { TEXT("true"), TEXT("false"), TEXT("null") };
    struct text rest = { scan->at, (size_t)(scan->end - scan->at) };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (text_has_prefix(rest, words[i])) {
            *out = json_record_scalar_make(scan, DOC_STYLE_PLAIN,
                                           text_slice(rest, 0, words[i].length));
            scan->at += words[i].length;
            return true;
        }
    }
    return false;
}

/* Return an entry for one more child; NULL if there are too many. */
static inline struct doc_entry *pending_take(struct scan *scan)
{
    assert(scan->count <= PENDING_MAX);
    return scan->count == PENDING_MAX ? NULL : &scan->pending[scan->count++];
}

/* Read a list after the opening bracket. */
static bool list_scan(struct scan *scan, struct doc *out)
{
    size_t first = scan->count;
    struct doc *items;
    bool goes_on = !json_record_byte_take(scan, ']');

    while (goes_on) {
        struct doc_entry *entry = pending_take(scan);

        if (entry == NULL || !value_scan(scan, &entry->value)) {
            return false;
        }
        goes_on = json_record_byte_take(scan, ',');
        if (!goes_on && !json_record_byte_take(scan, ']')) {
            return false;
        }
    }
    items = arena_array(scan->arena, struct doc, scan->count - first);
    for (size_t i = first; i < scan->count; i++) {
        items[i - first] = scan->pending[i].value;
    }
    *out = (struct doc){ .kind = DOC_KIND_LIST,
                         .origin = scan->origin,
                         .items = items,
                         .item_count = scan->count - first };
    scan->count = first;
    return true;
}

/* Read a key with its value. */
static bool entry_scan(struct scan *scan, struct doc_entry *entry)
{
    entry->line = 0;
    entry->column = 0;
    entry->length = 0;
    return json_record_byte_take(scan, '"') && string_scan(scan, &entry->key) &&
           json_record_byte_take(scan, ':') && value_scan(scan, &entry->value);
}

/* Read a map after the opening bracket. */
static bool map_scan(struct scan *scan, struct doc *out)
{
    size_t first = scan->count;
    bool goes_on = !json_record_byte_take(scan, '}');

    while (goes_on) {
        struct doc_entry *entry = pending_take(scan);

        if (entry == NULL || !entry_scan(scan, entry) ||
            (entry > &scan->pending[first] && text_compare(entry[-1].key, entry->key) >= 0)) {
            return false;
        }
        goes_on = json_record_byte_take(scan, ',');
        if (!goes_on && !json_record_byte_take(scan, '}')) {
            return false;
        }
    }
    *out = (struct doc){
        .kind = DOC_KIND_MAP,
        .origin = scan->origin,
        .entries = arena_copy(scan->arena, scan->pending + first,
                              (scan->count - first) * sizeof(*scan->pending)),
        .entry_count = scan->count - first,
    };
    scan->count = first;
    return true;
}

static bool container_scan(struct scan *scan, char bracket, struct doc *out)
{
    bool is_good;

    if (scan->depth == LIMIT_DOCUMENT_DEPTH) {
        return false;
    }
    scan->depth++;
    is_good = bracket == '{' ? map_scan(scan, out) : list_scan(scan, out);
    scan->depth--;
    return is_good;
}

static bool value_scan(struct scan *scan, struct doc *out)
{
    struct text text;
    char first;

    if (scan->at == scan->end) {
        return false;
    }
    first = *scan->at;
    if (first == '"') {
        scan->at++;
        if (!string_scan(scan, &text)) {
            return false;
        }
        *out = json_record_scalar_make(scan, DOC_STYLE_QUOTED, text);
        return true;
    }
    if (first == '{' || first == '[') {
        scan->at++;
        return container_scan(scan, first, out);
    }
    return first == '-' || (first >= '0' && first <= '9') ? json_record_number_scan(scan, out)
                                                          : scan_word(scan, out);
}

bool json_parse_record(struct arena *arena, struct text bytes, const struct origin *origin,
                       struct doc *out, struct err *err)
{
    /* each entry is written before it is counted */
    NOT_CLEARED struct doc_entry pending[PENDING_MAX];
    struct arena_mark mark = arena_mark(arena);
    struct scan scan = { .at = bytes.data,
                         .end = bytes.data + bytes.length,
                         .arena = arena,
                         .origin = origin,
                         .pending = pending };
    struct doc read;

    /* Texts of users need positions, which this reader does not track. */
    assert(origin == NULL || origin->source == 0);
    /* so few bytes cannot exceed the limit on values */
    if (bytes.length > 0 && bytes.length < LIMIT_DOCUMENT_NODES && value_scan(&scan, &read) &&
        scan.at == scan.end) {
        *out = read;
        return true;
    }
    arena_rewind(arena, mark);
    return json_parse(arena, bytes, origin, out, err);
}
