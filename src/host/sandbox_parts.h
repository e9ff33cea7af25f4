#ifndef REEVE_HOST_SANDBOX_PARTS_H
#define REEVE_HOST_SANDBOX_PARTS_H

#include <sys/types.h>

#include "host/sandbox.h"

/* names: sandbox_ */

/* Inside of sandbox.h: the parts, one file each. They tell the report how they came out; an order that works is
 * kept by sandbox_enter. */

/* A part is in force; or is missing, because of this errno, after this was tried. */
void sandbox_note(struct sandbox_report *report, enum sandbox_part part);
void sandbox_miss(struct sandbox_report *report, enum sandbox_part part, const char *tried,
                  int number);

/* Is it in force? */
bool sandbox_has(const struct sandbox_report *report, enum sandbox_part part);

/* ---- sandbox_spaces.c ---- */

/* Who it is outside of itself. */
struct sandbox_identity {
    uid_t uid;
    gid_t gid;
    uid_t own;     /* user and group that it becomes; 0: none */
    bool is_root;  /* of the machine, with its capabilities */
    bool is_moved; /* has become it */
    pid_t parent;  /* who started us */
    int waiter;    /* a descriptor of the process that waits for us; FD_NONE: none */
    int self; /* /proc/self as it can be written; FD_NONE: nothing is left to be written there */
};

/* Look who we are, and who we shall be. */
void sandbox_identify(const struct sandbox_options *options, struct sandbox_identity *out,
                      struct sandbox_report *report);

/* Leave the namespaces of the machine. With a pid namespace, what returns is its first process; the other one
 * stays and waits. R0567: no process can be made. */
MUST_CHECK bool sandbox_leave(const struct sandbox_options *options,
                              struct sandbox_identity *identity, struct sandbox_report *report,
                              struct err *err);

/* What a user namespace calls its only user. Not 65534: all that it does not know is called so. */
enum { SANDBOX_INSIDE = 65533 };

/* Become the user of one's own, and nobody inside; the folder is his before. */
void sandbox_become(const struct sandbox_options *options, struct sandbox_identity *identity,
                    struct sandbox_report *report);

/* End when the process that waits for us ends; it has not yet. */
void sandbox_bind(const struct sandbox_options *options, struct sandbox_identity *identity,
                  struct sandbox_report *report);

/* ---- sandbox_relay.c ---- */

/* Inside: leave the network of the machine, and send a socket that listens in the new one through this socket. */
void sandbox_network_leave(int socket, struct sandbox_report *report);

/* Outside: serve the clients of that socket, and look after the size of the folder, until the process inside has ended.
 * Returns its status, as waitpid has it. `strip` gives up what is not needed for that. */
int sandbox_relay(const struct sandbox_options *options, const struct sandbox_identity *identity,
                  pid_t inside, int socket,
                  void (*strip)(const struct sandbox_options *options, bool is_root));

/* ---- sandbox_folder.c ---- */

/* The bytes of all files in the folder, as far as they can be seen; it stops counting above `most`. */
uint64_t sandbox_folder_bytes(const char *folder, uint64_t most);

/* Give the folder and what is in it to this user and group. False: errno says why not. */
MUST_CHECK bool sandbox_give(const char *folder, uid_t own);

/* ---- sandbox_tree.c ---- */

/* The files of the machine that a plugin may read: programs' libraries, and how names are resolved. Ends with
 * NULL. */
extern const char *const sandbox_readable[];

/* The devices that it may open. Ends with NULL. */
extern const char *const sandbox_devices[];

/* Make a tree of these, the folder, /proc and /tmp, and stand in it. */
void sandbox_plant(const struct sandbox_options *options, struct sandbox_report *report);

/* ---- sandbox_landlock.c ---- */

/* The rules of the same files, once more: they hold where there is no tree. */
void sandbox_rule(const struct sandbox_options *options, struct sandbox_report *report);

/* Rules for the manager: it writes in these folders only, makes sockets in that one, and runs no
 * program. It reads what its user may read. */
void sandbox_rule_manager(const char *const *folders, size_t count, const char *socket_folder,
                          struct sandbox_report *report);

/* ---- sandbox_filter.c ---- */

/* Refuse system calls. */
void sandbox_filter(const struct sandbox_options *options, struct sandbox_report *report);

/* Refuse all system calls that the manager has no use for: new processes and programs, tracing,
 * mounts, modules, keys. */
void sandbox_filter_manager(struct sandbox_report *report);

/* ---- sandbox_self.c ---- */

/* Close what is not to stay open. R0567: it cannot be. */
MUST_CHECK bool sandbox_close(const struct sandbox_options *options, struct err *err);

void sandbox_limit(const struct sandbox_options *options, const struct sandbox_identity *identity,
                   struct sandbox_report *report);
/* All capabilities but these (bits), for ever. False: errno says why not. */
MUST_CHECK bool sandbox_drop(uint32_t kept);

void sandbox_strip(const struct sandbox_options *options, struct sandbox_report *report);
void sandbox_hide(const struct sandbox_options *options, struct sandbox_report *report);

#endif
