/* The plugin `sim`: machines that are rows in a file, for simulations and benchmarks
 * (README.md). */

#include "table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ID_BYTES = 64, MARK_BYTES = 64, ROW_TAGS = TABLE_KIND_TAGS + 3, BOOT_MAX_MS = 3600000 };

#define ID_PREFIX "sim-"

struct plugin {
    const struct reeve_host_v1 *host;
    struct table *table;
    pthread_mutex_t lock; /* protects the table */
    uint64_t began_ms;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_named(struct reeve_text text, const char *name)
{
    return text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0;
}

static bool text_copy(struct reeve_text text, char out[static TABLE_TEXT_BYTES])
{
    if (text.length >= TABLE_TEXT_BYTES) {
        return false;
    }
    memcpy(out, text.bytes, text.length);
    out[text.length] = '\0';
    return true;
}

static int32_t full_say(struct plugin *self, struct reeve_call *call)
{
    self->host->fault(call, REEVE_TEXT(""), REEVE_TEXT("its table cannot grow: the disk is full"));
    return REEVE_CAPACITY;
}

/* Returns the token in an id, which follows a prefix. Empty: the id does not belong to this
 * plugin. */
static struct reeve_text token_of(struct reeve_text id)
{
    size_t length = strlen(ID_PREFIX);

    return id.length > length && memcmp(id.bytes, ID_PREFIX, length) == 0
               ? (struct reeve_text){ id.bytes + length, id.length - length }
               : (struct reeve_text){ "", 0 };
}

/* ---- create ---- */

/* Splits the request into the row's own data and its kind. Returns false if the data does not
 * fit. */
static bool request_read(const struct reeve_wish_v1 *request, struct table_kind *kind,
                         struct table_row *row)
{
    *kind = (struct table_kind){ .cluster = request->cluster, .zone = request->zone };
    for (uint32_t i = 0; i < request->tag_count; i++) {
        const struct reeve_tag *tag = &request->tags[i];
        char number[TABLE_TEXT_BYTES];

        if (is_named(tag->name, "reeve.token")) {
            continue;
        }
        if (is_named(tag->name, "reeve.mac")) {
            if (!text_copy(tag->value, row->mac)) {
                return false;
            }
        } else if (is_named(tag->name, "reeve.logical_id") && text_copy(tag->value, number)) {
            row->slot = strtoull(number, NULL, 10);
        } else if (kind->tag_count < TABLE_KIND_TAGS) {
            kind->tags[kind->tag_count++] = *tag;
        } else {
            return false;
        }
    }
    return request->token.length > 0 && text_copy(request->token, row->token);
}

static int32_t sim_create(void *arg, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct plugin *self = arg;
    struct reeve_value_v1 boot = self->host->value(call, REEVE_TEXT("/boot"));
    struct table_row row = { .running_ms = now_ms() };
    struct table_kind kind;
    char id[ID_BYTES];
    bool is_made;

    if (!request_read(request, &kind, &row)) {
        self->host->fault(call, REEVE_TEXT(""), REEVE_TEXT("its tags do not fit into a row"));
        return REEVE_INVALID;
    }
    row.running_ms += boot.type == REEVE_TYPE_INTEGER ? (uint64_t)boot.integer : 0;
    pthread_mutex_lock(&self->lock);
    is_made = table_find(self->table, request->cluster, request->token) != NULL;
    is_made =
        is_made || (table_kind_make(self->table, &kind, &row.kind) && table_add(self->table, &row));
    pthread_mutex_unlock(&self->lock);
    if (!is_made) {
        return full_say(self, call);
    }
    snprintf(id, sizeof(id), ID_PREFIX "%s", row.token);
    self->host->made(call, (struct reeve_text){ id, strlen(id) });
    return REEVE_OK;
}

/* ---- destroy and changes ---- */

static int32_t sim_destroy(void *arg, struct reeve_call *call, struct reeve_text cluster,
                           struct reeve_text id, struct reeve_text reason)
{
    struct plugin *self = arg;
    struct table_row *row;

    (void)call;
    (void)reason;
    pthread_mutex_lock(&self->lock);
    row = table_find(self->table, cluster, token_of(id));
    if (row != NULL) {
        table_remove(self->table, row);
    }
    pthread_mutex_unlock(&self->lock);
    return REEVE_OK;
}

static int32_t sim_reboot(void *arg, struct reeve_call *call, struct reeve_text cluster,
                          struct reeve_text id)
{
    struct plugin *self = arg;
    struct table_row *row;

    (void)call;
    pthread_mutex_lock(&self->lock);
    row = table_find(self->table, cluster, token_of(id));
    if (row != NULL) {
        row->is_stopped = 0;
        table_cluster(self->table, cluster, true)->changes++;
    }
    pthread_mutex_unlock(&self->lock);
    return row == NULL ? REEVE_GONE : REEVE_OK;
}

/* Accepts new labels. Labels of simulated machines are not stored. */
static int32_t sim_label(void *arg, struct reeve_call *call, struct reeve_text cluster,
                         struct reeve_text id, struct reeve_text labels)
{
    struct plugin *self = arg;
    const struct table_row *row;

