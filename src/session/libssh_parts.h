#ifndef REEVE_SESSION_LIBSSH_PARTS_H
#define REEVE_SESSION_LIBSSH_PARTS_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "session/transport_end.h"

/* names: libssh_ */

/* What the files of this driver share: libssh.c has sessions, libssh_channel.c their channels. libssh calls back while
 * it works through a packet; nothing of its own is freed from there, but by libssh_channels_go after it. */

enum libssh_stage {
    LIBSSH_CONNECTING, /* TCP */
    LIBSSH_BANNER,     /* its first line */
    LIBSSH_GREETING,   /* key exchange, the host's key */
    LIBSSH_LOGIN,
    LIBSSH_OPEN,
    LIBSSH_GONE,
};

/* A channel, which may outlive the call that it was for. */
struct libssh_channel {
    struct libssh_channel *next;
    struct libssh_session *session;
    struct libssh_call *call; /* NULL: dropped */
    ssh_channel channel;
    struct ssh_channel_callbacks_struct callbacks;
    char *command;     /* our copy, until the node has it: it may run for hours */
    struct text piece; /* of input; our copy */
    struct text input; /* of it, that is still to be written */
    bool is_open;
    bool is_asked; /* for the command */
    bool is_eof_sent;
    bool is_over; /* the other side has closed it */
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
    int socket; /* ours; libssh has a copy, which it closes when it likes */
    struct loop_descriptor *descriptor;
    unsigned turns;           /* before it is open */
    struct loop_timer *again; /* to go on in the next turn though no byte comes */
    bool is_busy;             /* inside of libssh */
    struct libssh_channel *channels;
};

struct libssh_call {
    struct transport_call base;
    struct libssh_channel *channel;
};

/* Begin a call, forget one, go on after a pause, take a piece of input. For transport_driver. */
void libssh_call(struct transport_call *call);
void libssh_drop(struct transport_call *call);
void libssh_flow(struct transport_call *call);
void libssh_give(struct transport_call *call, struct text piece);

/* Let every channel go as far as it goes now. */
void libssh_channels_go(struct libssh_session *session);

/* End them all. */
void libssh_channels_end(struct libssh_session *session);

/* Go on with the session as soon as nobody is inside of libssh. */
void libssh_again(struct libssh_session *session);

#endif
