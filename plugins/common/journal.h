#ifndef COMMON_JOURNAL_H
#define COMMON_JOURNAL_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* names: journal_ */

/* Small durable entries in a plugin's folder. An entry has a kind (its folder) and a name, and it
 * survives a kill at any moment: after journal_put() the whole entry is on the disk, and before it
 * the former entry, or none.
 *
 * Threads may use one journal at the same time. Two processes may not share a folder.
 *
 * Secrets never go into an entry. */
struct journal {
    /* Absolute, without a slash at its end; lives in the arena of journal_open(). */
    const char *folder;
};

enum {
    JOURNAL_ENTRY_BYTES = 65536,
    /* Of a name, before its bytes are encoded for a file name. */
    JOURNAL_NAME_BYTES = 200,
    JOURNAL_OLD_MS = 24 * 3600 * 1000
};

/* Open the journal in an existing folder. Entries older than JOURNAL_OLD_MS are deleted, and so is
 * what an interrupted journal_put() left. On failure errno is set. */
MUST_CHECK bool journal_open(struct arena *arena, struct text folder, struct journal *out);

/* Delete old entries again, in a process that runs for long. Other threads may write. */
void journal_sweep(const struct journal *journal);

/* Write an entry and wait until it is durable; a former one is replaced. `kind` is a literal of
 * lower-case letters. On failure errno is set: EFBIG: more than JOURNAL_ENTRY_BYTES; ENAMETOOLONG:
 * the name is empty or has more than JOURNAL_NAME_BYTES bytes. */
MUST_CHECK bool journal_put(const struct journal *journal, const char *kind, struct text name,
                            struct text bytes);

/* Read an entry into the arena. *out_age_ms (may be NULL) is the time since it was written; 0 if
 * the clock was set back. Returns false if there is no such entry or if it cannot be read. */
MUST_CHECK bool journal_find(struct arena *arena, const struct journal *journal, const char *kind,
                             struct text name, struct text *out, uint64_t *out_age_ms);

/* True if there is an entry that is younger than `young_ms`. *out_left_ms (may be NULL) is the time
 * until it no longer is; 0 if the result is false. */
bool journal_is_young(const struct journal *journal, const char *kind, struct text name,
                      uint64_t young_ms, uint64_t *out_left_ms);

/* Delete an entry, if it exists. */
void journal_delete(const struct journal *journal, const char *kind, struct text name);

#endif
