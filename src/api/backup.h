#ifndef REEVE_API_BACKUP_H
#define REEVE_API_BACKUP_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

#include <stdbool.h>
#include <stdint.h>

/* names: api_ */

/* Backups of the store, as the API needs them. */
struct api_backups {
    /* Make one. `done` comes once, perhaps at once: {bytes, created, name, revision, sha256}, or what went wrong. */
    void (*make)(void *arg,
                 void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                 void *done_arg);
    /* Those that are there, newest first: [{bytes, created, name, revision}]. */
    struct doc (*list)(void *arg, struct arena *arena);
    /* Bytes of one from an offset on; at its end none. R0403: there is none of this name. */
    bool (*read)(void *arg, struct arena *arena, struct text name, uint64_t offset,
                 struct text *out, struct err *err);
    void *arg;
};

#endif
