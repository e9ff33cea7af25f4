#ifndef REEVE_RECORDS_NODES_H
#define REEVE_RECORDS_NODES_H

#include "base/mem.h"
#include "records/way.h"
#include "ssh/rotation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* public names start with: nodes_ */

/* The nodes port: sets up keys and trust of nodes, distributes facts and runs stages. remote/node.h
 * implements it; this header has no transport details. A run takes one node through some or all of
 * these phases. At each barrier the run waits until src/members lets it continue. src/members
 * decides for the whole cluster. */

/* One stage of a group. */
/* The field of a stage's variables that names secrets: a map from the variable to "NAME DIGEST",
 * where DIGEST is a keyed digest of the value. Only a run inserts the values (stage_secrets.h). */
#define NODES_SECRETS "reeve_secrets"

struct nodes_stage {
    struct text name;   /* name of its bundle, or of a hook; for display */
    struct text digest; /* SHA-256 of the bundle or archive */
    /* The playbook in the archive with this digest. The manager runs it for the node after all
     * bundles. Empty: the stage is a bundle. */
    struct text playbook;
    const struct text *arguments;
    size_t argument_count;
    struct text vars; /* JSON for the stage's file vars.json; empty: none */
    uint64_t timeout_ms;
    uint32_t tries;
    bool is_idempotent;
    bool goes_on;           /* the policy onFailure of the stage is `continue` */
    bool is_marker_trusted; /* An empty legacy marker counts as completion of this stage. */
};

/* A run to be started. Valid until nodes_port.begin returns. */
struct nodes_order {
    struct control_way way;
    struct text cluster_name;
    struct text owner; /* owner in the node's facts; may be empty */
    struct text group;
    unsigned with;                    /* RUN_WITH_... of bootstrap/run_tasks.h */
    const struct nodes_stage *stages; /* stages for RUN_WITH_STAGES */
    size_t stage_count;
    /* For each stage, the latest attempt whose success was reported; 0: none. */
    const uint32_t *reported;
    /* The playbook that runs in place of the playbook of the last stage, from the same archive;
     * empty: none. */
    struct text upgrade;
    /* The attempt of the playbook that began on the node and whose end is unknown; 0: none. */
    uint32_t begun;
    /* Name of the request to run failed stages again. Each request takes effect once. Empty:
     * none. */
    struct text request;
    bool is_request_of_all; /* The request also covers completed stages, from request_from on. */
    uint64_t request_from;
    bool is_beside; /* Runs concurrently with another run of this node. */
    /* With RUN_WITH_REBOOT: the boot of the machine. The run reboots the machine if this is still
     * its boot. Empty: the run only reads the boot. */
    struct text boot;
    /* With RUN_WITH_STAGES and RUN_WITH_VERIFY: paths of the files that belong to the node's
     * baseline, each with a newline after it. */
    struct text files;
    /* With RUN_WITH_VERIFY: the digest of the baseline that the node should have; empty: none. */
    struct text baseline;
    uint64_t cleanup_s; /* With RUN_WITH_CLEANUP and RUN_WITH_DRAIN: time limit of the hooks. */
    bool is_undrain;    /* with RUN_WITH_DRAIN: the hooks `undrain` run instead of `drain` */
    /* With RUN_WITH_DRAIN, RUN_WITH_VERIFY and RUN_WITH_CLEANUP: the playbook of a hook; NULL:
     * none. It has digest, playbook, vars and timeout_ms. */
    const struct nodes_stage *hook;
    bool is_hook_check;  /* The playbook runs in check mode. */
    bool is_hook_run;    /* with RUN_WITH_VERIFY: the hooks of the stages also run */
    bool keeps_baseline; /* With RUN_WITH_STAGES: the run must lead to the existing baseline. */
};

/* How the files of a node compare with its baseline. */
struct nodes_verdict {
    struct text baseline; /* digest of the baseline; empty: there is none */
    struct text files;    /* the first files that differ, one line "PATH: DIFFERENCE" for each */
    uint64_t file_count;  /* number of all files that differ */
    struct text unknown;  /* why the verdict is unknown; empty: the verdict is known */
    struct text boot;     /* boot id and start of the first process; empty: unknown */
    /* In check mode: the number of tasks of the playbook on this node, and how many of them were
     * judged. */
    uint64_t tasks;
    uint64_t judged;
};

