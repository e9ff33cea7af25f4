#ifndef REEVE_PROVIDER_LINK_H
#define REEVE_PROVIDER_LINK_H

#include "base/err.h"
#include "base/macros.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "wire/wire.h"

/* A process that runs a plugin (reeve-host), and the socket to it. Sent frames are queued until the
 * process reads them; received frames are passed on one by one. All functions run on the loop's
 * thread and never block. */
struct link;

struct link_options {
    struct loop *loop;
    struct log *log;
    const char *program;   /* absolute path of reeve-host */
    struct wire_open open; /* the first message */
    uint64_t end_ms;       /* from the close to SIGKILL */
    /* Count of running processes and remaining groups; must outlive them. */
    size_t *alive;
    /* Receives a message. The link may be closed from here. */
    void (*reported)(void *arg, const struct wire_message *message);
    /* Called when the process has ended or sent an invalid message; `why` is a message for users.
     * The receiver must close the link, now or later. Earlier messages were passed to `reported`
     * before. */
    void (*ended)(void *arg, const char *why);
    void *arg;
};

/* Starts the process. Fails with R0603 if it cannot be started. */
MUST_CHECK bool link_open(const struct link_options *options, struct link **out, struct err *err);

/* Sends a frame (wire_format). Returns false if the queue is full, which means that the process
 * does not read. */
MUST_CHECK bool link_send(struct link *link, struct text frame);

/* Sends a frame with a secret, and wipes all copies after it is sent. Returns false like
 * link_send. */
MUST_CHECK bool link_send_secret(struct link *link, struct text frame);

/* Returns the process id, or 0 after the process has ended. */
int link_pid(const struct link *link);

/* Returns the state of the process's control group as a message for users. Empty: no group is
 * required. */
const char *link_group(const struct link *link);

/* Closes the link and its socket; no callback follows. The process is killed if it does not exit
 * within end_ms. NULL is allowed. */
void link_close(struct link *link);

#endif
