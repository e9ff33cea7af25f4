/* The plugin `static`: machines that already exist (README.md). */

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
#define TOKENS \
    ".tokens" /* folder of links TOKEN -> ADDRESS, which find the machine of a repeated request */

enum {
    PATH_BYTES = 4096,
    ADDRESS_BYTES = 253,
    ADDRESSES_MAX = 4096,
    KEY_BYTES = 1000,
    USER_BYTES = 32
};

struct plugin {
    const struct reeve_host_v1 *host;
    /* protected by the lock: machines of earlier processes have their links in TOKENS */
    bool is_indexed;
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

/* Returns whether the text has only characters of addresses, host names and file names. */
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

/* ---- logins ---- */

/* Returns whether the text is a public key line that can be copied into a file: two or more words
 * of plain characters. */
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

/* Rejects invalid keys, and keys without an address: otherwise the host would have no known key. */
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
                                        : REEVE_TEXT("each key must belong to one of the "
                                                     "addresses"));
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
        self->host->fault(call, REEVE_TEXT("/user"),
                          REEVE_TEXT("it is not a valid name of a user"));
        result = REEVE_INVALID;
    }
    if (port.type != REEVE_TYPE_ANY &&
        (port.type != REEVE_TYPE_INTEGER || port.integer < 1 || port.integer > 65535)) {
        self->host->fault(call, REEVE_TEXT("/port"), REEVE_TEXT("a port is 1 to 65535"));
        result = REEVE_INVALID;
    }
    return result;
}

/* Returns the login data of a machine as JSON for its file. NULL if memory is short. */
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
            address_fault(self, call, i, "it is neither an address nor a host name");
            result = REEVE_INVALID;
        }
        for (uint64_t j = 0; j < i; j++) {
            if (is_equal(address, address_at(self, call, j))) {
                address_fault(self, call, i, "it is in the list already");
                result = REEVE_INVALID;
                break;
            }
        }
    }
    return result;
}

/* ---- ownership ---- */

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

/* Reads the machine at the address, if it belongs to this cluster. Texts of *row live as long as
 * the call. */
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
    row->state = REEVE_RUNNING; /* only a probe can find out whether it runs */
    row->address = address;
    return is_equal(tag_of(row, "reeve.cluster_id"), cluster);
}

/* Writes a file under a temporary name, and syncs it before it is renamed. Each concurrent call has
 * a separate temporary file. */
static bool file_write(const struct reeve_call *call, const char *path, const char *bytes,
                       size_t length, char *out_new, size_t room)
{
    int file;
    bool is_done;

    snprintf(out_new, room, "%s.%p", path, (const void *)call);
    file = open(out_new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    is_done = file >= 0 && write(file, bytes, length) == (ssize_t)length && fsync(file) == 0;
    if (file >= 0) {
        int error = errno;

        close(file);
        if (!is_done) {
            unlink(out_new);
        }
        errno = error;
    }
    return is_done;
}

static bool owner_write(const struct reeve_call *call, const char *path, const char *bytes,
                        size_t length)
{
    char new[PATH_BYTES + 32];

    if (!file_write(call, path, bytes, length, new, sizeof(new))) {
        return false;
    }
    if (rename(new, path) != 0) {
        int error = errno;

        unlink(new);
        errno = error;
        return false;
    }
    return true;
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

/* ---- allocation and release ---- */

/* Serializes allocations, even against an old process that is still ending. Checking whether a
 * token has a machine and allocating one are two steps. */
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

/* Returns the path for a token that is a valid file name. */
static bool token_path(const struct plugin *self, struct reeve_text token, char *out)
{
    int length;

    if (!is_address(token)) {
        return false;
    }
    length = snprintf(out, PATH_BYTES, "%.*s/" TOKENS "/%.*s", (int)self->host->folder.length,
                      self->host->folder.bytes, (int)token.length, token.bytes);
    return length > 0 && length < PATH_BYTES;
}

/* Records the token before the machine is allocated. A link to a missing address, or to one of
 * another token, is ignored. */
static bool token_note(const struct plugin *self, struct reeve_text token, const char *address)
{
    char path[PATH_BYTES];

    errno = EINVAL;
    return token_path(self, token, path) &&
           (symlink(address, path) == 0 ||
            (errno == EEXIST && unlink(path) == 0 && symlink(address, path) == 0));
}

/* Adds missing links of machines. They were allocated before links existed, or a power failure has
 * removed their link. Requires the lock. */
static bool index_have(struct plugin *self, struct reeve_call *call)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    DIR *listing;
    bool is_done = true;

    if (self->is_indexed) {
        return true;
    }
    snprintf(path, sizeof(path), "%.*s/" TOKENS, (int)self->host->folder.length,
             self->host->folder.bytes);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    snprintf(path, sizeof(path), "%.*s", (int)self->host->folder.length, self->host->folder.bytes);
    listing = opendir(path);
    while (listing != NULL && is_done && (entry = readdir(listing)) != NULL) {
        size_t length = strlen(entry->d_name);
        struct reeve_row_v1 row;
        struct reeve_text token;
        char *address;

        if (length <= strlen(SUFFIX) ||
            strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) != 0) {
            continue;
        }
        address = self->host->allocate(call, length);
        memcpy(address, entry->d_name, length - strlen(SUFFIX));
        (void)row_read(self, call, (struct reeve_text){ 0 }, text_of(address), &row);
        token = tag_of(&row, "reeve.token");
        is_done = !is_address(token) || token_note(self, token, address);
    }
    if (listing != NULL) {
        closedir(listing);
    }
    self->is_indexed = listing != NULL && is_done;
    return self->is_indexed;
}

