/* The plugin `local`: containers of this computer as machines. This file is the interface to reeve;
 * README.md describes the other parts. */
#include "address.h"
#include "disk.h"
#include "image.h"
#include "init_path.h"
#include "lock.h"
#include "machine.h"
#include "network.h"
#include "run.h"
#include "shape.h"
#include "sys/fd.h"
#include "work.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LIFE_BYTES = 4 * 1024 * 1024,
    CALL_BYTES = 64 * 1024 * 1024,
    MAKINGS_MAX = 4,
    CALLS_MAX = 16,
    LATE_MS = 60000,
    CREATE_MS = 300000, /* time limit of create, because an image may have to be created first */
    SWEEP_MS = 5000
};

/* The binary of reeve-init, embedded so that the plugin is a single file. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        "reeve_init_begin: .incbin \"" REEVE_INIT_PATH "\"\n"
        "reeve_init_end:\n"
        ".previous\n");
extern const char reeve_init_begin[] __attribute__((visibility("hidden")));
extern const char reeve_init_end[] __attribute__((visibility("hidden")));

/* Sets up a call; its arena is freed at the end of the block. */
#define BEGIN_WORK(work, self, with)                 \
    AUTO(arena) arena = arena_new_small(CALL_BYTES); \
    struct work work = { .local = (self), .call = (with), .arena = arena }
#define BEGIN_CALL(work, self, with) \
    BEGIN_WORK(work, self, with);    \
    work.ends_ms = work_now_ms() + work.local->host->left_ms(with)

static int32_t validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct shape *shape;
    BEGIN_CALL(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    shape = arena_one(arena, struct shape);
    return shape_read(&work, shape);
}

static int32_t create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    BEGIN_CALL(work, self, call);

    assert(request->struct_size >= sizeof(*request));
    return machine_create(&work, request);
}

static int32_t destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id, struct reeve_text reason)
{
    BEGIN_CALL(work, self, call);

    (void)reason;
    return machine_destroy(&work, work_text(cluster), work_text(id));
}

static int32_t describe(void *self, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    BEGIN_CALL(work, self, call);

    assert(query->struct_size >= sizeof(*query));
    return machine_describe(&work, query);
}

static int32_t label(void *self, struct reeve_call *call, struct reeve_text cluster,
                     struct reeve_text id, struct reeve_text labels)
{
    BEGIN_CALL(work, self, call);

    return machine_label(&work, work_text(cluster), work_text(id), work_text(labels));
}

static int32_t reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                      struct reeve_text id)
{
    BEGIN_CALL(work, self, call);

    return machine_reboot(&work, work_text(cluster), work_text(id));
}

/* ---- start and stop ---- */

/* Returns whether no character of the path has a special meaning in mount options or in liblxc's
 * configuration. */
static bool is_plain_path(struct text path)
{
    for (size_t i = 0; i < path.length; i++) {
        if (strchr(" \t\\:,#=\"'", path.data[i]) != NULL) {
            return false;
        }
    }
    return path.length > 1 && path.data[0] == '/' && path.length < PATH_MAX / 2 &&
           text_is_visible(path);
}

static bool make_folders(struct work *work)
{
    static const char *const names[] = { "addresses", "images",  "machines", "rootfs",
                                         "trash",     "volumes", "bin" };

    if (!disk_folders(work->local->folder, 0700)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *path = work_path(work, "%s", names[i]);

        if (!disk_is_there(path) && !disk_folder(path, 0700)) {
            return false;
        }
    }
    return chmod(work_path(work, "rootfs"), 0755) == 0;
}

/* Writes reeve-init to a file named after its content, so that running machines keep the version
 * with which they started. */
static bool put_init(struct work *work)
{
    struct text bytes = { reeve_init_begin, (size_t)(reeve_init_end - reeve_init_begin) };
    const char *path =
        work_path(work, "bin/reeve-init-%016llx", (unsigned long long)text_hash(bytes, 0));

    work->local->init_path = arena_string(work->local->arena, text_from(path));
    if (disk_is_there(path)) {
        return true;
    }
    AUTO(fd) lock = lock_take(work, path);
    return lock >= 0 && disk_replace(path, bytes, 0755);
}

