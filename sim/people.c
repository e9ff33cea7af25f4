#include "sim.h"

#include "base/limits.h"
#include "codec/json.h"
#include "service/service_change.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: people_ */

enum { HOUR_MS = 3600 * 1000 };

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int64_t wall_ms(void *arg)
{
    return INT64_C(1700000000000) + (int64_t)((struct sim *)arg)->now_ms;
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++((struct sim *)arg)->ids);
}

void people_open(struct sim *sim)
{
    sim->people_arena = arena_new(SIZE_MAX);
    sim->view = cache_new(sim->truth, 4096);
    sim->service =
        service_new(sim->truth, sim->view, (struct service_ports){ wall_ms, id_make, sim });
    for (int i = 0; i < 40; i++) {
        store_run(sim->truth);
        cache_run(sim->view);
        service_run(sim->service);
    }
    assert(service_is_ready(sim->service));
}

void people_close(struct sim *sim)
{
    cache_free(sim->view);
    while (store_run(sim->truth) > 0) {
    }
    service_free(sim->service);
    arena_free(sim->people_arena);
}

static void applied(void *arg, const struct service_answer *answer)
{
    struct sim *sim = arg;

    sim->is_replied = true;
    sim->is_refused = answer->errors->errors > 0;
    if (sim->is_refused) {
        sim_say(sim, "refused: %s", answer->errors->items[0].text);
    }
}

/* ---- partial changes ---- */

/* Writes a change of more groups than one transaction can contain. Between two transactions some
 * groups are missing; managers detect that by the number of groups in the record of the cluster. */
static void part_write(struct sim *sim, struct text value)
{
    char key[100];

    snprintf(key, sizeof(key), "/default/NodeGroup/%s/a/spec", sim->cluster + strlen("default/"));
    people_write(sim, text_from(key), value);
}

void people_tear(struct sim *sim)
{
    const struct cache_object *group;
    char id[80];

    snprintf(id, sizeof(id), "%s/a", sim->cluster + strlen("default/"));
    group = cache_find(sim->view, TEXT("default"), TEXT("NodeGroup"), text_from(id));
    sim->scene.tears = false;
    if (sim->torn != NULL || sim->is_removed || group == NULL ||
        group->parts[CACHE_SPEC].bytes == NULL) {
        return;
    }
    sim_say(sim, "the stored specification is partial");
    sim->torn = (char *)arena_text(sim->arena, blob_text(group->parts[CACHE_SPEC].bytes)).data;
    part_write(sim, TEXT(""));
}

void people_repair(struct sim *sim)
{
    if (sim->torn == NULL) {
        return;
    }
    sim_say(sim, "the stored specification is complete again");
    part_write(sim, text_from(sim->torn));
    sim->torn = NULL;
    while (store_run(sim->truth) > 0) {
    }
    cache_run(sim->view);
}

/* ---- desired state ---- */

static bool is_other(const struct sim *sim, unsigned group)
{
    return group == SIM_GROUPS - 1 && sim->setup.scenario != NULL &&
           sim->setup.scenario->is_other_missing;
}

static const char *plugin_of(const struct sim *sim, unsigned group)
{
    return is_other(sim, group) ? "other" : "sim";
}

/* Format the settings of probes and of rollouts of images. */
static const char *nodes_of(const struct sim *sim, struct arena *arena)
{
    const struct nodes *nodes = &sim->nodes;

    return !nodes->are_probed
               ? ""
               : arena_string(
                     arena,
                     arena_printf(arena,
                                  "\"health\":{\"grace\":\"1m\",\"probe\":{\"every\":\"%s\","
                                  "\"fail\":2,\"tcp\":80,\"timeout\":\"5s\"}},"
                                  "\"maxUnhealthy\":\"%u%%\",\"onUnreachable\":\"replace\","
                                  "\"rollout\":{\"bake\":\"%llus\",\"batch\":%u,\"canary\":%u,"
                                  "\"maxFail\":%u,\"surge\":%u},",
                                  sim->setup.scenario != NULL ? "10s" : "3m", nodes->most_percent,
                                  (unsigned long long)nodes->bake_ms / 1000, nodes->batch,
                                  nodes->canary, nodes->fail_max, nodes->surge));
}

