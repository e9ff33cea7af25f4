#ifndef REEVE_SESSION_LIBSSH_PARTS_H
#define REEVE_SESSION_LIBSSH_PARTS_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "session/transport_end.h"

/* private to src/session */
/* public names start with: libssh_ */

/* Declarations that libssh.c (sessions) and libssh_channel.c (channels) share. While libssh
 * processes a packet, it calls callbacks; these must not free any object of libssh.
 * libssh_channels_go frees ended channels afterwards. */

enum libssh_stage {
    LIBSSH_CONNECTING, /* TCP connect */
    LIBSSH_BANNER,     /* waits for the first line from the server */
    LIBSSH_GREETING,   /* key exchange and host key */
    LIBSSH_LOGIN,
    LIBSSH_OPEN,
    LIBSSH_GONE,
};

/* A channel. It may outlive its call. */
struct libssh_channel {
    struct libssh_channel *next;
    struct libssh_session *session;
    struct libssh_call *call; /* NULL: the call was dropped, but the channel still exists */
    ssh_channel channel;
    struct ssh_channel_callbacks_struct callbacks;
    /* copy of the command; freed when the node has received it, because the command may run for
     * hours */
    char *command;
    struct text piece; /* copy of the current piece of input */
    struct text input; /* the part of `piece` that is not written yet */
    bool is_open;
    bool is_asked; /* the command was requested */
    bool is_eof_sent;
    bool is_over; /* the other side has closed the channel */
    int code;
    bool has_code;
    char signal[16];
};

struct libssh_session {
    struct transport_session base;
    ssh_session session;
    ssh_event event;
    ssh_key key;
    enum libssh_stage stage;
    int socket; /* descriptor of the driver; libssh has a duplicate, which it may close at any
                 * time */
    struct loop_descriptor *descriptor;
    unsigned turns;           /* number of iterations before the session was open */
    struct loop_timer *again; /* continues the session in the next iteration, without a socket
                               * event */
    bool is_busy;             /* a libssh function is on the call stack */
    struct libssh_channel *channels;
};

struct libssh_call {
    struct transport_call base;
    struct libssh_channel *channel;
};

/* Callbacks of transport_driver: begin a call, drop it, continue it after a pause, and pass on a
 * piece of input. */
void libssh_call(struct transport_call *call);
void libssh_drop(struct transport_call *call);
void libssh_flow(struct transport_call *call);
void libssh_give(struct transport_call *call, struct text piece);

/* Continues every channel as far as possible, and frees ended channels. */
void libssh_channels_go(struct libssh_session *session);

/* Ends all channels of the session. */
void libssh_channels_end(struct libssh_session *session);

/* Continues the session as soon as no libssh function is on the call stack. */
void libssh_again(struct libssh_session *session);

#endif
