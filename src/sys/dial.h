#ifndef REEVE_SYS_DIAL_H
#define REEVE_SYS_DIAL_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/loop.h"

/* Knock at a TCP port: does somebody open? Nothing is sent or read. */
struct dial;

enum dial_end {
    DIAL_OPEN,    /* somebody took the connection */
    DIAL_REFUSED, /* the machine is there, and nobody listens */
    DIAL_SILENT,  /* no answer in time, or no way there */
};

/* `why` is for people; empty where it is open. Called once, and the dial is gone then. */
typedef void dial_done(void *arg, enum dial_end end, const char *why);

/* Knock at an address (not a name: nobody waits for a resolver here). `done` comes in a later turn of the loop. False:
 * the system has no descriptor for it, or the address is none (R0532). */
MUST_CHECK bool dial_start(struct loop *loop, struct text address, uint16_t port,
                           uint64_t timeout_ms, dial_done *done, void *arg, struct dial **out,
                           struct err *err);

/* Do not call back. */
void dial_cancel(struct dial *dial);

#endif