/* Format the stage of a group, for its specification. */
static const char *stage_of(const struct sim *sim, struct arena *arena, unsigned group)
{
    return !sim->nodes.have_stages
               ? ""
               : arena_string(arena, arena_printf(arena,
                                                  "\"bootstrap\":[{\"args\":[\"%u\"],"
                                                  "\"bundle\":\"base@sha256:" DIGEST "\"}],",
                                                  sim->wanted[group].argument));
}

/* The budget over all groups of the cluster. */
static struct text budget_of(const struct sim *sim, struct arena *arena)
{
    return arena_printf(arena,
                        "{\"kind\":\"Budget\",\"maxUnavailable\":%u,\"name\":\"all\","
                        "\"selector\":\"cluster=shop\"}",
                        sim->nodes.budget);
}

/* Write the specification of the whole cluster, or delete it. */
static void request_say(struct sim *sim, enum change_mode mode)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_change change = { .mode = mode,
                                     .allow = { .destroy = 1000,
                                                .replace = 1000,
                                                .reboot = 1000,
                                                .rename = 1000,
                                                .rerun = 1000 },
                                     .supersedes = true };
    struct arena_mark mark = arena_mark(sim->people_arena);
    struct arena *arena = sim->people_arena;
    struct doc *docs = arena_array(arena, struct doc, 2);
    struct buf buf;
    struct err err;
    bool is_good;

    people_repair(sim);
    buf_init(&buf, arena);
    buf_add_string(&buf, "{\"groups\":{");
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        buf_printf(&buf,
                   "%s\"%c\":{%s\"image\":\"image-%u\",\"resourcePlugin\":{\"name\":\"%s\"},"
                   "%s\"size\":%u}",
                   i == 0 ? "" : ",", 'a' + i, stage_of(sim, arena, i), sim->wanted[i].image,
                   plugin_of(sim, i), nodes_of(sim, arena), sim->wanted[i].size);
    }
    buf_add_string(&buf, "},\"name\":\"shop\",\"version\":\"1\"}");
    is_good = json_parse(arena, buf_text(&buf), arena_one(arena, struct origin), &docs[0], &err);
    if (sim->nodes.budget > 0 && mode == CHANGE_APPLY) {
        is_good = is_good && json_parse(arena, budget_of(sim, arena),
                                        arena_one(arena, struct origin), &docs[1], &err);
        change.document_count = 1;
    }
    assert(is_good);
    (void)is_good;
    change.documents = docs;
    change.document_count++;
    change.takes = arena_one(arena, struct text);
    sim->is_replied = false;
    service_change(sim->service, arena, &actor, &change, applied, sim);
    for (int i = 0; i < 1000 && !sim->is_replied; i++) {
        store_run(sim->truth);
        cache_run(sim->view);
        service_run(sim->service);
    }
    assert(sim->is_replied);
    arena_rewind(arena, mark);
}

static void apply(struct sim *sim)
{
    request_say(sim, CHANGE_APPLY);
}

void people_note_size(struct sim *sim, unsigned group, uint32_t size)
{
    enum { ROOM = sizeof(sim->wanted->former) / sizeof(sim->wanted->former[0]) };
    struct wanted *wanted = &sim->wanted[group];

    if (wanted->former_count == ROOM) {
        for (size_t i = 1; i < ROOM; i++) {
            wanted->former[i - 1] = wanted->former[i];
        }
        wanted->former_count--;
    }
    wanted->former[wanted->former_count].until_ms = sim->now_ms;
    wanted->former[wanted->former_count++].size = wanted->size;
    wanted->size = size;
    wanted->changed_ms = sim->now_ms;
}

