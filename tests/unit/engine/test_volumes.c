/* Volumes (CLOUDS.md A7, G28, decision 0168): who owns them, how long they are kept, and when they
 * are deleted. */

#include "engine/lab.h"

#include "codec/json.h"
#include "codec/yaml.h"
#include "plan/guard.h"
#include "records/intent.h"
#include "service/service_command.h"
#include "volumes/volume.h"

#include <stdio.h>
#include <string.h>

/* Volumes are kept for seven days. If a full week would show nothing more, four hours stand for a
 * day. */
enum { HOUR_MS = 60 * MINUTE, DAY_MS = 24 * HOUR_MS, PART_MS = 4 * HOUR_MS, KEEP_MS = 7 * PART_MS };

/* ---- a provider with volumes ---- */

struct disk {
    bool is_there;
    bool has_tags;
    bool is_forged;
    const char *keep;
    char id[16];
    struct provider_tags tags;
};

struct asked {
    bool is_list;
    enum outcome outcome;
    provider_done *done;
    void *arg;
};

static struct {
    struct provider_driver driver;
    struct disk disks[16];
    size_t count;
    struct asked asked[16];
    size_t asked_count;
    unsigned deletions; /* number of delete calls */
    unsigned lists;
    unsigned lost;        /* number of deletions with an effect and without an answer */
    unsigned ineffective; /* number of deletions with neither effect nor answer */
    unsigned refused;     /* number of deletions that are refused */
    bool is_mute;         /* listings fail */
    bool is_dying;        /* calls are not answered, because the manager dies */
} cloud;

static struct sim_machine *machine_of(const struct disk *disk)
{
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        bool is_user = strcmp(disk->keep, "node") == 0
                           ? text_is_equal(sim_tags(machine).token, disk->tags.token)
                           : machine->slot == disk->tags.slot;

        if (is_user && sim_is_running(lab.cloud, machine)) {
            return machine;
        }
    }
    return NULL;
}

/* The property `keep` of the disks of each machine. */
static const char *wanted_keep = "slot";

static void disks_make(void)
{
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        bool has_disk = false;

        for (size_t i = 0; i < cloud.count; i++) {
            has_disk |= cloud.disks[i].is_there && machine_of(&cloud.disks[i]) == machine;
        }
        if (!has_disk && sim_is_running(lab.cloud, machine)) {
            struct disk *disk = &cloud.disks[cloud.count++];
            struct provider_tags tags = sim_tags(machine);

            assert_true(cloud.count <= ARRAY_COUNT(cloud.disks));
            *disk = (struct disk){ .is_there = true, .has_tags = true, .keep = wanted_keep };
            snprintf(disk->id, sizeof(disk->id), "disk-%zu", cloud.count);
            disk->tags = (struct provider_tags){
                .cluster = arena_text(lab.arena, tags.cluster),
                .life = arena_text(lab.arena, tags.life),
                .group = arena_text(lab.arena, tags.group),
                .slot = tags.slot,
                .token = arena_text(lab.arena, tags.token),
                .mac = arena_text(lab.arena, tags.mac),
            };
        }
    }
}

static void cloud_list(struct provider *provider, struct text cluster, provider_done *done,
                       void *arg)
{
    (void)provider;
    assert_true(text_is_equal(cluster, text_from(lab.cluster)));
    cloud.lists++;
    cloud.asked[cloud.asked_count++] = (struct asked){ true, OUTCOME_OK, done, arg };
}

static void cloud_delete(struct provider *provider, const struct intent *intent, struct text kind,
                         provider_done *done, void *arg)
{
    struct asked asked = { false, OUTCOME_OK, done, arg };

    (void)provider;
    assert_true(text_is(kind, "volume"));
    cloud.deletions++;
    if (cloud.refused > 0) {
        cloud.refused--;
        asked.outcome = OUTCOME_REFUSED;
    } else if (cloud.ineffective > 0) {
        cloud.ineffective--;
        asked.outcome = OUTCOME_UNKNOWN;
    } else {
        for (size_t i = 0; i < cloud.count; i++) {
            if (text_is(intent_id(intent), cloud.disks[i].id)) {
                assert_null(machine_of(&cloud.disks[i]));
                cloud.disks[i].is_there = false;
            }
        }
        if (cloud.lost > 0) {
            cloud.lost--;
            asked.outcome = OUTCOME_UNKNOWN;
        }
    }
    cloud.asked[cloud.asked_count++] = asked;
}

