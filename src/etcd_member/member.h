#ifndef REEVE_ETCD_MEMBER_MEMBER_H
#define REEVE_ETCD_MEMBER_MEMBER_H

#include "base/outcome.h"
#include "sys/loop.h"
#include "wire/member_ipc.h"

/* public names start with: member_ */

/* The client of the process that runs this host's member of the managed store (reeve-store).
 *
 * The process outlives restarts of the manager. It keeps the member's folder, DATA/member, starts
 * etcd there, and starts it again after a crash. It decides nothing: it does what it is asked, and
 * what it was asked survives a kill of itself and of the machine. Every method is idempotent, and
 * a repeated one continues where the former one was interrupted.
 *
 * STATUS        describes the member. Changes nothing.
 * START         makes the member run with these arguments. Without a member in the folder, a new
 *               one is made. If it runs with the same arguments, nothing happens; with other ones
 *               etcd is restarted. The manager, name, token and cluster of a member in the folder
 *               cannot change: put it aside first. Succeeds when etcd runs and has read its log,
 *               which does not need a quorum.
 * STOP          ends etcd, and keeps the member stopped until START.
 * WAIT_APPLIED  succeeds when the running member has applied everything that it knows as committed.
 *               Needs no quorum.
 * PUT_ASIDE     ends etcd and renames the member's data to DATA/member/aside/NAME.TIME; the folder
 *               has no member afterwards. Data that were put aside are removed after 14 days.
 * REBUILD       makes a one-member store from the member's own database, with the name, token and
 *               addresses of the arguments, and runs it. The member first replays its log without
 *               peers; its former data are put aside. `cluster` must be NAME=PEER-URL of this
 *               member alone. Never uses --force-new-cluster. If the member already has this
 *               token, it is started like with START.
 *
 * Failures: R0595: the process does not answer, or not in time (the outcome is then unknown);
 * R0596: the method is rejected, or the folder cannot be used; R0597: etcd cannot be run, or ends
 * by itself; the error has its last message.
 *
 * The manager on the same host reaches its running member without TLS by member_endpoint(). */

/* file names in the data folder of the manager */
#define MEMBER_FOLDER "member"

enum { MEMBER_ENDPOINT_BYTES = 256 };

/* Writes the endpoint of this host's member for struct etcd_options: unix://PATH. `folder` is the
 * data folder of the manager. The path is valid for the life of this process. */
MUST_CHECK bool member_endpoint(const char *folder, char out[static MEMBER_ENDPOINT_BYTES],
                                struct err *err);

/* Starts a request. `done` is called once, in a later iteration of the loop. `reply` is NULL unless
 * the outcome is OK; it is valid during the call. REFUSED: nothing was done, or the method has
 * failed and says why; UNKNOWN: the connection broke or the time is over. `ask` is copied. */
typedef void member_done(void *arg, enum outcome outcome, const struct member_ipc_reply *reply,
                         const struct err *err);
struct member_call;
MUST_CHECK bool member_call_start(struct loop *loop, const char *folder,
                                  const struct member_ipc_ask *ask, member_done *done, void *arg,
                                  struct member_call **out, struct err *err);

/* Forgets a request; `done` is not called, and the process may still do what was asked. NULL is
 * allowed. */
void member_call_cancel(struct member_call *call);

/* Makes a request and waits for its reply, which lives in the arena. For the start of a manager and
 * for commands without a loop. */
MUST_CHECK bool member_call_wait(struct arena *arena, const char *folder,
                                 const struct member_ipc_ask *ask, struct member_ipc_reply *out,
                                 struct err *err);

/* True if reeve-store listens for the manager with this data folder. */
bool member_is_served(const char *folder);

#endif
