#include "base/sort.h"
#include "remote/logs_parts.h"
#include "sys/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Handles the files of a node, which are identified by their names. */

void logs_piece_name(const struct logs_piece *piece, char out[static LOGS_NAME_BYTES])
{
    if (piece->start == 0) {
        snprintf(out, LOGS_NAME_BYTES, "%" PRIu32 ".%" PRIu32, piece->stage, piece->attempt);
    } else {
        snprintf(out, LOGS_NAME_BYTES, "%" PRIu32 ".%" PRIu32 ".%" PRIu64 ".%" PRIu64, piece->stage,
                 piece->attempt, piece->start, piece->out);
    }
}

/* Parses a number that ends at the next dot, and removes both from the text. */
static bool logs_pieces_number_take(struct text *rest, int64_t most, int64_t *out)
{
    size_t dot = text_find_byte(*rest, '.');

    if (!text_parse_int64(text_slice(*rest, 0, dot), out) || *out < 0 || *out > most) {
        return false;
    }
    *rest = dot == SIZE_MAX ? TEXT("") : text_slice(*rest, dot + 1, rest->length);
    return true;
}

static bool piece_parse(const char *name, struct logs_piece *out)
{
    struct text rest = text_from(name);
    int64_t stage;
    int64_t attempt;
    int64_t start = 0;
    int64_t end = 0;

    if (!logs_pieces_number_take(&rest, LOGS_HOOK_END - 1, &stage) ||
        !logs_pieces_number_take(&rest, UINT32_MAX, &attempt) ||
        (rest.length > 0 &&
         (!logs_pieces_number_take(&rest, INT64_MAX, &start) || start == 0 ||
          !logs_pieces_number_take(&rest, INT64_MAX, &end) || rest.length > 0))) {
        return false;
    }
    *out = (struct logs_piece){ .stage = (uint32_t)stage,
                                .attempt = (uint32_t)attempt,
                                .start = (uint64_t)start,
                                .out = (uint64_t)end };
    return true;
}

void logs_names(int folder, bool (*seen)(void *arg, int folder, const char *name), void *arg)
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
    } else if (own >= 0) {
        close(own);
    }
}

struct collecting {
    struct arena *arena;
    struct logs_piece *items;
    size_t count;
    size_t room;
};

static bool piece_seen(void *arg, int folder, const char *name)
{
    struct collecting *all = arg;
    struct logs_piece piece;
    struct stat status;

    if (!piece_parse(name, &piece) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
        return true;
    }
    piece.bytes = (uint64_t)status.st_size;
    piece.at = status.st_mtim;
    if (all->count == all->room) {
        size_t room = all->room == 0 ? 16 : all->room * 2;

        all->items = arena_grow_room(all->arena, all->items, all->room * sizeof(piece),
                                     room * sizeof(piece));
        all->room = room;
    }
    all->items[all->count++] = piece;
    return true;
}

static int logs_pieces_number_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int piece_compare(const void *a, const void *b, void *arg)
{
    const struct logs_piece *left = a;
    const struct logs_piece *right = b;

    (void)arg;
    return left->stage != right->stage ? logs_pieces_number_compare(left->stage, right->stage)
           : left->attempt != right->attempt
               ? logs_pieces_number_compare(left->attempt, right->attempt)
               : logs_pieces_number_compare(left->start, right->start);
}

struct logs_piece *logs_pieces(struct arena *arena, int folder, size_t *out_count)
{
    struct collecting all = { .arena = arena };

    logs_names(folder, piece_seen, &all);
    if (all.count > 0) {
        sort_stable(arena, all.items, all.count, sizeof(*all.items), piece_compare, NULL);
    }
    *out_count = all.count;
    return all.items;
}

size_t logs_pieces_alike(const struct logs_piece *pieces, size_t count)
{
    size_t alike = 0;

    while (alike < count && pieces[alike].stage == pieces[0].stage &&
           pieces[alike].attempt == pieces[0].attempt) {
        alike++;
    }
    return alike;
}

const struct logs_piece *logs_pieces_of(const struct logs_piece *pieces, size_t count,
                                        const struct logs_key *key, size_t *out_count)
{
    size_t at = 0;

    while (at < count && (pieces[at].stage != key->stage || pieces[at].attempt != key->attempt)) {
        at++;
    }
    *out_count = at < count ? logs_pieces_alike(&pieces[at], count - at) : 0;
    return at < count ? &pieces[at] : NULL;
}

uint64_t logs_pieces_bytes(const struct logs_piece *pieces, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes += pieces[i].bytes;
    }
    return bytes;
}

uint64_t logs_piece_end(int folder, const struct logs_piece *piece)
{
    char name[LOGS_NAME_BYTES];
    AUTO(fd) file = FD_NONE;
    struct logs_line last;
    uint64_t end;

    logs_piece_name(piece, name);
    file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return file >= 0 && logs_last_find(file, piece->bytes, &last, &end) ? last.end : piece->out;
}
