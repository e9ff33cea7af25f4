/* The service with a store in memory: requests of users, and the state afterwards. */

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
#include "service/service_command.h"
#include "service/service_read.h"
#include "service/service_parts.h"
#include "query/service_rows.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 1024 };

#define SHOP      "version: '1'\nname: shop\n"
#define SIM       "resourcePlugin: {name: sim}"
#define WEB(size) "groups: {web: {size: " #size ", " SIM "}}\n"

struct fixture {
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct arena *arena;
    int64_t now_ms;
    unsigned ids;
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

static void life_begin(void)
{
    fixture.cache = cache_new(fixture.store, RING);
    fixture.service = service_new(fixture.store, fixture.cache,
                                  (struct service_ports){ wall_ms, id_make, &fixture });
}

static void turn(void)
{
    store_run(fixture.store);
    cache_run(fixture.cache);
    service_run(fixture.service);
}

static int setup(void **state)
{
    fixture = (struct fixture){ .now_ms = INT64_C(1760000000000) };
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    life_begin();
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

/* ---- asking ---- */

struct reply {
    bool is_there;
    bool is_made;
    const char *code; /* code of the first error; NULL: no error */
    const char *text;
    struct doc body;
    uint64_t etag;
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;
    struct err err;

    assert_false(reply->is_there);
    reply->is_there = true;
    reply->etag = answer->etag;
    reply->is_made = answer->is_made;
    if (answer->errors->count > 0) {
        reply->code = code_get(answer->errors->items[0].code)->name;
        reply->text = arena_string(fixture.arena, text_from(answer->errors->items[0].text));
    }
    if (answer->body.length > 0) {
        assert_true(json_parse(fixture.arena, arena_text(fixture.arena, answer->body), NULL,
                               &reply->body, &err));
    }
}

static struct service_actor actor_of(const char *user)
{
    return (struct service_actor){ TEXT("default"), text_from(user) };
}

static void wait_for(const struct reply *reply)
{
    for (int i = 0; i < 5000 && !reply->is_there; i++) {
        turn();
    }
    assert_true(reply->is_there);
}

static void clean(const struct reply *reply)
{
    if (reply->code != NULL) {
        fail_msg("%s: %s", reply->code, reply->text);
    }
}

static struct reply ask(enum change_mode mode, const char *user, const char *yaml,
                        struct service_change change)
{
    struct service_actor actor = actor_of(user);
    struct yaml_docs docs;
    struct reply reply = { 0 };
    struct err_list faults;
    struct origin *origin = arena_one(fixture.arena, struct origin);
    struct err err;

    origin->source = 1;
    err_list_init(&faults, fixture.arena);
    assert_true(yaml_parse_tolerant(fixture.arena, arena_text(fixture.arena, text_from(yaml)),
                                    origin, &docs, &faults, &err));
    change.mode = mode;
    change.documents = docs.items;
    change.document_count = docs.count;
    service_change(fixture.service, fixture.arena, &actor, &change, replied, &reply);
    wait_for(&reply);
    return reply;
}

static struct reply apply(const char *yaml)
{
    struct reply reply = ask(CHANGE_APPLY, "ana", yaml, (struct service_change){ 0 });

    return reply;
}

static struct reply show(const char *kind, const char *name, enum service_view view)
{
    struct service_actor actor = actor_of("ana");
    struct reply reply = { 0 };

    service_get(
        fixture.service, fixture.arena, &actor,
        &(struct service_get){ .kind = objects_kind(kind), .name = text_from(name), .view = view },
        replied, &reply);
    wait_for(&reply);
    return reply;
}

static struct reply patch(const char *kind, const char *name, const char *user, const char *json,
                          struct service_change change)
{
    struct service_actor actor = actor_of(user);
    struct reply reply = { 0 };
    struct doc *doc = arena_one(fixture.arena, struct doc);
    struct err err;

    assert_true(json_parse(fixture.arena, text_from(json), NULL, doc, &err));
    service_patch(fixture.service, fixture.arena, &actor,
                  &(struct service_patch){ .kind = objects_kind(kind),
                                           .name = text_from(name),
                                           .patch_kind = doc_is_list(doc) ? CHANGE_PATCH_JSON
                                                                          : CHANGE_PATCH_MERGE,
                                           .patch = doc,
                                           .change = change },
                  replied, &reply);
    wait_for(&reply);
    return reply;
}

static const char *json_of(const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, fixture.arena);
    if (doc_is_present(doc)) {
        json_format(&buf, doc);
    }
    return buf_text(&buf).data;
}

/* Returns the value at a pointer, as JSON; "": there is none. */
static const char *at(const struct reply *reply, const char *pointer)
{
    const struct doc *found = doc_at(&reply->body, text_from(pointer));

    return found == NULL ? "" : json_of(found);
}

static const char *spec_of(const char *kind, const char *name)
{
    struct reply reply = show(kind, name, SERVICE_VIEW_OBJECT);

    return reply.code != NULL ? reply.code : at(&reply, "/spec");
}

/* ---- tests ---- */

static void M10_apply_makes_a_cluster_and_its_groups(void **state)
{
    struct reply reply = apply(SHOP WEB(3));

    (void)state;
    clean(&reply);
    assert_true(reply.is_made);
    assert_string_equal(at(&reply, "/objects/0/change"), "\"create\"");
    assert_string_equal(at(&reply, "/sums/create"), "3");
    assert_string_equal(spec_of("Cluster", "shop"),
                        "{\"groups\":{\"web\":{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}},"
                        "\"version\":\"1\"}");
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}");
    assert_string_equal(spec_of("NodeGroup", "shop/db"), "R0403");
    assert_string_equal(spec_of("Cluster", "shpo"), "R0403");
}

static void applying_the_same_again_changes_nothing(void **state)
{
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    reply = apply(SHOP WEB(3));
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
}

static void faults_point_into_the_document(void **state)
{
    struct reply reply = apply(SHOP "groups: {web: {size: -1, " SIM "}}\n");

    (void)state;
    assert_string_equal(reply.code, "R0305");
    assert_string_equal(spec_of("Cluster", "shop"), "R0403");
}

