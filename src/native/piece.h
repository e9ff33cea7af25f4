#ifndef REEVE_NATIVE_PIECE_H
#define REEVE_NATIVE_PIECE_H

#include "native/mark.h"

#include <stddef.h>
#include <stdint.h>

/* The output of an attempt lies in pieces: its beginning in stage-N/output, the rest in stage-N/output.ATTEMPT.at-BYTE, named by the byte
 * of all output at which each begins. The oldest of these go while it is written (programs/run.sh). */

/* What there is of an attempt, as seen from one byte of its output. */
struct piece_list {
    size_t count;    /* of pieces behind the beginning */
    uint64_t oldest; /* of these; UINT64_MAX: there are none */
    uint64_t
        at; /* where the piece begins that has the byte, or the last one before it; 0: the beginning */
    uint64_t next; /* where the one behind that begins; UINT64_MAX: it is the newest */
};

/* Where the piece lies that begins at this byte; 0: the beginning, which has the same name for all attempts. */
void piece_path(unsigned stage, uint64_t attempt, uint64_t at, char path[static MARK_PATH_BYTES]);

/* Look what there is now. A stage without a folder has none. */
void piece_look(unsigned stage, uint64_t attempt, uint64_t byte, struct piece_list *out);

#endif
