#include "shape.h"

#include "image.h"
#include "meta.h"
#include "model/scalar.h"

#include <assert.h>

enum { CPUS_MOST_MILLI = 4096 * 1000, MEMORY_LEAST_MB = 16, USER_BYTES = 32, KEY_BYTES = 16384 };

/* Named sizes. */
static const struct {
    const char *name;
    int64_t cpus_milli;
    uint64_t memory_mb;
} sizes[] = {
    { "small", 1000, 512 },
    { "medium", 2000, 2048 },
    { "large", 4000, 8192 },
};

/* State of the reader. */
struct reading {
    struct work *work;
    struct shape *out;
    bool is_wrong;
};

static struct reeve_value_v1 value_at(struct reading *reading, const char *pointer)
{
    return reading->work->local->host->value(reading->work->call, work_answer(text_from(pointer)));
}

/* Reports a fault and continues, so that all faults are reported. */
static void wrong(struct reading *reading, const char *pointer, const char *message)
{
    reading->is_wrong = true;
    (void)work_refuse(reading->work, REEVE_INVALID, pointer, "%s", message);
}

/* Returns true if the value is missing or null. Other values that are neither text nor integer,
 * such as 0.5, have the type ANY and their JSON. */
static bool is_absent(struct reeve_value_v1 value)
{
    return value.type == REEVE_TYPE_ANY &&
           (value.text.length == 0 || text_is(work_text(value.text), "null"));
}

/* Reads a text. If it is absent, *inout is unchanged. Returns false if it is invalid, which is
 * reported. */
static bool read_text(struct reeve_value_v1 value, struct text *inout)
{
    if (is_absent(value)) {
        return true;
    }
    if (value.type != REEVE_TYPE_TEXT || value.text.length == 0) {
        return false;
    }
    *inout = work_text(value.text);
    return true;
}

/* Reads processors such as "1.5" as thousandths: digits, and at most three decimals. */
static bool parse_milli(struct text text, int64_t *out)
{
    size_t point = text_find_byte(text, '.');
    struct text whole = text_slice(text, 0, point);
    struct text part = point == SIZE_MAX ? TEXT("") : text_slice(text, point + 1, text.length);
    int64_t units;
    int64_t rest = 0;

    if (whole.length > 6 || part.length > 3 || (point != SIZE_MAX && part.length == 0) ||
        !text_parse_int64(whole, &units) || units < 0) {
        return false;
    }
    if (part.length > 0 && (!text_parse_int64(part, &rest) || rest < 0)) {
        return false;
    }
    for (size_t i = part.length; i < 3; i++) {
        rest *= 10;
    }
    *out = units * 1000 + rest;
    return true;
}

static void read_cpus(struct reading *reading)
{
    struct reeve_value_v1 value = value_at(reading, "/cpus");
    int64_t milli = 0;

    if (is_absent(value)) {
        return;
    }
    if (!parse_milli(work_text(value.text), &milli) || milli < 10 || milli > CPUS_MOST_MILLI) {
        wrong(reading, "/cpus",
              "cpus must be a number of processors from 0.01 to 4096, like 2 or 0.5 (at most three "
              "digits behind the point)");
        return;
    }
    reading->out->cpus_milli = milli;
}

/* Reads a size. An integer is in bytes; a text has a unit. */
static bool parse_size(struct reeve_value_v1 value, uint64_t *out)
{
    if (value.type != REEVE_TYPE_TEXT && value.type != REEVE_TYPE_INTEGER) {
        return false;
    }
    return scalar_parse_size(work_text(value.text), "B", out);
}

static void read_memory(struct reading *reading)
{
    struct reeve_value_v1 value = value_at(reading, "/memory");
    uint64_t bytes;

    if (is_absent(value)) {
        return;
    }
    if (!parse_size(value, &bytes) || bytes < (uint64_t)MEMORY_LEAST_MB * 1024 * 1024 ||
        bytes > INT64_MAX) {
        wrong(reading, "/memory", "memory must be a size of 16MiB or more, like 512MiB or 2GB");
        return;
    }
    reading->out->memory_bytes = bytes;
}

