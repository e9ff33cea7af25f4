#ifndef REEVE_SESSION_POOL_REMOTE_PARTS_H
#define REEVE_SESSION_POOL_REMOTE_PARTS_H

#include "base/queue.h"
#include "session/transport_end.h"
#include "session_pool/remote.h"
#include "sys/worker.h"
#include "wire/session_ipc.h"

/* What the files of this driver share: remote.c asks, remote_take.c takes what the process says. */

struct remote {
    struct transport base;
    struct remote_options options;
    struct worker *worker;
    struct loop_timer *start; /* for its first word */
    struct loop_timer *again; /* for what waits until it is resumed */
    struct remote_session *sessions;
    size_t session_count;
    uint64_t next_session;
    uint64_t next_call;
    struct queue asking; /* numbers of the calls that wait for their next piece of input */
    bool is_greeted;
    bool is_over;
};

struct remote_session {
    struct transport_session base;
    struct remote_session *next;
    uint64_t id; /* 0: the process has not heard of it */
};

/* What came while the call was paused. */
struct remote_piece {
    struct remote_piece *next;
    enum transport_stream stream;
    struct text bytes; /* behind this */
};

struct remote_call {
    struct transport_call base;
    uint64_t id; /* 0: the process has not heard of it, or has told its end */
    struct remote_piece *first;
    struct remote_piece **last;
    uint64_t waiting; /* bytes of them */
    bool is_asking;   /* its process has room for input that it does not get yet */
    bool has_ended;
    enum outcome outcome;
    struct transport_answer answer; /* its texts in the call's home */
};

/* Send a message. False: the process is over, or stands still. */
MUST_CHECK bool remote_send(struct remote *self, const struct session_ipc_message *message);

/* The process is of no use any more: all of its sessions are lost. */
void remote_over(struct remote *self, const char *why);

/* A frame came. For worker_options. */
void remote_reported(void *arg, struct text frame);

/* Hand on what waits of calls that are not paused. For a timer. */
void remote_rest_report(void *arg);

/* It has taken what it was sent: the next pieces of input go. For worker_options. */
void remote_input_give(void *arg);

/* Forget what waits. */
void remote_rest_drop(struct remote_call *call);

#endif
