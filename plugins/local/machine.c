/* The life cycle of a machine. The order of the steps permits an interruption at any point:
 *
 *   create   an address is allocated for the id (which is derived from the token); machines/.ID.new
 *            is filled and renamed to machines/ID: from here on the machine is listed; volumes,
 *            network, start
 *   destroy  meta.json records that it is going; its processes end; volumes, network, groups;
 *            machines/ID is renamed to trash/ID: from here on it is not listed; its address is
 *            released; the trash is removed
 *
 * Every step can be repeated. A create or destroy that finds machines/ID completes the missing
 * steps. The content of the trash and of .ID.new is never used. Both operations hold the machine's
 * lock. */
#include "machine.h"

#include "address.h"
#include "disk.h"
#include "id.h"
#include "image.h"
#include "lock.h"
#include "meta.h"
#include "network.h"
#include "root.h"
#include "run.h"
#include "shape.h"
#include "sys/fd.h"
#include "volume.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *token_id(struct work *work, struct text cluster, struct text token)
{
    uint64_t seed = text_hash(cluster, work->local->folder_hash);

    return arena_printf(work->arena, "%s%016llx", id_prefix(work, cluster),
                        (unsigned long long)text_hash(token, seed))
        .data;
}

/* Locks a machine. Returns -1 on failure, which is reported. */
static int lock_machine(struct work *work, const char *id)
{
    int lock = lock_take(work, id);

    if (lock < 0) {
        (void)work_refuse(work, REEVE_TRANSIENT, "",
                          "another call for this machine is active: try again");
    }
    work->machine_lock = lock;
    return lock;
}

static int32_t say_broken(struct work *work, const char *id)
{
    return work_refuse(work, REEVE_TRANSIENT, "", "%s: %m",
                       work_path(work, "machines/%s/meta.json", id));
}

/* ---- destroy ---- */

static int32_t destroy_locked(struct work *work, struct machine *machine)
{
    int32_t result;

    if (!machine->is_going) {
        machine->is_going = true;
        if (!meta_replace(work, machine)) {
            return say_broken(work, machine->id);
        }
    }
    result = run_stop(work, machine);
    if (result == REEVE_OK) {
        result = volume_detach(work, machine);
    }
    if (result == REEVE_OK) {
        result = network_detach(work, machine->id);
    }
    if (result != REEVE_OK) {
        return result;
    }
    if (!disk_remove(work_path(work, "trash/%s", machine->id)) ||
        rename(work_path(work, "machines/%s", machine->id),
               work_path(work, "trash/%s", machine->id)) != 0) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machine's files cannot be removed: %m");
    }
    run_forget(work, machine->id);
    (void)address_free(work, machine->id);
    if (!disk_remove(work_path(work, "trash/%s", machine->id))) {
        work_log(work->local, REEVE_LOG_WARNING, "event=local.trash_stays machine=%s why=%s",
                 machine->id, strerror(errno));
    }
    return network_end(work);
}

int32_t machine_destroy(struct work *work, struct text cluster, struct text id_text)
{
    const char *id = id_check(work, id_text);
    AUTO(fd) lock = FD_NONE;
    struct machine *machine = arena_one(work->arena, struct machine);

    if (id == NULL || !text_has_prefix(id_text, text_from(id_prefix(work, cluster)))) {
        return REEVE_OK; /* the id cannot be a machine of this plugin, so no such machine exists */
    }
    lock = lock_machine(work, id);
    if (lock < 0) {
        return REEVE_TRANSIENT;
    }
    if (meta_read(work, id, machine)) {
        return destroy_locked(work, machine);
    }
    if (errno != ENOENT) {
        return say_broken(work, id);
    }
    if (!disk_remove(work_path(work, "machines/.%s.new", id)) ||
        !disk_remove(work_path(work, "trash/%s", id)) || !address_free(work, id)) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machine's files cannot be removed: %m");
    }
    return network_end(work);
}

/* ---- create ---- */

/* A create request and its state. */
struct making {
    const struct reeve_wish_v1 *request;
    struct shape shape;
    struct machine machine;
};

