#ifndef REEVE_PROVIDER_HOSTED_H
#define REEVE_PROVIDER_HOSTED_H

#include "records/provider.h"
#include "provider/link.h"

/* A provider whose machines a plugin makes, in a process of its own (reeve-host), for one tenant.
 *
 * The process is started by the first call, and again, after a pause that grows, when it has ended. Whatever the
 * plugin does, a call ends: at its deadline, with the process, or with its answer. It gets as many calls as it makes at
 * once; more wait here. A process that leaves calls unanswered for long is killed; what was under way is then unknown,
 * what waited was certainly not done. */

/* What is known of a plugin: by its own words, once it has been asked. */
struct plugin_facts {
    struct wire_open open; /* how it is opened; folder is the tenant's */
    struct wire_hello hello;
};

/* How long is waited for what. */
struct hosted_patience {
    uint32_t times; /* so many times less than in earnest */
    uint64_t
        judge_ms; /* for validate, from when it is asked; a person waits, so it is never hastened */
    uint64_t read_ms;      /* for describe */
    uint64_t change_ms;    /* for destroy, label, reboot */
    uint64_t create_ms;    /* where the plugin does not say */
    uint64_t stuck_ms;     /* from a deadline to the end of a process that holds its call */
    uint64_t start_ms;     /* for the first word of a process */
    uint64_t end_ms;       /* for its end, when it is not needed any more */
    uint64_t pause_ms;     /* before it is started again; doubles */
    uint64_t pause_max_ms; /* up to this */
};

/* As long as limits.h says; in a manager in haste calls have less time, up to ten times. */
struct hosted_patience hosted_patience_hastened(uint32_t time_scale);

/* Who asks for the credential of an account. */
struct hosted_use {
    struct text tenant;
    struct text account;
    struct text plugin;
    struct text digest; /* of the plugin's file */
};

/* Where the credential of an account comes from, for one call: up to LIMIT_SECRET_BYTES into `out`, which is wiped when
 * they are sent; none where the account has no secret. False: it cannot be had now, and the call is not made. */
struct hosted_vault {
    bool (*reveal)(void *arg, const struct hosted_use *use, char *out, size_t *out_length,
                   struct err *err);
    /* Calls a second that the account may make; 0: as its plugin says. */
    uint32_t (*rate)(void *arg, struct text tenant, struct text account);
    void *arg;
};

struct hosted_options {
    struct loop *loop;
    struct log *log;
    size_t *alive;                    /* as of a link */
    const char *program;              /* reeve-host */
    const struct plugin_facts *facts; /* outlive the provider, texts and all */
    struct hosted_patience patience;
    struct text tenant;
    struct text folder;  /* the plugin's own in this tenant; there */
    struct text account; /* with which it works; empty: none, and no credential */
    struct hosted_vault vault;
    void (*wake)(void *arg); /* provider_run has something to do */
    void *arg;
};

/* Make it; nothing is started yet. Texts of the options are copied. */
struct provider *hosted_open(const struct hosted_options *options);

/* Bound the calls a second, beside what the plugin says itself; 0: not. */
void hosted_rate(struct provider *provider, uint32_t calls_per_s);

/* What validate says: a pair for each fault, pointer and message. */
typedef void hosted_judged(void *arg, struct wire_list faults, struct text problem);

/* Ask the plugin whether these properties are right. OK without faults: they are. */
void hosted_validate(struct provider *provider, struct text properties, hosted_judged *done,
                     void *arg);

/* Make one call as it stands, without the record that every change of an engine has (records/intent.h): for the
 * conformance kit, whose machines are its own and nobody's else. What the method does not have is left empty; of a
 * VALIDATE the faults are the message. No manager calls this. */
void hosted_try(struct provider *provider, enum wire_method method, const struct wire_call *wire,
                provider_done *done, void *arg);

/* How its process stands, for people: pid (0: none), how often it was started, and why it ended last. */
struct hosted_state {
    int pid;
    uint64_t starts;
    uint64_t calls;
    size_t under_way;
    struct text why; /* empty: never */
    struct wire_list
        sandbox; /* of struct wire_pair: the parts of that which it is in, and how they stand; valid
                                 until the loop turns */
};
struct hosted_state hosted_state(const struct provider *provider);

#endif
