#ifndef REEVE_ETCD_MEMBER_MEMBER_SERVE_H
#define REEVE_ETCD_MEMBER_MEMBER_SERVE_H

#include "etcd_member/member_runner.h"

/* public names start with: member_serve_ */

/* name of the socket of reeve-store in the member's folder */
#define MEMBER_SERVE_SOCKET "control"

/* Accepts requests at the socket in the current folder, from processes of root and of the user of
 * this process. Opens the listener; the caller has locked the folder. Fails with R0595. */
struct member_serve;
MUST_CHECK bool member_serve_open(struct loop *loop, struct log *log, struct member_runner *runner,
                                  struct member_serve **out, struct err *err);

/* Closes the listener and all connections. NULL is allowed. */
void member_serve_close(struct member_serve *serve);

#endif
