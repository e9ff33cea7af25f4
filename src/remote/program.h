#ifndef REEVE_REMOTE_PROGRAM_H
#define REEVE_REMOTE_PROGRAM_H

#include "base/mem.h"
#include "base/text.h"

/* What is run on a node: programs/NAME.sh behind programs/common.sh, as one command of its shell. What each one takes and
 * tells stands at its beginning. They need sh, bash, awk, grep, cmp, coreutils, util-linux and tar; nothing is installed. */
struct program_file {
    const char *name;
    struct text bytes;
};

/* programs/NAME.sh, in quotes. embed.py writes them into programs.c at build time. */
extern const struct program_file program_files[];
extern const size_t program_file_count;

/* The folder of reeve on a node. */
#define PROGRAM_FOLDER "/var/lib/reeve-node"

/* What is to be run. */
struct program_call {
    const char *name; /* of the table */
    bool is_root;     /* the session is root's; else it asks sudo, which may not ask anybody */
    const struct text *words;
    size_t count;
};

/* The command that does it; stage is given the text of run before its words, and $common. It has less than
 * PROGRAM_COMMAND_BYTES without words: what holds a command on its way has powers of two for its sizes. */
enum { PROGRAM_COMMAND_BYTES = 14 * 1024 };
struct text program_command(struct arena *arena, const struct program_call *call);

/* Its length, without making it. */
size_t program_command_bytes(const struct program_call *call);

#endif
