/* The runtime that uses liblxc. The library is loaded when the plugin starts, so that the plugin
 * also runs without it. The configuration of a machine is machines/ID/config; liblxc's tools can
 * use it (`lxc-info -P FOLDER/machines -n ID`). */
#include "run.h"

#ifdef REEVE_HAVE_LXC

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lxc/lxccontainer.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "cgroup.h"
#include "disk.h"
#include "id.h"
#include "network.h"
#include "root.h"
#include "volume.h"

enum {
    MOUNTS_BYTES = 16 * 1024 * 1024,
    SETTLE_S = 10,
    PROFILES_BYTES = 1024 * 1024,
    LOG_BYTES = 1024 * 1024,
    LOG_SHOWN = 300
};

static const char locks[] = "/run/lxc/lock";

/* Functions of the library. */
struct library {
    struct lxc_container *(*container_new)(const char *name, const char *folder);
    int (*container_put)(struct lxc_container *container);
};

/* Loads the library; it is never unloaded. Returns false if it is not installed. */
static bool load(struct library *out)
{
    void *handle = dlopen("liblxc.so.1", RTLD_NOW | RTLD_LOCAL);
    void *create = handle == NULL ? NULL : dlsym(handle, "lxc_container_new");
    void *put = handle == NULL ? NULL : dlsym(handle, "lxc_container_put");

    if (create == NULL || put == NULL) {
        return false;
    }
    memcpy(&out->container_new, &create, sizeof(create));
    memcpy(&out->container_put, &put, sizeof(put));
    return true;
}

/* Returns whether liblxc is usable. It starts no machine if no control group is mounted. */
static bool is_there(void)
{
    AUTO(arena) arena = arena_new(MOUNTS_BYTES);
    struct library library;
    struct cgroups cgroups;

    cgroup_read(arena, &cgroups);
    return cgroups.mount_count > 0 && load(&library);
}

static void add_limits(struct work *work, struct buf *buf, const struct machine *machine)
{
    long long quota = machine->cpus_milli * (CGROUP_PERIOD_US / 1000);
    struct cgroups cgroups;

    cgroup_read(work->arena, &cgroups);
    if (machine->memory_bytes > 0 && cgroups.version[CGROUP_MEMORY] == CGROUP_VERSION_1) {
        buf_printf(buf, "lxc.cgroup.memory.limit_in_bytes = %llu\n",
                   (unsigned long long)machine->memory_bytes);
    } else if (machine->memory_bytes > 0 && cgroup_has(&cgroups, CGROUP_MEMORY)) {
        buf_printf(buf, "lxc.cgroup2.memory.max = %llu\n",
                   (unsigned long long)machine->memory_bytes);
    }
    if (machine->cpus_milli > 0 && cgroups.version[CGROUP_CPU] == CGROUP_VERSION_1) {
        buf_printf(buf, "lxc.cgroup.cpu.cfs_quota_us = %lld\n", quota);
    } else if (machine->cpus_milli > 0 && cgroup_has(&cgroups, CGROUP_CPU)) {
        buf_printf(buf, "lxc.cgroup2.cpu.max = %lld %d\n", quota, CGROUP_PERIOD_US);
    }
    if (cgroup_has(&cgroups, CGROUP_PIDS)) {
        buf_printf(buf, "lxc.cgroup%s.pids.max = %d\n",
                   cgroups.version[CGROUP_PIDS] == CGROUP_VERSION_1 ? "" : "2", CGROUP_TASKS_MAX);
    }
}

/* Adds the names of the groups, and the device rules: device nodes may be created, but only a few
 * may be used. Version 2 has no device controller, so liblxc loads a BPF program. */
static void add_groups(struct work *work, struct buf *buf, const struct machine *machine)
{
    static const char *const allowed[] = { "c *:* m",   "b *:* m",   "c 1:3 rwm",  "c 1:5 rwm",
                                           "c 1:7 rwm", "c 1:8 rwm", "c 1:9 rwm",  "c 5:0 rwm",
                                           "c 5:1 rwm", "c 5:2 rwm", "c 136:* rwm" };
    struct cgroups cgroups;
    const char *version;

    cgroup_read(work->arena, &cgroups);
    if (cgroups.mount_count == 0) {
        return;
    }
    version = cgroup_has(&cgroups, CGROUP_DEVICES) ? "" : "2";
    buf_printf(buf, "lxc.cgroup%s.devices.deny = a\n", version);
    for (size_t i = 0; i < ARRAY_COUNT(allowed); i++) {
        buf_printf(buf, "lxc.cgroup%s.devices.allow = %s\n", version, allowed[i]);
    }
    buf_printf(buf,
               "lxc.cgroup.dir.container = reeve-local/%s\n"
               "lxc.cgroup.dir.monitor = reeve-local/%s.monitor\n"
               "lxc.cgroup.dir.monitor.pivot = reeve-local/pivot\n",
               machine->id, machine->id);
}

