#include "moving/leave.h"

#include "base/limits.h"
#include "base/macros.h"
#include "images/images.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* public names start with: leave_ */

enum {
    LEAVE_DIGEST_CHARACTERS = 64,
    LEAVE_BLOBS_MAX = 65536,
    LEAVE_ENDS_LOOKS = 2,  /* number of calls of leave_look for which the last state is shown */
    LEAVE_PAUSE_LOOKS = 3, /* number of calls of leave_look to wait after a copy that failed */
    LEAVE_TEXT_BYTES = 320
};

/* A blob of this manager. */
struct leave_blob {
    char digest[LEAVE_DIGEST_CHARACTERS + 1];
    enum blobs_kind kind;
};

struct leave {
    struct leave_options options;
    struct arena *arena; /* arena of the list of blobs; NULL: no copies are being made */
    struct leave_blob *blobs;
    size_t count;
    size_t copied;
    struct err err; /* error of the newest copy that failed; NONE: it did not fail */
    unsigned pause;
    unsigned ends; /* number of calls of leave_look since everything was handed over */
    bool is_copying;
    bool is_over;
};

struct leave *leave_new(const struct leave_options *options)
{
    struct leave *leave = rows_resize(NULL, sizeof(*leave));

    *leave = (struct leave){ .options = *options };
    return leave;
}

void leave_free(struct leave *leave)
{
    if (leave != NULL) {
        arena_free(leave->arena);
        rows_free(leave);
    }
}

/* ---- blobs ---- */

static void leave_blob_add(struct leave *leave, enum blobs_kind kind, struct text digest)
{
    struct leave_blob *blob;

    if (leave->count == LEAVE_BLOBS_MAX) {
        return;
    }
    blob = &leave->blobs[leave->count++];
    blob->kind = kind;
    snprintf(blob->digest, sizeof(blob->digest), "%.*s", TEXT_ARG(digest));
}

static void leave_depot_add(struct leave *leave, enum blobs_kind kind, struct depot *depot)
{
    struct depot_row *rows;
    size_t count = depot == NULL ? 0 : depot_list(depot, leave->arena, &rows);

    for (size_t i = 0; i < count; i++) {
        leave_blob_add(leave, kind, text_from(rows[i].digest));
    }
}

static bool leave_is_digest_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Adds the plugins, or images, whose digests occur in a record and whose files are here. */
static void leave_record_add(struct leave *leave, enum blobs_kind kind, struct text record)
{
    size_t run = 0;

    for (size_t i = 0; i <= record.length; i++) {
        if (i < record.length && leave_is_digest_character(record.data[i])) {
            run++;
            continue;
        }
        if (run == LEAVE_DIGEST_CHARACTERS) {
            struct text digest = text_slice(record, i - run, run);

            if (blobs_kind_here(leave->options.blobs, digest) == kind) {
                leave_blob_add(leave, kind, digest);
            }
        }
        run = 0;
    }
}

static void leave_blobs_list(struct leave *leave)
{
    const struct cache *cache = leave->options.cache;

    leave->arena = arena_new(SIZE_MAX);
    leave->blobs = arena_array(leave->arena, struct leave_blob, LEAVE_BLOBS_MAX);
    leave->count = 0;
    leave->copied = 0;
    leave_depot_add(leave, BLOBS_BUNDLE, leave->options.bundles);
    leave_depot_add(leave, BLOBS_CONFIGURATION, leave->options.archives);
    for (const struct cache_object *object = cache_first(cache, TEXT("/"));
         leave->options.blobs != NULL && object != NULL;
         object = cache_next(cache, TEXT("/"), object)) {
        enum blobs_kind kind = text_is(cache_kind(object), "Plugin")     ? BLOBS_PLUGIN
                               : text_is(cache_kind(object), IMAGE_KIND) ? BLOBS_IMAGE
                                                                         : BLOBS_KIND_COUNT;

        for (int part = 0; kind != BLOBS_KIND_COUNT && part < CACHE_PART_COUNT; part++) {
            if (object->parts[part].bytes != NULL) {
                leave_record_add(leave, kind, blob_text(object->parts[part].bytes));
            }
        }
    }
}

static void leave_copies_end(struct leave *leave)
{
    arena_free(leave->arena);
    leave->arena = NULL;
    leave->blobs = NULL;
    leave->count = 0;
    leave->copied = 0;
    leave->ends = 0;
    leave->err = (struct err){ .code = CODE_NONE };
}

static void leave_copied(void *arg, size_t copies, const struct err *err)
{
    struct leave *leave = arg;

    (void)copies;
    leave->is_copying = false;
    leave->err = err == NULL ? (struct err){ .code = CODE_NONE } : *err;
    leave->pause = err == NULL ? 0 : LEAVE_PAUSE_LOOKS;
    leave->copied += err == NULL;
}

