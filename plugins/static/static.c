/* The plugin `static`: machines that are there already (README.md). */

#include "../file/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".json"

enum { PATH_BYTES = 4096, ADDRESS_BYTES = 253, ADDRESSES_MAX = 4096 };

struct plugin {
    const struct reeve_host_v1 *host;
};

static struct reeve_text text_of(const char *string)
{
    return (struct reeve_text){ string, strlen(string) };
}

static bool is_equal(struct reeve_text a, struct reeve_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/* ---- addresses ---- */

/* The letters of addresses and of the names of hosts, and of files. */
static bool is_address(struct reeve_text text)
{
    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool is_fit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                      (byte >= 'A' && byte <= 'Z') || byte == ':' ||
                      (i > 0 && (byte == '.' || byte == '-'));

        if (!is_fit) {
            return false;
        }
    }
    return text.length > 0 && text.length <= ADDRESS_BYTES;
}

static struct reeve_text address_at(struct plugin *self, struct reeve_call *call, uint64_t i)
{
    struct reeve_value_v1 value = self->host->member(call, REEVE_TEXT("/addresses"), i, NULL);

    return value.type == REEVE_TYPE_TEXT ? value.text : (struct reeve_text){ 0 };
}

static uint64_t address_count(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 list = self->host->value(call, REEVE_TEXT("/addresses"));

    return list.type == REEVE_TYPE_LIST ? (uint64_t)list.integer : 0;
}

static void address_fault(struct plugin *self, struct reeve_call *call, uint64_t i,
                          const char *what)
{
    char pointer[40];

    snprintf(pointer, sizeof(pointer), "/addresses/%llu", (unsigned long long)i);
    self->host->fault(call, text_of(pointer), text_of(what));
}

static int32_t static_validate(void *arg, struct reeve_call *call, struct reeve_text properties)
{
    struct plugin *self = arg;
    uint64_t count = address_count(self, call);
    int32_t result = REEVE_OK;

    (void)properties;
    if (count == 0 || count > ADDRESSES_MAX) {
        self->host->fault(call, REEVE_TEXT("/addresses"),
                          REEVE_TEXT("it lists 1 to 4096 addresses of machines"));
        return REEVE_INVALID;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct reeve_text address = address_at(self, call, i);

        if (!is_address(address)) {
            address_fault(self, call, i, "it is no address, nor the name of a host");
            result = REEVE_INVALID;
        }
        for (uint64_t j = 0; j < i; j++) {
            if (is_equal(address, address_at(self, call, j))) {
                address_fault(self, call, i, "it stands in the list already");
                result = REEVE_INVALID;
                break;
            }
        }
    }
    return result;
}

/* ---- whose they are ---- */

static bool path_make(const struct plugin *self, struct reeve_text address, char *out)
{
    int length;

    if (!is_address(address)) {
        return false;
    }
    length = snprintf(out, PATH_BYTES, "%.*s/%.*s" SUFFIX, (int)self->host->folder.length,
                      self->host->folder.bytes, (int)address.length, address.bytes);
    return length > 0 && length < PATH_BYTES;
}

static int32_t disk_failed(struct plugin *self, struct reeve_call *call, int32_t result)
{
    self->host->fault(call, REEVE_TEXT(""), text_of(strerror(errno)));
    return result;
}

static struct reeve_text tag_of(const struct reeve_row_v1 *row, const char *name)
{
    for (uint32_t i = 0; i < row->tag_count; i++) {
        if (is_equal(row->tags[i].name, text_of(name))) {
            return row->tags[i].value;
        }
    }
    return (struct reeve_text){ 0 };
}

/* Is the address a machine of this cluster? *row is it then, and its texts live as long as the call. */
static bool row_read(struct plugin *self, struct reeve_call *call, struct reeve_text cluster,
                     struct reeve_text address, struct reeve_row_v1 *row)
{
    struct reeve_tag *tags = self->host->allocate(call, sizeof(*tags) * MACHINE_TAGS);
    char path[PATH_BYTES];
    char *bytes;

    *row = (struct reeve_row_v1){
        .struct_size = sizeof(*row), .id = address, .address = address, .state = REEVE_RUNNING
    };
    bytes = path_make(self, address, path) ? machine_read(self->host, call, path) : NULL;
    if (bytes == NULL) {
        return false;
    }
    machine_parse(bytes, row, tags);
    row->state = REEVE_RUNNING; /* nobody knows better but its probe */
    row->address = address;
    return is_equal(tag_of(row, "reeve.cluster_id"), cluster);
}