/* Adds AppArmor's container profile if it is loaded. If AppArmor is active without the profile,
 * liblxc would refuse to start; so no profile is used, which is logged. The same applies to the
 * system call filter. */
static void add_confinement(struct work *work, struct buf *buf)
{
    static const char calls[] = "/usr/share/lxc/config/common.seccomp";
    struct text profiles;

    if (disk_read(work->arena, "/sys/kernel/security/apparmor/profiles", PROFILES_BYTES,
                  &profiles)) {
        if (memmem(profiles.data, profiles.length, "lxc-container-default-cgns ", 27) != NULL) {
            buf_add_string(buf, "lxc.apparmor.profile = lxc-container-default-cgns\n");
        } else {
            buf_add_string(buf, "lxc.apparmor.profile = unconfined\n");
            work_log(work->local, REEVE_LOG_WARNING,
                     "event=local.unconfined why=the AppArmor profile lxc-container-default-cgns "
                     "is not loaded");
        }
    }
    if (access(calls, R_OK) == 0) {
        buf_printf(buf, "lxc.seccomp.profile = %s\n", calls);
    }
    buf_add_string(buf, "lxc.cap.drop = mac_admin mac_override sys_time sys_module sys_rawio\n");
}

static void add_mounts(struct work *work, struct buf *buf, const struct machine *machine)
{
    const char *usr = root_usr_options(work, machine);

    if (usr != NULL) {
        buf_printf(buf, "lxc.mount.entry = overlay usr overlay %s 0 0\n", usr);
    }
    buf_add_string(buf,
                   "lxc.mount.auto = proc:mixed sys:ro\n"
                   "lxc.mount.entry = tmpfs run tmpfs mode=755,nosuid,nodev,create=dir 0 0\n"
                   "lxc.mount.entry = tmpfs tmp tmpfs mode=1777,nosuid,nodev,create=dir 0 0\n"
                   "lxc.mount.entry = shm dev/shm tmpfs mode=1777,nosuid,nodev,create=dir 0 0\n");
    buf_printf(buf, "lxc.mount.entry = %s run/reeve-init none bind,ro,create=file 0 0\n",
               work->local->init_path);
    for (size_t i = 0; i < machine->volume_count; i++) {
        buf_printf(buf, "lxc.mount.entry = %s %.*s none bind,create=dir 0 0\n",
                   volume_path(work, &machine->volumes[i]),
                   TEXT_ARG(volume_target(work, &machine->volumes[i])));
    }
}

static const char *config_path(struct work *work, const char *id)
{
    return work_path(work, "machines/%s/config", id);
}

/* Writes the whole configuration. */
static bool write_config(struct work *work, const struct machine *machine)
{
    struct buf buf;

    buf_init(&buf, work->arena);
    buf_printf(&buf,
               "lxc.uts.name = %.*s\nlxc.rootfs.path = overlay:%s:%s\nlxc.rootfs.mount = %s\n"
               "lxc.namespace.share.net = %s\nlxc.init.cmd = /run/reeve-init\n"
               "lxc.signal.halt = SIGTERM\nlxc.autodev = 1\nlxc.pty.max = 256\nlxc.tty.max = 0\n"
               "lxc.console.path = none\nlxc.log.level = WARN\nlxc.log.file = %s\n",
               TEXT_ARG(machine->name), root_lower(work, machine), root_upper(work, machine),
               work_path(work, "rootfs"), network_path(work, machine->id),
               work_path(work, "machines/%s/log", machine->id));
    add_mounts(work, &buf, machine);
    add_limits(work, &buf, machine);
    add_groups(work, &buf, machine);
    add_confinement(work, &buf);
    return disk_write(config_path(work, machine->id), buf_text(&buf), 0600);
}

/* Opens the library's object for the machine; NULL: there is none. container_put releases it. */
static struct lxc_container *open_container(struct work *work, const struct library *library,
                                            const struct machine *machine)
{
    return library->container_new(machine->id, work_path(work, "machines"));
}

/* Returns the library's error, which is the end of its log. */
static struct text problem(struct work *work, const struct machine *machine)
{
    struct text log = { 0 };

    if (!disk_read(work->arena, work_path(work, "machines/%s/log", machine->id), LOG_BYTES, &log)) {
        return TEXT("it gave no reason");
    }
    log = text_trim(log);
    return text_slice(log, log.length > LOG_SHOWN ? log.length - LOG_SHOWN : 0, LOG_SHOWN);
}

/* Closes all descriptors except these two and the standard ones. */
static void close_others(int one, int other)
{
    unsigned low = (unsigned)(one < other ? one : other);
    unsigned high = (unsigned)(one < other ? other : one);

    assert(low > 2 && low < high);
    if (low > 3) {
        (void)syscall(SYS_close_range, 3U, low - 1, 0U);
    }
    if (high > low + 1) {
        (void)syscall(SYS_close_range, low + 1, high - 1, 0U);
    }
    (void)syscall(SYS_close_range, high + 1, ~0U, 0U);
}

