#include "engine/lab.h"

#include "records/intent.h"
#include "codec/json_member.h"
#include "codec/yaml.h"

#include <stdio.h>
#include <string.h>

#define INCARNATION "0123456789abcdef" /* incarnation of the store with which a test begins */

struct lab lab;

/* ---- ports ---- */

static uint64_t now_ms(void *arg)
{
    return ((struct lab *)arg)->now_ms;
}

static int64_t wall_ms(void *arg)
{
    return INT64_C(1760000000000) + (int64_t)((struct lab *)arg)->now_ms +
           ((struct lab *)arg)->wall_ahead_ms;
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++((struct lab *)arg)->ids);
}

static void luck_draw(void *arg, void *out, size_t bytes)
{
    struct lab *self = arg;

    for (size_t i = 0; i < bytes; i++) {
        self->luck ^= self->luck << 13;
        self->luck ^= self->luck >> 7;
        self->luck ^= self->luck << 17;
        ((unsigned char *)out)[i] = (unsigned char)(self->luck >> 24);
    }
}

static void mac_make(void *arg, struct text data, char out[static 33])
{
    (void)arg;
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)text_hash(data, 1),
             (unsigned long long)text_hash(data, 2));
}

static struct provider *provider_find_sim(void *arg, struct text tenant, struct text plugin,
                                          const char **problem)
{
    (void)tenant;
    *problem = ((struct lab *)arg)->missing;
    return text_is(plugin, "sim")     ? ((struct lab *)arg)->provider
           : text_is(plugin, "other") ? ((struct lab *)arg)->other
                                      : NULL;
}

static bool is_probe_ill(const struct lab *self, const struct control_probe *probe)
{
    struct text cluster = text_from(self->cluster);

    for (struct sim_machine *machine = sim_first(self->cloud, cluster);
         machine != NULL && self->ill_zone != NULL;
         machine = sim_next(self->cloud, cluster, machine)) {
        if (text_is_equal(machine->id, probe->way.machine) &&
            text_is(machine->kind->zone, self->ill_zone)) {
            return true;
        }
    }
    return self->ill_node != NULL && text_is(probe->way.name, self->ill_node);
}

static void probe_ask(void *arg, const struct control_probe *probe, control_probe_done *done,
                      void *done_arg)
{
    struct lab *self = arg;

    unsigned slot = 0;

    (void)sscanf(arena_string(self->arena, probe->way.name), "%*[a-z]-%u", &slot);
    self->probes_in_all++;
    snprintf(self->probe_last, sizeof(self->probe_last),
             "%.*s at %.*s port %u%s, %zu words, within %llu ms", TEXT_ARG(probe->way.name),
             TEXT_ARG(probe->way.address), (unsigned)probe->port, probe->is_ssh ? " by SSH" : "",
             probe->argument_count, (unsigned long long)probe->timeout_ms);
    assert_true(self->probe_count < ARRAY_COUNT(self->probes));
    self->probes[self->probe_count++] = (struct lab_probe){
        .is_cut = slot < self->cut,
        .is_ill = is_probe_ill(self, probe),
        .due_ms = self->now_ms + (slot < self->cut && self->is_cut_slow ? probe->timeout_ms : 0),
        .done = done,
        .arg = done_arg,
    };
}

