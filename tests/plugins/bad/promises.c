/* Plugins that break one guarantee of plugin.h without crashing, so that only a test can find it.
 * Each is the plugin `file` with one change; the conformance suite has a rule for each. */
#include "bad.h"

#include <stdatomic.h>
#include <time.h>

#ifndef CREATE_MS
#define CREATE_MS 3000
#endif
#ifndef PROPERTIES
#define PROPERTIES 1 /* number of properties in the table; the second is invalid */
#endif

enum {
    STEP_MS = 30,
    SLOW_MS = 400,
    LEAK_BYTES = 64 * 1024,
    ANSWER_STEP_BYTES = 64 * 1024,
    ROWS_OF_OLD_ID = 3
};

static atomic_uint counter; /* counter of this process */
static atomic_uint rows_since_create;
static struct reeve_host_v1 altered;
static const struct reeve_host_v1 *real;

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static struct reeve_text copy(struct reeve_call *call, const char *string)
{
    size_t length = strlen(string);
    char *bytes = real->allocate(call, length + 1);

    memcpy(bytes, string, length);
    return (struct reeve_text){ bytes, length };
}

/* Returns the same request with a new token, which gives another file with the tags of this
 * request. */
static struct reeve_wish_v1 another(struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct reeve_wish_v1 other = *request;
    struct timespec now;
    char token[64];

    /* in a pid namespace every process has the same number, and two may live within one second */
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(token, sizeof(token), "%08x%04x%08x", (unsigned)now.tv_sec,
             (unsigned)(now.tv_nsec / 16384) & 0xffff, atomic_fetch_add(&counter, 1));
    other.token = copy(call, token);
    return other;
}

static bool is_there(void *self, const struct reeve_wish_v1 *request)
{
    char path[PATH_BYTES];
    char id[64];

    snprintf(id, sizeof(id), "file-%.20s", request->token.bytes);
    return path_make(own(self), request->cluster, text_of(id), path) && access(path, F_OK) == 0;
}

/* ---- create ---- */

static int32_t double_create(void *self, struct reeve_call *call,
                             const struct reeve_wish_v1 *request)
{
    struct reeve_wish_v1 other = another(call, request);

    return file_create(self, call, &other);
}

/* Creates two machines, and returns the id of the first. */
static int32_t double_hidden(void *self, struct reeve_call *call,
                             const struct reeve_wish_v1 *request)
{
    if (is_there(self, request)) {
        struct reeve_wish_v1 other = another(call, request);

        file_create(self, call, &other);
    }
    return file_create(self, call, request);
}

/* Looks up the token first, and waits before it creates the machine. */
static int32_t racy_create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    static atomic_uint inside;
    bool is_first = atomic_fetch_add(&inside, 1) == 0;
    struct reeve_wish_v1 other =
        is_first || is_there(self, request) ? *request : another(call, request);

    wait_ms(STEP_MS);
    atomic_fetch_sub(&inside, 1);
    return file_create(self, call, &other);
}

/* Only this process knows which token belongs to which machine. */
static int32_t forgetful_create(void *self, struct reeve_call *call,
                                const struct reeve_wish_v1 *request)
{
    static char tokens[256][64];
    static struct reeve_wish_v1 made[256];
    static char ids[256][64];
    static atomic_uint count;
    struct reeve_wish_v1 other;
    unsigned at = 0;
    int32_t result;

    while (at < count && strncmp(tokens[at], request->token.bytes, 20) != 0) {
        at++;
    }
    if (at == count) {
        made[at] = another(call, request);
        snprintf(ids[at], sizeof(ids[at]), "%.*s", (int)made[at].token.length,
                 made[at].token.bytes);
        snprintf(tokens[at], sizeof(tokens[at]), "%.20s", request->token.bytes);
        atomic_fetch_add(&count, 1);
    }
    other = *request;
    other.token = text_of(ids[at]);
    result = file_create(self, call, &other);
    wait_ms(STEP_MS);
    return result;
}

