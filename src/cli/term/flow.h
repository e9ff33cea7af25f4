#ifndef REEVE_CLI_TERM_FLOW_H
#define REEVE_CLI_TERM_FLOW_H

#include "base/mem.h"
#include "codec/doc.h"

/* A value on one line, as it could be in a file: {tar: base.tar, args: [x]}. Empty where there is
 * none. For people; programs get JSON. */
struct text flow_format(struct arena *arena, const struct doc *value);

#endif
