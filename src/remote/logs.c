#include "remote/logs.h"

#include "base/sort.h"
#include "remote/bounds.h"
#include "remote/logs_parts.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder a node, a file an attempt: STAGE.ATTEMPT, with lines "WALL_MS END TEXT\n". A line is one write at the end of the
 * file; what a kill has torn is cut off when the file is next written to, and not read before. */

enum { FILE_NAME_BYTES = 32, PIECE_BYTES = 64 * 1024, NODE_BYTES = 128, HEAD_BYTES = 64 };

#define MASK      "***"
#define TOO_MUCH  "(more is not kept)"
#define LINE_MOST (REMOTE_LINE_BYTES + HEAD_BYTES)

struct logs {
    int folder;
    struct logs_limits limits;
    /* the file that was written last */
    char node[NODE_BYTES];
    char name[FILE_NAME_BYTES];
    int file;
    uint64_t bytes;
    bool is_full;
};

struct logs_limits logs_limits_usual(void)
{
    return (struct logs_limits){ .attempt_bytes = REMOTE_LOG_BYTES,
                                 .attempts = REMOTE_LOG_ATTEMPTS,
                                 .nodes = REMOTE_LOG_NODES };
}

bool logs_is_node(struct text node)
{
    bool is_good = node.length > 0 && node.length < NODE_BYTES && node.data[0] != '.';

    for (size_t i = 0; is_good && i < node.length; i++) {
        char c = node.data[i];

        is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
    }
    return is_good;
}

MUST_CHECK static bool failed(const char *what, struct err *err)
{
    return err_set(err, CODE_R0729, "%s: %s", what, strerror(errno));
}

static void name_format(const struct logs_key *key, char out[static FILE_NAME_BYTES])
{
    snprintf(out, FILE_NAME_BYTES, "%" PRIu32 ".%" PRIu32, key->stage, key->attempt);
}

static bool name_parse(const char *name, struct logs_key *out)
{
    struct text text = text_from(name);
    size_t dot = text_find_byte(text, '.');
    int64_t stage;
    int64_t attempt;

    if (dot == SIZE_MAX || !text_parse_int64(text_slice(text, 0, dot), &stage) ||
        !text_parse_int64(text_slice(text, dot + 1, text.length), &attempt) || stage < 0 ||
        stage >= REMOTE_STAGES || attempt < 0 || attempt > UINT32_MAX) {
        return false;
    }
    *out = (struct logs_key){ .stage = (uint32_t)stage, .attempt = (uint32_t)attempt };
    return true;
}

/* ---- what is in a folder ---- */

