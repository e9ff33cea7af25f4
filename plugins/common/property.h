#ifndef COMMON_PROPERTY_H
#define COMMON_PROPERTY_H

#include "base/macros.h"
#include "base/mem.h"
#include "reeve/plugin.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: property_ plain_ */

/* Reads the properties of a call. A value of the wrong form is reported as a fault at its pointer,
 * and reading continues, so that one call reports all faults. */
struct property {
    const struct reeve_host_v1 *host;
    struct reeve_call *call;
    struct arena *arena;
    bool is_wrong; /* a fault was reported */
};

static inline struct text plain_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}
static inline struct reeve_text plain_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

/* Wrappers of functions of the host: plain_fault reports a fault at a pointer, plain_log writes to
 * the log of the manager. */
void plain_fault(const struct reeve_host_v1 *host, struct reeve_call *call, const char *pointer,
                 const char *format, va_list args) PRINTF_LIKE(4, 0);
void plain_log(const struct reeve_host_v1 *host, int32_t level, const char *format, va_list args)
    PRINTF_LIKE(3, 0);

/* Percent-encodes text for a URL. Letters, digits and the bytes of `plain` stay unchanged. */
struct text plain_url(struct arena *arena, struct text text, const char *plain);

/* Report a fault at a pointer. */
void property_fault(struct property *property, const char *pointer, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* True if there is a value that is not null. */
bool property_is_given(struct property *property, const char *pointer);

/* Read the value of a property as a text, a flag or an integer. They return `initial` if the value
 * is missing or invalid. An empty text is invalid. */
struct text property_text(struct property *property, const char *pointer, const char *initial);
bool property_flag(struct property *property, const char *pointer, bool initial);
int64_t property_integer(struct property *property, const char *pointer, int64_t initial,
                         int64_t least, int64_t most);

/* Reads a number with at most three decimals, in thousandths: 1.5 is 1500. Returns 0 if it is
 * missing. */
int64_t property_milli(struct property *property, const char *pointer, int64_t most);

/* Reads the members of a list of texts. Returns their number, at most `most`. */
size_t property_texts(struct property *property, const char *pointer, struct text *out,
                      size_t most);

/* Reads the login user from /user, or returns `initial`. */
struct text property_user(struct property *property, const char *initial);

/* Converts a name to the letters of DNS: lower-case letters, digits and single dashes, at most
 * `most` bytes, beginning with a letter. Other characters become dashes; `n` is put before a
 * leading digit. */
struct text property_dns_name(struct arena *arena, struct text name, size_t most);

/* Returns the part of a token that names of a machine contain: its last `count` bytes. The first
 * bytes are the same for all tokens that a manager draws for a cluster. */
struct text property_token_part(struct text token, size_t count);

#endif