/* Finds the address that belongs to this token. Requires the lock. */
static bool taken_find(struct plugin *self, struct reeve_call *call,
                       const struct reeve_wish_v1 *request, struct reeve_text *out)
{
    char path[PATH_BYTES];
    char *address = self->host->allocate(call, ADDRESS_BYTES + 1);
    struct reeve_row_v1 row;
    ssize_t length;

    if (!token_path(self, request->token, path)) {
        return false;
    }
    length = readlink(path, address, ADDRESS_BYTES);
    *out = (struct reeve_text){ address, length > 0 ? (uint64_t)length : 0 };
    return length > 0 && row_read(self, call, request->cluster, *out, &row) &&
           is_equal(tag_of(&row, "reeve.token"), request->token);
}

/* Returns the index of the preferred address: member N prefers address N modulo the number of
 * addresses. */
static uint64_t first_choice(const struct reeve_wish_v1 *request, uint64_t count)
{
    for (uint32_t i = 0; i < request->tag_count; i++) {
        char number[24] = "";

        if (is_equal(request->tags[i].name, REEVE_TEXT("reeve.logical_id")) &&
            request->tags[i].value.length < sizeof(number)) {
            memcpy(number, request->tags[i].value.bytes, request->tags[i].value.length);
            return strtoull(number, NULL, 10) % count;
        }
    }
    return 0;
}

enum taking { TAKEN, TAKEN_BEFORE, IS_ANOTHERS, NOT_TAKEN };

/* Renames a written file to the file of the address, unless its token has a machine meanwhile.
 * NOT_TAKEN: errno has the reason. */
static enum taking address_take(struct plugin *self, struct reeve_call *call,
                                const struct reeve_wish_v1 *request, struct reeve_text *address,
                                const char *new, const char *path)
{
    int lock = lock_take(self);
    enum taking result = NOT_TAKEN;
    struct reeve_text before;
    char name[ADDRESS_BYTES + 1];
    int error;

    snprintf(name, sizeof(name), "%.*s", (int)address->length, address->bytes);
    if (lock >= 0 && taken_find(self, call, request, &before)) {
        *address = before;
        result = TAKEN_BEFORE;
    } else if (lock >= 0 && token_note(self, request->token, name)) {
        result = link(new, path) == 0 ? TAKEN : errno == EEXIST ? IS_ANOTHERS : NOT_TAKEN;
    }
    error = errno;
    if (lock >= 0) {
        close(lock);
    }
    unlink(new);
    errno = error;
    return result;
}

/* Finds the machine of a repeated request. Returns false if that is unknown; errno has the
 * reason. */
static bool before_find(struct plugin *self, struct reeve_call *call,
                        const struct reeve_wish_v1 *request, struct reeve_text *out,
                        bool *out_found)
{
    int lock = lock_take(self);
    bool is_known = lock >= 0 && index_have(self, call);
    int error;

    *out_found = is_known && taken_find(self, call, request, out);
    error = errno;
    if (lock >= 0) {
        close(lock);
    }
    errno = error;
    return is_known;
}

static int32_t machine_made(struct plugin *self, struct reeve_call *call, struct reeve_text address)
{
    self->host->made(call, address);
    return folder_sync(self) ? REEVE_OK : disk_failed(self, call, REEVE_UNKNOWN);
}

/* Allocates the first free address. Syncs happen without the lock, because many addresses are
 * allocated at the same time. */
