#ifndef REEVE_NATIVE_RECEIVE_H
#define REEVE_NATIVE_RECEIVE_H

#include "native/mark.h"

#include <stdbool.h>
#include <stdint.h>

/* A bundle that comes on standard input, piece by piece (programs/send.sh). */

/* It, and how far it is. */
struct receive {
    const char *digest;
    uint64_t bytes;
    int64_t from;  /* where the piece begins; -1: none is sent, it is asked how much is there */
    uint64_t room; /* KiB that are to be free before the first byte; 0: the manager knows */
    char whole[MARK_PATH_BYTES];
    char part[MARK_PATH_BYTES];
    bool is_checked; /* all of it is in `part`, and has its digest, and has no name yet */
};

/* One that is asked for by the words of a command. */
void receive_init(struct receive *receive, const char *digest);

/* A piece; what is there now is told. False: there is more to come. */
bool receive_piece(struct receive *receive);

/* What is checked gets its name. `is_synced`: it is on the disk; else it is brought there before. */
void receive_keep(struct receive *receive, bool is_synced);

#endif
