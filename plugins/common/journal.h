#ifndef COMMON_JOURNAL_H
#define COMMON_JOURNAL_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: journal_ */

/* Small durable entries in a plugin's folder. An entry has a kind (its folder) and a name. It
 * survives a kill at any moment: after journal_put() the complete new entry is on the disk, and
 * before that the previous entry, if there was one.
 *
 * Threads may use one journal at the same time. Two processes must not share a folder.
 *
 * An entry never contains secrets. */
struct journal {
    /* Absolute, without a slash at its end; lives in the arena of journal_open(). */
    const char *folder;
};

enum {
    JOURNAL_ENTRY_BYTES = 65536,
    /* Maximum bytes of a name, before they are encoded for a file name. */
    JOURNAL_NAME_BYTES = 200,
    JOURNAL_OLD_MS = 24 * 3600 * 1000
};

/* Opens the journal in an existing folder. Deletes entries that are older than JOURNAL_OLD_MS, and
 * files that an interrupted journal_put() left. On failure errno is set. */
MUST_CHECK bool journal_open(struct arena *arena, struct text folder, struct journal *out);

/* Deletes old entries. Called repeatedly in a process that runs for a long time; other threads may
 * write at the same time. */
void journal_sweep(const struct journal *journal);

/* Writes an entry, replacing an earlier one, and waits until it is durable. `kind` is a literal of
 * lower-case letters. On failure errno is set: to EFBIG for more than JOURNAL_ENTRY_BYTES bytes, to
 * ENAMETOOLONG for an empty name or a name of more than JOURNAL_NAME_BYTES bytes. */
MUST_CHECK bool journal_put(const struct journal *journal, const char *kind, struct text name,
                            struct text bytes);

/* Read an entry into the arena. *out_age_ms (may be NULL) is the time since it was written; 0 if
 * the clock was set back. Returns false if there is no such entry or if it cannot be read. */
MUST_CHECK bool journal_find(struct arena *arena, const struct journal *journal, const char *kind,
                             struct text name, struct text *out, uint64_t *out_age_ms);

/* True if there is an entry younger than `young_ms`. *out_left_ms (may be NULL) is the time until
 * the entry reaches that age; 0 if the result is false. */
bool journal_is_young(const struct journal *journal, const char *kind, struct text name,
                      uint64_t young_ms, uint64_t *out_left_ms);

/* Delete an entry, if it exists. */
void journal_delete(const struct journal *journal, const char *kind, struct text name);

#endif
