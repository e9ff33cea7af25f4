#ifndef REEVE_RECORDS_NODES_H
#define REEVE_RECORDS_NODES_H

#include "base/mem.h"
#include "records/way.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* names: nodes_ */

/* The port by which nodes are keyed, told the facts of all and bootstrapped: what remote/node.h does, without a word of how. A run
 * is one way of one node through keys, trust, facts and stages, or through some of them; it waits at its points until it is
 * told to go on, by whoever decides for the whole cluster (engine/bootstrap.c). */

/* One stage of a group. */
struct nodes_stage {
    struct text name;   /* of its bundle, for people */
    struct text digest; /* sha256 */
    const struct text *arguments;
    size_t argument_count;
    uint64_t timeout_ms;
    uint32_t tries;
    bool is_idempotent;
    bool goes_on;        /* onFailure: continue */
    bool trusts_markers; /* an empty marker of old counts as this stage */
};

/* A run that is to be made. Valid until nodes_port.begin returns. */
struct nodes_order {
    struct control_way way;
    struct text cluster_name;
    struct text owner; /* that its facts name; may be empty */
    struct text group;
    unsigned with;                    /* BOOTSTRAP_WITH_... of bootstrap/bootstrap.h */
    const struct nodes_stage *stages; /* of BOOTSTRAP_WITH_STAGES */
    size_t stage_count;
    const uint32_t
        *reported; /* of each stage, the newest attempt whose good end was told; 0: none */
    struct text
        request; /* what had failed is run again, once for each request; empty: nothing is */
    bool is_request_of_all; /* so is what ended well, from this stage on */
    uint64_t request_from;
    bool is_beside; /* beside another run of this node */
    /* Of BOOTSTRAP_WITH_REBOOT: the machine is rebooted if it still has this boot; empty: its boot is only read. */
    struct text boot;
};

/* Public keys as OpenSSH writes them, of one node. */
struct nodes_keys {
    struct text name;
    struct text host;
    struct text root;
    struct text user; /* empty: root is the user */
};

/* What a node is to trust. */
struct nodes_trust {
    bool is_classic; /* else certificates */
    bool is_apart;   /* nobody's root is let in to it: hosts are known, and that is all */
    bool
        keeps; /* its certificates are good as they are: the rest of it is written, and no new ones */
    uint64_t cert_ms;              /* life of certificates of users */
    const struct nodes_keys *keys; /* its own; classic: those of all members */
    size_t count;
};

/* What certificates of a cluster are worth; another number is another thing. */
struct nodes_mark {
    uint64_t signs;  /* who signs: certificates of others are given anew */
    uint64_t trusts; /* who is trusted */
    uint64_t list;   /* what is taken back (state/revoked.h) */
};

/* How far a cluster's authorities are changed: as enum ring_phase of signer/ring.h. */
enum nodes_phase { NODES_STEADY, NODES_MADE, NODES_TRUSTED, NODES_SIGNS };
struct nodes_rotation {
    enum nodes_phase phase;
    struct text
        request; /* which is being fulfilled, or was by the newest; valid until the loop turns */
    uint64_t age_ms;  /* of the phase */
    bool is_stepping; /* the next one is being taken */
};

enum nodes_event_kind {
    NODES_EVENT_KEYS,     /* it has told its keys, and waits: trust */
    NODES_EVENT_TRUSTED,  /* it trusts what it was told to */
    NODES_EVENT_FACTS,    /* it has told its facts, and waits: distribute */
    NODES_EVENT_GIVEN,    /* it has the facts of all */
    NODES_EVENT_STAGE,    /* an attempt of a stage goes on */
    NODES_EVENT_STAGED,   /* it has ended */
    NODES_EVENT_MARKED,   /* a stage is taken as complete by a marker of old: why says which file */
    NODES_EVENT_HOST_KEY, /* the first one that it has shown, to be written down */
    NODES_EVENT_ALARM,    /* it has shown another one than it should have; END follows */
    NODES_EVENT_BLOCKED,  /* the login is refused, and the run retries it: cause, why */
    NODES_EVENT_END,      /* so has the run; nothing more comes */
};

