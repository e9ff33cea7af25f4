#ifndef REEVE_ACCESS_AUTHORITY_PARTS_H
#define REEVE_ACCESS_AUTHORITY_PARTS_H

#include "base/map.h"
#include "access/authority.h"
#include "signer/ring.h"

/* names: authority_ authorities_ */

/* Inside of authority.h: what its files share. */

/* The authority of one cluster. */
struct authority {
    struct authorities *all;
    struct arena *memory;
    struct text cluster; /* TENANT/ID */
    struct arena *known; /* of the next three */
    struct text
        line; /* of authorized_keys, one for each key that is trusted; empty: it is not known yet */
    struct text sealed;
    struct text request; /* that was fulfilled by its newest rotation, or is by the one under way */
    uint64_t revision;   /* of the current state in the store; 0: not known */
    uint64_t phase;      /* enum ring_phase */
    int64_t phase_wall_ms;
    struct ssh_key users[RING_SLOTS];
    size_t user_count;
    struct ssh_key hosts[RING_SLOTS];
    size_t host_count;
    struct arena *own; /* of the certificate */
    struct text certificate;
    uint64_t renew_ms; /* by the loop's clock, as all of these */
    uint64_t ends_ms;
    uint64_t not_before_ms; /* it is not tried again */
    struct err why;
    unsigned failures; /* in a row */
    bool is_making;    /* asked to be drawn, or being stored */
    bool is_signing;
    bool is_stepping; /* of a rotation */
    bool is_loaded;   /* the signer that runs has it */
    unsigned loads;   /* questions under way that give it to the signer */
    /* what is taken back (authority_list.c) */
    bool is_list_read;         /* the next one is as the cache has it */
    uint64_t list_revision;    /* of the newest entry; 0: there is none */
    uint64_t list_given;       /* the signer that runs has it up to this one */
    uint64_t list_known;       /* so has `list` */
    bool is_listing;           /* the signer is asked for it */
    struct arena *list_memory; /* of the list, as sshd reads it */
    struct text list;
    struct map list_keys; /* public keys in it: lines */
};

struct authorities {
    struct authorities_options options;
    struct arena *memory;
    struct map map; /* by TENANT/ID */
    struct signer *signer;
    struct loop_timer *sweep;
    struct loop_timer *again; /* whoever waits for one that failed */
    struct cache_watch *revoked_watch;
    struct cache_watch *base_watch;
    struct err problem; /* why there is no signer */
    uint64_t not_before_ms;
    char key[SSH_PRIVATE_BYTES];
    size_t key_bytes;
    struct text key_line;
    struct entering *entering; /* somebody who waits for his certificate */
    bool is_reported;          /* that something is wrong */
    bool is_closed;
};

/* The two parts of TENANT/ID. */
struct text authority_tenant(const struct authority *one);
struct text authority_id(const struct authority *one);

/* The one of a cluster; made where it is not known. */
struct authority *authorities_have(struct authorities *all, struct text cluster);

/* The signer, started where it does not run. R0748: it cannot be had now. */
MUST_CHECK bool authorities_signer(struct authorities *all, struct err *err);

/* Does the cache have it? */
bool authority_read(struct authority *one);

/* What is asked of the signer behind this finds it loaded, and what was taken back given, or is refused. */
void authority_load(struct authority *one);

/* Something has come to an end, well or not; whoever waits is told. */
void authority_well(struct authority *one);
void authority_failed(struct authority *one, const struct err *err);

/* Be told of what changes in the store: once the cache is ready. */
void authorities_follow(struct authorities *all);
void authorities_unfollow(struct authorities *all);

/* The revision of the newest entry of what is taken back; 0: nothing is. */
uint64_t authority_list_revision(struct authority *one);

/* Give the signer what is taken back, where it has not got it. */
void authority_list_give(struct authority *one);

/* Write what the signer has told, where nobody has changed it since; with an event, where it is not empty. */
void authority_write(struct authority *one, const struct sign_reply *reported, struct text request,
                     struct text event, store_done *done, void *arg);

/* Go by what the signer has told, before the cache has it. */
void authority_adopt(struct authority *one, const struct sign_reply *reported);

#endif
