#include "base/limits.h"
#include "base/sort.h"
#include "host/host.h"
#include "sys/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The state of a plugin if the manager does not keep it: for `reeve plugin test`, and for programs
 * without a store. There is one file for each key. The parts of a key are folders below
 * FOLDER/.state; its last part is a file with the suffix "=", which no key contains. A file has the
 * version in its first line, and then the value. It gets its name when it is completely on the
 * disk. */

#define STATE_FOLDER ".state"
#define STATE_SUFFIX "="

enum { STATE_PATH_BYTES = 4096, STATE_FILE_BYTES = LIMIT_PLUGIN_STATE_VALUE_BYTES + 32 };

static void state_folder_fail(struct arena *arena, const struct state_request *request,
                              struct wire_state *out)
{
    *out = (struct wire_state){ .result = request->access == WIRE_STATE_PUT ? REEVE_UNKNOWN
                                                                            : REEVE_TRANSIENT,
                                .message = arena_printf(arena, "%s", strerror(errno)) };
}

/* Reads the file of a key. Returns false with errno if that fails. If the file does not exist, the
 * version is 0. */
static bool state_file_read(struct arena *arena, const char *path, struct wire_state_entry *out)
{
    char *bytes = arena_alloc(arena, STATE_FILE_BYTES + 1);
    AUTO(fd) file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct text all, line;
    ssize_t length;
    int64_t version;

    out->version = 0;
    out->value = TEXT("");
    if (file < 0) {
        return errno == ENOENT || errno == ENOTDIR;
    }
    length = read(file, bytes, STATE_FILE_BYTES);
    if (length < 0) {
        return false;
    }
    all = (struct text){ bytes, (size_t)length };
    line = text_slice(all, 0, text_find_byte(all, '\n'));
    errno = EBADMSG;
    if (line.length == all.length || !text_parse_int64(line, &version) || version <= 0) {
        return false;
    }
    out->version = (uint64_t)version;
    out->value = text_slice(all, line.length + 1, all.length);
    return true;
}

/* Creates the folders on a path below FOLDER/.state, and syncs each folder that contains a new
 * one. */
static bool state_folders_make(char *path, size_t from)
{
    for (char *at = path + from; (at = strchr(at, '/')) != NULL; at++) {
        bool is_new;

        *at = '\0';
        is_new = mkdir(path, 0700) == 0;
        if (!is_new && errno != EEXIST) {
            *at = '/';
            return false;
        }
        *at = '/';
    }
    return true;
}

static bool state_folder_sync(const char *path)
{
    char folder[STATE_PATH_BYTES];
    AUTO(fd) file = FD_NONE;

    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return file >= 0 && fsync(file) == 0;
}

static bool state_file_write(const char *path, uint64_t version, struct text value)
{
    char next[STATE_PATH_BYTES + 8];
    char head[32];
    int length = snprintf(head, sizeof(head), "%" PRIu64 "\n", version);
    bool is_done;
    AUTO(fd) file = FD_NONE;

    snprintf(next, sizeof(next), "%s.part", path);
    file = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    is_done = file >= 0 && write(file, head, (size_t)length) == length &&
              write(file, value.data, value.length) == (ssize_t)value.length && fsync(file) == 0 &&
              rename(next, path) == 0;
    return is_done && state_folder_sync(path);
}

/* Returns the version after this one. Versions follow the clock, so that a value that is deleted
 * and written again gets another version. */
static uint64_t state_version_after(uint64_t version)
{
    struct timespec now;
    uint64_t next;

    clock_gettime(CLOCK_REALTIME, &now);
    next = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return next > version ? next : version + 1;
}

static void state_folder_put(struct arena *arena, const struct state_request *request, char *path,
                             size_t from, struct wire_state *out)
{
    struct wire_state_entry *entry = arena_one(arena, struct wire_state_entry);
    bool is_done;

    if (!state_file_read(arena, path, entry)) {
        state_folder_fail(arena, request, out);
        return;
    }
    entry->key = request->key;
    out->entries = (struct wire_list){ entry, 1 };
    if (entry->version != request->version) {
        out->result = REEVE_INVALID;
        return;
    }
    if (request->value.length == 0) {
        is_done = unlink(path) == 0 ? state_folder_sync(path) : errno == ENOENT;
        entry->version = 0;
    } else {
        entry->version = state_version_after(entry->version);
        is_done = state_folders_make(path, from) &&
                  state_file_write(path, entry->version, request->value);
    }
    if (!is_done) {
        state_folder_fail(arena, request, out);
        return;
    }
    entry->value = request->value;
}

