#include "host/sandbox_group.h"

#include "base/mem.h"
#include "sys/fd.h"
#include "sys/launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "reeve-host-"

enum { LINE_BYTES = 1024 };

static const char *const controllers[SANDBOX_GROUPS] = { "memory", "pids" };
static const char *const bounds_first[SANDBOX_GROUPS] = { "memory.limit_in_bytes", "pids.max" };
static const char *const bounds_second[SANDBOX_GROUPS] = { "memory.max", "pids.max" };

/* ---- paths of groups ---- */

/* Returns whether a comma-separated list contains this word. */
static bool has_sandbox_group_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Finds the path of this process's group in the hierarchy of the controller. The controller ""
 * means cgroup version 2. */
static bool own_find(const char *controller, char out[static LINE_BYTES])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[LINE_BYTES];
    bool is_found = false;

    while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL) {
        char *words = strchr(line, ':');
        char *path = words == NULL ? NULL : strchr(words + 1, ':');

        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        is_found = controller[0] == '\0' ? words[1] == '\0'
                                         : has_sandbox_group_word(words + 1, controller);
        if (is_found) {
            snprintf(out, LINE_BYTES, "%s", path);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_found;
}

/* Finds the mount point of this controller's hierarchy, and the group that is the root of the
 * mount. */
static bool mount_find(const char *controller, char root[static LINE_BYTES],
                       char place[static LINE_BYTES])
{
    const char *kind = controller[0] == '\0' ? "cgroup2" : "cgroup";
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[LINE_BYTES];
    bool is_found = false;

    while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL) {
        char type[32];
        char options[LINE_BYTES];
        const char *rest = strstr(line, " - ");

        is_found = rest != NULL && sscanf(line, "%*s %*s %*s %1023s %1023s", root, place) == 2 &&
                   sscanf(rest, " - %31s %*s %1023s", type, options) == 2 &&
                   strcmp(type, kind) == 0 &&
                   (controller[0] == '\0' || has_sandbox_group_word(options, controller));
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_found;
}

static bool folder_find(const char *controller, char out[static LIMIT_PATH_BYTES])
{
    char own[LINE_BYTES];
    char root[LINE_BYTES];
    char place[LINE_BYTES];
    const char *below = own;
    int length;

    if (!own_find(controller, own) || !mount_find(controller, root, place)) {
        return false;
    }
    if (strcmp(root, "/") != 0 && strncmp(own, root, strlen(root)) == 0) {
        below = own + strlen(root);
    }
    length = snprintf(out, LIMIT_PATH_BYTES, "%s%s", place, strcmp(below, "/") == 0 ? "" : below);
    return length > 0 && length < LIMIT_PATH_BYTES - 64;
}

/* ---- files of groups ---- */

static bool sandbox_group_word_write(const char *folder, const char *name, const char *word)
{
    char path[LIMIT_PATH_BYTES + 64];
    AUTO(fd) file = FD_NONE;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = open(path, O_WRONLY | O_CLOEXEC);
    return file >= 0 && write(file, word, strlen(word)) == (ssize_t)strlen(word);
}

/* Removes cgroups of managers that have ended, for example by SIGKILL. If a cgroup still has
 * processes, the kernel keeps it. */
static void dead_sweep(const char *above)
{
    DIR *listing = opendir(above);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        long manager;

        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0) {
            continue;
        }
        manager = strtol(entry->d_name + strlen(PREFIX), NULL, 10);
        if (manager > 0 && kill((pid_t)manager, 0) != 0 && errno == ESRCH) {
            (void)!unlinkat(dirfd(listing), entry->d_name, AT_REMOVEDIR);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

/* Creates a group with one limit. If the limit cannot be set, removes the group again. */
static bool sandbox_group_make(const char *above, const char *bound, uint64_t most, uint64_t number,
                               char out[static LIMIT_PATH_BYTES])
{
    char word[32];
    bool is_new;
    int length;

    dead_sweep(above);
    length = snprintf(out, LIMIT_PATH_BYTES, "%s/" PREFIX "%d-%llu", above, getpid(),
                      (unsigned long long)number);
    snprintf(word, sizeof(word), "%llu", (unsigned long long)most);
    if (length < LIMIT_PATH_BYTES) {
        is_new = mkdir(out, 0755) == 0; /* in version 2, both limits are set in one group */
        if ((is_new || errno == EEXIST) && sandbox_group_word_write(out, bound, word)) {
            return true;
        }
        if (is_new) {
            (void)!rmdir(out);
        }
    }
    out[0] = '\0';
    return false;
}

/* ---- operations ---- */

static void group_make_here(const struct sandbox_group_options *options, struct sandbox_group *out)
{
    const uint64_t most[SANDBOX_GROUPS] = { options->memory_bytes, options->processes_max };
    unsigned made = 0;

    *out = (struct sandbox_group){ .pid = options->pid, .why = "in force" };
    for (int i = 0; i < SANDBOX_GROUPS; i++) {
        uint64_t number = (uint64_t)options->pid;
        char above[LIMIT_PATH_BYTES];

        if ((folder_find(controllers[i], above) &&
             sandbox_group_make(above, bounds_first[i], most[i], number, out->folders[i])) ||
            (folder_find("", above) &&
             sandbox_group_make(above, bounds_second[i], most[i], number, out->folders[i]))) {
            made |= 1u << i;
        }
    }
    if (made != (1u << SANDBOX_GROUPS) - 1) {
        snprintf(
            out->why, sizeof(out->why),
            "missing: no control group for %s may be made below the manager's (Delegate=yes of "
            "its service)",
            made == 0   ? "memory and processes"
            : made == 1 ? "processes"
                        : "memory");
    }
}

static void group_add_here(struct sandbox_group *group)
{
    char word[32];

    snprintf(word, sizeof(word), "%d", group->pid);
    for (int i = 0; i < SANDBOX_GROUPS; i++) {
        if (group->folders[i][0] != '\0' &&
            !sandbox_group_word_write(group->folders[i], "cgroup.procs", word)) {
            snprintf(group->why, sizeof(group->why),
                     "missing: the process cannot be put into a control group: %s",
                     strerror(errno));
        }
    }
}

static bool group_remove_here(struct sandbox_group *group)
{
    bool is_gone = true;

    for (int i = 0; i < SANDBOX_GROUPS; i++) {
        if (group->folders[i][0] != '\0') {
            if (rmdir(group->folders[i]) != 0 && errno == EBUSY) {
                is_gone = false;
            } else {
                group->folders[i][0] = '\0';
            }
        }
    }
    return is_gone;
}

/* ---- in the launcher ---- */

/* A request of the manager to the launcher about groups. It has only numbers; the launcher knows
 * the paths. */
struct group_question {
    struct sandbox_group_options options;
    bool is_gone;                      /* answer to SANDBOX_CALL_GROUP_REMOVE */
    char why[SANDBOX_GROUP_WHY_BYTES]; /* answer to SANDBOX_CALL_GROUP_GIVE */
};

_Static_assert(sizeof(struct group_question) <= LAUNCHER_CALL_BYTES, "it fits into one call");

/* The groups that this launcher has created, at most one for each running plugin. */
static struct {
    struct sandbox_group *rows;
    size_t count;
} launched_groups;

void sandbox_group_give_serve(void *data, size_t bytes)
{
    struct group_question *question = data;
    struct sandbox_group *group;

    if (bytes != sizeof(*question) || question->options.pid <= 1) {
        return;
    }
    launched_groups.rows = rows_resize(launched_groups.rows,
                                       (launched_groups.count + 1) * sizeof(struct sandbox_group));
    group = &launched_groups.rows[launched_groups.count++];
    group_make_here(&question->options, group);
    group_add_here(group);
    memcpy(question->why, group->why, sizeof(question->why));
}

void sandbox_group_remove_serve(void *data, size_t bytes)
{
    struct group_question *question = data;

    if (bytes != sizeof(*question)) {
        return;
    }
    question->is_gone = true;
    for (size_t i = 0; i < launched_groups.count; i++) {
        struct sandbox_group *group = &launched_groups.rows[i];

        if (group->pid == question->options.pid) {
            question->is_gone = group_remove_here(group);
            if (question->is_gone) {
                *group = launched_groups.rows[--launched_groups.count];
            }
            return;
        }
    }
}

/* ---- in the process that starts others ---- */

void sandbox_group_give(const struct sandbox_group_options *options, struct sandbox_group *out)
{
    struct group_question question = { .options = *options };

    if (launcher_call(SANDBOX_CALL_GROUP_GIVE, &question, sizeof(question))) {
        *out = (struct sandbox_group){ .pid = options->pid, .is_launched = true };
        memcpy(out->why, question.why, sizeof(out->why));
        out->why[sizeof(out->why) - 1] = '\0';
        return;
    }
    group_make_here(options, out);
    group_add_here(out);
}

bool sandbox_group_remove(struct sandbox_group *group)
{
    struct group_question question = { .options = { .pid = group->pid }, .is_gone = true };

    if (!group->is_launched) {
        return group_remove_here(group);
    }
    (void)!launcher_call(SANDBOX_CALL_GROUP_REMOVE, &question, sizeof(question));
    return question.is_gone;
}