/* Allocates the slots of image creations once, because threads hold pointers to them. */
static void make_room(struct local *local)
{
    pthread_condattr_t attributes;

    (void)pthread_mutex_init(&local->mutex, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&local->image_made, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    image_begin(local, MAKINGS_MAX);
}

static int32_t begin(struct local *local)
{
    const char *why = "";
    BEGIN_WORK(work, local, NULL);

    work.ends_ms = work_now_ms() + SWEEP_MS;
    if (!is_plain_path(text_from(local->folder))) {
        return work_refuse(&work, REEVE_INVALID, "",
                           "the folder %s has a blank, a colon or another character in it that "
                           "mounts would misread: give the manager another one",
                           local->folder);
    }
    if (!settings_read(local->arena, work_text(local->host->settings), &local->settings, &why)) {
        return work_refuse(&work, REEVE_INVALID, "", "%s", why);
    }
    if (geteuid() != 0) {
        return work_refuse(&work, REEVE_AUTH, "",
                           "only root can create containers: run the manager as root, or use "
                           "another plugin");
    }
    local->runtime = run_choose(local->settings.isolation);
    if (local->runtime == NULL) {
        return work_refuse(
            &work, REEVE_INVALID, "",
            "settings: isolation is lxc, and liblxc or the computer's control groups "
            "are missing: apt-get install liblxc1, or leave the setting out");
    }
    if (!make_folders(&work) || !put_init(&work)) {
        return work_refuse(&work, REEVE_TRANSIENT, "", "%s: %m", local->folder);
    }
    machine_sweep(&work);
    run_sweep(&work);
    image_sweep(&work);
    address_sweep(&work);
    /* a process that destroyed the last machine may have been killed before it removed the
     * network */
    (void)network_end(&work);
    work_log(local, REEVE_LOG_INFO, "event=local.started isolation=%s folder=%s",
             local->runtime->name, local->folder);
    if (local->runtime != &run_lxc && local->settings.isolation == SETTINGS_ISOLATION_AUTO) {
        work_log(local, REEVE_LOG_WARNING,
                 "event=local.plain_namespaces why=liblxc or control groups are missing: no list "
                 "of system calls, no AppArmor profile");
    }
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
        work_log(
            local, REEVE_LOG_WARNING,
            "event=local.no_new_privs why=the sandbox of this process goes on in the machines: "
            "sudo does not work in them");
    }
    return REEVE_OK;
}

static void stop(void *self)
{
    struct local *local = self;

    (void)pthread_mutex_lock(&local->mutex);
    local->is_stopping = true;
    (void)pthread_mutex_unlock(&local->mutex);
    image_stop(local);
    (void)pthread_cond_destroy(&local->image_made);
    (void)pthread_mutex_destroy(&local->mutex);
    arena_free(local->arena);
}

static int32_t start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new(LIFE_BYTES);
    struct local *local = arena_one(arena, struct local);
    int32_t result;

    assert(host->struct_size >= sizeof(*host));
    local->host = host;
    local->arena = arena;
    local->folder = arena_string(arena, work_text(host->folder));
    local->folder_hash = text_hash(work_text(host->folder), 0);
    make_room(local);
    result = begin(local);
    if (result != REEVE_OK) {
        stop(local);
        return result;
    }
    *self = local;
    return REEVE_OK;
}

#define TEXT_PROPERTY(of_type, of_role, called, as_initial, as_choices, helps, like) \
    {                                                                                \
        .name = REEVE_STATIC(called), .type = of_type, .role = of_role,              \
        .initial = REEVE_STATIC(as_initial), .choices = REEVE_STATIC(as_choices),    \
        .help = REEVE_STATIC(helps), .example = REEVE_STATIC(like)                   \
    }

static const struct reeve_property_v1 properties[] = {
    TEXT_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_IMAGE, "image", "debian",
                  "debian|debian-12|debian-13|host",
                  "a clean Debian, created once by debootstrap (debian: this computer's release), "
                  "or the host's own programs without its secrets",
                  "debian-12"),
    TEXT_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_MACHINE_SIZE, "machineSize", "", "small|medium|large",
                  "1 cpu and 512 MiB, 2 and 2 GiB, 4 and 8 GiB; cpus and memory override it",
                  "small"),
    TEXT_PROPERTY(REEVE_TYPE_NUMBER, REEVE_ROLE_NONE, "cpus", "", "",
                  "number of processors that it may use, also a fraction; default: all", "0.5"),
    TEXT_PROPERTY(REEVE_TYPE_SIZE, REEVE_ROLE_NONE, "memory", "", "",
                  "amount of memory that it may use, at least 16 MiB; default: all", "512MiB"),
    TEXT_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_USER, "user", "admin", "",
                  "user who logs in by ssh with the cluster's keys, and may use sudo", "admin"),
    TEXT_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_SSH_KEY, "sshKey", "", "",
                  "an additional public key for logins, as in authorized_keys",
                  "ssh-ed25519 AAAA... ops"),
    TEXT_PROPERTY(REEVE_TYPE_LIST, REEVE_ROLE_VOLUMES, "volumes", "", "",
                  "extra disks, files of this computer: name, size, mount, keep",
                  "[{name: data, size: 2, mount: /srv/data}]"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(properties),
    .name = REEVE_STATIC("local"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("containers of this computer as machines, each with its own sshd"),
    .capabilities =
        REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES | REEVE_CAN_TOKEN | REEVE_CAN_HOST,
    .late_ms = LATE_MS,
    .create_ms = CREATE_MS,
    .calls_max = CALLS_MAX,
    .properties = properties,
    .start = start,
    .stop = stop,
    .validate = validate,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .label = label,
    .reboot = reboot,
};
