#ifndef REEVE_CLI_CHANGE_WANTED_H
#define REEVE_CLI_CHANGE_WANTED_H

#include "cli/change/change.h"
#include "cli/change/load_bundles.h"

/* The documents of -f, checked here as far as files alone allow it, for a manager to judge the
 * rest. */
struct wanted {
    struct sent sent;
    size_t
        key_count; /* the last so many documents: secrets with private keys that the files name */
    const struct target *objects; /* what each document is about, in their order */
    struct err_list local;        /* what was found here */
    struct load_bundle *bundles;  /* that they name */
    bool has_faults;              /* of the files themselves: no manager could say otherwise */
};

/* Read the files of a flag, for an object that is called so, whatever they call it. False: there is
 * nothing to send; errors were added. */
bool wanted_read_as(struct command *command, enum flag_id flag, const struct target *as,
                    struct wanted *out);

/* The same under the names of the files, with the files of another flag laid over them
 * (overlay.h). */
bool wanted_read_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct wanted *out);

/* {"documents": [...], "take": [...], "refreshFrom": true, "why": "..."}: the body of apply and
 * plans. */
struct text wanted_body(struct command *command, const struct wanted *wanted);

/* Send the bundles that the manager does not keep yet. False: it takes one not; errors were
 * added. */
bool wanted_send_bundles(struct command *command, const struct session *session,
                         const struct wanted *wanted);

/* Where the files have faults: add those, and those that the manager finds on top, each once. */
void wanted_refuse(struct command *command, const struct session *session,
                   const struct wanted *wanted);

#endif
