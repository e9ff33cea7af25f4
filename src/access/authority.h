#ifndef REEVE_ACCESS_AUTHORITY_H
#define REEVE_ACCESS_AUTHORITY_H

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

/* names: authorities_ */

/* The authorities of the clusters that this manager keeps, and how it logs in by them (docs/decisions/0051). What stands in the
 * store is
 *
 *     /TENANT/Authority/CLUSTER/base    {"at":MS,"hosts":[KEY],"phase":N,"sealed":"...","users":[KEY]}, shown by no route
 *
 * drawn and sealed by reeve-signer, which is started by the first cluster that needs one. reeve's own key is drawn with this
 * manager's life and stands in its memory alone; for each cluster it has a short certificate, renewed at half of its life.
 *
 * Failures: the signer cannot be had: that is said once in the log, and again when it is over; machines are made without the
 * line meanwhile, after a few tries. All on the loop's thread; never waits. */
struct authorities;

struct authorities_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct store *store;
    struct cache *cache;
    const char *program; /* reeve-signer; absolute */
    const char *key;     /* file of its key; absolute */
    const char *book;    /* file of its log of signings; absolute */
    uint32_t time_scale; /* certificates are renewed so many times earlier */
    bool is_reader;      /* nothing is drawn or written */
    /* Something was waited for that is there now, or will not come: of this cluster (TENANT/ID). */
    void (*moved)(void *arg, struct text cluster);
    /* What is taken back of this cluster is another than it was, or its list is there. */
    void (*listed)(void *arg, struct text cluster);
    void *arg;
};

/* Make it; strings of the options outlive it. No process is started yet. R0532: the loop has no room. */
MUST_CHECK bool authorities_open(const struct authorities_options *options,
                                 struct authorities **out, struct err *err);

/* The lines of authorized_keys by which a cluster (TENANT/ID) lets reeve in; empty where it cannot be had. Valid until the next
 * call. False: it is being made, and `moved` comes. */
bool authorities_line(struct authorities *authorities, struct text cluster, struct text *out);

/* What reeve logs in with. Valid until the loop turns. */
struct authorities_login {
    struct secret key;       /* in the words of an OpenSSH key file */
    struct text certificate; /* of that key: "TYPE BASE64" */
};

enum authorities_answer {
    AUTHORITIES_READY,
    AUTHORITIES_WAITING, /* `moved` comes */
    AUTHORITIES_REFUSED, /* R0710: not now, err says why */
};
enum authorities_answer authorities_login(struct authorities *authorities, struct text cluster,
                                          struct authorities_login *out, struct err *err);

/* Public keys of a cluster's authority, one or two of each: who signs users, and who signs hosts. */
struct authorities_keys {
    const struct ssh_key *users;
    size_t user_count;
    const struct ssh_key *hosts;
    size_t host_count;
    struct text line; /* as of authorities_line */
};

/* They live in the arena. False: they are not there (yet); the first one who asks has them made, and `moved` comes. */
bool authorities_keys(struct authorities *authorities, struct text cluster, struct arena *arena,
                      struct authorities_keys *out);

/* Names what its certificates are worth now. */
struct authorities_mark {
    uint64_t signs;  /* another one with who signs */
    uint64_t trusts; /* with who is trusted */
    uint64_t list;   /* with what is taken back; 0: nothing is */
};

/* False: as of authorities_keys. */
bool authorities_mark(struct authorities *authorities, struct text cluster,
                      struct authorities_mark *out);

/* What is taken back, as sshd reads it; empty: nothing is. READY: valid until the loop turns; else as of authorities_login. */
enum authorities_answer authorities_list(struct authorities *authorities, struct text cluster,
                                         struct text *out, struct err *err);

/* Was this key (a line) taken back? */
bool authorities_is_taken(struct authorities *authorities, struct text cluster, struct text key);

/* How far the rotation of a cluster's authorities is. */
struct authorities_rotation {
    enum ring_phase phase;
    struct text
        request; /* which is being fulfilled, or was by the newest; valid until the loop turns */
    uint64_t age_ms;  /* of the phase, in the time of haste */
    bool is_stepping; /* the next one is being taken */
};

/* False: there is no authority (yet). */
bool authorities_rotation(struct authorities *authorities, struct text cluster,
                          struct authorities_rotation *out);

/* Take the next step, for this request; the event is written with it. `moved` comes when it is taken; where it could not be, it is
 * asked for again. */
void authorities_rotate(struct authorities *authorities, struct text cluster, struct text request,
                        struct text event);

/* Ask the signer something of a cluster's authority, which is loaded before; ask->authority is set here. READY: it is asked, and
 * `done` comes; else as of authorities_login. */
enum authorities_answer authorities_ask(struct authorities *authorities, struct text cluster,
                                        struct sign_ask *ask, signer_done *done, void *arg,
                                        struct err *err);

/* A certificate of a cluster's authority for somebody's key (a line): `who` is for the log of signings. `done` comes once, perhaps
 * at once, never after the close: err NULL: here it is. */
void authorities_enter(struct authorities *authorities, struct text cluster, struct text who,
                       struct text key,
                       void (*done)(void *arg, struct text certificate, const struct err *err),
                       void *arg);

/* End it; whoever waits is not told. The loop has to turn until it is over; the store is closed before authorities_free. NULL is
 * allowed in all three. */
void authorities_close(struct authorities *authorities);
bool authorities_are_over(const struct authorities *authorities);
void authorities_free(struct authorities *authorities);

#endif