    (void)call;
    (void)labels;
    pthread_mutex_lock(&self->lock);
    row = table_find(self->table, cluster, token_of(id));
    pthread_mutex_unlock(&self->lock);
    return row == NULL ? REEVE_GONE : REEVE_OK;
}

/* ---- listing ---- */

static void row_report(struct plugin *self, struct reeve_call *call, const struct table_row *from,
                       uint64_t now)
{
    const struct table_kind *kind = table_kind_at(self->table, from->kind);
    struct reeve_tag tags[ROW_TAGS];
    uint32_t count = kind->tag_count;
    char slot[24];
    char id[ID_BYTES];
    struct reeve_row_v1 row = { .struct_size = sizeof(row), .tags = tags, .zone = kind->zone };

    memcpy(tags, kind->tags, count * sizeof(tags[0]));
    snprintf(slot, sizeof(slot), "%llu", (unsigned long long)from->slot);
    snprintf(id, sizeof(id), ID_PREFIX "%s", from->token);
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.logical_id"), { slot, strlen(slot) } };
    tags[count++] =
        (struct reeve_tag){ REEVE_TEXT("reeve.token"), { from->token, strlen(from->token) } };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.mac"), { from->mac, strlen(from->mac) } };
    row.tag_count = count;
    row.id = (struct reeve_text){ id, strlen(id) };
    row.state = from->is_stopped != 0    ? REEVE_STOPPED
                : now < from->running_ms ? REEVE_PENDING
                                         : REEVE_RUNNING;
    self->host->row(call, &row);
}

/* Makes a listing token from the process and its number of changes. It is empty while a machine is
 * about to run, because the listing will change by itself. */
static void mark_make(const struct plugin *self, const struct table_cluster *cluster, uint64_t now,
                      char out[static MARK_BYTES])
{
    out[0] = '\0';
    if (cluster == NULL || now >= cluster->settled_ms) {
        snprintf(out, MARK_BYTES, "%llx.%llx", (unsigned long long)self->began_ms,
                 (unsigned long long)(cluster == NULL ? 0 : cluster->changes));
    }
}

static void all_report(struct plugin *self, struct reeve_call *call,
                       const struct reeve_query_v1 *query, uint64_t now)
{
    const struct table_cluster *cluster = table_cluster(self->table, query->cluster, false);
    char mark[MARK_BYTES];

    mark_make(self, cluster, now, mark);
    if (mark[0] != '\0' && is_named(query->known, mark)) {
        self->host->unchanged(call);
        return;
    }
    for (const struct table_row *row = cluster == NULL ? NULL : table_first(self->table, cluster);
         row != NULL; row = table_next(self->table, row)) {
        row_report(self, call, row, now);
    }
    if (mark[0] != '\0') {
        self->host->mark(call, (struct reeve_text){ mark, strlen(mark) });
    }
}

static int32_t sim_describe(void *arg, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;
    uint64_t now = now_ms();

    pthread_mutex_lock(&self->lock);
    if (query->id_count == 0) {
        all_report(self, call, query, now);
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        const struct table_row *row =
            table_find(self->table, query->cluster, token_of(query->ids[i]));

        if (row != NULL) {
            row_report(self, call, row, now);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return REEVE_OK;
}

/* ---- the plugin ---- */

static int32_t sim_start(const struct reeve_host_v1 *host, void **out)
{
    struct plugin *self = calloc(1, sizeof(*self));
    const char *why = "";

    if (self == NULL) {
        return REEVE_TRANSIENT;
    }
    *self = (struct plugin){ .host = host, .began_ms = now_ms() };
    self->table = table_open(host->folder, &why);
    if (self->table == NULL) {
        host->log(host, REEVE_LOG_ERROR, (struct reeve_text){ why, strlen(why) });
        free(self);
        return REEVE_TRANSIENT;
    }
    pthread_mutex_init(&self->lock, NULL);
    *out = self;
    return REEVE_OK;
}

static void sim_stop(void *arg)
{
    struct plugin *self = arg;

    pthread_mutex_destroy(&self->lock);
    table_close(self->table);
    free(self);
}

static const struct reeve_property_v1 properties[] = {
    {
        .name = REEVE_STATIC("boot"),
        .type = REEVE_TYPE_INTEGER,
        .help = REEVE_STATIC("milliseconds from its creation until it runs"),
        .example = REEVE_STATIC("1500"),
        .most = BOOT_MAX_MS,
    },
    {
        .name = REEVE_STATIC("image"),
        .type = REEVE_TYPE_TEXT,
        .role = REEVE_ROLE_IMAGE,
        .help = REEVE_STATIC("has no effect, but a change replaces the machine"),
    },
    {
        .name = REEVE_STATIC("note"),
        .type = REEVE_TYPE_ANY,
        .help = REEVE_STATIC("the same"),
    },
};

const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC("sim"),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("machines that are rows in a file: for simulations with very many "
                          "machines"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_TOKEN | REEVE_CAN_HOST,
    .property_count = sizeof(properties) / sizeof(properties[0]),
    .properties = properties,
    .start = sim_start,
    .stop = sim_stop,
    .create = sim_create,
    .destroy = sim_destroy,
    .describe = sim_describe,
    .label = sim_label,
    .reboot = sim_reboot,
};
