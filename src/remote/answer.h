#ifndef REEVE_REMOTE_ANSWER_H
#define REEVE_REMOTE_ANSWER_H

#include "base/mem.h"
#include "base/text.h"
#include "remote/bounds.h"

/* Parses the output of programs on a node. The node may be compromised: input is bounded and
 * everything unexpected is rejected. Texts are borrowed from the input. Fuzzed by
 * tests/fuzz/fuzz_node.c. */

/* A complete answer: the lines between `reeve1` and `end`. */
struct answer {
    struct text lines;
    struct text fault; /* name of the fault; empty: none */
    struct text why;
};

/* Returns the position after the line `reeve1`, with which every answer begins. SIZE_MAX: that line
 * has not arrived yet. */
size_t answer_begin(struct text bytes);

/* Parses an answer. Output of a login shell or of sudo before it is skipped. Returns false if the
 * answer is incomplete. */
bool answer_read(struct text bytes, struct answer *out);

/* Takes the next line and splits it into its first word and the rest. Returns false if there are no
 * more lines. */
bool answer_line(struct text *lines, struct text *out_word, struct text *out_rest);

enum answer_state {
    ANSWER_ABSENT,  /* never started */
    ANSWER_RUNNING, /* the latest attempt is running */
    ANSWER_ENDED,
    ANSWER_LOST, /* it was started and no longer runs, but its end was not recorded, because of a
                  * kill or a reboot */
};

enum { ANSWER_CHAIN_BYTES = 65, ANSWER_MARKER_BYTES = 200, ANSWER_LEFT_BYTES = 37 };

/* State of a stage on a node. */
struct answer_stage {
    enum answer_state state;
    uint32_t attempt; /* number of the latest attempt, of any chain; 0: none */
    uint32_t tries;   /* number of attempts with this chain */
    int code;
    bool is_timeout;
    char chain[ANSWER_CHAIN_BYTES];   /* chain of the latest attempt; empty: no attempt counts any
                                       * more */
    char done[ANSWER_CHAIN_BYTES];    /* chain for which the stage is complete; empty: none */
    char marker[ANSWER_MARKER_BYTES]; /* path of the legacy marker that makes the stage complete;
                                       * empty: none */
};

/* A bundle on the node, complete or incomplete. */
struct answer_bundle {
    char digest[ANSWER_CHAIN_BYTES];
    uint64_t bytes;
    bool is_whole;
};

/* The stage has, or may have, more output than this answer contains. It begins at byte `at`, if
 * that is after the bytes received so far. */
struct answer_more {
    bool is_reported;
    size_t stage;
    uint64_t at;
};

/* The state of the node as the programs look, stage and send report it: the stages below
 * `stage_count`, and their bundles. */
struct answer_look {
    struct answer_stage *stages;
    struct answer_bundle *bundles; /* the bundles, at most one per stage */
    size_t stage_count;
    size_t bundle_count;
    struct answer_more more; /* from the latest answer only */
    /* name of the observation (step `look`) that found stages which are no longer in the list;
     * empty: none were found */
    char left[ANSWER_LEFT_BYTES];
    bool has_room; /* `room_kib` is set */
    /* free space for bundles and their trees, in KiB; valid until something is sent or executed */
    uint64_t room_kib;
    /* digest of the distributed facts on the node; empty: the node has none */
    char shared[ANSWER_CHAIN_BYTES];
};

/* Returns an empty state for at most REMOTE_STAGES stages. It lives in the arena. */
struct answer_look answer_look_make(struct arena *arena, size_t stage_count);

/* Resets the state to empty. */
void answer_look_clear(struct answer_look *look);

/* Merges an answer into `look`. Stages and bundles that the answer lacks stay unchanged. Returns
 * false if the answer is invalid. */
bool answer_look_take(const struct answer *answer, struct answer_look *look);

/* Result of the program keys: validated lines "ssh-ed25519 BASE64". `user` is empty for root. */
struct answer_keys {
    struct text host;
    struct text root;
    struct text user;
};
bool answer_keys_read(const struct answer *answer, bool has_user, struct answer_keys *out);

/* Reads the result of trust, classic or distribute. *out is true if nothing had to be changed. */
bool answer_same_read(const struct answer *answer, bool *out);

/* Result of the program verify. `files` has a line "PATH: DIFFERENCE" for each of the first files
 * that differ. */
struct answer_verdict {
    struct text digest; /* digest of the baseline on the node */
    struct text files;
    uint64_t file_count; /* number of all files that differ */
    struct text unknown; /* why the verdict is unknown; empty: the verdict is known */
    struct text boot;    /* boot id, and start time of the first process; empty: unknown */
};

/* Reads the result of the program verify. `files` lives in the arena. */
bool answer_verdict_read(struct arena *arena, const struct answer *answer,
                         struct answer_verdict *out);

/* Reads the result of the program cleanup: *out_count is the number of hooks that succeeded,
 * *out_failed a line for each failed hook, in the arena. */
bool answer_cleanup_read(struct arena *arena, const struct answer *answer, uint64_t *out_count,
                         struct text *out_failed);

/* Returns whether the text has sixty-four lower-case hexadecimal digits. */
bool answer_is_digest(struct text text);

#endif
