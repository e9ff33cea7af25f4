#ifndef REEVE_REMOTE_NODE_H
#define REEVE_REMOTE_NODE_H

#include "session_pool/session_pool.h"
#include "remote/answer.h"
#include "sys/clock.h"

/* One node on its way from a bare machine to one that is bootstrapped: keys, trust, facts, then its stages in order.
 *
 *     release -> end, of a run NODE_WITH_RELEASE; else
 *     look -> (clean) -> keys -> (point) -> trust -> facts -> (point) -> distribute -> bundle, stage, bundle, stage, ... -> end
 *
 * - What has been done is read from the node itself, in the first step: whoever died, at whatever byte, begins with `look`
 *   and goes on where it was. A run in which nothing has changed runs nothing.
 * - A stage is started by a number of its attempt, which the node writes down before it begins: a start that is sent twice
 *   is one start. It runs by itself; a connection that is lost is followed by another one, from the byte that was last seen.
 * - A stage that was interrupted (a kill, a reboot) is started again only if it says `is_idempotent`. Else its name is
 *   NODE_END_INTERRUPTED until somebody requests otherwise (node_options.request).
 * - A stage is complete for its chain: the digests and arguments of it and of all before it. So whatever changes runs again, and
 *   all behind it.
 * - Stages that the list does not have any more are cleaned, but for the number of their newest attempt; one that runs is left alone.
 * - Everything is told by `told`, from the loop and never before node_begin has returned; NODE_EVENT_END comes last,
 *   and once. All on the thread of the loop. */
struct node_job;

/* Bytes of the bundle with this digest from `offset` on, exactly so many. False: they are not to be had any more. */
typedef bool node_read_fn(void *arg, struct text digest, uint64_t offset, char *out, size_t length);

/* One stage. */
struct node_stage {
    struct text name;   /* for people */
    struct text digest; /* of its bundle */
    uint64_t bytes;     /* of the archive; 0: only whoever has it already can run it */
    uint64_t expanded_bytes;
    const struct text *arguments;
    size_t argument_count;
    uint64_t timeout_s; /* 0: none */
    uint32_t tries;     /* of one that is idempotent; at least 1 */
    bool is_idempotent;
    bool goes_on; /* onFailure: continue */
    bool
        trusts_markers; /* an empty marker of old, of a stage that reeve has never begun there, counts as this one */
    /* Output that was seen before: of this attempt, up to this byte; 0: none. Whole: its end was told, too. What is not seen
     * whole is told again, also of a stage that is complete: it may have ended while nobody listened. */
    uint32_t seen_attempt;
    uint64_t seen_bytes;
    bool is_seen_whole;
};

enum node_step {
    NODE_STEP_LOOK,
    NODE_STEP_CLEAN, /* where it has stages that are no more in the list; of runs with stages alone */
    NODE_STEP_KEYS,
    NODE_STEP_TRUST,
    NODE_STEP_FACTS,
    NODE_STEP_DISTRIBUTE,
    NODE_STEP_BUNDLE,
    NODE_STEP_STAGE,
    NODE_STEP_RELEASE, /* the only step of a run that releases a machine */
    NODE_STEP_REBOOT,  /* the same, of one that reboots it or reads its boot */
    NODE_STEP_COUNT,
};

/* Steps that not every run has: a member that only gets the facts of a new one has no keys and no stages. */
enum { NODE_WITH_KEYS = 1, NODE_WITH_FACTS = 2, NODE_WITH_STAGES = 4 };

/* Alone: all that reeve has written there is removed, and what it had replaced comes back (programs/release.sh). The end's `why` names
 * files that were left, for it is not known whose they are. */
enum { NODE_WITH_RELEASE = 8 };

/* Alone: the boot of the machine is read, and it is rebooted if that is still node_options.boot (programs/reboot.sh). The end's `why` is
 * "BOOT SECONDS": which boot it has, and how old its first process is. */
enum { NODE_WITH_REBOOT = 16 };

/* Where it waits until it is told to go on. */
enum node_point {
    NODE_POINT_KEYS,  /* its keys are told; node_trust says what it is to trust */
    NODE_POINT_FACTS, /* its facts are told; node_distribute gives those of all members */
};

enum node_end {
    NODE_END_DONE,
    NODE_END_CONTINUED, /* all stages were run; some failed, which may (onFailure: continue): it is about the first of them */
    NODE_END_FAILED,    /* a stage ended with another code than 0 */
    NODE_END_TIMEOUT,   /* a stage took longer than it may */
    NODE_END_INTERRUPTED, /* a stage was interrupted, and may not be started again */
    NODE_END_UNREACHABLE,
    NODE_END_HOST_KEY, /* somebody else answers there */
    NODE_END_USER_KEY, /* it does not let us in */
    NODE_END_NO_ROOT,  /* the user may not become root without a password */
    NODE_END_NO_SPACE,
    NODE_END_REFUSED, /* the node could not: `why` says what */
    NODE_END_CANCELLED,
    NODE_END_COUNT,
};

