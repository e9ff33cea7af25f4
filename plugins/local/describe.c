/* Determines the state of machines from their files and the kernel's list of processes, without
 * starting a process. The root user of a machine can write files in its layer, so these files are
 * read without following links, and affect only that machine. */
#include "base/buf.h"
#include "cgroup.h"
#include "codec/json.h"
#include "disk.h"
#include "id.h"
#include "lock.h"
#include "machine.h"
#include "meta.h"
#include "root.h"
#include "run.h"
#include "volume.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum { DONE_BYTES = 64, KEY_BYTES = 1024 };

static const char done_name[] = "var/lib/reeve/done";
static const char key_name[] = "etc/ssh/ssh_host_ed25519_key.pub";

/* Returns the result of the first start, which reeve-init has written. -1: it has not ended. */
static int64_t first_start_of(struct work *work, const struct machine *machine)
{
    struct text bytes;
    int64_t answer;

    return disk_read_beneath(work->arena, root_upper(work, machine), done_name, DONE_BYTES,
                             &bytes) &&
                   text_parse_int64(text_trim(bytes), &answer) && answer >= 0
               ? answer
               : -1;
}

static int32_t state_of(struct work *work, const struct machine *machine, pid_t init,
                        int64_t first_start)
{
    if (machine->is_going) {
        return init != 0 || lock_is_taken(work, machine->id) ? REEVE_STOPPING : REEVE_STOPPED;
    }
    if (init == 0) { /* the machine is starting, or is not running */
        return lock_is_taken(work, machine->id) ? REEVE_PENDING : REEVE_STOPPED;
    }
    return first_start < 0 ? REEVE_PENDING : REEVE_RUNNING;
}

static struct doc describe_volumes(struct work *work, const struct machine *machine)
{
    struct doc *items = arena_array(work->arena, struct doc, machine->volume_count);

    for (size_t i = 0; i < machine->volume_count; i++) {
        const struct machine_volume *volume = &machine->volumes[i];
        struct text target =
            arena_printf(work->arena, "/%.*s", TEXT_ARG(volume_target(work, volume)));
        struct doc_builder builder;

        doc_builder_init(&builder, work->arena);
        doc_builder_put(&builder, "name", doc_text(volume->name, NULL));
        doc_builder_put(&builder, "id", doc_text(volume->key, NULL));
        doc_builder_put(&builder, "mount", doc_text(target, NULL));
        doc_builder_put(&builder, "keep", doc_text(text_from(meta_keep_name(volume->keep)), NULL));
        doc_builder_put(
            &builder, "kind",
            doc_text(volume_is_disk(work, volume) ? TEXT("disk") : TEXT("folder"), NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, machine->volume_count, NULL);
}

/* Returns the limits that are in force: the requested ones for which this computer has a control
 * group. */
static struct doc describe_limits(struct work *work, const struct machine *machine,
                                  const struct cgroups *cgroups)
{
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    if (machine->cpus_milli > 0) {
        doc_builder_put(&builder, "cpus",
                        doc_text(cgroup_has(cgroups, CGROUP_CPU)
                                     ? arena_printf(work->arena, "%lld.%03lld",
                                                    (long long)machine->cpus_milli / 1000,
                                                    (long long)machine->cpus_milli % 1000)
                                     : TEXT("none: this computer has no cpu control group"),
                                 NULL));
    }
    if (machine->memory_bytes > 0) {
        doc_builder_put(
            &builder, "memory",
            cgroup_has(cgroups, CGROUP_MEMORY)
                ? doc_int(work->arena, (int64_t)machine->memory_bytes, NULL)
                : doc_text(TEXT("none: this computer has no memory control group"), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static struct text describe_properties(struct work *work, const struct machine *machine, pid_t init,
                                       int64_t first_start, const struct cgroups *cgroups)
{
    struct doc_builder builder;
    struct text key;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "image", doc_text(machine->layer, NULL));
    doc_builder_put(&builder, "isolation", doc_text(machine->isolation, NULL));
    doc_builder_put(&builder, "user", doc_text(machine->user, NULL));
    doc_builder_put(&builder, "limits", describe_limits(work, machine, cgroups));
    if (init != 0) {
        doc_builder_put(&builder, "pid", doc_int(work->arena, init, NULL));
    }
    if (first_start >= 0) {
        doc_builder_put(&builder, "firstStart", doc_int(work->arena, first_start, NULL));
    }
    if (machine->volume_count > 0) {
        doc_builder_put(&builder, "volumes", describe_volumes(work, machine));
    }
    if (disk_read_beneath(work->arena, root_upper(work, machine), key_name, KEY_BYTES, &key) &&
        text_is_visible(text_trim(key))) {
        doc_builder_put(&builder, "hostKey", doc_text(text_trim(key), NULL));
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, work->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void describe_one(struct work *work, const struct machine *machine,
                         const struct cgroups *cgroups)
{
    pid_t init = run_init_of(work, machine);
    int64_t first_start = first_start_of(work, machine);
    const char *address = settings_address(work->arena, machine->address);
    struct reeve_row_v1 row = {
        .struct_size = sizeof(row),
        .tag_count = (uint32_t)machine->tag_count,
        .tags = machine->tags,
        .id = work_answer(text_from(machine->id)),
        .state = state_of(work, machine, init, first_start),
        .address = work_answer(text_from(address)),
        .zone = work_answer(machine->zone),
        .properties = work_answer(describe_properties(work, machine, init, first_start, cgroups)),
    };

    work->local->host->row(work->call, &row);
}

/* Describes a machine, which may disappear in the meantime. If a machine cannot be read, the
 * listing is marked as incomplete, because omitting the machine would mean that it no longer
 * exists. */
static void describe_id(struct work *work, const char *id, struct text cluster,
                        const struct cgroups *cgroups)
{
    struct arena_mark mark = arena_mark(work->arena);
    struct machine *machine = arena_one(work->arena, struct machine);

    if (meta_read(work, id, machine)) {
        if (text_is_equal(machine->cluster, cluster)) {
            describe_one(work, machine, cgroups);
        }
    } else if (errno != ENOENT) {
        work_log(work->local, REEVE_LOG_WARNING, "event=local.unreadable machine=%s why=%s", id,
                 strerror(errno));
        work->local->host->incomplete(work->call);
    }
    arena_rewind(work->arena, mark);
}

int32_t machine_describe(struct work *work, const struct reeve_query_v1 *query)
{
    struct text cluster = work_text(query->cluster);
    struct text prefix = text_from(id_prefix(work, cluster));
    struct cgroups cgroups;
    DIR *entries;
    const struct dirent *entry;

    cgroup_read(work->arena, &cgroups);
    for (uint32_t i = 0; i < query->id_count; i++) {
        const char *id = id_check(work, work_text(query->ids[i]));

        if (id != NULL && text_has_prefix(text_from(id), prefix)) {
            describe_id(work, id, cluster, &cgroups);
        }
    }
    if (query->id_count > 0) {
        return REEVE_OK;
    }
    entries = opendir(work_path(work, "machines"));
    if (entries == NULL) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machines cannot be listed: %m");
    }
    while ((entry = readdir(entries)) != NULL) {
        if (text_has_prefix(text_from(entry->d_name), prefix)) {
            describe_id(work, entry->d_name, cluster, &cgroups);
        }
    }
    (void)closedir(entries);
    return REEVE_OK;
}
