#ifndef REEVE_SESSION_POOL_REMOTE_PARTS_H
#define REEVE_SESSION_POOL_REMOTE_PARTS_H

#include "base/queue.h"
#include "session/transport_end.h"
#include "session_pool/remote.h"
#include "sys/worker.h"
#include "wire/session_ipc.h"

/* private to src/session_pool */

/* Internals of the remote driver. remote.c sends requests to the process; remote_take.c handles
 * messages from it. */

struct remote {
    struct transport base;
    struct remote_options options;
    struct worker *worker;
    struct loop_timer *start; /* limit for the first message from the process, in ms */
    struct loop_timer *again; /* delivers queued output after a resume */
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
    uint64_t id; /* 0: the session was not sent to the process */
};

/* Output that arrived while the call was paused. */
struct remote_piece {
    struct remote_piece *next;
    enum transport_stream stream;
    struct text bytes; /* stored directly after this struct */
};

struct remote_call {
    struct transport_call base;
    uint64_t id; /* 0: the call was not sent to the process, or has ended there */
    struct remote_piece *first;
    struct remote_piece **last;
    uint64_t waiting; /* number of bytes in the queued pieces */
    bool is_asking;   /* the process has space for input that was not sent yet */
    bool has_ended;
    enum outcome outcome;
    struct transport_answer answer; /* its texts live in the call's arena */
};

/* Sends a message. Returns false if the process has ended or its queue is full. */
MUST_CHECK bool remote_send(struct remote *self, const struct session_ipc_message *message);

/* Marks the process as ended and fails all of its sessions. `why` is the reason for the log. */
void remote_over(struct remote *self, const char *why);

/* Handles a frame from the process. Callback of worker_options. */
void remote_reported(void *arg, struct text frame);

/* Delivers queued output of calls that are no longer paused. Timer callback. */
void remote_rest_report(void *arg);

/* Sends the next pieces of input after the process has read its queue. Callback of
 * worker_options. */
void remote_input_give(void *arg);

/* Frees the queued output of a call. */
void remote_rest_drop(struct remote_call *call);

#endif