/* Sets the machine's properties, except its address. */
static int32_t plan_machine(struct work *work, struct making *making)
{
    const struct reeve_wish_v1 *request = making->request;
    struct machine *machine = &making->machine;
    const struct shape *shape = &making->shape;

    if (request->tag_count > MACHINE_TAGS_MAX) {
        return work_refuse(work, REEVE_INVALID, "", "a machine has at most %d tags",
                           MACHINE_TAGS_MAX);
    }
    machine->cluster = work_text(request->cluster);
    machine->token = work_text(request->token);
    machine->name = work_text(request->name);
    machine->zone = work_text(request->zone);
    machine->labels = work_text(request->labels);
    machine->isolation = text_from(work->local->runtime->name);
    machine->image = shape->image;
    machine->is_host = image_is_host(shape->image);
    machine->user = shape->user;
    machine->cpus_milli = shape->cpus_milli;
    machine->memory_bytes = shape->memory_bytes;
    machine->tag_count = request->tag_count;
    for (size_t i = 0; i < request->tag_count; i++) {
        machine->tags[i] = request->tags[i];
    }
    machine->volume_count = shape->volume_count;
    memcpy(machine->volumes, shape->volumes, sizeof(machine->volumes));
    for (size_t i = 0; i < machine->volume_count; i++) {
        machine->volumes[i].key = volume_key(work, machine, &machine->volumes[i]);
    }
    return REEVE_OK;
}

/* Returns whether the text is valid in liblxc's configuration and as a host name. */
static bool is_host_name(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || ((byte == '-' || byte == '.') && i > 0))) {
            return false;
        }
    }
    return name.length > 0 && name.length <= 63;
}

/* Creates machines/ID with everything that the first start needs. */
static int32_t make_folder(struct work *work, struct making *making)
{
    struct machine *machine = &making->machine;
    const char *part = arena_printf(work->arena, ".%s.new", machine->id).data;

    machine->address = address_claim(work, machine->id);
    if (machine->address == 0) {
        return errno == EADDRNOTAVAIL
                   ? work_refuse(work, REEVE_QUOTA, "",
                                 "all addresses of %s/%u are in use: give the plugin a wider range "
                                 "in its settings, network.cidr",
                                 settings_address(work->arena, work->local->settings.range.first),
                                 work->local->settings.range.prefix)
                   : work_refuse(work, REEVE_TRANSIENT, "", "no address can be reserved: %m");
    }
    /* the record is synced before the folder is renamed, so a machine's folder is readable after a
     * power loss; the power loss may undo the rename, but then it has also stopped the machine */
    if (!disk_remove(work_path(work, "machines/%s", part)) ||
        !root_prepare(work, part, machine, making->shape.ssh_key, making->request) ||
        !disk_write_synced(work_path(work, "machines/%s/meta.json", part),
                           meta_format(work, machine), 0600) ||
        rename(work_path(work, "machines/%s", part), work_path(work, "machines/%s", machine->id)) !=
            0) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the machine's files cannot be made: %m");
    }
    return REEVE_OK;
}

/* Sets up the machine's environment and starts it. Can be repeated. */
static int32_t bring_up(struct work *work, const struct machine *machine)
{
    int32_t result = volume_attach(work, machine);

    if (result == REEVE_OK) {
        result = network_attach(work, machine);
    }
    return result == REEVE_OK ? run_start(work, machine) : result;
}

/* Creates a machine for which nothing exists yet. Requires its lock. On failure all steps are
 * undone, so that "nothing was created" is true for a refusal. */
