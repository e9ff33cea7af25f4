#include "fetch/fetcher.h"

#include "base/limits.h"
#include "fetch/url.h"
#include "sys/child.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HALF_PREFIX ".fetch-"

enum { GRACE_MS = 1000, SLACK_MS = 2000, NAME_BYTES = 96, READ_BYTES = 64 * 1024 };

struct fetcher {
    struct fetcher_options options;
    struct arena *memory;
    int folder;
    uint64_t number; /* number in the name of the next incomplete file */
    size_t count;
    bool is_closed;
    struct fetching *first;
};

/* An active order. */
struct fetching {
    struct fetching *next;
    struct fetcher *fetcher;
    struct arena *arena;
    struct child *child;
    int out;
    char name[NAME_BYTES]; /* name of the incomplete file */
    fetcher_done *done;
    void *arg;
    struct loop_task *task; /* reports an order that could not be started */
    struct err err;
};

/* ---- the folder ---- */

static void digest_name(struct text digest, char out[static NAME_BYTES])
{
    assert(digest.length == DIGEST_TEXT_BYTES - 1);
    snprintf(out, NAME_BYTES, "%.*s.so", TEXT_ARG(digest));
}

struct text fetcher_path(const struct fetcher *fetcher, struct arena *arena, struct text digest)
{
    return arena_printf(arena, "%s/%.*s.so", fetcher->options.folder, TEXT_ARG(digest));
}

bool fetcher_has(const struct fetcher *fetcher, struct text digest)
{
    char name[NAME_BYTES];
    struct stat status;

    digest_name(digest, name);
    return fstatat(fetcher->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode);
}

void fetcher_remove(const struct fetcher *fetcher, struct text digest)
{
    char name[NAME_BYTES];

    digest_name(digest, name);
    (void)!unlinkat(fetcher->folder, name, 0);
}

/* Removes incomplete files of an earlier process. Files with such names are never loaded as
 * plugins. */
