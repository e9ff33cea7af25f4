#ifndef REEVE_KIT_KIT_H
#define REEVE_KIT_KIT_H

#include "base/err.h"
#include "codec/doc.h"
#include "provider/hosted.h"
#include "provider/plugins.h"

/* The conformance kit: what a plugin is, and whether it keeps the promises of include/reeve/plugin.h. It needs no
 * manager. The plugin runs in processes of its own (reeve-host), shut in as always, never in this one. */

struct kit_options {
    const char *program;                   /* reeve-host; absolute */
    const char *path;                      /* of the plugin */
    const struct plugins_trusted *trusted; /* those that run in the profile `host`; may be NULL */
    const char *scratch; /* a folder in which the kit makes one of its own, and removes it */
    struct doc
        properties; /* a map, laid over the smallest that the schema takes; absent: those alone */
    uint64_t seed;  /* of the moments at which it is killed */
    uint64_t patience_ms; /* for one call, and for what comes late; 0: as long as a manager waits */
    /* A rule has been tried; NULL: nobody is told before the end. */
    void (*reported)(void *arg, size_t rule);
    void *arg;
};

/* What a file is, as far as it was found out. */
struct kit_about {
    struct text path;   /* absolute */
    struct text digest; /* sha256, in hexadecimal */
    enum sandbox_profile profile;
    struct wire_hello hello;   /* what it says of itself */
    const struct text *faults; /* of its table of properties, a sentence each */
    size_t fault_count;
    const struct text *lacks; /* what it need not have, and has not: a sentence each */
    size_t lack_count;
};

/* Look at a plugin: the file first, then in a process of its own. R0620: it is no plugin, or none for this reeve; the
 * text says what it is instead. Lives in the arena. */
MUST_CHECK bool kit_look(struct arena *arena, const struct kit_options *options,
                         struct kit_about *out, struct err *err);

/* A plugin that makes machines out of this computer (the profile `host`) is tried in namespaces: this command is run again in
 * them. *out_is_over: that is done, with this exit code; else it is to be tried here. R0622: not by this user, or not here. */
MUST_CHECK bool kit_apart(struct arena *arena, const struct kit_about *about, bool *out_is_over,
                          int *out_code, struct err *err);

enum kit_verdict { KIT_KEPT, KIT_BROKEN, KIT_NOT_TRIED };

/* One rule, and how it went. */
struct kit_finding {
    const char *name;     /* same-token */
    const char *function; /* of plugin.h: create */
    const char *rule;     /* what is promised, in words */
    enum kit_verdict verdict;
    struct text words; /* BROKEN: what it does instead; NOT_TRIED: why */
};

struct kit_result {
    const struct kit_finding *findings;
    size_t count;
    size_t broken;
    size_t not_tried;
    struct text properties; /* with which machines were made, as JSON */
    struct text remains;    /* clusters whose machines may still be there; empty: none */
};

/* How many rules there are. */
size_t kit_rule_count(void);

/* Try all of them. A plugin of the profile `host` only after kit_apart. False: R0621, there is nothing to make a machine with; R0622, the kit itself could not go on. A rule
 * that is broken is no error. Lives in the arena; what options.told is handed is found in `out` from the beginning. */
MUST_CHECK bool kit_test(struct arena *arena, const struct kit_options *options,
                         const struct kit_about *about, struct kit_result *out, struct err *err);

#endif
