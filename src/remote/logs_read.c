#include "remote/logs_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads stored output and shows gaps in it. */

enum { PIECE_BYTES = 64 * 1024, GAP_BYTES = 160, MS = 1000, NS_OF_MS = 1000000 };

bool logs_line_read(struct text *rest, struct logs_line *out)
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

bool logs_last_find(int file, uint64_t size, struct logs_line *out, uint64_t *out_end)
{
    char room[LOGS_LINE_BYTES * 2];
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
    if (end == 0 || !logs_line_read(&line, out)) {
        return false;
    }
    *out_end = start + end;
    out->text = TEXT("");
    return true;
}

/* Opens the folder of a node; FD_NONE if there is none. */
static int node_find(const struct logs *logs, struct text node)
{
    char name[LOGS_NODE_BYTES];
    int folder;

    if (!logs_is_node(node)) {
        return FD_NONE;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(node));
    folder = openat(logs->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder < 0 ? FD_NONE : folder;
}

/* Lists the pieces of an attempt in order. If `folder` is FD_NONE, the list is empty. */
static const struct logs_piece *pieces_find(struct arena *arena, int folder,
                                            const struct logs_key *key, size_t *out_count)
{
    struct logs_piece *all;
    size_t count;

    *out_count = 0;
    if (folder == FD_NONE) {
        return NULL;
    }
    all = logs_pieces(arena, folder, &count);
    return logs_pieces_of(all, count, key, out_count);
}

static int logs_read_piece_open(int folder, const struct logs_piece *piece)
{
    char name[LOGS_NAME_BYTES];
    int file;

    logs_piece_name(piece, name);
    file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return file < 0 ? FD_NONE : file;
}

/* ---- gaps ---- */

/* Returns the time of the piece's first line. For a piece without lines, returns the time of its
 * last write. */
static int64_t piece_time(int folder, const struct logs_piece *piece)
{
    AUTO(fd) file = logs_read_piece_open(folder, piece);
    char head[LOGS_HEAD_BYTES];
    ssize_t n = file == FD_NONE ? 0 : pread(file, head, sizeof(head), 0);
    struct text text = { head, n > 0 ? (size_t)n : 0 };
    int64_t ms;

    return text_parse_int64(text_slice(text, 0, text_find_byte(text, ' ')), &ms)
               ? ms
               : (int64_t)piece->at.tv_sec * MS + piece->at.tv_nsec / NS_OF_MS;
}

struct reading {
    struct arena *arena;
    int folder;
    const struct logs_piece *pieces;
    size_t count;
    uint64_t *offset;
    struct logs_line *lines;
    size_t most;
    size_t out_count;
};

/* Adds a line that shows a gap between the pieces `before` and `behind`. `before` is NULL if the
 * beginning of the output was dropped. The size of the gap is shown only if the reader has read all
 * output before it. */
static void logs_read_gap_report(struct reading *reading, const struct logs_piece *before,
                                 const struct logs_piece *behind)
{
    bool is_beginning_there = reading->pieces[0].start == 0;
    bool is_known =
        before == NULL ? *reading->offset == 0 : *reading->offset == before->start + before->bytes;
    uint64_t seen = before == NULL ? 0 : logs_piece_end(reading->folder, before);
    char words[GAP_BYTES];
    int length = is_known && behind->out > seen
                     ? snprintf(words, sizeof(words), "(%" PRIu64 " bytes", behind->out - seen)
                     : snprintf(words, sizeof(words), "(some lines");

    length += snprintf(words + length, sizeof(words) - (size_t)length,
                       is_beginning_there ? " are missing: the output exceeded its limit)"
                                          : " were removed to make room for newer output)");
    reading->lines[reading->out_count++] = (struct logs_line){
        .wall_ms = piece_time(reading->folder, behind),
        .end = behind->out,
        .text = arena_text(reading->arena, (struct text){ words, (size_t)length }),
    };
    *reading->offset = behind->start;
}

/* ---- lines ---- */

/* Reads the lines from a position in a piece to its end. */
MUST_CHECK static bool logs_read_piece_read(struct reading *reading, const struct logs_piece *piece,
                                            struct err *err)
{
    AUTO(fd) file = logs_read_piece_open(reading->folder, piece);
    char *room = arena_room(reading->arena, PIECE_BYTES);
    struct text rest;
    ssize_t n;

    if (file == FD_NONE) {
        return true; /* the piece was dropped while the log was read */
    }
    n = pread(file, room, PIECE_BYTES, (off_t)(*reading->offset - piece->start));
    if (n < 0) {
        return err_set(err, CODE_R0729, "the log cannot be read: %s", strerror(errno));
    }
    rest = (struct text){ room, (size_t)n };
    while (reading->out_count < reading->most &&
           logs_line_read(&rest, &reading->lines[reading->out_count])) {
        reading->out_count++;
    }
    *reading->offset += (uint64_t)((size_t)n - rest.length);
    return true;
}

/* Returns the index of the piece that contains the reader's position; otherwise of the last piece
 * before the position. SIZE_MAX: all pieces are after it. */
static size_t piece_at(const struct reading *reading)
{
    size_t at = SIZE_MAX;

    for (size_t i = 0; i < reading->count && reading->pieces[i].start <= *reading->offset; i++) {
        at = i;
    }
    return at;
}

/* Reads the next pieces until at least one line was found. */
MUST_CHECK static bool lines_read(struct reading *reading, struct err *err)
{
    for (size_t at = piece_at(reading); at == SIZE_MAX || at < reading->count; at++) {
        const struct logs_piece *piece = at == SIZE_MAX ? NULL : &reading->pieces[at];
        const struct logs_piece *next = at == SIZE_MAX            ? &reading->pieces[0]
                                        : at + 1 < reading->count ? &reading->pieces[at + 1]
                                                                  : NULL;

        if (piece != NULL && !logs_read_piece_read(reading, piece, err)) {
            return false;
        }
        if (reading->out_count > 0 || next == NULL) {
            break;
        }
        if (piece == NULL || piece->start + piece->bytes < next->start) {
            logs_read_gap_report(reading, piece, next);
            break;
        }
        *reading->offset = next->start;
    }
    return true;
}

bool logs_read(struct logs *logs, struct arena *arena, const struct logs_key *key, uint64_t *offset,
               size_t most, struct logs_line **out, size_t *out_count, struct err *err)
{
    AUTO(fd) folder = node_find(logs, key->node);
    struct reading reading = { .arena = arena,
                               .folder = folder,
                               .offset = offset,
                               .lines = arena_array(arena, struct logs_line, most + 1),
                               .most = most };

    assert((size_t)PIECE_BYTES > (size_t)LOGS_LINE_BYTES);
    *out = reading.lines;
    *out_count = 0;
    if (folder == FD_NONE || most == 0) {
        return true;
    }
    reading.pieces = pieces_find(arena, folder, key, &reading.count);
    if (reading.count > 0 && !lines_read(&reading, err)) {
        return false;
    }
    *out_count = reading.out_count;
    return true;
}

uint64_t logs_tail(struct logs *logs, const struct logs_key *key)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) folder = node_find(logs, key->node);
    size_t count;
    const struct logs_piece *pieces = pieces_find(arena, folder, key, &count);

    return count < 2 ? 0 : pieces[count - 2].start;
}

