/* Configurations with a store in memory: how a push becomes a revision, which revisions may be
 * removed, and how references in files become revisions. Requirements: C6. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "records/bundle_owner.h"
#include "records/configurations.h"
#include "service/service_change.h"
#include "service/service_command.h"
#include "service/service_read.h"
#include "state/objects.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 1024, DIGEST_ROOM = 65 };

#define SHOP "version: '1'\nname: shop\n"
#define SIM  "resourcePlugin: {name: sim}"

struct fixture {
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct arena *arena;
    int64_t now_ms;
    unsigned ids;
    unsigned reads;      /* number of archives that were read */
    unsigned is_refused; /* the archive is unusable */
};

static struct fixture fixture;

static int64_t wall_ms(void *arg)
{
    return ((struct fixture *)arg)->now_ms++;
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++((struct fixture *)arg)->ids);
}

static void turn(void)
{
    store_run(fixture.store);
    cache_run(fixture.cache);
    service_run(fixture.service);
}

/* An archive has one stage, whose digest is that of the archive with another first digit. */
static bool archive_read(void *arg, struct text digest, struct arena *arena, struct doc *out,
                         struct err_list *errors)
{
    struct err err;

    ((struct fixture *)arg)->reads++;
    if (fixture.is_refused) {
        err_list_set(errors, (struct place){ 0 }, CODE_R0828, "nothing to run");
        return false;
    }
    assert_true(json_parse(
        arena,
        arena_printf(arena, "{\"bundles\":[{\"bundle\":\"base@sha256:f%.*s\"}],\"bytes\":7}", 63,
                     digest.data),
        NULL, out, &err));
    return true;
}

static bool bundle_has(void *arg, struct text digest)
{
    (void)arg;
    return digest.data[0] == 'f';
}

static int setup(void **state)
{
    fixture = (struct fixture){ .now_ms = INT64_C(1760000000000) };
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.cache = cache_new(fixture.store, RING);
    fixture.service = service_new(fixture.store, fixture.cache,
                                  (struct service_ports){ wall_ms, id_make, &fixture });
    service_keeps(fixture.service, &(struct service_controller){ .config_read = archive_read,
                                                                 .bundle_has = bundle_has,
                                                                 .arg = &fixture });
    for (int i = 0; i < 20; i++) {
        turn();
    }
    assert_true(service_is_ready(fixture.service));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cache_free(fixture.cache);
    store_close(fixture.store);
    service_free(fixture.service);
    arena_free(fixture.arena);
    return 0;
}

/* ---- requests ---- */

struct reply {
    bool is_there;
    size_t errors;
    const char *code; /* code of the first error; NULL: no error */
    const char *text;
    const char *hint;
    const char *path;
    struct doc body;
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;
    struct err err;

    assert_false(reply->is_there);
    reply->is_there = true;
    reply->errors = answer->errors == NULL ? 0 : answer->errors->errors;
    if (reply->errors > 0) {
        const struct err *first = &answer->errors->items[0];

        reply->code = code_get(first->code)->name;
        reply->text = arena_string(fixture.arena, text_from(first->text));
        reply->hint = arena_string(fixture.arena, text_from(first->hint));
        reply->path = arena_string(fixture.arena, text_from(first->path));
    }
    if (answer->body.length > 0) {
        assert_true(json_parse(fixture.arena, arena_text(fixture.arena, answer->body), NULL,
                               &reply->body, &err));
    }
}

static const struct service_actor ana = { .tenant = { "default", 7 }, .user = { "ana", 3 } };

static struct reply *reply_wait(struct reply *reply)
{
    for (int i = 0; i < 5000 && !reply->is_there; i++) {
        turn();
    }
    assert_true(reply->is_there);
    return reply;
}

static void assert_clean(const struct reply *reply)
{
    if (reply->code != NULL) {
        fail_msg("%s: %s", reply->code, reply->text);
    }
}

static void assert_refusal(const struct reply *reply, const char *code, const char *words,
                           const char *hint)
{
    assert_non_null(reply->code);
    if (strcmp(reply->code, code) != 0 || strstr(reply->text, words) == NULL ||
        strstr(reply->hint, hint) == NULL) {
        fail_msg("%s: %s (%s)", reply->code, reply->text, reply->hint);
    }
}

static void keys_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

/* Marks an archive as sent by a tenant. */
static struct text archive_send(const char *tenant, unsigned number)
{
    char *digest = arena_array(fixture.arena, char, DIGEST_ROOM);
    struct store_op op = { .value = TEXT("{}") };
    bool is_written = false;

