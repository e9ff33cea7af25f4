#ifndef REEVE_HOST_SANDBOX_H
#define REEVE_HOST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "wire/frame.h"

/* The sandbox of a process that holds a plugin. A process with one thread enters it once, before
 * the plugin runs. It cannot be left.
 *
 * The sandbox consists of several parts. Every part is tried, and some may be unavailable: on an
 * old kernel, in a container, for an ordinary user. The report lists missing parts with a reason;
 * the other parts still apply. Reasons for the design: docs/decisions/0039. */

enum sandbox_profile {
    SANDBOX_CLOUD, /* network access and one folder, no other access to the machine */
    SANDBOX_HOST,  /* for plugins of the package that create machines on this computer */
    /* Profile for processes of reeve that hold keys; they only use open descriptors. */
    SANDBOX_KEYS,
    SANDBOX_PROFILE_COUNT,
};

/* Returns the profile's name: cloud, host, keys. */
const char *sandbox_profile_name(enum sandbox_profile profile);

enum sandbox_part {
    SANDBOX_USER,         /* user namespace */
    SANDBOX_PROCESSES,    /* pid namespace: other processes cannot be addressed */
    SANDBOX_FILES,        /* mount namespace with its own tree */
    SANDBOX_MESSAGES,     /* ipc namespace */
    SANDBOX_NAME,         /* uts namespace */
    SANDBOX_NETWORK,      /* empty network namespace */
    SANDBOX_IDENTITY,     /* the process has its own user id; only if the manager is root */
    SANDBOX_CAPABILITIES, /* all capabilities are dropped permanently */
    SANDBOX_PRIVILEGES,   /* no_new_privs */
    SANDBOX_LANDLOCK,     /* Landlock rules for files */
    SANDBOX_SCOPES,       /* Landlock: no signals and no abstract sockets to the outside */
    SANDBOX_CALLS,        /* seccomp */
    SANDBOX_LIMITS,       /* memory, descriptors, file size, core files */
    SANDBOX_THREADS,      /* maximum number of threads */
    SANDBOX_DUMPS,        /* other processes cannot read its memory */
    SANDBOX_DEATH,        /* the process ends with its manager */
    SANDBOX_PART_COUNT,
};

enum sandbox_state {
    SANDBOX_NOT_MEANT, /* the profile does not include this part */
    SANDBOX_MISSING,   /* not available; see `why` */
    SANDBOX_IN_FORCE,
};

enum { SANDBOX_WHY_BYTES = 120 };

/* The state of each part. */
struct sandbox_report {
    struct {
        enum sandbox_state state;
        char why[SANDBOX_WHY_BYTES]; /* the reason, or a remark; may be empty */
    } parts[SANDBOX_PART_COUNT];
};

/* Return the name of a part, one word, and its purpose, one line for display. */
const char *sandbox_part_name(enum sandbox_part part);
const char *sandbox_part_about(enum sandbox_part part);

/* Returns the state of a part: "in force", "not meant", or why it is missing. */
struct text sandbox_part_words(struct arena *arena, const struct sandbox_report *report,
                               enum sandbox_part part);

/* Returns names and states of the profile's parts as a list of struct wire_pair, for the manager.
 * `beside` is one additional pair; NULL: none. */
struct wire_list sandbox_report_pairs(struct arena *arena, const struct sandbox_report *report,
                                      const struct wire_pair *beside);

struct relay_policy;

/* Exit code of a process whose folder has become too large. */
enum { SANDBOX_EXIT_FOLDER = 9 };

struct sandbox_options {
    enum sandbox_profile profile;
    /* The only writable folder, besides a private /tmp. Absolute; it must exist. NULL: none. */
    const char *folder;
    /* The folder must be below this one, without links on the path. NULL: not checked. */
    const char *within;
    /* For the profile cloud: a separate network namespace whose only exit is this relay. NULL: the
     * network of the machine. */
    const struct relay_policy *relay;
    uint64_t folder_bytes;    /* with a relay: limit for all files in the folder; 0: none */
    const int *descriptors;   /* descriptors that stay open in addition to 0, 1 and 2 */
    size_t descriptor_count;  /* number of these, at most LIMIT_SANDBOX_DESCRIPTORS */
    uint64_t address_bytes;   /* limit of the address space, in bytes; 0: none */
    uint64_t data_bytes;      /* limit of writable memory, in bytes; 0: none */
    uint64_t file_bytes;      /* limit of the file size, in bytes; 0: none */
    uint64_t descriptors_max; /* maximum number of open descriptors */
    uint64_t threads_max;     /* maximum number of threads */
    /* Parts to leave out, so that a test can check the other parts. */
    bool without[SANDBOX_PART_COUNT];
};

/* Returns the limits of a profile (limits.h). The caller sets folder and descriptors. */
struct sandbox_options sandbox_options_of(enum sandbox_profile profile);

/* Returns a user and group id that no other software of the machine uses. A name always gives the
 * same id. 0: this container has no unused id. */
uid_t sandbox_user_of(const char *name);

/* Opens a folder (absolute path) that must be below another folder. Links below that folder are not
 * followed. The caller closes *out. Fails with R0567 if the folder is not below it. */
MUST_CHECK bool sandbox_folder_open(const char *within, const char *folder, int *out,
                                    struct err *err);

/* Enters the sandbox. This may return in a child process; the caller's process then waits for the
 * child and exits with its status. The environment is empty afterwards. Fails with R0567 if the
 * sandbox cannot be entered; the process must then exit, because it may be partly inside. */
MUST_CHECK bool sandbox_enter(const struct sandbox_options *options, struct sandbox_report *report,
                              struct err *err);

/* Determines what this machine supports: enters a profile in a child process and tries forbidden
 * operations there. A part that is in force but does not prevent its operation counts as
 * missing. */
MUST_CHECK bool sandbox_probe(enum sandbox_profile profile, struct sandbox_report *report,
                              struct err *err);

#endif
