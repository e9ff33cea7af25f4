/* The plugin `file`: each file is a machine. It is for simulations, and is a complete example of a
 * plugin.
 *
 * FOLDER/CLUSTER/ID.json is a machine (machine.h). A user may delete a file (the machine then no
 * longer exists), or set its state to "stopped". */

#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "file" /* tests use different names */
#endif
#define SUFFIX ".json"

enum { PATH_BYTES = 4096, ID_BYTES = 255, ADDRESS_BYTES = 512 };

struct plugin {
    const struct reeve_host_v1 *host;
    struct reeve_text folder;
};

static struct reeve_text text_of(const char *string)
{
    return (struct reeve_text){ string, strlen(string) };
}

/* Reports a disk error. Disk errors may be temporary, except a full disk, which needs an
 * operator. */
static int32_t disk_failed(struct plugin *self, struct reeve_call *call, int32_t result)
{
    bool is_full = errno == ENOSPC || errno == EDQUOT;

    self->host->fault(call, REEVE_TEXT(""), text_of(strerror(errno)));
    return is_full && result == REEVE_TRANSIENT ? REEVE_CAPACITY : result;
}

/* Returns FOLDER/CLUSTER, in which ':' replaces '/', and FOLDER/CLUSTER/ID.json. An id that this
 * plugin cannot have issued is not the id of a machine. */
static bool path_make(const struct plugin *self, struct reeve_text cluster, struct reeve_text id,
                      char *out)
{
    int length = snprintf(out, PATH_BYTES, "%.*s/%.*s", (int)self->folder.length,
                          self->folder.bytes, (int)cluster.length, cluster.bytes);
    char *at = out + self->folder.length + 1;

    if (length < 0 || length >= PATH_BYTES - ID_BYTES - 8) {
        return false;
    }
    for (; *at != '\0'; at++) {
        *at = *at == '/' ? ':' : *at;
    }
    if (id.length > 0) {
        if (id.length + strlen(SUFFIX) > ID_BYTES || memchr(id.bytes, '/', id.length) != NULL ||
            id.bytes[0] == '.') {
            return false;
        }
        sprintf(at, "/%.*s" SUFFIX, (int)id.length, id.bytes);
    }
    return true;
}

/* ---- writing ---- */

/* Writes a file. If it returns false, nothing has changed and errno is set. Two calls with one
 * token may run at the same time, so each writes a separate temporary file. The first file becomes
 * the machine, or with takes_place the last file. */
static bool all_write(const struct reeve_call *call, const char *path, const char *bytes,
                      size_t length, bool takes_place)
{
    char new[PATH_BYTES + 32];
    const char *name = strrchr(path, '/') + 1;
    int file;
    int error;
    bool is_done;

    snprintf(new, sizeof(new), "%.*s.%s.%p", (int)(name - path), path, name, (const void *)call);
    file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    is_done = file >= 0 && write(file, bytes, length) == (ssize_t)length && fsync(file) == 0 &&
              (takes_place ? rename(new, path) == 0 : link(new, path) == 0 || errno == EEXIST);
    error = errno;
    if (file >= 0) {
        close(file);
        unlink(new);
    }
    errno = error;
    return is_done;
}

static bool folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_done = folder >= 0 && fsync(folder) == 0;

    if (folder >= 0) {
        close(folder);
    }
    return is_done;
}

/* Returns the property `address`, in which {n} is replaced by the machine's number. */
static struct reeve_text address_make(struct plugin *self, struct reeve_call *call,
                                      const struct reeve_wish_v1 *request)
{
    struct reeve_value_v1 address = self->host->value(call, REEVE_TEXT("/address"));
    const char *mark;
    char *out;
    int before;

    if (address.type != REEVE_TYPE_TEXT) {
        return (struct reeve_text){ 0 };
    }
    mark = memmem(address.text.bytes, address.text.length, "{n}", 3);
    for (uint32_t i = 0; i < request->tag_count && mark != NULL; i++) {
        const struct reeve_tag *tag = &request->tags[i];

        if (tag->name.length == 16 && memcmp(tag->name.bytes, "reeve.logical_id", 16) == 0) {
            before = (int)(mark - address.text.bytes);
            out = self->host->allocate(call, ADDRESS_BYTES);
            snprintf(out, ADDRESS_BYTES, "%.*s%.*s%.*s", before, address.text.bytes,
                     (int)tag->value.length, tag->value.bytes,
                     (int)address.text.length - before - 3, mark + 3);
            return text_of(out);
        }
    }
    return address.text;
}

