/* The runtime that uses only kernel namespaces, without liblxc: pid, mount, uts, ipc, cgroup and
 * network namespaces, an overlay as root, control groups with limits. It lacks liblxc's system call
 * filter, AppArmor profile, and device limits under control groups of version 2.
 *
 * An intermediate process clones the machine's first process and exits immediately, so that the
 * plugin need not reap the first process. The first process waits on a pipe until its groups are
 * set and its process id is recorded. If the plugin is killed before that, the pipe closes and the
 * first process exits. After the clone only system calls are made, because this process has
 * threads. */
#include "cgroup.h"
#include "disk.h"
#include "network.h"
#include "root.h"
#include "run.h"
#include "volume.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* Data for the first process, prepared before the clone. */
struct launch {
    const char *root; /* mount point of the overlay, in the machine's mount namespace */
    const char *options;
    /* mount options of the overlay for /usr; NULL: /usr is part of the image */
    const char *usr_options;
    const char *network;
    const char *init;
    const char *name;
    size_t volume_count;
    const char *volumes[MACHINE_VOLUMES_MAX]; /* paths of the volumes on this computer */
    const char *targets[MACHINE_VOLUMES_MAX]; /* their paths in the machine */
    /* pipe to the first process: a byte means continue, end of file means exit */
    int release[2];
    /* pipe from the first process: its process id, then its error */
    int report[2];
};

/* Mount sources, opened by the first process. */
struct sources {
    int init;
    int volumes[MACHINE_VOLUMES_MAX];
};

/* Error report that the first process sends through the pipe. */
struct report {
    int error;
    char step[60];
};

static _Noreturn void give_up(const struct launch *launch, const char *step)
{
    struct report report = { .error = errno };
    size_t length = strlen(step);

    memcpy(report.step, step, length < sizeof(report.step) ? length : sizeof(report.step) - 1);
    (void)!write(launch->report[1], &report, sizeof(report));
    _exit(125);
}

/* Checks a step. If it has failed, the first process exits. */
static void must(const struct launch *launch, int answer, const char *step)
{
    if (answer != 0) {
        give_up(launch, step);
    }
}

/* Returns a descriptor's path in /proc, without stdio. */
static const char *fd_path(int fd, char out[static 32])
{
    static const char head[] = "/proc/self/fd/";
    char digits[12];
    size_t count = 0;
    size_t length = sizeof(head) - 1;

    assert(fd >= 0);
    do {
        digits[count++] = (char)('0' + fd % 10);
        fd /= 10;
    } while (fd > 0);
    memcpy(out, head, length);
    while (count > 0) {
        out[length++] = digits[--count];
    }
    out[length] = '\0';
    return out;
}

static void enter_root(const struct launch *launch)
{
    must(launch, mount("overlay", launch->root, "overlay", 0, launch->options), "overlay");
    must(launch, chdir(launch->root), "root");
    if (launch->usr_options != NULL) {
        must(launch, mount("overlay", "usr", "overlay", 0, launch->usr_options),
             "overlay over /usr");
    }
    /* after this, every path is resolved inside the machine, so links that its root user has
     * created cannot lead outside; the old root is mounted on top of the new root until it is
     * removed */
    must(launch, (int)syscall(SYS_pivot_root, ".", "."), "pivot_root");
}

static void make_devices(const struct launch *launch)
{
    static const struct {
        const char *name;
        unsigned major;
        unsigned minor;
    } nodes[] = { { "/dev/null", 1, 3 },   { "/dev/zero", 1, 5 },    { "/dev/full", 1, 7 },
                  { "/dev/random", 1, 8 }, { "/dev/urandom", 1, 9 }, { "/dev/tty", 5, 0 } };

    must(launch, mount("dev", "/dev", "tmpfs", MS_NOSUID, "mode=755,size=1m"), "/dev");
    for (size_t i = 0; i < ARRAY_COUNT(nodes); i++) {
        must(launch, mknod(nodes[i].name, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor)),
             nodes[i].name);
        must(launch, chmod(nodes[i].name, 0666), nodes[i].name);
    }
    must(launch, mkdir("/dev/pts", 0755), "/dev/pts");
    must(launch, mkdir("/dev/shm", 01777), "/dev/shm");
    must(launch,
         mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
               "newinstance,ptmxmode=0666,mode=0620,gid=5"),
         "/dev/pts");
    must(launch, mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "/dev/shm");
    must(launch, symlink("pts/ptmx", "/dev/ptmx"), "/dev/ptmx");
    must(launch, symlink("/proc/self/fd", "/dev/fd"), "/dev/fd");
    must(launch, symlink("fd/0", "/dev/stdin"), "/dev/stdin");
    must(launch, symlink("fd/1", "/dev/stdout"), "/dev/stdout");
    must(launch, symlink("fd/2", "/dev/stderr"), "/dev/stderr");
}

