#ifndef REEVE_CLI_TERM_FLOW_H
#define REEVE_CLI_TERM_FLOW_H

#include "base/mem.h"
#include "codec/doc.h"

/* Format a value on one line, in the YAML flow style of a file: {tar: base.tar, args: [x]}. Empty:
 * there is no value. This is for text output; other formats use JSON. */
struct text flow_format(struct arena *arena, const struct doc *value);

#endif
