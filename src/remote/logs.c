#include "remote/logs.h"

#include "remote/logs_parts.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Logs are lines "WALL_MS END TEXT
 * " in pieces (logs_parts.h). Each line is appended to the latest piece with one write. If a crash
 * has truncated a line, it is ignored when the log is read, and removed before the next write. */

#define MASK "***"

struct logs_limits logs_limits_usual(void)
{
    return (struct logs_limits){ .attempt_bytes = REMOTE_LOG_BYTES,
                                 .attempts = REMOTE_LOG_ATTEMPTS,
                                 .nodes = REMOTE_LOG_NODES,
                                 .bytes = REMOTE_LOGS_BYTES };
}

bool logs_is_node(struct text node)
{
    bool is_good = node.length > 0 && node.length < LOGS_NODE_BYTES && node.data[0] != '.';

    for (size_t i = 0; is_good && i < node.length; i++) {
        char c = node.data[i];

        is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
    }
    return is_good;
}

MUST_CHECK static bool logs_failed(const char *what, struct err *err)
{
    return err_set(err, CODE_R0729, "%s: %s", what, strerror(errno));
}

/* ---- writing ---- */

static void file_leave(struct logs *logs)
{
    if (logs->file != FD_NONE) {
        close(logs->file);
    }
    logs->file = FD_NONE;
}

MUST_CHECK static bool logs_piece_open(struct logs *logs, int folder, struct err *err)
{
    char name[LOGS_NAME_BYTES];

    logs_piece_name(&logs->piece, name);
    logs->file = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (logs->file < 0) {
        logs->file = FD_NONE;
        return logs_failed("the log cannot be opened", err);
    }
    return true;
}

/* Opens the latest piece of an attempt, or creates its first piece. Removes an incomplete last
 * line. */
MUST_CHECK static bool piece_find(struct logs *logs, const struct logs_key *key, int folder,
                                  struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    size_t count;
    size_t mine;
    const struct logs_piece *all = logs_pieces(arena, folder, &count);
    const struct logs_piece *pieces = logs_pieces_of(all, count, key, &mine);
    struct logs_line last = { 0 };
    uint64_t whole;

    if (mine == 0) {
        logs_room_attempts(logs, folder);
    }
    logs->piece = mine > 0 ? pieces[mine - 1]
                           : (struct logs_piece){ .stage = key->stage, .attempt = key->attempt };
    if (!logs_piece_open(logs, folder, err)) {
        return false;
    }
    logs->end =
        logs_last_find(logs->file, logs->piece.bytes, &last, &whole) ? last.end : logs->piece.out;
    if (whole < logs->piece.bytes) {
        if (ftruncate(logs->file, (off_t)whole) != 0) {
            return logs_failed("the log cannot be repaired", err);
        }
        logs_room_change(logs, (int64_t)whole - (int64_t)logs->piece.bytes);
        logs->piece.bytes = whole;
    }
    return true;
}

MUST_CHECK static bool file_enter(struct logs *logs, const struct logs_key *key, struct err *err)
{
    char node[LOGS_NODE_BYTES];
    AUTO(fd) folder = FD_NONE;

    snprintf(node, sizeof(node), "%.*s", TEXT_ARG(key->node));
    if (logs->file != FD_NONE && strcmp(node, logs->node) == 0 && logs->piece.stage == key->stage &&
        logs->piece.attempt == key->attempt) {
        return true;
    }
    file_leave(logs);
    logs->again = 0; /* another walk is possible now: the log that was written so far may be
                      * dropped */
    if (!logs_node_open(logs, node, &folder, err)) {
        return false;
    }
    snprintf(logs->node, sizeof(logs->node), "%s", node);
    if (!piece_find(logs, key, folder, err)) {
        file_leave(logs);
        return false;
    }
    return true;
}

/* If the output is too long, drops the oldest pieces that follow its beginning. */
static void tail_cut(struct logs *logs, const struct logs_key *key, int folder)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    size_t count;
    const struct logs_piece *all = logs_pieces(arena, folder, &count);
    const struct logs_piece *pieces = logs_pieces_of(all, count, key, &count);
    size_t first = count > 0 && pieces[0].start == 0 ? 1 : 0;

    for (size_t i = first; i + LOGS_TAIL_PIECES < count; i++) {
        char name[LOGS_NAME_BYTES];

        logs_piece_name(&pieces[i], name);
        if (unlinkat(folder, name, 0) == 0) {
            logs_room_change(logs, -(int64_t)pieces[i].bytes);
        }
    }
}

