#ifndef REEVE_CLI_ARGS_WHEN_H
#define REEVE_CLI_ARGS_WHEN_H

#include "cli/args/command.h"

/* public names start with: when_ */

/* Format a time of RFC 3339 for users: as "2 h ago" on a terminal, otherwise in UTC (UX.md 3.5).
 * Any other text is returned unchanged. */
struct text when_format(const struct command *command, struct text time);

/* Format how long ago a time was: "just now", "12 s ago", "3 d ago". */
struct text when_ago(struct arena *arena, int64_t time_ms, int64_t now_ms);

#endif