uint32_t people_size_max(const struct sim *sim, unsigned group, uint64_t window_ms)
{
    const struct wanted *wanted = &sim->wanted[group];
    uint32_t max = wanted->size;

    for (size_t i = 0; i < wanted->former_count; i++) {
        if (sim->now_ms - wanted->former[i].until_ms < window_ms && wanted->former[i].size > max) {
            max = wanted->former[i].size;
        }
    }
    return max;
}

uint32_t people_size_min(const struct sim *sim, unsigned group, uint64_t window_ms)
{
    const struct wanted *wanted = &sim->wanted[group];
    uint32_t min = wanted->size;

    for (size_t i = 0; i < wanted->former_count; i++) {
        if (sim->now_ms - wanted->former[i].until_ms < window_ms && wanted->former[i].size < min) {
            min = wanted->former[i].size;
        }
    }
    return min;
}

/* Begin a cluster. A new cluster has its own id. */
static void cluster_begin(struct sim *sim)
{
    const struct cache_object *object;

    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        sim->wanted[i].size = is_other(sim, i) ? 0
                              : sim->setup.scenario != NULL
                                  ? 3
                                  : 1 + (uint32_t)luck_draw(&sim->luck_people, SIM_GROUP_MAX);
        sim->wanted[i].changed_ms = sim->now_ms;
        stages_change(sim, i, false);
    }
    apply(sim);
    assert(!sim->is_refused);
    object = cache_first(sim->view, TEXT("/default/Cluster/"));
    assert(object != NULL);
    snprintf(sim->cluster, sizeof(sim->cluster), "default/%.*s", TEXT_ARG(cache_id(object)));
}

void people_begin(struct sim *sim)
{
    cluster_begin(sim);
}

/* True if any machine of the cluster is still visible. */
static bool is_any_there(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one) && !one->is_planted) {
            return true;
        }
    }
    return false;
}

/* Creates a new cluster with the same name some hours after the deletion, when nothing of the
 * previous cluster is left. */
void people_anew(struct sim *sim)
{
    if (sim->is_removed && sim->now_ms - sim->wanted[0].changed_ms >= 2 * HOUR_MS &&
        !is_any_there(sim)) {
        sim_say(sim, "people: the cluster is created again");
        sim->is_removed = false;
        cluster_begin(sim);
    }
}

/* Deletes the cluster. Older backups are dropped, because a restored backup would contain this
 * cluster again. */
void people_remove(struct sim *sim)
{
    if (sim->is_removed) {
        return;
    }
    people_resume(sim);
    while (store_run(sim->truth) > 0) {
    }
    cache_run(sim->view);
    sim_say(sim, "people: the cluster is deleted");
    backup_drop(sim);
    request_say(sim, CHANGE_DELETE);
    assert(!sim->is_refused);
    sim->is_removed = true;
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        people_note_size(sim, i, 0);
    }
}

void people_size(struct sim *sim, unsigned group, uint32_t size)
{
    if (sim->is_removed) {
        return;
    }
    sim_say(sim, "people: %c has size %u, was %u", 'a' + group, size, sim->wanted[group].size);
    people_note_size(sim, group, size);
    apply(sim);
}

void people_resize(struct sim *sim)
{
    unsigned group = (unsigned)luck_draw(&sim->luck_people, SIM_GROUPS);

    people_size(sim, group, (uint32_t)luck_draw(&sim->luck_people, SIM_GROUP_MAX + 1));
}

void people_image(struct sim *sim, unsigned group)
{
    sim->wanted[group].image++;
    sim->wanted[group].imaged_ms = sim->now_ms;
    sim_say(sim, "people: %c has another image", 'a' + group);
    apply(sim);
}

void people_restage(struct sim *sim, unsigned group, bool is_bad)
{
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        if (group == SIM_GROUPS || group == i) {
            stages_change(sim, i, is_bad);
        }
    }
    if (!sim->is_removed) {
        apply(sim);
    }
}