/* Creates a machine that lacks some of its tags for a while. */
static int32_t half_made_create(void *self, struct reeve_call *call,
                                const struct reeve_wish_v1 *request)
{
    char from[PATH_BYTES];
    char to[PATH_BYTES];
    char id[64];
    struct reeve_wish_v1 half = another(call, request);

    if (is_there(self, request)) {
        return file_create(self, call, request);
    }
    half.tag_count = 1;
    if (file_create(self, call, &half) != REEVE_OK) {
        return REEVE_TRANSIENT;
    }
    wait_ms(STEP_MS);
    snprintf(id, sizeof(id), "file-%.20s", half.token.bytes);
    path_make(own(self), request->cluster, text_of(id), from);
    snprintf(id, sizeof(id), "file-%.20s", request->token.bytes);
    path_make(own(self), request->cluster, text_of(id), to);
    unlink(from);
    return file_create(self, call, request);
}

static int32_t tag_create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct reeve_wish_v1 other = *request;
    struct reeve_tag *tags = real->allocate(call, sizeof(*tags) * (request->tag_count + 1));

    other.tags = tags;
    other.tag_count = 0;
    for (uint32_t i = 0; i < request->tag_count; i++) {
        bool is_mac = request->tags[i].name.length == 9 &&
                      memcmp(request->tags[i].name.bytes, "reeve.mac", 9) == 0;

        tags[other.tag_count] = request->tags[i];
        if (is_mac && is_bad("other-tag")) {
            /* as with a provider that truncates long tags */
            tags[other.tag_count].value.length -= 2;
        }
        other.tag_count += !(is_mac && is_bad("lost-tag"));
    }
    return file_create(self, call, &other);
}

static int32_t create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    if (is_bad("crash-create")) {
        raise(SIGSEGV);
    } else if (is_bad("double-create")) {
        return double_create(self, call, request);
    } else if (is_bad("double-hidden")) {
        return double_hidden(self, call, request);
    } else if (is_bad("racy-create")) {
        return racy_create(self, call, request);
    } else if (is_bad("forgetful")) {
        return forgetful_create(self, call, request);
    } else if (is_bad("half-made")) {
        return half_made_create(self, call, request);
    } else if (is_bad("lost-tag") || is_bad("other-tag")) {
        return tag_create(self, call, request);
    } else if (is_bad("slow-create")) {
        wait_ms(SLOW_MS);
    }
    atomic_store(&rows_since_create, 0);
    return file_create(self, call, request);
}

/* ---- destroy ---- */

