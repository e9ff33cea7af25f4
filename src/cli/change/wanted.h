#ifndef REEVE_CLI_CHANGE_WANTED_H
#define REEVE_CLI_CHANGE_WANTED_H

#include "cli/change/change.h"
#include "cli/change/load_bundles.h"

/* The documents of -f, checked here as far as files alone allow; the manager checks the rest. */
struct wanted {
    struct sent sent;
    size_t
        /* number of documents at the end that are secrets with private keys from the files */
        key_count;
    const struct target *objects; /* the object of each document, in their order */
    struct err_list local;        /* errors found here */
    struct load_bundle *bundles;  /* bundles that the documents name */
    /* the files themselves have faults: no manager could accept them */
    bool has_faults;
};

/* Read the files of a flag, for an object with the name of `as`, whatever name the files have.
 * False: there is nothing to send; errors were added. */
bool wanted_read_as(struct command *command, enum flag_id flag, const struct target *as,
                    struct wanted *out);

/* Like wanted_read_as(), with the names in the files, and with the files of another flag merged
 * over them (overlay.h). */
bool wanted_read_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct wanted *out);

/* Write the body of apply and plans: {"documents": [...], "take": [...], "refreshFrom": true,
 * "why": "..."}. */
struct text wanted_body(struct command *command, const struct wanted *wanted);

/* Send the bundles that the manager does not have yet. False: the manager rejected one; errors were
 * added. */
bool wanted_send_bundles(struct command *command, const struct session *session,
                         const struct wanted *wanted);

/* For files with faults: add these faults, and those that the manager finds in addition, each
 * once. */
void wanted_refuse(struct command *command, const struct session *session,
                   const struct wanted *wanted);

#endif
