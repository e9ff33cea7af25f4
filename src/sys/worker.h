#ifndef REEVE_SYS_WORKER_H
#define REEVE_SYS_WORKER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/child.h"
#include "sys/loop.h"

/* A child process of reeve (reeve-host, reeve-session) and the socket to it, over which both send
 * frames (wire/frame.h). Sent frames are queued until the process reads them; received frames are
 * passed on whole and uninterpreted. All calls are on the loop's thread and never block. */
struct worker;

/* The number of the socket in the process. */
enum { WORKER_SOCKET = 3 };

struct worker_options {
    struct loop *loop;
    const char *program;     /* absolute path of the program */
    const char *const *argv; /* arguments from the program name on, ends with NULL */
    uint64_t end_ms;         /* time from worker_close() to SIGKILL */
    size_t queue_max;        /* bytes in the send queue; beyond that worker_send() fails */
    enum code unreadable;    /* code for data that is not a frame */
    enum code unstarted;     /* code for a process that cannot be started */
    size_t *alive;           /* counts the processes that have not ended; outlives them */
    /* A frame arrived. The worker may be closed from here. */
    void (*reported)(void *arg, struct text frame);
    /* The process ended, or sent invalid data; `why` is a readable reason. Close the worker, here
     * or later. All frames that it sent before its end were reported before. */
    void (*ended)(void *arg, const char *why);
    /* The send queue is empty again; more frames may be sent from here. May be NULL. */
    void (*taken)(void *arg);
    void *arg;
    /* Standard error of the process, as untrusted text. Called until the process has ended, even
     * long after the worker was closed. */
    void (*wrote)(void *keep, struct text piece);
    /* The process has ended. May be NULL. */
    void (*gone)(void *keep);
    void *keep; /* outlives the process */
};

/* Start the process. On failure the error code is `unstarted`, and `gone` is not called. */
MUST_CHECK bool worker_open(const struct worker_options *options, struct worker **out,
                            struct err *err);

/* Send a frame. Returns false if the send queue is full, so that the process seems to be stuck. */
MUST_CHECK bool worker_send(struct worker *worker, struct text frame);

/* Like worker_send(), for a frame with a secret: its copy is wiped when it is sent. */
MUST_CHECK bool worker_send_secret(struct worker *worker, struct text frame);

/* Bytes in the send queue. */
size_t worker_waiting(const struct worker *worker);

/* The id of the process; 0 when it has ended. */
int worker_pid(const struct worker *worker);

/* Report that the process sent invalid data: the rest of its data is not read. For calls from
 * `reported`. */
void worker_fail(struct worker *worker, const char *why);

/* Close the worker: nothing more is reported. The process sees its socket close, and is killed
 * if it does not end. NULL is allowed. */
void worker_close(struct worker *worker);

#endif
