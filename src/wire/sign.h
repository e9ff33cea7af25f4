#ifndef REEVE_WIRE_SIGN_H
#define REEVE_WIRE_SIGN_H

#include "wire/frame.h"

/* public names start with: sign_ */

/* The messages between the manager and the process that holds the authorities' keys (reeve-signer),
 * over a socket pair, in frames (wire/frame.h). Fuzzed by tests/fuzz/fuzz_sign.c.
 *
 *     manager -> signer: ASKs.
 *     signer -> manager: READY, then one REPORTED for each ASK, in the same order.
 *
 * An authority belongs to a cluster, or to the managers of the store. It has keys that sign user
 * certificates, and keys that sign host certificates. The signer stores no keys. It sends them to
 * the manager, sealed with a key that the manager does not have, and gets them back with LOAD. */

enum sign_type { SIGN_ASK = 1, SIGN_READY = 17, SIGN_REPORTED = 18 };

/* Name of the authority of the managers of a store, which exists in addition to those of
 * clusters. */
#define SIGN_MANAGERS "_/managers"

enum sign_method {
    SIGN_MAKE, /* generate keys and return `sealed`; the keys are not loaded */
    /* load `sealed`: from now on the signer signs with these keys; they replace the previous keys
     * of the authority, and its revocations are kept */
    SIGN_LOAD,
    SIGN_FORGET,  /* drop the keys of this authority */
    SIGN_CERTIFY, /* sign a certificate for a key */
    SIGN_ROTATE,  /* change to this phase; returns `sealed`, which must be stored and then loaded */
    SIGN_REVOKE,  /* replace the revocations of a loaded authority; returns the revocation list */
    /* Sign an X.509 certificate with which a manager authenticates itself to other managers. Only
     * the authority of the managers supports this. `name` is the id of the manager, `principals`
     * are its addresses. Returns `certificate`, and the certificates of the authority in `krl`, all
     * as PEM. */
    SIGN_CERTIFY_MANAGER,
    SIGN_METHOD_COUNT,
};

/* A request. Fields that its method does not use are empty. */
struct sign_ask {
    uint64_t id;
    uint64_t method;
    struct text authority; /* TENANT/ID of the cluster, or SIGN_MANAGERS */
    struct text who;       /* the user or component that makes the request, for the log */
    struct text sealed;
    uint64_t kind; /* enum ssh_cert_kind */
    struct text key;
    struct text name;            /* id of the certificate */
    struct wire_list principals; /* list of struct text */
    uint64_t ttl_s;              /* validity in s; 0: the default of the kind */
    uint64_t phase;              /* enum rotation_phase */
    uint64_t version;            /* version of the revocation list */
    struct wire_list serials;    /* list of struct text: N or N-M */
    struct wire_list names;      /* list of struct text: ids of certificates */
    struct wire_list keys;       /* list of struct text: lines of public keys */
    /* further parts of this list follow; the list takes effect, and is returned, with its last
     * part */
    uint64_t is_more;
};

struct sign_reply {
    uint64_t id;
    uint64_t code; /* enum code; CODE_NONE: success */
    struct text message;
    struct text hint;
    struct text sealed;
    uint64_t phase;
    /* list of struct text: the keys that are trusted to sign user certificates; the key that signs
     * comes first */
    struct wire_list users;
    struct wire_list hosts;
    struct text certificate;
    uint64_t serial;
    uint64_t before_s;
    struct text krl; /* the revocation list */
};

/* The signer is ready for requests. */
struct sign_ready {
    struct text key; /* id of the sealing key */
    /* list of struct wire_pair: the name of a part, and "in force" or the reason why it is
     * missing */
    struct wire_list sandbox;
};

struct sign_message {
    enum sign_type type;
    union {
        struct sign_ask ask;
        struct sign_ready ready;
        struct sign_reply reported;
    };
};

/* Append the frame of a message. */
void sign_format(struct buf *buf, const struct sign_message *message);

/* Read a complete frame. Texts borrow from the frame; lists live in the arena, whose limit bounds
 * them. Fails with R0752 if the frame is invalid or of an unknown type. */
MUST_CHECK bool sign_parse(struct arena *arena, struct text frame, struct sign_message *out,
                           struct err *err);

#endif
