#ifndef REEVE_PLAYBOOK_SHELTER_H
#define REEVE_PLAYBOOK_SHELTER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "wire/frame.h"

/* The isolation of one playbook run. Programs of a repository and ansible-playbook need Python, ssh
 * and the network, so this is not a sandbox like that of plugins. It separates a run from the
 * manager and from other runs, and ensures that nothing of a run remains.
 *
 * - Own user (only if root starts it): the run cannot access the manager's folder and processes.
 * - Own process namespace: when this process ends, for any reason, the kernel ends all processes
 *   that the run has started, including those in separate sessions.
 * - Own folder, in memory where possible: no secret of a run is written to a disk.
 *
 * Each part may be unavailable, in a container or for an ordinary user; the report has the reason.
 * Only one case is an error: root has no other user to switch to. */
struct shelter {
    const char *folder;     /* absolute path of an empty folder that belongs to this process */
    bool is_apart;          /* the run has a process namespace */
    struct wire_list parts; /* list of struct wire_pair, for the manager */
};

/* Enters the isolation. This may return in a child process; the original process then waits for the
 * child, removes the folder, and exits with the child's status. Fails with R0843. */
MUST_CHECK bool shelter_enter(struct arena *arena, struct shelter *out, struct err *err);

/* Ends all processes that this process or its descendants have started. */
void shelter_clear(const struct shelter *shelter);

#endif
