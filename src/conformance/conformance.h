#ifndef REEVE_CONFORMANCE_CONFORMANCE_H
#define REEVE_CONFORMANCE_CONFORMANCE_H

#include "base/err.h"
#include "codec/doc.h"
#include "provider/hosted.h"
#include "provider/plugins.h"

/* The conformance suite: examines a plugin and tests whether it fulfils the contract of
 * include/reeve/plugin.h. It needs no manager. The plugin runs in separate sandboxed processes
 * (reeve-host), never in this one. */

struct conformance_options {
    const char *program; /* absolute path of reeve-host */
    const char *path;    /* path of the plugin */
    /* plugins that may run in the profile `host`; may be NULL */
    const struct plugins_trusted *trusted;
    /* A folder in which the suite creates and removes its own folder. */
    const char *scratch;
    /* A map that overrides the smallest valid properties; absent: none. */
    struct doc properties;
    uint64_t seed; /* seed of the random times at which the suite kills the plugin */
    /* Time limit in milliseconds for one call and for delayed effects. 0: as in a manager. */
    uint64_t patience_ms;
    struct text settings; /* settings of the plugin, canonical JSON; empty: none */
    /* The credential of the account, passed to every call except validate. If its data is NULL,
     * there is no account. */
    struct text credential;
    /* as in reeved.yaml; none: the default endpoints (host/relay.h) */
    const struct text *endpoints;
    size_t endpoint_count;
    /* Values that replace the times declared by the plugin, for a fake provider that is faster than
     * the real provider. UINT64_MAX: use the declared time. */
    uint64_t lag_ms;
    uint64_t late_ms;
    uint64_t calls_per_s;
    /* Called after each rule; NULL: none. */
    void (*reported)(void *arg, size_t rule);
    void *arg;
};

/* The description of a plugin file. */
struct conformance_about {
    struct text path;   /* path of the plugin file */
    struct text digest; /* sha256, in hexadecimal */
    enum sandbox_profile profile;
    struct wire_hello hello;   /* description of the plugin */
    const struct text *faults; /* faults of the plugin's table of properties, one sentence each */
    size_t fault_count;
    const struct text *lacks; /* missing optional features, one sentence each */
    size_t lack_count;
};

/* Examines a plugin: first the file, then its description, in a separate process. Fails with R0620
 * if the file is not a plugin, or not for this version of reeve; the error describes the file. The
 * result lives in the arena. */
MUST_CHECK bool conformance_look(struct arena *arena, const struct conformance_options *options,
                                 struct conformance_about *out, struct err *err);

/* Runs this command again in namespaces if the plugin creates machines on this computer (the
 * profile `host`). If *out_is_over is true, that run is complete and *out_code is its exit code.
 * Otherwise the caller continues the test in this process. Fails with R0622 if this user or
 * computer cannot do that. */
MUST_CHECK bool conformance_apart(struct arena *arena, const struct conformance_about *about,
                                  bool *out_is_over, int *out_code, struct err *err);

enum conformance_verdict { CONFORMANCE_KEPT, CONFORMANCE_BROKEN, CONFORMANCE_NOT_TRIED };

/* Result of one rule. */
struct conformance_finding {
    const char *name;     /* such as same-token */
    const char *function; /* function of plugin.h, such as create */
    const char *rule;     /* the guarantee, as a sentence for users */
    enum conformance_verdict verdict;
    struct text words; /* BROKEN: the violation; NOT_TRIED: the reason */
};

struct conformance_result {
    const struct conformance_finding *findings;
    size_t count;
    size_t broken;
    size_t not_tried;
    struct text properties; /* properties of the machines, as JSON */
    struct text remains;    /* clusters that may still have machines; empty: none */
};

/* Returns the number of rules. */
size_t conformance_rule_count(void);

/* Tests all rules. For a plugin of the profile `host`, conformance_apart must be called first.
 * Fails with R0621 if there are no valid properties, and with R0622 if the suite itself cannot
 * continue. A broken rule is not a failure. The result lives in the arena; `out` has the results so
 * far when options.reported is called. */
MUST_CHECK bool conformance_test(struct arena *arena, const struct conformance_options *options,
                                 const struct conformance_about *about,
                                 struct conformance_result *out, struct err *err);

#endif
