#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants of the kernel interface. The headers of Debian 12 lack some of them. */
enum { RULE_PATH_BENEATH = 1, VERSION_QUESTION = 1 };
enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_DEVICES = 5, ABI_SCOPES = 6 };

#define MAY_EXECUTE     (UINT64_C(1) << 0)
#define MAY_WRITE_FILE  (UINT64_C(1) << 1)
#define MAY_READ_FILE   (UINT64_C(1) << 2)
#define MAY_READ_DIR    (UINT64_C(1) << 3)
#define MAY_REMOVE_DIR  (UINT64_C(1) << 4)
#define MAY_REMOVE_FILE (UINT64_C(1) << 5)
#define MAY_MAKE_CHAR   (UINT64_C(1) << 6)
#define MAY_MAKE_DIR    (UINT64_C(1) << 7)
#define MAY_MAKE_REG    (UINT64_C(1) << 8)
#define MAY_MAKE_SOCK   (UINT64_C(1) << 9)
#define MAY_MAKE_FIFO   (UINT64_C(1) << 10)
#define MAY_MAKE_BLOCK  (UINT64_C(1) << 11)
#define MAY_MAKE_SYM    (UINT64_C(1) << 12)
#define MAY_REFER       (UINT64_C(1) << 13)
#define MAY_TRUNCATE    (UINT64_C(1) << 14)
#define MAY_IOCTL       (UINT64_C(1) << 15)

#define SCOPE_ABSTRACT_SOCKETS (UINT64_C(1) << 0)
#define SCOPE_SIGNALS          (UINT64_C(1) << 1)

#define READING  (MAY_READ_FILE | MAY_READ_DIR)
#define OF_FILES (MAY_READ_FILE | MAY_WRITE_FILE | MAY_EXECUTE | MAY_TRUNCATE | MAY_IOCTL)
/* Rights of a plugin in its folder. It may not create devices, sockets or executable files
 * there. */
#define KEEPING                                                                                  \
    (READING | MAY_WRITE_FILE | MAY_REMOVE_DIR | MAY_REMOVE_FILE | MAY_MAKE_DIR | MAY_MAKE_REG | \
     MAY_MAKE_FIFO | MAY_MAKE_SYM | MAY_REFER | MAY_TRUNCATE)

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static uint64_t files_handled(int abi)
{
    uint64_t most = abi >= ABI_DEVICES    ? MAY_IOCTL
                    : abi >= ABI_TRUNCATE ? MAY_TRUNCATE
                    : abi >= ABI_REFER    ? MAY_REFER
                                          : MAY_MAKE_SYM;

    return most * 2 - 1;
}

/* Adds a rule for a path. If the path does not exist, no rule is needed. On failure errno is
 * set. */
static bool rule_add(int rules, const char *path, uint64_t allowed, uint64_t handled)
{
    AUTO(fd) place = open(path, O_PATH | O_CLOEXEC);
    struct rule rule = { .allowed = allowed & handled, .parent = place };
    struct stat status;

    if (place < 0) {
        return errno == ENOENT || errno == EACCES;
    }
    if (fstat(place, &status) == 0 && !S_ISDIR(status.st_mode)) {
        rule.allowed &= OF_FILES;
    }
    return syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
}

static bool rules_fill(int rules, const struct sandbox_options *options, bool is_planted,
                       uint64_t handled)
{
    bool is_full;

    if (options->profile == SANDBOX_KEYS) {
        return true; /* success without rules: nothing is permitted */
    }
    is_full = rule_add(rules, "/proc/self", READING, handled);
    for (size_t i = 0; sandbox_readable[i] != NULL && is_full; i++) {
        is_full = rule_add(rules, sandbox_readable[i], READING, handled);
    }
    for (size_t i = 0; sandbox_devices[i] != NULL && is_full; i++) {
        is_full = rule_add(rules, sandbox_devices[i], MAY_READ_FILE | MAY_WRITE_FILE, handled);
    }
    if (is_full && is_planted) { /* only with a separate tree, because otherwise /tmp is shared with
                                  * other users */
        is_full = rule_add(rules, "/tmp", KEEPING, handled);
    }
    return is_full &&
           (options->folder == NULL || rule_add(rules, options->folder, KEEPING, handled));
}

