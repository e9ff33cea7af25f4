#include "cli/term/glyph.h"

#include "base/macros.h"

#define GLYPH_BAD_BYTE 0xDC00u

struct glyph_range {
    uint32_t first;
    uint32_t last;
};

/* Combining marks, which are drawn over the letter before them. */
static const struct glyph_range ranges_zero[] = {
    { 0x0300, 0x036F },   { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x05BF, 0x05BF },
    { 0x05C1, 0x05C2 },   { 0x05C4, 0x05C5 }, { 0x0610, 0x061A }, { 0x064B, 0x065F },
    { 0x0670, 0x0670 },   { 0x06D6, 0x06DC }, { 0x06DF, 0x06E4 }, { 0x06E7, 0x06E8 },
    { 0x06EA, 0x06ED },   { 0x0900, 0x0902 }, { 0x093A, 0x093A }, { 0x093C, 0x093C },
    { 0x0941, 0x0948 },   { 0x094D, 0x094D }, { 0x0E31, 0x0E31 }, { 0x0E34, 0x0E3A },
    { 0x0E47, 0x0E4E },   { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x200B, 0x200D },
    { 0x20D0, 0x20F0 },   { 0x2DE0, 0x2DFF }, { 0x302A, 0x302D }, { 0x3099, 0x309A },
    { 0xFE00, 0xFE0F },   { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF }, { 0x1F3FB, 0x1F3FF },
    { 0xE0100, 0xE01EF },
};

/* East Asian wide and full-width characters, and emoji. */
static const struct glyph_range ranges_wide[] = {
    { 0x1100, 0x115F },   { 0x231A, 0x231B },   { 0x2329, 0x232A },   { 0x23E9, 0x23EC },
    { 0x25FD, 0x25FE },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x26A1, 0x26A1 },
    { 0x2705, 0x2705 },   { 0x274C, 0x274C },   { 0x2753, 0x2755 },   { 0x2E80, 0x3029 },
    { 0x302E, 0x303E },   { 0x3041, 0x3098 },   { 0x309B, 0x4DBF },   { 0x4E00, 0xA4CF },
    { 0xA960, 0xA97F },   { 0xAC00, 0xD7A3 },   { 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },
    { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },   { 0x1F300, 0x1F3FA }, { 0x1F400, 0x1F64F },
    { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x1FA70, 0x1FAFF }, { 0x20000, 0x3FFFD },
};

static bool glyph_range_has(const struct glyph_range *ranges, size_t count, uint32_t point)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (point > ranges[middle].last) {
            low = middle + 1;
        } else if (point < ranges[middle].first) {
            count = middle;
        } else {
            return true;
        }
    }
    return false;
}

uint32_t glyph_next(struct text text, size_t *at)
{
    const unsigned char *bytes = (const unsigned char *)text.data + *at;
    size_t left = text.length - *at;
    size_t length = bytes[0] < 0x80   ? 1
                    : bytes[0] < 0xc2 ? 0
                    : bytes[0] < 0xe0 ? 2
                    : bytes[0] < 0xf0 ? 3
                    : bytes[0] < 0xf5 ? 4
                                      : 0;
    uint32_t point;

    if (length == 1) {
        *at += 1;
        return bytes[0];
    }
    if (length == 0 || length > left) {
        *at += 1;
        return GLYPH_BAD_BYTE + bytes[0];
    }
    point = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            *at += 1;
            return GLYPH_BAD_BYTE + bytes[0];
        }
        point = point << 6 | (bytes[i] & 0x3fu);
    }
    if ((length == 3 && point < 0x800) || (length == 4 && point < 0x10000) || point > 0x10ffff ||
        (point >= 0xd800 && point <= 0xdfff)) {
        *at += 1;
        return GLYPH_BAD_BYTE + bytes[0];
    }
    *at += length;
    return point;
}

