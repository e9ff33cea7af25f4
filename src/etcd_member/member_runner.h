#ifndef REEVE_ETCD_MEMBER_MEMBER_RUNNER_H
#define REEVE_ETCD_MEMBER_MEMBER_RUNNER_H

#include "base/outcome.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "wire/member_ipc.h"

/* public names start with: member_runner_ */

/* Makes the member be what its record says: starts, ends and restarts etcd, and rebuilds. Executes
 * one method after the other; STATUS does not wait for them.
 *
 * Every method first writes the record, then the runner moves towards it. A method ends when its
 * condition holds, or when its time is over; what the record says is pursued further. */
struct member_runner;

struct member_runner_options {
    struct loop *loop;
    struct log *log;
    int folder;       /* the member's folder, which is also the current one */
    const char *path; /* its absolute path */
    const char *etcd; /* path of the program */
    const char *etcdctl;
};

/* Reads the record and begins. Fails with R0596. */
MUST_CHECK bool member_runner_open(const struct member_runner_options *options,
                                   struct member_runner **out, struct err *err);

/* Executes a request. `done` is called once with a reply that lives until the call returns. `ask`
 * is copied. */
typedef void member_runner_done(void *arg, const struct member_ipc_reply *reply);
struct member_task;
struct member_task *member_runner_ask(struct member_runner *runner,
                                      const struct member_ipc_ask *ask, member_runner_done *done,
                                      void *arg);

/* Forgets a request whose client has gone; `done` is not called. */
void member_runner_forget(struct member_runner *runner, struct member_task *task);

/* Ends etcd, then stops the loop. */
void member_runner_end(struct member_runner *runner);

/* Frees the runner, after the loop has stopped. */
void member_runner_free(struct member_runner *runner);

#endif