void sandbox_rule(const struct sandbox_options *options, struct sandbox_report *report)
{
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUESTION);
    bool has_scopes = abi >= ABI_SCOPES && !options->without[SANDBOX_SCOPES];
    struct ruleset set = { .files = files_handled(abi),
                           .scopes = has_scopes ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0 };
    size_t bytes = abi >= ABI_SCOPES ? sizeof(set) : sizeof(set.files);
    AUTO(fd) rules = FD_NONE;

    assert(sandbox_has(report, SANDBOX_PRIVILEGES) || options->without[SANDBOX_PRIVILEGES]);
    if (abi < 1) {
        sandbox_miss(report, SANDBOX_LANDLOCK, "the kernel has no Landlock", errno);
        sandbox_miss(report, SANDBOX_SCOPES, "the kernel has no Landlock", errno);
        return;
    }
    rules = (int)syscall(SYS_landlock_create_ruleset, &set, bytes, 0);
    if (rules < 0 || !rules_fill(rules, options, sandbox_has(report, SANDBOX_FILES), set.files) ||
        syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
        sandbox_miss(report, SANDBOX_LANDLOCK, "the kernel rejected its rules", errno);
        sandbox_miss(report, SANDBOX_SCOPES, "the kernel rejected the rules of Landlock", errno);
        return;
    }
    sandbox_note(report, SANDBOX_LANDLOCK);
    snprintf(report->parts[SANDBOX_LANDLOCK].why, SANDBOX_WHY_BYTES, "ABI %d", abi);
    if (has_scopes) {
        sandbox_note(report, SANDBOX_SCOPES);
    } else if (!options->without[SANDBOX_SCOPES]) {
        sandbox_miss(report, SANDBOX_SCOPES, "Landlock's ABI is below 6", 0);
    }
}

/* ---- the manager ---- */

#define CHANGING                                                                               \
    (MAY_WRITE_FILE | MAY_REMOVE_DIR | MAY_REMOVE_FILE | MAY_MAKE_DIR | MAY_MAKE_REG |         \
     MAY_MAKE_SOCK | MAY_MAKE_FIFO | MAY_MAKE_SYM | MAY_REFER | MAY_TRUNCATE | MAY_MAKE_CHAR | \
     MAY_MAKE_BLOCK | MAY_EXECUTE)
#define OF_MANAGER (CHANGING & ~(MAY_EXECUTE | MAY_MAKE_CHAR | MAY_MAKE_BLOCK))

static bool manager_rules_fill(int rules, const char *const *folders, size_t count,
                               const char *socket_folder, uint64_t handled)
{
    bool is_full = true;

    for (size_t i = 0; i < count && is_full; i++) {
        is_full = rule_add(rules, folders[i], OF_MANAGER, handled);
    }
    for (size_t i = 0; sandbox_devices[i] != NULL && is_full; i++) {
        is_full = rule_add(rules, sandbox_devices[i], MAY_WRITE_FILE, handled);
    }
    return is_full && (socket_folder == NULL ||
                       rule_add(rules, socket_folder, MAY_REMOVE_FILE | MAY_MAKE_SOCK, handled));
}

void sandbox_rule_manager(const char *const *folders, size_t count, const char *socket_folder,
                          struct sandbox_report *report)
{
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUESTION);
    struct ruleset set = { .files = files_handled(abi) & CHANGING };
    AUTO(fd) rules = FD_NONE;

    if (abi < 1) {
        sandbox_miss(report, SANDBOX_LANDLOCK, "the kernel has no Landlock", errno);
        return;
    }
    rules = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set.files), 0);
    if (rules < 0 || !manager_rules_fill(rules, folders, count, socket_folder, set.files) ||
        syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
        sandbox_miss(report, SANDBOX_LANDLOCK, "the kernel rejected its rules", errno);
        return;
    }
    sandbox_note(report, SANDBOX_LANDLOCK);
    snprintf(report->parts[SANDBOX_LANDLOCK].why, SANDBOX_WHY_BYTES, "ABI %d", abi);
}
