#ifndef REEVE_REMOTE_NATIVE_H
#define REEVE_REMOTE_NATIVE_H

#include "base/text.h"

/* The program of src/native, made for one kind of machine, as it is sent to nodes of that kind (docs/decisions/0102). Nodes of other kinds, and
 * those on which it cannot be run, have the programs of the shell, which do the same. */
struct native {
    const char *machine; /* as the kernel names it: x86_64 */
    const char *digest;
    struct text bytes;
};

/* The one that was made with this program, for the kind of machine that it runs on. */
const struct native *native_own(void);

#endif