static void read_machine_size(struct reading *reading)
{
    struct text name = { 0 };

    if (!read_text(value_at(reading, "/machineSize"), &name)) {
        wrong(reading, "/machineSize", "machineSize is small, medium or large");
        return;
    }
    for (size_t i = 0; name.length > 0 && i < ARRAY_COUNT(sizes); i++) {
        if (text_is(name, sizes[i].name)) {
            reading->out->cpus_milli = sizes[i].cpus_milli;
            reading->out->memory_bytes = sizes[i].memory_mb * 1024 * 1024;
            return;
        }
    }
    if (name.length > 0) {
        wrong(reading, "/machineSize",
              "machineSize is small (1 cpu, 512 MiB), medium (2, 2 GiB) or large (4, 8 GiB); "
              "or give cpus and memory");
    }
}

/* Returns whether useradd would accept the name. */
static bool is_user_name(struct text name)
{
    if (name.length == 0 || name.length > USER_BYTES || name.data[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || byte == '_' ||
              (i > 0 && ((byte >= '0' && byte <= '9') || byte == '-')))) {
            return false;
        }
    }
    return true;
}

/* Returns whether the text is a line of authorized_keys without options: `ssh-ed25519 AAAA...
 * comment`. */
static bool is_key_line(struct text key)
{
    size_t blank = text_find_byte(key, ' ');
    struct text body = blank == SIZE_MAX ? TEXT("") : text_slice(key, blank + 1, key.length);

    return key.length <= KEY_BYTES && text_is_visible(key) &&
           (text_has_prefix(key, TEXT("ssh-")) || text_has_prefix(key, TEXT("ecdsa-sha2-")) ||
            text_has_prefix(key, TEXT("sk-"))) &&
           text_has_prefix(body, TEXT("AAAA"));
}

static void read_login(struct reading *reading)
{
    struct shape *out = reading->out;

    out->user = TEXT("admin");
    if (!read_text(value_at(reading, "/user"), &out->user) || !is_user_name(out->user)) {
        wrong(reading, "/user",
              "user must be a login name: lower-case letters, digits, '-' and '_', at most 32, not "
              "beginning with a digit");
    }
    if (!read_text(value_at(reading, "/sshKey"), &out->ssh_key)) {
        wrong(reading, "/sshKey", "sshKey must be a text: one line with a public key");
    } else if (out->ssh_key.length > 0 && !is_key_line(out->ssh_key)) {
        wrong(reading, "/sshKey",
              "sshKey is one line with a public key, like 'ssh-ed25519 AAAA... name'");
    }
}

static void read_image(struct reading *reading)
{
    reading->out->image = TEXT("debian");
    if (!read_text(value_at(reading, "/image"), &reading->out->image) ||
        !image_is_known(reading->out->image)) {
        wrong(reading, "/image",
              "image is debian (the release of this computer), debian-12, debian-13 or host");
    }
}

/* Returns the pointer "/volumes/3/NAME". */
static const char *volume_pointer(struct reading *reading, size_t i, const char *name)
{
    return arena_printf(reading->work->arena, "/volumes/%zu/%s", i, name).data;
}

/* Returns whether the path is a valid mount point: absolute, not the root, without dots and without
 * characters that mount tables misinterpret. */
static bool is_mount_path(struct text path)
{
    if (path.length < 2 || path.data[0] != '/' || !text_is_visible(path) || path.length > 255) {
        return false;
    }
    for (size_t i = 0; i < path.length; i++) {
        if (path.data[i] == ' ' || path.data[i] == '\\' || path.data[i] == ':' ||
            path.data[i] == ',' || path.data[i] == '#' ||
            (path.data[i] == '/' &&
             (i + 1 == path.length || path.data[i + 1] == '/' || path.data[i + 1] == '.'))) {
            return false;
        }
    }
    return true;
}