/* Makes a part of /proc read-only for the machine. It is not an error if the part is missing. */
static void protect(const char *path)
{
    if (mount(path, path, NULL, MS_BIND, NULL) == 0) {
        (void)mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL);
    }
}

/* Creates a folder and its parents in the machine. */
static void make_target(const struct launch *launch, const char *path)
{
    char part[512];
    size_t length = strlen(path);

    if (length >= sizeof(part)) {
        errno = ENAMETOOLONG;
        give_up(launch, "the path of a volume");
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdir(part, 0755) != 0 && errno != EEXIST) {
                give_up(launch, "the folder of a volume");
            }
        }
    }
}

static void mount_all(const struct launch *launch, const struct sources *sources)
{
    char from[32];
    int file;

    must(launch, mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "/proc");
    must(launch,
         mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL),
         "/sys");
    make_devices(launch);
    must(launch, mount("run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"), "/run");
    must(launch, mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "/tmp");
    file = open("/run/reeve-init", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    must(launch, file < 0 ? -1 : close(file), "/run/reeve-init");
    must(launch, mount(fd_path(sources->init, from), "/run/reeve-init", NULL, MS_BIND, NULL),
         "reeve-init");
    for (size_t i = 0; i < launch->volume_count; i++) {
        make_target(launch, launch->targets[i]);
        must(launch,
             mount(fd_path(sources->volumes[i], from), launch->targets[i], NULL, MS_BIND, NULL),
             "a volume");
    }
    protect("/proc/sys");
    protect("/proc/sysrq-trigger");
    protect("/proc/irq");
    protect("/proc/bus");
    must(launch, umount2(".", MNT_DETACH), "the old root");
}

/* Closes all descriptors except the two pipe ends. This process must not hold the pipes of other
 * starting machines, because those must close when the plugin ends. */
static void close_others(const struct launch *launch)
{
    unsigned one = (unsigned)launch->release[0];
    unsigned other = (unsigned)launch->report[1];
    unsigned low = one < other ? one : other;
    unsigned high = one < other ? other : one;

    if (low > 3) {
        (void)syscall(SYS_close_range, 3U, low - 1, 0U);
    }
    if (high > low + 1) {
        (void)syscall(SYS_close_range, low + 1, high - 1, 0U);
    }
    (void)syscall(SYS_close_range, high + 1, ~0U, 0U);
}

/* Opens mount sources before the new root is entered, because the kernel cannot bind mounts from
 * another mount namespace. */