static int32_t create_new(struct work *work, struct making *making)
{
    int32_t result = plan_machine(work, making);

    if (result == REEVE_OK) {
        result = make_folder(work, making);
    }
    if (result != REEVE_OK) {
        (void)disk_remove(work_path(work, "machines/.%s.new", making->machine.id));
        (void)address_free(work, making->machine.id);
        (void)network_end(work);
        return result;
    }
    result = bring_up(work, &making->machine);
    if (result != REEVE_OK && destroy_locked(work, &making->machine) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    return result;
}

static int32_t create_locked(struct work *work, struct making *making, const char *id)
{
    struct machine *there = arena_one(work->arena, struct machine);

    if (meta_read(work, id, there)) {
        if (!text_is_equal(there->token, making->machine.token)) {
            return work_refuse(work, REEVE_INVALID, "", "another token has the same id %s", id);
        }
        if (!there->is_going) {
            int32_t result = bring_up(work, there);

            return result == REEVE_OK ? result
                                      : REEVE_UNKNOWN; /* the machine remains and is listed */
        }
        if (destroy_locked(work, there) != REEVE_OK) {
            return REEVE_UNKNOWN;
        }
    } else if (errno != ENOENT) {
        return say_broken(work, id);
    }
    return create_new(work, making);
}

int32_t machine_create(struct work *work, const struct reeve_wish_v1 *request)
{
    struct making *making = arena_one(work->arena, struct making);
    const char *layer = NULL;
    AUTO(fd) lock = FD_NONE;
    int32_t result;

    making->request = request;
    if (!is_host_name(work_text(request->name))) {
        return work_refuse(work, REEVE_INVALID, "", "the machine's name does not fit a host");
    }
    result = shape_read(work, &making->shape);
    if (result == REEVE_OK) {
        result = root_check(work);
    }
    if (result == REEVE_OK) {
        result = image_ensure(work, making->shape.image, &layer);
    }
    if (result != REEVE_OK) {
        return result;
    }
    making->machine.id = token_id(work, work_text(request->cluster), work_text(request->token));
    making->machine.token = work_text(request->token);
    making->machine.layer = text_from(layer);
    lock = lock_machine(work, making->machine.id);
    if (lock < 0) {
        return REEVE_TRANSIENT;
    }
    result = create_locked(work, making, making->machine.id);
    if (result == REEVE_OK) {
        work->local->host->made(work->call, work_answer(text_from(making->machine.id)));
    }
    return result;
}

/* ---- label, reboot ---- */

/* Reads the machine of a call and locks it. Returns GONE if the machine does not exist. */
static int32_t take_machine(struct work *work, struct text cluster, struct text id_text,
                            struct machine *out, int *out_lock)
{
    const char *id = id_check(work, id_text);

    if (id == NULL) {
        return work_refuse(work, REEVE_GONE, "", "there is no such machine");
    }
    *out_lock = lock_machine(work, id);
    if (*out_lock < 0) {
        return REEVE_TRANSIENT;
    }
    if (!meta_read(work, id, out)) {
        return errno == ENOENT ? work_refuse(work, REEVE_GONE, "", "there is no such machine")
                               : say_broken(work, id);
    }
    if (out->is_going || !text_is_equal(out->cluster, cluster)) {
        return work_refuse(work, REEVE_GONE, "", "the machine is being destroyed");
    }
    return REEVE_OK;
}

int32_t machine_label(struct work *work, struct text cluster, struct text id, struct text labels)
{
    struct machine *machine = arena_one(work->arena, struct machine);
    AUTO(fd) lock = FD_NONE;
    int32_t result = take_machine(work, cluster, id, machine, &lock);

    if (result != REEVE_OK) {
        return result;
    }
    machine->labels = labels;
    return meta_replace(work, machine) ? REEVE_OK : say_broken(work, machine->id);
}

int32_t machine_reboot(struct work *work, struct text cluster, struct text id)
{
    struct machine *machine = arena_one(work->arena, struct machine);
    AUTO(fd) lock = FD_NONE;
    int32_t result = take_machine(work, cluster, id, machine, &lock);

    if (result == REEVE_OK) {
        result = run_stop(work, machine);
    }
    if (result == REEVE_OK) {
        result = bring_up(work, machine);
        /* the machine is stopped in both cases */
        result = result == REEVE_OK ? result : REEVE_UNKNOWN;
    }
    return result;
}

/* ---- sweep ---- */

void machine_sweep(struct work *work)
{
    DIR *entries = opendir(work_path(work, "trash"));
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        AUTO(fd) lock = entry->d_name[0] == '.' ? FD_NONE : lock_try(work, entry->d_name);

        if (lock >= 0) {
            (void)disk_remove(work_path(work, "trash/%s", entry->d_name));
            (void)address_free(work, entry->d_name);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    entries = opendir(work_path(work, "machines"));
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        struct text name = text_from(entry->d_name);

        if (text_has_prefix(name, TEXT(".")) && text_has_suffix(name, TEXT(".new"))) {
            const char *id = arena_string(work->arena, text_slice(name, 1, name.length - 5));
            AUTO(fd) lock = lock_try(work, id);

            if (lock >= 0) {
                (void)disk_remove(work_path(work, "machines/%s", entry->d_name));
            }
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}