uint64_t logs_seen(struct logs *logs, const struct logs_key *key)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) folder = node_find(logs, key->node);
    size_t count;
    const struct logs_piece *pieces = pieces_find(arena, folder, key, &count);

    return count == 0 ? 0 : logs_piece_end(folder, &pieces[count - 1]);
}

bool logs_list(struct logs *logs, struct arena *arena, struct text node, struct logs_key **out,
               size_t *out_count, struct err *err)
{
    AUTO(fd) folder = node_find(logs, node);
    struct logs_piece *pieces = NULL;
    struct logs_key *keys;
    size_t count = 0;
    size_t found = 0;

    if (!logs_is_node(node)) {
        return err_set(err, CODE_R0729, "'%.*s' is not a valid name of a node", TEXT_ARG(node));
    }
    if (folder != FD_NONE) {
        pieces = logs_pieces(arena, folder, &count);
    }
    keys = arena_array(arena, struct logs_key, count + 1);
    for (size_t at = 0; at < count; at += logs_pieces_alike(&pieces[at], count - at)) {
        keys[found++] = (struct logs_key){ .node = arena_text(arena, node),
                                           .stage = pieces[at].stage,
                                           .attempt = pieces[at].attempt };
    }
    *out = keys;
    *out_count = found;
    return true;
}