    snprintf(digest, DIGEST_ROOM, "%064x", number);
    op.key = objects_key(fixture.arena, text_from(tenant), TEXT(BUNDLE_OWNER_KIND),
                         text_from(digest), CACHE_BASE);
    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, keys_written,
              &is_written);
    while (!is_written) {
        turn();
    }
    return text_from(digest);
}

static struct reply push(const char *name, struct text digest)
{
    struct service_config_push request = { .name = text_from(name),
                                           .digest = digest,
                                           .ref = TEXT("v1") };
    struct reply reply = { 0 };

    service_config_push(fixture.service, fixture.arena, &ana, &request, replied, &reply);
    return *reply_wait(&reply);
}

/* Pushes an archive with this number, and asserts the revision that the manager answers. */
static void assert_pushed(const char *name, unsigned number, const char *revision, bool is_new)
{
    struct reply reply = push(name, archive_send("default", number));

    assert_clean(&reply);
    assert_true(text_is(doc_child(&reply.body, "revision")->text, revision));
    assert_true(text_is(doc_child(&reply.body, "new")->text, is_new ? "true" : "false"));
}

static struct reply pin(const char *reference, bool is_pinned)
{
    struct reply reply = { 0 };

    service_config_pin(fixture.service, fixture.arena, &ana, text_from(reference), is_pinned,
                       replied, &reply);
    return *reply_wait(&reply);
}

static void assert_removed(uint64_t keep, bool is_dry, const char *expected)
{
    struct reply reply = { 0 };
    struct buf json;

    service_config_gc(fixture.service, fixture.arena, &ana, TEXT("web"), keep, is_dry, replied,
                      &reply);
    assert_clean(reply_wait(&reply));
    buf_init(&json, fixture.arena);
    json_format(&json, doc_child(&reply.body, "removed"));
    assert_string_equal(arena_string(fixture.arena, buf_text(&json)), expected);
}

static struct reply apply(const char *yaml)
{
    struct service_change change = { .mode = CHANGE_APPLY };
    struct origin *origin = arena_one(fixture.arena, struct origin);
    struct reply reply = { 0 };
    struct yaml_docs docs;
    struct err err;

    origin->source = 1;
    assert_true(yaml_parse(fixture.arena, text_from(yaml), origin, &docs, &err));
    change.documents = docs.items;
    change.document_count = docs.count;
    service_change(fixture.service, fixture.arena, &ana, &change, replied, &reply);
    return *reply_wait(&reply);
}

#define STAGE(digit)                                                                                   \
    "[{\"bundle\":\"base@sha256:f00000000000000000000000000000000000000000000000000000000000000" digit \
    "\"}]"
#define CONTENT(digit, revision) "{\"bundles\":" STAGE(digit) ",\"revision\":\"" revision "\"}"

/* Returns the effective value of a group of shop as JSON; null: there is none. */
static const char *value_of(const struct doc *effective, const char *group, const char *path)
{
    const struct doc *groups = doc_child(effective, "groups");
    struct buf json;

    buf_init(&json, fixture.arena);
    for (size_t i = 0; i < groups->item_count; i++) {
        const struct doc *values = doc_child(&groups->items[i], "values");

        for (size_t j = 0; j < values->item_count; j++) {
            if (text_is(doc_child(&groups->items[i], "path")->text, group) &&
                text_is(doc_child(&values->items[j], "path")->text, path)) {
                json_format(&json, doc_child(&values->items[j], "value"));
            }
        }
    }
    return json.length == 0 ? "null" : arena_string(fixture.arena, buf_text(&json));
}

/* Asserts the effective configuration of a group of shop, and its stages. */
static void assert_group(const char *group, const char *revision, const char *stages)
{
    struct reply reply = { 0 };

    service_get(fixture.service, fixture.arena, &ana,
                &(struct service_get){ .kind = objects_kind("Cluster"),
                                       .name = TEXT("shop"),
                                       .view = SERVICE_VIEW_EFFECTIVE },
                replied, &reply);
    assert_clean(reply_wait(&reply));
    assert_string_equal(value_of(&reply.body, group, "configuration"), revision);
    assert_string_equal(value_of(&reply.body, group, "configured.revision"), revision);
    assert_string_equal(value_of(&reply.body, group, "configured.bundles"), stages);
}

/* ---- references ---- */

