#include "conformance/conformance_parts.h"
#include "host/sandbox.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/random.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TURN_MS = 20,
    PAUSE_MS = 1, /* pause before a restart; short, because the suite kills processes on purpose */
    PAUSE_MAX_MS = 50,
    RUN_LETTERS = 8,
    TOKEN_LETTERS = 32,
    WALK_DESCRIPTORS = 16,
    HALVINGS = 8,
};

static uint64_t now_us(void)
{
    return clock_monotonic_ns(clock_system()) / 1000;
}

uint64_t stage_now_ms(void)
{
    return now_us() / 1000;
}

/* ---- opening and closing ---- */

static void wake(void *arg)
{
    (void)arg; /* a wake needs no action, because every iteration of the loop runs all parts */
}

static struct text random_letters(struct arena *arena, size_t count)
{
    char token[RANDOM_TOKEN_BYTES];

    random_token(random_system(), token);
    return arena_text(arena, text_slice(text_from(token), 0, count));
}

MUST_CHECK static bool refuse_scratch(const char *path, struct err *err)
{
    err_set(err, CODE_R0622, "%s: %s", path, strerror(errno));
    return err_hint(err, "the test creates its folder in the folder that TMPDIR names");
}

MUST_CHECK static bool folders_make(struct conformance_stage *stage, struct err *err)
{
    const char *scratch = stage->options->scratch;
    char *folder =
        arena_string(stage->arena, arena_printf(stage->arena, "%s/reeve-kit-XXXXXX", scratch));
    char *own;

    if (mkdtemp(folder) == NULL) {
        return refuse_scratch(scratch, err);
    }
    stage->folder = folder;
    own = arena_string(stage->arena, arena_printf(stage->arena, "%s/plugin", folder));
    if (mkdir(own, 0700) != 0) {
        return refuse_scratch(own, err);
    }
    stage->own_folder = text_from(own);
    stage->log_fd = open(arena_string(stage->arena, arena_printf(stage->arena, "%s/log", folder)),
                         O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    return stage->log_fd >= 0 || refuse_scratch(folder, err);
}

static struct hosted_patience patience_of(const struct conformance_options *options)
{
    struct hosted_patience patience = hosted_patience_hastened(1);

    patience.pause_ms = PAUSE_MS;
    patience.pause_max_ms = PAUSE_MAX_MS;
    if (options->patience_ms != 0) {
        patience.read_ms = patience.change_ms = patience.create_ms = options->patience_ms;
        patience.stuck_ms = options->patience_ms / 2 + 1;
    }
    return patience;
}

/* The description of the plugin, with the times that the options replace. */
static struct wire_hello hello_of(const struct conformance_stage *stage)
{
    const struct conformance_options *options = stage->options;
    struct wire_hello hello = stage->about->hello;

    hello.lag_ms = options->lag_ms == UINT64_MAX ? hello.lag_ms : options->lag_ms;
    hello.late_ms = options->late_ms == UINT64_MAX ? hello.late_ms : options->late_ms;
    hello.calls_per_s =
        options->calls_per_s == UINT64_MAX ? hello.calls_per_s : options->calls_per_s;
    return hello;
}

static void facts_make(struct conformance_stage *stage)
{
    const struct conformance_options *options = stage->options;
    struct plugin_facts *facts = &stage->facts;

    facts->hello = hello_of(stage);
    facts->open = (struct wire_open){
        .path = stage->about->path,
        .digest = stage->about->digest,
        .name = facts->hello.name,
        .settings = options->settings.length > 0 ? options->settings : TEXT("{}"),
        .profile = stage->about->profile,
        .calls_max = LIMIT_HOST_CALLS,
        .endpoints = { (void *)(uintptr_t)options->endpoints, options->endpoint_count },
    };
    if (options->patience_ms != 0 && (facts->hello.create_ms > options->patience_ms)) {
        facts->hello.create_ms = options->patience_ms;
    }
    stage->hasty = *facts;
}

/* Copies the credential of the options to `out`. Callback of hosted_vault. */
MUST_CHECK static bool credential_reveal(void *arg, const struct hosted_use *use, char *out,
                                         size_t *out_length, struct err *err)
{
    const struct conformance_stage *stage = arg;
    struct text credential = stage->options->credential;

    (void)use;
    if (credential.length > LIMIT_SECRET_BYTES) {
        return err_set(err, CODE_R0663, "the credential is longer than %d bytes",
                       (int)LIMIT_SECRET_BYTES);
    }
    memcpy(out, credential.data, credential.length);
    *out_length = credential.length;
    return true;
}

static struct provider *provider_new(struct conformance_stage *stage,
                                     const struct plugin_facts *facts)
{
    bool has_account = stage->options->credential.data != NULL;
    struct hosted_options options = {
        .loop = stage->loop,
        .log = stage->log,
        .alive = &stage->alive,
        .program = stage->options->program,
        .facts = facts,
        .patience = stage->patience,
        .tenant = TEXT("kit"),
        .folder = stage->own_folder,
        .account = has_account ? TEXT("kit") : TEXT(""),
        .vault = { .reveal = credential_reveal, .arg = stage },
        .wake = wake,
    };

    return hosted_open(&options);
}

void stage_renew(struct conformance_stage *stage, const struct plugin_facts *facts)
{
    assert(stage->main != NULL);
    provider_close(stage->main);
    stage->main = provider_new(stage, facts);
}

bool stage_open(struct arena *arena, const struct conformance_options *options,
                const struct conformance_about *about, struct conformance_stage **out,
                struct err *err)
{
    struct conformance_stage *stage = arena_one(arena, struct conformance_stage);

    *stage = (struct conformance_stage){ .arena = arena,
                                         .options = options,
                                         .about = about,
                                         .log_fd = FD_NONE,
                                         .luck = options->seed,
                                         .patience = patience_of(options) };
    buf_init(&stage->used, arena);
    buf_init(&stage->later, arena);
    if (!schema_smallest(arena, &about->hello, &options->properties, &stage->own,
                         &stage->properties, err)) {
        return false;
    }
    if (!folders_make(stage, err) || !loop_open(&stage->loop, err)) {
        stage_close(stage);
        return false;
    }
    stage->log = log_new(&(struct log_options){ .fd = stage->log_fd, .level = LOG_LEVEL_INFO });
    stage->run = random_letters(arena, RUN_LETTERS);
    facts_make(stage);
    stage->main = provider_new(stage, &stage->facts);
    *out = stage;
    return true;
}

static int path_remove(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* Closes the stage. Links have a time limit: a process that does not end is killed. */
void stage_close(struct conformance_stage *stage)
{
    if (stage == NULL) {
        return;
    }
    if (stage->main != NULL) {
        provider_close(stage->main);
    }
    while (stage->alive > 0) {
        loop_run_once(stage->loop, TURN_MS);
    }
    loop_close(stage->loop);
    log_free(stage->log);
    if (stage->log_fd != FD_NONE) {
        close(stage->log_fd);
    }
    if (stage->folder != NULL &&
        (stage->about->profile != SANDBOX_HOST || apart_clear(stage->folder))) {
        nftw(stage->folder, path_remove, WALK_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    }
}

/* ---- time ---- */

static void stage_turn(struct conformance_stage *stage, uint64_t wait_ms)
{
    uint64_t due = provider_due(stage->main);

    loop_run_once(stage->loop, due < wait_ms ? due : wait_ms);
    provider_run(stage->main);
}

void stage_pause(struct conformance_stage *stage, uint64_t ms)
{
    uint64_t end = now_us() + ms * 1000;

    for (uint64_t now = now_us(); now < end; now = now_us()) {
        stage_turn(stage, (end - now) / 1000 < TURN_MS ? (end - now) / 1000 + 1 : TURN_MS);
    }
}

/* The generator is splitmix64: the same seed gives the same points in time. */
uint64_t stage_below(struct conformance_stage *stage, uint64_t limit)
{
    uint64_t value;

    assert(limit > 0);
    stage->luck += UINT64_C(0x9e3779b97f4a7c15);
    value = stage->luck;
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (value ^ (value >> 31)) % limit;
}

/* ---- calls ---- */

static const struct provider_resource *resources_keep(struct arena *arena,
                                                      const struct provider_answer *answer)
{
    struct provider_resource *kept =
        arena_array(arena, struct provider_resource, answer->resource_count);

    for (size_t i = 0; i < answer->resource_count; i++) {
        kept[i] = (struct provider_resource){
            .kind = arena_text(arena, answer->resources[i].kind),
            .id = arena_text(arena, answer->resources[i].id),
            .attached = arena_text(arena, answer->resources[i].attached),
        };
    }
    return kept;
}

static void reply_keep(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct conformance_reply *reply = arg;
    struct arena *arena = reply->stage->arena;
    struct provider_row *rows = arena_array(arena, struct provider_row, answer->count);

    assert(!reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->took_us = now_us() - reply->begun_us;
    reply->answer = *answer;
    reply->answer.message = arena_text(arena, answer->message);
    reply->answer.id = arena_text(arena, answer->id);
    reply->answer.mark = arena_text(arena, answer->mark);
    for (size_t i = 0; i < answer->count; i++) {
        const struct provider_tags *tags = &answer->rows[i].tags;

        rows[i] = answer->rows[i];
        rows[i].id = arena_text(arena, rows[i].id);
        rows[i].tags.cluster = arena_text(arena, tags->cluster);
        rows[i].tags.life = arena_text(arena, tags->life);
        rows[i].tags.group = arena_text(arena, tags->group);
        rows[i].tags.token = arena_text(arena, tags->token);
        rows[i].tags.mac = arena_text(arena, tags->mac);
    }
    reply->answer.rows = rows;
    reply->answer.resources = resources_keep(arena, answer);
    if (outcome == OUTCOME_OK && reply->took_us > reply->stage->longest_us[reply->method]) {
        reply->stage->longest_us[reply->method] = reply->took_us;
    }
}

/* Waits, like a manager, until the plugin's own rate limit permits a call. */
static void rate_wait(struct conformance_stage *stage, const struct provider *provider)
{
    enum { CALL = 1000000 };
    uint64_t per_s = provider->traits.calls_per_s;

    while (per_s > 0) {
        uint64_t now = now_us();
        uint64_t most = per_s * CALL;
        uint64_t came = (now - stage->filled_us) * per_s;

        stage->bucket = came >= most || stage->bucket + came >= most ? most : stage->bucket + came;
        stage->filled_us = now;
        if (stage->bucket >= CALL) {
            stage->bucket -= CALL;
            return;
        }
        stage_pause(stage, (CALL - stage->bucket) / per_s / 1000 + 1);
    }
}

struct conformance_reply *stage_ask(struct conformance_stage *stage, struct provider *provider,
                                    enum wire_method method, const struct wire_call *wire)
{
    struct conformance_reply *reply = arena_one(stage->arena, struct conformance_reply);
    struct hosted_state state = hosted_state(provider);

    if (state.pid == 0 && state.starts > 0) {
        /* the process has ended and is not restarted immediately */
        stage_pause(stage, 2 * PAUSE_MAX_MS);
    }
    rate_wait(stage, provider);
    *reply = (struct conformance_reply){ .stage = stage,
                                         .method = method,
                                         .token = method == WIRE_CREATE ? wire->token : TEXT(""),
                                         .begun_us = now_us() };
    hosted_try(provider, method, wire, reply_keep, reply);
    return reply;
}

/* Waits for a reply. It terminates, because every call of a hosted provider has a deadline. */
void stage_wait(struct conformance_stage *stage, struct conformance_reply *reply)
{
    while (!reply->has_come) {
        stage_turn(stage, TURN_MS);
    }
}

/* The process must already be running, so that the measured time is the call's and not the
 * start's. */
void stage_kill_during(struct conformance_stage *stage, struct conformance_reply *reply)
{
    /* The longest call may include waiting. So the limit for the random moment is the longest
     * duration, half of it, a quarter of it and so on, all equally likely. */
    uint64_t most = (stage->longest_us[reply->method] >> stage_below(stage, HALVINGS)) * 5 / 4 + 1;
    int pid;

    most = most < LIMIT_CONFORMANCE_WAIT_MS * UINT64_C(1000)
               ? most
               : LIMIT_CONFORMANCE_WAIT_MS * UINT64_C(1000);
    for (uint64_t end = now_us() + stage_below(stage, most); now_us() < end;) {
        uint64_t left = end - now_us();

        if (left > TURN_MS * UINT64_C(1000)) {
            stage_turn(stage, TURN_MS / 2);
        } else {
            usleep((useconds_t)left);
            break;
        }
    }
    pid = hosted_state(stage->main).pid;
    if (pid > 0) {
        kill(-pid, SIGKILL);
    }
    stage_wait(stage, reply);
    while (pid > 0 && hosted_state(stage->main).pid == pid) {
        stage_turn(stage, TURN_MS);
    }
    stage_pause(stage, 2 * PAUSE_MAX_MS);
}

/* ---- machines ---- */

struct text stage_cluster(struct conformance_stage *stage)
{
    struct text *cluster = &stage->clusters[stage->cluster_count];

    assert(stage->cluster_count < CONFORMANCE_CLUSTERS);
    *cluster = arena_printf(stage->arena, "kit/t%.*s-%zu-%zu", TEXT_ARG(stage->run), stage->now,
                            stage->cluster_count);
    stage->cluster_count++;
    return *cluster;
}

struct conformance_machine *stage_machine(struct conformance_stage *stage, struct text cluster)
{
    struct conformance_machine *machine = arena_one(stage->arena, struct conformance_machine);

    stage->machine_count++;
    machine->begun_us = now_us();
    machine->next = stage->machines;
    stage->machines = machine;
    machine->name =
        arena_printf(stage->arena, "kit-%llu", (unsigned long long)stage->machine_count);
    machine->tags = (struct provider_tags){
        .cluster = cluster,
        .life = TEXT("6f1c55d0-0000-4000-8000-0000000b0017"),
        .group = TEXT("kit/machines"),
        .slot = stage->machine_count,
        .token = random_letters(stage->arena, TOKEN_LETTERS),
        .mac = random_letters(stage->arena, TOKEN_LETTERS),
    };
    return machine;
}

struct wire_call stage_request(struct conformance_stage *stage,
                               const struct conformance_machine *machine)
{
    return (struct wire_call){
        .cluster = machine->tags.cluster,
        .token = machine->tags.token,
        .name = machine->name,
        .labels = TEXT("{\"labels\":{\"made-by\":\"kit\"},\"owner\":\"kit\"}"),
        .properties = stage->properties,
        .tags = tags_write(stage->arena, &machine->tags),
    };
}

struct wire_call stage_about(const struct conformance_machine *machine)
{
    return (struct wire_call){ .cluster = machine->tags.cluster,
                               .machine = machine->id,
                               .token = machine->tags.token,
                               .reason = TEXT("terminate"),
                               .age_ms = stage_age_ms(machine) };
}

uint64_t stage_age_ms(const struct conformance_machine *machine)
{
    return (now_us() - machine->begun_us) / 1000;
}

struct conformance_machine *stage_machine_of(const struct conformance_stage *stage,
                                             struct text cluster, struct text id)
{
    struct conformance_machine *machine = stage->machines;

    while (machine != NULL &&
           !(text_is_equal(machine->id, id) && text_is_equal(machine->tags.cluster, cluster))) {
        machine = machine->next;
    }
    return machine;
}

struct wire_call stage_about_id(const struct conformance_stage *stage, struct text cluster,
                                struct text id)
{
    const struct conformance_machine *machine = stage_machine_of(stage, cluster, id);

    return machine != NULL ? stage_about(machine)
                           : (struct wire_call){ .cluster = cluster,
                                                 .machine = id,
                                                 .reason = TEXT("terminate"),
                                                 .age_ms = UINT64_MAX };
}

/* ---- preflight ---- */

struct checking {
    struct conformance_stage *stage;
    struct provider_preflight found;
    bool has_come;
};

static struct wire_list pairs_copy(struct arena *arena, const struct wire_list *pairs)
{
    struct wire_pair *copy = arena_array(arena, struct wire_pair, pairs->count);

    for (size_t i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = wire_item(*pairs, struct wire_pair, i);

        copy[i] =
            (struct wire_pair){ arena_text(arena, pair->name), arena_text(arena, pair->value) };
    }
    return (struct wire_list){ copy, pairs->count };
}

static void preflight_keep(void *arg, const struct provider_preflight *found)
{
    struct checking *checking = arg;
    struct arena *arena = checking->stage->arena;

    checking->has_come = true;
    checking->found = (struct provider_preflight){
        .faults = pairs_copy(arena, &found->faults),
        .notices = pairs_copy(arena, &found->notices),
        .facts = pairs_copy(arena, &found->facts),
        .pins = pairs_copy(arena, &found->pins),
        .fault = found->fault,
        .problem = arena_text(arena, found->problem),
    };
}

const struct provider_preflight *stage_preflight(struct conformance_stage *stage,
                                                 const struct wire_call *wire)
{
    struct checking *checking = arena_one(stage->arena, struct checking);

    rate_wait(stage, stage->main);
    checking->stage = stage;
    hosted_preflight(stage->main, wire, preflight_keep, checking);
    while (!checking->has_come) {
        stage_turn(stage, TURN_MS);
    }
    return &checking->found;
}