static void export_applied_changes_nothing(void **state)
{
    static const char *const files[] = {
        SHOP WEB(3),
        SHOP "labels: {a: b}\ndefaults: {image: x, " SIM "}\n"
             "groups: {a: {groups: {b: {size: 1}, c: {size: 2}}}, d: {size: 0}}\n",
        SHOP "empty: true\n",
        "kind: ClusterTemplate\nname: t\ndefaults: {image: i, " SIM "}\ngroups: {web: {size: 2}}\n"
        "---\nname: shop\nversion: 2\nfrom: {template: t}\ngroups: {web: {image: j}}\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct reply reply = apply(files[i]);
        struct reply exported;

        clean(&reply);
        exported = show("Cluster", "shop", SERVICE_VIEW_EXPORT);
        clean(&exported);
        reply = ask(CHANGE_APPLY, "ana", json_of(&exported.body),
                    (struct service_change){ .is_dry_run = true });
        clean(&reply);
        assert_string_equal(at(&reply, "/sums/change"), "0");
        assert_string_equal(at(&reply, "/sums/create"), "0");
        assert_string_equal(at(&reply, "/sums/destroy"), "0");
        reply = ask(CHANGE_DELETE, "ana", "name: shop\nversion: 1\nempty: true\n",
                    (struct service_change){ .allow = { .destroy = 100 } });
        clean(&reply);
        assert_string_equal(spec_of("Cluster", "shop"), "R0403");
    }
}

static void M11_a_cluster_outlives_its_template(void **state)
{
    struct reply reply = apply("kind: ClusterTemplate\nname: t\ndefaults: {image: i, " SIM
                               "}\ngroups: {web: {size: 2}}\n");

    (void)state;
    clean(&reply);
    reply = apply("name: shop\nversion: 2\nfrom: {template: t}\n");
    clean(&reply);
    reply =
        ask(CHANGE_DELETE, "ana", "kind: ClusterTemplate\nname: t\n", (struct service_change){ 0 });
    clean(&reply);
    reply = apply("name: shop\nversion: 2\nfrom: {template: t}\n");
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
    reply = show("Cluster", "shop", SERVICE_VIEW_EFFECTIVE);
    clean(&reply);
    assert_non_null(strstr(json_of(&reply.body), "template ct/t"));
}

static void a_template_changed_meanwhile_changes_nothing(void **state)
{
    struct reply reply;

    (void)state;
    apply("kind: ClusterTemplate\nname: t\ndefaults: {image: i, " SIM
          "}\ngroups: {web: {size: 2}}\n");
    apply("name: shop\nversion: 2\nfrom: {template: t}\n");
    reply = apply("kind: ClusterTemplate\nname: t\ndefaults: {image: k, " SIM
                  "}\ngroups: {web: {size: 9}}\n");
    clean(&reply);
    reply = apply("name: shop\nversion: 2\nfrom: {template: t}\n");
    assert_string_equal(at(&reply, "/changed"), "false");
    reply = ask(CHANGE_APPLY, "ana", "name: shop\nversion: 2\nfrom: {template: t}\n",
                (struct service_change){ .is_refreshing_from = true, .allow = { .replace = 2 } });
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "7");
    assert_string_equal(at(&reply, "/needs/replace"), "2");
}

/* The last group inherited from a source is removed, and remains removed. */
static void a_clone_without_its_last_group_has_none(void **state)
{
    struct service_change allow = { .allow = { .destroy = 10 } };
    struct reply reply = apply(SHOP WEB(2));

    (void)state;
    clean(&reply);
    reply = apply("name: copy\nversion: 2\nfrom: {cluster: shop}\n");
    clean(&reply);
    reply = ask(CHANGE_DELETE, "bob", "kind: NodeGroup\ncluster: copy\nname: web\n", allow);
    clean(&reply);
    reply = ask(CHANGE_DELETE, "bob", "name: copy\nversion: 2\nempty: true\n",
                (struct service_change){ .is_dry_run = true, .allow = allow.allow });
    clean(&reply);
    assert_string_equal(at(&reply, "/needs/destroy"), "0"); /* it has no machine */
}

/* A template's group that is made from another group is already resolved when the template is
 * used. */
static void a_template_of_groups_made_from_others_is_used(void **state)
{
    struct reply reply = apply(SHOP WEB(2));

    (void)state;
    clean(&reply);
    reply = apply("kind: ClusterTemplate\nname: t\nversion: 1\n"
                  "groups: {front: {from: {nodegroup: shop/web}, size: 4}}\n");
    clean(&reply);
    reply = apply("name: lab\nversion: 2\nfrom: {template: t}\n");
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "4");
}

static void repointing_from_needs_the_flag(void **state)
{
    struct reply reply;

    (void)state;
    apply("kind: ClusterTemplate\nname: t\ndefaults: {" SIM "}\ngroups: {web: {size: 2}}\n---\n"
          "kind: ClusterTemplate\nname: u\ndefaults: {" SIM "}\ngroups: {web: {size: 3}}\n");
    apply("name: shop\nversion: 2\nfrom: {template: t}\n");
    reply = apply("name: shop\nversion: 2\nfrom: {template: u}\n");
    assert_string_equal(reply.code, "R0406");
}

static void a_group_removed_needs_consent(void **state)
{
    struct reply reply;

    (void)state;
    apply(SHOP "groups: {db: {size: 2, " SIM "}, web: {size: 3, " SIM "}}\n");
    reply = apply(SHOP WEB(3));
    assert_string_equal(reply.code, "R0405");
    assert_string_equal(at(&reply, "/needs/destroy"), "2");
    reply =
        ask(CHANGE_APPLY, "ana", SHOP WEB(3), (struct service_change){ .allow = { .destroy = 2 } });
    clean(&reply);
    assert_string_equal(spec_of("NodeGroup", "shop/db"), "R0403");
}

static void scaled_by_hand_stays_scaled(void **state)
{
    struct text take = TEXT("groups.web.size");
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    reply = patch("NodeGroup", "shop/web", "bob", "{\"size\":6}", (struct service_change){ 0 });
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "3");
    reply = apply(SHOP WEB(3));
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
    assert_string_equal(at(&reply, "/kept/0/path"), "\"groups.web.size\"");
    assert_string_equal(at(&reply, "/kept/0/by"), "\"bob\"");
    assert_string_equal(at(&reply, "/kept/0/live"), "6");
    reply =
        ask(CHANGE_APPLY, "ana", SHOP WEB(3),
            (struct service_change){ .takes = &take, .take_count = 1, .allow = { .destroy = 3 } });
    clean(&reply);
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}");
}

