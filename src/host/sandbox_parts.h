#ifndef REEVE_HOST_SANDBOX_PARTS_H
#define REEVE_HOST_SANDBOX_PARTS_H

#include <sys/types.h>

#include "host/sandbox.h"

/* private to src/host */
/* public names start with: sandbox_ */

/* The parts of the sandbox, each in a separate file; internal to sandbox.h. Each part writes its
 * result to the report. sandbox_enter calls them in the required order. */

/* sandbox_note records that a part is in force. sandbox_miss records that it is missing, because
 * `tried` failed with this errno. */
void sandbox_note(struct sandbox_report *report, enum sandbox_part part);
void sandbox_miss(struct sandbox_report *report, enum sandbox_part part, const char *tried,
                  int number);

/* Returns whether the part is in force. */
bool sandbox_has(const struct sandbox_report *report, enum sandbox_part part);

/* ---- sandbox_spaces.c ---- */

/* The user and the processes outside of the namespaces. */
struct sandbox_identity {
    uid_t uid;
    gid_t gid;
    uid_t own;     /* id of the separate user and group to switch to; 0: none */
    bool is_root;  /* the process is root on the machine, with its capabilities */
    bool is_moved; /* the process has switched to the user `own` */
    pid_t parent;  /* process id of the parent */
    int waiter;    /* descriptor of the waiting process; FD_NONE: none */
    /* descriptor of a writable /proc/self; FD_NONE: no longer needed */
    int self;
};

/* Determines the current user, and the user to switch to. */
void sandbox_identify(const struct sandbox_options *options, struct sandbox_identity *out,
                      struct sandbox_report *report);

/* Enters new namespaces. With a pid namespace, the function returns in the first process of that
 * namespace, and the original process waits. Fails with R0567 if no process can be created. */
MUST_CHECK bool sandbox_leave(const struct sandbox_options *options,
                              struct sandbox_identity *identity, struct sandbox_report *report,
                              struct err *err);

/* The only user id inside the user namespace. It differs from 65534, which means all unknown
 * users. */
enum { SANDBOX_INSIDE = 65533 };

/* Switches to the user `own`, which is SANDBOX_INSIDE within the namespace. Before that, the folder
 * is given to this user. */
void sandbox_become(const struct sandbox_options *options, struct sandbox_identity *identity,
                    struct sandbox_report *report);

/* Makes this process end when the process that waits for it ends, and checks that the waiting
 * process has not ended already. */
void sandbox_bind(const struct sandbox_options *options, struct sandbox_identity *identity,
                  struct sandbox_report *report);

/* ---- sandbox_relay.c ---- */

/* Called inside the sandbox: leaves the network of the machine, and sends a listening socket of the
 * new namespace through `socket`. */
void sandbox_network_leave(int socket, struct sandbox_report *report);

/* Called outside the sandbox: serves the clients of that listening socket, and watches the size of
 * the folder, until the process inside has ended. Returns the wait status of that process. `strip`
 * drops the privileges that this does not need. */
int sandbox_relay(const struct sandbox_options *options, const struct sandbox_identity *identity,
                  pid_t inside, int socket,
                  void (*strip)(const struct sandbox_options *options, bool is_root));

/* ---- sandbox_folder.c ---- */

/* Returns the total bytes of the readable files in the folder. Stops counting above `most`. */
uint64_t sandbox_folder_bytes(const char *folder, uint64_t most);

/* Gives the folder and its content to this user and group. On failure errno is set. */
MUST_CHECK bool sandbox_give(const char *folder, uid_t own);

/* ---- sandbox_tree.c ---- */

/* Files of the machine that a plugin may read: shared libraries and name resolution. Ends with
 * NULL. */
extern const char *const sandbox_readable[];

/* Devices that a plugin may open. Ends with NULL. */
extern const char *const sandbox_devices[];

/* Creates a file tree with these files, the folder, /proc and /tmp, and makes it the root. */
void sandbox_plant(const struct sandbox_options *options, struct sandbox_report *report);

/* ---- sandbox_landlock.c ---- */

/* Applies Landlock rules for the same files. They apply even without a separate tree. */
void sandbox_rule(const struct sandbox_options *options, struct sandbox_report *report);

/* Applies Landlock rules for the manager. It may write only in `folders`, create sockets only in
 * `socket_folder`, and run no programs. It may read all files that its user may read. */
void sandbox_rule_manager(const char *const *folders, size_t count, const char *socket_folder,
                          struct sandbox_report *report);

/* ---- sandbox_filter.c ---- */

/* Applies the system call filter of the profile. */
void sandbox_filter(const struct sandbox_options *options, struct sandbox_report *report);

/* Applies the manager's system call filter. It rejects new processes and programs, tracing, mounts,
 * kernel modules and kernel keys. */
void sandbox_filter_manager(struct sandbox_report *report);

/* ---- sandbox_self.c ---- */

/* Closes all descriptors except those that must stay open. Fails with R0567 if that is
 * impossible. */
MUST_CHECK bool sandbox_close(const struct sandbox_options *options, struct err *err);

void sandbox_limit(const struct sandbox_options *options, const struct sandbox_identity *identity,
                   struct sandbox_report *report);
/* Permanently drops all capabilities except those in `kept` (a bit mask). On failure errno is
 * set. */
MUST_CHECK bool sandbox_drop(uint32_t kept);

void sandbox_strip(const struct sandbox_options *options, struct sandbox_report *report);
void sandbox_hide(const struct sandbox_options *options, struct sandbox_report *report);

#endif
