/* Golden runs of the controller: small scenes, with everything that it writes into the store and
 * reports as events.
 *
 * Each scene has a file stories/NAME.story with the changes of each revision; for JSON values, only
 * the changed members. Times are virtual. Run the program with REEVE_BLESS=1 to write the files
 * again, and review the difference before you commit it. */

#include "engine/fake_nodes.h"

#include "base/map.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "service/select.h"
#include "service/service_command.h"
#include "service/service_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSCRIPT_BYTES = 4 << 20, SECOND = 1000 };

struct transcript {
    char *bytes;
    size_t length;
    struct map values; /* key -> its value before, a zero-terminated string */
    struct store_watch *watch;
    uint64_t shown_ms; /* time of the last line that shows a time */
    /* counts at the last line: passes by their end, and requests */
    size_t ends[CONTROL_END_DAMAGED + 1];
    size_t decided;
    unsigned lists;
    unsigned calls;
    unsigned probes;
    /* only keys that contain this text are shown; NULL: all keys except those of passes */
    const char *only;
};

static struct transcript transcript;

/* ---- the transcript ---- */

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(transcript.bytes + transcript.length, TRANSCRIPT_BYTES - transcript.length,
                       format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < TRANSCRIPT_BYTES - transcript.length);
    transcript.length += (size_t)length;
}

static const char *format_of(const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, lab.arena);
    json_format(&buf, doc);
    return arena_string(lab.arena, buf_text(&buf));
}

/* Formats the recorded passes: the number of chains, and for the first and the last chain [first,
 * count, parts, time]. */
static const char *chains_format(const struct doc *chains)
{
    struct buf buf;

    buf_init(&buf, lab.arena);
    buf_printf(&buf, "%zu", chains->item_count);
    for (size_t i = 0; i < chains->item_count; i++) {
        const struct doc *chain = &chains->items[i];

        assert_int_equal(chain->item_count, 5);
        if (i == 0 || i + 1 == chains->item_count) {
            buf_printf(&buf, ", [%.*s %.*s %.*s %.*s]", TEXT_ARG(chain->items[0].text),
                       TEXT_ARG(chain->items[1].text), TEXT_ARG(chain->items[2].text),
                       TEXT_ARG(chain->items[4].text));
        }
    }
    return arena_string(lab.arena, buf_text(&buf));
}

/* Returns whether a member is left out: values that each line would repeat, and texts that depend
 * only on the rule of a hold. */
static bool is_noise(const char *key, const char *value)
{
    static const char *const keys[] = { "kind",  "incarnation", "name",   "object",
                                        "token", "plugin",      "advice", "why" };

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return strcmp(value, "\"-\"") == 0 || strcmp(value, "\"reeve\"") == 0;
}

static void members_print(const struct doc *before, const struct doc *after)
{
    for (size_t i = 0; doc_is_map(after) && i < after->entry_count; i++) {
        const char *key = arena_string(lab.arena, after->entries[i].key);
        const char *value = strcmp(key, "chains") == 0 ? chains_format(&after->entries[i].value)
                                                       : format_of(&after->entries[i].value);
        const struct doc *old = doc_is_map(before) ? doc_child(before, key) : NULL;

        if ((!doc_is_present(old) || strcmp(format_of(old), value) != 0) && !is_noise(key, value)) {
            line("    %s: %s\n", key, value);
        }
    }
    for (size_t i = 0; doc_is_map(before) && i < before->entry_count; i++) {
        const char *key = arena_string(lab.arena, before->entries[i].key);

        if (!doc_is_map(after) || !doc_is_present(doc_child(after, key))) {
            line("    %s: (none)\n", key);
        }
    }
}

/* Returns whether the key is a request of an operator. It is not a decision, and the scene already
 * shows it. */
static bool is_of_operators(struct text key)
{
    return strstr(arena_string(lab.arena, key), "/spec") != NULL ||
           text_has_prefix(key, TEXT("/default/Name/"));
}

static bool is_shown(struct text key)
{
    if (transcript.only == NULL) {
        return !is_of_operators(key) && !text_has_prefix(key, TEXT("/default/Pass/"));
    }
    return strstr(arena_string(lab.arena, key), transcript.only) != NULL;
}

static void change_print(const struct store_change *change)
{
    struct text key = change->item.key;
    const char *before = map_find(&transcript.values, key);
    const char *after = change->is_delete ? NULL : arena_string(lab.arena, change->item.value);
    struct doc old = { 0 };
    struct doc new = { 0 };
    struct err err;
    bool was_json = before != NULL && json_parse(lab.arena, text_from(before), NULL, &old, &err);
    bool is_json = after != NULL && json_parse(lab.arena, text_from(after), NULL, &new, &err);

    if (!is_shown(key)) {
        return;
    }
    line("  %s %.*s\n", change->is_delete ? "-" : before == NULL ? "+" : "~", TEXT_ARG(key));
    if (is_json) {
        members_print(was_json ? &old : NULL, &new);
    } else if (after != NULL && transcript.only == NULL) {
        line("    (bytes)\n");
    }
    if (after != NULL) {
        map_put(&transcript.values, arena_text(lab.arena, key), (void *)(uintptr_t)after);
    } else if (before != NULL) {
        map_remove(&transcript.values, key);
    }
}

/* Prints the passes since the last line by their end, how many of them decided, the end of the last
 * pass, and the number of requests to the provider and the nodes. */
static void counts_print(void)
{
    static const char *const names[] = { "done",    "quiet",  "held",   "foreign",
                                         "unheard", "broken", "damaged" };

    line("%llu.%03llu s", (unsigned long long)lab.now_ms / 1000,
         (unsigned long long)lab.now_ms % 1000);
    for (size_t i = 0; i < ARRAY_COUNT(names) && transcript.only == NULL; i++) {
        if (lab.ends[i] > transcript.ends[i]) {
            line(", %zu %s", lab.ends[i] - transcript.ends[i], names[i]);
        }
    }
    if (transcript.only == NULL) {
        line(" (%zu decided, last at %llu.%03llu s), %u lists, %u other calls, %u probes",
             lab.decided - transcript.decided, (unsigned long long)lab.last_pass_ms / 1000,
             (unsigned long long)lab.last_pass_ms % 1000, lab.lists - transcript.lists,
             lab.asked_in_all - lab.lists - (transcript.calls - transcript.lists),
             lab.probes_in_all - transcript.probes);
    }
    line("\n");
    transcript.shown_ms = lab.now_ms;
    memcpy(transcript.ends, lab.ends, sizeof(lab.ends));
    transcript.decided = lab.decided;
    transcript.lists = lab.lists;
    transcript.calls = lab.asked_in_all;
    transcript.probes = lab.probes_in_all;
}

static bool is_any_shown(const struct store_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_shown(changes[i].item.key)) {
            return true;
        }
    }
    return false;
}

static void seen(void *arg, enum store_watch_state state, uint64_t revision,
                 const struct store_change *changes, size_t count)
{
    (void)arg;
    (void)revision;
    assert_int_equal(state, STORE_WATCH_CHANGES);
    if (!is_any_shown(changes, count)) {
        return;
    }
    if (transcript.shown_ms != lab.now_ms) {
        counts_print();
    }
    for (size_t i = 0; i < count; i++) {
        change_print(&changes[i]);
    }
    line("\n");
}

static void on_events(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = 0; i < answer->count; i++) {
        struct doc event;
        struct err err;

        assert_true(json_parse(lab.arena, arena_text(lab.arena, answer->events[i].body), NULL,
                               &event, &err));
        line("%s:", arena_string(lab.arena, doc_child(&event, "type")->text));
        for (size_t j = 0; j < event.entry_count; j++) {
            const char *key = arena_string(lab.arena, event.entries[j].key);
            const char *value = format_of(&event.entries[j].value);

            if (!is_noise(key, value) && strcmp(key, "type") != 0) {
                line(" %s %s", key, value);
            }
        }
        line("\n");
    }
}

static void scene(const char *what)
{
    counts_print();
    line("=== %s\n", what);
}

static void transcript_begin(void)
{
    transcript = (struct transcript){ .bytes = calloc(1, TRANSCRIPT_BYTES),
                                      .decided = lab.decided,
                                      .lists = lab.lists,
                                      .calls = lab.asked_in_all,
                                      .probes = lab.probes_in_all };
    map_init(&transcript.values, lab.arena);
    memcpy(transcript.ends, lab.ends, sizeof(lab.ends));
    transcript.watch = store_watch(lab.store, TEXT("/"), cache_revision(lab.cache) + 1, seen, NULL);
}

