#include "run.h"

#include "cgroup.h"
#include "disk.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NOTE_BYTES = 256,
    STAT_BYTES = 4096,
    GRACE_MS = 3000,
    END_MS = 10000,
    PARENT_FIELD = 2,
    START_FIELD = 20
};

const struct runtime *run_choose(enum settings_isolation isolation)
{
    if (isolation != SETTINGS_ISOLATION_PLAIN && run_lxc.is_there()) {
        return &run_lxc;
    }
    return isolation == SETTINGS_ISOLATION_LXC ? NULL : &run_plain;
}

static const struct runtime *runtime_of(const struct machine *machine)
{
    return text_is(machine->isolation, run_lxc.name) ? &run_lxc : &run_plain;
}

static const char *note_path(struct work *work, const struct machine *machine)
{
    return work_path(work, "machines/%s/init", machine->id);
}

/* A number of /proc/PID/stat, counted from the state: its parent, or when it was started, in ticks since the
 * computer was; with its number, that is the process. 0: there is none, or it has ended and nobody has noticed
 * yet. */
static unsigned long long stat_of(pid_t pid, unsigned wanted)
{
    char path[64];
    char bytes[STAT_BYTES];
    char *rest;
    ssize_t got;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    got = read(fd, bytes, sizeof(bytes) - 1);
    (void)close(fd);
    bytes[got > 0 ? got : 0] = '\0';
    rest = strrchr(bytes, ')'); /* the name before it may hold anything */
    if (rest == NULL || strlen(rest) < 3 || rest[2] == 'Z' || rest[2] == 'X') {
        return 0;
    }
    for (unsigned field = 0; field < wanted && rest != NULL; field++) {
        rest = strchr(rest + 1, ' ');
    }
    return rest == NULL ? 0 : strtoull(rest, NULL, 10);
}

static unsigned long long start_of(pid_t pid)
{
    return stat_of(pid, START_FIELD);
}

/* Which start of the computer this is: numbers of processes begin anew with it. */
static struct text boot_of(struct work *work)
{
    struct text bytes = { 0 };

    (void)!disk_read(work->arena, "/proc/sys/kernel/random/boot_id", NOTE_BYTES, &bytes);
    return text_trim(bytes);
}

bool run_note(struct work *work, const struct machine *machine, pid_t init)
{
    pid_t watcher = (pid_t)stat_of(init, PARENT_FIELD);
    struct text note =
        arena_printf(work->arena, "%d %llu %d %llu %.*s\n", (int)init, start_of(init), (int)watcher,
                     start_of(watcher), TEXT_ARG(boot_of(work)));
    const char *part = work_path(work, "machines/%s/init.new", machine->id);

    if (!disk_write(part, note, 0600) || rename(part, note_path(work, machine)) != 0) {
        work_log(work->local, REEVE_LOG_WARNING, "event=local.note_failed machine=%s why=%s",
                 machine->id, strerror(errno));
        return false;
    }
    return true;
}

/* What was noted. */
struct note {
    int init;
    unsigned long long init_start;
    int watcher; /* its parent */
    unsigned long long watcher_start;
};

static bool read_note(struct work *work, const struct machine *machine, struct note *out)
{
    struct text bytes;
    char boot[64];

    return disk_read(work->arena, note_path(work, machine), NOTE_BYTES, &bytes) &&
           sscanf(arena_string(work->arena, bytes), "%d %llu %d %llu %63s", &out->init,
                  &out->init_start, &out->watcher, &out->watcher_start, boot) == 5 &&
           text_is(boot_of(work), boot);
}

/* The process that was noted, if it is still that one. */
static pid_t noted_init(struct work *work, const struct machine *machine)
{
    struct note note;

    return read_note(work, machine, &note) && note.init > 1 && note.init_start != 0 &&
                   start_of((pid_t)note.init) == note.init_start
               ? (pid_t)note.init
               : 0;
}

pid_t run_init_of(struct work *work, const struct machine *machine)
{
    const struct runtime *runtime = runtime_of(machine);
    pid_t init = noted_init(work, machine);

    if (init == 0 && runtime->find != NULL) { /* started by somebody who was killed, or anew */
        init = runtime->find(work, machine);
        if (init != 0 && start_of(init) != 0) {
            (void)run_note(work, machine, init);
        } else { /* liblxc names one that has ended a moment ago: what was noted of it stays */
            init = 0;
        }
    }
    return init;
}

int32_t run_start(struct work *work, const struct machine *machine)
{
    const struct runtime *runtime = runtime_of(machine);
    pid_t init = run_init_of(work, machine);
    int32_t result;

    if (init != 0) {
        return REEVE_OK;
    }
    if (!runtime->is_there()) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "the machine runs by %s, which is not there any more", runtime->name);
    }
    result = runtime->start(work, machine, &init);
    if (result == REEVE_OK) {
        assert(init > 1);
        (void)run_note(work, machine, init);
    }
    return result;
}

void run_forget(struct work *work, const char *id)
{
    if (run_lxc.forget != NULL) {
        run_lxc.forget(work, id);
    }
}

void run_sweep(struct work *work)
{
    if (run_lxc.sweep != NULL) {
        run_lxc.sweep(work);
    }
}

void run_tidy(struct work *work)
{
    if (run_lxc.tidy != NULL) {
        run_lxc.tidy(work);
    }
    cgroup_tidy(work);
}

/* Wait until a process has ended. False: it has not. */
static bool await_end(int process, uint64_t wait_ms)
{
    struct pollfd wait = { .fd = process, .events = POLLIN };

    return poll(&wait, 1, (int)wait_ms) == 1;
}

/* liblxc's process that watched the machine takes its groups away before it ends: whoever started the machine anew
 * meanwhile would lose them. */
static void await_watcher(struct work *work, const struct machine *machine)
{
    struct note note;
    AUTO(fd) process = FD_NONE;

    if (!read_note(work, machine, &note) || note.watcher <= 1 || note.watcher_start == 0) {
        return;
    }
    process = (int)syscall(SYS_pidfd_open, note.watcher, 0);
    if (process >= 0 && start_of((pid_t)note.watcher) == note.watcher_start) {
        (void)await_end(process, END_MS);
    }
}

int32_t run_stop(struct work *work, const struct machine *machine)
{
    const struct runtime *runtime = runtime_of(machine);
    pid_t init = run_init_of(work, machine);
    AUTO(fd) process = init == 0 ? FD_NONE : (int)syscall(SYS_pidfd_open, init, 0);

    if (process >= 0 && run_init_of(work, machine) == init) { /* it still is that one */
        (void)syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
        if (!await_end(process, GRACE_MS)) {
            (void)syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
            if (!await_end(process, END_MS)) {
                return work_refuse(work, REEVE_UNKNOWN, "", "the machine does not end");
            }
        }
    }
    if (runtime->settle != NULL) {
        await_watcher(work, machine);
        runtime->settle(work, machine);
    }
    (void)unlink(note_path(work, machine));
    cgroup_remove(work, machine->id);
    return REEVE_OK;
}
