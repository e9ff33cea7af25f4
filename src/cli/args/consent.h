#ifndef REEVE_CLI_ARGS_CONSENT_H
#define REEVE_CLI_ARGS_CONSENT_H

#include <stdbool.h>

#include "cli/args/command.h"
#include "codec/doc.h"

/* Consent (UX.md 3.3): every change needs the consent of the user. */

/* The consent that a change needs: the member `needs` of an answer, and other changes. */
struct consent_needs {
    uint64_t destroy;
    uint64_t replace;
    uint64_t reboot;
    uint64_t rename;
    /* Number of serving members on which stages that are not idempotent run again. For these, --yes
     * alone is not enough. */
    uint64_t rerun;
    uint64_t volumes; /* number of volumes deleted with their machines; shown with the question */
    bool is_change;   /* the change also has other effects */
    /* the name that the user must type if a cluster is deleted or renamed; may be empty */
    struct text to_type;
};

/* Ask for consent, or take it from --yes and --allow. `words` has the context and the tenant.
 * `detail` (may be NULL) is called if the user asks for more detail. False: consent was not given;
 * the error with exit code 11 was added. */
typedef void consent_detail_fn(void *arg);
bool consent_get(struct command *command, const struct consent_needs *needs, struct text words,
                 consent_detail_fn *detail, void *arg);

/* Read --allow destroy=4,replace=2. False: an error was added. */
bool consent_allow_read(struct command *command, struct consent_needs *out);

#endif
