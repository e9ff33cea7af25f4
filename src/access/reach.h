#ifndef REEVE_ACCESS_REACH_H
#define REEVE_ACCESS_REACH_H

#include "access/authority.h"
#include "reconcile/control.h"
#include "session_pool/session_pool.h"

/* Access of this manager to machines: endpoint, user, key and session pool. The pool is opened at
 * the first access to a machine. */
struct reach;

/* The port through which reeve reads private keys that are secrets of a tenant. `reveal` writes up
 * to LIMIT_SECRET_BYTES to `out`, which the caller wipes. It returns false if the secret is missing
 * or is not a key; *err contains its name. */
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
    /* Returns the name of the secret whose key applies to this machine only; empty if there is
     * none. The text lives in the arena. A NULL function means that no machine has such a
     * secret. */
    struct text (*machine_secret)(void *arg, struct arena *arena, const struct control_way *way);
    void *machine_arg;
    const char *program; /* absolute path of reeve-session */
    const char *folder;  /* absolute path of the folder for its processes */
};

/* Creates the access; no process is started yet. The strings of the options must outlive it. */
struct reach *reach_new(const struct reach_options *options);

enum reach_answer {
    REACH_READY,
    /* the cluster's authority or a certificate is not available yet; authorities_options.moved is
     * called later */
    REACH_WAITING,
    REACH_REFUSED, /* R0710: not possible now, for a reason in the manager itself */
    /* not possible for this machine (R0711, R0712) or with this secret (R0667, R0672) */
    REACH_CANNOT,
};

/* Returns the target for sessions with a machine. Its texts live in the arena. Key and certificate
 * are valid until the next iteration of the loop or the next call (session_pool_run copies
 * them). */
enum reach_answer reach_target(struct reach *reach, struct arena *arena,
                               const struct control_way *way, struct transport_target *out,
                               struct err *err);

/* Returns the pool. NULL: the pool is not available now; the reason was logged. */
struct session_pool *reach_session_pool(struct reach *reach);

/* reach_close closes the access; active runs are reported first. After it, run the loop until
 * reach_is_over returns true, then call reach_free. All three functions accept NULL. */
void reach_close(struct reach *reach);
bool reach_is_over(const struct reach *reach);
void reach_free(struct reach *reach);

#endif
