#include "api/request/trace.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Layout of a traceparent: VERSION-TRACE-SPAN-FLAGS with 2, 32, 16 and 2 digits. A later version
 * may append further parts after a dash. */
enum { VERSION_AT = 0, ID_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, WHOLE = 55 };

static int trace_digit_value(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

/* Returns whether there are only hexadecimal digits in lower case. */
static bool has_digits(struct text text, size_t start, size_t count)
{
    for (size_t i = start; i < start + count; i++) {
        if (trace_digit_value(text.data[i]) < 0) {
            return false;
        }
    }
    return true;
}

static bool is_zero(const char *digits)
{
    return digits[strspn(digits, "0")] == '\0';
}

static unsigned char trace_byte_at(struct text text, size_t start)
{
    return (unsigned char)(trace_digit_value(text.data[start]) * 16 +
                           trace_digit_value(text.data[start + 1]));
}

bool trace_parse(struct text header, struct trace *out)
{
    struct trace trace = { 0 };

    if (header.length < WHOLE || header.data[ID_AT - 1] != '-' || header.data[SPAN_AT - 1] != '-' ||
        header.data[FLAGS_AT - 1] != '-' || !has_digits(header, VERSION_AT, 2) ||
        !has_digits(header, ID_AT, 32) || !has_digits(header, SPAN_AT, 16) ||
        !has_digits(header, FLAGS_AT, 2)) {
        return false;
    }
    if (trace_byte_at(header, VERSION_AT) == 0xFF ||
        (trace_byte_at(header, VERSION_AT) == 0
             ? header.length != WHOLE
             : header.length > WHOLE && header.data[WHOLE] != '-')) {
        return false;
    }
    memcpy(trace.id, header.data + ID_AT, sizeof(trace.id) - 1);
    memcpy(trace.span, header.data + SPAN_AT, sizeof(trace.span) - 1);
    trace.flags = trace_byte_at(header, FLAGS_AT);
    if (is_zero(trace.id) || is_zero(trace.span)) {
        return false;
    }
    *out = trace;
    return true;
}

/* Writes random bytes as hexadecimal digits. */
static void digits_make(char *out, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

struct trace trace_begin(struct text header, struct random random)
{
    unsigned char bytes[24];
    struct trace trace = { 0 };

    random_fill(random, bytes, sizeof(bytes));
    bytes[0] |= 1; /* zero is not a valid trace or span */
    bytes[16] |= 1;
    if (!trace_parse(header, &trace)) {
        digits_make(trace.id, bytes, 16);
    }
    digits_make(trace.span, bytes + 16, 8);
    assert(strlen(trace.id) == 32 && strlen(trace.span) == 16);
    return trace;
}

void trace_format(const struct trace *trace, char out[static TRACE_TEXT_BYTES])
{
    /* the only known flag: the trace is recorded */
    snprintf(out, TRACE_TEXT_BYTES, "00-%.32s-%.16s-%02x", trace->id, trace->span,
             trace->flags & 1u);
}