static void cloud_answer_asked(void)
{
    struct provider_resource rows[16];
    struct provider_answer answer = { .resources = rows, .message = TEXT("it is busy") };
    size_t count = cloud.asked_count;
    struct asked asked[16];

    disks_make();
    memcpy(asked, cloud.asked, sizeof(asked));
    cloud.asked_count = 0;
    for (size_t i = 0; i < cloud.count; i++) {
        const struct disk *disk = &cloud.disks[i];
        const struct sim_machine *machine = machine_of(disk);

        if (disk->is_there) {
            struct provider_resource *row = &rows[answer.resource_count++];

            *row = (struct provider_resource){
                .kind = TEXT("volume"),
                .id = text_from(disk->id),
                .attached = machine == NULL ? TEXT("") : machine->id,
                .zone = TEXT("a"),
                .bytes = UINT64_C(10) << 30,
                .name = disk->has_tags ? TEXT("data") : TEXT(""),
                .keep = disk->has_tags ? text_from(disk->keep) : TEXT(""),
            };
            if (disk->has_tags) {
                row->tags = disk->tags;
                row->tags.mac = disk->is_forged ? TEXT("0123") : row->tags.mac;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool is_failing = asked[i].is_list && cloud.is_mute;

        answer.fault = is_failing || asked[i].outcome == OUTCOME_REFUSED ? PROVIDER_FAULT_TRANSIENT
                                                                         : PROVIDER_FAULT_NONE;
        asked[i].done(asked[i].arg, is_failing ? OUTCOME_REFUSED : asked[i].outcome, &answer);
    }
}

/* Answers pending calls. It is called in every iteration of simulated days, and rarely has work. */
static size_t cloud_answer(void)
{
    size_t count = cloud.asked_count;

    if (count > 0) {
        cloud_answer_asked();
    }
    return count;
}

/* Adds volumes to the provider of the present manager. */
static void cloud_begin(void)
{
    cloud.driver = *lab.provider->driver;
    cloud.driver.resources = cloud_list;
    cloud.driver.resource_destroy = cloud_delete;
    lab.provider->driver = &cloud.driver;
    lab.provider->traits.has_resources = true;
}

static void life_next(void)
{
    for (size_t i = 0; i < cloud.asked_count; i++) { /* pending calls are lost with the manager */
        static const struct provider_answer nothing = { .message = TEXT("closed") };

        cloud.asked[i].done(cloud.asked[i].arg, OUTCOME_UNKNOWN, &nothing);
    }
    cloud.asked_count = 0;
    life_anew();
    cloud_begin();
}

static int volumes_setup_week(void **state)
{
    int result = setup(state);

    memset(&cloud, 0, sizeof(cloud));
    wanted_keep = "slot";
    lab.answered = cloud_answer;
    cloud_begin();
    return result;
}

static int volumes_setup(void **state)
{
    int result = volumes_setup_week(state);

    lab.volumes_keep_ms = KEEP_MS;
    life_next();
    return result;
}

/* ---- what is known ---- */

static size_t disks(void)
{
    size_t count = 0;

    for (size_t i = 0; i < cloud.count; i++) {
        count += cloud.disks[i].is_there;
    }
    return count;
}

/* Returns the number of records in this state. */
static size_t count_of(enum volume_state state)
{
    const struct cache_object *object;
    size_t count = 0;

    for (object = cache_first(lab.cache, TEXT("/default/Volume/")); object != NULL;
         object = cache_next(lab.cache, TEXT("/default/Volume/"), object)) {
        struct volume volume;

        count += volume_read(lab.arena, object, &volume) && volume.state == state;
    }
    return count;
}

static bool volume_says(const char *words)
{
    const struct cache_object *object;

    for (object = cache_first(lab.cache, TEXT("/default/Volume/")); object != NULL;
         object = cache_next(lab.cache, TEXT("/default/Volume/"), object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            strstr(arena_string(lab.arena, blob_text(object->parts[CACHE_STATUS].bytes)), words) !=
                NULL) {
            return true;
        }
    }
    return false;
}

static enum code asked_code;

static void deletion_reported(void *arg, const struct service_answer *answer)
{
    (void)arg;
    asked_code = answer->errors->errors > 0 ? answer->errors->items[0].code : CODE_NONE;
}

/* Requests the deletion of this volume, and returns the code of the answer. */
static enum code volume_delete(const char *name, uint64_t allowed)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana"), NULL };
    struct service_volume request = { TEXT(""), text_from(name), TEXT("old"), allowed };
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    asked_code = CODE_R0001;
    service_volume_delete(lab.service, arena, &actor, &request, deletion_reported, NULL);
    for (int i = 0; i < 20; i++) {
        turn();
    }
    arena_free(arena);
    return asked_code;
}

static void begin(unsigned size)
{
    apply_web(size);
    pass_time(HOUR_MS);
    assert_int_equal(running(), size);
    assert_int_equal(disks(), size);
    assert_int_equal(count_of(VOLUME_STATE_USED), size);
}

/* ---- kept, used again, deleted ---- */

static void test_a_volume_in_use_stays(void **state)
{
    (void)state;
    begin(2);
    pass_time(9 * PART_MS);
    assert_int_equal(count_of(VOLUME_STATE_USED), 2);
    assert_int_equal(cloud.deletions, 0);
    assert_true(volume_says("\"node\":\"web-1\""));
}

static void test_the_next_machine_of_the_slot_has_it(void **state)
{
    (void)state;
    begin(1);
    for (int i = 0; i < 9; i++) {
        sim_end(lab.cloud, any_machine());
        pass_time(PART_MS);
        assert_int_equal(running(), 1);
    }
    assert_int_equal(disks(), 1);
    assert_int_equal(cloud.deletions, 0);
}

static void test_a_volume_is_kept_for_seven_days(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    assert_int_equal(count_of(VOLUME_STATE_KEPT), 1);
    assert_int_equal(events_of("volume.kept"), 1);
    pass_time(6 * DAY_MS + 22 * HOUR_MS);
    assert_int_equal(disks(), 2);
    pass_time(4 * HOUR_MS);
    assert_int_equal(disks(), 1);
    assert_int_equal(cloud.deletions, 1);
    assert_int_equal(events_of("volume.condemned"), 1);
    assert_int_equal(events_of("volume.deleted"), 1);
    assert_int_equal(count_of(VOLUME_STATE_USED), 1);
    assert_int_equal(count_of(VOLUME_STATE_KEPT), 0);
    pass_time(2 * DAY_MS);
    assert_int_equal(disks(), 1);
}

static void test_another_manager_continues_the_time(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    for (int i = 0; i < 6; i++) {
        pass_time(PART_MS);
        life_next();
    }
    assert_int_equal(disks(), 2);
    pass_time(PART_MS + 4 * HOUR_MS);
    assert_int_equal(disks(), 1);
}

static void test_a_machine_in_the_slot_ends_the_time(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(6 * PART_MS);
    apply_web(2);
    pass_time(2 * PART_MS);
    assert_int_equal(count_of(VOLUME_STATE_USED), 2);
    apply_web(1);
    pass_time(6 * PART_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(cloud.deletions, 0);
    pass_time(2 * PART_MS);
    assert_int_equal(disks(), 1);
}

static void test_always_is_for_ever(void **state)
{
    (void)state;
    wanted_keep = "always";
    begin(2);
    apply_web(1);
    pass_time(20 * PART_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(count_of(VOLUME_STATE_KEPT), 1);
    assert_int_equal(cloud.deletions, 0);
}

static void test_nothing_is_deleted_while_paused(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(PART_MS);
    assert_true(say(SERVICE_COMMAND_PAUSE, NULL));
    pass_time(9 * PART_MS);
    assert_int_equal(disks(), 2);
    assert_true(volume_says("the cluster is paused"));
    assert_true(say(SERVICE_COMMAND_RESUME, NULL));
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
}

static void test_a_deleted_cluster_keeps_its_volumes(void **state)
{
    (void)state;
    begin(3);
    change_do("version: '1'\nname: shop\n", CHANGE_DELETE);
    pass_time(HOUR_MS);
    assert_int_equal(running(), 0);
    assert_int_equal(count_of(VOLUME_STATE_KEPT), 3);
    life_next();
    pass_time(6 * PART_MS);
    assert_int_equal(disks(), 3);
    pass_time(PART_MS + 4 * HOUR_MS);
    assert_int_equal(disks(), 0);
    assert_null(cache_first(lab.cache, TEXT("/default/Volume/")));
    /* nothing of the command remains */
    assert_null(cache_first(lab.cache, TEXT("/default/Control/")));
}

/* ---- the zone of a volume (A9) ---- */

static const char *zone_of_slot(uint64_t slot)
{
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        if (machine->slot == slot && sim_is_there(machine)) {
            return arena_string(lab.arena, machine->kind->zone);
        }
    }
    return "";
}

static void apply_zones(unsigned size, const char *zones)
{
    apply(arena_string(
        lab.arena,
        arena_printf(lab.arena,
                     "version: '1'\nname: shop\ngroups: {web: {size: %u, zones: %s, " SIM "}}\n",
                     size, zones)));
    pass_time(HOUR_MS);
}

static void test_a_slot_stays_in_the_zone_of_its_volume(void **state)
{
    (void)state;
    apply_zones(2, "[a, b]");
    assert_string_equal(zone_of_slot(0), "a");
    assert_string_equal(zone_of_slot(1), "b");
    apply_zones(0, "[b, a]");
    apply_zones(2, "[b, a]");
    assert_string_equal(zone_of_slot(0), "a");
    assert_string_equal(zone_of_slot(1), "b");
    assert_int_equal(disks(), 2);
    apply_zones(0, "[b]");
    apply_zones(2, "[b]"); /* its volume is in zone a */
    assert_string_equal(zone_of_slot(0), "");
    assert_string_equal(zone_of_slot(1), "b");
    assert_int_equal(holds_count(), 1);
    assert_int_equal(volume_delete("web-0-data", 1), CODE_NONE);
    pass_time(HOUR_MS);
    assert_string_equal(zone_of_slot(0), "b");
    assert_int_equal(holds_count(), 0);
}

/* ---- what belongs to no slot ---- */

/* The volume of a machine is deleted if the plugin has failed to delete it with the machine. */
static void test_the_volume_of_a_machine_goes_when_the_machine_is_gone(void **state)
{
    (void)state;
    wanted_keep = "node";
    begin(2);
    apply_web(1);
    pass_time(5 * MINUTE);
    assert_int_equal(disks(), 2);
    assert_true(say(SERVICE_COMMAND_PAUSE, NULL));
    pass_time(PART_MS);
    assert_int_equal(disks(), 2);
    assert_true(say(SERVICE_COMMAND_RESUME, NULL));
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
    assert_int_equal(events_of("volume.condemned"), 1);
    assert_int_equal(count_of(VOLUME_STATE_USED), 1);
}

static void test_what_was_left_behind_is_named_and_stays(void **state)
{
    (void)state;
    wanted_keep = "unknown";
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    assert_int_equal(count_of(VOLUME_STATE_ORPHAN), 1);
    assert_int_equal(events_of("volume.orphan"), 1);
    pass_time(20 * PART_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(events_of("volume.orphan"), 1);
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    pass_time(MINUTE);
    assert_int_equal(disks(), 1);
}

static void test_tags_of_others_are_not_touched(void **state)
{
    (void)state;
    begin(2);
    cloud.disks[0].is_forged = cloud.disks[1].is_forged = true;
    apply_web(0);
    pass_time(20 * PART_MS);
    assert_int_equal(count_of(VOLUME_STATE_FOREIGN), 2);
    assert_int_equal(volume_delete("disk-1", 1), CODE_R0848);
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(cloud.deletions, 0);
}

/* A plugin whose volumes have no tags: the machine that used a volume determines its slot, but it
 * is unknown how long the volume may be kept. */
static void test_without_tags_nothing_is_deleted(void **state)
{
    (void)state;
    begin(2);
    cloud.disks[0].has_tags = cloud.disks[1].has_tags = false;
    for (size_t i = 0; i < 2; i++) {
        cloud.disks[i].keep = "slot";
    }
    pass_time(HOUR_MS);
    apply_web(0);
    pass_time(20 * PART_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(count_of(VOLUME_STATE_ORPHAN), 2);
    assert_true(volume_says("\"node\":\"web-1\""));
}

/* ---- an operator's command ---- */

static void test_an_operator_deletes_a_volume(void **state)
{
    (void)state;
    begin(2);
    assert_int_equal(volume_delete("web-1-data", 1), CODE_R0848);
    apply_web(1);
    pass_time(HOUR_MS);
    assert_int_equal(volume_delete("web-1-data", 0), CODE_R0405);
    assert_int_equal(volume_delete("web-7-data", 1), CODE_R0403);
    assert_int_equal(volume_delete("web-0-data", 1), CODE_R0848);
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    pass_time(MINUTE);
    assert_int_equal(disks(), 1);
    assert_int_equal(cloud.deletions, 1);
    assert_int_equal(events_of("volume.delete"), 1);
    assert_int_equal(events_of("volume.deleted"), 1);
}

/* The command applies only to the volume in the unused state that the user saw. */
static void test_a_command_does_not_outlive_its_moment(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    cloud.is_mute = true;
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    apply_web(2);
    pass_time(HOUR_MS);
    cloud.is_mute = false;
    pass_time(PART_MS);
    assert_int_equal(events_of("volume.in_use"), 1);
    apply_web(1);
    pass_time(PART_MS);
    assert_int_equal(disks(), 2);
    assert_int_equal(cloud.deletions, 0);
}

/* ---- failures ---- */

static void test_a_lost_answer_is_settled_by_the_next_listing(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    cloud.lost = 1;
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
    assert_int_equal(cloud.deletions, 1);
    assert_int_equal(events_of("volume.deleted"), 1);
    assert_int_equal(count_of(VOLUME_STATE_DELETING), 0);
}

static void test_a_deletion_without_effect_is_repeated(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    cloud.ineffective = 2;
    cloud.refused = 2;
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
    assert_int_equal(cloud.deletions, 5);
    assert_int_equal(events_of("volume.refused"), 1);
    assert_int_equal(events_of("volume.deleted"), 1);
}

/* G1: the intent is committed before the call, so that the next manager makes the call. */
static void test_a_manager_that_dies_leaves_its_intent(void **state)
{
    unsigned calls = 0;

    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    assert_int_equal(volume_delete("web-1-data", 1), CODE_NONE);
    cloud.ineffective = 1;
    for (int i = 0; i < 100 && cloud.deletions == 0; i++) {
        calls = cloud.deletions;
        pass_time(100);
    }
    assert_int_equal(calls, 0);
    /* regardless of the outcome of the call */
    assert_int_equal(count_of(VOLUME_STATE_DELETING), 1);
    life_next();
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
    assert_int_equal(count_of(VOLUME_STATE_DELETING), 0);
}

static void test_a_mute_provider_changes_nothing(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(PART_MS);
    cloud.is_mute = true;
    pass_time(9 * PART_MS);
    assert_int_equal(disks(), 2);
    cloud.is_mute = false;
    pass_time(HOUR_MS);
    assert_int_equal(disks(), 1);
}

static void test_a_volume_that_others_deleted_is_forgotten(void **state)
{
    (void)state;
    begin(2);
    apply_web(1);
    pass_time(HOUR_MS);
    cloud.disks[0].is_there &= machine_of(&cloud.disks[0]) != NULL;
    cloud.disks[1].is_there &= machine_of(&cloud.disks[1]) != NULL;
    pass_time(HOUR_MS);
    assert_int_equal(events_of("volume.gone"), 1);
    assert_int_equal(count_of(VOLUME_STATE_KEPT), 0);
    assert_int_equal(cloud.deletions, 0);
}

/* ---- what plans say of volumes ---- */

static struct {
    bool is_there;
    char group[500]; /* the volumes of the first group in the plan, as JSON */
    char sums[200];
} planned;

static void planned_copy(char *out, size_t room, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, lab.arena);
    if (doc != NULL) {
        json_format(&buf, doc);
    }
    snprintf(out, room, "%.*s", TEXT_ARG(buf_text(&buf)));
}

static void plan_reported(void *arg, const struct service_answer *answer)
{
    const struct doc *group;
    struct doc body;
    struct err err;

    (void)arg;
    assert_int_equal(answer->errors->errors, 0);
    assert_true(json_parse(lab.arena, arena_text(lab.arena, answer->body), NULL, &body, &err));
    group = &doc_child(&doc_child(&body, "plan")->items[0], "groups")->items[0];
    planned_copy(planned.group, sizeof(planned.group), doc_child(group, "volumes"));
    planned_copy(planned.sums, sizeof(planned.sums),
                 doc_child(doc_child(&body, "sums"), "volumes"));
    planned.is_there = true;
}

/* Returns a group with one volume for each slot and one for each machine. */
static const char *db(unsigned size, const char *more)
{
    return arena_string(lab.arena,
                        arena_printf(lab.arena,
                                     "version: '1'\nname: shop\ngroups: {web: {size: %u, " SIM
                                     ", %svolumes: [{name: data, size: 10}, "
                                     "{name: scratch, size: 5, keep: node}]}}\n",
                                     size, more));
}

/* Gets the plan of a change without making it. */
static void plan(const char *yaml, enum change_mode mode)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana"), NULL };
    struct service_change change = { .mode = mode, .is_dry_run = true };
    struct yaml_docs docs;
    struct err_list faults;
    struct err err;

    memset(&planned, 0, sizeof(planned));
    err_list_init(&faults, lab.arena);
    assert_true(yaml_parse_tolerant(lab.arena, text_from(yaml), arena_one(lab.arena, struct origin),
                                    &docs, &faults, &err));
    change.documents = docs.items;
    change.document_count = docs.count;
    service_change(lab.service, lab.arena, &actor, &change, plan_reported, NULL);
    for (int i = 0; i < 1000 && !planned.is_there; i++) {
        turn();
    }
    assert_true(planned.is_there);
}

static void test_plans_count_volumes(void **state)
{
    (void)state;
    plan(db(2, ""), CHANGE_APPLY);
    assert_string_equal(planned.group, "{\"create\":{\"count\":4,"
                                       "\"names\":\"web-[0-1]-data,web-[0-1]-scratch\"}}");
    assert_string_equal(planned.sums, "{\"create\":4}");
    apply(db(2, ""));
    pass_time(HOUR_MS);
    plan(db(3, ""), CHANGE_APPLY);
    assert_string_equal(planned.group,
                        "{\"create\":{\"count\":2,\"names\":\"web-2-data,web-2-scratch\"}}");
    plan(db(1, ""), CHANGE_APPLY);
    assert_string_equal(planned.group, "{\"delete\":{\"count\":1,\"names\":\"web-1-scratch\"},"
                                       "\"keep\":{\"count\":1,\"names\":\"web-1-data\"}}");
    assert_string_equal(planned.sums, "{\"delete\":1,\"keep\":1}");
    apply(db(1, ""));
    pass_time(HOUR_MS);
    plan(db(2, ""), CHANGE_APPLY);
    assert_string_equal(planned.group, "{\"attach\":{\"count\":1,\"names\":\"web-1-data\"},"
                                       "\"create\":{\"count\":1,\"names\":\"web-1-scratch\"}}");
    plan("version: '1'\nname: shop\n", CHANGE_DELETE);
    assert_string_equal(planned.group, "{\"delete\":{\"count\":1,\"names\":\"web-0-scratch\"},"
                                       "\"keep\":{\"count\":1,\"names\":\"web-0-data\"}}");
}

static void test_the_plan_of_a_replacement_counts_volumes(void **state)
{
    (void)state;
    apply(db(2, ""));
    pass_time(HOUR_MS);
    plan(db(2, "image: next, "), CHANGE_APPLY);
    assert_string_equal(planned.group, "{\"attach\":{\"count\":2,\"names\":\"web-[0-1]-data\"},"
                                       "\"create\":{\"count\":2,\"names\":\"web-[0-1]-scratch\"},"
                                       "\"delete\":{\"count\":2,\"names\":\"web-[0-1]-scratch\"}}");
    plan(db(2, "labels: {a: b}, "), CHANGE_APPLY);
    assert_string_equal(planned.group, "");
}

/* The listing of volumes arrives later than the machines. */
static void test_a_plan_counts_volumes_that_no_listing_has_shown_yet(void **state)
{
    (void)state;
    cloud.is_mute = true;
    apply(db(2, ""));
    pass_time(MINUTE);
    assert_null(cache_first(lab.cache, TEXT("/default/Volume/")));
    plan(db(1, ""), CHANGE_APPLY);
    assert_string_equal(planned.group, "{\"delete\":{\"count\":1,\"names\":\"web-1-scratch\"},"
                                       "\"keep\":{\"count\":1,\"names\":\"web-1-data\"}}");
}

struct event_search {
    const char *words;
    size_t count;
};

static void events_search(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct event_search *search = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = 0; i < answer->count; i++) {
        search->count +=
            strstr(arena_string(lab.arena, answer->events[i].body), search->words) != NULL;
    }
}

static void test_the_event_of_a_change_counts_volumes(void **state)
{
    struct event_search search = { "\"volumes\":{\"delete\":1,\"keep\":1}", 0 };

    (void)state;
    apply(db(2, ""));
    pass_time(HOUR_MS);
    apply(db(1, ""));
    store_events(lab.store, text_from(lab.cluster), 0, 1000, events_search, &search);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    assert_int_equal(search.count, 1);
}

/* ---- the guard ---- */

/* Shrinks a group and enlarges it again. Returns the number of its remaining disks. */
static size_t shrink_and_grow(uint32_t guards_off)
{
    lab.guards_off = guards_off;
    life_next();
    begin(3);
    apply_web(1);
    pass_time(2 * HOUR_MS);
    return disks();
}

static void test_with_the_guard(void **state)
{
    (void)state;
    assert_int_equal(shrink_and_grow(0), 3);
    assert_int_equal(cloud.deletions, 0);
}

static void test_without_the_guard(void **state)
{
    (void)state;
    assert_int_equal(shrink_and_grow(1u << G28), 1);
    assert_int_equal(cloud.deletions, 2);
}

int main(void)
{
#define VOLUMES_TEST(name) cmocka_unit_test_setup_teardown(name, volumes_setup, teardown)
    const struct CMUnitTest tests[] = {
        VOLUMES_TEST(test_a_volume_in_use_stays),
        VOLUMES_TEST(test_the_next_machine_of_the_slot_has_it),
        cmocka_unit_test_setup_teardown(test_a_volume_is_kept_for_seven_days, volumes_setup_week,
                                        teardown),
        VOLUMES_TEST(test_another_manager_continues_the_time),
        VOLUMES_TEST(test_a_machine_in_the_slot_ends_the_time),
        VOLUMES_TEST(test_always_is_for_ever),
        VOLUMES_TEST(test_nothing_is_deleted_while_paused),
        VOLUMES_TEST(test_a_deleted_cluster_keeps_its_volumes),
        VOLUMES_TEST(test_the_volume_of_a_machine_goes_when_the_machine_is_gone),
        VOLUMES_TEST(test_what_was_left_behind_is_named_and_stays),
        VOLUMES_TEST(test_a_slot_stays_in_the_zone_of_its_volume),
        VOLUMES_TEST(test_tags_of_others_are_not_touched),
        VOLUMES_TEST(test_without_tags_nothing_is_deleted),
        VOLUMES_TEST(test_an_operator_deletes_a_volume),
        VOLUMES_TEST(test_a_command_does_not_outlive_its_moment),
        VOLUMES_TEST(test_a_lost_answer_is_settled_by_the_next_listing),
        VOLUMES_TEST(test_a_deletion_without_effect_is_repeated),
        VOLUMES_TEST(test_a_manager_that_dies_leaves_its_intent),
        VOLUMES_TEST(test_a_mute_provider_changes_nothing),
        VOLUMES_TEST(test_a_volume_that_others_deleted_is_forgotten),
        VOLUMES_TEST(test_plans_count_volumes),
        VOLUMES_TEST(test_the_plan_of_a_replacement_counts_volumes),
        VOLUMES_TEST(test_a_plan_counts_volumes_that_no_listing_has_shown_yet),
        VOLUMES_TEST(test_the_event_of_a_change_counts_volumes),
        VOLUMES_TEST(test_with_the_guard),
        VOLUMES_TEST(test_without_the_guard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
