#include "engine/fake_nodes.h"

#include <stdio.h>
#include <string.h>

struct fake_nodes fake;

/* ---- the port ---- */

static struct nodes_run *fake_begin(void *arg, const struct nodes_order *order,
                                    nodes_event_fn *reported, void *event_arg)
{
    (void)arg;
    for (size_t i = 0; i < RUNS; i++) {
        struct nodes_run *run = &fake.runs[i];

        if (!run->is_used) {
            *run = (struct nodes_run){ .is_used = true,
                                       .reported = reported,
                                       .arg = event_arg,
                                       .with = order->with,
                                       .is_beside = order->is_beside,
                                       .stages = order->stage_count };
            snprintf(run->token, sizeof(run->token), "%.*s", TEXT_ARG(order->way.token));
            snprintf(run->name, sizeof(run->name), "%.*s", TEXT_ARG(order->way.name));
            snprintf(run->request, sizeof(run->request), "%.*s", TEXT_ARG(order->request));
            if (order->stage_count > 0 && order->stages[0].argument_count > 0) {
                snprintf(run->argument, sizeof(run->argument), "%.*s",
                         TEXT_ARG(order->stages[0].arguments[0]));
            }
            snprintf(fake.last_request, sizeof(fake.last_request), "%.*s",
                     TEXT_ARG(order->request));
            for (size_t stage = 0; stage < order->stage_count && stage < ARRAY_COUNT(fake.reported);
                 stage++) {
                fake.reported[stage] = order->reported == NULL ? 0 : order->reported[stage];
            }
            fake.last_from = order->is_request_of_all ? order->request_from : fake.last_from;
            fake.begun++;
            fake.staged += (order->with & RUN_WITH_STAGES) != 0;
            return run;
        }
    }
    return NULL;
}

static void fake_trust(void *arg, struct nodes_run *run, const struct nodes_trust *trust)
{
    (void)arg;
    assert_true(run->is_used && run->is_waiting);
    assert_true(trust->count > 0);
    run->is_waiting = false;
    run->with &= ~(unsigned)RUN_WITH_KEYS;
    fake.trusted++;
    fake.kept += trust->keeps;
    run->reported(run->arg,
                  &(struct nodes_event){ .kind = NODES_EVENT_TRUSTED, .renew_ms = fake.renew_ms });
}

static void fake_distribute(void *arg, struct nodes_run *run, struct text facts, struct text hosts)
{
    (void)arg;
    (void)hosts;
    assert_true(run->is_used && run->is_waiting);
    snprintf(fake.last_facts, sizeof(fake.last_facts), "%.*s", TEXT_ARG(facts));
    run->is_waiting = false;
    run->with &= ~(unsigned)RUN_WITH_FACTS;
    run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_GIVEN });
}

static void fake_drop(void *arg, struct nodes_run *run)
{
    (void)arg;
    assert_true(run->is_used);
    run->is_used = false;
    fake.dropped++;
}

static bool fake_authority(void *arg, struct text cluster, struct nodes_mark *out)
{
    (void)arg;
    (void)cluster;
    *out = fake.mark;
    return fake.mark.signs != 0;
}

static bool fake_rotation(void *arg, struct text cluster, struct nodes_rotation *out)
{
    (void)arg;
    (void)cluster;
    *out = fake.rotation;
    out->request = text_from(fake.request);
    return fake.mark.signs != 0;
}

/* Simulates a rotation: from the second step on both authorities are trusted, from the third step
 * on the new authority signs. */
