#include "daemon/keep.h"

#include "base/limits.h"
#include "codec/json.h"
#include "daemon/report.h"
#include "engine/objects.h"
#include "provider/file.h"
#include "provider/sim.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The key of the stamps of our machines stands in the store: a backup brings it along, and nobody else has it. */
#define STAMP_KEY "/" OBJECTS_SYSTEM_TENANT "/Stamp/machines/base"

enum { SIM_BOOT_MS = 1500 };

/* Somebody waits for the report of a pass that begins from now on. */
struct pass_wait {
    struct pass_wait *next;
    struct arena *arena;
    struct text cluster;
    uint64_t since_ms;
    void (*done)(void *arg, struct text report);
    void *arg;
};

struct keep {
    struct arena *home;
    struct pass_wait *waiting;
    struct keep_options options;
    struct control *control;
    struct provider *file;
    struct sim_cloud *cloud;
    struct provider *sim;
    char session[RANDOM_ID_BYTES];
    char stamp[RANDOM_TOKEN_BYTES]; /* empty: not known yet */
    bool is_asked;                  /* the store is asked to take a stamp of ours */
    bool is_closed;
};

/* ---- ports ---- */

static uint64_t now_ms(void *arg)
{
    return clock_monotonic_ms(((const struct keep *)arg)->options.clock);
}

static int64_t wall_ms(void *arg)
{
    return clock_wall_ms(((const struct keep *)arg)->options.clock);
}

static void random_give(void *arg, void *out, size_t bytes)
{
    random_fill(((const struct keep *)arg)->options.random, out, bytes);
}

static void mac_make(void *arg, struct text data, char out[static DIGEST_STAMP_BYTES])
{
    digest_stamp(text_from(((const struct keep *)arg)->stamp), data, out);
}

static struct provider *provider_give(void *arg, struct text tenant, struct text plugin,
                                      const char **trouble)
{
    const struct keep *keep = arg;

    (void)tenant;
    if (text_is(plugin, "file")) {
        return keep->file;
    }
    if (text_is(plugin, "sim") && keep->sim != NULL) {
        return keep->sim;
    }
    *trouble = text_is(plugin, "sim") ? "this manager does not simulate (simulate: true)"
                                      : "there is no such plugin here";
    return NULL;
}

static void wait_end(struct pass_wait *wait, const struct control_report *report)
{
    struct doc doc;
    struct buf buf;

    buf_init(&buf, wait->arena);
    if (report != NULL) {
        doc = report_doc(wait->arena, report);
        json_format(&buf, &doc);
    }
    wait->done(wait->arg, buf_text(&buf));
    arena_free(wait->arena);
}

static void waiting_tell(struct keep *keep, const struct control_report *report)
{
    struct pass_wait **link = &keep->waiting;

    while (*link != NULL) {
        struct pass_wait *wait = *link;

        if (report->begun_ms >= wait->since_ms && text_is_equal(report->cluster, wait->cluster)) {
            *link = wait->next;
            wait_end(wait, report);
        } else {
            link = &wait->next;
        }
    }
}

static void pass_told(void *arg, const struct control_report *report)
{
    struct log *log = ((struct keep *)arg)->options.log;

    waiting_tell(arg, report);
    if (report->end == CONTROL_END_DAMAGED) {
        log_error(log, "control", "damaged", log_text("cluster", report->cluster),
                  log_text("reason", report->message));
    } else if (report->end == CONTROL_END_BROKEN) {
        log_warn(log, "control", "broken", log_text("cluster", report->cluster),
                 log_text("reason", report->message));
    } else if (report->end == CONTROL_END_DONE) {
        log_debug(log, "control", "done", log_text("cluster", report->cluster),
                  log_int("actions", (int64_t)report->actions),
                  log_int("holds", (int64_t)report->holds));
    }
}

/* ---- beginning ---- */

static void stamp_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct keep *keep = arg;

    (void)outcome;
    (void)answer; /* whether ours was taken or another one stands there, the cache shows */
    keep->is_asked = false;
}

static void stamp_offer(struct keep *keep)
{
    char token[RANDOM_TOKEN_BYTES];
    char value[RANDOM_TOKEN_BYTES + 16];
    struct store_compare compare = { .key = TEXT(STAMP_KEY) };
    struct store_op op = { .key = TEXT(STAMP_KEY) };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    random_token(keep->options.random, token);
    snprintf(value, sizeof(value), "{\"key\":\"%s\"}", token);
    op.value = text_from(value);
    keep->is_asked = true;
    store_txn(keep->options.store, &txn, stamp_told, keep);
}

/* Read the key, or have one made. False: not yet. */
static bool stamp_is_known(struct keep *keep)
{
    const struct cache_object *object = cache_find(keep->options.cache, TEXT(OBJECTS_SYSTEM_TENANT),
                                                   TEXT("Stamp"), TEXT("machines"));
    const struct doc *key;
    struct arena_mark mark;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        if (!keep->is_asked) {
            stamp_offer(keep);
        }
        return false;
    }
    mark = arena_mark(keep->home);
    if (json_parse(keep->home, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc, &err)) {
        key = doc_child(&doc, "key");
        if (doc_is_scalar(key) && key->text.length == RANDOM_TOKEN_BYTES - 1) {
            memcpy(keep->stamp, key->text.data, key->text.length);
        }
    }
    arena_rewind(keep->home, mark);
    return keep->stamp[0] != '\0';
}