/* Prints the machines that the provider was asked to create, and their state. */
static void machines_print(void)
{
    line("=== machines\n");
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        const struct sim_kind *kind = machine->kind;

        line("%.*s %.*s/%llu %.*s zone '%.*s' labels %.*s made %llu ended %llu stopped %llu "
             "reboots %u at %llu '%.*s'\n",
             TEXT_ARG(machine->id), TEXT_ARG(kind->group), (unsigned long long)machine->slot,
             TEXT_ARG(kind->properties), TEXT_ARG(kind->zone), TEXT_ARG(machine->labels),
             (unsigned long long)machine->made_ms, (unsigned long long)machine->ended_ms,
             (unsigned long long)machine->stopped_ms, machine->reboots,
             (unsigned long long)machine->rebooted_ms, TEXT_ARG(machine->reason));
    }
    if (lab.probe_last[0] != '\0') {
        line("last probe: %s\n", lab.probe_last);
    }
    if (lab.damages > 0) {
        line("damage was reported %u times, last of kind %u\n", lab.damages, (unsigned)lab.damaged);
    }
}

/* Shortens the id of the cluster, because every line contains it. */
static void id_shorten(void)
{
    const char *id = lab.cluster + sizeof("default/") - 1;
    size_t length = strlen(id);
    size_t kept = 0;

    for (size_t i = 0; i < transcript.length; kept++) {
        if (strncmp(transcript.bytes + i, id, length) == 0) {
            memcpy(transcript.bytes + kept, "ID", 2);
            kept++;
            i += length;
        } else {
            transcript.bytes[kept] = transcript.bytes[i++];
        }
    }
    transcript.bytes[kept] = '\0';
    transcript.length = kept;
}

/* Compares the transcript with the stored file, and shows the first lines that differ. */
static void transcript_end(const char *name)
{
    char path[600];
    char *expected = calloc(1, TRANSCRIPT_BYTES);
    size_t at = 0;
    FILE *file;

    store_watch_close(lab.store, transcript.watch);
    line("=== the end\n");
    counts_print();
    if (transcript.only == NULL) {
        machines_print();
        line("=== events\n");
        store_events(lab.store, text_from(lab.cluster), 0, 1000, on_events, NULL);
    }
    for (int i = 0; i < 10; i++) {
        turn();
    }
    id_shorten();
    snprintf(path, sizeof(path), "%s/%s.story", STORIES, name);
    if (getenv("REEVE_BLESS") != NULL) {
        file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(transcript.bytes, 1, transcript.length, file), transcript.length);
        assert_int_equal(fclose(file), 0);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(expected, 1, TRANSCRIPT_BYTES - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    while (expected[at] != '\0' && expected[at] == transcript.bytes[at]) {
        at++;
    }
    if (strcmp(expected, transcript.bytes) != 0) {
        while (at > 0 && expected[at - 1] != '\n') {
            at--;
        }
        fail_msg("%s.story is different (REEVE_BLESS=1 writes it anew)\n- %.*s\n+ %.*s", name,
                 (int)strcspn(expected + at, "\n"), expected + at,
                 (int)strcspn(transcript.bytes + at, "\n"), transcript.bytes + at);
    }
    free(expected);
    free(transcript.bytes);
}

/* ---- scenes ---- */

static struct sim_machine *machine_of(uint64_t slot)
{
    struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

    while (machine != NULL && (!sim_is_there(machine) || machine->slot != slot)) {
        machine = sim_next(lab.cloud, text_from(lab.cluster), machine);
    }
    assert_non_null(machine);
    return machine;
}

static void answer(enum service_command word, const char *subject, enum plan_rule rule)
{
    bool is_taken = hold_answer(word, subject, rule);

    line("=== %s of %s is %s\n", plan_rule_name(rule), subject,
         is_taken ? "answered" : "not there");
}

/* Applies cluster shop with these groups. */
static void apply_groups(const char *groups)
{
    apply(arena_string(
        lab.arena, arena_printf(lab.arena, "version: '1'\nname: shop\ngroups: {%s}\n", groups)));
}

static void test_a_group_is_made_grows_and_shrinks(void **state)
{
    (void)state;
    transcript_begin();
    scene("three machines are requested");
    apply_web(3);
    pass_time(MINUTE);
    scene("one more");
    apply_web(4);
    pass_time(MINUTE);
    scene("two less");
    apply_web(2);
    pass_time(2 * MINUTE);
    scene("the cluster is deleted");
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 2, " SIM "}}\n", CHANGE_DELETE);
    pass_time(30 * MINUTE);
    transcript_end("made_grows_shrinks");
}

static void test_machines_that_die_are_replaced(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 4, " SIM "}, db: {size: 2, " SIM "}");
    pass_time(MINUTE);
    scene("web-0 is gone");
    sim_end(lab.cloud, machine_of(0));
    pass_time(20 * MINUTE);
    scene("a machine stops");
    sim_stop(lab.cloud, machine_of(3));
    pass_time(20 * MINUTE);
    scene("another manager goes on while one is missing");
    sim_end(lab.cloud, machine_of(2));
    pass_time(MINUTE);
    life_anew();
    pass_time(20 * MINUTE);
    transcript_end("machines_die");
}

static void test_creates_are_refused(void **state)
{
    (void)state;
    transcript_begin();
    scene("no room, twice");
    lab.fault = PROVIDER_FAULT_CAPACITY;
    lab.refusals = 2;
    apply_web(2);
    pass_time(10 * MINUTE);
    scene("what is requested is wrong");
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = 2;
    apply_web(7);
    pass_time(10 * MINUTE);
    scene("it may pass");
    lab.fault = PROVIDER_FAULT_TRANSIENT;
    lab.refusals = 3;
    apply_groups("web: {size: 3, image: debian-13, " SIM "}");
    pass_time(20 * MINUTE);
    scene("not allowed, until an operator says to try again");
    lab.fault = PROVIDER_FAULT_AUTH;
    lab.refusals = 1;
    apply_groups("web: {size: 4, image: debian-13, " SIM "}");
    pass_time(10 * MINUTE);
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    pass_time(2 * MINUTE);
    transcript_end("creates_refused");
}

static void test_a_slot_is_given_up(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 1, alternatives: [{machineSize: small}], " SIM "}");
    for (int i = 0; i < 12 * 60; i++) {
        struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

        for (; machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
            if (sim_is_there(machine) && machine->stopped_ms == 0) {
                sim_stop(lab.cloud, machine);
            }
        }
        pass_time(SECOND);
    }
    scene("machines run again");
    pass_time(60 * MINUTE);
    transcript_end("slot_given_up");
}

static void test_another_image_is_rolled_out(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(4);
    pass_time(MINUTE);
    scene("another image, one canary that bakes for 10 minutes");
    apply_groups("web: {size: 4, image: debian-13, rollout: {canary: 1, bake: 10m, batch: 2, "
                 "maxFail: 1}, " SIM "}");
    pass_time(5 * MINUTE);
    scene("paused while it bakes");
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    pass_time(10 * MINUTE);
    scene("resumed");
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(20 * MINUTE);
    scene("labels and another image, whose canary stops");
    apply_groups("web: {size: 4, image: debian-14, labels: {tier: front}, rollout: {canary: 1, "
                 "bake: 10m, maxFail: 1}, " SIM "}");
    pass_time(MINUTE);
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        if (sim_is_running(lab.cloud, machine) &&
            strstr(machine->kind->properties.data, "debian-14") != NULL) {
            sim_stop(lab.cloud, machine);
        }
    }
    pass_time(20 * MINUTE);
    answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_roll_failed);
    pass_time(60 * MINUTE);
    transcript_end("image_rolled_out");
}

static void test_a_group_is_renamed_and_labelled(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 2, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(MINUTE);
    scene("web becomes front, db has labels");
    apply_groups("front: {size: 2, renamedFrom: web, " SIM
                 "}, db: {size: 1, labels: {tier: back}, " SIM "}");
    pass_time(5 * MINUTE);
    scene("db goes");
    apply_groups("front: {size: 2, " SIM "}");
    pass_time(5 * MINUTE);
    transcript_end("renamed_labelled");
}

static void test_metal_is_rebooted_and_then_reported(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(2);
    pass_time(MINUTE);
    scene("web-1 stops");
    sim_stop(lab.cloud, machine_of(1));
    pass_time(5 * MINUTE);
    scene("web-1 stops again");
    sim_stop(lab.cloud, machine_of(1));
    pass_time(30 * MINUTE);
    transcript_end("metal_rebooted");
}

static void machines_end(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sim_end(lab.cloud, any_machine());
    }
}

static void test_most_of_a_listing_is_missing(void **state)
{
    struct provider_tags tags = { .group = TEXT("web"), .token = TEXT("somebody") };

    (void)state;
    transcript_begin();
    apply_groups("web: {size: 5, " SIM "}, db: {size: 1, resourcePlugin: {name: aws}}");
    pass_time(MINUTE);
    scene("four of five are gone");
    machines_end(4);
    pass_time(3 * SECOND);
    answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_listing_brake);
    pass_time(30 * MINUTE);
    scene("four again, and nobody answers");
    machines_end(4);
    pass_time(3 * MINUTE);
    scene("no listing");
    lab.is_failing = true;
    pass_time(2 * MINUTE);
    lab.is_failing = false;
    pass_time(30 * MINUTE);
    scene("machines with our tags that are not ours");
    tags.cluster = text_from(lab.cluster);
    sim_plant(lab.cloud, &tags);
    pass_time(2 * MINUTE);
    sim_end(lab.cloud, sim_plant(lab.cloud, &tags));
    pass_time(5 * MINUTE);
    transcript_end("listing_brake");
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

