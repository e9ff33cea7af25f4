#include "installation/installation.h"

#include "base/limits.h"
#include "sys/account.h"
#include "sys/process.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Each check adds one finding: that the state is correct, or a description of the problem. A check
 * that requires rights that this user lacks adds nothing. */

enum { HOUR_S = 3600 };

void installation_report_init(struct installation_report *report, struct arena *arena)
{
    report->arena = arena;
    report->count = 0;
    report->has_wrong = false;
}

void installation_add(struct installation_report *report, bool is_wrong, struct text what,
                      struct text fix)
{
    report->has_wrong = report->has_wrong || is_wrong;
    if (report->count < INSTALLATION_FINDINGS_MAX) {
        report->items[report->count++] =
            (struct installation_finding){ is_wrong, what, is_wrong ? fix : TEXT("") };
    }
}

static void installation_good(struct installation_report *report, struct text what)
{
    installation_add(report, false, what, TEXT(""));
}

/* ---- files ---- */

void installation_key_check(struct installation_report *report, const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || (status.st_mode & (S_IWGRP | S_IRWXO)) == 0) {
        return; /* a missing key is reported by the manager, which knows whether it needs one */
    }
    installation_add(
        report, true,
        arena_printf(report->arena, "other users can read or replace the key %s (mode %04o)", path,
                     (unsigned)status.st_mode & 07777),
        arena_printf(report->arena, "chmod 0600 %s; if others may have read the key, use a new one",
                     path));
}

static void config_check(struct installation_report *report, const char *path)
{
    struct arena *arena = report->arena;
    struct stat status;

    if (path == NULL) {
        installation_good(report,
                          TEXT("the manager has no configuration file: the defaults apply"));
    } else if (stat(path, &status) != 0) {
        installation_add(report, true, arena_printf(arena, "%s: %s", path, strerror(errno)),
                         TEXT("install the package again, or give the file that the manager uses"));
    } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
        installation_add(report, true,
                         arena_printf(arena, "the configuration %s does not belong to root", path),
                         arena_printf(arena, "sudo chown root:root %s", path));
    } else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        installation_add(report, true,
                         arena_printf(arena,
                                      "users other than root can change the configuration %s "
                                      "(mode %04o)",
                                      path, (unsigned)status.st_mode & 07777),
                         arena_printf(arena, "sudo chmod 0644 %s", path));
    } else {
        installation_good(report, arena_printf(arena,
                                               "the configuration %s has no errors, and only "
                                               "its owner can change it",
                                               path));
    }
}

/* ---- the folder of the store ---- */

static void room_check(struct installation_report *report, const char *path)
{
    struct arena *arena = report->arena;
    const char *database = arena_string(arena, arena_printf(arena, "%s/store.db", path));
    uint64_t wanted = LIMIT_INSTALLATION_ROOM_BYTES;
    struct statvfs disk;
    struct stat status;
    uint64_t free_bytes;

    if (statvfs(path, &disk) != 0) {
        return;
    }
    free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    /* A backup needs as much room as the store. */
    if (stat(database, &status) == 0 && (uint64_t)status.st_size > wanted) {
        wanted = (uint64_t)status.st_size;
    }
    installation_add(
        report, free_bytes < wanted || (disk.f_files > 0 && disk.f_favail == 0),
        arena_printf(arena,
                     "the disk of %s has %" PRIu64 " MiB free, and %" PRIu64 " MiB are needed",
                     path, free_bytes >> 20, wanted >> 20),
        TEXT("free space, move the folder to a larger disk, or keep fewer backups (backups.keep)"));
}

static void owner_check(struct installation_report *report, const struct installation_facts *facts,
                        const struct stat *status)
{
    struct arena *arena = report->arena;
    char name[ACCOUNT_NAME_BYTES];
    gid_t admins = account_group_find(facts->socket_group);
    uid_t user;
    gid_t group;

    account_user_name(status->st_uid, name);
    if (!account_user_find(name, &user, &group)) {
        installation_add(report, true,
                         arena_printf(arena, "%s belongs to the user %u, which has no account here",
                                      facts->data, (unsigned)status->st_uid),
                         arena_printf(arena, "sudo chown -R reeved:reeved %s", facts->data));
    } else if (group == admins && user != 0) {
        installation_add(
            report, true,
            arena_printf(
                arena,
                "the user %s of the manager is in the group %s, whose members are admins of the manager",
                name, facts->socket_group),
            TEXT("give the user a separate group: adduser --system --group reeved"));
    } else if ((status->st_mode & 077) != 0) {
        installation_add(report, true,
                         arena_printf(arena, "other users can open %s (mode %04o)", facts->data,
                                      (unsigned)status->st_mode & 07777),
                         arena_printf(arena, "sudo chmod 0700 %s", facts->data));
    } else {
        installation_good(report, arena_printf(arena, "%s belongs to %s alone", facts->data, name));
    }
}