static void references_are_parsed(void **state)
{
    static const struct {
        const char *text;
        const char *name; /* expected value; NULL: no error is expected */
        uint64_t number;
    } rows[] = {
        { "web", "web", 0 },
        { "web@r1", "web", 1 },
        { "web-2@r4294967296", "web-2", 4294967296 },
        { "web@1", NULL, 0 },
        { "web@", NULL, 0 },
        { "web@r0", NULL, 0 },
        { "@r1", NULL, 0 },
        { "", NULL, 0 },
        { "web@r9223372036854775808", NULL, 0 },
        { "web@r1 ", NULL, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct text name = TEXT("kept");
        uint64_t number = 7;
        bool is_good = configuration_reference_parse(text_from(rows[i].text), &name, &number);

        assert_int_equal(is_good, rows[i].name != NULL);
        assert_true(text_is(name, is_good ? rows[i].name : "kept"));
        assert_true(number == (is_good ? rows[i].number : 7));
    }
    assert_true(text_is(configuration_reference(fixture.arena, TEXT("web"), 17), "web@r17"));
    assert_true(
        text_is(configuration_revision_id(fixture.arena, TEXT("web"), 17), "web/0000000017"));
}

static void what_is_not_there_is_said_with_the_next_step(void **state)
{
    static const struct {
        const char *name;
        uint64_t number;
        const char *text;
        const char *hint;
    } rows[] = {
        { "wbe", 0, "there is no configuration 'wbe'", "did you mean 'web'?" },
        { "database", 1, "there is no configuration 'database'", "reeve get configs lists" },
        { "web", 9, "configuration 'web' has no revision r9", "the newest revision is r2" },
        { "web", 1, "configuration 'web' has no revision r1",
          "the revision was removed; the newest" },
    };
    struct doc doc;
    struct err err = { 0 };

    (void)state;
    assert_false(
        configuration_unknown(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 0, &err));
    assert_int_equal(err.code, CODE_R0829);
    assert_non_null(strstr(err.hint, "reeve config push DIR"));
    assert_pushed("web", 1, "web@r1", true);
    assert_pushed("web", 2, "web@r2", true);
    assert_removed(1, false, "[\"web@r1\"]");
    assert_true(configuration_newest(fixture.cache, TEXT("default"), TEXT("web"), NULL) == 2);
    assert_true(configuration_newest(fixture.cache, TEXT("other"), TEXT("web"), NULL) == 0);
    assert_false(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 1, &doc));
    assert_true(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 2, &doc));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        assert_false(configuration_unknown(fixture.arena, fixture.cache, TEXT("default"),
                                           text_from(rows[i].name), rows[i].number, &err));
        assert_int_equal(err.code, CODE_R0829);
        assert_non_null(strstr(err.text, rows[i].text));
        assert_non_null(strstr(err.hint, rows[i].hint));
    }
}

/* ---- pushes ---- */

/* Pushing the archive of an older revision makes a new revision; otherwise a revert would have no
 * effect. */
static void the_archive_of_the_newest_is_no_new_revision(void **state)
{
    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    assert_pushed("web", 1, "web@r1", false);
    assert_pushed("web", 2, "web@r2", true);
    assert_pushed("web", 1, "web@r3", true);
    assert_pushed("web", 1, "web@r3", false);
    assert_pushed("db", 1, "db@r1", true);
}

static void a_tenant_pushes_only_what_it_has_sent(void **state)
{
    struct reply reply;

    (void)state;
    reply = push("web", archive_send("other", 1));
    assert_refusal(&reply, "R0732", "was not sent", "/v1/archives/DIGEST");
    reply = push("web", TEXT("abc"));
    assert_refusal(&reply, "R0316", "'abc' is not a sha256 digest", "64 hexadecimal digits");
    reply = push("1web", archive_send("default", 1));
    assert_refusal(&reply, "R0310", "'1web'", "letter");
    assert_int_equal(fixture.reads, 0);
    fixture.is_refused = true;
    reply = push("web", archive_send("default", 1));
    assert_refusal(&reply, "R0828", "nothing to run", "");
    assert_true(configuration_newest(fixture.cache, TEXT("default"), TEXT("web"), NULL) == 0);
}

/* The number of stored unused revisions is limited, and so is the number of other revisions. */
static void revisions_have_limits(void **state)
{
    char revision[DIGEST_ROOM];
    struct reply reply;
    struct doc doc;

    (void)state;
    for (unsigned i = 1; i <= LIMIT_CONFIGURATION_REVISIONS + 2; i++) {
        snprintf(revision, sizeof(revision), "web@r%u", i);
        assert_pushed("web", i, revision, true);
        if (i == 2) {
            reply = pin("web@r2", true);
            assert_clean(&reply);
        }
    }
    assert_false(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 1, &doc));
    assert_true(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 2, &doc));
    assert_false(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 3, &doc));
    assert_true(
        configuration_read(fixture.arena, fixture.cache, TEXT("default"), TEXT("web"), 4, &doc));
}

