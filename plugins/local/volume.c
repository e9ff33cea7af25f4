#include "volume.h"

#include "disk.h"
#include "lock.h"
#include "program.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOP_TRIES = 64, HOLDER_BYTES = 256, MAKING_MS = 120 * 1000 };

/* Returns a tag of the machine; empty: none. */
static struct text tag_of(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->tag_count; i++) {
        if (text_is(work_text(machine->tags[i].name), name)) {
            return work_text(machine->tags[i].value);
        }
    }
    return (struct text){ 0 };
}

struct text volume_key(struct work *work, const struct machine *machine,
                       const struct machine_volume *volume)
{
    struct text slot = tag_of(machine, "reeve.logical_id");
    uint64_t hash = text_hash(machine->cluster, 0);

    if (slot.length == 0) {
        slot = tag_of(machine, "reeve.slot");
    }
    if (volume->keep == MACHINE_KEEP_NODE || slot.length == 0) {
        return arena_printf(work->arena, "%s-%.*s", machine->id, TEXT_ARG(volume->name));
    }
    hash = text_hash(slot, text_hash(tag_of(machine, "reeve.group"), hash));
    return arena_printf(work->arena, "slot-%016llx-%.*s", (unsigned long long)hash,
                        TEXT_ARG(volume->name));
}

const char *volume_path(struct work *work, const struct machine_volume *volume)
{
    return work_path(work, "volumes/%.*s/data", TEXT_ARG(volume->key));
}

struct text volume_target(struct work *work, const struct machine_volume *volume)
{
    return volume->mount.length > 0
               ? text_slice(volume->mount, 1, volume->mount.length)
               : arena_printf(work->arena, "volumes/%.*s", TEXT_ARG(volume->name));
}

bool volume_is_disk(struct work *work, const struct machine_volume *volume)
{
    return disk_is_there(work_path(work, "volumes/%.*s/disk", TEXT_ARG(volume->key)));
}

/* Returns whether the folder is a mount point. */
static bool is_mounted(const char *path)
{
    struct stat inner;
    struct stat outer;
    char above[4096];
    size_t length = strlen(path);

    if (length + 4 > sizeof(above)) {
        return false;
    }
    memcpy(above, path, length);
    memcpy(above + length, "/..", 4);
    return stat(path, &inner) == 0 && stat(above, &outer) == 0 && inner.st_dev != outer.st_dev;
}

/* Opens a loop device for the file. The kernel frees the device after its last use. Returns -1 if
 * there is none. */
static int open_loop(const char *file, char *out_path, size_t out_bytes)
{
    AUTO(fd) control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    AUTO(fd) disk = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR };

    if (control < 0 || disk < 0) {
        return -1;
    }
    config.fd = (uint32_t)disk;
    for (unsigned i = 0; i < LOOP_TRIES; i++) { /* another process may take the free device first */
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        int device;

        if (number < 0) {
            return -1;
        }
        (void)snprintf(out_path, out_bytes, "/dev/loop%d", number);
        device = open(out_path, O_RDWR | O_CLOEXEC);
        if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) == 0) {
            return device;
        }
        if (device < 0 || errno != EBUSY) {
            fd_cleanup(&device);
            return -1;
        }
        fd_cleanup(&device);
        work_rest(2);
    }
    errno = EBUSY;
    return -1;
}

static bool mount_disk(const char *file, const char *data)
{
    char device[64];
    AUTO(fd) loop = open_loop(file, device, sizeof(device));

    return loop >= 0 && mount(device, data, "ext4", MS_NODEV | MS_NOSUID, NULL) == 0;
}

/* Creates a disk file with a file system, atomically by renaming. */
static bool make_disk(struct work *work, const struct machine_volume *volume, const char *file)
{
    const char *part = arena_printf(work->arena, "%s.new", file).data;
    const char *const argv[] = { "/sbin/mkfs.ext4",
                                 "-q",
                                 "-F",
                                 "-m",
                                 "0",
                                 "-E",
                                 "nodiscard,lazy_itable_init=1,lazy_journal_init=1",
                                 part,
                                 NULL };
    AUTO(fd) disk = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

    return disk >= 0 && ftruncate(disk, (off_t)volume->size_bytes) == 0 &&
           program_run(argv, MAKING_MS) == 0 && fsync(disk) == 0 && rename(part, file) == 0;
}

/* Returns whether this computer supports disks. Each volume keeps the type with which it was
 * created. */
