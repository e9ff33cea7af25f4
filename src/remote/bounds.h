#ifndef REEVE_REMOTE_BOUNDS_H
#define REEVE_REMOTE_BOUNDS_H

/* Bounds of what this folder reads and does, as base/limits.h has those of the others. */
enum {
    /* bundles */
    REMOTE_BUNDLE_BYTES = 256 * 1024 * 1024, /* of an archive */
    REMOTE_BUNDLE_MEMBERS = 20000,
    REMOTE_BUNDLE_FILE_BYTES = 128 * 1024 * 1024, /* of one file in it */
    REMOTE_NAME_BYTES = 1024,                     /* of a member, all folders */
    REMOTE_NAME_DEPTH = 32,
    REMOTE_HEADER_BYTES = 64 * 1024,       /* of the headers in front of one member */
    REMOTE_SCRIPT_BYTES = 4 * 1024 * 1024, /* of bootstrap.sh */
    REMOTE_LINK_BYTES = 1024,              /* of what a link leads to */
    REMOTE_DEPOT_BUNDLES = 4096,
    REMOTE_DEPOT_OPEN = 16,             /* files of bundles that are being sent */
    REMOTE_DEPOT_COMING = 8,            /* that come at the same time */
    REMOTE_DEPOT_SILENT_MS = 30 * 1000, /* one of which nothing came for so long gives way */

    /* logs */
    REMOTE_LOG_BYTES =
        8 * 1024 * 1024, /* of one attempt: a quarter of its beginning, and the end */
    REMOTE_WHY_BYTES =
        1024 * 1024, /* of one attempt, in which its first error is looked for; then in its end */
    REMOTE_LOG_ATTEMPTS = 256, /* of one node */
    REMOTE_LOG_NODES = 100000, /* also of those that are gone */

    /* a node */
    REMOTE_STAGES = 32,
    REMOTE_ANSWER_BYTES = 64 * 1024, /* of one program on a node */
    REMOTE_ANSWER_LINES = 512,
    REMOTE_ARGUMENTS_BYTES = 32 * 1024, /* of one stage, as words of a shell */
    REMOTE_FACTS_BYTES = 2 * 1024 * 1024,
    REMOTE_TRUST_BYTES = 2 * 1024 * 1024 + 512 * 1024, /* with a revocation list in it */
    REMOTE_NETWORKS = 64,                              /* addresses of one node */
    REMOTE_LINE_BYTES = 16 * 1024,                     /* of output that is told at once */
    REMOTE_PIECE_BYTES = 2 * 1024 * 1024,              /* of a bundle that one program takes */
    REMOTE_PROGRAM_MS = 60 * 1000,
    REMOTE_SEND_MS = 10 * 60 * 1000, /* for one piece, over a slow line */
    REMOTE_START_MS = 2 * 60 * 1000, /* expanding, and its way to the disk */
    REMOTE_FOLLOW_S = 20,            /* then others have a turn with this node */
    REMOTE_RELEASE_PATIENCE_MS =
        5 * 1000,                 /* of a release: who asked for it is told, and asks again */
    REMOTE_REBOOT_MS = 10 * 1000, /* a machine that goes down answers nothing any more */
    REMOTE_REBOOT_PATIENCE_MS = 2 * 1000,
    REMOTE_PATIENCE_MS = 10 * 60 * 1000, /* without a whole answer of the node */
    REMOTE_PAUSE_MS = 200,               /* before a step is tried again; doubles */
    REMOTE_PAUSE_MAX_MS = 10 * 1000,
    REMOTE_LOST_TRIES = 3, /* of a stage that was interrupted, beyond its own tries */
};

/* Of the logs of all nodes, where nothing else is set. */
#define REMOTE_LOGS_BYTES (UINT64_C(4) << 30)

/* Bytes that a stage may say it has written. What of them is kept on the node is in programs/run.sh. */
#define REMOTE_OUTPUT_BYTES (INT64_C(1) << 50)

#endif