static size_t probes_answer(void)
{
    struct control_probed_answer lost = { .found = CONTROL_PROBED_UNREACHABLE,
                                          .why = TEXT("no answer") };
    struct control_probed_answer ill = { .found = CONTROL_PROBED_FAILING, .why = TEXT("exit 1") };
    struct control_probed_answer answer = { .found = lab.probed, .why = text_from(lab.probe_argv) };
    struct lab_probe probes[ARRAY_COUNT(lab.probes)];
    size_t count = lab.probe_count;
    size_t answered = 0;

    memcpy(probes, lab.probes, count * sizeof(*probes));
    lab.probe_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (probes[i].due_ms > lab.now_ms) {
            lab.probes[lab.probe_count++] = probes[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (probes[i].due_ms <= lab.now_ms) {
            probes[i].done(probes[i].arg, probes[i].is_cut   ? &lost
                                          : probes[i].is_ill ? &ill
                                                             : &answer);
            answered++;
        }
    }
    return answered;
}

static uint64_t probes_due(void)
{
    uint64_t due_ms = UINT64_MAX;

    for (size_t i = 0; i < lab.probe_count; i++) {
        due_ms = lab.probes[i].due_ms < due_ms ? lab.probes[i].due_ms : due_ms;
    }
    return due_ms;
}

static void plugin_want(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out)
{
    struct lab *self = arg;

    (void)cluster;
    self->wants++;
    if (self->waits[0] != '\0') {
        out->digest = text_from(self->waits);
        out->words = arena_printf(self->arena, "%.*s with digest %s", TEXT_ARG(origin->version),
                                  self->waits);
    }
}

static void plugin_approve(void *arg, struct text tenant, struct text plugin, struct text digest)
{
    struct lab *self = arg;

    (void)tenant;
    assert_true(text_is(plugin, "sim"));
    if (text_is_equal(digest, text_from(self->waits))) {
        self->waits[0] = '\0';
    }
}

static bool keys_give(void *arg, struct text cluster, struct text plugin, struct text *out)
{
    struct lab *self = arg;

    (void)cluster;
    if (self->keys == NULL) {
        return false;
    }
    *out = text_is(plugin, "sim") ? text_from(self->keys) : TEXT("");
    return true;
}

/* ---- life ---- */

static void reported(void *arg, const struct control_report *report)
{
    struct lab *self = arg;

    self->passes++;
    self->holds += report->holds;
    self->last_end = report->end;
    self->ends[report->end]++;
    self->last_pass_ms = self->now_ms;
    self->decided += report->plan != NULL;
    snprintf(self->cluster, sizeof(self->cluster), "%.*s", TEXT_ARG(report->cluster));
}

static void damage_take(void *arg, struct text cluster, struct text what, const struct err *err)
{
    struct lab *self = arg;

    assert_true(text_is_equal(cluster, text_from(self->cluster)));
    assert_true(what.length > 0);
    self->damages++;
    self->damaged = err->code;
}

void turn(void)
{
    store_run(lab.store);
    cache_run(lab.cache);
    service_run(lab.service);
    sim_cloud_run(lab.cloud);
}

void life_begin(void)
{
    struct control_options options = control_options_default();
    char session[16];

    lab.cache = cache_new(lab.store, RING);
    lab.service =
        service_new(lab.store, lab.cache, (struct service_ports){ wall_ms, id_make, &lab });
    for (int i = 0; i < 20; i++) {
        turn();
    }
    snprintf(session, sizeof(session), "life-%u", ++lab.lives);
    options.session = text_from(session);
    options.clock = lab.is_elsewhere ? TEXT("") : TEXT("lab");
    options.is_alone = !lab.is_shared;
    options.is_dry = lab.is_dry;
    options.volumes.retain_ms =
        lab.volumes_keep_ms > 0 ? lab.volumes_keep_ms : options.volumes.retain_ms;
#ifdef REEVE_GUARD_SWITCHES
    options.limits.guards_off = lab.guards_off;
#endif
    lab.control =
        control_new(lab.store, lab.cache,
                    (struct control_ports){ .now_ms = now_ms,
                                            .wall_ms = wall_ms,
                                            .random = luck_draw,
                                            .mac = mac_make,
                                            .provider_find = provider_find_sim,
                                            .plugin_want = lab.fetches ? plugin_want : NULL,
                                            .plugin_approve = plugin_approve,
                                            .keys = lab.logs_in ? keys_give : NULL,
                                            .probe = probe_ask,
                                            .nodes = lab.nodes,
                                            .damaged = damage_take,
                                            .arg = &lab },
                    options);
    control_watch(lab.control, reported, &lab);
}

static void providers_close(void)
{
    provider_close(lab.provider);
    if (lab.other != NULL) {
        provider_close(lab.other);
    }
}

static void providers_begin(void)
{
    lab.provider = sim_provider_new(lab.cloud);
    if (lab.other_cloud != NULL) {
        lab.other = sim_provider_new(lab.other_cloud);
    }
}

static struct sim_fate other_fate(void *arg, enum sim_call call, struct text cluster)
{
    (void)call;
    (void)cluster;
    return (struct sim_fate){ .fault = ((struct lab *)arg)->other_fails ? PROVIDER_FAULT_TRANSIENT
                                                                        : PROVIDER_FAULT_NONE };
}

void other_begin(void)
{
    const struct provider_tags tags = { .cluster = TEXT("default/of nobody"),
                                        .group = TEXT("g"),
                                        .token = TEXT("t") };

    lab.other_cloud = sim_cloud_new(
        (struct sim_options){ .now_ms = now_ms, .fate = other_fate, .boot_ms = 2000, .arg = &lab });
    for (int i = 0; i < 100; i++) { /* use ids that the first cloud does not use */
        sim_end(lab.other_cloud, sim_plant(lab.other_cloud, &tags));
    }
    lab.other = sim_provider_new(lab.other_cloud);
}

/* Ends the manager, and starts another manager, which continues from the committed state. */
void life_anew(void)
{
    providers_close();
    cache_free(lab.cache);
    while (store_run(lab.store) > 0) {
    }
    control_free(lab.control);
    service_free(lab.service);
    providers_begin();
    life_begin();
}

static void key_copied(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void keys_copy(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = 0; i < answer->count; i++) {
        struct store_op op = { .key = answer->items[i].key, .value = answer->items[i].value };
        struct store_txn txn = { .ops = &op, .op_count = 1 };

        store_txn(arg, &txn, key_copied, NULL);
    }
}

static struct store *store_copy(struct store *from, const char *incarnation)
{
    struct store *out = memory_open((const unsigned char *)incarnation);
    struct store_range all = { .prefix = TEXT("/") };

    store_list(from, &all, keys_copy, out);
    while (store_run(from) > 0 || store_run(out) > 0) {
    }
    return out;
}

struct store *store_save(void)
{
    return store_copy(lab.store, INCARNATION);
}

void store_put_back(struct store *saved, bool is_restore)
{
    providers_close();
    cache_free(lab.cache);
    while (store_run(lab.store) > 0) {
    }
    control_free(lab.control);
    service_free(lab.service);
    store_close(lab.store);
    lab.store = store_copy(saved, is_restore ? "another life of it" : INCARNATION);
    store_close(saved);
    providers_begin();
    life_begin();
}

static struct sim_fate fate(void *arg, enum sim_call call, struct text cluster)
{
    struct lab *self = arg;

    (void)cluster;
    self->asked += call == SIM_CREATE;
    self->asked_in_all++;
    self->lists += call == SIM_LIST;
    if (call == SIM_FIND) {
        self->finds++;
        return (struct sim_fate){ .is_lying = self->finds_lie, .is_lying_again = true };
    }
    if (call == SIM_LIST && self->now_ms < self->limited_until_ms) {
        return (struct sim_fate){ .fault = PROVIDER_FAULT_THROTTLED,
                                  .retry_ms = self->limited_until_ms - self->now_ms };
    }
    if (self->is_failing || (self->is_keeping && call == SIM_DESTROY)) {
        return (struct sim_fate){ .fault = PROVIDER_FAULT_TRANSIENT };
    }
    if (call == SIM_CREATE && self->refusals > 0) {
        self->refusals--;
        return (struct sim_fate){ .fault = self->fault };
    }
    if (call == SIM_CREATE && self->unknowns > 0) {
        self->unknowns--;
        return (struct sim_fate){ .has_no_effect = true };
    }
    return (struct sim_fate){ .answer_ms = call == SIM_CREATE ? self->answer_ms
                                           : call == SIM_LIST ? self->list_ms
                                                              : 0 };
}

static void call_asked(void *arg, enum sim_call call, const struct intent *intent)
{
    struct lab *self = arg;

    if (call == SIM_DESTROY) {
        self->age_ms = intent_age_ms(intent);
    }
}

static int lab_begin(void **state, struct sim_options cloud)
{
    lab = (struct lab){ .now_ms = 1000,
                        .luck = 88172645463325252,
                        .probe_argv = "open",
                        .missing = "only sim is here" };
    lab.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    lab.store = memory_open((const unsigned char *)INCARNATION);
    cloud.now_ms = now_ms;
    cloud.fate = fate;
    cloud.asked = call_asked;
    cloud.arg = &lab;
    lab.cloud = sim_cloud_new(cloud);
    lab.provider = sim_provider_new(lab.cloud);
    life_begin();
    *state = &lab;
    return 0;
}

int setup(void **state)
{
    return lab_begin(state, (struct sim_options){ .boot_ms = 2000 });
}

int setup_metal(void **state)
{
    return lab_begin(state, (struct sim_options){ .boot_ms = 2000, .is_metal = true });
}

int setup_nodes(void **state)
{
    return lab_begin(state, (struct sim_options){ .boot_ms = 2000, .has_addresses = true });
}

int setup_nodes_metal(void **state)
{
    return lab_begin(
        state, (struct sim_options){ .boot_ms = 2000, .has_addresses = true, .is_metal = true });
}

int setup_slow(void **state)
{
    return lab_begin(state, (struct sim_options){ .boot_ms = 52 * 1000, .visible_ms = 41 * 1000 });
}

/* Set up a lab whose listings show ended machines as ended for an hour. */
int setup_ended(void **state)
{
    return lab_begin(state, (struct sim_options){ .boot_ms = 2000, .ended_ms = 60 * 60 * 1000 });
}

int teardown(void **state)
{
    (void)state;
    control_stop(lab.control);
    providers_close();
    cache_free(lab.cache);
    store_close(lab.store);
    control_free(lab.control);
    service_free(lab.service);
    sim_cloud_free(lab.cloud);
    if (lab.other_cloud != NULL) {
        sim_cloud_free(lab.other_cloud);
    }
    arena_free(lab.arena);
    return 0;
}

/* Lets time pass; the clock jumps from event to event. */
void pass_time(uint64_t ms)
{
    uint64_t end = lab.now_ms + ms;

    for (int i = 0; i < 1000000 && lab.now_ms < end; i++) {
        uint64_t due = UINT64_MAX;
        size_t done = 0;

        for (int j = 0; j < 12; j++) { /* the store is idle after some iterations */
            done += store_run(lab.store) + cache_run(lab.cache) + sim_cloud_run(lab.cloud) +
                    probes_answer();
            done += lab.answered == NULL ? 0 : lab.answered();
            done += lab.other_cloud == NULL ? 0 : sim_cloud_run(lab.other_cloud);
            service_run(lab.service);
            due = control_run(lab.control);
        }
        if (done == 0 && due > lab.now_ms) {
            uint64_t cloud_due = sim_cloud_due(lab.cloud);
            uint64_t other_due =
                lab.other_cloud == NULL ? UINT64_MAX : sim_cloud_due(lab.other_cloud);
            uint64_t probe_due = probes_due();

            due = cloud_due < due ? cloud_due : due;
            due = other_due < due ? other_due : due;
            due = probe_due < due ? probe_due : due;
            lab.now_ms = due < end ? (due > lab.now_ms ? due : lab.now_ms + 1) : end;
        }
    }
    assert_true(lab.now_ms >= end);
}

void pass_time_busily(uint64_t ms)
{
    uint64_t end = lab.now_ms + ms;

    for (unsigned i = 0; lab.now_ms < end; i++) {
        lab.now_ms += 50;
        if (i % 8 == 0) {
            store_run(lab.store);
        }
        cache_run(lab.cache);
        service_run(lab.service);
        sim_cloud_run(lab.cloud);
        probes_answer();
        control_run(lab.control);
    }
}

/* ---- requests of users, and content ---- */

struct reply {
    bool is_there;
    char text[LIMIT_ERROR_TEXT_BYTES];
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;

    reply->is_there = true;
    /* warnings do not prevent a change */
    if (answer->errors->errors > 0) {
        snprintf(reply->text, sizeof(reply->text), "%s", answer->errors->items[0].text);
    }
}

void change_do(const char *yaml, enum change_mode mode)
{
    change_batched(yaml, mode, NULL);
}

void change_batched(const char *yaml, enum change_mode mode,
                    const struct service_batching *batching)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_change change = {
        .mode = mode,
        .batching = batching,
        .supersedes = true,
        .allow = { .destroy = 1000, .replace = 1000, .reboot = 1000, .rename = 1000, .rerun = 1000 }
    };
    struct origin *origin = arena_one(lab.arena, struct origin);
    struct reply reply = { 0 };
    struct err_list faults;
    struct yaml_docs docs;
    struct err err;

    err_list_init(&faults, lab.arena);
    assert_true(yaml_parse_tolerant(lab.arena, arena_text(lab.arena, text_from(yaml)), origin,
                                    &docs, &faults, &err));
    change.documents = docs.items;
    change.document_count = docs.count;
    service_change(lab.service, lab.arena, &actor, &change, replied, &reply);
    for (int i = 0; i < 1000 && !reply.is_there; i++) {
        turn();
    }
    assert_true(reply.is_there);
    assert_string_equal(reply.text, "");
}

