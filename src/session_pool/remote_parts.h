#ifndef REEVE_SESSION_POOL_REMOTE_PARTS_H
#define REEVE_SESSION_POOL_REMOTE_PARTS_H

#include "base/queue.h"
#include "session/transport_end.h"
#include "session_pool/remote.h"
#include "sys/worker.h"
#include "wire/session_ipc.h"

/* private to src/session_pool */

/* Declarations that remote.c (requests to the process) and remote_take.c (messages from it)
 * share. */

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
    struct queue asking; /* ids of the calls whose next piece of input must be sent */
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
    struct text bytes; /* follows this struct in memory */
};

struct remote_call {
    struct transport_call base;
    uint64_t id; /* 0: the call was not sent to the process, or has ended in the process */
    struct remote_piece *first;
    struct remote_piece **last;
    uint64_t waiting; /* number of bytes in the queued pieces */
    bool is_asking;   /* the process has requested input that was not sent yet */
    bool has_ended;
    enum outcome outcome;
    struct transport_answer answer; /* its texts live in the call's arena */
};

/* Sends a message. Returns false if the process has ended or its queue is full. */
MUST_CHECK bool remote_send(struct remote *self, const struct session_ipc_message *message);

/* Handles the end of the process: all of its sessions fail. `why` is the reason for the log. */
void remote_over(struct remote *self, const char *why);

/* Handles a frame from the process. Callback of worker_options. */
void remote_reported(void *arg, struct text frame);

/* Delivers queued output of calls that are no longer paused. Callback of the timer. */
void remote_rest_report(void *arg);

/* Sends the next pieces of input. Called when the process has read its queue; callback of
 * worker_options. */
void remote_input_give(void *arg);

/* Frees the queued output of a call without delivering it. */
void remote_rest_drop(struct remote_call *call);

#endif