void people_change(struct sim *sim)
{
    unsigned group = (unsigned)luck_draw(&sim->luck_people, SIM_GROUPS);

    sim->wanted[group].image++;
    sim->wanted[group].imaged_ms = sim->now_ms;
    sim_say(sim, "people: %c has another image", 'a' + group);
    nodes_image(sim, group);
    if (!sim->is_removed) {
        apply(sim);
    }
}

/* Request a reboot. Returns true if the manager has accepted it. */
static bool reboot_say(struct sim *sim, unsigned group, struct text ids)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct arena_mark mark = arena_mark(sim->people_arena);
    struct doc patch = doc_map(NULL, 0, NULL);
    char name[] = { 's', 'h', 'o', 'p', '/', (char)('a' + group), '\0' };
    struct service_patch asked = { .kind = schema_kind_find(TEXT("NodeGroup")),
                                   .name = text_from(name),
                                   .patch_kind = CHANGE_PATCH_MERGE,
                                   .patch = &patch,
                                   .change = { .mode = CHANGE_APPLY,
                                               .allow = { .reboot = 1000 },
                                               .supersedes = true,
                                               .reboots = ids } };

    people_repair(sim);
    sim->is_replied = false;
    service_patch(sim->service, sim->people_arena, &actor, &asked, applied, sim);
    for (int i = 0; i < 1000 && !sim->is_replied; i++) {
        store_run(sim->truth);
        cache_run(sim->view);
        service_run(sim->service);
    }
    assert(sim->is_replied);
    arena_rewind(sim->people_arena, mark);
    return !sim->is_refused;
}

void people_reboot(struct sim *sim, struct luck *luck)
{
    enum { MOST = 3 };
    struct text cluster = text_from(sim->cluster);
    unsigned group = (unsigned)luck_draw(luck, SIM_GROUPS);
    struct sim_machine *chosen[MOST];
    size_t count = 0;
    char ids[512] = "";

    if (sim->is_removed || is_other(sim, group)) {
        return;
    }
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL && count < MOST;
         one = sim_next(sim->cloud, cluster, one)) {
        const struct entry *entry = ledger_of(sim, one);

        if (sim_is_there(one) && entry != NULL && entry->life == sim->life &&
            entry->group == group && entry->state == PLAN_RECORD_ACTIVE && luck_hits(luck, 0.5)) {
            size_t length = strlen(ids);

            snprintf(ids + length, sizeof(ids) - length, "%s%.*s", count == 0 ? "" : ",",
                     TEXT_ARG(one->id));
            chosen[count++] = one;
        }
    }
    if (count == 0 || !reboot_say(sim, group, text_from(ids))) {
        return;
    }
    sim_say(sim, "people: a reboot of %s of %c is requested", ids, 'a' + group);
    for (size_t i = 0; i < count; i++) {
        chosen[i]->reboots_asked++;
    }
}

/* ---- operator commands ---- */

static void said(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert(outcome == OUTCOME_OK);
    (void)outcome;
}

void people_write(struct sim *sim, struct text key, struct text value)
{
    struct store_op op = { .key = key, .value = value, .is_delete = value.length == 0 };
    struct store_txn txn = { .ops = &op, .op_count = 1 };

    store_txn(sim->truth, &txn, said, sim);
}

void people_write_pause(struct sim *sim, unsigned group, bool is_paused)
{
    char key[100];

    snprintf(key, sizeof(key), "/default/Control/%s/%c/spec", sim->cluster + strlen("default/"),
             'a' + group);
    people_write(sim, text_from(key), is_paused ? TEXT("{\"paused\":{}}") : TEXT(""));
}

/* Pauses one more group, or resumes all groups. */
void people_pause(struct sim *sim)
{
    unsigned group = (unsigned)luck_draw(&sim->luck_people, SIM_GROUPS);

    if (sim->wanted[group].paused_ms > 0 || sim->is_removed) {
        people_resume(sim);
        return;
    }
    sim_say(sim, "people: %c is paused", 'a' + group);
    sim->wanted[group].paused_ms = sim->now_ms;
    people_write_pause(sim, group, true);
}

