#ifndef REEVE_SYS_LAUNCHER_H
#define REEVE_SYS_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "sys/child.h"
#include "sys/child_spawn.h"

/* Privilege separation. The process that faces the network gives up its privileges. Before that, it
 * forks a small helper process, the launcher, which keeps them. The launcher starts only the
 * programs, opens only the files and makes only the calls that were listed when it was forked.
 *
 * - A request is a fixed struct of small numbers that index these lists. It has no path, no
 *   variable and no argument, so a compromised manager cannot choose which program runs with
 *   privileges.
 * - The programs become children of the manager, not of the launcher (CLONE_PARENT). So the manager
 *   waits for them and enforces their deadlines as without a launcher.
 * - The launcher ends with the manager. It then kills all programs that must not outlive it.
 * - All functions are called on the thread that called launcher_start(). */

enum {
    LAUNCHER_PROGRAMS_MAX = 8,
    LAUNCHER_WORDS_MAX = 8,
    LAUNCHER_FILES_MAX = 64,
    LAUNCHER_CALLS_MAX = 8,
    LAUNCHER_CALL_BYTES = 512
};

/* A program that may be started with the privileges of the launcher, and its permitted arguments.
 * Each of these programs gives up its privileges itself, in the order that its sandbox requires. */
struct launcher_program {
    const char *path;
    const char *words[LAUNCHER_WORDS_MAX]; /* permitted arguments; ends with NULL if it is not
                                            * full */
    const char *last;                      /* argument that is always appended; NULL: none */
};

/* A call that the launcher makes. `data` has the request, and the call replaces it by the
 * answer. */
typedef void launcher_call_fn(void *data, size_t bytes);

struct launcher_options {
    struct launcher_program programs[LAUNCHER_PROGRAMS_MAX];
    size_t program_count;
    const char *files[LAUNCHER_FILES_MAX]; /* files that may be opened for reading, or created */
    size_t file_count;
    launcher_call_fn *calls[LAUNCHER_CALLS_MAX]; /* indexed by the number of the call; NULL: no such
                                                  * call */
    const char *socket; /* the only path that may be removed when the manager ends; NULL: none */
};

/* Fork the launcher. Call it once, while the process has one thread. Everything that `options`
 * points to must live as long as the process. Fails with R0533. */
MUST_CHECK bool launcher_start(const struct launcher_options *options, struct err *err);

/* True if a launcher runs. */
bool launcher_is_running(void);

/* Return a descriptor that becomes readable when the launcher ends; the manager must then end too.
 * FD_NONE if there is no launcher, or if the kernel does not support it. */
int launcher_descriptor(void);

/* child_spawn() through the launcher. A program or argument that is not listed fails with R0533. */
MUST_CHECK bool launcher_spawn(const struct child_options *options, const int standard[static 3],
                               struct child_spawned *out, struct err *err);

/* Send a signal to the process group of a program that the launcher started. */
void launcher_signal(pid_t pid, int number);

/* open(path, flags, mode) through the launcher. Without a launcher, or for a file that is not
 * listed, this is a plain open(). Returns FD_NONE with errno on failure. */
int launcher_open(const char *path, int flags, mode_t mode);

/* Make the call with this number in the launcher; `bytes` is at most LAUNCHER_CALL_BYTES. Returns
 * false, with `data` unchanged, if there is no launcher. */
bool launcher_call(unsigned number, void *data, size_t bytes);

/* Remove the listed socket file. */
void launcher_socket_remove(void);

#endif
