#ifndef REEVE_HOST_SANDBOX_H
#define REEVE_HOST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "wire/frame.h"

/* What a process that holds a plugin may not do. Entered once, by a process with one thread, before a byte of the
 * plugin runs; nothing of it can be undone.
 *
 * Every part is tried and may be missing: an old kernel, a container, an ordinary user. What is missing is in the
 * report, in words, and the others still hold. Why it is made so: docs/decisions/0039. */

enum sandbox_profile {
    SANDBOX_CLOUD, /* the network, one folder, and nothing else of the machine */
    SANDBOX_HOST,  /* for plugins of the package that make machines out of this one */
    SANDBOX_KEYS, /* for a process of ours that holds keys: what is open already, and nothing else at all */
    SANDBOX_PROFILE_COUNT,
};

/* cloud; host; keys. */
const char *sandbox_profile_name(enum sandbox_profile profile);

enum sandbox_part {
    SANDBOX_USER,         /* a user namespace */
    SANDBOX_PROCESSES,    /* a pid namespace: other processes cannot be named */
    SANDBOX_FILES,        /* a mount namespace with a tree of its own */
    SANDBOX_MESSAGES,     /* an ipc namespace */
    SANDBOX_NAME,         /* an uts namespace */
    SANDBOX_NETWORK,      /* a network namespace, with nothing in it */
    SANDBOX_IDENTITY,     /* a user number of its own; for a manager that is root */
    SANDBOX_CAPABILITIES, /* none are left, nor can be got */
    SANDBOX_PRIVILEGES,   /* no_new_privs */
    SANDBOX_LANDLOCK,     /* rules for files */
    SANDBOX_SCOPES,       /* Landlock: no signals and abstract sockets to the outside */
    SANDBOX_CALLS,        /* seccomp */
    SANDBOX_LIMITS,       /* memory, descriptors, size of files, core files */
    SANDBOX_THREADS,      /* so many and not more */
    SANDBOX_DUMPS,        /* its memory is nobody's to look at */
    SANDBOX_DEATH,        /* it ends with its manager */
    SANDBOX_PART_COUNT,
};

enum sandbox_state {
    SANDBOX_NOT_MEANT, /* the profile has no such part */
    SANDBOX_MISSING,   /* meant, and not to be had; `why` says why */
    SANDBOX_IN_FORCE,
};

enum { SANDBOX_WHY_BYTES = 120 };

/* How it came out, part by part. */
struct sandbox_report {
    struct {
        enum sandbox_state state;
        char why[SANDBOX_WHY_BYTES]; /* what was refused, or a remark; may be empty */
    } parts[SANDBOX_PART_COUNT];
};

/* The name of a part, one word; and what it is good for, one line for people. */
const char *sandbox_part_name(enum sandbox_part part);
const char *sandbox_part_about(enum sandbox_part part);

/* How a part stands, in words: "in force", "not meant", or why it is missing. */
struct text sandbox_part_words(struct arena *arena, const struct sandbox_report *report,
                               enum sandbox_part part);

/* Names and words of the parts that the profile means, as a process tells them to its manager: a list of struct wire_pair. `beside` is
 * one more, of the process's own; NULL: none. */
struct wire_list sandbox_report_pairs(struct arena *arena, const struct sandbox_report *report,
                                      const struct wire_pair *beside);

struct relay_policy;

/* With this code ends a process whose folder has become too large. */
enum { SANDBOX_EXIT_FOLDER = 9 };

struct sandbox_options {
    enum sandbox_profile profile;
    const char *folder; /* the only one that can be written, besides a /tmp of its own; absolute,
                                  there; NULL: none */
    const char
        *within; /* the folder lies beneath this one, and no link leads there; NULL: not checked */
    const struct relay_policy
        *relay; /* cloud: a network namespace of its own, and a relay as the way out; NULL: the
                                         network of the machine */
    uint64_t folder_bytes;    /* with a relay: of all files in the folder; 0: no limit */
    const int *descriptors;   /* that stay open besides 0, 1, 2 */
    size_t descriptor_count;  /* up to LIMIT_SANDBOX_DESCRIPTORS */
    uint64_t address_bytes;   /* memory that can be named; 0: no limit */
    uint64_t data_bytes;      /* memory that can be written; 0: no limit */
    uint64_t file_bytes;      /* of one file; 0: no limit */
    uint64_t descriptors_max; /* open at once */
    uint64_t threads_max;     /* at once */
    bool without
        [SANDBOX_PART_COUNT]; /* do without these: for tests that show what each is good for */
};

/* What a profile allows, as in limits.h; folder and descriptors are the caller's to fill in. */
struct sandbox_options sandbox_options_of(enum sandbox_profile profile);

/* Open a folder (absolute) beneath another one, without following a link below that. The caller
 * closes it. R0567: it does not lie there. */
MUST_CHECK bool sandbox_folder_open(const char *within, const char *folder, int *out,
                                    struct err *err);

/* Enter it. What returns may be another process than what called: the one that called then waits for it, and ends
 * as it ends. The environment is empty afterwards. R0567: it cannot be entered at all; the process must end then,
 * for it may be half inside. */
MUST_CHECK bool sandbox_enter(const struct sandbox_options *options, struct sandbox_report *report,
                              struct err *err);

/* What this machine can do: enter a profile in a child, try there what must not be possible, and tell. A part that
 * is in force and lets something through counts as missing. */
MUST_CHECK bool sandbox_probe(enum sandbox_profile profile, struct sandbox_report *report,
                              struct err *err);

#endif