/* Also destroys another machine of the same cluster. */
static void neighbour_end(void *self, struct reeve_text cluster, struct reeve_text id)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    DIR *listing;

    path_make(own(self), cluster, REEVE_TEXT(""), path);
    listing = opendir(path);
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (strncmp(entry->d_name, "file-", 5) == 0 &&
            strncmp(entry->d_name, id.bytes, id.length) != 0 &&
            unlinkat(dirfd(listing), entry->d_name, 0) == 0) {
            break;
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

/* Destroys the machine in any cluster. */
static void anywhere_end(void *self, struct reeve_text id)
{
    const struct plugin *plugin = own(self);
    char folder[PATH_BYTES];
    const struct dirent *entry;
    DIR *listing;

    snprintf(folder, sizeof(folder), "%.*s", (int)plugin->folder.length, plugin->folder.bytes);
    listing = opendir(folder);
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        char path[PATH_BYTES + 600];

        snprintf(path, sizeof(path), "%s/%s/%.*s" SUFFIX, folder, entry->d_name, (int)id.length,
                 id.bytes);
        unlink(path);
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

static int32_t destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id, struct reeve_text reason)
{
    char path[PATH_BYTES];

    if (is_bad("crash-destroy")) {
        raise(SIGSEGV);
    } else if (is_bad("undead")) {
        return REEVE_OK;
    } else if (is_bad("wrong-gone") &&
               (!path_make(own(self), cluster, id, path) || access(path, F_OK) != 0)) {
        real->fault(call, REEVE_TEXT(""), REEVE_TEXT("no such machine"));
        return REEVE_GONE;
    } else if (is_bad("neighbour")) {
        neighbour_end(self, cluster, id);
    } else if (is_bad("anywhere")) {
        anywhere_end(self, id);
    }
    return file_destroy(self, call, cluster, id, reason);
}

/* ---- describe ---- */

/* Returns an id for users that changes from time to time. */
static void row(struct reeve_call *call, const struct reeve_row_v1 *given)
{
    struct reeve_row_v1 other = *given;
    char id[300];

    if (is_bad("new-id") && atomic_fetch_add(&rows_since_create, 1) >= ROWS_OF_OLD_ID) {
        snprintf(id, sizeof(id), "%.*s-new", (int)given->id.length, given->id.bytes);
        other.id = copy(call, id);
    }
    real->row(call, &other);
}

static int32_t describe(void *self, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    if (is_bad("crash-describe")) {
        raise(SIGSEGV);
    } else if (is_bad("blind") && query->id_count == 0) {
        return REEVE_OK;
    } else if (is_bad("double-rows") && query->id_count == 0) {
        file_describe(self, call, query);
    } else if (is_bad("never-whole") && query->id_count == 0) {
        real->incomplete(call);
    } else if (is_bad("leak-descriptors")) {
        (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
    } else if (is_bad("leak-memory")) {
        static char *volatile last; /* otherwise the compiler would remove it as unused */

        last = malloc(LEAK_BYTES);
        if (last != NULL) {
            memset(last, 1, LEAK_BYTES);
        }
    } else if (is_bad("right")) {
        /* breaks no guarantee: the memory for answers grows, and is freed each time; the allocator
         * may keep the second block, because it has seen a free of that size */
        static _Atomic size_t bytes;
        size_t room = (bytes += ANSWER_STEP_BYTES);

        for (int i = 0; i < 2; i++) {
            char *volatile answer = malloc(room);

            if (answer != NULL) {
                memset(answer, 1, room);
            }
            free(answer);
        }
    } else if (is_bad("stale-mark") && query->id_count == 0) {
        real->mark(call, REEVE_TEXT("as ever"));
        if (query->known.length > 0) {
            real->unchanged(call);
            return REEVE_OK;
        }
    }
    return file_describe(self, call, query);
}

/* ---- the others ---- */

static int32_t validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct reeve_value_v1 count = real->value(call, REEVE_TEXT("/count"));
    bool is_fit = count.type == REEVE_TYPE_INTEGER && count.integer >= 1 && count.integer <= 9;

    (void)self;
    (void)properties;
    if (is_bad("crash-validate")) {
        raise(SIGSEGV);
    } else if (is_bad("takes-all")) {
        return REEVE_OK;
    } else if (is_bad("takes-none")) {
        is_fit = false;
    }
    if (!is_fit && !is_bad("mute")) {
        real->fault(call, REEVE_TEXT("/count"), REEVE_TEXT("count is 1 to 9"));
    }
    return is_fit ? REEVE_OK : REEVE_INVALID;
}

static int32_t change(void *self, struct reeve_call *call, struct reeve_text cluster,
                      struct reeve_text id, const char *crash)
{
    char path[PATH_BYTES];

    (void)call;
    if (is_bad(crash)) {
        raise(SIGSEGV);
    }
    return path_make(own(self), cluster, id, path) && access(path, F_OK) == 0 ? REEVE_OK
                                                                              : REEVE_GONE;
}

static int32_t label(void *self, struct reeve_call *call, struct reeve_text cluster,
                     struct reeve_text id, struct reeve_text labels)
{
    (void)labels;
    return change(self, call, cluster, id, "crash-label");
}

static int32_t reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                      struct reeve_text id)
{
    int32_t result = change(self, call, cluster, id, "crash-reboot");

    if (is_bad("lost-reboot") && result == REEVE_OK) {
        file_destroy(self, call, cluster, id, REEVE_TEXT("terminate"));
    }
    return result;
}

static int32_t start(const struct reeve_host_v1 *host, void **self)
{
    real = host;
    altered = *host;
    altered.row = row;
    return file_start(&altered, self);
}

static const struct reeve_property_v1 table[] = {
    {
        .name = REEVE_STATIC("count"),
        .type = REEVE_TYPE_INTEGER,
        .flags = REEVE_PROPERTY_REQUIRED,
        .example = REEVE_STATIC("3"),
        .initial = REEVE_STATIC(""),
        .help = REEVE_STATIC("of nothing"),
        .least = 1,
        .most = 9,
    },
    {
        .name = REEVE_STATIC("color"),
        .type = REEVE_TYPE_TEXT,
        .choices = REEVE_STATIC("red|green"),
        .initial = REEVE_STATIC("red"),
        .example = REEVE_STATIC("blue"),
    },
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC(BAD),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("breaks a promise, for tests"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_TOKEN,
    .create_ms = CREATE_MS,
    .property_count = PROPERTIES,
    .properties = table,
    .start = start,
    .stop = file_stop,
    .validate = validate,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .label = label,
    .reboot = reboot,
};