/* Copies blobs one after the other. Returns true if another manager has every blob. */
static bool leave_copy(struct leave *leave)
{
    if (leave->arena == NULL) {
        leave_blobs_list(leave);
    }
    if (leave->pause > 0) {
        leave->pause--;
        return false;
    }
    while (!leave->is_copying && leave->pause == 0 && leave->copied < leave->count) {
        const struct leave_blob *blob = &leave->blobs[leave->copied];

        if (leave->options.blobs == NULL) {
            err_set(&leave->err, CODE_R0585,
                    "this manager has no links to others: peer is missing in its configuration");
            leave->pause = LEAVE_PAUSE_LOOKS;
            return false;
        }
        leave->is_copying = true;
        blobs_spread(leave->options.blobs, blob->kind, text_from(blob->digest), 2, leave_copied,
                     leave);
    }
    return !leave->is_copying && leave->copied == leave->count;
}

/* ---- end of the process ---- */

MUST_CHECK static bool leave_file_write(const struct leave *leave, struct err *err)
{
    AUTO(fd) folder = FD_NONE;

    return folder_open(leave->options.folder, &folder, err) &&
           file_replace(folder, LEAVE_FILE,
                        TEXT("This manager has left its store (reeve manager leave). It starts "
                             "again after reeve manager join.\n"),
                        0600, err);
}

/* The last state is shown for a short time, so that clients that wait for it can read it. */
static void leave_end(struct leave *leave, const struct managers *managers)
{
    if (!managers_leaving_is_written(managers) || ++leave->ends <= LEAVE_ENDS_LOOKS) {
        return;
    }
    if (!leave_file_write(leave, &leave->err)) {
        log_error(leave->options.log, "leave", "not_noted", log_string("reason", leave->err.text));
        return;
    }
    leave->is_over = true;
    log_info(leave->options.log, "leave", "left", log_int("blobs", (int64_t)leave->count));
    leave->options.end(leave->options.arg);
}

/* ---- iteration ---- */

/* Returns a text that describes what this manager waits for; empty: nothing. */
static struct text leave_wait(struct leave *leave, struct arena *arena,
                              const struct managers_row *here)
{
    uint64_t hosted;

    if (here->state != MANAGERS_DRAINED) {
        leave_copies_end(leave);
        return here->clusters == 0 ? TEXT("its clusters are handed over")
                                   : arena_printf(arena, "%llu cluster%s handed over",
                                                  (unsigned long long)here->clusters,
                                                  here->clusters == 1 ? " is" : "s are");
    }
    if (leave->options.is_housekeeper(leave->options.arg)) {
        return TEXT("the work on the whole store is handed over");
    }
    hosted = leave->options.hosted(leave->options.arg, here->id);
    if (hosted > 0) {
        return arena_printf(arena, "%llu machine%s on its host: replace or delete them",
                            (unsigned long long)hosted, hosted == 1 ? " exists" : "s exist");
    }
    if (leave_copy(leave)) {
        return leave->options.has_member(leave->options.arg)
                   ? TEXT("its member of the store is removed")
                   : TEXT("");
    }
    return leave->err.code == CODE_NONE
               ? arena_printf(arena, "%zu of %zu blobs are copied to another manager",
                              leave->copied, leave->count)
               : arena_printf(arena, "%zu of %zu blobs are copied to another manager: %s",
                              leave->copied, leave->count, leave->err.text);
}

void leave_look(struct leave *leave)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct managers *managers =
        leave == NULL || leave->is_over ? NULL : leave->options.managers(leave->options.arg);
    const struct managers_row *here = managers == NULL ? NULL : managers_here(managers);
    struct text waits_for;

    if (here == NULL) {
        return;
    }
    if (!here->is_leaving) {
        if (!leave->is_copying) {
            leave_copies_end(leave);
        }
        managers_leaving_set(managers, TEXT(""));
        return;
    }
    waits_for = leave->is_copying ? TEXT("its blobs are copied to another manager")
                                  : leave_wait(leave, arena, here);
    if (waits_for.length > 0) {
        leave->ends = 0;
        managers_leaving_set(managers, waits_for);
        return;
    }
    managers_leaving_set(managers, TEXT("it ends"));
    leave_end(leave, managers);
}

/* ---- later starts ---- */

bool leave_has_left(int folder)
{
    AUTO(fd) file = FD_NONE;
    struct err err;

    return file_open_beneath(folder, LEAVE_FILE, &file, &err);
}

bool leave_check(int folder, const char *path, struct err *err)
{
    if (!leave_has_left(folder)) {
        return true;
    }
    err_set(err, CODE_R0590, "the manager of '%s' has left its store", path);
    return err_hint(err, "let it join: reeve manager token on the host of another manager, then "
                         "reeve manager join TOKEN here");
}

bool leave_undo(int folder, struct err *err)
{
    return unlinkat(folder, LEAVE_FILE, 0) == 0 || errno == ENOENT ||
           err_set(err, CODE_R0534, LEAVE_FILE ": %s", strerror(errno));
}