/* Returns whether the system of the machine needs the path, so that no volume may be mounted
 * there. */
static bool is_taken_path(struct text path)
{
    static const char *const taken[] = { "/proc", "/sys",  "/dev", "/run",   "/usr", "/etc", "/var",
                                         "/bin",  "/sbin", "/lib", "/lib64", "/tmp", "/root" };

    for (size_t i = 0; i < ARRAY_COUNT(taken); i++) {
        struct text head = text_from(taken[i]);

        if (text_is_equal(path, head) ||
            (i < 4 && text_has_prefix(path, head) && path.data[head.length] == '/')) {
            return true;
        }
    }
    return false;
}

static void read_volume(struct reading *reading, size_t i)
{
    struct machine_volume *volume = &reading->out->volumes[i];
    struct text keep = TEXT("slot");

    volume->name = arena_printf(reading->work->arena, "vol%zu", i);
    if (!read_text(value_at(reading, volume_pointer(reading, i, "name")), &volume->name) ||
        volume->name.length > 63 || !text_is_visible(volume->name) ||
        text_find_byte(volume->name, '/') != SIZE_MAX ||
        text_find_byte(volume->name, ' ') != SIZE_MAX || volume->name.data[0] == '.') {
        wrong(reading, volume_pointer(reading, i, "name"),
              "name of a volume: letters, digits and dashes, at most 63");
    }
    for (size_t k = 0; k < i; k++) {
        if (text_is_equal(reading->out->volumes[k].name, volume->name)) {
            wrong(reading, volume_pointer(reading, i, "name"),
                  "two volumes of a machine have the same name");
        }
    }
    if (!parse_size(value_at(reading, volume_pointer(reading, i, "size")), &volume->size_bytes) ||
        volume->size_bytes < 1024 * 1024 || volume->size_bytes > (uint64_t)1 << 50) {
        wrong(reading, volume_pointer(reading, i, "size"),
              "size of a volume: from 1MB to 1PB, like 20GB or 512MiB; a bare number is GB");
    }
    if (!read_text(value_at(reading, volume_pointer(reading, i, "mount")), &volume->mount) ||
        (volume->mount.length > 0 &&
         (!is_mount_path(volume->mount) || is_taken_path(volume->mount)))) {
        wrong(
            reading, volume_pointer(reading, i, "mount"),
            "mount must be an absolute path like /srv/data, and not one that the machine needs itself");
    }
    if (!read_text(value_at(reading, volume_pointer(reading, i, "keep")), &keep) ||
        !meta_keep_find(keep, &volume->keep)) {
        wrong(reading, volume_pointer(reading, i, "keep"), "keep must be slot, node or always");
    }
    if (!is_absent(value_at(reading, volume_pointer(reading, i, "snapshot")))) {
        wrong(reading, volume_pointer(reading, i, "snapshot"),
              "volumes of this plugin cannot be made from a snapshot");
    }
}

static void read_volumes(struct reading *reading)
{
    struct reeve_value_v1 list = value_at(reading, "/volumes");

    if (is_absent(list)) {
        return;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer > MACHINE_VOLUMES_MAX) {
        wrong(reading, "/volumes", "volumes must be a list of at most 32 volumes");
        return;
    }
    assert(list.integer >= 0);
    reading->out->volume_count = (size_t)list.integer;
    for (size_t i = 0; i < reading->out->volume_count; i++) {
        read_volume(reading, i);
    }
}

int32_t shape_read(struct work *work, struct shape *out)
{
    struct reading reading = { .work = work, .out = out };

    *out = (struct shape){ 0 };
    read_image(&reading);
    read_machine_size(&reading);
    read_cpus(&reading);
    read_memory(&reading);
    read_login(&reading);
    read_volumes(&reading);
    return reading.is_wrong ? REEVE_INVALID : REEVE_OK;
}