static bool point_is_bad_byte(uint32_t point)
{
    return point >= GLYPH_BAD_BYTE + 0x80 && point <= GLYPH_BAD_BYTE + 0xff;
}

/* True for code points that are shown as \xNN. */
static bool point_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point_is_bad_byte(point);
}

/* True for code points that are shown as \uNNNN: direction overrides and line separators, which
 * hide the true order of the text. */
static bool point_is_deceptive(uint32_t point)
{
    return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0x200e || point == 0x200f || point == 0x061c || point == 0x2028 ||
           point == 0x2029;
}

unsigned glyph_columns(uint32_t point)
{
    if (point < 0x20 || point >= 0x7f) {
        if (point_is_control(point)) {
            return 4;
        }
        if (point_is_deceptive(point)) {
            return 6;
        }
        if (glyph_range_has(ranges_zero, ARRAY_COUNT(ranges_zero), point)) {
            return 0;
        }
        return glyph_range_has(ranges_wide, ARRAY_COUNT(ranges_wide), point) ? 2 : 1;
    }
    return 1;
}

size_t glyph_text_columns(struct text text)
{
    size_t columns = 0;
    size_t at = 0;

    if (text_is_visible(text)) {
        return text.length;
    }
    while (at < text.length) {
        columns += glyph_columns(glyph_next(text, &at));
    }
    return columns;
}

static void utf8_write(struct buf *buf, uint32_t point)
{
    if (point < 0x80) {
        buf_add_bytes(buf, (char)point, 1);
    } else if (point < 0x800) {
        buf_add_bytes(buf, (char)(0xc0 | point >> 6), 1);
        buf_add_bytes(buf, (char)(0x80 | (point & 0x3f)), 1);
    } else if (point < 0x10000) {
        buf_add_bytes(buf, (char)(0xe0 | point >> 12), 1);
        buf_add_bytes(buf, (char)(0x80 | (point >> 6 & 0x3f)), 1);
        buf_add_bytes(buf, (char)(0x80 | (point & 0x3f)), 1);
    } else {
        buf_add_bytes(buf, (char)(0xf0 | point >> 18), 1);
        buf_add_bytes(buf, (char)(0x80 | (point >> 12 & 0x3f)), 1);
        buf_add_bytes(buf, (char)(0x80 | (point >> 6 & 0x3f)), 1);
        buf_add_bytes(buf, (char)(0x80 | (point & 0x3f)), 1);
    }
}

void glyph_write(struct buf *buf, uint32_t point)
{
    if (point_is_control(point)) {
        buf_printf(buf, "\\x%02x", (unsigned)(point & 0xff));
    } else if (point_is_deceptive(point)) {
        buf_printf(buf, "\\u%04x", (unsigned)point);
    } else {
        utf8_write(buf, point);
    }
}

void glyph_write_text(struct buf *buf, struct text text)
{
    size_t at = 0;

    while (at < text.length) {
        size_t start = at;
        uint32_t point;

        while (at < text.length &&
               (text.data[at] == '\t' || (text.data[at] >= 0x20 && text.data[at] < 0x7f))) {
            at++; /* the common case: plain ASCII is written in one piece */
        }
        buf_add(buf, text_slice(text, start, at - start));
        if (at < text.length) {
            point = glyph_next(text, &at);
            glyph_write(buf, point);
        }
    }
}

size_t glyph_widest(size_t so_far, struct text text, size_t most)
{
    size_t columns = glyph_text_columns(text);

    return columns > so_far && columns <= most ? columns : so_far;
}

void glyph_write_plain(struct buf *buf, struct text text)
{
    size_t from = 0;

    for (size_t i = 0; i < text.length; i++) {
        size_t escape = text_escape_length(text, i);

        if (escape > 0) {
            glyph_write_text(buf, text_slice(text, from, i - from));
            from = i + escape;
            i = from - 1;
        }
    }
    glyph_write_text(buf, text_slice(text, from, SIZE_MAX));
}
