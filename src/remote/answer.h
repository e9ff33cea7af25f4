#ifndef REEVE_REMOTE_ANSWER_H
#define REEVE_REMOTE_ANSWER_H

#include "base/mem.h"
#include "base/text.h"
#include "remote/bounds.h"

/* What programs on a node say, read as if somebody had taken the node over: bounded, and nothing but what is expected.
 * Texts are borrowed from what was read. Fuzzed by tests/fuzz/fuzz_node.c. */

/* A whole answer: the lines between `reeve1` and `end`. */
struct answer {
    struct text lines;
    struct text fault; /* empty: none */
    struct text why;
};

/* The byte behind the line `reeve1`, with which every answer begins; SIZE_MAX: it has not come. */
size_t answer_begin(struct text bytes);

/* Read it; what a login shell or sudo has said before it is passed over. False: there is no whole one. */
bool answer_read(struct text bytes, struct answer *out);

/* The next line with its first word and the rest of it. False: there is none. */
bool answer_line(struct text *lines, struct text *out_word, struct text *out_rest);

enum answer_state {
    ANSWER_ABSENT,  /* it has never begun */
    ANSWER_RUNNING, /* the newest attempt does */
    ANSWER_ENDED,
    ANSWER_LOST, /* it was begun, and is no more, and nobody has seen its end: a kill, a reboot */
};

enum { ANSWER_CHAIN_BYTES = 65, ANSWER_MARKER_BYTES = 200, ANSWER_LEFT_BYTES = 37 };

/* What a node knows of a stage. */
struct answer_stage {
    enum answer_state state;
    uint32_t attempt; /* of all, ever; 0: none */
    uint32_t tries;   /* of this chain */
    int code;
    bool is_timeout;
    char chain[ANSWER_CHAIN_BYTES];   /* of the newest attempt; empty: none that counts */
    char done[ANSWER_CHAIN_BYTES];    /* of the tree that is complete; empty: none is */
    char marker[ANSWER_MARKER_BYTES]; /* it is by this marker of old; empty: it is not */
};

/* Bytes of a bundle that are there. */
struct answer_bundle {
    char digest[ANSWER_CHAIN_BYTES];
    uint64_t bytes;
    bool is_whole;
};

/* There is more output of a stage than came with this answer, or may be: from `at` on, where that is behind what came. */
struct answer_more {
    bool is_reported;
    size_t stage;
    uint64_t at;
};

/* Of look, stage and send: what they tell of stages below `stage_count` and of their bundles. */
struct answer_look {
    struct answer_stage *stages;
    struct answer_bundle *bundles; /* at most one for each stage */
    size_t stage_count;
    size_t bundle_count;
    struct answer_more more; /* of this answer alone */
    char left
        [ANSWER_LEFT_BYTES]; /* names the look that found stages which are none of these; empty: there are none */
    bool has_room;     /* it is told */
    uint64_t room_kib; /* free for bundles and their trees, until anything is sent or run */
    char shared
        [ANSWER_CHAIN_BYTES]; /* digest of the facts that were distributed and are there; empty: none are */
};

/* One that knows nothing yet, of at most REMOTE_STAGES stages. It lives in the arena. */
struct answer_look answer_look_make(struct arena *arena, size_t stage_count);

/* Know nothing again. */
void answer_look_clear(struct answer_look *look);

/* Take what the answer says into `look`, whose other stages and bundles stay as they were. False: it says something that
 * is no answer of ours. */
bool answer_look_take(const struct answer *answer, struct answer_look *look);

/* Of keys: lines "ssh-ed25519 BASE64", each checked; `user` is empty for root. */
struct answer_keys {
    struct text host;
    struct text root;
    struct text user;
};
bool answer_keys_read(const struct answer *answer, bool has_user, struct answer_keys *out);

/* Of trust, classic and distribute: was nothing to be changed? */
bool answer_same_read(const struct answer *answer, bool *out);

/* Sixty-four hexadecimal digits, small ones? */
bool answer_is_digest(struct text text);

#endif