static void pinned_revisions_have_a_limit(void **state)
{
    char revision[DIGEST_ROOM];
    struct reply reply;

    (void)state;
    for (unsigned i = 1; i <= LIMIT_CONFIGURATION_REVISIONS_STORED; i++) {
        snprintf(revision, sizeof(revision), "web@r%u", i);
        assert_pushed("web", i, revision, true);
        reply = pin(revision, true);
        assert_clean(&reply);
    }
    reply = push("web", archive_send("default", LIMIT_CONFIGURATION_REVISIONS_STORED + 1));
    assert_refusal(&reply, "R0320", "'web' already has 1000 revisions", "--unpin");
    reply = pin("web@r7", false);
    assert_clean(&reply);
    assert_pushed("web", LIMIT_CONFIGURATION_REVISIONS_STORED + 1, "web@r1001", true);
}

/* ---- pinning and removal ---- */

static void only_what_nobody_needs_is_removed(void **state)
{
    struct reply reply;

    (void)state;
    for (unsigned i = 1; i <= 5; i++) {
        char revision[DIGEST_ROOM];

        snprintf(revision, sizeof(revision), "web@r%u", i);
        assert_pushed("web", i, revision, true);
    }
    reply = pin("web@r1", true);
    assert_clean(&reply);
    reply = apply(SHOP "defaults: {configuration: web@r2}\ngroups: {web: {size: 0, " SIM
                       ", configuration: web@r4}}\n");
    assert_clean(&reply);
    assert_removed(10, false, "[]");
    assert_removed(0, true, "[\"web@r3\"]");
    assert_removed(1, true, "[\"web@r3\"]");
    reply = apply(SHOP "groups: {web: {size: 0, " SIM "}}\n");
    assert_clean(&reply);
    reply = pin("web@r1", false);
    assert_clean(&reply);
    assert_removed(2, false, "[\"web@r1\",\"web@r2\",\"web@r3\"]");
    assert_removed(2, false, "[]");
    reply = pin("web@r1", true);
    assert_refusal(&reply, "R0829", "has no revision r1", "the revision was removed");
    reply = pin("web@x", true);
    assert_refusal(&reply, "R0426", "'web@x' is not a name of a configuration", "NAME@rN");
}

/* ---- files ---- */

static void a_name_becomes_its_newest_revision(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    reply = apply(SHOP "defaults: {configuration: web}\ngroups:\n  a: {size: 0, " SIM "}\n"
                       "  b: {size: 0, " SIM ", configuration: null}\n"
                       "  c: {d: {size: 0, " SIM ", configuration: web}}\n");
    assert_clean(&reply);
    assert_group("a", "\"web@r1\"", STAGE("0"));
    assert_group("b", "null", "null");
    assert_group("c/d", "\"web@r1\"", STAGE("0"));
    /* a push changes no group; the next apply of the file uses the newest revision */
    assert_pushed("web", 2, "web@r2", true);
    assert_group("a", "\"web@r1\"", STAGE("0"));
    reply = apply(SHOP "defaults: {configuration: web}\ngroups:\n  a: {size: 0, " SIM "}\n"
                       "  b: {size: 0, " SIM ", configuration: web@r1}\n");
    assert_clean(&reply);
    assert_group("a", "\"web@r2\"", STAGE("0"));
    assert_group("b", "\"web@r1\"", STAGE("0"));
}

static void groups_in_a_list_have_revisions_too(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    reply = apply(SHOP "groups:\n- {name: a, size: 0, " SIM ", configuration: web}\n");
    assert_clean(&reply);
    assert_group("a", "\"web@r1\"", STAGE("0"));
}

static void the_content_is_that_of_the_revision(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    reply = apply(SHOP "groups:\n  a:\n    size: 0\n    " SIM "\n    configuration: web@r1\n"
                       "    configured: {revision: web@r1, bundles: []}\n"
                       "  b:\n    size: 0\n    " SIM "\n"
                       "    configured: {revision: web@r1, bundles: []}\n");
    assert_clean(&reply);
    assert_group("a", "\"web@r1\"", STAGE("0"));
    assert_group("b", "null", "null");
    /* references to missing bundles are refused, also in content that was written by hand */
    reply = apply(SHOP "groups:\n  a:\n    size: 0\n    " SIM "\n    configuration: old@r1\n"
                       "    configured:\n      revision: old@r1\n      bundles:\n"
                       "      - bundle: base@sha256:"
                       "0000000000000000000000000000000000000000000000000000000000000009\n");
    assert_refusal(&reply, "R0732", "there is no bundle 'base@sha256:0000", "reeve config push");
}