static bool can_have_disks(void)
{
    return access("/dev/loop-control", R_OK | W_OK) == 0 && access("/sbin/mkfs.ext4", X_OK) == 0;
}

static int32_t prepare_volume(struct work *work, const struct machine_volume *volume)
{
    const char *data = volume_path(work, volume);
    const char *file = work_path(work, "volumes/%.*s/disk", TEXT_ARG(volume->key));

    if (!disk_folder(work_path(work, "volumes/%.*s", TEXT_ARG(volume->key)), 0700)) {
        return work_refuse(work, REEVE_TRANSIENT, "/volumes", "%s: %m", data);
    }
    /* a new volume: the folder is created last, so that an incomplete volume is created again */
    if (!disk_is_there(data)) {
        if (can_have_disks() && !make_disk(work, volume, file)) {
            return work_refuse(work, REEVE_TRANSIENT, "/volumes",
                               "the disk of volume %.*s cannot be made: %m",
                               TEXT_ARG(volume->name));
        }
        if (!disk_folder(data, 0755)) {
            return work_refuse(work, REEVE_TRANSIENT, "/volumes", "%s: %m", data);
        }
    }
    if (disk_is_there(file) && !is_mounted(data) && !mount_disk(file, data)) {
        return work_refuse(work, REEVE_TRANSIENT, "/volumes",
                           "the disk of volume %.*s cannot be mounted: %m", TEXT_ARG(volume->name));
    }
    return REEVE_OK;
}

static int32_t attach_one(struct work *work, const struct machine *machine,
                          const struct machine_volume *volume)
{
    const char *holder = work_path(work, "volumes/%.*s.holder", TEXT_ARG(volume->key));
    AUTO(fd) lock = lock_take(work, holder);
    struct text id;

    if (lock < 0) {
        return work_refuse(work, REEVE_TRANSIENT, "/volumes", "another call is using the volume");
    }
    if (disk_read(work->arena, holder, HOLDER_BYTES, &id) && !text_is(id, machine->id) &&
        disk_is_there(work_path(work, "machines/%.*s", TEXT_ARG(id)))) {
        return work_refuse(work, REEVE_TRANSIENT, "/volumes",
                           "volume %.*s is still attached to machine %.*s, which has to go first",
                           TEXT_ARG(volume->name), TEXT_ARG(id));
    }
    if (!disk_replace(holder, text_from(machine->id), 0600)) {
        return work_refuse(work, REEVE_TRANSIENT, "/volumes", "%s: %m", holder);
    }
    return prepare_volume(work, volume);
}

int32_t volume_attach(struct work *work, const struct machine *machine)
{
    for (size_t i = 0; i < machine->volume_count; i++) {
        int32_t result = attach_one(work, machine, &machine->volumes[i]);

        if (result != REEVE_OK) {
            return result;
        }
    }
    return REEVE_OK;
}

static int32_t detach_one(struct work *work, const struct machine *machine,
                          const struct machine_volume *volume)
{
    const char *data = volume_path(work, volume);
    const char *holder = work_path(work, "volumes/%.*s.holder", TEXT_ARG(volume->key));
    AUTO(fd) lock = lock_take(work, holder);
    struct text id;

    if (lock < 0) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "another call is changing the volume: try again");
    }
    if (!disk_read(work->arena, holder, HOLDER_BYTES, &id) || !text_is(id, machine->id)) {
        return REEVE_OK; /* the volume is not attached to this machine */
    }
    while (is_mounted(data)) {
        if (umount2(data, 0) != 0 && umount2(data, MNT_DETACH) != 0) {
            return work_refuse(work, REEVE_TRANSIENT, "", "volume %.*s stays mounted: %m",
                               TEXT_ARG(volume->name));
        }
    }
    if (volume->keep == MACHINE_KEEP_NODE &&
        !disk_remove(work_path(work, "volumes/%.*s", TEXT_ARG(volume->key)))) {
        return work_refuse(work, REEVE_TRANSIENT, "", "volume %.*s stays: %m",
                           TEXT_ARG(volume->name));
    }
    (void)unlink(holder);
    return REEVE_OK;
}

int32_t volume_detach(struct work *work, const struct machine *machine)
{
    for (size_t i = 0; i < machine->volume_count; i++) {
        int32_t result = detach_one(work, machine, &machine->volumes[i]);

        if (result != REEVE_OK) {
            return result;
        }
    }
    return REEVE_OK;
}
