#ifndef REEVE_PROVIDER_LINK_H
#define REEVE_PROVIDER_LINK_H

#include "base/err.h"
#include "base/macros.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "wire/wire.h"

/* A process that holds a plugin (reeve-host), and the socket to it. What is sent is kept until the process takes it;
 * what it says is handed on frame by frame. All on the loop's thread; never waits. */
struct link;

struct link_options {
    struct loop *loop;
    struct log *log;
    const char *program;   /* reeve-host; absolute */
    struct wire_open open; /* the first thing that is sent */
    uint64_t end_ms;       /* from its close to SIGKILL */
    size_t
        *alive; /* counts the processes that have not ended, and groups still held; outlives them */
    /* A message came. The link may be closed from here. */
    void (*reported)(void *arg, const struct wire_message *message);
    /* It ended, or said what nobody can read; `why` is for people. It is to be closed, here or later. What it said
     * before it ended was told before. */
    void (*ended)(void *arg, const char *why);
    void *arg;
};

/* Start it. R0603: it could not be. */
MUST_CHECK bool link_open(const struct link_options *options, struct link **out, struct err *err);

/* Send a frame (wire_format). False: so much waits to be sent that the process seems to stand still. */
MUST_CHECK bool link_send(struct link *link, struct text frame);

/* The same of a frame with a secret in it: no copy of it stays here when it is sent. */
MUST_CHECK bool link_send_secret(struct link *link, struct text frame);

/* Its process id; 0 when it has ended. */
int link_pid(const struct link *link);

/* How the control group that it is in stands, in words; empty: none is meant. */
const char *link_group(const struct link *link);

/* End it: nothing is handed on any more. The process sees its socket close, and is killed where it does not end
 * by itself. NULL is allowed. */
void link_close(struct link *link);

#endif