static void if_match_names_who_was_faster(void **state)
{
    struct reply seen;
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    seen = show("Cluster", "shop", SERVICE_VIEW_OBJECT);
    clean(&seen);
    reply = patch("Cluster", "shop", "bob", "{\"version\":\"2\"}",
                  (struct service_change){ .if_match = seen.etag });
    clean(&reply);
    reply = patch("Cluster", "shop", "ana", "{\"version\":\"3\"}",
                  (struct service_change){ .if_match = seen.etag });
    assert_string_equal(reply.code, "R0401");
}

/* Existing values were validated at their old place, and must be validated where a patch moves
 * them. */
static void what_a_patch_moves_elsewhere_is_judged_there(void **state)
{
    struct service_change change = { .allow.replace = 1 };
    struct reply reply;

    (void)state;
    reply = apply(SHOP "groups: {web: {size: 1, " SIM
                       ", resourceProperties: {tags: {a b: c}}, labels: {x: y}}}\n");
    clean(&reply);
    reply = patch("Cluster", "shop", "bo",
                  "[{\"op\":\"copy\",\"from\":\"/groups/web/resourceProperties/tags\","
                  "\"path\":\"/groups/web/labels\"}]",
                  change);
    assert_string_equal(reply.code, "R0313");
    reply = patch("Cluster", "shop", "bo",
                  "[{\"op\":\"copy\",\"from\":\"/groups/web/labels\","
                  "\"path\":\"/groups/web/resourceProperties/tags\"}]",
                  change);
    clean(&reply);
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"labels\":{\"x\":\"y\"},\"resourcePlugin\":{\"name\":\"sim\"},"
                        "\"resourceProperties\":{\"tags\":{\"x\":\"y\"}},\"size\":1}");
}