/* Public keys of one node, in OpenSSH format. */
struct nodes_keys {
    struct text name;
    struct text host;
    struct text root;
    struct text user; /* empty: the user is root */
};

/* The trusted keys that a node receives. */
struct nodes_trust {
    bool is_classic; /* sshTrust is classic; otherwise certificates are used */
    /* `mutualRootSsh` is false: members cannot log in to each other as root. Host keys are still
     * distributed. */
    bool is_apart;
    /* The node keeps its valid certificates, and the run writes only the other files about trusted
     * keys. */
    bool keeps;
    uint64_t cert_ms; /* lifetime of user certificates, in ms */
    /* The node's own keys; with classic trust the keys of all members. */
    const struct nodes_keys *keys;
    size_t count;
};

/* Versions of the content on which a cluster's certificates depend. A different number means
 * different content. */
struct nodes_mark {
    /* Version of the signing authority. If it changes, all certificates are issued again. */
    uint64_t signs;
    uint64_t trusts; /* version of the trusted authorities */
    uint64_t list;   /* version of the list of revoked keys (state/revoked.h) */
};

/* Progress of a rotation of a cluster's authorities. */
struct nodes_rotation {
    enum rotation_phase phase;
    /* The request in progress, or else the latest completed one. Valid until the callback
     * returns. */
    struct text request;
    uint64_t age_ms;  /* time since the phase began */
    bool is_stepping; /* The next phase is being entered. */
};

enum nodes_event_kind {
    /* The node has reported its keys, and the run waits at a barrier: call trust. */
    NODES_EVENT_KEYS,
    NODES_EVENT_TRUSTED, /* The node has installed the given trusted keys. */
    /* The node has reported its facts, and the run waits at a barrier: call distribute. */
    NODES_EVENT_FACTS,
    NODES_EVENT_GIVEN,  /* The node has received the facts of all members. */
    NODES_EVENT_STAGE,  /* An attempt of a stage is running. */
    NODES_EVENT_STAGED, /* An attempt of a stage has ended. */
    /* reports the node's baseline after its stages; without a baseline, `why` has the reason */
    NODES_EVENT_BASELINE,
    /* The hooks `cleanup`, `drain` or `undrain` have run. `why` has the names of failed hooks;
     * `code` is the number of further failed hooks. */
    NODES_EVENT_CLEANED,
    NODES_EVENT_MARKED,   /* a stage counts as complete by a legacy marker; `why` is its file */
    NODES_EVENT_HOST_KEY, /* The node presented its first host key, which the caller records. */
    NODES_EVENT_ALARM,    /* The node presented a host key that differs from the expected one; END
                           * follows. */
    /* The node refuses the login, and the run will retry it. Sets cause and why. */
    NODES_EVENT_BLOCKED,
    NODES_EVENT_END, /* The run has ended; no event follows. */
};

/* How a run ended. */
enum nodes_end {
    NODES_END_DONE,        /* the run is complete */
    NODES_END_CONTINUED,   /* all stages ran; some failed with onFailure: continue */
    NODES_END_FAILED,      /* A stage failed. */
    NODES_END_TIMEOUT,     /* A stage timed out. */
    NODES_END_INTERRUPTED, /* A stage was interrupted and must not be started again. */
    NODES_END_UNREACHABLE,
    /* The node could not execute the run, or refused the login; `why` has the reason. */
    NODES_END_REFUSED,
    NODES_END_CANCELLED,
    NODES_END_COUNT,
};

/* Return the name of an end: "done", "stage failed", ... */
const char *nodes_end_name(enum nodes_end end);

/* Why a run cannot do its work on the node. Except for KEY_AWAITED, a retry fails the same way
 * until an operator changes something. */
enum nodes_cause {
    NODES_CAUSE_NONE,
    /* The user cannot become root: sudo is missing, or requires a password. */
    NODES_CAUSE_NO_ROOT,
    /* No host key is recorded, and the group does not accept the first one. */
    NODES_CAUSE_KEY_UNKNOWN,
    /* The provider has not reported the host key of a new machine yet. This ends without an
     * operator. */
    NODES_CAUSE_KEY_AWAITED,
    /* The node presents a host key that differs from the recorded one. */
    NODES_CAUSE_KEY_OTHER,
    NODES_CAUSE_LOGIN, /* The node rejects the user or the key. */
    /* The node rejects the private key of the group (sshKeySecret), or the key is not available. */
    NODES_CAUSE_LOGIN_KEY,
    NODES_CAUSE_NO_SPACE,    /* The node's disk is full. */
    NODES_CAUSE_UNREACHABLE, /* the run could not connect for longer than it may wait */
    NODES_CAUSE_OTHER,       /* another cause; `why` has the reason */
    NODES_CAUSE_COUNT,
};