static void fake_rotate(void *arg, struct text cluster, struct text request, struct text event)
{
    char copy[sizeof(fake.request)]; /* `request` may point to fake.request */

    (void)arg;
    (void)cluster;
    snprintf(copy, sizeof(copy), "%.*s", TEXT_ARG(request));
    fake.steps++;
    fake.rotation.phase = rotation_phase_next(fake.rotation.phase);
    fake.rotation.age_ms = 0;
    fake.mark.signs += fake.rotation.phase == ROTATION_SIGNS;
    fake.mark.trusts += fake.rotation.phase != ROTATION_MADE;
    memcpy(fake.request, copy, sizeof(copy));
    snprintf(fake.event, sizeof(fake.event), "%.*s", TEXT_ARG(event));
    control_bootstrap(lab.control, text_from(lab.cluster));
}

static bool fake_logs_in(void *arg, struct text plugin)
{
    (void)arg;
    return !fake.is_shut && text_is(plugin, "sim");
}

static const struct nodes_port port = { .logs_in = fake_logs_in,
                                        .begin = fake_begin,
                                        .trust = fake_trust,
                                        .distribute = fake_distribute,
                                        .drop = fake_drop,
                                        .authority = fake_authority,
                                        .rotation = fake_rotation,
                                        .rotate = fake_rotate };

/* ---- behaviour of the nodes ---- */

bool is_named(const struct nodes_run *run, const char *name)
{
    return name != NULL && (strcmp(name, "*") == 0 || strcmp(run->name, name) == 0);
}

static void run_end(struct nodes_run *run, enum nodes_end end, const char *why)
{
    run->is_used = false;
    run->reported(run->arg,
                  &(struct nodes_event){
                      .kind = NODES_EVENT_END,
                      .end = end,
                      .attempt = 1,
                      .code = end == NODES_END_FAILED || end == NODES_END_CONTINUED ? 3 : 0,
                      .why = text_from(why) });
}

/* A request that the node has already fulfilled runs nothing; only its end is reported again. */
static void request_fulfill(const struct nodes_run *run)
{
    char word[32];

    snprintf(word, sizeof(word), "%.8s %.22s", run->name, run->request);
    for (size_t i = 0; i < fake.known_count; i++) {
        if (strcmp(fake.known[i], word) == 0) {
            return;
        }
    }
    if (run->request[0] != '\0' && fake.known_count < ARRAY_COUNT(fake.known)) {
        snprintf(fake.known[fake.known_count++], sizeof(fake.known[0]), "%s", word);
    }
}

static void stages_report(struct nodes_run *run)
{
    request_fulfill(run);
    if (fake.reports > 0) {
        run->reported(run->arg,
                      &(struct nodes_event){ .kind = NODES_EVENT_STAGE, .attempt = fake.reports });
        run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_STAGED,
                                                       .attempt = fake.reports,
                                                       .end = NODES_END_DONE });
    }
    if (fake.is_marked) {
        run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_MARKED,
                                                       .stage = 1,
                                                       .why = TEXT("/root/stage-1/x") });
    }
}

static void run_go(struct nodes_run *run)
{
    char facts[64];

    if (!run->is_used || run->is_waiting || is_named(run, fake.slow)) {
        return;
    }
    if (is_named(run, fake.far)) {
        run_end(run, NODES_END_UNREACHABLE, "no route to host");
    } else if (is_named(run, fake.other)) {
        run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_ALARM,
                                                       .host_key = text_from(fake.shows),
                                                       .why = TEXT("the host has another key") });
        run_end(run, NODES_END_REFUSED, "the host has another key");
    } else if (is_named(run, fake.full)) {
        run_end(run, NODES_END_REFUSED, "No space left on device");
    } else if ((run->with & RUN_WITH_KEYS) != 0) {
        run->is_waiting = true;
        run->reported(run->arg,
                      &(struct nodes_event){
                          .kind = NODES_EVENT_KEYS,
                          .keys = { .host = text_from(run->token),
                                    .root = fake.own_keys ? text_from(run->token) : TEXT("r") } });
    } else if ((run->with & RUN_WITH_FACTS) != 0) {
        run->is_waiting = true;
        snprintf(facts, sizeof(facts), "{\"name\":\"%s\"}", run->name);
        run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_FACTS,
                                                       .facts = text_from(facts) });
    } else if ((run->with & RUN_WITH_STAGES) != 0 && is_named(run, fake.bad) &&
               (fake.bad_argument == NULL || strcmp(run->argument, fake.bad_argument) == 0)) {
        run_end(run, fake.goes_on ? NODES_END_CONTINUED : NODES_END_FAILED, "E: no such package");
    } else {
        if ((run->with & RUN_WITH_STAGES) != 0) {
            stages_report(run);
        }
        run_end(run, NODES_END_DONE, "");
    }
}

