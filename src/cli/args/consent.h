#ifndef REEVE_CLI_ARGS_CONSENT_H
#define REEVE_CLI_ARGS_CONSENT_H

#include <stdbool.h>

#include "cli/args/command.h"
#include "codec/doc.h"

/* Consent (UX.md 3.3): every change needs the consent of the user. */

/* What a change needs: the member `needs` of an answer, and what is put in place or made again. */
struct consent_needs {
    uint64_t destroy;
    uint64_t replace;
    uint64_t reboot;
    uint64_t rename;
    /* Members that serve, on which stages that are not idempotent run again: --yes alone does not
     * do. */
    uint64_t rerun;
    bool is_change; /* something else changes, too */
    struct text
        to_type; /* the name that has to be typed: a cluster goes or is renamed; may be empty */
};

/* Ask, or find the answer in --yes and --allow. `words`: context and tenant. `detail` (may be NULL)
 * is called when more is to be shown. False: no, and the error with exit code 11 was added. */
typedef void consent_detail_fn(void *arg);
bool consent_get(struct command *command, const struct consent_needs *needs, struct text words,
                 consent_detail_fn *detail, void *arg);

/* Read --allow destroy=4,replace=2. False: an error was added. */
bool consent_allow_read(struct command *command, struct consent_needs *out);

#endif
