#ifndef REEVE_ACCESS_AUTHORITY_H
#define REEVE_ACCESS_AUTHORITY_H

#include "access/key_ring.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/secret.h"
#include "state/cache.h"
#include "signer/ring.h"
#include "signer/signer.h"
#include "ssh/key.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "sys/random.h"

/* private to src/access */
/* public names start with: authorities_ */

/* The SSH certificate authorities of this manager's clusters, and the manager's own logins with
 * them (docs/decisions/0051). The store holds /TENANT/Authority/CLUSTER/base:
 *
 *     {"at":MS,"hosts":[KEY],"phase":N,"sealed":"...","users":[KEY]}
 *
 * No route of the API returns it. reeve-signer generates and seals the keys; the first cluster that
 * needs an authority starts it. reeve's own key is generated when the manager starts and exists
 * only in its memory. It has a short-lived certificate for each cluster, renewed at half of its
 * lifetime.
 *
 * Failures: if the signer is not available, that is logged once, and again when it is available.
 * After a few failed attempts, machines are created without the line in authorized_keys until the
 * signer is available. All functions run on the loop's thread and never block. */
struct authorities;

struct authorities_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct store *store;
    struct cache *cache;
    const char *program; /* absolute path of reeve-signer */
    const char *key;     /* absolute path of the file with its key */
    const char *book;    /* absolute path of the file with its signing log */
    uint32_t time_scale; /* divisor of the time after which certificates are renewed */
    bool is_reader;      /* read-only: no key is generated and nothing is written */
    /* Called when a result that a caller awaits for this cluster (TENANT/ID) is available or has
     * failed. */
    void (*moved)(void *arg, struct text cluster);
    /* Called when the revocations of this cluster have changed, or its revocation list has become
     * available. */
    void (*listed)(void *arg, struct text cluster);
    void *arg;
};

/* Creates the authorities; no process is started yet. The strings of the options must outlive them.
 * Fails with R0532 if the loop has no free slot. */
MUST_CHECK bool authorities_open(const struct authorities_options *options,
                                 struct authorities **out, struct err *err);

/* Writes the lines of authorized_keys by which the machines of a cluster (TENANT/ID) accept reeve;
 * empty if no authority is available. Valid until the next call. Returns false while the authority
 * is being created; `moved` is called when it exists. */
bool authorities_line(struct authorities *authorities, struct text cluster, struct text *out);

/* Login data of reeve. Valid until the next iteration of the loop. */
struct authorities_login {
    struct secret key;       /* private key in OpenSSH key file format */
    struct text certificate; /* certificate of that key: "TYPE BASE64" */
};

enum authorities_answer {
    AUTHORITIES_READY,
    AUTHORITIES_WAITING, /* the result is not available yet; `moved` will be called */
    AUTHORITIES_REFUSED, /* R0710: not possible now; err has the reason */
};
enum authorities_answer authorities_login(struct authorities *authorities, struct text cluster,
                                          struct authorities_login *out, struct err *err);

/* Public keys of a cluster's authority, one or two of each kind: user CA and host CA. */
struct authorities_keys {
    const struct ssh_key *users;
    size_t user_count;
    const struct ssh_key *hosts;
    size_t host_count;
    struct text line; /* the line for authorized_keys, as in authorities_line */
};

/* Writes the keys, which live in the arena. Returns false if they are not available yet. The first
 * call then starts their generation, and `moved` is called. */
bool authorities_keys(struct authorities *authorities, struct text cluster, struct arena *arena,
                      struct authorities_keys *out);

/* Versions of all data that a cluster's certificate depends on. If one of them has changed, a new
 * certificate is required. */
struct authorities_mark {
    uint64_t signs;  /* changes with the signing keys */
    uint64_t trusts; /* changes with the trusted keys */
    uint64_t list;   /* changes with the revocations; 0: none */
};

/* Returns false in the same cases as authorities_keys. */
bool authorities_mark(struct authorities *authorities, struct text cluster,
                      struct authorities_mark *out);

/* Writes the revocation list in sshd's format; empty if nothing is revoked. READY: the list is
 * valid until the next iteration of the loop. Otherwise the same as for authorities_login. */
enum authorities_answer authorities_list(struct authorities *authorities, struct text cluster,
                                         struct text *out, struct err *err);

/* Returns whether this key (a line) was revoked. */
bool authorities_is_taken(struct authorities *authorities, struct text cluster, struct text key);

/* Progress of the rotation of a cluster's authority. */
struct authorities_rotation {
    enum rotation_phase phase;
    /* The rotation request in progress; without one, that of the newest rotation. Valid until the
     * next iteration of the loop. */
    struct text request;
    uint64_t age_ms;  /* age of the phase in ms, in scaled time */
    bool is_stepping; /* the next step is in progress */
};

/* Returns false if the cluster has no authority yet, or if the record has an unknown phase. */
bool authorities_rotation(struct authorities *authorities, struct text cluster,
                          struct authorities_rotation *out);

/* Executes the next step of the rotation that `request` names. `event` is written in the same
 * transaction. `moved` is called when the step is complete. If the step failed, the caller must
 * request it again. */
void authorities_rotate(struct authorities *authorities, struct text cluster, struct text request,
                        struct text event);

/* Sends a request about a cluster's authority to the signer, after loading the authority. Sets
 * ask->authority. READY: the request was sent and `done` will be called. Otherwise the same as for
 * authorities_login. */
enum authorities_answer authorities_ask(struct authorities *authorities, struct text cluster,
                                        struct sign_ask *ask, signer_done *done, void *arg,
                                        struct err *err);

/* Returns the state of the key with which this manager's signer seals values. If the file of the
 * key exists, the signer is started, so that the id of the key becomes known. */
struct key_ring_own authorities_own_key(struct authorities *authorities);

/* Requests a certificate of a cluster's authority for the public key (one line) of another user.
 * The signing log records `who`. `done` is called once, possibly immediately, but never after
 * authorities_close. `err` is NULL on success. */
void authorities_enter(struct authorities *authorities, struct text cluster, struct text who,
                       struct text key,
                       void (*done)(void *arg, struct text certificate, const struct err *err),
                       void *arg);

/* authorities_close closes the authorities; waiting callers are not notified. After it, run the
 * loop until authorities_are_over returns true, and close the store; then call authorities_free.
 * All three functions accept NULL. */
void authorities_close(struct authorities *authorities);
bool authorities_are_over(const struct authorities *authorities);
void authorities_free(struct authorities *authorities);

#endif
