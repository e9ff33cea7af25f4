#ifndef REEVE_NATIVE_FOLLOW_H
#define REEVE_NATIVE_FOLLOW_H

#include "native/mark.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The output of an attempt, as it comes: one piece of it (programs/stage.sh). */
struct follow {
    uint64_t attempt;
    uint64_t offset;  /* the first byte that is wanted */
    uint64_t seconds; /* at most, while it runs */
    pid_t runner;     /* who runs it; 0: not known yet, or nobody does */
    bool has_more;    /* there is more, or may be: */
    uint64_t more;    /* whoever asks goes on there, or, where they have seen more, behind that */
};

/* To standard output. What is known of the stage is newer behind it. */
void follow_output(struct follow *follow, struct mark *mark);

#endif