static void key_delete(struct text key)
{
    struct store_op op = { .key = key, .is_delete = true };
    bool is_written = false;

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

static void record_lose(void)
{
    const struct cache_object *object = cache_first(lab.cache, TEXT("/default/Resource/"));

    key_delete(
        arena_printf(lab.arena, "/default/Resource/%.*s/status", TEXT_ARG(cache_id(object))));
}

static void test_machines_that_nobody_knows(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(3);
    pass_time(MINUTE);
    scene("a record is lost, and an operator spares its machine");
    record_lose();
    pass_time(5 * MINUTE);
    answer(SERVICE_COMMAND_REJECT, "shop", PLAN_RULE_quarantine);
    pass_time(20 * MINUTE);
    scene("another one is lost, and goes in its time");
    record_lose();
    pass_time(60 * MINUTE);
    scene("the cluster is deleted while one is unknown");
    record_lose();
    pass_time(2 * MINUTE);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM "}}\n", CHANGE_DELETE);
    pass_time(60 * MINUTE);
    transcript_end("unknown_machines");
}

static void test_a_store_is_restored(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(4);
    pass_time(MINUTE);
    store_put_back(saved, true);
    transcript_begin();
    scene("an older store, of another life, is in its place");
    pass_time(60 * MINUTE);
    scene("approved, with room for one of the two");
    apply_web(3);
    answer(SERVICE_COMMAND_APPROVE, "shop", PLAN_RULE_store_went_back);
    pass_time(60 * MINUTE);
    transcript_end("store_restored");
}

static void test_a_return_is_rejected(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(3);
    pass_time(MINUTE);
    store_put_back(saved, false);
    transcript_begin();
    scene("files of the store are put back");
    pass_time(10 * MINUTE);
    answer(SERVICE_COMMAND_REJECT, "shop", PLAN_RULE_store_went_back);
    pass_time(30 * MINUTE);
    scene("two are requested");
    apply_web(2);
    pass_time(30 * MINUTE);
    transcript_end("return_rejected");
}

static void test_the_specification_is_lost(void **state)
{
    struct text id;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    transcript_begin();
    scene("nobody has said that it is to be deleted");
    id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    key_delete(arena_printf(lab.arena, "/default/NodeGroup/%.*s/web/spec", TEXT_ARG(id)));
    key_delete(arena_printf(lab.arena, "/default/Cluster/%.*s/spec", TEXT_ARG(id)));
    pass_time(30 * MINUTE);
    transcript_end("specification_lost");
}

static void test_a_machine_that_cannot_be_destroyed(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(3);
    pass_time(MINUTE);
    scene("the provider refuses every end of a machine");
    lab.is_keeping = true;
    apply_web(1);
    pass_time(30 * MINUTE);
    scene("and not any more");
    lab.is_keeping = false;
    pass_time(10 * MINUTE);
    transcript_end("end_refused");
}

/* ---- health ---- */

static void apply_probed(const char *more)
{
    apply_groups(arena_string(
        lab.arena,
        arena_printf(lab.arena,
                     "web: {size: 4, replaceAfter: 1m, health: {probe: {tcp: 80, every: 1s, "
                     "timeout: 500ms, fail: 3}}, %s, " SIM "}",
                     more)));
}

static void test_machines_are_unreachable(void **state)
{
    (void)state;
    transcript_begin();
    apply_probed("onUnreachable: replace, maxUnhealthy: 50%");
    pass_time(2 * MINUTE);
    scene("web-0 is cut off");
    lab.cut = 1;
    pass_time(10 * MINUTE);
    scene("it answers again, and then most are cut off: the manager suspects itself");
    lab.cut = 0;
    pass_time(70 * MINUTE);
    lab.cut = 3;
    pass_time(5 * MINUTE);
    answer(SERVICE_COMMAND_APPROVE, "shop", PLAN_RULE_self_suspicion);
    pass_time(10 * MINUTE);
    scene("all answer again");
    lab.cut = 0;
    pass_time(10 * MINUTE);
    transcript_end("unreachable");
}

static void test_machines_are_unhealthy(void **state)
{
    (void)state;
    transcript_begin();
    apply_probed("maxUnhealthy: 2");
    pass_time(2 * MINUTE);
    scene("all are unhealthy");
    lab.probed = CONTROL_PROBED_FAILING;
    lab.probe_argv = "exit code 3";
    pass_time(5 * MINUTE);
    answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_unhealthy_brake);
    pass_time(5 * MINUTE);
    scene("all are healthy");
    lab.probed = CONTROL_PROBED_WELL;
    lab.probe_argv = "open";
    pass_time(5 * MINUTE);
    scene("healing is off");
    apply_probed("heal: off");
    lab.probed = CONTROL_PROBED_FAILING;
    lab.probe_argv = "exit code 4";
    pass_time(5 * MINUTE);
    scene("another host key");
    lab.probed = CONTROL_PROBED_ALARM;
    lab.probe_argv = "another key";
    pass_time(2 * MINUTE);
    transcript_end("unhealthy");
}

static void on_answer(void *arg, const struct service_answer *answer)
{
    (void)arg;
    line("=== the change: %s\n",
         answer->errors->errors > 0 ? answer->errors->items[0].text : "taken");
}

/* ---- nodes and their stages ---- */

static void apply_rolled(unsigned size, const char *argument, const char *rollout)
{
    apply_groups(arena_string(
        lab.arena, arena_printf(lab.arena,
                                "web: {size: %u, " SIM
                                ", rollout: {%s}, bootstrap: [{bundle: 'base@sha256:" DIGEST
                                "', args: [%s]}]}",
                                size, rollout, argument)));
}

static void test_nodes_are_bootstrapped(void **state)
{
    (void)state;
    transcript_begin();
    scene("three nodes, one of which is slow");
    fake.slow = "web-2";
    apply_staged(3, "a");
    bootstrap_time(20 * SECOND);
    fake.slow = NULL;
    bootstrap_time(20 * SECOND);
    scene("a fourth one fails its stage");
    fake.bad = "web-3";
    apply_staged(4, "a");
    bootstrap_time(2 * MINUTE);
    scene("tried again");
    fake.bad = NULL;
    retry_say();
    bootstrap_time(MINUTE);
    scene("a fifth one has no room, a sixth one cannot be reached");
    fake.full = "web-4";
    fake.far = "web-5";
    apply_staged(6, "a");
    bootstrap_time(5 * MINUTE);
    scene("both can be used");
    fake.full = fake.far = NULL;
    bootstrap_time(10 * MINUTE);
    transcript_end("bootstrapped");
}

static void test_changed_stages_are_rolled_out(void **state)
{
    static const char careful[] = "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1";

    (void)state;
    apply_rolled(4, "a", careful);
    bootstrap_time(20 * SECOND);
    transcript_begin();
    scene("another argument, one after the other");
    apply_rolled(4, "b", careful);
    bootstrap_time(3 * MINUTE);
    scene("an argument that fails on the canary");
    fake.bad = "web-0";
    apply_rolled(4, "c", careful);
    bootstrap_time(3 * MINUTE);
    scene("another one that does not");
    fake.bad = NULL;
    apply_rolled(4, "d", careful);
    bootstrap_time(3 * MINUTE);
    transcript_end("stages_rolled_out");
}

static void test_failed_nodes_are_replaced(void **state)
{
    (void)state;
    transcript_begin();
    fake.bad = "web-1";
    apply_groups(
        "web: {size: 3, keepFailed: {for: 2m, max: 1}, maxUnhealthy: 100%, ready: bootstrapped, " SIM
        ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [a]}]}");
    bootstrap_time(6 * MINUTE);
    scene("it does not fail any more");
    fake.bad = NULL;
    bootstrap_time(6 * MINUTE);
    transcript_end("failed_nodes_replaced");
}

/* Requests reboots or replacements. The scene reboots one machine, a range, and a group that is
 * paused meanwhile. */
static void machines_request(const char *reboots, const char *replaces)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct doc *empty = arena_one(lab.arena, struct doc);
    struct service_patch patch = { .kind = objects_kind("NodeGroup"),
                                   .name = TEXT("shop/web"),
                                   .patch_kind = CHANGE_PATCH_MERGE,
                                   .patch = empty,
                                   .change = { .mode = CHANGE_REPLACE,
                                               .supersedes = true,
                                               .reboots = text_from(reboots),
                                               .replaces = text_from(replaces),
                                               .allow = { .reboot = 1000, .replace = 1000 } } };
    struct err err;

    assert_true(json_parse(lab.arena, TEXT("{}"), NULL, empty, &err));
    service_patch(lab.service, lab.arena, &actor, &patch, on_answer, NULL);
    for (int i = 0; i < 100; i++) {
        turn();
    }
}

