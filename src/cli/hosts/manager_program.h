#ifndef REEVE_CLI_HOSTS_MANAGER_PROGRAM_H
#define REEVE_CLI_HOSTS_MANAGER_PROGRAM_H

#include "base/text.h"

/* private to src/cli/hosts */
/* public names start with: manager_program_ */

/* The program that runs on the host of reeve bootstrap manager: programs/manager.sh, quoted as one
 * word of a shell. embed.py writes it into manager_program.c at build time. */
struct manager_program_file {
    const char *name;
    struct text bytes;
};

extern const struct manager_program_file manager_program_files[];
extern const size_t manager_program_file_count;

#endif