/* What our clock counts from: the id of this start of the machine; empty where it has none. */
static struct text clock_name(struct keep *keep)
{
    struct text id;
    struct err err;

    return file_read(keep->home, "/proc/sys/kernel/random/boot_id", LIMIT_GROUP_NAME_BYTES, &id,
                     &err)
               ? text_slice(id, 0, text_find_byte(id, '\n'))
               : TEXT("");
}

static void control_begin(struct keep *keep)
{
    struct control_options options = control_options_default();

    options.clock = clock_name(keep);
    options.session = text_from(keep->session);
    plan_limits_hasten(&options.limits, keep->options.haste);
    options.resync_ms /= keep->options.haste;
    options.is_single = keep->options.is_single;
    options.is_dry = keep->options.is_dry;
    keep->control = control_new(keep->options.store, keep->options.cache,
                                (struct control_ports){ .now_ms = now_ms,
                                                        .wall_ms = wall_ms,
                                                        .random = random_give,
                                                        .mac = mac_make,
                                                        .provider_find = provider_give,
                                                        .arg = keep },
                                options);
    control_watch(keep->control, pass_told, keep);
}

/* Is the controller there? It begins when the cache is read and the stamp of its machines is known. */
static bool control_is_begun(struct keep *keep)
{
    if (keep->control == NULL && cache_state(keep->options.cache) == CACHE_READY &&
        stamp_is_known(keep)) {
        control_begin(keep);
    }
    return keep->control != NULL;
}

bool keep_pass(struct keep *keep, struct text cluster, bool is_dry,
               void (*done)(void *arg, struct text report), void *arg)
{
    struct arena *arena;
    struct pass_wait *wait;

    if (keep->is_closed || !control_is_begun(keep) ||
        !(is_dry ? control_pass_dry : control_pass)(keep->control, cluster)) {
        return false;
    }
    arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    wait = arena_one(arena, struct pass_wait);
    *wait = (struct pass_wait){ .next = keep->waiting,
                                .arena = arena,
                                .cluster = arena_text(arena, cluster),
                                .since_ms = now_ms(keep),
                                .done = done,
                                .arg = arg };
    keep->waiting = wait;
    return true;
}

MUST_CHECK static bool file_open(struct keep *keep, struct err *err)
{
    AUTO(fd) folder = FD_NONE;
    AUTO(fd) machines = FD_NONE;

    return folder_open(keep->options.folder, &folder, err) &&
           folder_make_beneath(folder, "machines", 0700, &machines, err) &&
           file_provider_open(arena_string(keep->home, arena_printf(keep->home, "%s/machines",
                                                                    keep->options.folder)),
                              &keep->file, err);
}

bool keep_open(const struct keep_options *options, struct keep **out, struct err *err)
{
    struct arena *home = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct keep *keep = arena_one(home, struct keep);

    keep->home = home;
    keep->options = *options;
    random_id(options->random, keep->session);
    if (!file_open(keep, err)) {
        arena_free(home);
        return false;
    }
    if (options->simulates) {
        keep->cloud = sim_cloud_new((struct sim_options){
            .now_ms = now_ms, .arg = keep, .boot_ms = SIM_BOOT_MS / options->haste });
        keep->sim = sim_provider_new(keep->cloud);
    }
    *out = keep;
    return true;
}

/* ---- going on ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t keep_run(struct keep *keep)
{
    uint64_t now;
    uint64_t due;

    if (keep->is_closed || cache_state(keep->options.cache) != CACHE_READY ||
        !control_is_begun(keep)) {
        return UINT64_MAX;
    }
    provider_run(keep->file);
    if (keep->sim != NULL) {
        provider_run(keep->sim);
    }
    due = control_run(keep->control);
    now = now_ms(keep);
    due = due == UINT64_MAX ? due : due > now ? due - now : 0;
    due = earlier(due, provider_due(keep->file));
    return keep->sim == NULL ? due : earlier(due, provider_due(keep->sim));
}

struct control *keep_control(struct keep *keep)
{
    return keep->control;
}

/* ---- ending ---- */

void keep_close(struct keep *keep)
{
    if (keep != NULL && !keep->is_closed) {
        keep->is_closed = true;
        for (struct pass_wait *wait = keep->waiting, *next; wait != NULL; wait = next) {
            next = wait->next;
            wait_end(wait, NULL);
        }
        keep->waiting = NULL;
        if (keep->control != NULL) {
            control_stop(keep->control);
        }
        provider_close(keep->file);
        provider_close(keep->sim);
    }
}

void keep_free(struct keep *keep)
{
    if (keep == NULL) {
        return;
    }
    keep_close(keep);
    control_free(keep->control);
    sim_cloud_free(keep->cloud);
    arena_free(keep->home);
}
