#ifndef REEVE_FILE_MACHINE_H
#define REEVE_FILE_MACHINE_H

#include "reeve/plugin.h"

#include <stdbool.h>
#include <stddef.h>

/* What a machine's file says, as JSON with one member a line, so that a person may read and change it. */

enum { MACHINE_BYTES = 512 * 1024, MACHINE_TAGS = 64 };

struct machine {
    struct reeve_text name;
    struct reeve_text zone;
    struct reeve_text address;
    struct reeve_text labels;     /* JSON; empty: none */
    struct reeve_text properties; /* JSON; empty: none */
    struct reeve_text
        reach; /* JSON {hostKey, port, user}: how it is logged in to; empty: not said */
    const struct reeve_tag *tags;
    uint32_t tag_count;
};

/* Write it. 0: it does not fit. */
size_t machine_format(const struct machine *machine, char *out, size_t room);

/* All of a machine's file, with a NUL at its end, in memory of the call. NULL: it is not there. What cannot be read is empty,
 * and a machine all the same. */
char *machine_read(const struct reeve_host_v1 *host, struct reeve_call *call, const char *path);

/* Read what a listing tells: state, zone, address, tags, how it is reached. Texts point into `bytes`, which end with a NUL and are changed;
 * `tags` has room for MACHINE_TAGS. What is not understood is passed over: a file is a machine, whatever it says. */
void machine_parse(char *bytes, struct reeve_row_v1 *row, struct reeve_tag *tags);

/* Write the same with one member changed: the value is JSON. 0: it does not fit. */
size_t machine_change(char *bytes, const char *name, struct reeve_text value, char *to,
                      size_t room);

#endif