static void test_machines_are_rebooted_by_request(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 4, " SIM "}");
    pass_time(MINUTE);
    scene("one");
    machines_request("web-1", "");
    pass_time(5 * MINUTE);
    scene("all");
    machines_request("web-[0-3]", "");
    pass_time(2 * SECOND);
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    pass_time(MINUTE);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(20 * MINUTE);
    scene("one is replaced by request");
    machines_request("", "web-2");
    pass_time(10 * MINUTE);
    scene("two reboots that are dropped again");
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    machines_request("web-[0-1]", "");
    pass_time(MINUTE);
    machines_request("-", "");
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(5 * MINUTE);
    transcript_end("reboots_requested");
}

/* ---- more of health ---- */

/* One machine of the group does not answer two probes, then answers again, and then is unhealthy
 * for other reasons. */
static void test_probes_fail_now_and_then(void **state)
{
    static const char *const whys[] = { "exit code 3", "exit code 4", "exit code 4",
                                        "exit code 4", "exit code 4", "exit code 3" };

    (void)state;
    transcript_begin();
    scene("no answer while it starts");
    lab.probed = CONTROL_PROBED_UNREACHABLE;
    lab.probe_argv = "no answer";
    apply_groups(
        "web: {size: 1, ready: running, onUnreachable: hold, heal: off, health: {grace: 20s, "
        "probe: {tcp: 80, every: 2s, timeout: 500ms, fail: 3}}, " SIM "}");
    pass_time(15 * SECOND);
    lab.probed = CONTROL_PROBED_WELL;
    lab.probe_argv = "open";
    pass_time(15 * SECOND);
    for (int i = 0; i < 3; i++) {
        scene("it fails, once more often each time");
        lab.probed = CONTROL_PROBED_FAILING;
        lab.probe_argv = "exit code 3";
        pass_time((1 + 2 * (uint64_t)i) * SECOND);
        lab.probed = CONTROL_PROBED_WELL;
        lab.probe_argv = "open";
        pass_time(20 * SECOND);
    }
    scene("other reasons");
    lab.probed = CONTROL_PROBED_FAILING;
    for (size_t i = 0; i < ARRAY_COUNT(whys); i++) {
        lab.probe_argv = whys[i];
        pass_time(4 * SECOND);
    }
    scene("nothing can be said of it");
    lab.probed = CONTROL_PROBED_NOTHING;
    pass_time(20 * SECOND);
    scene("another manager");
    life_anew();
    lab.probed = CONTROL_PROBED_UNREACHABLE;
    lab.probe_argv = "no answer";
    pass_time(20 * SECOND);
    scene("it answers to one probe in two");
    for (int i = 0; i < 10; i++) {
        lab.probed = i % 2 == 0 ? CONTROL_PROBED_WELL : CONTROL_PROBED_UNREACHABLE;
        pass_time(2 * SECOND);
    }
    scene("it is rebooted by request");
    machines_request("web-0", "");
    pass_time(30 * SECOND);
    lab.probed = CONTROL_PROBED_WELL;
    pass_time(MINUTE);
    scene("it is not probed any more");
    lab.probed = CONTROL_PROBED_FAILING;
    pass_time(20 * SECOND);
    apply_groups("web: {size: 1, " SIM "}");
    pass_time(20 * SECOND);
    transcript_end("probes_fail");
}

/* A machine counts only when it first answers a probe. */
static void test_machines_never_answer(void **state)
{
    (void)state;
    transcript_begin();
    lab.probed = CONTROL_PROBED_UNREACHABLE;
    lab.probe_argv = "no answer";
    apply_groups(
        "web: {size: 2, onUnreachable: fence, replaceAfter: 3m, maxUnhealthy: 100%, health: "
        "{grace: 1m, probe: {exec: [check, it], every: 5s, timeout: 1s, fail: 2}}, " SIM "}");
    pass_time(20 * MINUTE);
    scene("they do");
    lab.probed = CONTROL_PROBED_WELL;
    pass_time(20 * MINUTE);
    transcript_end("never_answer");
}

/* A probed group is paused and then removed from the specification: its machines are kept, and are
 * not probed. */
#define PROBED "health: {probe: {tcp: 80, every: 5s, timeout: 500ms, fail: 2}}, " SIM

static void test_a_probed_group_is_dropped_while_it_is_paused(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 2, " PROBED "}, db: {size: 2, " PROBED "}");
    pass_time(MINUTE);
    scene("paused, and one of each does not answer");
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    lab.cut = 1;
    pass_time(MINUTE);
    scene("db is dropped");
    apply_groups("web: {size: 2, " PROBED "}");
    pass_time(2 * MINUTE);
    scene("another manager, and resumed");
    life_anew();
    pass_time(2 * MINUTE);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(5 * MINUTE);
    transcript_end("probed_group_dropped");
}

/* A machine without an address is not probed. */
static void test_machines_have_no_address(void **state)
{
    (void)state;
    transcript_begin();
    apply_probed("onUnreachable: hold");
    pass_time(10 * MINUTE);
    transcript_end("no_address");
}

/* Healing destroys a limited number of machines of a group in a time window. */
static void test_unreachable_machines_of_a_large_cluster(void **state)
{
    (void)state;
    apply_groups("web: {size: 7, onUnreachable: replace, replaceAfter: 1m, maxUnhealthy: 100%, "
                 "health: {probe: {tcp: 80, every: 10s, timeout: 500ms, fail: 2}}, " SIM
                 "}, db: {size: 34, " SIM "}");
    pass_time(5 * MINUTE);
    transcript_begin();
    scene("three are cut off, also those that take their place");
    lab.cut = 3;
    pass_time(25 * MINUTE);
    scene("they answer again");
    lab.cut = 0;
    pass_time(30 * MINUTE);
    scene("one is cut off");
    lab.cut = 1;
    pass_time(10 * MINUTE);
    transcript_end("heal_budget");
}

/* ---- protection, budget, zones, alternatives ---- */

static void test_protected_machines(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 3, protected: true, " SIM "}, db: {size: 2, " SIM "}");
    pass_time(MINUTE);
    scene("another image, and a smaller group beside it");
    apply_groups("web: {size: 3, protected: true, image: debian-13, " SIM "}, db: {size: 1, " SIM
                 "}");
    pass_time(5 * MINUTE);
    scene("one stops");
    sim_stop(lab.cloud, machine_of(0));
    pass_time(10 * MINUTE);
    scene("not protected any more");
    apply_groups("web: {size: 3, image: debian-13, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(20 * MINUTE);
    apply_groups("web: {size: 1, image: debian-13, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(20 * MINUTE);
    transcript_end("protected");
}

static void test_so_many_are_destroyed_in_a_window(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 6, maxUnhealthy: 100%, " SIM "}");
    pass_time(MINUTE);
    scene("two stop at once");
    sim_stop(lab.cloud, machine_of(0));
    sim_stop(lab.cloud, machine_of(1));
    pass_time(3 * MINUTE);
    for (int i = 0; i < 3; i++) {
        scene("one more stops");
        sim_stop(lab.cloud, any_machine());
        pass_time(3 * MINUTE);
    }
    pass_time(90 * MINUTE);
    scene("and after the window");
    sim_stop(lab.cloud, any_machine());
    pass_time(10 * MINUTE);
    transcript_end("budget");
}

static void test_zones_and_alternatives(void **state)
{
    (void)state;
    transcript_begin();
    scene("no room, four times");
    lab.fault = PROVIDER_FAULT_CAPACITY;
    lab.refusals = 4;
    apply_groups("web: {size: 5, zones: [a, b, c], machineSize: big, alternatives: [{machineSize: "
                 "small}, {machineSize: tiny}], " SIM "}");
    pass_time(20 * MINUTE);
    scene("zones are removed");
    apply_groups("web: {size: 4, zones: [b, c], machineSize: big, alternatives: [{machineSize: "
                 "small}, {machineSize: tiny}], " SIM "}");
    pass_time(30 * MINUTE);
    transcript_end("zones_alternatives");
}

/* ---- rollouts that operators steer ---- */

static void group_say(enum service_command word)
{
    const struct service_say one = { .kind = objects_kind("NodeGroup"),
                                     .name = TEXT("shop/web"),
                                     .word = word };
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };

    service_say(lab.service, lab.arena, &actor, &one, on_answer, NULL);
    for (int i = 0; i < 10; i++) {
        turn();
    }
}