/* Creates a machine. The file name is made of the token, so the same token always gives the same
 * file. */
static int32_t file_create(void *arg, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct plugin *self = arg;
    char *bytes = self->host->allocate(call, MACHINE_BYTES);
    struct machine machine = { .name = request->name,
                               .zone = request->zone,
                               .address = address_make(self, call, request),
                               .labels = request->labels,
                               .properties = request->properties,
                               .tags = request->tags,
                               .tag_count = request->tag_count };
    size_t length = machine_format(&machine, bytes, MACHINE_BYTES);
    char id[64];
    char folder[PATH_BYTES];
    char path[PATH_BYTES];

    snprintf(id, sizeof(id), "file-%.20s", request->token.length >= 20 ? request->token.bytes : "");
    if (request->token.length < 20 || !path_make(self, request->cluster, REEVE_TEXT(""), folder) ||
        !path_make(self, request->cluster, text_of(id), path)) {
        self->host->fault(call, REEVE_TEXT(""), REEVE_TEXT("this token cannot be a file name"));
        return REEVE_INVALID;
    }
    if (length == 0) {
        self->host->fault(call, REEVE_TEXT(""),
                          REEVE_TEXT("its properties do not fit into its file"));
        return REEVE_INVALID;
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return disk_failed(self, call, REEVE_TRANSIENT);
    }
    if (access(path, F_OK) != 0) {
        if (!all_write(call, path, bytes, length, false)) {
            /* the file of the machine has no final name yet, so no machine exists */
            return disk_failed(self, call, REEVE_TRANSIENT);
        }
        if (!folder_sync(folder)) {
            return disk_failed(self, call, REEVE_UNKNOWN);
        }
    }
    self->host->made(call, text_of(id));
    return REEVE_OK;
}

/* Appends a line for a destroyed machine to a log, for tests (tests/pylib/consent.py). A failure is
 * ignored. */
static void journal_add(const struct plugin *self, struct reeve_text id)
{
    char path[PATH_BYTES];
    char line[PATH_BYTES];
    int length = snprintf(line, sizeof(line), "destroy %.*s\n", (int)id.length, id.bytes);
    int file;

    if (snprintf(path, sizeof(path), "%.*s/journal", (int)self->folder.length,
                 self->folder.bytes) >= (int)sizeof(path)) {
        return;
    }
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
        (void)!write(file, line, (size_t)length);
        close(file);
    }
}

static int32_t file_destroy(void *arg, struct reeve_call *call, struct reeve_text cluster,
                            struct reeve_text id, struct reeve_text reason)
{
    struct plugin *self = arg;
    char folder[PATH_BYTES];
    char path[PATH_BYTES];

    (void)reason;
    if (!path_make(self, cluster, REEVE_TEXT(""), folder) || !path_make(self, cluster, id, path)) {
        return REEVE_OK; /* the id cannot be a machine of this plugin, so no such machine exists */
    }
    if (unlink(path) != 0) {
        return errno == ENOENT ? REEVE_OK : disk_failed(self, call, REEVE_UNKNOWN);
    }
    journal_add(self, id);
    return folder_sync(folder) ? REEVE_OK : disk_failed(self, call, REEVE_UNKNOWN);
}

/* ---- reading ---- */

/* Reports a machine. A file that cannot be parsed is still a machine. */
static void machine_report(struct plugin *self, struct reeve_call *call, const char *path,
                           struct reeve_text id)
{
    struct reeve_tag tags[MACHINE_TAGS];
    struct reeve_row_v1 row = { .struct_size = sizeof(row), .id = id, .state = REEVE_RUNNING };
    char *bytes = machine_read(self->host, call, path);

    if (bytes != NULL) {
        machine_parse(bytes, &row, tags);
        self->host->row(call, &row);
    }
}

