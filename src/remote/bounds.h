#ifndef REEVE_REMOTE_BOUNDS_H
#define REEVE_REMOTE_BOUNDS_H

/* Limits of this module; base/limits.h has those of the others. */
enum {
    /* bundles */
    REMOTE_BUNDLE_BYTES = 256 * 1024 * 1024, /* of an archive */
    REMOTE_BUNDLE_MEMBERS = 20000,
    REMOTE_BUNDLE_FILE_BYTES = 128 * 1024 * 1024, /* of one file in it */
    REMOTE_NAME_BYTES = 1024,                     /* of a member's full path */
    REMOTE_NAME_DEPTH = 32,
    REMOTE_HEADER_BYTES = 64 * 1024,       /* of the headers before one member */
    REMOTE_SCRIPT_BYTES = 4 * 1024 * 1024, /* of bootstrap.sh */
    REMOTE_LINK_BYTES = 1024,              /* of a link's target */
    REMOTE_DEPOT_BUNDLES = 4096,
    REMOTE_DEPOT_OPEN = 16,             /* files of bundles being sent */
    REMOTE_DEPOT_COMING = 8,            /* concurrent uploads */
    REMOTE_DEPOT_SILENT_MS = 30 * 1000, /* an upload without data for so long may be replaced */

    /* logs */
    /* Of one attempt: a quarter for its beginning, the rest for its end. */
    REMOTE_LOG_BYTES = 8 * 1024 * 1024,
    /* Of one attempt: the first error is searched in so many bytes, then in its end. */
    REMOTE_WHY_BYTES = 1024 * 1024,
    REMOTE_LOG_ATTEMPTS = 256, /* of one node */
    REMOTE_LOG_NODES = 100000, /* including nodes that are gone */

    /* a node */
    REMOTE_STAGES = 32,
    REMOTE_ANSWER_BYTES = 64 * 1024, /* of one program on a node */
    REMOTE_ANSWER_LINES = 512,
    REMOTE_ARGUMENTS_BYTES = 32 * 1024, /* of one stage, as shell words */
    REMOTE_FACTS_BYTES = 2 * 1024 * 1024,
    REMOTE_TRUST_BYTES = 2 * 1024 * 1024 + 512 * 1024, /* including a revocation list */
    REMOTE_NETWORKS = 64,                              /* addresses of one node */
    REMOTE_LINE_BYTES = 16 * 1024,                     /* of output that is reported at once */
    REMOTE_PIECE_BYTES = 2 * 1024 * 1024,              /* of a bundle, per program */
    REMOTE_PROGRAM_MS = 60 * 1000,
    REMOTE_SEND_MS = 10 * 60 * 1000, /* for one piece, over a slow connection */
    REMOTE_START_MS = 2 * 60 * 1000, /* expanding the bundle and syncing it */
    REMOTE_FOLLOW_S = 20,            /* then other runs on this node get a turn */
    /* Of a release: the requester is notified and asks again. */
    REMOTE_RELEASE_PATIENCE_MS = 5 * 1000,
    REMOTE_REBOOT_MS = 10 * 1000, /* a machine that shuts down does not answer any more */
    REMOTE_REBOOT_PATIENCE_MS = 2 * 1000,
    REMOTE_PATIENCE_MS = 10 * 60 * 1000, /* without a complete answer of the node */
    REMOTE_PAUSE_MS = 200,               /* before a step is retried; doubles */
    REMOTE_PAUSE_MAX_MS = 10 * 1000,
    REMOTE_LOST_TRIES = 3, /* of an interrupted stage, beyond its own tries */
};

/* Default limit for the logs of all nodes. */
#define REMOTE_LOGS_BYTES (UINT64_C(4) << 30)

/* Limit for the output size that a stage may report. programs/run.sh limits what the node keeps. */
#define REMOTE_OUTPUT_BYTES (INT64_C(1) << 50)

#endif
