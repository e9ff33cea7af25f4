#include "session_pool/processes.h"

#include "session_pool/remote.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NAME_BYTES: the names of the folders are numbers. TRIES_MAX: attempts to remove a folder. */

enum { NAME_BYTES = 24, TRIES_MAX = 1000 };

struct process {
    struct process *next;
    struct transport *transport;
    char name[NAME_BYTES];
    char *path;
};

struct session_processes {
    struct session_pool_processes_options options;
    struct arena *memory;
    const char *folder;
    int descriptor;
    uint64_t number; /* number in the name of the next folder */
    struct process *first;
};

/* ---- folders ---- */

static bool is_processes_ours(const char *name)
{
    return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

static void processes_files_remove(int folder)
{
    DIR *listing = fdopendir(folder);
    const struct dirent *file;

    while (listing != NULL && (file = readdir(listing)) != NULL) {
        (void)!unlinkat(dirfd(listing), file->d_name, 0);
    }
    if (listing != NULL) {
        closedir(listing);
    } else {
        close(folder);
    }
}

/* Removes a folder and its files. A process that is ending may still write files, including keys,
 * so the removal is repeated. */
static void folder_remove(const struct session_processes *processes, const char *name)
{
    bool is_filled = true;

    for (int i = 0; i < TRIES_MAX && is_filled; i++) {
        int folder =
            openat(processes->descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (folder < 0) {
            return;
        }
        processes_files_remove(folder);
        is_filled = unlinkat(processes->descriptor, name, AT_REMOVEDIR) != 0 && errno == ENOTEMPTY;
    }
}

static void leftovers_remove(const struct session_processes *processes)
{
    int copy = openat(processes->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (is_processes_ours(entry->d_name)) {
            folder_remove(processes, entry->d_name);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

/* ---- processes ---- */

static void process_free(struct session_processes *processes, struct process *process)
{
    folder_remove(processes, process->name);
    rows_free(process->path);
    rows_free(process);
}

MUST_CHECK static bool processes_process_make(void *arg, bool is_openssh,
                                              void (*ended)(void *arg, const char *why),
                                              void *ended_arg, struct transport **out,
                                              struct err *err)
{
    struct session_processes *processes = arg;
    struct process *process = rows_resize(NULL, sizeof(*process));
    size_t bytes = strlen(processes->folder) + NAME_BYTES + 2;
    struct remote_options options = {
        .loop = processes->options.loop,
        .log = processes->options.log,
        .program = processes->options.program,
        .is_openssh = is_openssh,
        .alive = processes->options.alive,
        .ended = ended,
        .arg = ended_arg,
    };

    *process = (struct process){ .next = processes->first, .path = rows_resize(NULL, bytes) };
    snprintf(process->name, sizeof(process->name), "%llu", (unsigned long long)processes->number++);
    snprintf(process->path, bytes, "%s/%s", processes->folder, process->name);
    options.folder = process->path;
    if (mkdirat(processes->descriptor, process->name, 0700) != 0) {
        err_set(err, CODE_R0702, "%s: %s", process->path, strerror(errno));
        process_free(processes, process);
        return false;
    }
    if (!remote_open(&options, &process->transport, err)) {
        process_free(processes, process);
        return false;
    }
    processes->first = process;
    *out = process->transport;
    return true;
}

/* Drops a process and removes its folder. The process may still be ending; no path leads to files
 * that it creates afterwards. */
static void process_drop(void *arg, struct transport *transport)
{
    struct session_processes *processes = arg;
    struct process **at = &processes->first;
    struct process *process;

    while ((*at)->transport != transport) {
        at = &(*at)->next;
    }
    process = *at;
    *at = process->next;
    transport_free(transport);
    process_free(processes, process);
}

struct session_pool_maker session_pool_processes_maker(struct session_processes *processes)
{
    return (struct session_pool_maker){ .make = processes_process_make,
                                        .drop = process_drop,
                                        .arg = processes };
}

size_t session_pool_processes_pids(const struct session_processes *processes, int *out, size_t most)
{
    size_t count = 0;

    for (const struct process *process = processes->first; process != NULL;
         process = process->next) {
        int pid = remote_pid(process->transport);

        if (pid != 0 && count < most) {
            out[count] = pid;
        }
        count += pid != 0;
    }
    return count;
}

bool session_pool_processes_open(const struct session_pool_processes_options *options,
                                 struct session_processes **out, struct err *err)
{
    AUTO(fd) descriptor = FD_NONE;
    struct session_processes *processes;
    const char *folder;
    struct arena *memory;

    if (mkdir(options->folder, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0702, "%s: %s", options->folder, strerror(errno));
    }
    if (!folder_open(options->folder, &descriptor, err) ||
        !folder_check_owner(descriptor, options->folder, err)) {
        return false;
    }
    memory = arena_new_small(SIZE_MAX);
    if (!folder_resolve(memory, options->folder, &folder, err)) {
        arena_free(memory);
        return false;
    }
    processes = arena_one(memory, struct session_processes);
    *processes = (struct session_processes){
        .options = *options, .memory = memory, .folder = folder, .descriptor = descriptor
    };
    processes->options.program = arena_string(memory, text_from(options->program));
    descriptor = FD_NONE;
    leftovers_remove(processes);
    *out = processes;
    return true;
}

void session_pool_processes_close(struct session_processes *processes)
{
    if (processes != NULL) {
        assert(processes->first == NULL);
        close(processes->descriptor);
        arena_free(processes->memory);
    }
}