static void test_a_rollout_is_paused_and_aborted(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(5);
    pass_time(MINUTE);
    apply_groups("web: {size: 5, image: debian-13, rollout: {surge: 2, unavailable: 1, batch: 2, "
                 "bake: 30s}, " SIM "}");
    pass_time(40 * SECOND);
    scene("paused");
    group_say(SERVICE_COMMAND_ROLLOUT_PAUSE);
    pass_time(5 * MINUTE);
    scene("resumed");
    group_say(SERVICE_COMMAND_ROLLOUT_RESUME);
    pass_time(30 * SECOND);
    scene("aborted");
    group_say(SERVICE_COMMAND_ROLLOUT_ABORT);
    pass_time(20 * MINUTE);
    scene("undone");
    apply_web(5);
    group_say(SERVICE_COMMAND_ROLLOUT_RESUME);
    pass_time(20 * MINUTE);
    transcript_end("rollout_steered");
}

/* ---- providers that are slow, limited or away ---- */

static void test_a_provider_is_slow(void **state)
{
    (void)state;
    transcript_begin();
    lab.provider->traits.calls_max = 2;
    lab.provider->traits.calls_per_s = 1;
    lab.answer_ms = 7 * SECOND;
    lab.list_ms = 3 * SECOND;
    apply_web(4);
    pass_time(10 * SECOND);
    scene("less, while calls are under way");
    apply_web(3);
    pass_time(5 * MINUTE);
    scene("the manager dies while calls are under way");
    apply_web(5);
    pass_time(8 * SECOND);
    life_anew();
    pass_time(5 * MINUTE);
    transcript_end("slow_provider");
}

static void test_a_provider_is_away(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(2);
    pass_time(MINUTE);
    lab.is_failing = true;
    apply_web(4);
    pass_time(15 * MINUTE);
    scene("throttled, and then it answers");
    lab.is_failing = false;
    lab.fault = PROVIDER_FAULT_THROTTLED;
    lab.refusals = 2;
    pass_time(15 * MINUTE);
    transcript_end("provider_away");
}

static void test_a_listing_lacks_what_is_there(void **state)
{
    struct sim_machine *machine;

    (void)state;
    transcript_begin();
    apply_web(3);
    pass_time(MINUTE);
    scene("one is not listed for 30 minutes, and known by its id");
    machine = machine_of(1);
    sim_hide(machine, lab.now_ms + 30 * MINUTE);
    pass_time(20 * MINUTE);
    scene("and then unknown by it");
    lab.finds_lie = true;
    pass_time(8 * MINUTE);
    lab.finds_lie = false;
    pass_time(30 * MINUTE);
    transcript_end("not_listed");
}

/* ---- clocks and lives ---- */

static void test_another_machine_takes_over(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 2, " SIM "}");
    pass_time(MINUTE);
    sim_end(lab.cloud, machine_of(0));
    pass_time(2 * MINUTE);
    scene("a manager on a machine with another clock");
    lab.is_elsewhere = true;
    life_anew();
    pass_time(20 * MINUTE);
    scene("and back");
    lab.is_elsewhere = false;
    life_anew();
    pass_time(5 * MINUTE);
    transcript_end("another_clock");
}

static void test_a_shared_store(void **state)
{
    (void)state;
    lab.is_shared = true;
    life_anew();
    transcript_begin();
    apply_web(2);
    pass_time(MINUTE);
    scene("the manager dies, and the next one waits for its lease");
    life_anew();
    apply_web(3);
    pass_time(5 * MINUTE);
    transcript_end("shared_store");
}

/* ---- passes that are kept ---- */

static void test_passes_are_kept_in_chains(void **state)
{
    (void)state;
    transcript_begin();
    transcript.only = "/Pass/";
    for (unsigned i = 0; i < 70; i++) {
        apply_web(1 + i % 2);
        pass_time(20 * SECOND);
    }
    scene("many more machines, and another manager");
    apply_web(400);
    pass_time(MINUTE);
    life_anew();
    apply_web(20);
    pass_time(MINUTE);
    transcript_end("passes_kept");
}

/* ---- rollouts of changed stages ---- */

static void test_changed_stages_fail_on_many(void **state)
{
    static const char *const bold = "surge: 1, unavailable: 3, batch: 3, maxFail: 6";

    (void)state;
    apply_rolled(8, "a", bold);
    bootstrap_time(20 * SECOND);
    transcript_begin();
    scene("an argument that fails everywhere, three at once");
    fake.bad = "*";
    apply_rolled(8, "b", bold);
    bootstrap_time(3 * MINUTE);
    scene("it does not fail any more, and an operator resumes");
    fake.bad = NULL;
    web_write("Control", "{\"resumed\":{\"at\":1}}");
    bootstrap_time(3 * MINUTE);
    transcript_end("stages_fail_on_many");
}

static void test_members_are_lost_in_a_rollout(void **state)
{
    static const char *const policy = "surge: 1, canary: 1, batch: 2, maxFail: 2";

    (void)state;
    apply_rolled(5, "a", policy);
    bootstrap_time(20 * SECOND);
    transcript_begin();
    scene("web-0 cannot be reached, web-2 has no room");
    fake.far = "web-0";
    fake.full = "web-2";
    apply_rolled(5, "b", policy);
    bootstrap_time(12 * MINUTE);
    scene("promoted");
    answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_rollout);
    bootstrap_time(5 * MINUTE);
    scene("a machine goes meanwhile");
    sim_end(lab.cloud, machine_of(4));
    bootstrap_time(12 * MINUTE);
    scene("both can be used again");
    fake.far = fake.full = NULL;
    bootstrap_time(10 * MINUTE);
    transcript_end("stages_lost_members");
}

static void test_a_rollout_waits_for_others(void **state)
{
    static const char *const policy = "surge: 1, batch: 1, bake: 10s";

    (void)state;
    apply_rolled(3, "a", policy);
    bootstrap_time(20 * SECOND);
    transcript_begin();
    scene("another image and another argument");
    apply_groups("web: {size: 3, image: debian-13, rollout: {surge: 1, batch: 1, bake: 10s}, " SIM
                 ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [b]}]}");
    bootstrap_time(5 * MINUTE);
    scene("another argument in a paused group");
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    apply_groups("web: {size: 3, image: debian-13, rollout: {surge: 1, batch: 1, bake: 10s}, " SIM
                 ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [c]}]}");
    bootstrap_time(MINUTE);
    scene("resumed; the group has another name, and the manager dies amid");
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    bootstrap_time(5 * SECOND);
    life_anew();
    apply_groups(
        "front: {size: 3, renamedFrom: web, image: debian-13, rollout: {surge: 1, batch: 1, "
        "bake: 10s}, " SIM ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [c]}]}");
    bootstrap_time(5 * MINUTE);
    transcript_end("stages_wait");
}

static void test_a_rollout_waits_for_a_missing_member(void **state)
{
    static const char *const policy = "surge: 1, batch: 1, bake: 10s";

    (void)state;
    apply_rolled(4, "a", policy);
    bootstrap_time(20 * SECOND);
    transcript_begin();
    scene("web-3 is gone, and its provider has no room");
    lab.fault = PROVIDER_FAULT_CAPACITY;
    lab.refusals = 1000;
    sim_stop(lab.cloud, machine_of(3));
    bootstrap_time(2 * MINUTE);
    scene("another argument");
    apply_rolled(4, "b", policy);
    bootstrap_time(2 * MINUTE);
    scene("there is room again");
    lab.refusals = 0;
    bootstrap_time(15 * MINUTE);
    transcript_end("stages_wait_missing");
}

/* ---- stages that run again in batches ---- */

static bool pass_never(void *arg, struct text cluster, bool is_dry,
                       void (*done)(void *done_arg, struct text report), void *done_arg)
{
    (void)arg;
    (void)cluster;
    (void)is_dry;
    (void)done;
    (void)done_arg;
    return false;
}

static void stages_again(const struct service_bootstrap *request)
{
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };
    struct select_request which = { .cluster = TEXT("shop"), .names = TEXT("web-[0-4]") };
    struct service_bootstrap order = *request;

    order.request = &which;
    service_keeps(lab.service, &(struct service_controller){ .pass = pass_never });
    service_bootstrap(lab.service, lab.arena, &actor, &order, on_answer, NULL);
    for (int i = 0; i < 10; i++) {
        turn();
    }
}

static void test_stages_run_again_in_batches(void **state)
{
    struct service_bootstrap pairs = { .from = TEXT("0"),
                                       .batching.batch = { .number = 2, .is_given = true } };

    (void)state;
    apply_staged(5, "a");
    bootstrap_time(30 * SECOND);
    transcript_begin();
    scene("two at a time");
    stages_again(&pairs);
    bootstrap_time(MINUTE);
    scene("web-3 fails");
    fake.bad = "web-3";
    stages_again(&pairs);
    bootstrap_time(MINUTE);
    scene("those that failed, and another manager");
    fake.bad = NULL;
    fake.slow = "web-3";
    stages_again(
        &(struct service_bootstrap){ .batching.batch = { .number = 1, .is_given = true } });
    bootstrap_time(10 * SECOND);
    life_anew();
    fake.slow = NULL;
    bootstrap_time(MINUTE);
    scene("web-1 cannot be reached");
    fake.far = "web-1";
    stages_again(&pairs);
    bootstrap_time(12 * MINUTE);
    transcript_end("stages_again");
}