/* Two calls may write at once: each has a file of its own, and a new one is the first's who links it. */
static bool owner_write(const struct reeve_call *call, const char *path, const char *bytes,
                        size_t length, bool is_new)
{
    char new[PATH_BYTES + 32];
    int file;
    bool is_done;

    snprintf(new, sizeof(new), "%s.%p", path, (const void *)call);
    file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    is_done = file >= 0 && write(file, bytes, length) == (ssize_t)length && fsync(file) == 0 &&
              (is_new ? link(new, path) == 0 : rename(new, path) == 0);
    if (file >= 0) {
        int error = errno;

        close(file);
        unlink(new);
        errno = error;
    }
    return is_done;
}

static bool folder_sync(struct plugin *self)
{
    char path[PATH_BYTES];
    int folder;
    bool is_done;

    snprintf(path, sizeof(path), "%.*s", (int)self->host->folder.length, self->host->folder.bytes);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_done = folder >= 0 && fsync(folder) == 0;
    if (folder >= 0) {
        close(folder);
    }
    return is_done;
}

/* ---- taking and letting go ---- */

/* One takes at a time, also where another process still comes to its end: looking whether a token has one already and
 * taking one are two steps. */
static int lock_take(struct plugin *self)
{
    char path[PATH_BYTES];
    int lock;

    snprintf(path, sizeof(path), "%.*s/.lock", (int)self->host->folder.length,
             self->host->folder.bytes);
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

/* Which of the addresses this token has taken. */
static bool taken_find(struct plugin *self, struct reeve_call *call,
                       const struct reeve_wish_v1 *wish, struct reeve_text *out)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    struct reeve_row_v1 row;
    DIR *listing;
    bool is_found = false;

    snprintf(path, sizeof(path), "%.*s", (int)self->host->folder.length, self->host->folder.bytes);
    listing = opendir(path);
    while (listing != NULL && !is_found && (entry = readdir(listing)) != NULL) {
        size_t length = strlen(entry->d_name);
        char *address;

        if (length <= strlen(SUFFIX) ||
            strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) != 0) {
            continue;
        }
        address = self->host->allocate(call, length);
        memcpy(address, entry->d_name, length - strlen(SUFFIX));
        is_found = row_read(self, call, wish->cluster, text_of(address), &row) &&
                   is_equal(tag_of(&row, "reeve.token"), wish->token);
        *out = text_of(address);
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return is_found;
}

/* Member 0 gets the first one, where it is free. */
static uint64_t first_choice(const struct reeve_wish_v1 *wish, uint64_t count)
{
    for (uint32_t i = 0; i < wish->tag_count; i++) {
        char number[24] = "";

        if (is_equal(wish->tags[i].name, REEVE_TEXT("reeve.logical_id")) &&
            wish->tags[i].value.length < sizeof(number)) {
            memcpy(number, wish->tags[i].value.bytes, wish->tags[i].value.length);
            return strtoull(number, NULL, 10) % count;
        }
    }
    return 0;
}

static int32_t machine_take(struct plugin *self, struct reeve_call *call,
                            const struct reeve_wish_v1 *wish)
{
    struct machine machine = { .name = wish->name,
                               .zone = wish->zone,
                               .labels = wish->labels,
                               .properties = wish->properties,
                               .tags = wish->tags,
                               .tag_count = wish->tag_count };
    char *bytes = self->host->allocate(call, MACHINE_BYTES);
    size_t length = machine_format(&machine, bytes, MACHINE_BYTES);
    uint64_t count = address_count(self, call);
    struct reeve_text address;
    char path[PATH_BYTES];

    if (taken_find(self, call, wish, &address)) {
        self->host->made(call, address);
        return REEVE_OK;
    }
    for (uint64_t i = 0; i < count && length > 0; i++) {
        address = address_at(self, call, (first_choice(wish, count) + i) % count);
        if (!path_make(self, address, path)) {
            continue;
        }
        if (owner_write(call, path, bytes, length, true)) {
            self->host->made(call, address);
            return folder_sync(self) ? REEVE_OK : disk_failed(self, call, REEVE_UNKNOWN);
        }
        if (errno != EEXIST) {
            return disk_failed(self, call, REEVE_UNKNOWN);
        }
    }
    self->host->fault(call, REEVE_TEXT("/addresses"),
                      REEVE_TEXT("all of these machines are somebody's: list more of them"));
    return REEVE_CAPACITY;
}