/* Call back for every name; false from it ends the walk. */
static void folder_walk_names(int folder, bool (*seen)(void *arg, int folder, const char *name),
                              void *arg)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && !seen(arg, folder, entry->d_name)) {
            break;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* The one that was written to longest ago, and how many there are. */
struct oldest {
    size_t count;
    char name[NODE_BYTES];
    struct timespec at;
};

static bool oldest_seen(void *arg, int folder, const char *name)
{
    struct oldest *oldest = arg;
    struct stat status;

    if (strlen(name) < NODE_BYTES && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        struct timespec at = status.st_mtim;

        if (oldest->count == 0 || at.tv_sec < oldest->at.tv_sec ||
            (at.tv_sec == oldest->at.tv_sec && at.tv_nsec < oldest->at.tv_nsec)) {
            snprintf(oldest->name, sizeof(oldest->name), "%s", name);
            oldest->at = at;
        }
        oldest->count++;
    }
    return true;
}

static bool file_remove(void *arg, int folder, const char *name)
{
    (void)arg;
    (void)unlinkat(folder, name, 0);
    return true;
}

/* Make room for one more in a folder: the oldest goes. */
static void room_make(int folder, size_t most, bool is_nodes)
{
    for (;;) {
        struct oldest oldest = { 0 };

        folder_walk_names(folder, oldest_seen, &oldest);
        if (oldest.count < most) {
            return;
        }
        if (is_nodes) {
            AUTO(fd)
            node = openat(folder, oldest.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

            if (node >= 0) {
                folder_walk_names(node, file_remove, NULL);
                logs_owner_forget(folder, oldest.name);
            }
        }
        if (unlinkat(folder, oldest.name, is_nodes ? AT_REMOVEDIR : 0) != 0) {
            return; /* the next time */
        }
    }
}

/* ---- lines ---- */

/* One whole line; false: there is none, or what is there is no line of a log. */
static bool line_read(struct text *rest, struct logs_line *out)
{
    size_t end = text_find_byte(*rest, '\n');
    struct text line = text_slice(*rest, 0, end == SIZE_MAX ? 0 : end);
    size_t first = text_find_byte(line, ' ');
    struct text behind = text_slice(line, first + 1, line.length);
    size_t second = first == SIZE_MAX ? SIZE_MAX : text_find_byte(behind, ' ');
    int64_t byte;

    if (second == SIZE_MAX || !text_parse_int64(text_slice(line, 0, first), &out->wall_ms) ||
        !text_parse_int64(text_slice(behind, 0, second), &byte) || byte < 0) {
        return false;
    }
    out->end = (uint64_t)byte;
    out->text = text_slice(behind, second + 1, behind.length);
    *rest = text_slice(*rest, end + 1, rest->length);
    return true;
}

/* Where the last whole line begins and ends; both 0 where there is none. */
static bool last_find(int file, uint64_t size, struct logs_line *out, uint64_t *out_end)
{
    char room[LINE_MOST * 2];
    uint64_t start = size > sizeof(room) ? size - sizeof(room) : 0;
    ssize_t n = pread(file, room, sizeof(room), (off_t)start);
    size_t end = n > 0 ? (size_t)n : 0;
    size_t begin;
    struct text line;

    *out_end = 0;
    while (end > 0 && room[end - 1] != '\n') {
        end--;
    }
    begin = end > 0 ? end - 1 : 0;
    while (begin > 0 && room[begin - 1] != '\n') {
        begin--;
    }
    line = (struct text){ room + begin, end - begin };
    if (end == 0 || !line_read(&line, out)) {
        return false;
    }
    *out_end = start + end;
    out->text = TEXT("");
    return true;
}

/* ---- writing ---- */

static void file_leave(struct logs *logs)
{
    if (logs->file != FD_NONE) {
        close(logs->file);
    }
    logs->file = FD_NONE;
}

int logs_folder(const struct logs *logs)
{
    return logs->folder;
}

bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err)
{
    struct stat status;

    if (fstatat(logs->folder, node, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        room_make(logs->folder, logs->limits.nodes, true);
    }
    return folder_make_beneath(logs->folder, node, 0700, out, err);
}

MUST_CHECK static bool file_enter(struct logs *logs, const struct logs_key *key, struct err *err)
{
    char name[FILE_NAME_BYTES];
    char node[NODE_BYTES];
    struct logs_line last;
    struct stat status;
    AUTO(fd) folder = FD_NONE;

    name_format(key, name);
    snprintf(node, sizeof(node), "%.*s", TEXT_ARG(key->node));
    if (logs->file != FD_NONE && strcmp(node, logs->node) == 0 && strcmp(name, logs->name) == 0) {
        return true;
    }
    file_leave(logs);
    if (!logs_node_open(logs, node, &folder, err)) {
        return false;
    }
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        room_make(folder, logs->limits.attempts, false);
    }
    logs->file = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (logs->file < 0 || fstat(logs->file, &status) != 0) {
        logs->file = logs->file < 0 ? FD_NONE : logs->file;
        return failed("the log cannot be opened", err);
    }
    (void)last_find(logs->file, (uint64_t)status.st_size, &last, &logs->bytes);
    if (logs->bytes < (uint64_t)status.st_size && ftruncate(logs->file, (off_t)logs->bytes) != 0) {
        return failed("the log cannot be mended", err);
    }
    snprintf(logs->node, sizeof(logs->node), "%s", node);
    snprintf(logs->name, sizeof(logs->name), "%s", name);
    logs->is_full = logs->bytes >= logs->limits.attempt_bytes;
    return true;
}

/* The text with no control characters but TAB, and no secret. */
static size_t text_write(char *out, size_t room, struct text text, const struct text *secrets,
                         size_t secret_count)
{
    size_t length = 0;
    size_t i = 0;

    while (i < text.length && length + sizeof(MASK) < room) {
        size_t hit = 0;

        for (size_t n = 0; n < secret_count; n++) {
            if (secrets[n].length > hit &&
                text_is_equal(text_slice(text, i, secrets[n].length), secrets[n])) {
                hit = secrets[n].length;
            }
        }
        if (hit > 0) {
            memcpy(out + length, MASK, sizeof(MASK) - 1);
            length += sizeof(MASK) - 1;
            i += hit;
        } else {
            unsigned char byte = (unsigned char)text.data[i++];

            out[length++] = (byte < 0x20 && byte != '\t') || byte == 0x7f ? '?' : (char)byte;
        }
    }
    return length;
}

bool logs_add(struct logs *logs, const struct logs_key *key, const struct logs_line *line,
              const struct text *secrets, size_t secret_count, struct err *err)
{
    char room[LINE_MOST];
    struct text text = line->text;
    size_t length;
    ssize_t n;

    if (!logs_is_node(key->node) || key->stage >= REMOTE_STAGES) {
        return err_set(err, CODE_R0729, "'%.*s' is no name of a node", TEXT_ARG(key->node));
    }
    if (!file_enter(logs, key, err)) {
        return false;
    }
    if (logs->is_full) {
        return true;
    }
    while (text.length > 0 && text.data[text.length - 1] == '\r') {
        text.length--; /* what ends its lines for a terminal says nothing by it */
    }
    length =
        (size_t)snprintf(room, HEAD_BYTES, "%" PRId64 " %" PRIu64 " ", line->wall_ms, line->end);
    logs->is_full = logs->bytes + length + text.length + 1 > logs->limits.attempt_bytes;
    if (logs->is_full) {
        length += (size_t)snprintf(room + length, HEAD_BYTES, TOO_MUCH);
    } else {
        length += text_write(room + length, sizeof(room) - length - 1, text, secrets, secret_count);
    }
    room[length++] = '\n';
    n = pwrite(logs->file, room, length, (off_t)logs->bytes);
    if (n != (ssize_t)length) {
        errno = n < 0 ? errno : ENOSPC;
        (void)!ftruncate(logs->file, (off_t)logs->bytes);
        file_leave(logs);
        return failed("a line cannot be written", err);
    }
    logs->bytes += length;
    return true;
}

/* ---- reading ---- */

/* The file of a log; FD_NONE where there is none. */
static int file_find(const struct logs *logs, const struct logs_key *key)
{
    char path[NODE_BYTES + FILE_NAME_BYTES];
    char name[FILE_NAME_BYTES];
    int file = FD_NONE;
    struct err ignored;

    name_format(key, name);
    snprintf(path, sizeof(path), "%.*s/%s", TEXT_ARG(key->node), name);
    if (!logs_is_node(key->node) || !file_open_beneath(logs->folder, path, &file, &ignored)) {
        return FD_NONE;
    }
    return file;
}

bool logs_read(struct logs *logs, struct arena *arena, const struct logs_key *key, uint64_t *offset,
               size_t most, struct logs_line **out, size_t *out_count, struct err *err)
{
    AUTO(fd) file = file_find(logs, key);
    char *piece = arena_room(arena, PIECE_BYTES);
    struct logs_line *lines = arena_array(arena, struct logs_line, most);
    struct text rest;
    ssize_t n;

    assert(PIECE_BYTES > LINE_MOST);
    *out = lines;
    *out_count = 0;
    if (file == FD_NONE) {
        return true;
    }
    n = pread(file, piece, PIECE_BYTES, (off_t)*offset);
    if (n < 0) {
        return failed("the log cannot be read", err);
    }
    rest = (struct text){ piece, (size_t)n };
    while (*out_count < most && line_read(&rest, &lines[*out_count])) {
        (*out_count)++;
    }
    *offset += (uint64_t)((size_t)n - rest.length);
    return true;
}

uint64_t logs_seen(struct logs *logs, const struct logs_key *key)
{
    AUTO(fd) file = file_find(logs, key);
    struct logs_line last;
    struct stat status;
    uint64_t end;

    return file != FD_NONE && fstat(file, &status) == 0 &&
                   last_find(file, (uint64_t)status.st_size, &last, &end)
               ? last.end
               : 0;
}

struct listing {
    struct arena *arena;
    struct logs_key *items;
    size_t count;
    size_t most;
};

static bool attempt_seen(void *arg, int folder, const char *name)
{
    struct listing *listing = arg;

    (void)folder;
    if (listing->count < listing->most && name_parse(name, &listing->items[listing->count])) {
        listing->count++;
    }
    return true;
}

static int key_compare(const void *a, const void *b, void *arg)
{
    const struct logs_key *left = a;
    const struct logs_key *right = b;

    (void)arg;
    return left->stage != right->stage
               ? (left->stage > right->stage) - (left->stage < right->stage)
               : (left->attempt > right->attempt) - (left->attempt < right->attempt);
}

bool logs_list(struct logs *logs, struct arena *arena, struct text node, struct logs_key **out,
               size_t *out_count, struct err *err)
{
    struct listing listing = { .arena = arena, .most = logs->limits.attempts };
    char name[NODE_BYTES];
    AUTO(fd) folder = FD_NONE;

    if (!logs_is_node(node)) {
        return err_set(err, CODE_R0729, "'%.*s' is no name of a node", TEXT_ARG(node));
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(node));
    listing.items = arena_array(arena, struct logs_key, listing.most);
    folder = openat(logs->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        folder_walk_names(folder, attempt_seen, &listing);
    }
    for (size_t i = 0; i < listing.count; i++) {
        listing.items[i].node = arena_text(arena, node);
    }
    sort_stable(arena, listing.items, listing.count, sizeof(*listing.items), key_compare, NULL);
    *out = listing.items;
    *out_count = listing.count;
    return true;
}

/* ---- beginning and ending ---- */

bool logs_open(const char *path, struct logs_limits limits, struct logs **out, struct err *err)
{
    struct logs *logs;
    int folder;

    assert(limits.attempts > 0 && limits.nodes > 0);
    if (mkdir(path, 0700) == 0) {
        (void)!chmod(path, 0700);
    }
    if (!folder_open(path, &folder, err)) {
        return false;
    }
    if (!folder_check_owner(folder, path, err)) {
        close(folder);
        return false;
    }
    logs = rows_resize(NULL, sizeof(*logs));
    *logs = (struct logs){ .folder = folder, .limits = limits, .file = FD_NONE };
    *out = logs;
    return true;
}

void logs_close(struct logs *logs)
{
    if (logs != NULL) {
        file_leave(logs);
        close(logs->folder);
        rows_free(logs);
    }
}
