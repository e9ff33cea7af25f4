#ifndef REEVE_WIRE_SIGN_H
#define REEVE_WIRE_SIGN_H

#include "wire/frame.h"

/* names: sign_ */

/* What the manager and the process that holds authorities' keys (reeve-signer) say to each other, over a socket pair, in
 * frames (wire/frame.h). Fuzzed by tests/fuzz/fuzz_sign.c.
 *
 *     manager -> signer: ASKs.     signer -> manager: READY, then one TOLD for each ASK, in their order.
 *
 * An authority is of one cluster: keys that sign users, and keys that sign hosts. The signer keeps nothing on a disk: its
 * keys go to the manager sealed, under a key that the manager does not have, and come back with LOAD. */

enum sign_type { SIGN_ASK = 1, SIGN_READY = 17, SIGN_REPORTED = 18 };

enum sign_method {
    SIGN_MAKE, /* draw keys: sealed comes back. Nothing is loaded */
    SIGN_LOAD, /* sealed: from now on it signs with these; what it had before is forgotten, but for what is taken back */
    SIGN_FORGET,  /* the keys of this authority */
    SIGN_CERTIFY, /* a key */
    SIGN_ROTATE,  /* to this phase: sealed comes back, which is to be kept, and then loaded */
    SIGN_REVOKE,  /* exactly this is taken back, of what is loaded: the list comes back */
    SIGN_METHOD_COUNT,
};

/* What a method does not have is empty. */
struct sign_ask {
    uint64_t id;
    uint64_t method;
    struct text authority; /* TENANT/ID of the cluster */
    struct text who;       /* for whom the manager asks; for the log */
    struct text sealed;
    uint64_t kind; /* enum ssh_cert_kind */
    struct text key;
    struct text name;            /* the id of the certificate */
    struct wire_list principals; /* of struct text */
    uint64_t ttl_s;              /* 0: as long as its kind has by default */
    uint64_t phase;              /* enum ring_phase */
    uint64_t version;            /* of the list */
    struct wire_list serials;    /* of struct text: N or N-M */
    struct wire_list names;      /* of struct text: ids of certificates */
    struct wire_list keys;       /* of struct text: lines of public keys */
    uint64_t
        is_more; /* more of this list follows; it takes effect, and comes back, with the last part */
};

struct sign_reply {
    uint64_t id;
    uint64_t code; /* enum code; CODE_NONE: it was done */
    struct text message;
    struct text hint;
    struct text sealed;
    uint64_t phase;
    struct wire_list
        users; /* of struct text: keys that are trusted to sign users; the one that signs comes first */
    struct wire_list hosts;
    struct text certificate;
    uint64_t serial;
    uint64_t before_s;
    struct text krl; /* bytes */
};

/* It waits for questions. */
struct sign_ready {
    struct text key;          /* id of the key that seals */
    struct wire_list sandbox; /* of struct wire_pair: name and "in force", or why not */
};

struct sign_message {
    enum sign_type type;
    union {
        struct sign_ask ask;
        struct sign_ready ready;
        struct sign_reply reported;
    };
};

/* Add the frame of a message. */
void sign_format(struct buf *buf, const struct sign_message *message);

/* Read a whole frame. Texts are borrowed from it, lists live in the arena, which bounds them. R0752: it is none, or none
 * that this side knows. */
MUST_CHECK bool sign_parse(struct arena *arena, struct text frame, struct sign_message *out,
                           struct err *err);

#endif
