#ifndef REEVE_ACCESS_AUTHORITY_PARTS_H
#define REEVE_ACCESS_AUTHORITY_PARTS_H

#include "base/map.h"
#include "access/authority.h"
#include "signer/ring.h"

/* private to src/access */
/* public names start with: authority_ authorities_ */

/* Declarations that the files of the authority share. */

/* The authority of one cluster. */
struct authority {
    struct authorities *all;
    struct arena *memory;
    struct text cluster; /* TENANT/ID */
    struct arena *known; /* arena of the next three members */
    /* Lines for authorized_keys, one for each trusted key; empty: not known yet. */
    struct text line;
    struct text sealed;
    struct text request; /* request of the newest rotation, whether complete or in progress */
    uint64_t revision;   /* revision of the current record in the store; 0: unknown */
    uint64_t phase;      /* enum rotation_phase */
    int64_t phase_wall_ms;
    struct ssh_key users[RING_SLOTS];
    size_t user_count;
    struct ssh_key hosts[RING_SLOTS];
    size_t host_count;
    struct arena *own; /* arena of `certificate` */
    struct text certificate;
    uint64_t renew_ms; /* by the loop's clock, like the next two members */
    uint64_t ends_ms;
    uint64_t not_before_ms; /* no new attempt is made before this time */
    struct err why;
    unsigned failures; /* number of consecutive failures */
    bool is_making;    /* the authority is being generated or stored */
    bool is_signing;
    bool is_stepping; /* a rotation step is in progress */
    bool is_loaded;   /* the running signer has loaded it */
    unsigned loads;   /* number of load requests in progress */
    /* revocations (authority_list.c) */
    bool is_list_read;         /* `list_revision` is up to date with the cache */
    uint64_t list_revision;    /* revision of the newest entry; 0: none */
    uint64_t list_given;       /* the running signer has the entries up to this revision */
    uint64_t list_known;       /* `list` has the entries up to this revision */
    bool is_listing;           /* the list was requested from the signer */
    struct arena *list_memory; /* arena of `list`, which is in sshd's format */
    struct text list;
    struct map list_keys; /* the public keys in `list`, by line */
};

struct authorities {
    struct authorities_options options;
    struct arena *memory;
    struct map map; /* key TENANT/ID */
    struct signer *signer;
    struct loop_timer *sweep;
    struct loop_timer *again; /* repeats failed steps for callers that wait for an authority */
    struct cache_watch *revoked_watch;
    struct cache_watch *base_watch;
    struct err problem; /* why the signer is not available */
    uint64_t not_before_ms;
    char key[SSH_PRIVATE_BYTES];
    size_t key_bytes;
    struct text key_line;
    struct entering *entering; /* callers that wait for a certificate */
    bool is_reported;          /* the current error was logged */
    bool is_closed;
};

/* authority_tenant returns the part TENANT of TENANT/ID, authority_id the part ID. */
struct text authority_tenant(const struct authority *one);
struct text authority_id(const struct authority *one);

/* Returns the authority of a cluster. Adds it to the map if necessary. */
struct authority *authorities_have(struct authorities *all, struct text cluster);

/* Starts the signer if it is not running. Fails with R0748 if it is not available now. */
MUST_CHECK bool authorities_signer(struct authorities *all, struct err *err);

/* Reads the authority from the cache. Returns false if the cache does not have it. */
bool authority_read(struct authority *one);

/* Loads the authority and its revocations into the signer. Requests sent after this call are
 * processed after the load; the signer rejects them if the load fails. */
void authority_load(struct authority *one);

/* authority_well is called when a step has succeeded, authority_failed when a step has failed. Both
 * notify the waiting callers. */
void authority_well(struct authority *one);
void authority_failed(struct authority *one, const struct err *err);

/* authorities_follow watches the authorities and revocations in the cache; it does nothing until
 * the cache is ready. authorities_unfollow ends the watch. */
void authorities_follow(struct authorities *all);
void authorities_unfollow(struct authorities *all);

/* Returns the revision of the newest revocation; 0: none. */
uint64_t authority_list_revision(struct authority *one);

/* Sends the revocations to the signer, unless it has them already. */
void authority_list_give(struct authority *one);

/* Writes the keys of the signer's reply to the store, unless the record has changed since it was
 * read. Writes `event` with them unless it is empty. Fails with R0673 if the signer's sealing key
 * is not that of the other managers of the store; `done` is then not called. */
MUST_CHECK bool authority_write(struct authority *one, const struct sign_reply *reported,
                                struct text request, struct text event, store_done *done, void *arg,
                                struct err *err);

/* Uses the keys of the signer's reply before the cache has them. */
void authority_adopt(struct authority *one, const struct sign_reply *reported);

#endif