static void data_check(struct installation_report *report, const struct installation_facts *facts)
{
    struct arena *arena = report->arena;
    struct stat status;

    if (stat(facts->data, &status) != 0) {
        installation_add(
            report, errno != ENOENT,
            errno == ENOENT
                ? arena_printf(arena, "%s does not exist; the first start creates it", facts->data)
                : arena_printf(arena, "%s: %s", facts->data, strerror(errno)),
            TEXT("correct `data` in the configuration"));
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        installation_add(report, true, arena_printf(arena, "%s is not a folder", facts->data),
                         TEXT("correct `data` in the configuration"));
        return;
    }
    owner_check(report, facts, &status);
    room_check(report, facts->data);
}

/* ---- the socket ---- */

static void socket_check(struct installation_report *report, const struct installation_facts *facts)
{
    struct arena *arena = report->arena;
    gid_t group = account_group_find(facts->socket_group);
    struct stat status;

    if (group == (gid_t)-1) {
        installation_good(report,
                          arena_printf(arena, "there is no group %s: only root is an admin at %s",
                                       facts->socket_group, facts->socket));
    }
    if (stat(facts->socket, &status) != 0) {
        return; /* no manager runs; `reeve doctor` reports that */
    }
    installation_add(report,
                     !S_ISSOCK(status.st_mode) || (status.st_mode & S_IWOTH) != 0 ||
                         ((status.st_mode & S_IWGRP) != 0 && status.st_gid != group),
                     arena_printf(arena, "%s has the mode %04o and the group %u", facts->socket,
                                  (unsigned)status.st_mode & 07777, (unsigned)status.st_gid),
                     TEXT("restart the manager: it creates its socket again"));
}

/* ---- the machine ---- */

static void groups_check(struct installation_report *report)
{
    struct statfs top;
    struct stat status;
    bool is_there = statfs("/sys/fs/cgroup", &top) == 0;

    if (is_there && top.f_type == CGROUP2_SUPER_MAGIC) {
        installation_good(report, TEXT("control groups: version 2"));
    } else if (is_there && stat("/sys/fs/cgroup/memory", &status) == 0) {
        installation_good(report, TEXT("control groups: version 1"));
    } else {
        installation_good(
            report,
            TEXT(
                "control groups: none, so only resource limits of processes limit the memory and processes of plugins"));
    }
}

static void clock_check(struct installation_report *report)
{
    struct arena *arena = report->arena;
    const char *program = "/proc/self/exe";
    struct timex timex = { 0 };
    struct stat status;
    int64_t now_s = time(NULL);

    /* The clock is wrong if it is earlier than the time of the program's own file. A computer
     * without a battery-backed clock starts in the past. */
    if (stat(program, &status) == 0 && now_s + HOUR_S < status.st_mtim.tv_sec) {
        installation_add(
            report, true,
            arena_printf(arena,
                         "the clock of this machine is behind: it is %" PRId64
                         " hours before the time at which reeved was built",
                         (status.st_mtim.tv_sec - now_s) / HOUR_S),
            TEXT("sudo apt-get install systemd-timesyncd, or set the clock by date -s"));
        return;
    }
    installation_good(report, adjtimex(&timex) == TIME_ERROR || (timex.status & STA_UNSYNC) != 0
                                  ? TEXT("the clock is not kept by a time service of this machine")
                                  : TEXT("the clock is synchronized"));
}

/* ipmitool is needed only where machines have BMCs by IPMI. */
static void installation_ipmitool_check(struct installation_report *report)
{
    if (access("/usr/bin/ipmitool", X_OK) != 0) {
        installation_add(report, false,
                         TEXT("there is no /usr/bin/ipmitool: the power of machines with BMCs by "
                              "IPMI cannot be switched here (apt-get install ipmitool)"),
                         TEXT(""));
    }
}

void installation_check(struct installation_report *report, const struct installation_facts *facts)
{
    assert(facts->key_count <= ARRAY_COUNT(facts->keys));
    installation_programs_check(report);
    config_check(report, facts->config);
    data_check(report, facts);
    for (size_t i = 0; i < facts->key_count; i++) {
        installation_key_check(report, facts->keys[i]);
    }
    socket_check(report, facts);
    installation_certificates_check(report, facts);
    installation_ansible_check(report, facts);
    installation_ipmitool_check(report);
    groups_check(report);
    clock_check(report);
}
