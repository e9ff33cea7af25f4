#ifndef REEVE_REMOTE_BOUNDS_H
#define REEVE_REMOTE_BOUNDS_H

/* Limits of this module. base/limits.h has the limits of other modules. */
enum {
    /* for bundles */
    REMOTE_BUNDLE_BYTES = 256 * 1024 * 1024, /* limit for an archive */
    REMOTE_BUNDLE_MEMBERS = 20000,
    REMOTE_BUNDLE_FILE_BYTES = 128 * 1024 * 1024, /* limit for one file in a bundle */
    REMOTE_NAME_BYTES = 1024,                     /* limit for a member's full path */
    REMOTE_NAME_DEPTH = 32,
    REMOTE_HEADER_BYTES = 64 * 1024,       /* limit for the headers before one member */
    REMOTE_SCRIPT_BYTES = 4 * 1024 * 1024, /* limit for bootstrap.sh */
    REMOTE_LINK_BYTES = 1024,              /* limit for a link's target */
    REMOTE_DEPOT_BUNDLES = 4096,
    REMOTE_DEPOT_OPEN = 16,             /* open files of bundles that are being sent */
    REMOTE_DEPOT_COMING = 8,            /* concurrent uploads */
    REMOTE_DEPOT_SILENT_MS = 30 * 1000, /* an upload that received no data for this long may be
                                         * replaced */

    /* for logs */
    /* Maximum bytes of the kept output of one attempt: a quarter is kept from its beginning, the
     * rest from its end. */
    REMOTE_LOG_BYTES = 8 * 1024 * 1024,
    /* The search for the first error reads this many bytes from the beginning of an attempt's
     * output, and then the end of the output. */
    REMOTE_WHY_BYTES = 1024 * 1024,
    REMOTE_LOG_ATTEMPTS = 256, /* limit for one node */
    REMOTE_LOG_NODES = 100000, /* limit for nodes with logs, including nodes that no longer exist */

    /* for nodes */
    REMOTE_STAGES = 32,
    REMOTE_ANSWER_BYTES = 64 * 1024, /* answer of one program on a node */
    REMOTE_ANSWER_LINES = 512,
    REMOTE_ARGUMENTS_BYTES = 32 * 1024, /* arguments of one stage, as shell words */
    REMOTE_FACTS_BYTES = 2 * 1024 * 1024,
    REMOTE_TRUST_BYTES = 2 * 1024 * 1024 + 512 * 1024, /* includes the revocation list */
    REMOTE_NETWORKS = 64,                              /* maximum number of addresses of one node */
    REMOTE_LINE_BYTES = 16 * 1024,        /* a longer line of output is reported in several parts */
    REMOTE_PIECE_BYTES = 2 * 1024 * 1024, /* maximum bytes of a bundle that one program call
                                           * receives */
    REMOTE_PROGRAM_MS = 60 * 1000,
    REMOTE_SEND_MS = 10 * 60 * 1000, /* time limit for one piece, over a slow connection */
    REMOTE_START_MS = 2 * 60 * 1000, /* time limit for expanding the bundle and syncing it */
    /* for how long one program call follows a stage; afterwards, other runs on this node can
     * continue */
    REMOTE_FOLLOW_S = 20,
    /* Time limit for a release. When it has passed, the caller is notified, and requests the
     * release again. */
    REMOTE_RELEASE_PATIENCE_MS = 5 * 1000,
    /* time limit for the answer to a reboot request, because a machine that shuts down may not
     * answer */
    REMOTE_REBOOT_MS = 10 * 1000,
    REMOTE_REBOOT_PATIENCE_MS = 2 * 1000,
    REMOTE_VERIFY_PATIENCE_MS = 30 * 1000,
    REMOTE_VERIFY_MS = 10 * 60 * 1000, /* time limit for the checksums of one node */
    /* Number of attempts without an answer after which the job continues without a baseline. */
    REMOTE_BASELINE_TRIES = 3,
    REMOTE_PATIENCE_MS = 10 * 60 * 1000, /* maximum time without a complete answer of the node */
    REMOTE_PAUSE_MS = 200, /* pause before a step is retried; doubles with each retry */
    REMOTE_PAUSE_MAX_MS = 10 * 1000,
    REMOTE_LOST_TRIES = 3, /* maximum number of restarts after interruptions, in addition to a
                            * stage's regular attempts */
};

/* Default limit for the logs of all nodes. */
#define REMOTE_LOGS_BYTES (UINT64_C(4) << 30)

/* Limit for the output size that a stage may report. programs/run.sh limits the output that the
 * node keeps. */
#define REMOTE_OUTPUT_BYTES (INT64_C(1) << 50)

#endif
