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

/* Returns field number `wanted`, counted from the state, of /proc/PID/stat: the parent, or the
 * start time in ticks since boot. Process id and start time together identify a process. 0: the
 * process does not exist or is a zombie. */
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
    rest = strrchr(bytes, ')'); /* the process name before the last ')' may contain any character */
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

/* Returns the boot id of the computer. It is recorded because process ids start again with each
 * boot. */
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

/* A recorded process. */
struct note {
    int init;
    unsigned long long init_start;
    int watcher; /* process id of its parent, liblxc's monitor process */
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

/* Returns the recorded process if a process with this id still exists and is the same process. 0:
 * it is not. */
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

    /* a process that was killed before it recorded the start may have started the machine, or the
     * machine was restarted */
    if (init == 0 && runtime->find != NULL) {
        init = runtime->find(work, machine);
        if (init != 0 && start_of(init) != 0) {
            (void)run_note(work, machine, init);
        } else { /* liblxc may report a process that has just ended, so the record is kept */
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
                           "the machine uses the runtime %s, which is no longer available",
                           runtime->name);
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

/* Waits until a process has ended. Returns false if it has not. */
static bool await_end(int process, uint64_t wait_ms)
{
    struct pollfd wait = { .fd = process, .events = POLLIN };

    return poll(&wait, 1, (int)wait_ms) == 1;
}

/* Waits until liblxc's monitor process has ended, because it removes the machine's groups. A
 * machine that is restarted earlier would lose its groups. */
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

    /* the process is still the machine's first process */
    if (process >= 0 && run_init_of(work, machine) == init) {
        (void)syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
        if (!await_end(process, GRACE_MS)) {
            (void)syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
            if (!await_end(process, END_MS)) {
                return work_refuse(work, REEVE_UNKNOWN, "", "the machine does not stop");
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
