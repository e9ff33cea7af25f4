#ifndef REEVE_SYS_WORKER_H
#define REEVE_SYS_WORKER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/child.h"
#include "sys/loop.h"

/* A process of ours (reeve-host, reeve-session) and the socket to it, over which both send frames (wire/frame.h). What is
 * sent is kept until the process takes it; what it says is handed on frame by frame, whole and not looked into. All on
 * the loop's thread; never waits. */
struct worker;

/* The socket's number in the process. */
enum { WORKER_SOCKET = 3 };

struct worker_options {
    struct loop *loop;
    const char *program;     /* absolute */
    const char *const *argv; /* from the name on, ends with NULL */
    uint64_t end_ms;         /* from its close to SIGKILL */
    size_t queue_max;        /* bytes that wait to be sent; then nothing more is taken */
    enum code unreadable;    /* of what it says that is no frame */
    enum code unstarted;     /* of a process that cannot be started */
    size_t *alive;           /* counts the processes that have not ended; outlives them */
    /* A frame came. The worker may be closed from here. */
    void (*reported)(void *arg, struct text frame);
    /* It ended, or said what nobody can read; `why` is for people. It is to be closed, here or later. What it said
     * before it ended was told before. */
    void (*ended)(void *arg, const char *why);
    /* It has taken all that waited for it. What is sent from here may wait again. May be NULL. */
    void (*taken)(void *arg);
    void *arg;
    /* What it writes to its standard error, somebody's words; until it has ended, however long ago the worker was
     * closed. */
    void (*wrote)(void *keep, struct text piece);
    /* It has ended. May be NULL. */
    void (*gone)(void *keep);
    void *keep; /* outlives the process */
};

/* Start it. It could not be: the code `unstarted`, and `gone` is not called. */
MUST_CHECK bool worker_open(const struct worker_options *options, struct worker **out,
                            struct err *err);

/* Send a frame. False: so much waits to be sent that the process seems to stand still. */
MUST_CHECK bool worker_send(struct worker *worker, struct text frame);

/* The same of a frame with a secret in it: no copy of it stays here when it is sent. */
MUST_CHECK bool worker_send_secret(struct worker *worker, struct text frame);

/* Bytes that were sent and that it has not taken yet. */
size_t worker_waiting(const struct worker *worker);

/* Its process id; 0 when it has ended. */
int worker_pid(const struct worker *worker);

/* It ended, or said what nobody can read: the rest of what it says is not asked for. For `told`. */
void worker_fail(struct worker *worker, const char *why);

/* End it: nothing is handed on any more. The process sees its socket close, and is killed where it does not end
 * by itself. NULL is allowed. */
void worker_close(struct worker *worker);

#endif