/* Begins a new piece, because a line of `length` bytes does not fit into the latest piece. */
MUST_CHECK static bool piece_next(struct logs *logs, const struct logs_key *key, size_t length,
                                  struct err *err)
{
    uint64_t most = logs->limits.attempt_bytes / LOGS_PARTS * (logs->piece.start == 0 ? 2 : 1);
    struct logs_piece old = logs->piece;
    AUTO(fd) folder = FD_NONE;

    if (old.bytes == 0 || old.bytes + length <= most) {
        return true;
    }
    if (!logs_node_open(logs, logs->node, &folder, err)) {
        return false;
    }
    file_leave(logs);
    logs->piece = (struct logs_piece){ .stage = key->stage,
                                       .attempt = key->attempt,
                                       .start = old.start + old.bytes,
                                       .out = logs->end };
    if (!logs_piece_open(logs, folder, err)) {
        return false;
    }
    tail_cut(logs, key, folder);
    return true;
}

/* Returns the length of the colour sequence at this position; 0 if there is none. All other escape
 * sequences are removed, because they could control a terminal. */
static size_t colour_length(struct text text, size_t at)
{
    size_t length = text_escape_length(text, at);

    for (size_t i = at + 2; length > 0 && i + 1 < at + length; i++) {
        if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != ';' &&
            text.data[i] != ':') {
            return 0;
        }
    }
    return length > 0 && text.data[at + length - 1] == 'm' ? length : 0;
}

/* Writes the text without control characters, except TAB and colours. Secrets are masked. */
static size_t logs_text_write(char *out, size_t room, struct text text, const struct text *secrets,
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
        } else if ((hit = colour_length(text, i)) > 0 && length + hit + sizeof(MASK) < room) {
            memcpy(out + length, text.data + i, hit);
            length += hit;
            i += hit;
        } else {
            unsigned char byte = (unsigned char)text.data[i++];

            out[length++] = (byte < 0x20 && byte != '\t') || byte == 0x7f ? '?' : (char)byte;
        }
    }
    return length;
}

static const char *const logs_hooks[] = { "cleanup", "drain", "undrain", "verify" };

uint32_t logs_hook_find(struct text name)
{
    uint32_t at = 0;

    while (at < ARRAY_COUNT(logs_hooks) && !text_is(name, logs_hooks[at])) {
        at++;
    }
    return LOGS_HOOK + at;
}

const char *logs_hook_name(uint32_t stage)
{
    return stage < LOGS_HOOK || stage >= LOGS_HOOK_END ? NULL : logs_hooks[stage - LOGS_HOOK];
}

bool logs_begin(struct logs *logs, const struct logs_key *key, struct err *err)
{
    if (!logs_is_node(key->node) || key->stage >= LOGS_HOOK_END) {
        return err_set(err, CODE_R0729, "'%.*s' is not a valid name of a node",
                       TEXT_ARG(key->node));
    }
    return file_enter(logs, key, err);
}

bool logs_add(struct logs *logs, const struct logs_key *key, const struct logs_line *line,
              const struct text *secrets, size_t secret_count, struct err *err)
{
    char room[LOGS_LINE_BYTES];
    struct text text = line->text;
    size_t length;
    ssize_t n;

    while (text.length > 0 && text.data[text.length - 1] == '\r') {
        text.length--; /* drop a trailing carriage return, which has no meaning */
    }
    length = (size_t)snprintf(room, LOGS_HEAD_BYTES, "%" PRId64 " %" PRIu64 " ", line->wall_ms,
                              line->end);
    length +=
        logs_text_write(room + length, sizeof(room) - length - 1, text, secrets, secret_count);
    room[length++] = '\n';
    if (!logs_begin(logs, key, err) || !piece_next(logs, key, length, err)) {
        return false;
    }
    n = pwrite(logs->file, room, length, (off_t)logs->piece.bytes);
    if (n != (ssize_t)length) {
        errno = n < 0 ? errno : ENOSPC;
        (void)!ftruncate(logs->file, (off_t)logs->piece.bytes);
        file_leave(logs);
        return logs_failed("a line cannot be written", err);
    }
    logs->piece.bytes += length;
    logs->end = line->end;
    logs_room_change(logs, (int64_t)length);
    logs_room_step(logs);
    return true;
}

/* ---- opening and closing ---- */

bool logs_open(const char *path, struct logs_limits limits, struct logs **out, struct err *err)
{
    struct logs *logs;
    int folder;

    assert(limits.attempts > 0 && limits.nodes > 0 && limits.bytes > 0);
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
        logs_room_leave(logs);
        close(logs->folder);
        rows_free(logs);
    }
}
