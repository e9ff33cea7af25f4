#include "daemon/keep.h"

#include "base/limits.h"
#include "codec/json.h"
#include "daemon/keep_exec.h"
#include "daemon/keep_logs.h"
#include "daemon/keep_nodes.h"
#include "daemon/keep_plugins.h"
#include "daemon/keep_probe.h"
#include "daemon/report.h"
#include "engine/objects.h"
#include "provider/plugins.h"
#include "reeve/plugin.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/process.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The key of the stamps of our machines stands in the store: a backup brings it along, and nobody else has it. */
#define STAMP_KEY "/" OBJECTS_SYSTEM_TENANT "/Stamp/machines/base"

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
    struct plugins *plugins;
    struct keep_fetch *fetch; /* NULL: nothing is fetched */
    struct model_plugins known;
    struct authorities *authorities;
    struct reach *reach;
    struct keep_probes *probes;
    struct keep_execs *execs;
    struct logs *logs; /* of stages */
    struct keep_nodes *nodes;
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

    return keep->fetch != NULL ? keep_fetch_find(keep->fetch, tenant, plugin, trouble)
                               : plugins_find(keep->plugins, tenant, plugin, trouble);
}

static void origin_want(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out)
{
    keep_fetch_want(((const struct keep *)arg)->fetch, cluster, origin, out);
}

static void waiting_approve(void *arg, struct text tenant, struct text plugin, struct text digest)
{
    keep_fetch_approve(((const struct keep *)arg)->fetch, tenant, plugin, digest);
}

static void cluster_look(void *arg, struct text cluster)
{
    const struct keep *keep = arg;

    if (keep->control != NULL && !keep->is_closed) {
        control_wake(keep->control, cluster);
        keep->options.wake(keep->options.arg);
    }
}

/* Somebody logs in to machines of a plugin that knows their user. */
static bool has_user(const struct keep *keep, struct text plugin)
{
    struct plugins_entry entry;

    if (!plugins_look(keep->plugins, text_slice(plugin, 0, text_find_byte(plugin, '/')), &entry) ||
        entry.hello == NULL) {
        return false;
    }
    for (size_t i = 0; i < entry.hello->properties.count; i++) {
        if (wire_item(entry.hello->properties, struct wire_property, i)->role == REEVE_ROLE_USER) {
            return true;
        }
    }
    return false;
}

static bool keys_give(void *arg, struct text cluster, struct text plugin, struct text *out)
{
    const struct keep *keep = arg;

    *out = TEXT("");
    return !has_user(keep, plugin) || authorities_line(keep->authorities, cluster, out);
}

/* What a pass, or a probe, waits for is there or will not come. */
static void authority_moved(void *arg, struct text cluster)
{
    struct keep *keep = arg;

    if (!keep->is_closed) {
        keep_probes_go_on(keep->probes);
        keep_execs_go_on(keep->execs);
        keep_nodes_go_on(keep->nodes);
        cluster_look(keep, cluster);
    }
}

/* Members are to be told of another list, or those who wait for one go on. */
static void authority_listed(void *arg, struct text cluster)
{
    struct keep *keep = arg;

    if (!keep->is_closed && keep->control != NULL) {
        keep_nodes_go_on(keep->nodes);
        control_bootstrap(keep->control, cluster);
        keep->options.wake(keep->options.arg);
    }
}