static void test_another_host_key(void **state)
{
    (void)state;
    transcript_begin();
    fake.other = "web-1";
    fake.shows = "ssh-ed25519 AAAA";
    apply_staged(2, "a");
    bootstrap_time(2 * MINUTE);
    scene("still another one");
    fake.shows = "ssh-ed25519 BBBB";
    bootstrap_time(15 * MINUTE);
    scene("the right one");
    fake.other = NULL;
    bootstrap_time(15 * MINUTE);
    transcript_end("host_key");
}

/* ---- plugins that are fetched, and keys ---- */

static void test_a_plugin_is_fetched(void **state)
{
    (void)state;
    lab.fetches = true;
    life_anew();
    transcript_begin();
    scene("its bytes wait for an approval");
    snprintf(lab.waits, sizeof(lab.waits), "1234abcd");
    apply_groups("web: {size: 1, resourcePlugin: {name: sim, version: '1'}}, db: {size: 1, "
                 "resourcePlugin: {name: sim, version: '1'}}");
    pass_time(2 * MINUTE);
    scene("other bytes wait");
    snprintf(lab.waits, sizeof(lab.waits), "5678ef00");
    pass_time(2 * MINUTE);
    answer(SERVICE_COMMAND_APPROVE, "shop/db", PLAN_RULE_unpinned);
    pass_time(2 * MINUTE);
    scene("still other ones");
    snprintf(lab.waits, sizeof(lab.waits), "9999aaaa");
    pass_time(5 * MINUTE);
    lab.waits[0] = '\0';
    pass_time(5 * MINUTE);
    scene("groups say different versions");
    apply_groups("web: {size: 2, resourcePlugin: {name: sim, version: '1'}}, db: {size: 1, "
                 "resourcePlugin: {name: sim, version: '2'}}");
    pass_time(2 * MINUTE);
    scene("and the same again");
    apply_groups("web: {size: 2, resourcePlugin: {name: sim, version: '2'}}, db: {size: 1, "
                 "resourcePlugin: {name: sim, version: '2'}}");
    pass_time(5 * MINUTE);
    line("wants %u\n", lab.wants);
    transcript_end("plugin_fetched");
}

static void test_keys_let_reeve_in(void **state)
{
    (void)state;
    lab.logs_in = true;
    life_anew();
    transcript_begin();
    scene("keys are being made");
    apply_groups("web: {size: 1, " SIM "}, db: {size: 1, resourcePlugin: {name: aws}}");
    pass_time(2 * MINUTE);
    scene("they are there");
    lab.keys = "cert-authority ssh-ed25519 AAAA";
    pass_time(20 * MINUTE);
    apply_groups("web: {size: 2, " SIM "}, db: {size: 1, resourcePlugin: {name: aws}}");
    pass_time(2 * MINUTE);
    transcript_end("keys");
}

/* ---- host keys ---- */

static const char *host_key_of(unsigned number)
{
    return arena_printf(lab.arena, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA%042u", number).data;
}

static void accept(const char *node, const char *key)
{
    const struct service_say one = { .kind = objects_kind("Cluster"),
                                     .name = TEXT("shop"),
                                     .word = SERVICE_COMMAND_ACCEPT,
                                     .node = text_from(node),
                                     .key = text_from(key) };
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };

    service_say(lab.service, lab.arena, &actor, &one, on_answer, NULL);
    for (int i = 0; i < 10; i++) {
        turn();
    }
}

static void key_put(struct text key, struct text value)
{
    struct store_op op = { .key = key, .value = value };
    bool is_written = false;

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

static void test_host_keys_are_listed_and_accepted(void **state)
{
    struct text id;

    (void)state;
    transcript_begin();
    apply_staged(3, "a");
    bootstrap_time(30 * SECOND);
    scene("the provider says the key of web-0, and another one later");
    machine_of(0)->host_key = text_from(host_key_of(1));
    bootstrap_time(10 * MINUTE);
    machine_of(0)->host_key = text_from(host_key_of(2));
    bootstrap_time(10 * MINUTE);
    scene("accepted by hand: another one for web-0, which its provider knows better");
    accept("web-0", host_key_of(3));
    bootstrap_time(MINUTE);
    scene("one for web-1, twice, and one for a node that is not there");
    accept("web-1", host_key_of(4));
    bootstrap_time(MINUTE);
    accept("web-1", host_key_of(4));
    bootstrap_time(MINUTE);
    accept("web-9", host_key_of(4));
    accept("web-2", "no key");
    bootstrap_time(MINUTE);
    scene("rows that nobody can read, or of machines that are gone");
    id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    key_put(arena_printf(lab.arena, "/default/Accepted/%.*s/%.*s/base", TEXT_ARG(id),
                         TEXT_ARG(machine_of(2)->token)),
            TEXT("{}"));
    key_put(arena_printf(lab.arena, "/default/Accepted/%.*s/none/base", TEXT_ARG(id)),
            TEXT("{\"key\":\"k\"}"));
    bootstrap_time(MINUTE);
    scene("a copy of web-1 with another key, listed first");
    {
        struct provider_tags tags = sim_tags(machine_of(1));

        sim_plant(lab.cloud, &tags)->host_key = text_from(host_key_of(7));
    }
    bootstrap_time(10 * MINUTE);
    accept("web-2", host_key_of(8));
    bootstrap_time(MINUTE);
    transcript_end("host_keys_accepted");
}

/* ---- pauses, and many groups ---- */

static void words_put(const char *rest, const char *value)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);

    key_put(arena_printf(lab.arena, "/default/Control/%.*s%s/spec", TEXT_ARG(id), rest),
            text_from(value));
}

static void test_pauses_end(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 1, " SIM "}, db: {size: 1, " SIM "}, mq: {size: 1, " SIM "}");
    pass_time(MINUTE);
    scene("web is paused for 5 minutes, mq without end");
    words_put("/web", arena_printf(lab.arena, "{\"paused\":{\"until\":%lld}}",
                                   1760000000000LL + (long long)lab.now_ms + 5LL * MINUTE)
                          .data);
    words_put("/mq", "{\"paused\":{}}");
    apply_groups("web: {size: 2, " SIM "}, db: {size: 2, " SIM "}, mq: {size: 2, " SIM "}");
    pass_time(2 * MINUTE);
    scene("all are for 10 minutes, the manager dies, and its wall clock jumps");
    words_put("", arena_printf(lab.arena, "{\"paused\":{\"until\":%lld}}",
                               1760000000000LL + (long long)lab.now_ms + 10LL * MINUTE)
                      .data);
    pass_time(MINUTE);
    life_anew();
    lab.wall_ahead_ms = -3600LL * SECOND;
    pass_time(15 * MINUTE);
    scene("a word that nobody can read, and mq goes on");
    words_put("/mq", "[1]");
    words_put("", "{\"paused\":{\"until\":5}}");
    pass_time(5 * MINUTE);
    transcript_end("pauses");
}