void people_resume(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        if (sim->wanted[i].paused_ms > 0) {
            sim_say(sim, "people: %c is resumed", 'a' + i);
            sim->wanted[i].paused_ms = 0;
            /* pending work of the group continues from now on */
            sim->wanted[i].changed_ms = sim->now_ms;
            people_write_pause(sim, i, false);
        }
    }
}

/* Returns the observation of a hold. An answer to the hold must contain it. */
static struct text observation_of(const struct cache_object *hold)
{
    static const char mark[] = "\"observation\":\"";
    struct text bytes = blob_text(hold->parts[CACHE_STATUS].bytes);
    const char *found = memmem(bytes.data, bytes.length, mark, strlen(mark));
    struct text rest;

    if (found == NULL) {
        return TEXT("");
    }
    rest = text_slice(bytes, (size_t)(found - bytes.data) + strlen(mark), SIZE_MAX);
    return text_slice(rest, 0, text_find_byte(rest, '"'));
}

/* Answer each open hold whose name contains `name`. */
static bool holds_answer(struct sim *sim, const char *name, const char *word)
{
    struct text prefix = TEXT("/default/Hold/");
    bool is_any = false;

    for (const struct cache_object *hold = cache_first(sim->view, prefix); hold != NULL;
         hold = cache_next(sim->view, prefix, hold)) {
        if (hold->parts[CACHE_STATUS].bytes != NULL && hold->parts[CACHE_SPEC].bytes == NULL &&
            memmem(cache_id(hold).data, cache_id(hold).length, name, strlen(name)) != NULL) {
            char key[200];
            char value[200];
            struct text observation = observation_of(hold);

            snprintf(key, sizeof(key), "/default/Hold/%.*s/spec", TEXT_ARG(cache_id(hold)));
            snprintf(value, sizeof(value), "{\"%s\":{\"observation\":\"%.*s\"}}", word,
                     TEXT_ARG(observation));
            sim_say(sim, "people: %.*s is %s", TEXT_ARG(cache_id(hold)), word);
            people_write(sim, text_from(key), text_from(value));
            is_any = true;
        }
    }
    return is_any;
}

/* Acts as an operator that checks the cloud, finds that the listings are right, and approves the
 * holds of the listing guard and of the restored store. */
void people_approve(struct sim *sim)
{
    if (sim->now_ms >= sim->blackout_until) {
        (void)holds_answer(sim, "listing_brake", "approved");
        (void)holds_answer(sim, "store_went_back", "approved");
        if (sim->nodes.are_probed && holds_answer(sim, "roll_failed", "approved")) {
            sim->rolls_approved_ms = sim->now_ms;
        }
        if (sim->nodes.have_stages && holds_answer(sim, "/rollout/", "approved")) {
            for (unsigned i = 0; i < SIM_GROUPS; i++) {
                sim->wanted[i].slots_approved_ms = sim->now_ms;
            }
        }
    }
}

/* Exempt the machines in quarantine from destruction. From now on they must not be destroyed. */
void people_spare(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);
    const struct cache_object *row = cache_find(sim->view, TEXT("default"), TEXT("Control"),
                                                text_slice(cluster, strlen("default/"), SIZE_MAX));
    struct text counts = row == NULL || row->parts[CACHE_STATUS].bytes == NULL
                             ? TEXT("")
                             : blob_text(row->parts[CACHE_STATUS].bytes);

    if (!holds_answer(sim, "quarantine", "rejected")) {
        return;
    }
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        char name[40];

        snprintf(name, sizeof(name), "\"%.*s\"", TEXT_ARG(one->id));
        if (one->is_planted && one->spared_ms == 0 && counts.length > 0 &&
            memmem(counts.data, counts.length, name, strlen(name)) != NULL) {
            one->spared_ms = sim->now_ms;
        }
    }
}
