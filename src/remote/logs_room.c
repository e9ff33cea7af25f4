#include "base/sort.h"
#include "remote/logs_parts.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Enforces the limits: attempts per node, number of nodes, total bytes.
 *
 * A walk over all nodes counts the bytes, a few nodes with each line, so that no call blocks. Later
 * changes update the count. If the count exceeds the limit, another walk selects the logs to drop,
 * and counts again. The count is not stored, so a new process begins with a walk. A dropped attempt
 * leaves an empty piece, whose name has the size of the attempt and the position at which further
 * output continues. */

enum {
    STEP_NODES = 16, /* number of nodes that are counted with each line */
    VICTIMS = 4096,  /* maximum number of attempts dropped by one walk */
    ROOM_PART = 8,   /* fraction of the limit that is freed at once */
};

/* An attempt that may be dropped. */
struct logs_victim {
    size_t node; /* index in the walk's names */
    bool is_kept;
    uint32_t stage;
    uint32_t attempt;
    struct timespec at;
};

static int logs_room_time_compare(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? (a.tv_sec > b.tv_sec) - (a.tv_sec < b.tv_sec)
                                : (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

/* ---- nodes ---- */

/* The result of a search for the node without output for the longest time, with the number of
 * nodes. */
struct oldest {
    size_t count;
    char name[LOGS_NODE_BYTES];
    struct timespec at;
};

static bool oldest_seen(void *arg, int folder, const char *name)
{
    struct oldest *oldest = arg;
    struct stat status;

    if (strlen(name) < LOGS_NODE_BYTES &&
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (oldest->count == 0 || logs_room_time_compare(status.st_mtim, oldest->at) < 0) {
            snprintf(oldest->name, sizeof(oldest->name), "%s", name);
            oldest->at = status.st_mtim;
        }
        oldest->count++;
    }
    return true;
}

static bool logs_room_file_remove(void *arg, int folder, const char *name)
{
    (void)arg;
    (void)unlinkat(folder, name, 0);
    return true;
}

static void logs_room_node_remove(struct logs *logs, const char *name)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd)
    folder = openat(logs->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t count;

    if (folder >= 0) {
        const struct logs_piece *pieces = logs_pieces(arena, folder, &count);

        logs_room_change(logs, -(int64_t)logs_pieces_bytes(pieces, count));
        logs_names(folder, logs_room_file_remove, NULL);
        logs_owner_forget(logs->folder, name);
    }
}

static void room_nodes(struct logs *logs)
{
    for (;;) {
        struct oldest oldest = { 0 };

        logs_names(logs->folder, oldest_seen, &oldest);
        if (oldest.count < logs->limits.nodes) {
            return;
        }
        logs_room_node_remove(logs, oldest.name);
        if (unlinkat(logs->folder, oldest.name, AT_REMOVEDIR) != 0) {
            return; /* on failure, the next call tries again */
        }
    }
}

bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err)
{
    struct stat status;

    if (fstatat(logs->folder, node, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        room_nodes(logs);
    }
    return folder_make_beneath(logs->folder, node, 0700, out, err);
}

/* ---- attempts ---- */

/* Returns the time of an attempt's last output: the time at which its latest piece was written. */
static struct timespec attempt_time(const struct logs_piece *pieces, size_t count)
{
    return pieces[count - 1].at;
}

static void pieces_remove(struct logs *logs, int folder, const struct logs_piece *pieces,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[LOGS_NAME_BYTES];

        logs_piece_name(&pieces[i], name);
        if (unlinkat(folder, name, 0) == 0) {
            logs_room_change(logs, -(int64_t)pieces[i].bytes);
        }
    }
}