/* Return the name of a cause: "no-root", "host-key-unknown", ...; "" for NONE. */
const char *nodes_cause_name(enum nodes_cause cause);

/* Find the cause with this name; NONE if there is none. */
enum nodes_cause nodes_cause_find(struct text name);

/* True if the cause ends when the node accepts a login and answers as root. */
bool nodes_cause_is_login(enum nodes_cause cause);

/* Return the command or edit that resolves the cause on CLUSTER/NODE, whose login user is `user`
 * (empty: root). Empty: no remedy is known. The text lives in the arena. */
struct text nodes_cause_hint(struct arena *arena, enum nodes_cause cause, struct text cluster,
                             struct text node, struct text user);

/* An event of a run. Fields that are not used by its kind are empty. Valid until the callback
 * returns. */
struct nodes_event {
    enum nodes_event_kind kind;
    struct nodes_keys keys; /* for KEYS; without the name */
    /* For TRUSTED with new certificates: time until they must be renewed, in ms. 0: never. */
    uint64_t renew_ms;
    struct text facts; /* for FACTS: canonical JSON, a map */
    struct text host_key;
    /* For STAGE, STAGED and MARKED: the stage. For END of a failed stage: the first stage that
     * failed. */
    size_t stage;
    uint32_t attempt;
    int code;
    enum nodes_end end;
    /* for BLOCKED, and for END of a run that is retried: REFUSED, UNREACHABLE */
    enum nodes_cause cause;
    /* For END, ALARM and BLOCKED: the reason as text; with RUN_WITH_REBOOT "BOOT SECONDS". For
     * STAGED: the first line of output that reports an error. For MARKED: a path. */
    struct text why;
    struct nodes_verdict verdict; /* for BASELINE, and for END with RUN_WITH_VERIFY */
};
typedef void nodes_event_fn(void *arg, const struct nodes_event *reported);

struct nodes_run;

struct nodes_port {
    /* Begin a run. `reported` is called from the event loop, never before this call has returned.
     * Returns NULL if there is no capacity now. */
    struct nodes_run *(*begin)(void *arg, const struct nodes_order *order, nodes_event_fn *reported,
                               void *event_arg);
    /* Let a run that waits at a barrier continue. `hosts` has lines of /etc/hosts. Arguments are
     * copied. May be called from `reported`. */
    void (*trust)(void *arg, struct nodes_run *run, const struct nodes_trust *trust);
    void (*distribute)(void *arg, struct nodes_run *run, struct text facts, struct text hosts);
    /* Stops the playbook of a run at its next task; the run then reports that it was interrupted.
     * Stages that are bundles are not interrupted. May be called repeatedly. NULL: the port has no
     * playbooks. */
    void (*stop)(void *arg, struct nodes_run *run);
    /* End a run without further reports. Must not be called from `reported`. Processes on the node
     * continue. */
    void (*drop)(void *arg, struct nodes_run *run);
    /* True if this manager logs in to machines of this plugin. Machines of other plugins have no
     * keys, facts and stages. */
    bool (*logs_in)(void *arg, struct text plugin);
    /* The current versions of the content on which a cluster's certificates depend. Returns false
     * if they are not known yet. The port calls control_wake when they become known or change. */
    bool (*authority)(void *arg, struct text cluster, struct nodes_mark *out);
    /* `rotation` returns the progress of the rotation of a cluster's authorities, or false if it is
     * not known yet. `rotate` starts the next phase of the rotation for a request; `event` is the
     * event that reports the phase. The port calls control_wake when the phase is entered. If it
     * cannot be entered now, the caller must repeat the call. */
    bool (*rotation)(void *arg, struct text cluster, struct nodes_rotation *out);
    void (*rotate)(void *arg, struct text cluster, struct text request, struct text event);
    void *arg;
};

#endif
