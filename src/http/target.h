#ifndef REEVE_HTTP_TARGET_H
#define REEVE_HTTP_TARGET_H

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/mem.h"

/* public names start with: target_ */

/* One NAME=VALUE of the query string. */
struct target_parameter {
    struct text name;
    struct text value;
};

/* The target of the request line. */
struct target {
    struct text path; /* decoded: begins with /, well-formed UTF-8 without control characters */
    struct target_parameter parameters[LIMIT_HTTP_PARAMETERS];
    size_t parameter_count;
};

/* Parses a target in origin form, /path?name=value&... The result lives in the arena. R0420: it has
 * another form; an escape is not %XX; a parameter occurs twice; a part of the path is `.` or `..`;
 * or it is longer than LIMIT_HTTP_TARGET_BYTES. */
MUST_CHECK bool target_parse(struct arena *arena, struct text raw, struct target *out,
                             struct err *err);

/* Returns the value of a parameter; NULL: it was not sent. */
const struct text *target_parameter_find(const struct target *target, const char *name);

#endif
