#include "provider/file.h"

#include "base/limits.h"
#include "codec/json.h"
#include "engine/intent.h"
#include "engine/record.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MACHINE_SUFFIX ".json"

enum { MACHINE_BYTES_MAX = 512 * 1024, MACHINE_ID_TOKEN = 20 };

/* An answer that waits for provider_run. */
struct pending {
    struct pending *next;
    struct arena *arena;
    enum outcome outcome;
    struct provider_answer answer;
    provider_done *done;
    void *arg;
};

struct file_provider {
    struct provider provider; /* first */
    int folder;
    struct pending *first;
    struct pending **last;
};

static struct file_provider *self_of(struct provider *provider)
{
    return (struct file_provider *)provider;
}

/* ---- answers ---- */

static struct pending *pending_new(struct provider *port, provider_done *done, void *arg)
{
    struct file_provider *self = self_of(port);
    struct arena *arena = arena_new(SIZE_MAX);
    struct pending *pending = arena_one(arena, struct pending);

    pending->arena = arena;
    pending->done = done;
    pending->arg = arg;
    *self->last = pending;
    self->last = &pending->next;
    return pending;
}

/* The disk has said no. Whether a write that failed has had its effect nobody knows. */
static void pending_fail(struct pending *pending, const struct err *err, enum outcome outcome)
{
    pending->outcome = outcome;
    pending->answer.fault = PROVIDER_FAULT_TRANSIENT;
    pending->answer.message = arena_text(pending->arena, text_from(err->text));
}

static size_t driver_run(struct provider *port)
{
    struct file_provider *self = self_of(port);
    struct pending *pending = self->first;
    size_t count = 0;

    self->first = NULL;
    self->last = &self->first;
    for (struct pending *next; pending != NULL; pending = next, count++) {
        next = pending->next;
        pending->done(pending->arg, pending->outcome, &pending->answer);
        arena_free(pending->arena);
    }
    return count;
}

static uint64_t driver_due(const struct provider *port)
{
    return ((const struct file_provider *)port)->first == NULL ? UINT64_MAX : 0;
}

/* ---- folders and names ---- */

/* TENANT/CLUSTER, each one folder. Names of tenants and ids of clusters have no '/' and do not begin with a dot. */
MUST_CHECK static bool cluster_open(const struct file_provider *self, struct arena *arena,
                                    struct text cluster, int *out, struct err *err)
{
    size_t slash = text_find_byte(cluster, '/');
    AUTO(fd) tenant = FD_NONE;

    assert(slash != SIZE_MAX);
    return folder_make_beneath(self->folder, arena_string(arena, text_slice(cluster, 0, slash)),
                               0700, &tenant, err) &&
           folder_make_beneath(tenant,
                               arena_string(arena, text_slice(cluster, slash + 1, cluster.length)),
                               0700, out, err);
}

/* The same token is the same machine: its name is made from it. */
static struct text id_of(struct arena *arena, struct text token)
{
    return arena_printf(arena, "file-%.*s", TEXT_ARG(text_slice(token, 0, MACHINE_ID_TOKEN)));
}

static const char *name_of(struct arena *arena, struct text id)
{
    return arena_string(arena, arena_printf(arena, "%.*s" MACHINE_SUFFIX, TEXT_ARG(id)));
}

/* Ids come from records; one that is no name of ours is no machine of ours. */
static bool is_id(struct text id)
{
    return text_has_prefix(id, TEXT("file-")) && text_find_byte(id, '/') == SIZE_MAX;
}

/* ---- machines ---- */