static void halves_remove(const struct fetcher *fetcher)
{
    int copy = openat(fetcher->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *file;

    while (listing != NULL && (file = readdir(listing)) != NULL) {
        if (strncmp(file->d_name, HALF_PREFIX, strlen(HALF_PREFIX)) == 0) {
            (void)!unlinkat(fetcher->folder, file->d_name, 0);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    } else if (copy >= 0) {
        close(copy);
    }
}

bool fetcher_open(const struct fetcher_options *options, struct fetcher **out, struct err *err)
{
    AUTO(fd) folder = FD_NONE;
    struct fetcher *fetcher;
    struct fetch_net *allowed;
    const char *resolved;
    struct arena *memory;

    assert(options->allowed_count <= LIMIT_FETCH_NETWORKS);
    if (mkdir(options->folder, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0534, "%s: %s", options->folder, strerror(errno));
    }
    if (!folder_open(options->folder, &folder, err) ||
        !folder_check_owner(folder, options->folder, err)) {
        return false;
    }
    memory = arena_new_small(SIZE_MAX);
    /* absolute, because the path is passed to other processes */
    if (!folder_resolve(memory, options->folder, &resolved, err)) {
        arena_free(memory);
        return false;
    }
    fetcher = arena_one(memory, struct fetcher);
    allowed = arena_array(memory, struct fetch_net, options->allowed_count);
    for (size_t i = 0; i < options->allowed_count; i++) {
        allowed[i] = options->allowed[i];
    }
    *fetcher = (struct fetcher){ .options = *options, .memory = memory, .folder = folder };
    fetcher->options.allowed = allowed;
    fetcher->options.folder = resolved;
    fetcher->options.program = arena_string(memory, text_from(options->program));
    fetcher->options.ca = options->ca == NULL ? NULL : arena_string(memory, text_from(options->ca));
    folder = FD_NONE;
    halves_remove(fetcher);
    *out = fetcher;
    return true;
}

/* ---- received files ---- */

/* Checks the digest of the content. At this point no other process has the file open for
 * writing. */
MUST_CHECK static bool fetcher_digest_check(int file, const char *expected, struct err *err)
{
    struct digest_stream *stream = digest_stream_new();
    char digest[DIGEST_TEXT_BYTES];
    char bytes[READ_BYTES];
    off_t at = 0;
    ssize_t got;

    while ((got = pread(file, bytes, sizeof(bytes), at)) > 0) {
        digest_stream_add(stream, (struct text){ bytes, (size_t)got });
        at += got;
    }
    digest_stream_end(stream, digest);
    if (got < 0 || strcmp(digest, expected) != 0) {
        return err_set(err, CODE_R0650, "the file has the digest %s, but reeve-fetch reported %s",
                       digest, expected);
    }
    return true;
}

/* Renames the file to its digest. If a file with that name exists, it has the same content and is
 * kept. */
MUST_CHECK static bool file_adopt(const struct fetcher *fetcher, int file, const char *half,
                                  struct fetch_answer *answer)
{
    int folder = fetcher->folder;
    char name[NAME_BYTES];

    digest_name(text_from(answer->digest), name);
    if (!fetcher_digest_check(file, answer->digest, &answer->err)) {
        return false;
    }
    answer->is_new =
        fchmod(file, 0444) == 0 && fsync(file) == 0 &&
        syscall(SYS_renameat2, folder, half, folder, name, 1u /* flag 1: RENAME_NOREPLACE */) == 0;
    if ((!answer->is_new && errno != EEXIST) || fsync(folder) != 0) {
        return err_set(&answer->err, CODE_R0650, "%s: %s", name, strerror(errno));
    }
    return true;
}

/* ---- incomplete files ---- */

MUST_CHECK static bool half_make(struct fetcher *fetcher, char name[static NAME_BYTES], int *out,
                                 struct err *err)
{
    AUTO(fd) made = FD_NONE;

    snprintf(name, NAME_BYTES, HALF_PREFIX "%llu.new", (unsigned long long)fetcher->number++);
    if (!file_create_beneath(fetcher->folder, name, 0600, &made, err)) {
        return false;
    }
    /* readable too, because the digest is computed from the descriptor that was written to */
    *out = openat(fetcher->folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return *out >= 0 || err_set(err, CODE_R0650, "%s: %s", name, strerror(errno));
}

MUST_CHECK static bool fetcher_bytes_check(struct text bytes, struct text sha256,
                                           const struct fetch_answer *answer, struct err *err)
{
    if (bytes.length > LIMIT_PLUGIN_BYTES) {
        return err_set(err, CODE_R0645, "the file has more than %d bytes", LIMIT_PLUGIN_BYTES);
    }
    if (!text_has_prefix(bytes, TEXT("\177ELF"))) {
        return err_set(err, CODE_R0646, "the file is not a shared object (ELF)");
    }
    return sha256.length == 0 || text_is(sha256, answer->digest) ||
           err_set(err, CODE_R0644, "the digest of the file is %s, but %.*s was given",
                   answer->digest, TEXT_ARG(sha256));
}

MUST_CHECK static bool fetcher_bytes_write(int file, struct text bytes, struct err *err)
{
    while (bytes.length > 0) {
        ssize_t wrote = write(file, bytes.data, bytes.length);

        if (wrote < 0 && errno != EINTR) {
            return err_set(err, CODE_R0650, "the file cannot be written: %s", strerror(errno));
        }
        bytes = text_slice(bytes, wrote < 0 ? 0 : (size_t)wrote, bytes.length);
    }
    return true;
}

bool fetcher_put(struct fetcher *fetcher, struct text bytes, struct text sha256,
                 struct fetch_answer *out, struct err *err)
{
    char half[NAME_BYTES];
    AUTO(fd) file = FD_NONE;

    assert(!fetcher->is_closed);
    *out = (struct fetch_answer){ .bytes = bytes.length };
    digest_sha256(bytes, out->digest);
    if (!fetcher_bytes_check(bytes, sha256, out, err) || !half_make(fetcher, half, &file, err)) {
        return false;
    }
    out->is_good =
        fetcher_bytes_write(file, bytes, &out->err) && file_adopt(fetcher, file, half, out);
    (void)!unlinkat(fetcher->folder, half, 0); /* no effect if the file got its final name */
    *err = out->err;
    return out->is_good;
}

/* ---- end ---- */

static void fetching_free(struct fetching *fetching)
{
    struct fetcher *fetcher = fetching->fetcher;
    struct fetching **link = &fetcher->first;

    while (*link != fetching) {
        link = &(*link)->next;
    }
    *link = fetching->next;
    fetcher->count--;
    if (fetching->out != FD_NONE) {
        close(fetching->out);
        (void)!unlinkat(fetcher->folder, fetching->name, 0); /* no effect if the file got its final
                                                              * name */
    }
    loop_task_cancel(fetching->task);
    arena_free(fetching->arena);
}

static void fetching_end(struct fetching *fetching, struct fetch_answer *answer)
{
    fetcher_done *done = fetching->done;
    void *arg = fetching->arg;
    bool is_reported = !fetching->fetcher->is_closed;

    answer->is_good =
        answer->is_good && file_adopt(fetching->fetcher, fetching->out, fetching->name, answer);
    if (is_reported) {
        done(arg, answer);
    }
    fetching_free(fetching);
}

static void fetcher_child_ended(void *arg, const struct child_end *end)
{
    struct fetching *fetching = arg;
    struct fetch_answer answer = { 0 };
    struct err err;

    fetching->child = NULL;
    if (end->is_late) {
        err_set(&answer.err, CODE_R0645, "reeve-fetch did not end in time");
    } else if (end->signal != 0) {
        err_set(&answer.err, CODE_R0650, "reeve-fetch was ended by signal %d (%s)", end->signal,
                strsignal(end->signal));
    } else if (!fetch_answer_parse(fetching->arena, end->output[CHILD_OUT], &answer, &err)) {
        answer.err = err;
    }
    fetching_end(fetching, &answer);
}

static void unbegun_report(void *arg)
{
    struct fetching *fetching = arg;
    struct fetch_answer answer = { .err = fetching->err };

    fetching->task = NULL;
    fetching_end(fetching, &answer);
}

/* ---- start ---- */

MUST_CHECK static bool named_open(const char *path, int *out, struct err *err)
{
    AUTO(fd) file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;

    if (file < 0 || fstat(file, &status) != 0) {
        return err_set(err, CODE_R0642, "file://%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return err_set(err, CODE_R0642, "file://%s: it is not a regular file", path);
    }
    *out = file;
    file = FD_NONE;
    return true;
}

/* Opens the file of a file:// URL, if such URLs are permitted. */
MUST_CHECK static bool source_open(struct fetching *fetching, struct fetch_order *order, int *out,
                                   struct err *err)
{
    struct fetch_url url;

    if (!fetch_url_parse(order->url, &url, err)) {
        return false;
    }
    if (url.scheme != FETCH_FILE) {
        return true;
    }
    if (!fetching->fetcher->options.is_file_url_allowed) {
        err_set(err, CODE_R0647, "%.*s: this manager does not accept file:// addresses",
                TEXT_ARG(order->url));
        return err_hint(
            err, "to permit this, set fetch: {files: true} in the configuration of the manager");
    }
    order->has_file = true;
    return named_open(arena_string(fetching->arena, url.path), out, err);
}

MUST_CHECK static bool child_begin(struct fetching *fetching, struct fetch_order *order,
                                   struct err *err)
{
    static const char *const argv[] = { "reeve-fetch", "serve", NULL };
    const struct fetcher_options *options = &fetching->fetcher->options;
    struct child_descriptor descriptors[3];
    struct child_options child = { .path = options->program,
                                   .argv = argv,
                                   .deadline_ms = options->deadline_ms + SLACK_MS,
                                   .grace_ms = GRACE_MS,
                                   .output_max = LIMIT_FETCH_ANSWER_BYTES,
                                   .done = fetcher_child_ended,
                                   .arg = fetching,
                                   .descriptors = descriptors,
                                   .is_session = true,
                                   .is_killed_with_parent = true };
    AUTO(fd) authorities = FD_NONE;
    AUTO(fd) source = FD_NONE;

    if (!source_open(fetching, order, &source, err)) {
        return false;
    }
    descriptors[child.descriptor_count++] =
        (struct child_descriptor){ .fd = fetching->out, .as = FETCH_FD_OUT };
    if (options->ca != NULL) {
        authorities = open(options->ca, O_RDONLY | O_CLOEXEC);
        if (authorities < 0) {
            return err_set(err, CODE_R0643, "the CA certificates in %s cannot be read: %s",
                           options->ca, strerror(errno));
        }
        order->has_ca = true;
        descriptors[child.descriptor_count++] =
            (struct child_descriptor){ .fd = authorities, .as = FETCH_FD_CA };
    }
    if (source != FD_NONE) {
        descriptors[child.descriptor_count++] =
            (struct child_descriptor){ .fd = source, .as = FETCH_FD_FILE };
    }
    child.input = fetch_order_format(fetching->arena, order);
    return child_start(options->loop, &child, &fetching->child, err);
}

void fetcher_fetch(struct fetcher *fetcher, struct text url, struct text also, struct text sha256,
                   fetcher_done *done, void *arg)
{
    struct fetch_order order = { .url = url,
                                 .also = also,
                                 .sha256 = sha256,
                                 .allowed_count = fetcher->options.allowed_count,
                                 .deadline_ms = fetcher->options.deadline_ms,
                                 .slow_ms = fetcher->options.slow_ms };
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct fetching *fetching = arena_one(arena, struct fetching);
    struct err none;

    assert(!fetcher->is_closed);
    *fetching = (struct fetching){ .next = fetcher->first,
                                   .fetcher = fetcher,
                                   .arena = arena,
                                   .out = FD_NONE,
                                   .done = done,
                                   .arg = arg };
    fetcher->first = fetching;
    fetcher->count++;
    memcpy(order.allowed, fetcher->options.allowed, order.allowed_count * sizeof(order.allowed[0]));
    if ((!half_make(fetcher, fetching->name, &fetching->out, &fetching->err) ||
         !child_begin(fetching, &order, &fetching->err)) &&
        !loop_task_open(fetcher->options.loop, unbegun_report, fetching, &fetching->task, &none)) {
        unbegun_report(fetching);
    }
}

size_t fetcher_count(const struct fetcher *fetcher)
{
    return fetcher->count;
}

void fetcher_close(struct fetcher *fetcher)
{
    if (fetcher == NULL || fetcher->is_closed) {
        return;
    }
    fetcher->is_closed = true;
    for (struct fetching *one = fetcher->first, *next; one != NULL; one = next) {
        next = one->next;
        if (one->child != NULL) {
            child_kill(one->child);
        } else {
            fetching_free(one);
        }
    }
}

bool fetcher_is_over(const struct fetcher *fetcher)
{
    return fetcher == NULL || fetcher->count == 0;
}

void fetcher_free(struct fetcher *fetcher)
{
    if (fetcher != NULL) {
        assert(fetcher->is_closed && fetcher->count == 0);
        close(fetcher->folder);
        arena_free(fetcher->memory);
    }
}