static void a_json_patch_changes_one_value(void **state)
{
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    reply = patch("Cluster", "shop", "bob",
                  "[{\"op\":\"test\",\"path\":\"/groups/web/size\",\"value\":3},"
                  "{\"op\":\"replace\",\"path\":\"/groups/web/size\",\"value\":4}]",
                  (struct service_change){ 0 });
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "1");
    reply = patch("Cluster", "shop", "bob",
                  "[{\"op\":\"test\",\"path\":\"/groups/web/size\",\"value\":3}]",
                  (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0411");
}

static void K4_a_rename_needs_consent_and_keeps_the_id(void **state)
{
    struct reply before;
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    before = show("Cluster", "shop", SERVICE_VIEW_OBJECT);
    reply = patch("Cluster", "shop", "ana", "{\"name\":\"store\"}", (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0405");
    reply = patch("Cluster", "shop", "ana", "{\"name\":\"store\"}",
                  (struct service_change){ .allow = { .rename = 1 } });
    clean(&reply);
    assert_string_equal(spec_of("Cluster", "shop"), "R0403");
    reply = show("Cluster", "store", SERVICE_VIEW_OBJECT);
    assert_string_equal(at(&reply, "/metadata/id"), at(&before, "/metadata/id"));
    reply = show("NodeGroup", "store/web", SERVICE_VIEW_OBJECT);
    assert_string_equal(at(&reply, "/metadata/cluster"), "\"store\"");
    reply = apply(SHOP WEB(1)); /* the name is free */
    clean(&reply);
}

static void renamed_groups_keep_what_they_are(void **state)
{
    struct reply before;
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    before = show("NodeGroup", "shop/web", SERVICE_VIEW_OBJECT);
    reply = apply(SHOP "groups: {front: {renamedFrom: web, size: 3, " SIM "}}\n");
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/destroy"), "0");
    reply = show("NodeGroup", "shop/front", SERVICE_VIEW_OBJECT);
    clean(&reply);
    assert_string_equal(at(&reply, "/metadata/id"), at(&before, "/metadata/id"));
    assert_string_equal(spec_of("NodeGroup", "shop/web"), "R0403");
}

static void a_group_alone_is_created_changed_and_deleted(void **state)
{
    const char *group = "kind: NodeGroup\ncluster: shop\nname: gpu\nsize: 2\n" SIM "\n";
    struct reply reply;

    (void)state;
    apply(SHOP WEB(3));
    reply = ask(CHANGE_CREATE, "bob", group, (struct service_change){ 0 });
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "2");
    reply = ask(CHANGE_CREATE, "bob", group, (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0402");
    reply = apply(SHOP WEB(3)); /* the file does not contain the value, and does not change it */
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
    reply = ask(CHANGE_DELETE, "bob", "kind: NodeGroup\ncluster: shop\nname: gpu\n",
                (struct service_change){ .allow = { .destroy = 2 } });
    clean(&reply);
    assert_string_equal(spec_of("NodeGroup", "shop/gpu"), "R0403");
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}");
}

static struct reply plan_run(const char *id)
{
    struct service_actor actor = actor_of("ana");
    const struct service_change requests = { 0 };
    struct reply reply = { 0 };

    service_plan_apply(fixture.service, fixture.arena, &actor, text_from(id), &requests, replied,
                       &reply);
    wait_for(&reply);
    return reply;
}

static void a_plan_makes_what_was_not_there(void **state)
{
    struct service_change change = { .is_saved = true };
    struct reply first = ask(CHANGE_APPLY, "ana", SHOP WEB(3), change);
    struct reply second = ask(CHANGE_APPLY, "ana", SHOP WEB(4), change);
    struct reply reply;

    (void)state;
    clean(&first);
    reply = plan_run(arena_string(fixture.arena, doc_at(&first.body, TEXT("/id"))->text));
    clean(&reply);
    assert_string_equal(at(&reply, "/sums/create"), "3");
    reply = plan_run(arena_string(fixture.arena, doc_at(&second.body, TEXT("/id"))->text));
    assert_string_equal(reply.code, "R0408"); /* by now the object exists */
}

static void a_plan_runs_exactly_or_says_what_moved(void **state)
{
    struct service_actor actor = actor_of("ana");
    const struct service_change requests = { 0 };
    struct reply plan;
    struct reply run = { 0 };
    struct reply again = { 0 };

    (void)state;
    apply(SHOP WEB(3));
    plan = ask(CHANGE_APPLY, "ana", SHOP WEB(4), (struct service_change){ .is_saved = true });
    clean(&plan);
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}");
    service_plan_apply(fixture.service, fixture.arena, &actor,
                       doc_at(&plan.body, TEXT("/id"))->text, &requests, replied, &run);
    wait_for(&run);
    clean(&run);
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":4}");
    service_plan_apply(fixture.service, fixture.arena, &actor,
                       doc_at(&plan.body, TEXT("/id"))->text, &requests, replied, &again);
    wait_for(&again);
    assert_string_equal(again.code, "R0408");
}

static void undo_brings_back_what_was(void **state)
{
    struct service_actor actor = actor_of("ana");
    struct reply undo = { 0 };
    struct reply reply;

    (void)state;
    apply(SHOP "groups: {db: {size: 2, " SIM "}, web: {size: 3, " SIM "}}\n");
    reply =
        ask(CHANGE_APPLY, "ana", SHOP WEB(5), (struct service_change){ .allow = { .destroy = 2 } });
    clean(&reply);
    service_undo(fixture.service, fixture.arena, &actor,
                 &(struct service_undo){ .kind = objects_kind("Cluster"),
                                         .name = TEXT("shop"),
                                         .change = { .allow = { .destroy = 2 } } },
                 replied, &undo);
    wait_for(&undo);
    clean(&undo);
    assert_string_equal(spec_of("NodeGroup", "shop/db"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":2}");
    assert_string_equal(spec_of("NodeGroup", "shop/web"),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":3}");
    reply = show("Cluster", "shop", SERVICE_VIEW_HISTORY);
    clean(&reply);
    assert_string_equal(at(&reply, "/items/0/generation"), "3");
    assert_string_equal(at(&reply, "/items/2/generation"), "1");
}

static const char *then(const char *kind, const char *name, uint64_t revision)
{
    struct service_actor actor = actor_of("ana");
    struct reply reply = { 0 };

    service_get(fixture.service, fixture.arena, &actor,
                &(struct service_get){
                    .kind = objects_kind(kind), .name = text_from(name), .at_revision = revision },
                replied, &reply);
    wait_for(&reply);
    return reply.code != NULL ? reply.code : at(&reply, "/spec");
}

static void the_past_is_shown_under_the_names_of_then(void **state)
{
    struct reply first;
    struct reply reply;

    (void)state;
    apply(SHOP "groups: {db: {size: 2, " SIM "}, web: {size: 3, " SIM "}}\n");
    first = show("Cluster", "shop", SERVICE_VIEW_OBJECT);
    reply =
        ask(CHANGE_APPLY, "ana", SHOP WEB(5), (struct service_change){ .allow = { .destroy = 2 } });
    clean(&reply);
    reply = patch("Cluster", "shop", "ana", "{\"name\":\"store\"}",
                  (struct service_change){ .allow = { .rename = 1 } });
    clean(&reply);
    assert_string_equal(then("Cluster", "shop", first.etag), at(&first, "/spec"));
    assert_string_equal(then("NodeGroup", "shop/db", first.etag),
                        "{\"resourcePlugin\":{\"name\":\"sim\"},\"size\":2}");
    assert_string_equal(then("Cluster", "store", first.etag), "R0403");
    assert_string_equal(then("NodeGroup", "shop", first.etag), "R0403");
    assert_string_equal(then("Cluster", "shop", 1000000), "R0503");
}

static void I10_a_repeated_request_changes_once(void **state)
{
    struct service_change change = { .idempotency_key = TEXT("k1") };
    struct reply reply = patch("Cluster", "shop", "ana", "{}", (struct service_change){ 0 });

    (void)state;
    assert_string_equal(reply.code, "R0403");
    reply = ask(CHANGE_CREATE, "ana", SHOP WEB(3), change);
    clean(&reply);
    reply = ask(CHANGE_CREATE, "ana", SHOP WEB(3), change);
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "true");
    reply = ask(CHANGE_CREATE, "ana", SHOP WEB(3), (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0402");
    reply = ask(CHANGE_APPLY, "ana", SHOP WEB(4), change);
    assert_string_equal(reply.code, "R0412");
}

static void events_of_a_tenant_are_those_of_all_its_clusters(void **state)
{
    struct service_actor ana = actor_of("ana");
    struct service_actor other = { TEXT("other"), TEXT("bob") };
    struct reply all = { 0 };
    struct reply page = { 0 };
    struct reply none = { 0 };
    struct reply reply = apply(SHOP WEB(3) "---\nversion: 1\nname: b\nempty: true\n");

    (void)state;
    clean(&reply);
    reply = apply("kind: NodeGroupTemplate\nname: t\n");
    clean(&reply);
    service_events(fixture.service, fixture.arena, &ana, &(struct service_events){ 0 }, replied,
                   &all);
    wait_for(&all);
    assert_string_equal(at(&all, "/items/2/name"), "\"t\"");
    assert_string_equal(at(&all, "/items/3"), "");
    service_events(fixture.service, fixture.arena, &ana, &(struct service_events){ .limit = 1 },
                   replied, &page);
    wait_for(&page);
    assert_string_equal(at(&page, "/items/2"), ""); /* only the two objects of the first revision */
    assert_string_equal(at(&page, "/more"), "true");
    service_events(fixture.service, fixture.arena, &other, &(struct service_events){ 0 }, replied,
                   &none);
    wait_for(&none);
    assert_string_equal(at(&none, "/items/0"), "");
}

static const char *large_file(size_t groups)
{
    struct buf buf;

    buf_init(&buf, fixture.arena);
    buf_add_string(&buf, SHOP "defaults: {" SIM "}\ngroups:\n");
    for (size_t i = 0; i < groups; i++) {
        buf_printf(&buf, "  g%04zu: {size: 1, image: i%zu}\n", i, i);
    }
    return buf_text(&buf).data;
}

static size_t groups_count(void)
{
    struct reply reply = show("Cluster", "shop", SERVICE_VIEW_OBJECT);
    const struct doc *groups = doc_at(&reply.body, TEXT("/spec/groups"));

    return groups == NULL ? 0 : groups->entry_count;
}

static void a_change_larger_than_a_transaction_is_whole(void **state)
{
    struct reply reply = apply(large_file(1000));

    (void)state;
    clean(&reply);
    assert_int_equal(groups_count(), 1000);
    reply = apply(large_file(1000));
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
    reply = ask(CHANGE_APPLY, "ana", large_file(500),
                (struct service_change){ .allow = { .destroy = 500 } });
    clean(&reply);
    assert_int_equal(groups_count(), 500);
}

/* ---- long lists ---- */

struct taken {
    struct text body; /* copied */
    struct service_rows *rows;
};

static void list_taken(void *arg, const struct service_answer *answer)
{
    struct taken *taken = arg;

    assert_int_equal(answer->errors->errors, 0);
    assert_true((answer->rows == NULL) == (answer->body.length > 0));
    taken->body = arena_text(fixture.arena, answer->body);
    taken->rows = answer->rows;
}

static struct taken list_take(bool can_take_rows, bool is_lines, struct text next)
{
    struct service_actor actor = actor_of("ana");
    struct service_list list = { .kind = objects_kind("NodeGroup"),
                                 .limit = 2000,
                                 .next = next,
                                 .is_lines = is_lines,
                                 .can_take_rows = can_take_rows };
    struct taken taken = { 0 };

    service_list(fixture.service, fixture.arena, &actor, &list, list_taken, &taken);
    return taken;
}

static struct text rows_take(struct service_rows *rows, size_t room)
{
    size_t bytes = service_rows_bytes(rows);
    char *data = arena_alloc(fixture.arena, bytes + 1);
    size_t used = 0;
    size_t read;

    while ((read = service_rows_read(rows, data + used,
                                     bytes - used < room ? bytes - used : room)) > 0) {
        used += read;
        room = room % 4099 + 1; /* pieces of different lengths */
    }
    assert_int_equal(used, bytes);
    assert_int_equal(service_rows_read(rows, data, 0), 0);
    return (struct text){ data, used };
}

static void a_long_list_shows_what_it_was_however_slowly_it_is_read(void **state)
{
    struct reply reply = apply(large_file(1500));
    struct taken text;
    struct taken rows;

    (void)state;
    clean(&reply);
    for (int is_lines = 0; is_lines < 2; is_lines++) {
        text = list_take(false, is_lines == 1, TEXT(""));
        assert_null(text.rows);
        rows = list_take(true, is_lines == 1, TEXT(""));
        assert_non_null(rows.rows);
        assert_true(text_is_equal(rows_take(rows.rows, 1), text.body));
        service_rows_end(rows.rows);
    }
    rows = list_take(true, false, TEXT(""));
    reply = ask(CHANGE_APPLY, "ana", large_file(10),
                (struct service_change){ .allow = { .destroy = 1500 } });
    clean(&reply);
    text = list_take(false, false, TEXT(""));
    assert_true(text.body.length < LIMIT_LIST_BODY_BYTES);
    assert_true(service_rows_bytes(rows.rows) > LIMIT_LIST_BODY_BYTES);
    assert_true(text_has_suffix(rows_take(rows.rows, 77), TEXT("}")));
    service_rows_end(rows.rows);
    rows = list_take(true, false, TEXT("")); /* a short list is returned as a text anyway */
    assert_null(rows.rows);
    assert_true(text_is_equal(rows.body, text.body));
    reply = apply(large_file(1500));
    clean(&reply);
    rows = list_take(true, false, TEXT(""));
    (void)rows_take(rows.rows, 77);
    service_rows_end(rows.rows); /* a list that is not read is only closed */
    service_rows_end(list_take(true, true, TEXT("")).rows);
}

static bool pass_not_taken(void *arg, struct text cluster, bool is_dry,
                           void (*done)(void *done_arg, struct text report), void *done_arg)
{
    (void)arg;
    (void)cluster;
    (void)is_dry;
    (void)done;
    (void)done_arg;
    return false;
}

static struct reply pass(const char *cluster)
{
    struct service_actor actor = actor_of("ana");
    struct reply reply = { 0 };

    service_pass(fixture.service, fixture.arena, &actor, text_from(cluster), false, replied,
                 &reply);
    wait_for(&reply);
    return reply;
}

/* A manager that has just started knows the cluster, but has no controller yet. */
static void K1_a_pass_that_cannot_be_made_now_is_no_missing_cluster(void **state)
{
    struct service_controller reconciler = { .pass = pass_not_taken };
    struct reply reply;

    (void)state;
    reply = apply("version: '1'\nname: shop\ngroups: {web: {size: 1, " SIM "}}\n");
    clean(&reply);
    service_keeps(fixture.service, &reconciler);
    reply = pass("shop");
    assert_string_equal(reply.code, "R0548");
    reply = pass("none");
    assert_string_equal(reply.code, "R0403");
}

static void protected_things_are_not_destroyed(void **state)
{
    struct service_change allow = { .allow = { .destroy = 100 } };
    struct reply reply =
        apply(SHOP "groups: {db: {size: 3, protected: true, " SIM "}, web: {size: 3, " SIM "}}\n");

    (void)state;
    clean(&reply);
    reply = patch("NodeGroup", "shop/db", "bob", "{\"size\":2}", allow);
    assert_string_equal(reply.code, "R0404");
    reply = patch("NodeGroup", "shop/db", "bob", "{\"protected\":false,\"size\":2}", allow);
    assert_string_equal(reply.code, "R0404");
    reply = patch("NodeGroup", "shop/web", "bob", "{\"size\":2}", allow);
    clean(&reply);
    reply = ask(CHANGE_DELETE, "bob", "name: shop\nversion: 1\nempty: true\n", allow);
    assert_string_equal(reply.code, "R0404");
    reply = patch("NodeGroup", "shop/db", "bob", "{\"protected\":false}", allow);
    clean(&reply);
    reply = patch("NodeGroup", "shop/db", "bob", "{\"size\":2}", allow);
    clean(&reply);
    reply = patch("Cluster", "shop", "bob", "{\"protected\":true}", allow);
    clean(&reply);
    reply = ask(CHANGE_DELETE, "bob", "name: shop\nversion: 1\nempty: true\n", allow);
    assert_string_equal(reply.code, "R0404");
    reply = show("Cluster", "shop", SERVICE_VIEW_OBJECT);
    assert_string_equal(at(&reply, "/metadata/nodes"), "4");
    assert_string_equal(at(&reply, "/metadata/groups"), "2");
}

/* Only a change of protected objects must contain the revision that was read. */
static void only_a_change_of_protected_things_needs_a_revision(void **state)
{
    struct service_change unpinned = { .is_unpinned = true };
    struct reply reply =
        apply(SHOP "groups: {db: {size: 3, protected: true, " SIM "}, web: {size: 3, " SIM "}}\n");

    (void)state;
    clean(&reply);
    reply = patch("NodeGroup", "shop/web", "bob", "{\"size\":4}", unpinned);
    clean(&reply);
    reply = patch("Cluster", "shop", "bob", "{\"groups\":{\"web\":{\"size\":5}}}", unpinned);
    clean(&reply);
    reply = patch("NodeGroup", "shop/db", "bob", "{\"size\":4}", unpinned);
    assert_string_equal(reply.code, "R0432");
}

static size_t keys_count(const char *prefix)
{
    const struct cache_object *object = cache_first(fixture.cache, text_from(prefix));
    size_t count = 0;

    for (; object != NULL; object = cache_next(fixture.cache, text_from(prefix), object)) {
        count++;
    }
    return count;
}

static void plans_and_marks_of_requests_expire(void **state)
{
    struct service_actor actor = actor_of("ana");
    struct reply list = { 0 };
    struct reply reply =
        ask(CHANGE_APPLY, "ana", SHOP WEB(1), (struct service_change){ .is_saved = true });

    (void)state;
    clean(&reply);
    reply = ask(CHANGE_APPLY, "ana", SHOP WEB(1),
                (struct service_change){ .idempotency_key = TEXT("a/b") });
    clean(&reply);
    service_plan_list(fixture.service, fixture.arena, &actor, replied, &list);
    assert_string_equal(at(&list, "/items/0/sums/create"), "1");
    service_sweep(fixture.service);
    turn();
    turn();
    assert_int_equal(keys_count("/default/Plan"), 2);
    assert_int_equal(keys_count("/default/Request/"), 1);
    fixture.now_ms += (int64_t)LIMIT_PLAN_TTL_S * 1000 + 1;
    service_sweep(fixture.service);
    turn();
    turn();
    assert_int_equal(keys_count("/default/Plan"), 0);
    assert_int_equal(keys_count("/default/Request/"), 0);
}

static void many_objects_are_one_request(void **state)
{
    struct buf buf;
    struct reply reply;

    (void)state;
    buf_init(&buf, fixture.arena);
    for (int i = 0; i < 100; i++) {
        buf_printf(&buf, "kind: NodeGroupTemplate\nname: t%d\nsize: %d\n---\n", i, i);
        buf_printf(&buf,
                   "version: 1\nname: c%d\ngroups: {g: {from: {nodegrouptemplate: t%d}, " SIM
                   "}}\n---\n",
                   i, i);
    }
    buf_add_string(&buf, SHOP WEB(1));
    reply = ask(CHANGE_APPLY, "ana", buf_text(&buf).data,
                (struct service_change){ .idempotency_key = TEXT("many") });
    clean(&reply);
    reply = apply(buf_text(&buf).data);
    clean(&reply);
    assert_string_equal(at(&reply, "/changed"), "false");
    assert_string_equal(spec_of("NodeGroup", "c77/g"),
                        "{\"from\":{\"nodegrouptemplate\":\"t77\"},\"resourcePlugin\":{\"name\":"
                        "\"sim\"},\"size\":77}");
}

static void stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    *(bool *)arg = true;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void put(const char *key, const char *value)
{
    struct store_op op = { .key = text_from(key), .value = text_from(value) };
    bool is_stored = false;

    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, stored, &is_stored);
    while (!is_stored) {
        turn();
    }
}

static bool is_there(const char *tenant, const char *kind, const char *id)
{
    return cache_find(fixture.cache, text_from(tenant), text_from(kind), text_from(id)) != NULL;
}

struct listed {
    bool is_done;
    size_t count;
};

static void listed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    assert_int_equal(outcome, OUTCOME_OK);
    *(struct listed *)arg = (struct listed){ true, answer->count };
}

/* Returns the number of stored keys with this prefix. */
static size_t stored_count(const char *prefix)
{
    struct listed list = { 0 };

    store_list(fixture.store, &(struct store_range){ .prefix = text_from(prefix) }, listed, &list);
    while (!list.is_done) {
        turn();
    }
    return list.count;
}

/* Only one of a thousand groups is examined, but the names of all groups are still checked for
 * conflicts. */
static void a_small_change_of_a_large_cluster_is_checked_against_all(void **state)
{
    struct reply reply = apply(large_file(1000));

    (void)state;
    clean(&reply);
    reply = patch("NodeGroup", "shop/g0500", "bob", "{\"size\":3}", (struct service_change){ 0 });
    clean(&reply);
    assert_string_equal(at(&reply, "/plan/0/groups/0/path"), "\"g0500\"");
    assert_string_equal(at(&reply, "/plan/0/others"), "999");
    assert_string_equal(at(&reply, "/plan/0/nodes"), "1002");
    reply = patch("NodeGroup", "shop/g0500", "bob", "{\"naming\":\"g0501-{n}\"}",
                  (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0337");
    reply = patch("NodeGroup", "shop/g0500", "bob", "{\"naming\":\"{n}x\"}",
                  (struct service_change){ .allow = { .destroy = 3 } });
    clean(&reply);
    reply = patch("NodeGroup", "shop/g0501", "bob", "{\"naming\":\"{n}x\"}",
                  (struct service_change){ .allow = { .destroy = 3 } });
    assert_string_equal(reply.code, "R0337");
    reply =
        patch("NodeGroup", "shop/g0502", "bob", "{\"size\":9999999}", (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0305");
    reply = ask(CHANGE_CREATE, "bob",
                "kind: NodeGroup\ncluster: shop\nname: new\nfrom: {nodegroup: shop/g0007}\n",
                (struct service_change){ 0 });
    clean(&reply);
    assert_int_equal(groups_count(), 1001);
    reply =
        /* one group was removed from the file, one was changed by hand, and one was created by
         * hand */
        apply(large_file(999));
    assert_string_equal(reply.code, "R0405");
    assert_string_equal(at(&reply, "/needs/destroy"), "1");
    reply = ask(CHANGE_APPLY, "ana", large_file(999),
                (struct service_change){ .allow = { .destroy = 1 } });
    clean(&reply);
    assert_int_equal(groups_count(), 1000);
    reply = patch("Cluster", "shop", "bob", "{\"defaults\":{\"naming\":\"x-{n}\"}}",
                  (struct service_change){ 0 });
    assert_string_equal(reply.code, "R0337");
}

/* An earlier manager has written the head of an operation and executed its first part; of another
 * operation it has written parts and no head. */
static void what_a_former_life_began_is_ended(void **state)
{
    (void)state;
    put("/_/Operation/x/base", "{\"parts\":3}");
    put("/_/OperationPart/x.000001/base", "P 15 2\n/t/Thing/a/base{}P 15 2\n/t/Thing/b/base[]");
    put("/_/OperationPart/x.000002/base", "D 15 0\n/t/Thing/c/base");
    put("/t/Thing/c/base", "old");
    put("/_/OperationPart/y.000000/base", "P 15 2\n/t/Thing/d/base{}");
    assert_int_equal(stored_count("/_/OperationPart/"), 3);
    /* parts are not objects of a tenant */
    assert_false(is_there("_", "OperationPart", "y.000000"));
    cache_free(fixture.cache);
    service_free(fixture.service);
    life_begin();
    for (int i = 0; i < 50; i++) {
        turn();
    }
    assert_true(service_is_ready(fixture.service));
    assert_true(is_there("t", "Thing", "a"));
    assert_true(is_there("t", "Thing", "b"));
    assert_false(is_there("t", "Thing", "c"));
    assert_false(is_there("t", "Thing", "d"));
    assert_false(is_there("_", "Operation", "x"));
    assert_int_equal(stored_count("/_/OperationPart/"), 0);
}

static struct reply holds_ask(void)
{
    struct service_actor actor = actor_of("ana");
    struct service_kept kept = { .kind = schema_kind_find(TEXT("Hold")) };
    struct reply reply = { 0 };

    service_kept(fixture.service, fixture.arena, &actor, &kept, replied, &reply);
    wait_for(&reply);
    return reply;
}

static void a_hold_says_who_paused_it_and_until_when(void **state)
{
    struct reply reply;

    (void)state;
    put("/default/Hold/s1/paused/web/status",
        "{\"fact\":\"f\",\"group\":\"web\",\"rule\":\"paused\",\"since\":1760000000000}");
    put("/default/Control/s1/web/spec",
        "{\"paused\":{\"at\":\"then\",\"by\":\"ben\",\"until\":1893456000000,\"why\":\"rack\"}}");
    put("/default/Control/s1/spec", "{\"paused\":{\"by\":\"ana\"}}");
    reply = holds_ask();
    assert_string_equal(at(&reply, "/items/0/status/since"), "\"2025-10-09T08:53:20.000Z\"");
    assert_string_equal(
        json_of(doc_at(&reply.body, TEXT("/items/0/status/pauses"))),
        "[{\"at\":\"then\",\"by\":\"ben\",\"of\":\"s1/web\",\"until\":\"2030-01-01T00:00:00.000Z\","
        "\"why\":\"rack\"},{\"by\":\"ana\",\"of\":\"s1\"}]");
    put("/default/Control/s1/web/spec", "{\"paused\":{\"by\":\"ben\",\"until\":1000}}");
    put("/default/Control/s1/spec", "{\"rollout\":\"paused\"}");
    reply = holds_ask();
    assert_null(doc_at(&reply.body, TEXT("/items/0/status/pauses")));
    put("/default/Hold/s1/paused/web/status",
        "{\"fact\":\"f\",\"rule\":\"protected\",\"since\":1}");
    put("/default/Control/s1/spec", "{\"paused\":{\"by\":\"ana\"}}");
    reply = holds_ask();
    assert_null(doc_at(&reply.body, TEXT("/items/0/status/pauses")));
}

/* ---- what a sender may write ---- */

/* A user with a grant on the group shop/web. */
static bool web_read(void *arg, const struct schema_kind *kind, struct text name, struct text path)
{
    (void)arg;
    (void)kind;
    return text_is(name, "shop") && text_is(path, "web");
}

static bool web_write(void *arg, struct text cluster, struct text path)
{
    return web_read(arg, NULL, cluster, path);
}

struct refusal {
    bool is_there;
    enum outcome outcome;
    enum code code;
};

static void refusal_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct refusal *refusal = arg;

    *refusal = (struct refusal){ true, outcome, answer->err.code };
}

static bool is_written(const char *key, const char *value, struct text tenant,
                       const struct change_reach *reach)
{
    struct service_actor actor = { tenant, TEXT("ana"), reach };
    struct store_op op = { text_from(key), text_from(value), value[0] == '\0' };
    struct store_event event = { .cluster = arena_printf(fixture.arena, "%.*s/", TEXT_ARG(tenant)),
                                 .body = TEXT("{}") };
    struct refusal refusal = { 0 };

    service_txn(fixture.service, fixture.arena, &actor,
                &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, refusal_written, &refusal);
    for (int i = 0; i < 5000 && !refusal.is_there; i++) {
        turn();
    }
    turn();
    assert_true(refusal.is_there);
    assert_true(refusal.outcome == OUTCOME_OK || refusal.code == CODE_R0409);
    return refusal.outcome == OUTCOME_OK;
}

/* Returns a key with the id of a cluster in place of %s. */
static struct text key_of(const char *pattern, const char *id)
{
    const char *mark = strstr(pattern, "%s");

    return mark == NULL ? text_from(pattern)
                        : arena_printf(fixture.arena, "%.*s%s%s", (int)(mark - pattern), pattern,
                                       id, mark + 2);
}

/* Every key of a transaction is within the scope of its user, regardless of how the transaction was
 * computed. */
static void I24_a_transaction_touches_nothing_outside_of_its_senders_scope(void **state)
{
    static const struct change_reach web = { web_read, web_write, NULL };
    static const char *const inside[] = {
        "/default/NodeGroup/%s/web/spec", "/default/NodeGroup/%s/web/base",
        "/default/Control/%s/web/spec",   "/default/Hold/%s/brake/web/spec",
        "/default/Request/ana:1/base",    "/default/Command/last/base"
    };
    static const char *const outside[] = {
        "/default/NodeGroup/%s/db/spec",
        "/default/NodeGroup/%s/webb/spec",
        "/default/NodeGroup/other/web/spec",
        "/default/Control/%s/spec",
        "/default/Control/%s/db/spec",
        "/default/Cluster/%s/spec",
        "/default/Cluster/%s/base",
        "/default/Hold/%s/brake/spec",
        "/default/Name/Cluster/shop/base",
        "/default/Name/Cluster/web/base",
        "/default/Secret/s/spec",
        "/default/Account/a/spec",
        "/default/Plan/1/base",
        "/default/Resource/%s/t1/status",
        "/default/Revoked/%s/t1/base",
        "/default/Batches/%s/b1/base",
        "/default/Authority/%s/base",
        "/default/Request/ben:1/base",
        "/default/Request/an/base",
        "/other/NodeGroup/%s/web/spec",
        "/_/Grant/default/ana/1/spec",
        "/_/Token/1/spec",
    };
    struct reply reply = ask(CHANGE_APPLY, "ana", SHOP WEB(2), (struct service_change){ 0 });
    const struct cache_object *cluster =
        objects_find(fixture.cache, TEXT("default"), objects_kind("Cluster"), TEXT("shop"));
    char *id = arena_string(fixture.arena, cache_id(cluster));
    struct text bytes = arena_text(fixture.arena, blob_text(cluster->parts[CACHE_SPEC].bytes));
    struct text key = arena_printf(fixture.arena, "/default/Cluster/%s/spec", id);

    (void)state;
    clean(&reply);
    for (size_t i = 0; i < ARRAY_COUNT(inside); i++) {
        struct text at = key_of(inside[i], id);

        assert_true(is_written(at.data, "{}", TEXT("default"), &web));
    }
    for (size_t i = 0; i < ARRAY_COUNT(outside); i++) {
        struct text at = key_of(outside[i], id);
        bool is_of_tenant = text_has_prefix(at, TEXT("/default/"));

        if (is_written(at.data, "{}", TEXT("default"), &web) ||
            (!is_of_tenant && is_written(at.data, "{}", TEXT("default"), NULL))) {
            fail_msg("written: %s", at.data);
        }
    }
    /* the record of the cluster counts the group, and its other content does not change */
    assert_true(is_written(key.data, arena_string(fixture.arena, bytes), TEXT("default"), &web));
    reply = (struct reply){ 0 };
    service_events(fixture.service, fixture.arena, &(struct service_actor){ TEXT("default") },
                   &(struct service_events){ .limit = 100 }, replied, &reply);
    wait_for(&reply);
    assert_non_null(strstr(json_of(&reply.body), "access.escaped"));
}

/* A node gets no bundle that its tenant may not use (node_runs.c checks this). */
static void a_bundle_is_of_those_who_have_sent_it(void **state)
{
    struct text digest = TEXT("0123");

    (void)state;
    put("/_/Tenant/b/spec", "{\"spec\":{}}");
    /* this bundle is from a version without ownership records */
    assert_true(bundle_owner_may_use(fixture.cache, TEXT("default"), digest));
    assert_true(bundle_owner_may_use(fixture.cache, TEXT("b"), digest));
    put("/b/Bundle/0123/base", "{}");
    assert_false(bundle_owner_may_use(fixture.cache, TEXT("default"), digest));
    assert_true(bundle_owner_may_use(fixture.cache, TEXT("b"), digest));
    assert_true(bundle_owner_may_use(fixture.cache, TEXT("default"), TEXT("4567")));
    put("/default/Bundle/0123/base", "{}");
    assert_true(bundle_owner_may_use(fixture.cache, TEXT("default"), digest));
    assert_false(bundle_owner_may_use(fixture.cache, TEXT("c"), digest));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(M10_apply_makes_a_cluster_and_its_groups),
        CASE(applying_the_same_again_changes_nothing),
        CASE(faults_point_into_the_document),
        CASE(export_applied_changes_nothing),
        CASE(M11_a_cluster_outlives_its_template),
        CASE(a_template_changed_meanwhile_changes_nothing),
        CASE(a_clone_without_its_last_group_has_none),
        CASE(a_template_of_groups_made_from_others_is_used),
        CASE(repointing_from_needs_the_flag),
        CASE(a_group_removed_needs_consent),
        CASE(scaled_by_hand_stays_scaled),
        CASE(if_match_names_who_was_faster),
        CASE(what_a_patch_moves_elsewhere_is_judged_there),
        CASE(a_json_patch_changes_one_value),
        CASE(K4_a_rename_needs_consent_and_keeps_the_id),
        CASE(renamed_groups_keep_what_they_are),
        CASE(a_group_alone_is_created_changed_and_deleted),
        CASE(a_plan_makes_what_was_not_there),
        CASE(a_plan_runs_exactly_or_says_what_moved),
        CASE(undo_brings_back_what_was),
        CASE(the_past_is_shown_under_the_names_of_then),
        CASE(I10_a_repeated_request_changes_once),
        CASE(events_of_a_tenant_are_those_of_all_its_clusters),
        CASE(a_change_larger_than_a_transaction_is_whole),
        CASE(a_small_change_of_a_large_cluster_is_checked_against_all),
        CASE(a_long_list_shows_what_it_was_however_slowly_it_is_read),
        CASE(K1_a_pass_that_cannot_be_made_now_is_no_missing_cluster),
        CASE(protected_things_are_not_destroyed),
        CASE(only_a_change_of_protected_things_needs_a_revision),
        CASE(plans_and_marks_of_requests_expire),
        CASE(many_objects_are_one_request),
        CASE(what_a_former_life_began_is_ended),
        CASE(a_hold_says_who_paused_it_and_until_when),
        CASE(a_bundle_is_of_those_who_have_sent_it),
        CASE(I24_a_transaction_touches_nothing_outside_of_its_senders_scope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