/* Unreadable records of existing machines. */
static void test_rows_are_damaged(void **state)
{
    struct text id;

    (void)state;
    transcript_begin();
    apply_groups("web: {size: 2, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(MINUTE);
    id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    scene("the counts of the cluster");
    key_put(arena_printf(lab.arena, "/default/Control/%.*s/status", TEXT_ARG(id)), TEXT("{"));
    sim_end(lab.cloud, machine_of(1));
    pass_time(2 * MINUTE);
    scene("and of the group");
    key_put(arena_printf(lab.arena, "/default/Control/%.*s/status", TEXT_ARG(id)), TEXT("{}"));
    key_put(arena_printf(lab.arena, "/default/Control/%.*s/web/status", TEXT_ARG(id)), TEXT("{"));
    pass_time(2 * MINUTE);
    key_delete(arena_printf(lab.arena, "/default/Control/%.*s/web/status", TEXT_ARG(id)));
    pass_time(2 * MINUTE);
    scene("an answer to a hold that is not there");
    key_put(arena_printf(lab.arena, "/default/Hold/%.*s/many_unknown/spec", TEXT_ARG(id)),
            TEXT("{\"approved\":{}}"));
    pass_time(2 * MINUTE);
    scene("holds and jobs");
    key_put(arena_printf(lab.arena, "/default/Hold/%.*s/foreign/status", TEXT_ARG(id)), TEXT("{"));
    key_put(arena_printf(lab.arena, "/default/Hold/%.*s/quarantine/status", TEXT_ARG(id)),
            TEXT("{\"sources\":[\"aws\"]}"));
    key_put(arena_printf(lab.arena, "/default/Hold/%.*s/paused/web/spec", TEXT_ARG(id)),
            TEXT("{\"approved\":{}}"));
    key_put(arena_printf(lab.arena, "/default/Job/%.*s/00000000000000000001/status", TEXT_ARG(id)),
            TEXT("{"));
    key_put(arena_printf(lab.arena, "/default/Cluster/%.*s/status", TEXT_ARG(id)),
            TEXT("{\"observed\":99}"));
    pass_time(2 * MINUTE);
    apply_groups("web: {size: 1, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(2 * MINUTE);
    transcript_end("rows_damaged");
}

/* ---- holds ---- */

/* Messages of a provider in which only numbers change are not written again. */
static void test_holds_are_written_again(void **state)
{
    static const char *const words[] = { "try 1 of 3", "try 22 of 3", "try 22 of 3 ", "try 2 of",
                                         "3 try 2 of", "try x of 4",  "try 2 of 4",   "",
                                         "1",          "a",           "try 2 of 4" };

    (void)state;
    transcript_begin();
    lab.missing = "try 0 of 3";
    apply_groups("web: {size: 3, " SIM
                 "}, db: {size: 2, resourcePlugin: {name: aws}}, mq: {size: 1, "
                 "resourcePlugin: {name: gcp}}");
    pass_time(MINUTE);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        scene(words[i]);
        lab.missing = words[i];
        pass_time(MINUTE);
    }
    scene("the listing of the other one fails as well");
    lab.is_failing = true;
    pass_time(2 * MINUTE);
    lab.is_failing = false;
    pass_time(3 * MINUTE);
    scene("one of them is not wanted any more");
    apply_groups("web: {size: 3, " SIM "}, mq: {size: 1, resourcePlugin: {name: gcp}}");
    pass_time(2 * MINUTE);
    transcript_end("holds_written_again");
}

/* A hold is approved, and its observation then changes. */
static void test_an_answer_covers_what_was_observed(void **state)
{
    (void)state;
    transcript_begin();
    apply_groups("web: {size: 6, " SIM "}, db: {size: 6, " SIM "}");
    pass_time(MINUTE);
    scene("four of web are gone");
    for (uint64_t slot = 0; slot < 6; slot++) {
        if (slot < 4) {
            sim_end(lab.cloud, any_machine());
        }
    }
    pass_time(3 * SECOND);
    answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_listing_brake);
    answer(SERVICE_COMMAND_APPROVE, "shop/db", PLAN_RULE_listing_brake);
    scene("and more, before the answer has its effect");
    machines_end(6);
    pass_time(30 * SECOND);
    answer(SERVICE_COMMAND_REJECT, "shop", PLAN_RULE_listing_brake);
    pass_time(5 * MINUTE);
    scene("another manager");
    life_anew();
    pass_time(20 * MINUTE);
    transcript_end("holds_answered");
}

/* ---- listings that say what no record can hold ---- */

static struct text filled(size_t length)
{
    char *bytes = arena_array(lab.arena, char, length + 1);

    memset(bytes, 'x', length);
    return (struct text){ bytes, length };
}

static void row_show(struct sim_machine *machine, const char *what)
{
    scene(what);
    pass_time(12 * MINUTE);
    sim_end(lab.cloud, machine);
    pass_time(MINUTE);
}

static void test_rows_that_no_record_can_hold(void **state)
{
    struct provider_tags tags = { .group = TEXT("web"), .token = TEXT("somebody") };
    struct sim_machine *machine;

    (void)state;
    apply_groups("web: {size: 1, " SIM "}");
    pass_time(MINUTE);
    tags.cluster = text_from(lab.cluster);
    transcript_begin();
    machine = sim_plant(lab.cloud, &tags);
    machine->host_key = TEXT("ssh-ed25519 \"quoted\"\n");
    row_show(machine, "a host key with a line end");
    machine = sim_plant(lab.cloud, &tags);
    machine->host_key = filled(LIMIT_ROW_HOST_KEY_BYTES);
    row_show(machine, "a host key that is as long as one may be");
    machine = sim_plant(lab.cloud, &tags);
    machine->host_key = filled(LIMIT_ROW_HOST_KEY_BYTES + 1);
    row_show(machine, "one that is longer");
    tags.token = TEXT("with a blank");
    row_show(sim_plant(lab.cloud, &tags), "a token with a blank");
    tags.token = TEXT("t");
    tags.group = TEXT("we\"b");
    row_show(sim_plant(lab.cloud, &tags), "a group with a quote");
    tags.group = TEXT("web");
    tags.token = TEXT("");
    row_show(sim_plant(lab.cloud, &tags), "no token");
    transcript_end("rows_bad");
}

/* ---- machines that are replaced by request ---- */

static void test_machines_are_replaced_by_request(void **state)
{
    (void)state;
    apply_groups("web: {size: 3, rollout: {surge: 1, batch: 1}, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(MINUTE);
    transcript_begin();
    scene("all of a group");
    machines_request("", "*");
    pass_time(30 * SECOND);
    scene("one more is requested amid, and the manager dies");
    apply_groups("web: {size: 4, rollout: {surge: 1, batch: 1}, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(30 * SECOND);
    life_anew();
    pass_time(10 * MINUTE);
    scene("two by name, one of them twice");
    machines_request("", "web-0,web-2,web-0");
    pass_time(10 * MINUTE);
    scene("one that is not there");
    machines_request("", "web-9");
    pass_time(MINUTE);
    transcript_end("replaced_by_request");
}

/* Each new manager reads the retry command again; the command still has an effect only once. */
static void test_what_waits_is_tried_again(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = 100;
    transcript_begin();
    apply_groups("web: {size: 2, " SIM "}, db: {size: 1, " SIM "}");
    pass_time(2 * MINUTE);
    scene("web alone");
    words_put("/web", "{\"retry\":true}");
    pass_time(2 * MINUTE);
    scene("another manager");
    life_anew();
    pass_time(2 * MINUTE);
    scene("all");
    words_put("", "{\"retry\":{\"by\":\"ana\"}}");
    pass_time(2 * MINUTE);
    lab.refusals = 0;
    scene("and none is refused any more");
    words_put("", "{\"retry\":{\"by\":\"ben\"}}");
    pass_time(2 * MINUTE);
    transcript_end("tried_again");
}

/* ---- machines that stay when they are released ---- */

static void test_metal_is_released(void **state)
{
    (void)state;
    apply_staged(4, "a");
    bootstrap_time(30 * SECOND);
    transcript_begin();
    scene("one less");
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    scene("one less, and it cannot be reached");
    fake.far = "web-2";
    apply_staged(2, "a");
    bootstrap_time(5 * MINUTE);
    scene("an operator does not wait for it");
    {
        const struct service_say one = { .kind = objects_kind("Cluster"),
                                         .name = TEXT("shop"),
                                         .word = SERVICE_COMMAND_ABANDON,
                                         .node = TEXT("web-2") };
        const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };

        service_say(lab.service, lab.arena, &actor, &one, on_answer, NULL);
    }
    bootstrap_time(2 * MINUTE);
    scene("one is rebooted by request");
    fake.far = NULL;
    machines_request("web-1", "");
    bootstrap_time(5 * MINUTE);
    scene("labels change, which releases none");
    apply_groups("web: {size: 2, ready: bootstrapped, labels: {tier: front}, " SIM
                 ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [a]}]}");
    bootstrap_time(MINUTE);
    scene("the cluster is deleted, and the manager dies amid");
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 2, ready: bootstrapped, " SIM
              ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [a]}]}}\n",
              CHANGE_DELETE);
    bootstrap_time(500);
    life_anew();
    bootstrap_time(5 * MINUTE);
    transcript_end("metal_released");
}

/* ---- two providers ---- */

static struct sim_machine *plant(struct sim_cloud *cloud, const char *token)
{
    const struct provider_tags tags = { .cluster = text_from(lab.cluster),
                                        .group = TEXT("web"),
                                        .token = text_from(token) };

    return sim_plant(cloud, &tags);
}

/* Holds name the providers on whose listings they are based, and end only by listings of these
 * providers. */
static void test_holds_of_two_providers(void **state)
{
    struct sim_machine *first;
    struct sim_machine *second;

    (void)state;
    other_begin();
    transcript_begin();
    apply_groups("web: {size: 3, " SIM "}, db: {size: 3, resourcePlugin: {name: other}}");
    pass_time(MINUTE);
    scene("a machine with our tags at one of them, then at the other, and then at both");
    first = plant(lab.cloud, "c");
    pass_time(2 * MINUTE);
    sim_end(lab.cloud, first);
    second = plant(lab.other_cloud, "b");
    pass_time(2 * MINUTE);
    first = plant(lab.cloud, "a");
    pass_time(2 * MINUTE);
    scene("the other one fails, and its machine is gone meanwhile");
    lab.other_fails = true;
    sim_end(lab.other_cloud, second);
    pass_time(3 * MINUTE);
    scene("that of the first one is gone as well");
    sim_end(lab.cloud, first);
    pass_time(3 * MINUTE);
    lab.other_fails = false;
    pass_time(5 * MINUTE);
    scene("most machines of db are gone, and the first one fails");
    for (struct sim_machine *machine = sim_first(lab.other_cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.other_cloud, text_from(lab.cluster), machine)) {
        if (sim_is_there(machine) && machine->slot != 1) {
            sim_end(lab.other_cloud, machine);
        }
    }
    pass_time(3 * SECOND);
    lab.is_failing = true;
    pass_time(MINUTE);
    answer(SERVICE_COMMAND_APPROVE, "shop/db", PLAN_RULE_listing_brake);
    pass_time(2 * MINUTE);
    lab.is_failing = false;
    pass_time(10 * MINUTE);
    scene("a record of each is lost");
    record_lose();
    pass_time(5 * MINUTE);
    lab.other_fails = true;
    pass_time(5 * MINUTE);
    lab.other_fails = false;
    scene("the cluster is deleted while the first one fails");
    lab.is_failing = true;
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM
              "}, db: {size: 3, resourcePlugin: {name: other}}}\n",
              CHANGE_DELETE);
    pass_time(20 * MINUTE);
    lab.is_failing = false;
    pass_time(60 * MINUTE);
    transcript_end("two_providers");
}