void logs_room_attempts(struct logs *logs, int folder)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    size_t attempts;

    do {
        size_t count;
        const struct logs_piece *pieces = logs_pieces(arena, folder, &count);
        size_t oldest = 0;
        size_t alike;

        attempts = 0;
        for (size_t at = 0; at < count; at += alike) {
            size_t old = logs_pieces_alike(&pieces[oldest], count - oldest);

            alike = logs_pieces_alike(&pieces[at], count - at);
            if (logs_room_time_compare(attempt_time(&pieces[at], alike),
                                       attempt_time(&pieces[oldest], old)) < 0) {
                oldest = at;
            }
            attempts++;
        }
        if (attempts >= logs->limits.attempts) {
            pieces_remove(logs, folder, &pieces[oldest],
                          logs_pieces_alike(&pieces[oldest], count - oldest));
        }
    } while (attempts > logs->limits.attempts);
}

/* ---- total bytes ---- */

void logs_room_change(struct logs *logs, int64_t bytes)
{
    struct logs_walk *walk = &logs->walk;
    uint64_t *sum = walk->memory != NULL ? &walk->bytes : &logs->bytes;

    if ((walk->memory == NULL && !logs->is_counted) || (bytes < 0 && walk->at < walk->count)) {
        /* a change during a walk may be counted twice, but is never missed; the next walk corrects
         * the count */
        return;
    }
    *sum = bytes < 0 && *sum < (uint64_t)-bytes ? 0 : *sum + (uint64_t)bytes;
}

struct naming {
    struct arena *arena;
    struct logs_walk *walk;
    size_t room;
};

static bool node_seen(void *arg, int folder, const char *name)
{
    struct naming *naming = arg;
    struct logs_walk *walk = naming->walk;

    (void)folder;
    if (!logs_is_node(text_from(name))) {
        return true;
    }
    if (walk->count == naming->room) {
        size_t room = naming->room == 0 ? 64 : naming->room * 2;

        walk->names = rows_resize(walk->names, room * sizeof(*walk->names));
        naming->room = room;
    }
    walk->names[walk->count++] = arena_text(naming->arena, text_from(name));
    return true;
}

static void logs_room_walk_begin(struct logs *logs)
{
    struct logs_walk *walk = &logs->walk;
    struct naming naming = { .arena = arena_new_small(SIZE_MAX), .walk = walk };

    *walk = (struct logs_walk){ .memory = naming.arena };
    logs_names(logs->folder, node_seen, &naming);
    walk->victims = arena_array(walk->memory, struct logs_victim, (size_t)VICTIMS * 2);
}

void logs_room_leave(struct logs *logs)
{
    if (logs->walk.memory != NULL) {
        rows_free(logs->walk.names);
        arena_free(logs->walk.memory);
    }
    logs->walk = (struct logs_walk){ 0 };
}

/* Orders attempts: those of nodes that no longer exist come first, then the oldest. */
static int logs_room_victim_compare(const void *a, const void *b, void *arg)
{
    const struct logs_victim *left = a;
    const struct logs_victim *right = b;

    (void)arg;
    return left->is_kept != right->is_kept ? (left->is_kept ? 1 : -1)
                                           : logs_room_time_compare(left->at, right->at);
}

static void victims_sort(struct logs_walk *walk)
{
    if (walk->victim_count > 0) {
        sort_stable(walk->memory, walk->victims, walk->victim_count, sizeof(*walk->victims),
                    logs_room_victim_compare, NULL);
    }
}

static int walk_open(const struct logs *logs, size_t node)
{
    char name[LOGS_NODE_BYTES];
    int folder;

    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(logs->walk.names[node]));
    folder = openat(logs->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder < 0 ? FD_NONE : folder;
}

