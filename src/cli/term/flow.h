#ifndef REEVE_CLI_TERM_FLOW_H
#define REEVE_CLI_TERM_FLOW_H

#include "base/mem.h"
#include "codec/doc.h"

/* A value on one line, in the YAML flow style of a file: {tar: base.tar, args: [x]}. Empty where
 * there is no value. For users; programs get JSON. */
struct text flow_format(struct arena *arena, const struct doc *value);

#endif