/* ---- listing ---- */

struct state_found {
    struct arena *arena;
    struct text prefix;
    struct wire_state_entry *entries;
    size_t count, room;
};

static void state_found_add(struct state_found *found, struct text key, const char *path)
{
    struct wire_state_entry entry = { .key = arena_text(found->arena, key) };

    if (!text_has_prefix(key, found->prefix) || found->count >= LIMIT_HOST_ROWS ||
        !state_file_read(found->arena, path, &entry) || entry.version == 0) {
        return;
    }
    if (found->count == found->room) {
        size_t room = found->room * 2 + 16;

        found->entries =
            arena_grow(found->arena, found->entries, found->room * sizeof(*found->entries),
                       room * sizeof(*found->entries));
        found->room = room;
    }
    found->entries[found->count++] = entry;
}

/* Adds the keys below a folder. `base` is the position of the key in the path. */
static bool state_folder_walk(struct state_found *found, const char *path, size_t base,
                              unsigned depth)
{
    const struct dirent *entry;
    DIR *listing = opendir(path);
    bool is_done = listing != NULL || errno == ENOENT;

    while (listing != NULL && is_done && (entry = readdir(listing)) != NULL) {
        char below[STATE_PATH_BYTES];
        size_t length;

        if (entry->d_name[0] == '.' ||
            snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below)) {
            continue;
        }
        length = strlen(below);
        if (below[length - 1] == STATE_SUFFIX[0]) {
            state_found_add(found, (struct text){ below + base, length - base - 1 }, below);
        } else if (depth > 0 && strstr(entry->d_name, STATE_SUFFIX) == NULL) {
            is_done = state_folder_walk(found, below, base, depth - 1);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return is_done;
}

static int state_entry_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct wire_state_entry *)a)->key,
                        ((const struct wire_state_entry *)b)->key);
}

static void state_folder_list(struct arena *arena, const struct state_request *request,
                              const char *folder, struct wire_state *out)
{
    enum { DEPTH_MAX = 16 };
    struct state_found found = { .arena = arena, .prefix = request->key };
    char path[STATE_PATH_BYTES];

    snprintf(path, sizeof(path), "%s/" STATE_FOLDER, folder);
    if (!state_folder_walk(&found, path, strlen(path) + 1, DEPTH_MAX)) {
        state_folder_fail(arena, request, out);
        return;
    }
    sort_stable(arena, found.entries, found.count, sizeof(*found.entries), state_entry_compare,
                NULL);
    out->entries = (struct wire_list){ found.entries, found.count };
}

/* ---- access ---- */

/* Locks the state against other threads, and against an old process that is still ending. */
static int state_lock(const char *folder)
{
    char path[STATE_PATH_BYTES];
    int lock;

    snprintf(path, sizeof(path), "%s/" STATE_FOLDER, folder);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/" STATE_FOLDER "/.lock", folder);
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

void state_folder_access(const char *folder, struct arena *arena,
                         const struct state_request *request, struct wire_state *out)
{
    AUTO(fd) lock = state_lock(folder);
    struct wire_state_entry *entry;
    char path[STATE_PATH_BYTES];
    size_t from;

    *out = (struct wire_state){ .result = REEVE_OK };
    from = (size_t)snprintf(path, sizeof(path), "%s/" STATE_FOLDER "/", folder);
    if (lock < 0 || from >= sizeof(path) - LIMIT_PLUGIN_STATE_KEY_BYTES - 8) {
        state_folder_fail(arena, request, out);
        return;
    }
    snprintf(path + from, sizeof(path) - from, "%.*s" STATE_SUFFIX, TEXT_ARG(request->key));
    switch (request->access) {
    case WIRE_STATE_PUT:
        state_folder_put(arena, request, path, from, out);
        break;
    case WIRE_STATE_LIST:
        state_folder_list(arena, request, folder, out);
        break;
    case WIRE_STATE_GET:
    case WIRE_STATE_COUNT:
        entry = arena_one(arena, struct wire_state_entry);
        entry->key = request->key;
        out->entries = (struct wire_list){ entry, 1 };
        if (!state_file_read(arena, path, entry)) {
            state_folder_fail(arena, request, out);
        }
        break;
    }
}
