#ifndef REEVE_SYS_WORKER_H
#define REEVE_SYS_WORKER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/child.h"
#include "sys/loop.h"

/* A child process of reeve (reeve-host, reeve-session), and the socket over which both sides send
 * frames (wire/frame.h). Frames to the process are queued until it reads them; frames from it are
 * passed on complete and uninterpreted. All calls are on the loop's thread and never block. */
struct worker;

/* descriptor number of the socket in the child process */
enum { WORKER_SOCKET = 3 };

struct worker_options {
    struct loop *loop;
    const char *program;     /* absolute path of the program */
    const char *const *argv; /* arguments from the program name on, ends with NULL */
    uint64_t end_ms;         /* time in ms from worker_close() to SIGKILL */
    size_t queue_max;        /* maximum bytes in the send queue; beyond that, worker_send() fails */
    enum code unreadable;    /* error code if the process sends data that is not a frame */
    enum code unstarted;     /* error code if the process cannot be started */
    size_t *alive;           /* number of processes that have not ended; must outlive them */
    /* Called with each frame that arrives. May close the worker. */
    void (*reported)(void *arg, struct text frame);
    /* Called when the process has ended or sent invalid data; `why` is the reason as text. All
     * frames that it sent before were reported. Close the worker, in this callback or later. */
    void (*ended)(void *arg, const char *why);
    /* Called when the send queue is empty again; more frames may be sent from here. May be NULL. */
    void (*taken)(void *arg);
    void *arg;
    /* Called with standard error of the process, which is untrusted text, until the process has
     * ended. This may be long after the worker was closed. */
    void (*wrote)(void *keep, struct text piece);
    /* Called when the process has ended. May be NULL. */
    void (*gone)(void *keep);
    void *keep; /* argument of `wrote` and `gone`; must outlive the process */
};

/* Start the process. On failure the error has the code `unstarted`, and `gone` is not called. */
MUST_CHECK bool worker_open(const struct worker_options *options, struct worker **out,
                            struct err *err);

/* Send a frame. Returns false if the send queue is full; the process then seems to be stuck. */
MUST_CHECK bool worker_send(struct worker *worker, struct text frame);

/* Like worker_send(), for a frame with a secret: its copy is wiped when it is sent. */
MUST_CHECK bool worker_send_secret(struct worker *worker, struct text frame);

/* Return the number of bytes in the send queue. */
size_t worker_waiting(const struct worker *worker);

/* Return the process id; 0 when the process has ended. */
int worker_pid(const struct worker *worker);

/* End the worker because the process sent invalid data: the rest of its data is not read. Call it
 * from `reported`. */
void worker_fail(struct worker *worker, const char *why);

/* Close the worker: nothing more is reported. The process sees that its socket is closed, and is
 * killed if it does not end. NULL is allowed. */
void worker_close(struct worker *worker);

#endif