/* Starts the machine from a separate process, because liblxc moves the process that calls its start
 * into the group of the machine's monitor. The plugin would otherwise move from group to group, and
 * these groups could not be removed. If the plugin is killed, this process still completes the
 * start, and holds the machine's lock until then. So a destroy waits for it, and no machine without
 * a record can start. */
static _Noreturn void run_starter(struct work *work, const struct library *library,
                                  const struct machine *machine, int report)
{
    struct lxc_container *container;
    pid_t init = -1;

    close_others(report, work->machine_lock); /* closes locks and pipes of other calls */
    container = open_container(work, library, machine);
    if (container != NULL) {
        (void)container->want_daemonize(container, true);
        (void)container->want_close_all_fds(container, true);
        if (container->start(container, 0, NULL)) {
            init = container->init_pid(container);
        }
    }
    (void)!write(report, &init, sizeof(init));
    _exit(0);
}

/* Starts the machine. -1: the machine does not run; the library's log has the reason. */
static pid_t start_apart(struct work *work, const struct library *library,
                         const struct machine *machine)
{
    int report[2];
    pid_t init = -1;
    pid_t starter;

    if (pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    starter = fork();
    if (starter == 0) {
        run_starter(work, library, machine, report[1]);
    }
    (void)close(report[1]);
    if (starter < 0 || read(report[0], &init, sizeof(init)) != (ssize_t)sizeof(init)) {
        init = -1;
    }
    (void)close(report[0]);
    while (starter > 0 && waitpid(starter, NULL, 0) < 0 && errno == EINTR) {
    }
    return init;
}

static int32_t start(struct work *work, const struct machine *machine, pid_t *out_init)
{
    struct library library;
    pid_t init;

    if (!load(&library) || !write_config(work, machine)) {
        return work_refuse(work, REEVE_TRANSIENT, "", "%s: %m", config_path(work, machine->id));
    }
    init = start_apart(work, &library, machine);
    if (init <= 1) {
        return work_refuse(work, REEVE_TRANSIENT, "", "liblxc could not start the machine: %.*s",
                           TEXT_ARG(problem(work, machine)));
    }
    *out_init = init;
    return REEVE_OK;
}

/* Returns the folder in which the library creates a file for every machine name that was looked
 * up. */
static const char *locks_path(struct work *work)
{
    return arena_printf(work->arena, "%s%s/machines", locks, work->local->folder).data;
}

static void forget(struct work *work, const char *id)
{
    (void)disk_remove(arena_printf(work->arena, "%s/.%s", locks_path(work), id).data);
}

/* Finds the first process. A listing may look up a machine while a destroy removes it; the lookup
 * then creates the library's file again, so it is removed here. */
static pid_t find(struct work *work, const struct machine *machine)
{
    struct lxc_container *container;
    struct library library;
    pid_t init = 0;

    if (!disk_is_there(config_path(work, machine->id)) || !load(&library)) {
        return 0; /* the machine was never started */
    }
    container = open_container(work, &library, machine);
    if (container != NULL) {
        init = container->init_pid(container);
        (void)library.container_put(container);
        if (!disk_is_there(config_path(work, machine->id))) {
            forget(work, machine->id);
        }
    }
    return init > 1 ? init : 0;
}

static void settle(struct work *work, const struct machine *machine)
{
    struct lxc_container *container;
    struct library library;

    if (!disk_is_there(config_path(work, machine->id)) || !load(&library)) {
        return;
    }
    container = open_container(work, &library, machine);
    if (container != NULL) {
        if (!container->wait(container, "STOPPED", SETTLE_S)) {
            (void)container->stop(container);
        }
        (void)library.container_put(container);
    }
}

static void sweep(struct work *work)
{
    DIR *entries = opendir(locks_path(work));
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const char *id =
            entry->d_name[0] == '.' ? id_check(work, text_from(entry->d_name + 1)) : NULL;

        if (id != NULL && !disk_is_there(config_path(work, id))) {
            forget(work, id);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

/* Removes the folders that the library creates for its files and never removes. */
static void tidy(struct work *work)
{
    char *path = arena_string(work->arena, text_from(locks_path(work)));

    while (strlen(path) > sizeof(locks) - 1 && rmdir(path) == 0) {
        *strrchr(path, '/') = '\0';
    }
}

const struct runtime run_lxc = { .name = "lxc",
                                 .is_there = is_there,
                                 .start = start,
                                 .find = find,
                                 .settle = settle,
                                 .forget = forget,
                                 .sweep = sweep,
                                 .tidy = tidy };

#else

static bool is_there(void)
{
    return false;
}

static int32_t start(struct work *work, const struct machine *machine, pid_t *out_init)
{
    (void)machine;
    (void)out_init;
    return work_refuse(work, REEVE_TRANSIENT, "", "this plugin was built without liblxc");
}

const struct runtime run_lxc = { .name = "lxc", .is_there = is_there, .start = start };

#endif
