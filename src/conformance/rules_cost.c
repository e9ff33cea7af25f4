#include "conformance/conformance_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* public names start with: rule_ */

/* Tests which resources a plugin uses, and which resources remain after its machines were
 * destroyed. */

enum {
    WARM_CALLS = 50,
    CALLS = 200,
    DESCRIPTORS_MAX = 32,
    THREADS_MAX = 16,
    LOOK_MS = 20,
    BEFORE_MS = 100,
    AFTER_MS = 5000
};

/* Sums over the processes of a group. */
struct cost {
    uint64_t processes;
    /* Number of open descriptors. If /proc does not show them, it is the size of the descriptor
     * table, which grows with them. */
    uint64_t descriptors;
    uint64_t threads;
    uint64_t bytes;
};

static uint64_t descriptors_count(const char *pid)
{
    char path[300];
    uint64_t count = 0;
    DIR *listing;

    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    listing = opendir(path);
    while (listing != NULL && readdir(listing) != NULL) {
        count++;
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return count;
}

static uint64_t number_behind(const char *line, const char *word)
{
    size_t length = strlen(word);

    return strncmp(line, word, length) == 0 ? strtoull(line + length, NULL, 10) : 0;
}

static void status_add(const char *pid, struct cost *cost)
{
    uint64_t descriptors = descriptors_count(pid);
    uint64_t room = 0;
    char line[512];
    FILE *file;

    snprintf(line, sizeof(line), "/proc/%s/status", pid);
    file = fopen(line, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        room += number_behind(line, "FDSize:");
        cost->threads += number_behind(line, "Threads:");
        cost->bytes += number_behind(line, "RssAnon:") * 1024;
    }
    if (file != NULL) {
        fclose(file);
    }
    cost->processes++;
    cost->descriptors += descriptors > 0 ? descriptors : room;
}

/* Returns whether the process runs and belongs to this group. */
static bool is_rules_cost_of_group(const char *pid, int group)
{
    char path[300];
    char state = 'Z';
    int own = 0;
    bool is_read;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    file = pid[0] >= '1' && pid[0] <= '9' ? fopen(path, "re") : NULL;
    if (file == NULL) {
        return false;
    }
    is_read = fscanf(file, "%*d %*[^)]) %c %*d %d", &state, &own) == 2;
    fclose(file);
    return is_read && own == group && state != 'Z' && state != 'X';
}

static struct cost group_cost(int group)
{
    struct cost cost = { 0 };
    DIR *processes = opendir("/proc");
    const struct dirent *entry;

    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        if (is_rules_cost_of_group(entry->d_name, group)) {
            status_add(entry->d_name, &cost);
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
    return cost;
}

/* Returns the cost at the moment with the fewest processes within `wait_ms`. It returns at once
 * when there are at most `most` processes. The sandbox has short-lived processes: one for each
 * connection, and one that counts the bytes of the folder. So the minimum is the meaningful
 * value. */
static struct cost settled_cost(struct conformance_stage *stage, int group, uint64_t most,
                                uint64_t wait_ms)
{
    struct cost least = group_cost(group);

    for (uint64_t waited = 0; least.processes > most && waited < wait_ms; waited += LOOK_MS) {
        struct cost now;

        stage_pause(stage, LOOK_MS);
        now = group_cost(group);
        if (now.processes < least.processes) {
            least = now;
        }
    }
    return least;
}

static bool calls_make(struct conformance_stage *stage, const struct conformance_machine *machine,
                       int count)
{
    for (int i = 0; i < count; i++) {
        const struct provider_row *row;
        struct conformance_reply *reply;

        if (i % 2 == 0 ? !stage_list(stage, machine->tags.cluster, &reply)
                       : !stage_find(stage, machine->tags.cluster, machine->id, &row)) {
            return false;
        }
    }
    return true;
}

static void growth_report(struct conformance_stage *stage, const struct cost *before,
                          const struct cost *after)
{
    if (after->descriptors > before->descriptors + DESCRIPTORS_MAX) {
        stage_broken(
            stage,
            "after %d calls of describe the process of the plugin has %llu descriptors more: close each descriptor on every path, also after errors",
            CALLS, (unsigned long long)(after->descriptors - before->descriptors));
    } else if (after->threads > before->threads + THREADS_MAX) {
        stage_broken(stage,
                     "after %d calls of describe the process of the plugin has %llu threads more",
                     CALLS, (unsigned long long)(after->threads - before->threads));
    } else if (after->bytes > before->bytes + LIMIT_CONFORMANCE_GROWTH_BYTES) {
        stage_broken(
            stage,
            "after %d calls of describe the process of the plugin uses %llu KiB more memory: free what you allocate, or use host->allocate, which the host frees",
            CALLS, (unsigned long long)((after->bytes - before->bytes) / 1024));
    } else if (after->processes > before->processes) {
        stage_broken(stage, "after %d calls of describe there are %llu more processes", CALLS,
                     (unsigned long long)(after->processes - before->processes));
    }
}

void rule_growth(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));
    struct cost before;
    struct cost after;
    int pid;

    if (!stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,") ||
        !calls_make(stage, machine, WARM_CALLS)) {
        return;
    }
    pid = hosted_state(stage->main).pid;
    before = settled_cost(stage, pid, 0, BEFORE_MS);
    if (!calls_make(stage, machine, CALLS)) {
        return;
    }
    after = settled_cost(stage, pid, before.processes, AFTER_MS);
    if (before.processes == 0 || after.processes == 0) {
        stage_not_tried(stage, "the process of the plugin is not visible in /proc");
        return;
    }
    growth_report(stage, &before, &after);
}

/* ---- remains ---- */

/* Tests that nothing remains. Leftovers of earlier rules were already reported by their cleanup. */
void rule_leftovers(struct conformance_stage *stage)
{
    struct text left = buf_text(&stage->used);

    if (left.length > 0) {
        stage_broken(
            stage, "after all machines of the test were destroyed, cluster %.*s still has machines",
            TEXT_ARG(text_slice(left, 0, text_find_byte(left, '\n'))));
    }
}