void apply(const char *yaml)
{
    change_do(yaml, CHANGE_APPLY);
}

void apply_web(unsigned size)
{
    char yaml[200];

    snprintf(yaml, sizeof(yaml), "version: '1'\nname: shop\ngroups: {web: {size: %u, %s}}\n", size,
             SIM);
    apply(yaml);
}

static void say_reported(void *arg, const struct service_answer *answer)
{
    *(bool *)arg = answer->errors->count == 0;
}

bool say(enum service_command word, const char *node)
{
    const struct service_say one = {
        .kind = objects_kind("Cluster"), .name = TEXT("shop"), .word = word, .node = text_from(node)
    };
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };
    bool is_said = false;

    service_say(lab.service, lab.arena, &actor, &one, say_reported, &is_said);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    return is_said;
}

bool hold_answer(enum service_command word, const char *subject, enum plan_rule rule)
{
    const struct service_say one = {
        .kind = objects_kind(strchr(subject, '/') == NULL ? "Cluster" : "NodeGroup"),
        .name = text_from(subject),
        .word = word,
        .rule = text_from(plan_rule_name(rule)),
    };
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };
    bool is_said = false;

    service_say(lab.service, lab.arena, &actor, &one, say_reported, &is_said);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    return is_said;
}

size_t holds_count(void)
{
    struct text prefix = TEXT("/default/Hold/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        count += object->parts[CACHE_STATUS].bytes != NULL;
    }
    return count;
}

size_t running(void)
{
    size_t count = 0;

    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        count += sim_is_running(lab.cloud, machine);
    }
    return count;
}

struct sim_machine *any_machine(void)
{
    struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

    while (machine != NULL && !sim_is_running(lab.cloud, machine)) {
        machine = sim_next(lab.cloud, text_from(lab.cluster), machine);
    }
    assert_non_null(machine);
    return machine;
}

/* Returns the number of machine records in the store. */
size_t records(void)
{
    struct text prefix = TEXT("/default/Resource/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        count++;
    }
    return count;
}

struct event_counting {
    struct text type;
    size_t count;
};

static void events_count(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct event_counting *counting = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    assert_false(answer->has_more);
    for (size_t i = 0; i < answer->count; i++) {
        struct text body = answer->events[i].body;
        struct text type;

        assert_true(json_member_find(body, TEXT("type"), &type));
        counting->count += text_is_equal(text_slice(type, 1, type.length - 2), counting->type);
    }
}

/* Returns the number of events of this type of the cluster. */
size_t events_of(const char *type)
{
    struct event_counting counting = { text_from(type), 0 };

    store_events(lab.store, text_from(lab.cluster), 0, 1000, events_count, &counting);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    return counting.count;
}
