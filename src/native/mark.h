#ifndef REEVE_NATIVE_MARK_H
#define REEVE_NATIVE_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks of stages in reeve's folder on a node, which is the working folder: what programs/common.sh reads and writes, byte by byte, for
 * one call may be carried out by these programs and the next one by those.
 *
 *     marks/N.attempt    ATTEMPT CHAIN TRIES DIGEST: the newest attempt; it is there before that begins
 *     marks/N.end        ATTEMPT CODE HOW: how it ended
 *     marks/N.lock       whoever runs a stage holds it
 *     stage-N/stage-complete   reeve1 CHAIN DIGEST ATTEMPT: of the tree that is there
 *
 * A mark without its end of line is a piece of one, and counts for nothing. */

enum { MARK_WORD_BYTES = 65, MARK_PATH_BYTES = 512 };

enum mark_state { MARK_ABSENT, MARK_RUNNING, MARK_ENDED, MARK_LOST };

/* What is known of a stage. */
struct mark {
    unsigned stage;
    enum mark_state state;
    uint64_t attempt; /* of all, ever; 0: none */
    uint64_t tries;   /* of this chain */
    int code;         /* -1: it has not ended */
    bool is_timeout;
    char chain[MARK_WORD_BYTES]; /* of the newest attempt; "-": none that counts */
    char done[MARK_WORD_BYTES];  /* of the tree that is complete; "-": none is */
};

/* Read it. `is_mine`: this process holds the lock of the stage. */
void mark_read(unsigned stage, bool is_mine, struct mark *out);

/* Tell it as a line of the answer. */
void mark_say(const struct mark *mark);

/* The lock of a stage, as a descriptor; -1: somebody else has it. Who only looks has it for a moment. */
int mark_lock(unsigned stage);

/* A lock by the name of its file, waited for; the process ends with a fault that tells what somebody else is amid where it does not come. */
int mark_alone(const char *path, const char *what);

/* The folders of reeve are there from here on. */
void mark_folders(const char *folder);

/* The next word of a line, which is cut behind it; empty where there is none. */
char *mark_word(char **line);

/* A number of decimal digits and nothing else. */
bool mark_number(const char *word, uint64_t *out);

#endif