void bootstrap_time(uint64_t ms)
{
    for (uint64_t at = 0; at < ms; at += 100) {
        pass_time(100);
        for (size_t i = 0; i < RUNS; i++) {
            run_go(&fake.runs[i]);
        }
    }
}

void apply_group(unsigned size, const char *argument, const char *ready)
{
    char yaml[400];

    snprintf(
        yaml, sizeof(yaml),
        "version: '1'\nname: shop\ngroups: {web: {size: %u, ready: %s, %s, bootstrap: [{bundle: "
        "'base@sha256:" DIGEST "', args: [%s]}]}}\n",
        size, ready, SIM, argument);
    apply(yaml);
}

void apply_staged(unsigned size, const char *argument)
{
    apply_group(size, argument, "bootstrapped");
}

void apply_ready(unsigned size, const char *ready)
{
    apply_group(size, "a", ready);
}

static void nodes_begin(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.mark = (struct nodes_mark){ .signs = 1, .trusts = 1 };
    lab.nodes = &port;
    life_anew();
}

int nodes_setup(void **state)
{
    int code = setup_nodes(state);

    nodes_begin();
    return code;
}

int nodes_setup_metal(void **state)
{
    int code = setup_nodes_metal(state);

    nodes_begin();
    return code;
}

/* ---- observations ---- */

size_t count_of(const char *kind)
{
    char prefix[64];
    size_t count = 0;

    snprintf(prefix, sizeof(prefix), "/default/%s/", kind);
    for (const struct cache_object *object = cache_first(lab.cache, text_from(prefix));
         object != NULL; object = cache_next(lab.cache, text_from(prefix), object)) {
        count++;
    }
    return count;
}

bool any_says(const char *kind, const char *words)
{
    char prefix[64];
    bool is_said = false;

    snprintf(prefix, sizeof(prefix), "/default/%s/", kind);
    for (const struct cache_object *object = cache_first(lab.cache, text_from(prefix));
         object != NULL; object = cache_next(lab.cache, text_from(prefix), object)) {
        const struct blob *bytes = object->parts[CACHE_STATUS].bytes;

        is_said = is_said || (bytes != NULL && strstr(blob_text(bytes).data, words) != NULL);
    }
    return is_said;
}

bool cluster_says(const char *words)
{
    return any_says("Cluster", words);
}

/* ---- actions of users ---- */

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

static void key_write(struct text key, const char *value)
{
    struct store_op op = {
        .key = key,
        .value = text_from(value),
        .is_delete = value == NULL,
    };
    struct store_txn txn = { .ops = &op, .op_count = 1 };
    bool is_written = false;

    store_txn(lab.store, &txn, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

/* Writes a value of group web directly to the store. NULL deletes it. */
void web_write(const char *kind, const char *value)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);

    key_write(arena_printf(lab.arena, "/default/%s/%.*s/web/spec", kind, TEXT_ARG(id)), value);
}

/* Simulates that another manager had the lease in between, so that the epoch changes. */
void lease_rewrite(void)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);

    key_write(arena_printf(lab.arena, "/default/Lease/%.*s/status", TEXT_ARG(id)),
              arena_printf(lab.arena, "{\"session\":\"life-%u\"}", lab.lives).data);
}

/* Sends the operator command `retry`. */
void retry_say(void)
{
    web_write("Control", "{\"retry\":true}");
}