static void walk_node(struct logs *logs)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct logs_walk *walk = &logs->walk;
    size_t node = walk->at++;
    AUTO(fd) folder = walk_open(logs, node);
    bool is_there =
        logs->limits.is_there != NULL && logs->limits.is_there(logs->limits.arg, walk->names[node]);
    const struct logs_piece *pieces;
    size_t count;
    size_t alike;

    if (folder == FD_NONE) {
        return;
    }
    pieces = logs_pieces(arena, folder, &count);
    walk->bytes += logs_pieces_bytes(pieces, count);
    for (size_t at = 0; at < count; at += alike) {
        alike = logs_pieces_alike(&pieces[at], count - at);
        if (logs_pieces_bytes(&pieces[at], alike) == 0) {
            continue;
        }
        if (walk->victim_count == (size_t)VICTIMS * 2) {
            victims_sort(walk);
            walk->victim_count = VICTIMS;
        }
        walk->victims[walk->victim_count++] =
            (struct logs_victim){ .node = node,
                                  .is_kept = is_there,
                                  .stage = pieces[at].stage,
                                  .attempt = pieces[at].attempt,
                                  .at = attempt_time(&pieces[at], alike) };
    }
}

/* Creates the empty piece that records the size of the attempt. Must be called before any piece of
 * it is dropped. */
static bool rest_leave(int folder, const struct logs_piece *last)
{
    const struct timespec times[2] = { last->at, last->at };
    struct logs_piece rest = *last;
    char name[LOGS_NAME_BYTES];
    AUTO(fd) file = FD_NONE;

    rest.out = logs_piece_end(folder, last);
    rest.start = last->start + last->bytes;
    logs_piece_name(&rest, name);
    file = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file >= 0 && futimens(file, times) == 0;
}

static void victim_drop(struct logs *logs, const struct logs_victim *victim)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text node = logs->walk.names[victim->node];
    const struct logs_key key = { node, victim->stage, victim->attempt };
    AUTO(fd) folder = walk_open(logs, victim->node);
    const struct logs_piece *pieces;
    struct stat status;
    size_t count;

    if (folder == FD_NONE || fstat(folder, &status) != 0) {
        return;
    }
    pieces = logs_pieces(arena, folder, &count);
    pieces = logs_pieces_of(pieces, count, &key, &count);
    if (count > 0 && (pieces[count - 1].bytes == 0 || rest_leave(folder, &pieces[count - 1]))) {
        const struct timespec times[2] = { status.st_atim, status.st_mtim };
        size_t going = count - (pieces[count - 1].bytes == 0);

        pieces_remove(logs, folder, pieces, going);
        (void)futimens(folder, times); /* keeps the time of the last output */
    }
}

/* Returns whether this attempt is being written, so that it must not be dropped. */
static bool is_written(const struct logs *logs, const struct logs_victim *victim)
{
    return logs->file != FD_NONE && logs->piece.stage == victim->stage &&
           logs->piece.attempt == victim->attempt &&
           text_is(logs->walk.names[victim->node], logs->node);
}

static void logs_room_walk_end(struct logs *logs)
{
    struct logs_walk *walk = &logs->walk;
    uint64_t goal = logs->limits.bytes - logs->limits.bytes / ROOM_PART;
    uint64_t before = walk->bytes;

    logs->is_counted = true;
    victims_sort(walk);
    for (size_t i = 0; before > logs->limits.bytes && walk->bytes > goal && i < walk->victim_count;
         i++) {
        if (!is_written(logs, &walk->victims[i])) {
            victim_drop(logs, &walk->victims[i]);
        }
    }
    logs->bytes = walk->bytes;
    logs->again = logs->bytes < before ? 0 : logs->bytes + logs->limits.bytes / ROOM_PART;
    logs_room_leave(logs);
}

void logs_room_step(struct logs *logs)
{
    struct logs_walk *walk = &logs->walk;
    bool is_due =
        !logs->is_counted || (logs->bytes > logs->limits.bytes && logs->bytes >= logs->again);

    if (walk->memory == NULL && !is_due) {
        return;
    }
    if (walk->memory == NULL) {
        logs_room_walk_begin(logs);
    }
    for (size_t i = 0; i < STEP_NODES && walk->at < walk->count; i++) {
        walk_node(logs);
    }
    if (walk->at == walk->count) {
        logs_room_walk_end(logs);
    }
}
