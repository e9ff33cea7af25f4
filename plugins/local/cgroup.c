#include "cgroup.h"

#include "disk.h"
#include "sys/fd.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOUNTS_BYTES = 4 * 1024 * 1024, NEST = 4, REMOVE_TRIES = 400 };

static const char *const names[CGROUP_CONTROLLER_COUNT] = { "memory", "cpu", "pids", "devices" };

/* Returns whether the list, separated by commas or blanks, has this word. */
static bool has_word(struct text words, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; i + length <= words.length; i++) {
        bool begins = i == 0 || strchr(", \n", words.data[i - 1]) != NULL;
        bool ends = i + length == words.length || strchr(", \n", words.data[i + length]) != NULL;

        if (begins && ends && memcmp(words.data + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads a line of /proc/self/mounts: "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0". */
static void read_mount(struct arena *arena, char *line, struct cgroups *out)
{
    char *rest = NULL;
    const char *source = strtok_r(line, " ", &rest);
    const char *path = strtok_r(NULL, " ", &rest);
    const char *kind = strtok_r(NULL, " ", &rest);
    const char *options = strtok_r(NULL, " ", &rest);
    bool is_second = kind != NULL && strcmp(kind, "cgroup2") == 0;
    struct text words = text_from(options);

    if (source == NULL || options == NULL || out->mount_count == CGROUP_MOUNTS_MAX ||
        (!is_second && strcmp(kind, "cgroup") != 0)) {
        return;
    }
    path = arena_string(arena, text_from(path));
    out->mounts[out->mount_count++] = path;
    if (is_second && !disk_read(arena, arena_printf(arena, "%s/cgroup.controllers", path).data,
                                MOUNTS_BYTES, &words)) {
        return;
    }
    for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
        if (out->path[i] == NULL && has_word(words, names[i])) {
            out->path[i] = path;
            out->version[i] = is_second ? CGROUP_VERSION_2 : CGROUP_VERSION_1;
        }
    }
}

void cgroup_read(struct arena *arena, struct cgroups *out)
{
    struct text bytes;
    char *rest = NULL;

    *out = (struct cgroups){ 0 };
    if (!disk_read(arena, "/proc/self/mounts", MOUNTS_BYTES, &bytes)) {
        return;
    }
    for (char *line = strtok_r(arena_string(arena, bytes), "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        read_mount(arena, line, out);
    }
}

bool cgroup_has(const struct cgroups *cgroups, enum cgroup_controller controller)
{
    return cgroups->path[controller] != NULL;
}

/* Writes a word to a kernel file with one write. */
static bool set(struct work *work, const char *folder, const char *file, const char *word)
{
    AUTO(fd) fd = open(arena_printf(work->arena, "%s/%s", folder, file).data, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, word, strlen(word)) == (ssize_t)strlen(word);
}

/* Creates the machine's folder in a controller's hierarchy. Returns NULL on failure. */
static const char *make_folder(struct work *work, const struct cgroups *cgroups,
                               enum cgroup_controller controller, const char *id)
{
    const char *top = cgroups->path[controller];
    const char *ours = arena_printf(work->arena, "%s/reeve-local", top).data;
    const char *folder = arena_printf(work->arena, "%s/%s", ours, id).data;
    const char *word = arena_printf(work->arena, "+%s", names[controller]).data;

    if (cgroups->version[controller] == CGROUP_VERSION_2) {
        (void)set(work, top, "cgroup.subtree_control", word);
    }
    if (!disk_folder(ours, 0755)) {
        return NULL;
    }
    if (cgroups->version[controller] == CGROUP_VERSION_2) {
        (void)set(work, ours, "cgroup.subtree_control", word);
    }
    return disk_folder(folder, 0755) ? folder : NULL;
}

/* Denies all devices, but permits creating nodes and using the common devices. Works only with
 * version 1. Version 2 requires a BPF program, which only liblxc has, not the plain runtime. */
static bool set_devices(struct work *work, const char *folder)
{
    static const char *const allowed[] = { "c *:* m",   "b *:* m",   "c 1:3 rwm",  "c 1:5 rwm",
                                           "c 1:7 rwm", "c 1:8 rwm", "c 1:9 rwm",  "c 5:0 rwm",
                                           "c 5:1 rwm", "c 5:2 rwm", "c 136:* rwm" };

    if (!set(work, folder, "devices.deny", "a")) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(allowed); i++) {
        if (!set(work, folder, "devices.allow", allowed[i])) {
            return false;
        }
    }
    return true;
}

static bool set_limit(struct work *work, const struct cgroups *cgroups,
                      enum cgroup_controller controller, const struct machine *machine,
                      const char *folder)
{
    struct arena *arena = work->arena;
    bool is_second = cgroups->version[controller] == CGROUP_VERSION_2;
    long long quota = machine->cpus_milli * (CGROUP_PERIOD_US / 1000);

    switch (controller) {
    case CGROUP_MEMORY:
        return machine->memory_bytes == 0 ||
               set(work, folder, is_second ? "memory.max" : "memory.limit_in_bytes",
                   arena_printf(arena, "%llu", (unsigned long long)machine->memory_bytes).data);
    case CGROUP_CPU:
        return machine->cpus_milli == 0 ||
               (is_second ? set(work, folder, "cpu.max",
                                arena_printf(arena, "%lld %d", quota, CGROUP_PERIOD_US).data)
                          : set(work, folder, "cpu.cfs_quota_us",
                                arena_printf(arena, "%lld", quota).data));
    case CGROUP_PIDS:
        return set(work, folder, "pids.max", arena_printf(arena, "%d", CGROUP_TASKS_MAX).data);
    case CGROUP_DEVICES:
        return is_second || set_devices(work, folder);
    case CGROUP_CONTROLLER_COUNT:
        break;
    }
    assert(controller < CGROUP_CONTROLLER_COUNT);
    return false;
}

bool cgroup_enter(struct work *work, const struct machine *machine, pid_t pid)
{
    const char *word = arena_printf(work->arena, "%d", (int)pid).data;
    struct cgroups cgroups;

    cgroup_read(work->arena, &cgroups);
    for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
        enum cgroup_controller controller = (enum cgroup_controller)i;
        const char *folder;

        if (!cgroup_has(&cgroups, controller)) {
            continue;
        }
        folder = make_folder(work, &cgroups, controller, machine->id);
        if (folder == NULL || !set_limit(work, &cgroups, controller, machine, folder) ||
            !set(work, folder, "cgroup.procs", word)) {
            return false;
        }
    }
    return true;
}

/* Removes a group and the subgroups that a machine's root has created. */
static bool remove_group(struct arena *arena, const char *path, unsigned depth)
{
    DIR *entries;
    const struct dirent *entry;

    if (rmdir(path) == 0 || errno == ENOENT || depth == 0) {
        return true;
    }
    entries = opendir(path);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
            (void)remove_group(arena, arena_printf(arena, "%s/%s", path, entry->d_name).data,
                               depth - 1);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return rmdir(path) == 0;
}

/* Removes a group, with retries because its processes may still be ending. */
static void remove_patiently(struct arena *arena, const char *path)
{
    for (unsigned i = 0; i < REMOVE_TRIES && !remove_group(arena, path, NEST); i++) {
        work_rest(5);
    }
}

void cgroup_remove(struct work *work, const char *id)
{
    struct arena *arena = work->arena;
    struct cgroups cgroups;

    cgroup_read(arena, &cgroups);
    for (size_t i = 0; i < cgroups.mount_count; i++) {
        const char *ours = arena_printf(arena, "%s/reeve-local", cgroups.mounts[i]).data;

        remove_patiently(arena, arena_printf(arena, "%s/%s", ours, id).data);
        remove_patiently(arena, arena_printf(arena, "%s/%s.monitor", ours, id).data);
    }
}

void cgroup_tidy(struct work *work)
{
    struct cgroups cgroups;

    cgroup_read(work->arena, &cgroups);
    for (size_t i = 0; i < cgroups.mount_count; i++) {
        const char *ours = arena_printf(work->arena, "%s/reeve-local", cgroups.mounts[i]).data;

        /* liblxc's monitor processes enter the group "pivot" before they end, and create it if it
         * is missing; so it is removed whenever it is empty, even if groups of machines remain */
        (void)remove_group(work->arena, arena_printf(work->arena, "%s/pivot", ours).data, NEST);
        (void)rmdir(ours);
    }
}
