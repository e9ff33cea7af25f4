#include "root.h"

#include "base/buf.h"
#include "disk.h"
#include "host_image.h"
#include "users.h"

#include <assert.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>

enum { RESOLVER_BYTES = 64 * 1024 };

const char *root_lower(struct work *work, const struct machine *machine)
{
    return work_path(work, "images/%.*s/root", TEXT_ARG(machine->layer));
}

const char *root_upper(struct work *work, const struct machine *machine)
{
    return work_path(work, "machines/%s/upper", machine->id);
}

const char *root_usr_options(struct work *work, const struct machine *machine)
{
    if (!machine->is_host) {
        return NULL;
    }
    return arena_printf(work->arena, "lowerdir=/usr,upperdir=%s,workdir=%s",
                        work_path(work, "machines/%s/usr", machine->id),
                        work_path(work, "machines/%s/usrwork", machine->id))
        .data;
}

int32_t root_check(struct work *work)
{
    struct statfs status;

    if (statfs(work->local->folder, &status) == 0 && status.f_type == OVERLAYFS_SUPER_MAGIC) {
        return work_refuse(work, REEVE_INVALID, "",
                           "%s is on an overlay file system (a container?), which cannot hold "
                           "another one: give the manager a folder on ext4, xfs, btrfs or tmpfs",
                           work->local->folder);
    }
    return REEVE_OK;
}

/* Returns the content of resolv.conf: the host's file. Empty: the file cannot be read, or refers to
 * a service on the host's loopback interface. */
static struct text resolver(struct work *work)
{
    struct text bytes;

    if (!disk_read(work->arena, "/etc/resolv.conf", RESOLVER_BYTES, &bytes) ||
        memmem(bytes.data, bytes.length, "nameserver 127.", 15) != NULL) {
        return TEXT("");
    }
    return bytes;
}

/* Returns 32 random hex digits. */
static struct text machine_id(struct work *work)
{
    uint64_t number[2] = { 0 };

    (void)!getrandom(number, sizeof(number), 0);
    return arena_printf(work->arena, "%016llx%016llx\n", (unsigned long long)number[0],
                        (unsigned long long)number[1]);
}

static bool put(struct work *work, const char *name, const char *file, struct text bytes,
                mode_t mode)
{
    return disk_write(work_path(work, "machines/%s/%s", name, file), bytes, mode);
}

static bool put_host_files(struct work *work, const char *name, const struct machine *machine)
{
    struct text hosts =
        arena_printf(work->arena, "127.0.0.1 localhost\n%s %.*s\n::1 localhost\n",
                     settings_address(work->arena, machine->address), TEXT_ARG(machine->name));

    return put(work, name, "upper/etc/hostname",
               arena_printf(work->arena, "%.*s\n", TEXT_ARG(machine->name)), 0644) &&
           put(work, name, "upper/etc/hosts", hosts, 0644) &&
           put(work, name, "upper/etc/resolv.conf", resolver(work), 0644) &&
           put(work, name, "upper/etc/machine-id", machine_id(work), 0444);
}

/* Writes the files for reeve-init's first start. */
static bool put_init_data(struct work *work, const char *name, const struct machine *machine,
                          struct text ssh_key, const struct reeve_wish_v1 *request)
{
    struct text init = work_text(request->init);
    struct text keys = work_text(request->keys);
    struct buf buf;

    buf_init(&buf, work->arena);
    buf_add(&buf, keys);
    if (keys.length > 0 && keys.data[keys.length - 1] != '\n') {
        buf_add_string(&buf, "\n");
    }
    if (ssh_key.length > 0) {
        buf_add(&buf, ssh_key);
        buf_add_string(&buf, "\n");
    }
    return users_put(work, name, machine, buf_text(&buf)) &&
           (init.length == 0 || put(work, name, "upper/var/lib/reeve/first-boot", init, 0700));
}

bool root_prepare(struct work *work, const char *name, const struct machine *machine,
                  struct text ssh_key, const struct reeve_wish_v1 *request)
{
    /* the list includes the folders that the first start writes to, so that the overlay need not
     * copy and sync them */
    static const char *const folders[] = {
        "",          "upper",         "upper/etc",     "upper/etc/ssh",
        "upper/var", "upper/var/lib", "upper/var/log", "olwork"
    };

    assert(machine->address != 0);
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        if (!disk_folder(work_path(work, "machines/%s/%s", name, folders[i]), 0755)) {
            return false;
        }
    }
    if (!disk_folder(work_path(work, "machines/%s/upper/var/lib/reeve", name), 0700) ||
        (machine->is_host && (!host_image_hide(work, work_path(work, "machines/%s/usr", name)) ||
                              !disk_folder(work_path(work, "machines/%s/usrwork", name), 0755)))) {
        return false;
    }
    return put_host_files(work, name, machine) &&
           put_init_data(work, name, machine, ssh_key, request);
}