static struct text machine_format(struct arena *arena, const struct provider_wish *wish)
{
    struct doc_builder builder;
    struct doc properties = { 0 };
    struct doc doc;
    struct buf buf;
    struct err err;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "group", doc_text(wish->tags.group, NULL));
    doc_builder_put(&builder, "life", doc_text(wish->tags.life, NULL));
    doc_builder_put(&builder, "mac", doc_text(wish->tags.mac, NULL));
    doc_builder_put(&builder, "name", doc_text(wish->name, NULL));
    if (json_parse(arena, wish->properties, NULL, &properties, &err)) {
        doc_builder_put(&builder, "properties", properties);
    }
    doc_builder_put(&builder, "slot", doc_int(arena, (int64_t)wish->tags.slot, NULL));
    doc_builder_put(&builder, "state", doc_text(TEXT("running"), NULL));
    doc_builder_put(&builder, "token", doc_text(wish->tags.token, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format_pretty(&buf, &doc);
    return buf_text(&buf);
}

static struct text word_of(const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* A file that cannot be read is a machine all the same: it is there, nothing more is known. */
static void machine_read(struct arena *arena, int folder, struct text cluster, struct text id,
                         struct provider_row *out)
{
    struct text bytes;
    struct doc doc;
    struct err err;
    int64_t slot = 0;

    *out = (struct provider_row){ .id = id, .state = PLAN_ROW_RUNNING };
    out->tags.cluster = cluster;
    if (!file_read_beneath(arena, folder, name_of(arena, id), MACHINE_BYTES_MAX, &bytes, &err) ||
        !json_parse(arena, bytes, NULL, &doc, &err)) {
        return;
    }
    (void)!text_parse_int64(word_of(&doc, "slot"), &slot);
    out->tags.life = word_of(&doc, "life");
    out->tags.group = word_of(&doc, "group");
    out->tags.slot = (uint64_t)slot;
    out->tags.token = word_of(&doc, "token");
    out->tags.mac = word_of(&doc, "mac");
    out->state = text_is(word_of(&doc, "state"), "stopped") ? PLAN_ROW_STOPPED : PLAN_ROW_RUNNING;
}

static bool is_there(int folder, const char *name)
{
    return faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- calls ---- */

static void driver_create(struct provider *port, const struct intent *intent,
                          const struct provider_wish *wish, provider_done *done, void *arg)
{
    struct pending *pending = pending_new(port, done, arg);
    struct arena *arena = pending->arena;
    struct text id = id_of(arena, wish->tags.token);
    const char *name = name_of(arena, id);
    AUTO(fd) folder = FD_NONE;
    struct err err;

    (void)intent;
    if (!cluster_open(self_of(port), arena, wish->tags.cluster, &folder, &err)) {
        pending_fail(pending, &err, OUTCOME_REFUSED);
        return;
    }
    if (!is_there(folder, name) &&
        !file_replace(folder, name, machine_format(arena, wish), 0600, &err)) {
        pending_fail(pending, &err, OUTCOME_UNKNOWN);
        return;
    }
    pending->answer.id = id;
}

static void driver_destroy(struct provider *port, const struct intent *intent, provider_done *done,
                           void *arg)
{
    struct pending *pending = pending_new(port, done, arg);
    struct text id = intent_id(intent);
    AUTO(fd) folder = FD_NONE;
    struct err err;

    if (!is_id(id)) {
        return; /* no machine of ours: it is gone */
    }
    if (!cluster_open(self_of(port), pending->arena, intent_cluster(intent), &folder, &err)) {
        pending_fail(pending, &err, OUTCOME_REFUSED);
        return;
    }
    if ((unlinkat(folder, name_of(pending->arena, id), 0) != 0 && errno != ENOENT) ||
        fsync(folder) != 0) {
        err_set(&err, CODE_R0534, "%.*s: %s", TEXT_ARG(id), strerror(errno));
        pending_fail(pending, &err, OUTCOME_UNKNOWN);
    }
}

static void rows_read(struct pending *pending, int folder, DIR *listing, struct text cluster)
{
    struct provider_answer *answer = &pending->answer;
    struct provider_row *rows = NULL;
    size_t room = 0;
    const struct dirent *entry;

    while ((entry = readdir(listing)) != NULL) {
        struct text name = text_from(entry->d_name);

        if (!text_has_suffix(name, TEXT(MACHINE_SUFFIX)) || name.data[0] == '.') {
            continue;
        }
        if (answer->count == room) {
            rows = arena_grow(pending->arena, rows, room * sizeof(*rows),
                              (room * 2 + 16) * sizeof(*rows));
            room = room * 2 + 16;
        }
        machine_read(
            pending->arena, folder, cluster,
            arena_text(pending->arena, text_slice(name, 0, name.length - strlen(MACHINE_SUFFIX))),
            &rows[answer->count++]);
    }
    answer->rows = rows;
}

static void driver_list(struct provider *port, struct text cluster, struct text known,
                        provider_done *done, void *arg)
{
    struct pending *pending = pending_new(port, done, arg);
    AUTO(fd) folder = FD_NONE;
    DIR *listing = NULL;
    struct err err;
    int copy = -1;

    (void)known; /* a file may be changed in its place: only reading all of them tells */
    if (cluster_open(self_of(port), pending->arena, cluster, &folder, &err)) {
        copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        listing = copy < 0 ? NULL : fdopendir(copy);
        if (listing == NULL) {
            err_set(&err, CODE_R0534, "%.*s: %s", TEXT_ARG(cluster), strerror(errno));
        }
    }
    if (listing == NULL) {
        if (copy >= 0) {
            close(copy);
        }
        pending_fail(pending, &err, OUTCOME_REFUSED);
        return;
    }
    rows_read(pending, folder, listing, arena_text(pending->arena, cluster));
    pending->answer.is_complete = true;
    closedir(listing);
}

static void driver_find(struct provider *port, struct text cluster, struct text id,
                        provider_done *done, void *arg)
{
    struct pending *pending = pending_new(port, done, arg);
    struct arena *arena = pending->arena;
    AUTO(fd) folder = FD_NONE;
    struct provider_row *row = arena_one(arena, struct provider_row);
    struct err err;

    pending->answer.rows = row;
    pending->answer.is_complete = true;
    if (!is_id(id)) {
        return;
    }
    if (!cluster_open(self_of(port), arena, cluster, &folder, &err)) {
        pending_fail(pending, &err, OUTCOME_REFUSED);
        return;
    }
    if (is_there(folder, name_of(arena, id))) {
        machine_read(arena, folder, arena_text(arena, cluster), arena_text(arena, id), row);
        pending->answer.count = 1;
    }
}

static void driver_close(struct provider *port)
{
    struct file_provider *self = self_of(port);

    while (self->first != NULL) {
        driver_run(port);
    }
    close(self->folder);
    rows_free(self);
}

bool file_provider_open(const char *folder, struct provider **out, struct err *err)
{
    static const struct provider_driver driver = {
        .name = "file",
        .close = driver_close,
        .run = driver_run,
        .due = driver_due,
        .create = driver_create,
        .destroy = driver_destroy,
        .list = driver_list,
        .find = driver_find,
    };
    AUTO(fd) opened = FD_NONE;
    struct file_provider *self;

    if (!folder_open(folder, &opened, err)) {
        return false;
    }
    self = rows_resize(NULL, sizeof(*self));
    *self = (struct file_provider){
        .provider = { .driver = &driver, .traits = { .is_strong = true, .is_disposable = true } },
        .folder = opened,
    };
    opened = FD_NONE;
    self->last = &self->first;
    *out = &self->provider;
    return true;
}
