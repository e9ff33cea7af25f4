#ifndef REEVE_SYS_DIAL_H
#define REEVE_SYS_DIAL_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/loop.h"

/* Connect to a TCP port: is the connection accepted, and, where that is asked for, does an SSH server send its banner?
 * Nothing is sent. */
struct dial;

enum dial_end {
    DIAL_OPEN, /* the connection was accepted, and the banner has come */
    DIAL_REFUSED, /* the machine is there, and nothing listens, or the connection ends before the banner */
    DIAL_MUTE,   /* the connection was accepted, and no banner came in time */
    DIAL_SILENT, /* no answer in time, or no way there */
};

/* `why` is for people; empty where it is open. Called once, and the dial is gone then. */
typedef void dial_done(void *arg, enum dial_end end, const char *why);

/* What to connect to. */
struct dial_target {
    /* Numeric: no resolver is asked. */
    struct text address;
    uint16_t port;
    /* Wait for the identification line of an SSH server (RFC 4253, 4.2) as well. */
    bool is_ssh;
    /* For all of it. */
    uint64_t timeout_ms;
};

/* Connect. `done` comes in a later turn of the loop. False: the system has no descriptor for it, or the address is
 * none (R0532). */
MUST_CHECK bool dial_start(struct loop *loop, const struct dial_target *target, dial_done *done,
                           void *arg, struct dial **out, struct err *err);

/* Do not call back. */
void dial_cancel(struct dial *dial);

#endif
