#ifndef REEVE_CODEC_YAML_FAULT_H
#define REEVE_CODEC_YAML_FAULT_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"
#include "codec/tree.h"

/* What is wrong in a YAML text, in our words: what was expected, what was found, and where the other
 * end of it is. Every function makes *err and returns false, so that `return yaml_fault_...` reads
 * well. tree tells what is open at that point. */

/* Where libfyaml stopped. */
struct yaml_fault {
    struct text bytes;
    const char *message; /* libfyaml's own; "" = none */
    uint32_t line;       /* from 1 */
    uint32_t column;     /* from 1, in code points */
    const struct tree *tree;
};

/* Say in our words what libfyaml refused. The same text always gives the same error. */
MUST_CHECK bool yaml_fault_report(const struct yaml_fault *fault, struct err *err);

/* A tag; `start` is the byte where its value or the tag itself begins. */
MUST_CHECK bool yaml_fault_tag(const struct tree *tree, struct text bytes, size_t start,
                               struct err *err);

/* An alias that is unknown (R0112), of itself (R0113) or one too many (R0109). */
MUST_CHECK bool yaml_fault_alias(const struct tree *tree, enum code code, struct text name,
                                 struct place place, struct err *err);

/* A key that is no scalar; `found` says what it is instead. */
MUST_CHECK bool yaml_fault_key(const struct tree *tree, const char *found, struct place place,
                               struct err *err);

/* A value that is not indented deeper than the list or map around it. */
MUST_CHECK bool yaml_fault_indent(const struct tree *tree, struct place place, struct err *err);

/* Something behind | or > that does not belong there; `place` is behind it. */
MUST_CHECK bool yaml_fault_header(const struct tree *tree, struct place place, struct err *err);

/* The plain key `<<`. */
MUST_CHECK bool yaml_fault_merge(const struct tree *tree, struct place place, struct err *err);

/* An escape that means NUL. */
MUST_CHECK bool yaml_fault_nul(const struct tree *tree, struct place place, struct err *err);

/* A plain integer beyond 64 bits. */
MUST_CHECK bool yaml_fault_integer(const struct tree *tree, const struct doc *doc, struct err *err);

#endif
