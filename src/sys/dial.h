#ifndef REEVE_SYS_DIAL_H
#define REEVE_SYS_DIAL_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/loop.h"

/* Connects to a TCP port. Reports whether the connection is accepted and, on request, whether an
 * SSH server sends its banner. Sends nothing. */
struct dial;

enum dial_end {
    DIAL_OPEN,    /* accepted, and the banner arrived if requested */
    DIAL_REFUSED, /* refused, or closed by the server before the banner */
    DIAL_MUTE,    /* accepted, but no banner in time */
    DIAL_SILENT,  /* no answer in time, or no route to the machine */
};

/* Called once; then the dial is freed. `why` is the reason as text; empty for DIAL_OPEN. */
typedef void dial_done(void *arg, enum dial_end end, const char *why);

/* The target of a dial. */
struct dial_target {
    /* numeric address; names are not resolved */
    struct text address;
    uint16_t port;
    /* true: also wait for the identification line of an SSH server (RFC 4253, 4.2) */
    bool is_ssh;
    /* time limit in ms for the whole dial, including the banner */
    uint64_t timeout_ms;
};

/* Connect. `done` is called in a later iteration of the loop. Fails with R0532 if no descriptor is
 * available or the address is invalid. */
MUST_CHECK bool dial_start(struct loop *loop, const struct dial_target *target, dial_done *done,
                           void *arg, struct dial **out, struct err *err);

/* Stop and free the dial; `done` is not called. */
void dial_cancel(struct dial *dial);

#endif
