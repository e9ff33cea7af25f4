#ifndef REEVE_REMOTE_PROGRAM_H
#define REEVE_REMOTE_PROGRAM_H

#include "base/mem.h"
#include "base/text.h"

/* Programs that run on a node. A program is the file programs/common.sh followed by
 * programs/NAME.sh, as one shell command. Each file begins with a description of its input and
 * output. They need sh, bash, awk, grep, cmp, coreutils, util-linux and tar; nothing is
 * installed. */
struct program_file {
    const char *name;
    struct text bytes;
};

/* Quoted copies of the files programs/NAME.sh. embed.py writes them into programs.c at build
 * time. */
extern const struct program_file program_files[];
extern const size_t program_file_count;

/* The folder of reeve on a node. */
#define PROGRAM_FOLDER "/var/lib/reeve-node"

/* A program to run. */
struct program_call {
    const char *name; /* name in the table of programs */
    /* true: the session runs as root; false: the command uses sudo without a password */
    bool is_root;
    const struct text *words;
    size_t count;
};

/* Returns the command. For the program `stage`, the text of `run` and $common come before its own
 * arguments. Without arguments, the command has less than PROGRAM_COMMAND_BYTES; this matters
 * because its buffers grow in powers of two. */
enum { PROGRAM_COMMAND_BYTES = 14 * 1024 };
struct text program_command(struct arena *arena, const struct program_call *call);

/* Returns the length of the command without building it. */
size_t program_command_bytes(const struct program_call *call);

#endif
