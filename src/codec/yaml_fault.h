#ifndef REEVE_CODEC_YAML_FAULT_H
#define REEVE_CODEC_YAML_FAULT_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"
#include "codec/tree.h"

/* Error messages for errors in a YAML text: the expected token, the found token, and the position
 * of the matching bracket or earlier key. Every function sets *err and returns false, so that
 * callers can write `return yaml_fault_...`. `tree` has the containers that are open at the
 * error. */

/* The position at which libfyaml stopped. */
struct yaml_fault {
    struct text bytes;
    const char *message; /* libfyaml's message; "": none */
    uint32_t line;       /* line number from 1 */
    uint32_t column;     /* column from 1, in code points */
    const struct tree *tree;
};

/* Translate libfyaml's error. The same text always gives the same error. */
MUST_CHECK bool yaml_fault_report(const struct yaml_fault *fault, struct err *err);

/* Report a tag; `start` is the first byte of its value, or of the tag itself. */
MUST_CHECK bool yaml_fault_tag(const struct tree *tree, struct text bytes, size_t start,
                               struct err *err);

/* Report an alias that is unknown (R0112), contains itself (R0113), or exceeds the limit
 * (R0109). */
MUST_CHECK bool yaml_fault_alias(const struct tree *tree, enum code code, struct text name,
                                 struct place place, struct err *err);

/* Report a key that is not a scalar; `found` is its kind. */
MUST_CHECK bool yaml_fault_key(const struct tree *tree, const char *found, struct place place,
                               struct err *err);

/* Report a value that is not indented deeper than the list or map around it. */
MUST_CHECK bool yaml_fault_indent(const struct tree *tree, struct place place, struct err *err);

/* Report invalid characters in the header after | or >; `place` is the position after it. */
MUST_CHECK bool yaml_fault_header(const struct tree *tree, struct place place, struct err *err);

/* Report more documents than the limit. */
MUST_CHECK bool yaml_fault_documents(const struct tree *tree, struct place place, struct err *err);

/* Report the plain key `<<`. */
MUST_CHECK bool yaml_fault_merge(const struct tree *tree, struct place place, struct err *err);

/* Report an escape sequence for NUL. */
MUST_CHECK bool yaml_fault_nul(const struct tree *tree, struct place place, struct err *err);

/* Report a plain integer beyond 64 bits. */
MUST_CHECK bool yaml_fault_integer(const struct tree *tree, const struct doc *doc, struct err *err);

#endif
