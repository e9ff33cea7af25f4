#ifndef REEVE_CLI_MANAGER_LIVE_H
#define REEVE_CLI_MANAGER_LIVE_H

#include "cli/manager/session.h"

/* The flag -w keeps the output current. On a terminal the output is redrawn at most ten times a
 * second; elsewhere each change is one line (UX.md 3.7). */

/* Draw the picture into command->out and set *out_revision to the revision that it shows. False: an
 * error was added. */
typedef bool live_draw_fn(void *arg, uint64_t *out_revision);

struct live {
    const char *kinds;    /* kinds of objects to watch: "cluster,nodegroup" */
    const char *selector; /* may be NULL */
    live_draw_fn *draw;
    void *arg;
    bool is_jsonl; /* the output has the changed objects as JSON, one per line */
};

/* Draw once; if `is_watching`, redraw on changes until Ctrl-C. */
enum exit_code live_run(struct command *command, const struct session *session,
                        const struct live *live, bool is_watching);

#endif