static void probe_make(void *arg, const struct control_probe *probe, control_probe_done *done,
                       void *done_arg)
{
    keep_probe(((struct keep *)arg)->probes, probe, done, done_arg);
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

static void damage_tell(void *arg, struct text cluster, struct text what, const struct err *err)
{
    log_error(((struct keep *)arg)->options.log, "control", "damaged", log_text("cluster", cluster),
              log_text("what", what), log_string("code", code_get(err->code)->name),
              log_string("reason", err->text));
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
    keep->control =
        control_new(keep->options.store, keep->options.cache,
                    (struct control_ports){ .now_ms = now_ms,
                                            .wall_ms = wall_ms,
                                            .random = random_give,
                                            .mac = mac_make,
                                            .provider_find = provider_give,
                                            .plugin_want = keep->fetch == NULL ? NULL : origin_want,
                                            .plugin_approve = waiting_approve,
                                            .keys = keys_give,
                                            .probe = probe_make,
                                            .damaged = damage_tell,
                                            .nodes = keep_nodes_port(keep->nodes),
                                            .arg = keep },
                    options);
    control_watch(keep->control, pass_told, keep);
}

/* Is the controller there? It begins when the cache is read and the stamp of its machines is known. */
static bool control_is_begun(struct keep *keep)
{
    if (keep->control == NULL && cache_state(keep->options.cache) == CACHE_READY &&
        stamp_is_known(keep) && plugins_are_asked(keep->plugins)) {
        control_begin(keep);
    }
    return keep->control != NULL;
}

/* Was an object of this kind (a cluster, or the word that ended one) last changed at this revision? */
static bool is_changed_at(const struct keep *keep, struct text tenant, const char *kind,
                          uint64_t revision)
{
    char key[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(key, sizeof key, "/%.*s/%s/", TEXT_ARG(tenant), kind);
    struct text prefix = { .data = key, .length = (size_t)length };

    for (const struct cache_object *object = cache_first(keep->options.cache, prefix);
         object != NULL; object = cache_next(keep->options.cache, prefix, object)) {
        if (object->parts[CACHE_SPEC].revision == revision) {
            return true;
        }
    }
    return false;
}

bool keep_is_behind(const struct keep *keep, struct text tenant, uint64_t revision)
{
    if (keep->is_closed || keep->control != NULL) {
        return !keep->is_closed && control_is_behind(keep->control, tenant, revision);
    }
    return is_changed_at(keep, tenant, "Cluster", revision) ||
           is_changed_at(keep, tenant, "Control", revision);
}

bool keep_is_calling(const struct keep *keep, struct text cluster, struct text token)
{
    return !keep->is_closed && keep->control != NULL &&
           control_is_calling(keep->control, cluster, token);
}

uint64_t keep_clock(const struct keep *keep, struct text cluster)
{
    return keep->is_closed || keep->control == NULL ? 0 : control_clock(keep->control, cluster);
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

/* Plugins stand in the folder `plugins` beside this program, where packages put them, and where people install them;
 * each tenant's plugin has a folder of its own below the store's. */
MUST_CHECK static bool plugins_start(struct keep *keep, struct err *err)
{
    struct text program = process_folder(keep->home);
    const char *const folders[] = {
        arena_string(keep->home, arena_printf(keep->home, "%s/installed", keep->options.folder)),
        arena_string(keep->home, arena_printf(keep->home, "%.*s/plugins", TEXT_ARG(program))),
        arena_string(keep->home,
                     arena_printf(keep->home, "%.*s/../lib/reeve/plugins", TEXT_ARG(program))),
        NULL,
    };
    struct plugins_options options = {
        .loop = keep->options.loop,
        .log = keep->options.log,
        .program = arena_string(keep->home,
                                arena_printf(keep->home, "%.*s/reeve-host", TEXT_ARG(program))),
        .folders = folders,
        .home =
            arena_string(keep->home, arena_printf(keep->home, "%s/plugins", keep->options.folder)),
        .patience = hosted_patience_hastened(keep->options.haste),
        .settings = keep->options.plugin_settings,
        .endpoints = keep->options.endpoints,
        .trusted = keep->options.trusted,
        .vault = keep->options.vault,
        .wake = keep->options.wake,
        .arg = keep->options.arg,
    };
    AUTO(fd) folder = FD_NONE;
    AUTO(fd) own = FD_NONE;

    return folder_open(keep->options.folder, &folder, err) &&
           folder_make_beneath(folder, "plugins", 0700, &own, err) &&
           plugins_open(&options, &keep->plugins, err);
}

/* What files want that is not installed. */
MUST_CHECK static bool fetch_start(struct keep *keep, struct err *err)
{
    struct text program = process_folder(keep->home);
    struct keep_fetch_options options = {
        .loop = keep->options.loop,
        .log = keep->options.log,
        .clock = keep->options.clock,
        .random = keep->options.random,
        .store = keep->options.store,
        .cache = keep->options.cache,
        .config = keep->options.fetch,
        .program = arena_string(keep->home,
                                arena_printf(keep->home, "%.*s/reeve-fetch", TEXT_ARG(program))),
        .folder =
            arena_string(keep->home, arena_printf(keep->home, "%s/fetched", keep->options.folder)),
        .haste = keep->options.haste,
        .is_dry = keep->options.is_dry,
        .look = cluster_look,
        .arg = keep,
    };

    return keep_fetch_open(&options, &keep->fetch, err);
}

/* A path beside the store's folder: what is kept apart from it. */
static const char *beside(struct keep *keep, const char *what)
{
    return arena_string(keep->home, arena_printf(keep->home, "%s.%s", keep->options.folder, what));
}

/* How machines are reached; no process of it runs yet. */
MUST_CHECK static bool reach_start(struct keep *keep, struct err *err)
{
    struct text program = process_folder(keep->home);
    struct authorities_options authorities = {
        .loop = keep->options.loop,
        .log = keep->options.log,
        .clock = keep->options.clock,
        .random = keep->options.random,
        .store = keep->options.store,
        .cache = keep->options.cache,
        .program = arena_string(keep->home,
                                arena_printf(keep->home, "%.*s/reeve-signer", TEXT_ARG(program))),
        .key = beside(keep, "signer.key"),
        .book = beside(keep, "signer.log"),
        .haste = keep->options.haste,
        .is_reader = keep->options.is_dry,
        .moved = authority_moved,
        .listed = authority_listed,
        .arg = keep,
    };
    struct reach_options reach = {
        .loop = keep->options.loop,
        .log = keep->options.log,
        .random = keep->options.random,
        .keys = keep->options.keys,
        .program = arena_string(keep->home,
                                arena_printf(keep->home, "%.*s/reeve-session", TEXT_ARG(program))),
        .folder =
            arena_string(keep->home, arena_printf(keep->home, "%s/hands", keep->options.folder)),
    };

    if (!authorities_open(&authorities, &keep->authorities, err)) {
        return false;
    }
    reach.authorities = keep->authorities;
    keep->reach = reach_new(&reach);
    keep->probes = keep_probes_new(keep->options.loop, keep->options.log, keep->reach,
                                   keep->options.wake, keep->options.arg);
    keep->execs = keep_execs_new(keep->options.loop, keep->reach);
    return true;
}

bool keep_logs_in(const struct keep *keep, struct text plugin)
{
    return has_user(keep, plugin);
}

static bool plugin_logs_in(void *arg, struct text plugin)
{
    return has_user(arg, plugin);
}

static void nodes_wake(void *arg)
{
    const struct keep *keep = arg;

    keep->options.wake(keep->options.arg);
}

/* Whose output is kept longer. */
static bool machine_is_there(void *arg, struct text token)
{
    const struct keep *keep = arg;

    return keep->control == NULL || control_has_machine(keep->control, token);
}

/* What becomes of machines once they are reached. */
static void nodes_start(struct keep *keep)
{
    struct logs_limits limits = logs_limits_usual();
    struct err err;

    limits.bytes = keep->options.logs_bytes > 0 ? keep->options.logs_bytes : limits.bytes;
    limits.is_there = machine_is_there;
    limits.arg = keep;
    if (!keep->options.is_single &&
        !logs_open(
            arena_string(keep->home, arena_printf(keep->home, "%s/logs", keep->options.folder)),
            limits, &keep->logs, &err)) {
        keep->logs = NULL;
        log_error(keep->options.log, "logs", "none", log_string("reason", err.text),
                  log_string("means", "output of stages is not kept"));
    }
    keep->nodes = keep_nodes_new(&(struct keep_nodes_options){ .cache = keep->options.cache,
                                                               .loop = keep->options.loop,
                                                               .log = keep->options.log,
                                                               .clock = keep->options.clock,
                                                               .reach = keep->reach,
                                                               .authorities = keep->authorities,
                                                               .depot = keep->options.bundles,
                                                               .logs_in = plugin_logs_in,
                                                               .wake = nodes_wake,
                                                               .arg = keep,
                                                               .logs = keep->logs,
                                                               .haste = keep->options.haste });
}

bool keep_open(const struct keep_options *options, struct keep **out, struct err *err)
{
    struct arena *home = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct keep *keep = arena_one(home, struct keep);

    keep->home = home;
    keep->options = *options;
    if (!folder_resolve(home, options->folder, &keep->options.folder, err)) { /* plugins are told */
        arena_free(home);
        return false;
    }
    random_id(options->random, keep->session);
    if (options->fetch != NULL && !fetch_start(keep, err)) {
        arena_free(home);
        return false;
    }
    if (!plugins_start(keep, err)) {
        keep_fetch_free(keep->fetch);
        arena_free(home);
        return false;
    }
    if (!reach_start(keep, err)) {
        keep_fetch_free(keep->fetch);
        plugins_free(keep->plugins);
        arena_free(home);
        return false;
    }
    nodes_start(keep);
    if (keep->fetch != NULL) {
        keep_fetch_join(keep->fetch, keep->plugins);
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
    uint64_t fetch_due;
    uint64_t now;
    uint64_t due;

    if (keep->is_closed || cache_state(keep->options.cache) != CACHE_READY ||
        !control_is_begun(keep)) {
        if (!keep->is_closed) {
            plugins_run(keep->plugins);
            return plugins_due(keep->plugins);
        }
        return UINT64_MAX;
    }
    plugins_run(keep->plugins);
    fetch_due = keep->fetch == NULL ? UINT64_MAX : keep_fetch_run(keep->fetch);
    due = control_run(keep->control);
    now = now_ms(keep);
    due = due == UINT64_MAX ? due : due > now ? due - now : 0;
    return earlier(earlier(due, fetch_due), plugins_due(keep->plugins));
}

struct control *keep_control(struct keep *keep)
{
    return keep->control;
}

/* ---- judging ---- */

static const struct wire_hello *hello_find(void *arg, struct text name)
{
    const struct keep *keep = arg;
    struct plugins_entry entry;

    return plugins_look(keep->plugins, name, &entry) ? entry.hello : NULL;
}

static bool hello_is_asked(void *arg, struct text name)
{
    const struct keep *keep = arg;
    struct plugins_entry entry;

    return plugins_look(keep->plugins, name, &entry) && entry.is_asked;
}

const struct model_plugins *keep_plugins(struct keep *keep)
{
    keep->known = (struct model_plugins){ hello_find, hello_is_asked, keep };
    return &keep->known;
}

/* Where it came from, and what of it waits. */
static struct doc fetched_doc(const struct keep *keep, struct arena *arena, struct text tenant,
                              const struct plugins_entry *entry)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    keep_fetch_put(keep->fetch, arena, tenant, entry->name, &builder);
    return doc_builder_map(&builder, NULL);
}

struct doc keep_plugins_doc(struct keep *keep, struct arena *arena, struct text tenant)
{
    size_t wanted = keep->fetch == NULL ? 0 : keep_fetch_count(keep->fetch, tenant);
    size_t shown = 0;
    struct doc *items;
    size_t count;

    if (keep->fetch != NULL) {
        keep_fetch_know(keep->fetch, tenant);
    }
    count = plugins_count(keep->plugins);
    items = arena_array(arena, struct doc, count + wanted);
    for (size_t i = 0; i < count; i++) {
        struct plugins_entry entry = plugins_at(keep->plugins, i);
        const struct provider *seat = plugins_seat(keep->plugins, tenant, &entry);
        struct hosted_state state = { 0 };

        if (entry.is_fetched && !keep_fetch_has(keep->fetch, tenant, &entry)) {
            continue; /* another tenant's, or an older one */
        }
        if (seat != NULL) {
            state = hosted_state(seat);
        }
        items[shown++] = keep_plugin_doc(arena, &entry, seat == NULL ? NULL : &state,
                                         entry.is_fetched ? fetched_doc(keep, arena, tenant, &entry)
                                                          : doc_map(NULL, 0, NULL));
    }
    if (keep->fetch != NULL) {
        shown = keep_fetch_show(keep->fetch, arena, tenant, items, shown);
    }
    return doc_list(items, shown, NULL);
}

void keep_upgrade(struct keep *keep, struct text tenant, struct text plugin, keep_fetch_done *done,
                  void *arg)
{
    struct err err;

    if (keep->fetch == NULL || keep->is_closed) {
        err_set(&err, CODE_R0647, "this manager fetches no plugins");
        done(arg, NULL, &err);
        return;
    }
    keep_fetch_upgrade(keep->fetch, tenant, plugin, done, arg);
}

void keep_install(struct keep *keep, const struct plugin_order *order, keep_fetch_done *done,
                  void *arg)
{
    struct err err;

    if (keep->fetch == NULL || keep->is_closed) {
        err_set(&err, CODE_R0647, "this manager keeps no plugins");
        done(arg, NULL, &err);
        return;
    }
    keep_fetch_install(keep->fetch, order, done, arg);
}

void keep_enter(struct keep *keep, struct text cluster, struct text who, struct text key,
                void (*done)(void *arg, struct text certificate, const struct err *err), void *arg)
{
    struct err err;

    if (keep->is_closed || cache_state(keep->options.cache) != CACHE_READY) {
        err_set(&err, CODE_R0548, "this manager begins or ends just now");
        done(arg, TEXT(""), &err);
        return;
    }
    authorities_enter(keep->authorities, cluster, who, key, done, arg);
}

const struct exec_port *keep_exec_port(struct keep *keep)
{
    return keep_execs_port(keep->execs);
}

bool keep_has_commands(const struct keep *keep)
{
    return keep != NULL && !keep->is_closed && !keep_execs_are_idle(keep->execs);
}

bool keep_runs_bundle(const struct keep *keep, struct text digest)
{
    return !keep->is_closed && keep_nodes_names(keep->nodes, digest);
}

void keep_refuse(struct keep *keep)
{
    if (keep != NULL && keep->fetch != NULL) {
        keep_fetch_refuse(keep->fetch);
    }
}

bool keep_logs(const struct keep *keep, struct arena *arena, struct text token,
               const struct service_logs *logs, struct doc *out, struct err *err)
{
    if (keep->logs == NULL) {
        return err_set(err, CODE_R0729, "this manager keeps no output of stages");
    }
    return keep_logs_read(keep->logs, arena, token, logs, out, err);
}

bool keep_logs_gone(const struct keep *keep, struct arena *arena, struct text tenant,
                    struct text cluster, struct text node, struct text *out_token)
{
    return keep->logs != NULL &&
           logs_owner_find(keep->logs, arena, keep_logs_owner(arena, tenant, cluster, node),
                           out_token);
}

struct doc keep_policy(const struct keep *keep, struct arena *arena)
{
    return keep->fetch == NULL ? doc_map(NULL, 0, NULL) : keep_fetch_policy(keep->fetch, arena);
}

/* Who waits for what a plugin says. */
struct judging {
    void (*done)(void *arg, struct wire_list faults, struct text trouble);
    void *arg;
};

static void plugin_judged(void *arg, struct wire_list faults, struct text trouble)
{
    struct judging judging = *(struct judging *)arg;

    rows_free(arg);
    judging.done(judging.arg, faults, trouble);
}

void keep_judge(struct keep *keep, struct text tenant, struct text plugin, struct text properties,
                void (*done)(void *arg, struct wire_list faults, struct text trouble), void *arg)
{
    const char *trouble = "this manager ends";
    struct provider *provider =
        keep->is_closed ? NULL : provider_give(keep, tenant, plugin, &trouble);
    struct judging *judging;

    if (provider == NULL) {
        done(arg, (struct wire_list){ 0 }, text_from(trouble));
        return;
    }
    judging = rows_resize(NULL, sizeof(*judging));
    *judging = (struct judging){ done, arg };
    hosted_validate(provider, properties, plugin_judged, judging);
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
        keep_fetch_close(keep->fetch);
        plugins_close(keep->plugins);
        keep_probes_free(keep->probes);
        keep->probes = NULL;
        keep_execs_close(keep->execs);
        authorities_close(keep->authorities); /* whose answers runs wait for */
        keep_nodes_free(keep->nodes);
        keep->nodes = NULL;
        reach_close(keep->reach);
        keep_execs_free(keep->execs);
        keep->execs = NULL;
    }
}

bool keep_is_over(const struct keep *keep)
{
    return keep == NULL || (plugins_are_over(keep->plugins) && keep_fetch_is_over(keep->fetch) &&
                            reach_is_over(keep->reach) && authorities_are_over(keep->authorities));
}

void keep_free(struct keep *keep)
{
    if (keep == NULL) {
        return;
    }
    keep_close(keep);
    control_free(keep->control);
    keep_fetch_free(keep->fetch);
    plugins_free(keep->plugins);
    reach_free(keep->reach);
    authorities_free(keep->authorities);
    logs_close(keep->logs);
    arena_free(keep->home);
}
