#ifndef REEVE_FETCH_REDFISH_H
#define REEVE_FETCH_REDFISH_H

#include "base/err.h"
#include "base/mem.h"
#include "base/secret.h"

/* public names start with: redfish_ */

/* One call to the BMC of a machine by Redfish, for the manager (bmc/bmc.h). The order is JSON:
 * {call, ca, pin, system, uefi, url, user}; call: status, boot, off, on. The answer is
 * {state} or {fault, why}; the faults are those of enum power_fault. */
struct redfish_order {
    struct text call;
    struct text url; /* https://ADDRESS:PORT */
    struct text user;
    struct text pin;    /* sha256//BASE64; empty: the certificate is verified with CAs */
    struct text system; /* path of the system; empty: the only one */
    bool has_ca;        /* FETCH_FD_CA is open */
    bool is_uefi;
};

enum { REDFISH_ORDER_BYTES = 4096, REDFISH_PASSWORD_BYTES = 1024 };

MUST_CHECK bool redfish_order_parse(struct arena *arena, struct text bytes,
                                    struct redfish_order *out, struct err *err);

/* Makes the call, and returns the answer. `authorities` is a PEM file with CAs. */
struct text redfish_run(struct arena *arena, const struct redfish_order *order,
                        struct secret password, const char *authorities);

/* The answer for an order that was not carried out. */
struct text redfish_refusal(struct arena *arena, const char *fault, const char *why);

#endif
