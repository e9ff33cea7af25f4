#ifndef REEVE_ACCESS_REACH_H
#define REEVE_ACCESS_REACH_H

#include "access/authority.h"
#include "reconcile/control.h"
#include "session_pool/session_pool.h"

/* How this manager reaches machines: whom to turn to, as whom, and through which hands. The pool begins with the first machine
 * that is to be reached. */
struct reach;

/* Private keys that are secrets of a tenant: up to LIMIT_SECRET_BYTES into `out`, which is wiped by the caller. False: *err says
 * which secret is missing or is not a key. */
struct reach_keys {
    bool (*reveal)(void *arg, struct text tenant, struct text secret, char *out, size_t *out_length,
                   struct err *err);
    void *arg;
};

struct reach_options {
    struct loop *loop;
    struct log *log;
    struct random random;
    struct authorities *authorities;
    struct reach_keys keys;
    const char *program; /* reeve-session; absolute */
    const char *folder;  /* of its processes; absolute */
};

/* Make it; strings of the options outlive it. Nothing is started yet. */
struct reach *reach_new(const struct reach_options *options);

enum reach_answer {
    REACH_READY,
    REACH_WAITING, /* for the cluster's authority, or a certificate: authorities_options.moved comes */
    REACH_REFUSED, /* not now, for a reason of ours: R0710 */
    REACH_CANNOT,  /* not as the machine stands: R0711, R0712; not with this secret: R0667, R0672 */
};

/* The target of sessions with a machine. Its texts live in the arena, but for key and certificate, which are valid until the
 * loop turns or the next call (session_pool_run copies). */
enum reach_answer reach_target(struct reach *reach, struct arena *arena,
                               const struct control_way *way, struct transport_target *out,
                               struct err *err);

/* The pool; NULL: it cannot be had now, which was said in the log. */
struct session_pool *reach_session_pool(struct reach *reach);

/* End it: runs are told first. The loop has to turn until it is over, before reach_free. NULL is allowed in all three. */
void reach_close(struct reach *reach);
bool reach_is_over(const struct reach *reach);
void reach_free(struct reach *reach);

#endif
