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

/* The sandbox of a process that holds a plugin or keys. The process enters it once, while it has
 * one thread and before the plugin runs. It cannot leave it.
 *
 * The sandbox consists of several parts. Every part is tried. Some may not be available: on an old
 * kernel, in a container, or for an ordinary user. The report lists missing parts with the reason;
 * the other parts still apply. Reasons for the design: docs/decisions/0039. */

enum sandbox_profile {
    SANDBOX_CLOUD, /* network access and one folder, no other access to the machine */
    SANDBOX_HOST,  /* for plugins that come with reeve and create machines on this host */
    /* for processes of reeve that hold keys; they use only open descriptors */
    SANDBOX_KEYS,
    SANDBOX_PROFILE_COUNT,
};

/* Returns the name of a profile: cloud, host, keys. */
const char *sandbox_profile_name(enum sandbox_profile profile);

enum sandbox_part {
    SANDBOX_USER,         /* user namespace */
    SANDBOX_PROCESSES,    /* pid namespace: other processes cannot be signalled or traced */
    SANDBOX_FILES,        /* mount namespace with a separate file tree */
    SANDBOX_MESSAGES,     /* ipc namespace */
    SANDBOX_NAME,         /* uts namespace */
    SANDBOX_NETWORK,      /* empty network namespace */
    SANDBOX_IDENTITY,     /* a separate user id; only if the manager is root */
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
    SANDBOX_NOT_MEANT, /* the profile does not use this part */
    SANDBOX_MISSING,   /* not available; `why` has the reason */
    SANDBOX_IN_FORCE,
};

enum { SANDBOX_WHY_BYTES = 120 };

/* The state of each part of a sandbox. */
struct sandbox_report {
    struct {
        enum sandbox_state state;
        char why[SANDBOX_WHY_BYTES]; /* the reason why it is missing, or a remark; may be empty */
    } parts[SANDBOX_PART_COUNT];
};

/* Return the name of a part, which is one word, and its purpose, which is one line for display. */
const char *sandbox_part_name(enum sandbox_part part);
const char *sandbox_part_about(enum sandbox_part part);

/* Returns the state of a part for display: "in force", "not meant", or why it is missing. */
struct text sandbox_part_words(struct arena *arena, const struct sandbox_report *report,
                               enum sandbox_part part);

/* Returns the names and states of the profile's parts, for the manager, as a list of struct
 * wire_pair. `beside` is an additional pair; NULL: none. */
struct wire_list sandbox_report_pairs(struct arena *arena, const struct sandbox_report *report,
                                      const struct wire_pair *beside);

struct relay_policy;

/* exit code if the plugin's folder has become too large */
enum { SANDBOX_EXIT_FOLDER = 9 };

struct sandbox_options {
    enum sandbox_profile profile;
    /* absolute path of the only writable folder besides a private /tmp; it must exist; NULL:
     * none */
    const char *folder;
    /* folder that must contain `folder`, without links on the path; NULL: not checked */
    const char *within;
    /* for the profile cloud: a separate network namespace, whose only way out is this relay; NULL:
     * the network of the machine */
    const struct relay_policy *relay;
    uint64_t folder_bytes;    /* with a relay: maximum bytes of all files in the folder; 0: no
                               * limit */
    const int *descriptors;   /* descriptors that stay open in addition to 0, 1 and 2 */
    size_t descriptor_count;  /* number of these descriptors, at most LIMIT_SANDBOX_DESCRIPTORS */
    uint64_t address_bytes;   /* maximum size of the address space, in bytes; 0: no limit */
    uint64_t data_bytes;      /* maximum writable memory, in bytes; 0: no limit */
    uint64_t file_bytes;      /* maximum size of a file, in bytes; 0: no limit */
    uint64_t descriptors_max; /* maximum number of open descriptors */
    uint64_t threads_max;     /* maximum number of threads */
    /* parts to skip, so that a test can check the other parts */
    bool without[SANDBOX_PART_COUNT];
};

/* Returns the options of a profile with its limits (limits.h). The caller sets the folder and the
 * descriptors. */
struct sandbox_options sandbox_options_of(enum sandbox_profile profile);

/* Returns a user and group id that no other software on the machine uses. It is always the same for
 * a name. 0: this container has no unused id. */
uid_t sandbox_user_of(const char *name);

/* Opens a folder, given by its absolute path, that must be below the folder `within`. Links below
 * `within` are not followed. The caller closes *out. Fails with R0567 if the folder is not below
 * it. */
MUST_CHECK bool sandbox_folder_open(const char *within, const char *folder, int *out,
                                    struct err *err);

/* Enters the sandbox. It may return in a child process; the original process then waits for the
 * child, and exits with its status. Afterwards the environment is empty. Fails with R0567 if the
 * sandbox cannot be entered; the process must then exit, because it may be partly inside. */
MUST_CHECK bool sandbox_enter(const struct sandbox_options *options, struct sandbox_report *report,
                              struct err *err);

/* Determines which parts this machine supports: enters a profile in a child process, and tries
 * forbidden operations there. A part that does not prevent its operation counts as missing. */
MUST_CHECK bool sandbox_probe(enum sandbox_profile profile, struct sandbox_report *report,
                              struct err *err);

#endif