/* Groups keep working after the record of their revision was removed. */
static void a_removed_revision_remains_where_it_is_used(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    assert_pushed("web", 2, "web@r2", true);
    assert_removed(1, false, "[\"web@r1\"]");
    reply = apply(SHOP "groups:\n  a:\n    size: 0\n    " SIM "\n    configuration: web@r1\n"
                       "    configured: " CONTENT("0", "web@r1") "\n");
    assert_clean(&reply);
    assert_group("a", "\"web@r1\"", STAGE("0"));
    reply = apply(SHOP "groups:\n  a:\n    size: 0\n    " SIM "\n    configuration: web@r1\n");
    assert_refusal(&reply, "R0829", "has no revision r1", "the newest revision is r2");
    reply = apply(SHOP "groups:\n  a:\n    size: 0\n    " SIM "\n    configuration: web@r1\n"
                       "    configured: " CONTENT("0", "web@r2") "\n");
    assert_refusal(&reply, "R0829", "has no revision r1", "the newest revision is r2");
}

static void an_unknown_name_is_reported_once(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    reply = apply(SHOP "groups:\n  a: {size: 0, " SIM ", configuration: wbe}\n"
                       "  b: {size: 0, " SIM ", configuration: wbe}\n");
    assert_refusal(&reply, "R0829", "there is no configuration 'wbe'", "did you mean 'web'?");
    assert_int_equal(reply.errors, 1);
    reply = apply(SHOP "groups:\n  a: {size: 0, " SIM ", configuration: wbe}\n"
                       "  b: {size: 0, " SIM ", configuration: web@r2}\n");
    assert_int_equal(reply.errors, 2);
    reply = apply(SHOP "groups:\n  a: {size: 0, " SIM ", configuration: web@2}\n");
    assert_refusal(&reply, "R0317", "'web@2' is not a revision", "web@r17");
    assert_int_equal(reply.errors, 1);
}

/* A label or a property named configuration is not a reference. */
static void other_words_of_this_name_are_left_alone(void **state)
{
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    reply =
        apply(SHOP "labels: {configuration: web}\ngroups:\n  a: {size: 0, " SIM
                   ", labels: {configuration: web}, resourceProperties: {configuration: web}}\n");
    assert_clean(&reply);
    assert_group("a", "null", "null");
    assert_pushed("web", 2, "web@r2", true);
    assert_removed(1, false, "[\"web@r1\"]");
}

/* The limit of stages of a node counts the stages of both lists. */
static void stages_of_both_lists_are_counted(void **state)
{
    struct buf yaml;
    struct reply reply;

    (void)state;
    assert_pushed("web", 1, "web@r1", true);
    buf_init(&yaml, fixture.arena);
    buf_add_string(&yaml, SHOP "groups:\n  a:\n    size: 0\n    " SIM
                               "\n    configuration: web\n    bootstrap:\n");
    for (int i = 0; i < LIMIT_GROUP_ITEMS; i++) {
        buf_add_string(&yaml, "    - bundle: base@sha256:"
                              "f000000000000000000000000000000000000000000000000000000000000000\n");
    }
    reply = apply(arena_string(fixture.arena, buf_text(&yaml)));
    assert_refusal(&reply, "R0720", "the group has 33 stages, at most 32 are allowed", "");
}

int main(void)
{
#define TEST_OF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST_OF(references_are_parsed),
        TEST_OF(what_is_not_there_is_said_with_the_next_step),
        TEST_OF(the_archive_of_the_newest_is_no_new_revision),
        TEST_OF(a_tenant_pushes_only_what_it_has_sent),
        TEST_OF(revisions_have_limits),
        TEST_OF(pinned_revisions_have_a_limit),
        TEST_OF(only_what_nobody_needs_is_removed),
        TEST_OF(a_name_becomes_its_newest_revision),
        TEST_OF(groups_in_a_list_have_revisions_too),
        TEST_OF(the_content_is_that_of_the_revision),
        TEST_OF(a_removed_revision_remains_where_it_is_used),
        TEST_OF(an_unknown_name_is_reported_once),
        TEST_OF(other_words_of_this_name_are_left_alone),
        TEST_OF(stages_of_both_lists_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