/* How a run ended. */
enum nodes_end {
    NODES_END_DONE,        /* all of it */
    NODES_END_CONTINUED,   /* all stages were run; some failed, which may (onFailure: continue) */
    NODES_END_FAILED,      /* a stage did */
    NODES_END_TIMEOUT,     /* it took too long */
    NODES_END_INTERRUPTED, /* it was interrupted, and may not be started again */
    NODES_END_UNREACHABLE,
    NODES_END_REFUSED, /* the node could not, or it does not let us; `why` says what */
    NODES_END_CANCELLED,
    NODES_END_COUNT,
};

/* "done", "stage failed", ... */
const char *nodes_end_name(enum nodes_end end);

/* Why a run could not do its work on the node, so that another try ends the same way until somebody changes something. */
enum nodes_cause {
    NODES_CAUSE_NONE,
    NODES_CAUSE_NO_ROOT, /* the user cannot become root: sudo is missing, or asks for a password */
    NODES_CAUSE_KEY_UNKNOWN, /* no host key is on record, and the group does not take the first one */
    NODES_CAUSE_KEY_OTHER,   /* the node shows another host key than the one on record */
    NODES_CAUSE_LOGIN,       /* the node does not accept the user or the key */
    NODES_CAUSE_LOGIN_KEY, /* the same with the private key of its group (sshKeySecret), or that key cannot be had */
    NODES_CAUSE_NO_SPACE,    /* its disk is full */
    NODES_CAUSE_UNREACHABLE, /* no connection for longer than a run waits */
    NODES_CAUSE_OTHER,       /* the text says what */
    NODES_CAUSE_COUNT,
};

/* "no-root", "host-key-unknown", ...; "" of NONE. */
const char *nodes_cause_name(enum nodes_cause cause);

/* The cause with this name; NONE if there is none. */
enum nodes_cause nodes_cause_find(struct text name);

/* Is it over once the node has let the run in and answered as root? */
bool nodes_cause_is_login(enum nodes_cause cause);

/* The command or edit that helps against it on CLUSTER/NODE, whose login user is `user` (empty: root). Empty: none is known. Of the
 * arena. */
struct text nodes_cause_hint(struct arena *arena, enum nodes_cause cause, struct text cluster,
                             struct text node, struct text user);

/* What is told. What its kind does not have is empty; valid until told returns. */
struct nodes_event {
    enum nodes_event_kind kind;
    struct nodes_keys keys; /* KEYS; without name */
    uint64_t
        renew_ms; /* TRUSTED with new certificates: so long until they are to be renewed; 0: never */
    struct text facts; /* FACTS: canonical JSON, a map */
    struct text host_key;
    size_t stage; /* STAGE, STAGED, MARKED, END of a stage: of the first one that failed */
    uint32_t attempt;
    int code;
    enum nodes_end end;
    enum nodes_cause cause; /* BLOCKED; END of a run that is tried again: REFUSED, UNREACHABLE */
    struct text
        why; /* END, ALARM, BLOCKED: in words, of BOOTSTRAP_WITH_REBOOT "BOOT SECONDS"; STAGED: the first line that tells of an error; MARKED: a path */
};
typedef void nodes_event_fn(void *arg, const struct nodes_event *reported);

struct nodes_run;

struct nodes_port {
    /* Begin; `told` comes from the loop, never before this has returned. NULL: not now. */
    struct nodes_run *(*begin)(void *arg, const struct nodes_order *order, nodes_event_fn *reported,
                               void *event_arg);
    /* At its points; `hosts` is lines of /etc/hosts. What is given is copied. May be called from `told`. */
    void (*trust)(void *arg, struct nodes_run *run, const struct nodes_trust *trust);
    void (*distribute)(void *arg, struct nodes_run *run, struct text facts, struct text hosts);
    /* End it, at any time but from `told`; nothing more is told. What runs on the node goes on by itself. */
    void (*drop)(void *arg, struct nodes_run *run);
    /* Does anybody log in to machines of this plugin? Those of others have no keys, no facts and no stages. */
    bool (*logs_in)(void *arg, struct text plugin);
    /* Names what a cluster's certificates are worth now. False: not known yet; who asks is woken (control_wake) when it is, or
     * when it changes. */
    bool (*authority)(void *arg, struct text cluster, struct nodes_mark *out);
    /* How far its authorities are changed; false: not known yet. And the next step of it, for a request, told by this event; who
     * asks is woken (control_wake) when it is taken, and asks again where it was not. */
    bool (*rotation)(void *arg, struct text cluster, struct nodes_rotation *out);
    void (*rotate)(void *arg, struct text cluster, struct text request, struct text event);
    void *arg;
};

#endif
