#ifndef REEVE_CLI_CHANGE_WANTED_H
#define REEVE_CLI_CHANGE_WANTED_H

#include "cli/change/change.h"
#include "cli/change/load_bundles.h"

/* The documents of -f. This program checks them as far as possible without a manager; the manager
 * checks the rest. */
struct wanted {
    struct sent sent;
    /* number of documents at the end that are secrets with private keys from the files */
    size_t key_count;
    const struct target *objects; /* the object of each document, in their order */
    struct err_list local;        /* errors found by this program */
    struct load_bundle *bundles;  /* bundles that the documents name */
    /* the files have faults that any manager would reject */
    bool has_faults;
};

/* Read the files of a flag for the object `as`; its name overrides the name in the files. False:
 * there is nothing to send; errors were added. */
bool wanted_read_as(struct command *command, enum flag_id flag, const struct target *as,
                    struct wanted *out);

/* Same as wanted_read_as(), with the names in the files, and with the files of flag `over_flag`
 * merged over them (overlay.h). */
bool wanted_read_overlaid(struct command *command, enum flag_id flag, enum flag_id over_flag,
                          struct wanted *out);

/* Write the body of apply and plans: {"documents": [...], "take": [...], "refreshFrom": true,
 * "why": "..."}. */
struct text wanted_body(struct command *command, const struct wanted *wanted);

/* Send the bundles that the manager does not have yet. False: the manager rejected one; errors were
 * added. */
bool wanted_send_bundles(struct command *command, const struct session *session,
                         const struct wanted *wanted);

/* For files with faults: add these faults, and the further faults that the manager finds, without
 * duplicates. */
void wanted_refuse(struct command *command, const struct session *session,
                   const struct wanted *wanted);

#endif