static void open_sources(const struct launch *launch, struct sources *out)
{
    out->init = open(launch->init, O_PATH | O_CLOEXEC);
    must(launch, out->init < 0 ? -1 : 0, "reeve-init");
    for (size_t i = 0; i < launch->volume_count; i++) {
        out->volumes[i] = open(launch->volumes[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        must(launch, out->volumes[i] < 0 ? -1 : 0, "a volume");
    }
}

/* Runs as the machine's first process until it executes reeve-init. */
static _Noreturn void run_first(const struct launch *launch)
{
    static const int dropped[] = { 16, 17, 25, 32, 33 }; /* sys_module sys_rawio sys_time mac_* */
    static const char *const argv[] = { "/run/reeve-init", NULL };
    static const char *const environment[] = { "container=reeve", NULL };
    char go;
    struct sources sources;
    int network;
    sigset_t none;

    close_others(launch);
    network = open(launch->network, O_RDONLY | O_CLOEXEC);
    if (read(launch->release[0], &go, 1) != 1) {
        _exit(0);
    }
    must(launch, network < 0 ? -1 : setns(network, CLONE_NEWNET), "the network namespace");
    must(launch, unshare(CLONE_NEWCGROUP), "the cgroup namespace");
    must(launch, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
    open_sources(launch, &sources);
    enter_root(launch);
    mount_all(launch, &sources);
    must(launch, chdir("/"), "/");
    must(launch, sethostname(launch->name, strlen(launch->name)), "the host's name");
    for (size_t i = 0; i < ARRAY_COUNT(dropped); i++) {
        must(launch, prctl(PR_CAPBSET_DROP, dropped[i], 0, 0, 0), "capabilities");
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    (void)execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)environment);
    give_up(launch, "reeve-init");
}

/* Runs as the intermediate process: clones the first process, reports its process id and exits. */
static _Noreturn void run_between(const struct launch *launch)
{
    long first =
        syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | SIGCHLD, NULL,
                NULL, NULL, NULL);
    pid_t number = (pid_t)first;

    if (first == 0) {
        run_first(launch);
    }
    if (write(launch->report[1], &number, sizeof(number)) != (ssize_t)sizeof(number)) {
        _exit(1);
    }
    _exit(first < 0 ? 1 : 0);
}

static bool prepare(struct work *work, const struct machine *machine, struct launch *out)
{
    struct arena *arena = work->arena;

    *out = (struct launch){ .root = work_path(work, "rootfs"),
                            .usr_options = root_usr_options(work, machine),
                            .network = network_path(work, machine->id),
                            .init = work->local->init_path,
                            .name = arena_string(arena, machine->name),
                            .volume_count = machine->volume_count };
    out->options =
        arena_printf(arena, "lowerdir=%s,upperdir=%s,workdir=%s", root_lower(work, machine),
                     root_upper(work, machine), work_path(work, "machines/%s/olwork", machine->id))
            .data;
    for (size_t i = 0; i < machine->volume_count; i++) {
        const struct machine_volume *volume = &machine->volumes[i];

        out->volumes[i] = volume_path(work, volume);
        out->targets[i] = arena_printf(arena, "/%.*s", TEXT_ARG(volume_target(work, volume))).data;
    }
    if (pipe2(out->release, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(out->report, O_CLOEXEC) != 0) {
        (void)close(out->release[0]);
        (void)close(out->release[1]);
        return false;
    }
    return true;
}

/* Clones the first process. Returns 0 on failure. */
static pid_t clone_first(struct launch *launch)
{
    pid_t number = 0;
    pid_t between = fork();

    if (between == 0) {
        run_between(launch);
    }
    (void)close(launch->report[1]);
    (void)close(launch->release[0]);
    if (between < 0 ||
        read(launch->report[0], &number, sizeof(number)) != (ssize_t)sizeof(number)) {
        number = 0;
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR) {
    }
    return number > 0 ? number : 0;
}

static bool is_there(void)
{
    return geteuid() == 0;
}

static int32_t start(struct work *work, const struct machine *machine, pid_t *out_init)
{
    struct launch launch;
    struct report report = { 0 };
    pid_t first;
    bool is_set;

    if (!prepare(work, machine, &launch)) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machine cannot be prepared: %m");
    }
    first = clone_first(&launch);
    is_set = first != 0 && cgroup_enter(work, machine, first) && run_note(work, machine, first) &&
             write(launch.release[1], "", 1) == 1;
    report.error = errno;
    (void)close(launch.release[1]);
    if (first == 0 || !is_set) {
        (void)close(launch.report[0]);
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "the machine's first process cannot be "
                           "created: %s",
                           strerror(report.error));
    }
    report.error = 0;
    (void)!read(launch.report[0], &report, sizeof(report)); /* end of file: reeve-init runs */
    (void)close(launch.report[0]);
    if (report.error != 0) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machine cannot be started: %.59s: %s",
                           report.step, strerror(report.error));
    }
    *out_init = first;
    return REEVE_OK;
}

const struct runtime run_plain = { .name = "plain", .is_there = is_there, .start = start };
