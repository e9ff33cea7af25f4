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

enum {
    PATH_BYTES = 4096,
    ADDRESS_BYTES = 253,
    ADDRESSES_MAX = 4096,
    KEY_BYTES = 1000,
    USER_BYTES = 32
};

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

/* ---- how they are logged in to ---- */

/* The line of a public key, which stands in a file of ours as it is: two words or more, of plain letters. */
static bool is_key(struct reeve_text text)
{
    uint64_t blanks = 0;

    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\') {
            return false;
        }
        blanks += byte == ' ' && i > 0 && i + 1 < text.length;
    }
    return blanks > 0 && text.length <= KEY_BYTES && text.bytes[0] != ' ';
}

static bool is_user(struct reeve_text text)
{
    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
              (i > 0 && byte == '-'))) {
            return false;
        }
    }
    return text.length > 0 && text.length <= USER_BYTES;
}

/* A key that is none, or is nobody's: its host would be taken for an unknown one. */
static int32_t keys_validate(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 map = self->host->value(call, REEVE_TEXT("/hostKeys"));
    uint64_t count = map.type == REEVE_TYPE_MAP ? (uint64_t)map.integer : 0;
    int32_t result = REEVE_OK;

    if (map.type != REEVE_TYPE_MAP && map.type != REEVE_TYPE_ANY) {
        self->host->fault(call, REEVE_TEXT("/hostKeys"), REEVE_TEXT("it is a map: ADDRESS: KEY"));
        return REEVE_INVALID;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct reeve_text address;
        struct reeve_value_v1 key = self->host->member(call, REEVE_TEXT("/hostKeys"), i, &address);
        bool is_listed = false;

        for (uint64_t j = 0; j < address_count(self, call) && !is_listed; j++) {
            is_listed = is_equal(address, address_at(self, call, j));
        }
        if (!is_listed || key.type != REEVE_TYPE_TEXT || !is_key(key.text)) {
            self->host->fault(call, REEVE_TEXT("/hostKeys"),
                              is_listed ? REEVE_TEXT("a key is a line: ssh-ed25519 AAAA...")
                                        : REEVE_TEXT("each key stands under one of the addresses"));
            result = REEVE_INVALID;
        }
    }
    return result;
}

static int32_t login_validate(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 user = self->host->value(call, REEVE_TEXT("/user"));
    struct reeve_value_v1 port = self->host->value(call, REEVE_TEXT("/port"));
    int32_t result = keys_validate(self, call);

    if (user.type != REEVE_TYPE_ANY && (user.type != REEVE_TYPE_TEXT || !is_user(user.text))) {
        self->host->fault(call, REEVE_TEXT("/user"), REEVE_TEXT("it is no name of a user"));
        result = REEVE_INVALID;
    }
    if (port.type != REEVE_TYPE_ANY &&
        (port.type != REEVE_TYPE_INTEGER || port.integer < 1 || port.integer > 65535)) {
        self->host->fault(call, REEVE_TEXT("/port"), REEVE_TEXT("a port is 1 to 65535"));
        result = REEVE_INVALID;
    }
    return result;
}

/* How a machine is reached, as JSON for its file. NULL where there is no room. */
static const char *reach_make(struct plugin *self, struct reeve_call *call,
                              struct reeve_text address)
{
    enum { ROOM = KEY_BYTES + USER_BYTES + 64 };
    char *out = self->host->allocate(call, ROOM);
    char pointer[ADDRESS_BYTES + 16];
    struct reeve_value_v1 user = self->host->value(call, REEVE_TEXT("/user"));
    struct reeve_value_v1 port = self->host->value(call, REEVE_TEXT("/port"));
    struct reeve_value_v1 key;
    int length;

    snprintf(pointer, sizeof(pointer), "/hostKeys/%.*s", (int)address.length, address.bytes);
    key = self->host->value(call, text_of(pointer));
    length = snprintf(out, ROOM, "{\"port\": %lld",
                      port.type == REEVE_TYPE_INTEGER ? (long long)port.integer : 22LL);
    if (key.type == REEVE_TYPE_TEXT && is_key(key.text)) {
        length += snprintf(out + length, ROOM - (size_t)length, ", \"hostKey\": \"%.*s\"",
                           (int)key.text.length, key.text.bytes);
    }
    if (user.type == REEVE_TYPE_TEXT && is_user(user.text)) {
        length += snprintf(out + length, ROOM - (size_t)length, ", \"user\": \"%.*s\"",
                           (int)user.text.length, user.text.bytes);
    }
    snprintf(out + length, ROOM - (size_t)length, "}");
    return out;
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
    result = login_validate(self, call);
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
    uint64_t count = address_count(self, call);
    struct reeve_text address;
    char path[PATH_BYTES];
    size_t length;

    if (taken_find(self, call, wish, &address)) {
        self->host->made(call, address);
        return REEVE_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        address = address_at(self, call, (first_choice(wish, count) + i) % count);
        machine.reach = text_of(reach_make(self, call, address));
        length = machine_format(&machine, bytes, MACHINE_BYTES);
        if (length == 0 || !path_make(self, address, path)) {
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
    {
        .name = REEVE_STATIC("user"),
        .type = REEVE_TYPE_TEXT,
        .role = REEVE_ROLE_USER,
        .initial = REEVE_STATIC("root"),
        .help = REEVE_STATIC("who logs in there by ssh"),
        .example = REEVE_STATIC("root"),
    },
    {
        .name = REEVE_STATIC("port"),
        .type = REEVE_TYPE_INTEGER,
        .initial = REEVE_STATIC("22"),
        .help = REEVE_STATIC("of their sshd"),
        .example = REEVE_STATIC("22"),
        .least = 1,
        .most = 65535,
    },
    {
        .name = REEVE_STATIC("hostKeys"),
        .type = REEVE_TYPE_MAP,
        .flags = REEVE_PROPERTY_IN_PLACE,
        .help = REEVE_STATIC("the host key of each address, as ssh-keyscan prints it; without it: "
                             "ssh.firstUse of the group decides"),
        .example = REEVE_STATIC("{10.0.0.11: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA...}"),
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
