#ifndef REEVE_PROVIDER_HOSTED_H
#define REEVE_PROVIDER_HOSTED_H

#include "records/provider.h"
#include "provider/link.h"

/* A provider implemented by a plugin, in a separate process (reeve-host), for one tenant.
 *
 * The first call starts the process. After an unexpected end, it is restarted after a growing
 * pause. Every call ends: by its answer, at its deadline, or with the process. The process gets
 * only as many calls as it can run at the same time; further calls wait here. A process that leaves
 * calls unanswered for a long time is killed. The outcome of its active calls is then unknown;
 * calls that still waited here had no effect. */

/* How to start a plugin, and the description from its HELLO message. */
struct plugin_facts {
    /* start options; the provider replaces the folder by that of the tenant */
    struct wire_open open;
    struct wire_hello hello;
};

/* Time limits of calls and processes, in ms. */
struct hosted_patience {
    uint32_t times; /* divisor of scaled time */
    /* Time limit of validate, counted from the request. Never scaled, because a user waits for the
     * answer. */
    uint64_t judge_ms;
    uint64_t read_ms;      /* for describe */
    uint64_t change_ms;    /* for destroy, label and reboot */
    uint64_t create_ms;    /* for create, if the plugin declares no limit */
    uint64_t stuck_ms;     /* from a deadline until the process that holds the call is killed */
    uint64_t start_ms;     /* for the first message of a process */
    uint64_t end_ms;       /* from the close of a process until its exit */
    uint64_t pause_ms;     /* before a restart; doubles */
    uint64_t pause_max_ms; /* maximum pause */
};

/* Returns the limits of limits.h divided by the time scale; the divisor is at most ten. */
struct hosted_patience hosted_patience_hastened(uint32_t time_scale);

/* Identifies which plugin uses the credential of which account. */
struct hosted_use {
    struct text tenant;
    struct text account;
    struct text plugin;
    struct text digest; /* of the plugin's file */
};

/* Source of credentials. `reveal` writes the credential, up to LIMIT_SECRET_BYTES, to `out` for one
 * call; the caller wipes it after sending. If the account has no secret, the length is 0. It
 * returns false if the credential is not available; the call is then not sent. */
struct hosted_vault {
    bool (*reveal)(void *arg, const struct hosted_use *use, char *out, size_t *out_length,
                   struct err *err);
    /* Returns the account's limit of calls per second. 0: as the plugin states. */
    uint32_t (*rate)(void *arg, struct text tenant, struct text account);
    /* Returns the account's settings as JSON in the arena; empty: none. NULL function: none. */
    struct text (*settings)(void *arg, struct arena *arena, struct text tenant,
                            struct text account);
    void *arg;
};

/* Receives the answer to an access. */
typedef void hosted_state_done(void *arg, const struct wire_state *answer);

/* Stores the state of plugins for all managers (reeve/plugin.h). `access` calls `done` once,
 * possibly immediately; it must copy what it needs of `user` and `ask`. NULL: the state is stored
 * in the plugin's folder. */
struct hosted_state_port {
    void (*access)(void *arg, const struct hosted_use *user, const struct wire_state_ask *ask,
                   hosted_state_done *done, void *done_arg);
    void *arg;
};

struct hosted_options {
    struct loop *loop;
    struct log *log;
    size_t *alive;                    /* as in link_options */
    const char *program;              /* absolute path of reeve-host */
    const struct plugin_facts *facts; /* borrowed with all texts; must outlive the provider */
    struct hosted_patience patience;
    struct text tenant;
    struct text folder;  /* the plugin's folder for this tenant; it must exist */
    struct text account; /* empty: no account, so calls have no credential */
    struct hosted_vault vault;
    struct hosted_state_port state;
    void (*wake)(void *arg); /* called when provider_run has work */
    void *arg;
};

/* Creates the provider; nothing is started yet. Texts of the options are copied. */
struct provider *hosted_open(const struct hosted_options *options);

/* Limits the calls per second, in addition to the plugin's own limit. 0: no additional limit. */
void hosted_rate(struct provider *provider, uint32_t calls_per_s);

/* Receives the result of validate: one pair per fault, pointer and message. */
typedef void hosted_judged(void *arg, struct wire_list faults, struct text problem);

/* Lets the plugin validate these properties. They are valid if `done` gets no faults and no
 * problem. */
void hosted_validate(struct provider *provider, struct text properties, hosted_judged *done,
                     void *arg);

typedef void hosted_preflighted(void *arg, const struct provider_preflight *found);

/* Lets the plugin check at the provider whether such machines can be created, without changes. If
 * the plugin lacks the method, `problem` says so. Members of the call: cluster, properties, zones,
 * count, pins. */
void hosted_preflight(struct provider *provider, const struct wire_call *wire,
                      hosted_preflighted *done, void *arg);

/* Reads the last part of a machine's console output. If the outcome is OK, answer->console has it.
 * Members of the call: cluster, machine, token, age_ms. */
void hosted_console(struct provider *provider, const struct wire_call *wire, provider_done *done,
                    void *arg);

/* Sets the settings of the account, JSON, which are merged over those of the plugin (empty: none).
 * If they have changed, the process is started again with them as soon as no call is active. */
void hosted_settings(struct provider *provider, struct text settings);

/* Makes one call without the intent record that the engine writes for each change
 * (records/intent.h). Only for the conformance suite, which owns its machines, and for calls whose
 * intent another manager has committed (src/instances). Members of `wire` that the method does not
 * use are empty. For VALIDATE, the message has the faults. */
void hosted_try(struct provider *provider, enum wire_method method, const struct wire_call *wire,
                provider_done *done, void *arg);

/* Same as hosted_try, for CREATE. */
void hosted_create(struct provider *provider, const struct provider_request *request,
                   provider_done *done, void *arg);

/* State of the process, for display: pid (0: none), number of starts, reason of its last end. */
struct hosted_state {
    int pid;
    uint64_t starts;
    uint64_t calls;
    size_t under_way;
    struct text why; /* empty: it has not ended */
    /* The parts of the process's sandbox and their states, as a list of struct wire_pair. Valid
     * until the next iteration of the loop. */
    struct wire_list sandbox;
};
struct hosted_state hosted_state(const struct provider *provider);

#endif