/* "done", "stage failed", ... for people and events. */
const char *node_end_name(enum node_end end);
const char *node_step_name(enum node_step step);

enum node_event_kind {
    NODE_EVENT_STEP,   /* a step begins */
    NODE_EVENT_SAME,   /* a step has changed nothing: trust, distribute, a stage that is complete */
    NODE_EVENT_MARKED, /* a stage is complete by a marker of old: line is its path; with each look */
    NODE_EVENT_POINT,  /* it waits */
    NODE_EVENT_LINE,   /* of output */
    NODE_EVENT_STAGE,  /* an attempt of a stage has ended: code, end */
    NODE_EVENT_RETRY,  /* a step is tried again: why, in retry_ms */
    NODE_EVENT_ALARM, /* it has shown another host key (empty: not known which) than it should have, and why in words */
    NODE_EVENT_HOST_KEY, /* the first one that it has shown, to be written down (transport_target.takes_first) */
    NODE_EVENT_END,
};

/* What is told. What its kind does not have is empty; texts are valid until `told` returns. */
struct node_event {
    enum node_event_kind kind;
    enum node_step step;
    int64_t wall_ms;
    size_t stage;     /* of BUNDLE and STAGE */
    uint32_t attempt; /* LINE, STAGE, END of a stage */
    enum node_point point;
    struct answer_keys keys; /* POINT_KEYS */
    struct text facts;       /* POINT_FACTS: lines of the program, for facts_read */
    struct text
        line; /* LINE: without its end; STAGE and END: the first that tells of an error; MARKED */
    uint64_t line_end; /* LINE: the byte of the output behind it: what has been seen */
    int code;          /* STAGE, END of a stage */
    enum node_end end; /* STAGE, END; RETRY of a step without an answer: it would be this one */
    struct text why;   /* RETRY, END, ALARM: in words */
    uint64_t retry_ms;
    struct text host_key;
};

typedef void node_reported(void *arg, const struct node_event *event);

/* Needed until node_begin returns, but for what is named as borrowed. */
struct node_options {
    struct session_pool *session_pool;
    struct loop *loop;
    struct clock clock;
    struct text name; /* of the node: whose turn it is */
    struct text zone;
    struct transport_target target; /* a user other than root becomes root by `sudo -n` */
    unsigned with;                  /* NODE_WITH_... */
    struct text cluster;            /* TENANT/ID; of RELEASE */
    struct text boot; /* of REBOOT: only a machine with this boot is rebooted; empty: none is */
    const struct node_stage *stages;
    size_t stage_count;
    /* Run again: all stages from `request_from` on, or with request_failed those that did not end well. `request` names this request:
     * letters, digits and -; it is fulfilled once, however often it is begun and by however many, also behind others: a node knows
     * the names of the newest 64. Empty: none. */
    struct text request;
    size_t request_from;
    bool request_failed;
    struct text stale_keys
        [2]; /* bodies of keys that were taken back: where it has one, it makes another; empty: none */
    uint64_t patience_ms;      /* without a whole answer; 0: REMOTE_PATIENCE_MS */
    uint64_t pause_ms;         /* before a step is tried again, doubles; 0: REMOTE_PAUSE_MS */
    node_read_fn *read_bundle; /* piece by piece, as the node takes them */
    void *read_arg;            /* until node_free */
    node_reported *reported;
    void *arg;
};

/* Begin. R0720: what is asked for cannot be done: too many stages, arguments or names that no node can be given. */
MUST_CHECK bool node_begin(const struct node_options *options, struct node_job **out,
                           struct err *err);

/* At POINT_KEYS, go on. `files`: a tar for the program trust (trust.h), or for classic with the name of the block;
 * NULL: nothing is installed. The blob is shared until the node has them, the name is copied. */
void node_trust(struct node_job *node, struct blob *files, struct text classic_name);

/* The facts of all members, then the lines of /etc/hosts by which they find each other: the same bytes for each of them, which are
 * in memory once. */
struct node_facts {
    struct blob *bytes; /* NULL: none, and nothing is written */
    size_t facts_bytes; /* of them, before the lines */
    char digest[65];    /* SHA-256 of all */
};

/* At POINT_FACTS, go on with these. The blob is shared. */
void node_distribute(struct node_job *node, const struct node_facts *facts);

/* Want it no more. A stage that runs goes on by itself; NODE_EVENT_END comes as ever. */
void node_cancel(struct node_job *node);

/* Free it, at any time but from `told`; nothing is told any more. What was under way may still happen. NULL is allowed. */
void node_free(struct node_job *node);

/* Is this line one that tells of an error? */
bool node_line_is_error(struct text line);

#endif
