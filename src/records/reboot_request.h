#ifndef REEVE_RECORDS_REBOOT_REQUEST_H
#define REEVE_RECORDS_REBOOT_REQUEST_H

#include "codec/doc.h"
#include "records/record.h"

/* public names start with: reboots_ reboot_ */

/* Operator requests to reboot machines (docs/decisions/0120), and the boot ids that show whether a
 * machine has rebooted. */

/* One reboot request in the operator commands of a group (pass_commands.c). */
struct reboot_request {
    uint64_t number;
    struct text by;
    const struct doc *tokens; /* a list of tokens */
};

/* Sets *out to the request at *at and advances *at. False: there is no further request. */
bool reboots_request_next(const struct doc *words, size_t *at, struct reboot_request *out);

/* Return the latest request about this machine; its number is 0 if there is none. */
struct reboot_request reboots_request_of(const struct doc *words, struct text token);

/* True if the machine has booted since the record requested a reboot. `read` is the boot text of
 * the machine, "BOOT SECONDS": its boot id and its uptime. */
bool reboots_is_over(const struct record *record, struct text read, uint64_t now_ms);

/* Returns the boot id of a boot text. */
struct text reboots_boot(struct text read);

#endif
