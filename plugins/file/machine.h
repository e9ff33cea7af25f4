#ifndef REEVE_FILE_MACHINE_H
#define REEVE_FILE_MACHINE_H

#include "reeve/plugin.h"

#include <stdbool.h>
#include <stddef.h>

/* The content of a machine's file: JSON with one member per line, so that a user can read and edit
 * it. */

enum { MACHINE_BYTES = 512 * 1024, MACHINE_TAGS = 64 };

struct machine {
    struct reeve_text name;
    struct reeve_text zone;
    struct reeve_text address;
    struct reeve_text labels;     /* JSON; empty: none */
    struct reeve_text properties; /* JSON; empty: none */
    /* JSON {hostKey, port, user} with the login data; empty: unknown. */
    struct reeve_text reach;
    const struct reeve_tag *tags;
    uint32_t tag_count;
};

/* Formats the file. Returns 0 if it does not fit into the space. */
size_t machine_format(const struct machine *machine, char *out, size_t room);

/* Reads a machine's file, NUL-terminated, into the call's memory. Returns NULL if it does not
 * exist. A file that cannot be read counts as empty, but is still a machine. */
char *machine_read(const struct reeve_host_v1 *host, struct reeve_call *call, const char *path);

/* Parses the data for a listing: state, zone, address, tags, login. Texts point into `bytes`, which
 * must be NUL-terminated and are modified. `tags` has room for MACHINE_TAGS. Unknown content is
 * ignored: any file is a machine. */
void machine_parse(char *bytes, struct reeve_row_v1 *row, struct reeve_tag *tags);

/* Formats the file with one member changed; the value is JSON. Returns 0 if it does not fit into
 * the space. */
size_t machine_change(char *bytes, const char *name, struct reeve_text value, char *to,
                      size_t room);

#endif