/* If one provider has no capacity, the other provider creates the machine. */
static void test_an_alternative_of_another_provider(void **state)
{
    (void)state;
    other_begin();
    transcript_begin();
    lab.fault = PROVIDER_FAULT_CAPACITY;
    lab.refusals = 1;
    apply_groups("web: {size: 2, alternatives: [{resourcePlugin: {name: other}}], " SIM "}");
    pass_time(10 * MINUTE);
    scene("the other one is not wanted any more");
    apply_web(2);
    pass_time(20 * MINUTE);
    transcript_end("alternative_provider");
}

/* ---- passes that only report ---- */

static void test_dry_passes(void **state)
{
    (void)state;
    transcript_begin();
    apply_web(2);
    pass_time(MINUTE);
    scene("one pass that only decides: what it found is done by the next one");
    sim_stop(lab.cloud, machine_of(1));
    assert_true(control_pass_dry(lab.control, text_from(lab.cluster)));
    assert_false(control_pass_dry(lab.control, TEXT("default/none")));
    pass_time(SECOND);
    counts_print();
    pass_time(5 * MINUTE);
    scene("a manager that only decides");
    lab.is_dry = true;
    life_anew();
    apply_web(4);
    pass_time(10 * MINUTE);
    scene("and one that does it");
    lab.is_dry = false;
    life_anew();
    pass_time(5 * MINUTE);
    transcript_end("dry");
}

/* ---- rest ---- */

/* Nothing changes, so most observations find an unchanged state; then changes happen one after the
 * other. */
static void test_a_cluster_rests(void **state)
{
    struct text id;

    (void)state;
    lab.fetches = true;
    life_anew();
    transcript_begin();
    apply_groups("web: {size: 2, resourcePlugin: {name: sim, version: '1'}}, db: {size: 1, "
                 "resourcePlugin: {name: sim, version: '1'}}");
    pass_time(5 * MINUTE);
    scene("half an hour goes by");
    pass_time(30 * MINUTE);
    scene("bytes of its plugin wait, and do not any more");
    snprintf(lab.waits, sizeof(lab.waits), "1234abcd");
    pass_time(2 * MINUTE);
    lab.waits[0] = '\0';
    pass_time(3 * MINUTE);
    scene("the listing fails once");
    lab.is_failing = true;
    pass_time(SECOND);
    pass_time(30 * SECOND);
    lab.is_failing = false;
    pass_time(5 * MINUTE);
    scene("the lease is won again");
    id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    key_put(arena_printf(lab.arena, "/default/Lease/%.*s/status", TEXT_ARG(id)),
            arena_printf(lab.arena, "{\"session\":\"life-%u\"}", lab.lives));
    pass_time(5 * MINUTE);
    scene("a word is said of db, and of the cluster");
    words_put("/db", "{\"retry\":true}");
    pass_time(5 * MINUTE);
    words_put("", "{\"retry\":true}");
    pass_time(5 * MINUTE);
    scene("a machine is rebooted by request, and an hour goes by");
    machines_request("web-0", "");
    pass_time(60 * MINUTE);
    scene("labels change, and an hour goes by");
    apply_groups("web: {size: 2, labels: {a: b}, resourcePlugin: {name: sim, version: '1'}}, db: "
                 "{size: 1, resourcePlugin: {name: sim, version: '1'}}");
    pass_time(60 * MINUTE);
    scene("another manager");
    life_anew();
    pass_time(5 * MINUTE);
    transcript_end("rest");
}

/* ---- two clusters ---- */

/* Actions for one cluster do not affect the other cluster. */
static void test_two_clusters_of_one_provider(void **state)
{
    (void)state;
    transcript_begin();
    apply("version: '1'\nname: mall\ngroups: {web: {size: 2, " SIM "}}\n");
    apply_web(2);
    pass_time(MINUTE);
    scene("all machines of the second one are gone, and the provider fails a while");
    machines_end(2);
    lab.is_failing = true;
    pass_time(2 * MINUTE);
    lab.is_failing = false;
    pass_time(10 * MINUTE);
    scene("the first one is deleted");
    change_do("version: '1'\nname: mall\ngroups: {web: {size: 2, " SIM "}}\n", CHANGE_DELETE);
    pass_time(10 * MINUTE);
    transcript_end("two_clusters");
}

#define SCENE(name, begin) cmocka_unit_test_setup_teardown(name, begin, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE(test_a_group_is_made_grows_and_shrinks, setup),
        SCENE(test_machines_that_die_are_replaced, setup),
        SCENE(test_creates_are_refused, setup),
        SCENE(test_a_slot_is_given_up, setup),
        SCENE(test_another_image_is_rolled_out, setup),
        SCENE(test_a_group_is_renamed_and_labelled, setup),
        SCENE(test_metal_is_rebooted_and_then_reported, setup_metal),
        SCENE(test_most_of_a_listing_is_missing, setup),
        SCENE(test_machines_that_nobody_knows, setup),
        SCENE(test_a_store_is_restored, setup),
        SCENE(test_a_return_is_rejected, setup),
        SCENE(test_dry_passes, setup),
        SCENE(test_the_specification_is_lost, setup),
        SCENE(test_a_machine_that_cannot_be_destroyed, setup),
        SCENE(test_machines_are_unreachable, setup_nodes),
        SCENE(test_machines_are_unhealthy, setup_nodes),
        SCENE(test_machines_are_rebooted_by_request, setup),
        SCENE(test_probes_fail_now_and_then, setup_nodes),
        SCENE(test_machines_never_answer, setup_nodes),
        SCENE(test_machines_have_no_address, setup),
        SCENE(test_a_probed_group_is_dropped_while_it_is_paused, setup_nodes),
        SCENE(test_unreachable_machines_of_a_large_cluster, setup_nodes),
        SCENE(test_protected_machines, setup),
        SCENE(test_so_many_are_destroyed_in_a_window, setup),
        SCENE(test_zones_and_alternatives, setup),
        SCENE(test_a_rollout_is_paused_and_aborted, setup),
        SCENE(test_a_provider_is_slow, setup_slow),
        SCENE(test_a_provider_is_away, setup),
        SCENE(test_a_listing_lacks_what_is_there, setup),
        SCENE(test_another_machine_takes_over, setup),
        SCENE(test_a_shared_store, setup),
        SCENE(test_passes_are_kept_in_chains, setup),
        SCENE(test_nodes_are_bootstrapped, nodes_setup),
        SCENE(test_changed_stages_are_rolled_out, nodes_setup),
        SCENE(test_failed_nodes_are_replaced, nodes_setup),
        SCENE(test_changed_stages_fail_on_many, nodes_setup),
        SCENE(test_members_are_lost_in_a_rollout, nodes_setup),
        SCENE(test_a_rollout_waits_for_others, nodes_setup),
        SCENE(test_a_rollout_waits_for_a_missing_member, nodes_setup),
        SCENE(test_stages_run_again_in_batches, nodes_setup),
        SCENE(test_another_host_key, nodes_setup),
        SCENE(test_a_plugin_is_fetched, setup),
        SCENE(test_host_keys_are_listed_and_accepted, nodes_setup),
        SCENE(test_pauses_end, setup),
        SCENE(test_rows_that_no_record_can_hold, setup_nodes),
        SCENE(test_machines_are_replaced_by_request, setup),
        SCENE(test_what_waits_is_tried_again, setup),
        SCENE(test_metal_is_released, nodes_setup_metal),
        SCENE(test_holds_of_two_providers, setup),
        SCENE(test_an_alternative_of_another_provider, setup),
        SCENE(test_a_cluster_rests, setup),
        SCENE(test_two_clusters_of_one_provider, setup),
        SCENE(test_holds_are_written_again, setup),
        SCENE(test_an_answer_covers_what_was_observed, setup),
        SCENE(test_rows_are_damaged, setup),
        SCENE(test_keys_let_reeve_in, setup),
    };

    return cmocka_run_group_tests_name("engine/stories", tests, NULL, NULL);
}