static int32_t static_create(void *arg, struct reeve_call *call, const struct reeve_wish_v1 *wish)
{
    struct plugin *self = arg;
    int lock = lock_take(self);
    int32_t result;

    if (lock < 0) {
        return disk_failed(self, call, REEVE_TRANSIENT);
    }
    result = machine_take(self, call, wish);
    close(lock);
    return result;
}

static int32_t static_destroy(void *arg, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text reason)
{
    struct plugin *self = arg;
    struct reeve_row_v1 row;
    char path[PATH_BYTES];

    (void)reason;
    if (!row_read(self, call, cluster, id, &row) || !path_make(self, id, path)) {
        return REEVE_OK; /* it is not this cluster's */
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        return disk_failed(self, call, REEVE_UNKNOWN);
    }
    return folder_sync(self) ? REEVE_OK : disk_failed(self, call, REEVE_UNKNOWN);
}

static int32_t static_label(void *arg, struct reeve_call *call, struct reeve_text cluster,
                            struct reeve_text id, struct reeve_text labels)
{
    struct plugin *self = arg;
    struct reeve_row_v1 row;
    char path[PATH_BYTES];
    char *bytes;
    char *changed;
    size_t length;

    if (!row_read(self, call, cluster, id, &row) || !path_make(self, id, path)) {
        return REEVE_GONE;
    }
    bytes = machine_read(self->host, call, path);
    changed = self->host->allocate(call, MACHINE_BYTES);
    length = bytes == NULL ? 0 : machine_change(bytes, "labels", labels, changed, MACHINE_BYTES);
    if (length == 0) {
        self->host->fault(call, REEVE_TEXT(""), REEVE_TEXT("they do not fit into its file"));
        return REEVE_INVALID;
    }
    return owner_write(call, path, changed, length, false) ? REEVE_OK
                                                           : disk_failed(self, call, REEVE_UNKNOWN);
}

/* ---- listing ---- */

static int32_t all_tell(struct plugin *self, struct reeve_call *call, struct reeve_text cluster)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    DIR *listing;

    snprintf(path, sizeof(path), "%.*s", (int)self->host->folder.length, self->host->folder.bytes);
    listing = opendir(path);
    if (listing == NULL) {
        return disk_failed(self, call, REEVE_TRANSIENT);
    }
    while ((entry = readdir(listing)) != NULL) {
        size_t length = strlen(entry->d_name);
        struct reeve_text id = { entry->d_name, length - strlen(SUFFIX) };
        struct reeve_row_v1 row;

        if (length > strlen(SUFFIX) &&
            strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0 &&
            row_read(self, call, cluster, id, &row)) {
            self->host->row(call, &row);
        }
    }
    closedir(listing);
    return REEVE_OK;
}

static int32_t static_describe(void *arg, struct reeve_call *call,
                               const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;

    if (query->id_count == 0) {
        return all_tell(self, call, query->cluster);
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct reeve_row_v1 row;

        if (row_read(self, call, query->cluster, query->ids[i], &row)) {
            self->host->row(call, &row);
        }
    }
    return REEVE_OK;
}

/* ---- the plugin ---- */

static int32_t static_start(const struct reeve_host_v1 *host, void **out)
{
    struct plugin *self = calloc(1, sizeof(*self));

    if (self == NULL) {
        return REEVE_TRANSIENT;
    }
    self->host = host;
    *out = self;
    return REEVE_OK;
}

static void static_stop(void *self)
{
    free(self);
}

static const struct reeve_property_v1 properties[] = {
    {
        .name = REEVE_STATIC("addresses"),
        .type = REEVE_TYPE_TEXTS,
        .flags = REEVE_PROPERTY_REQUIRED | REEVE_PROPERTY_IN_PLACE,
        .help = REEVE_STATIC("where the machines are: addresses, or names of hosts"),
        .example = REEVE_STATIC("[10.0.0.11, 10.0.0.12, 10.0.0.13, 10.0.0.14]"),
    },
};

const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC("static"),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("machines that are there already, by their addresses: taken and let go"),
    .capabilities = REEVE_CAN_STRONG,
    .property_count = sizeof(properties) / sizeof(properties[0]),
    .properties = properties,
    .start = static_start,
    .stop = static_stop,
    .validate = static_validate,
    .create = static_create,
    .destroy = static_destroy,
    .describe = static_describe,
    .label = static_label,
};