static int32_t machine_take(struct plugin *self, struct reeve_call *call,
                            const struct reeve_wish_v1 *request)
{
    struct machine machine = { .name = request->name,
                               .zone = request->zone,
                               .labels = request->labels,
                               .properties = request->properties,
                               .tags = request->tags,
                               .tag_count = request->tag_count };
    char *bytes = self->host->allocate(call, MACHINE_BYTES);
    uint64_t count = address_count(self, call);
    char path[PATH_BYTES];
    char new[PATH_BYTES + 32];

    for (uint64_t i = 0; i < count; i++) {
        struct reeve_text address =
            address_at(self, call, (first_choice(request, count) + i) % count);
        enum taking taking;
        size_t length;

        if (!path_make(self, address, path) || access(path, F_OK) == 0) {
            continue;
        }
        machine.reach = text_of(reach_make(self, call, address));
        length = machine_format(&machine, bytes, MACHINE_BYTES);
        if (length == 0) {
            continue;
        }
        taking = file_write(call, path, bytes, length, new, sizeof(new))
                     ? address_take(self, call, request, &address, new, path)
                     : NOT_TAKEN;
        if (taking == TAKEN || taking == TAKEN_BEFORE) {
            return machine_made(self, call, address);
        }
        if (taking == NOT_TAKEN) {
            return disk_failed(self, call, REEVE_UNKNOWN);
        }
    }
    self->host->fault(call, REEVE_TEXT("/addresses"),
                      REEVE_TEXT("all of these machines are in use: list more of them"));
    return REEVE_CAPACITY;
}

static int32_t static_create(void *arg, struct reeve_call *call,
                             const struct reeve_wish_v1 *request)
{
    struct plugin *self = arg;
    struct reeve_text address;
    bool is_found;

    if (!before_find(self, call, request, &address, &is_found)) {
        return disk_failed(self, call, REEVE_TRANSIENT);
    }
    return is_found ? machine_made(self, call, address) : machine_take(self, call, request);
}

/* Removes the machine and its token's link, with the lock held: the address may be allocated again
 * immediately. */
static bool machine_forget(struct plugin *self, const struct reeve_row_v1 *row, const char *path)
{
    char link_path[PATH_BYTES];
    int lock = lock_take(self);
    bool is_done = lock >= 0 && (unlink(path) == 0 || errno == ENOENT);
    int error = errno;

    if (is_done && token_path(self, tag_of(row, "reeve.token"), link_path)) {
        unlink(link_path);
    }
    if (lock >= 0) {
        close(lock);
    }
    errno = error;
    return is_done;
}

static int32_t static_destroy(void *arg, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text reason)
{
    struct plugin *self = arg;
    struct reeve_row_v1 row;
    char path[PATH_BYTES];

    (void)reason;
    if (!row_read(self, call, cluster, id, &row) || !path_make(self, id, path)) {
        return REEVE_OK; /* the machine belongs to another cluster */
    }
    return machine_forget(self, &row, path) && folder_sync(self)
               ? REEVE_OK
               : disk_failed(self, call, REEVE_UNKNOWN);
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
    return owner_write(call, path, changed, length) ? REEVE_OK
                                                    : disk_failed(self, call, REEVE_UNKNOWN);
}

/* ---- listing ---- */

static int32_t all_report(struct plugin *self, struct reeve_call *call, struct reeve_text cluster)
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
        return all_report(self, call, query->cluster);
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
        .help = REEVE_STATIC("addresses or host names of the machines"),
        .example = REEVE_STATIC("[10.0.0.11, 10.0.0.12, 10.0.0.13, 10.0.0.14]"),
    },
    {
        .name = REEVE_STATIC("user"),
        .type = REEVE_TYPE_TEXT,
        .role = REEVE_ROLE_USER,
        .initial = REEVE_STATIC("root"),
        .help = REEVE_STATIC("the user for logins by ssh"),
        .example = REEVE_STATIC("root"),
    },
    {
        .name = REEVE_STATIC("port"),
        .type = REEVE_TYPE_INTEGER,
        .initial = REEVE_STATIC("22"),
        .help = REEVE_STATIC("the port of the machines' sshd"),
        .example = REEVE_STATIC("22"),
        .least = 1,
        .most = 65535,
    },
    {
        .name = REEVE_STATIC("hostKeys"),
        .type = REEVE_TYPE_MAP,
        .flags = REEVE_PROPERTY_IN_PLACE,
        .help = REEVE_STATIC("the host key of each address, as ssh-keyscan prints it; without it, "
                             "ssh.firstUse of the group applies"),
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
    .about = REEVE_STATIC("existing machines, by their addresses: reserved and released"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_TOKEN,
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