/* Gets the id in a file name. Returns false for other files. */
static bool id_take(const char *name, struct reeve_text *out)
{
    size_t length = strlen(name);

    *out = (struct reeve_text){ name, length - strlen(SUFFIX) };
    return strncmp(name, "file-", 5) == 0 && length > strlen(SUFFIX) + 5 &&
           strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int32_t all_report(struct plugin *self, struct reeve_call *call, struct reeve_text cluster)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    struct reeve_text id;
    DIR *listing;

    if (!path_make(self, cluster, REEVE_TEXT(""), path)) {
        return REEVE_INVALID;
    }
    listing = opendir(path);
    if (listing == NULL) {
        return errno == ENOENT ? REEVE_OK : disk_failed(self, call, REEVE_TRANSIENT);
    }
    while ((entry = readdir(listing)) != NULL) {
        if (id_take(entry->d_name, &id) && path_make(self, cluster, id, path)) {
            machine_report(self, call, path, id);
        }
    }
    closedir(listing);
    return REEVE_OK;
}

static int32_t file_describe(void *arg, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;
    char path[PATH_BYTES];

    if (query->id_count == 0) {
        return all_report(self, call, query->cluster);
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        if (path_make(self, query->cluster, query->ids[i], path)) {
            machine_report(self, call, path, query->ids[i]);
        }
    }
    return REEVE_OK;
}

/* ---- changing ---- */

/* Changes a member. If two calls change a machine at the same time, the last change is stored
 * completely. */
static int32_t member_set(struct plugin *self, struct reeve_call *call, struct reeve_text cluster,
                          struct reeve_text id, const char *member, struct reeve_text value)
{
    char path[PATH_BYTES];
    char *bytes;
    char *changed;
    size_t length;

    if (!path_make(self, cluster, id, path)) {
        return REEVE_GONE;
    }
    bytes = machine_read(self->host, call, path);
    if (bytes == NULL) {
        return REEVE_GONE;
    }
    changed = self->host->allocate(call, MACHINE_BYTES);
    length = machine_change(bytes, member, value, changed, MACHINE_BYTES);
    if (length == 0) {
        self->host->fault(call, REEVE_TEXT(""), REEVE_TEXT("they do not fit into its file"));
        return REEVE_INVALID;
    }
    return all_write(call, path, changed, length, true) ? REEVE_OK
                                                        : disk_failed(self, call, REEVE_UNKNOWN);
}

static int32_t file_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                          struct reeve_text id, struct reeve_text labels)
{
    return member_set(self, call, cluster, id, "labels", labels);
}

static int32_t file_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                           struct reeve_text id)
{
    return member_set(self, call, cluster, id, "state", REEVE_TEXT("\"running\""));
}

/* ---- the plugin ---- */

static int32_t file_start(const struct reeve_host_v1 *host, void **self)
{
    struct plugin *plugin = calloc(1, sizeof(*plugin));

    if (plugin == NULL) {
        return REEVE_TRANSIENT;
    }
    *plugin = (struct plugin){ host, host->folder };
    *self = plugin;
    return REEVE_OK;
}

static void file_stop(void *self)
{
    free(self);
}

static const struct reeve_property_v1 properties[] = {
    {
        .name = REEVE_STATIC("address"),
        .type = REEVE_TYPE_TEXT,
        .help = REEVE_STATIC("the address in listings; {n} is the number of the machine"),
        .example = REEVE_STATIC("127.0.1.{n}"),
    },
    {
        .name = REEVE_STATIC("image"),
        .type = REEVE_TYPE_TEXT,
        .role = REEVE_ROLE_IMAGE,
        .help = REEVE_STATIC("stored without any effect"),
    },
    {
        .name = REEVE_STATIC("note"),
        .type = REEVE_TYPE_ANY,
        .help = REEVE_STATIC("any value; a change replaces the machine"),
    },
};

const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC(PLUGIN_NAME),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("one file is one machine: for tests, and as an example"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_TOKEN | REEVE_CAN_HOST,
    .property_count = sizeof(properties) / sizeof(properties[0]),
    .properties = properties,
    .start = file_start,
    .stop = file_stop,
    .create = file_create,
    .destroy = file_destroy,
    .describe = file_describe,
    .label = file_label,
    .reboot = file_reboot,
};
