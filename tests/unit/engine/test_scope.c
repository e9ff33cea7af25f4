/* What a user may write (I24): each kind of key in a transaction, with grants on a group, on a
 * cluster and on a whole tenant. */

#include "engine/lab.h"

#include "records/accepted.h"
#include "records/discovered.h"
#include "state/batches.h"
#include "records/rerun.h"
#include "service/service_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- grants ---- */

static bool nothing_read(void *arg, const struct schema_kind *kind, struct text name,
                         struct text path)
{
    (void)arg;
    (void)kind;
    (void)name;
    (void)path;
    return false;
}

/* A grant on the group shop/web or, with arg "", on all of shop. */
static bool may_write(void *arg, struct text cluster, struct text path)
{
    const char *granted = arg;

    return text_is(cluster, "shop") && (granted[0] == '\0' || text_is(path, granted));
}

static char path_web[] = "web";
static char path_all[] = "";
static const struct change_reach web = { nothing_read, may_write, path_web };
static const struct change_reach shop = { nothing_read, may_write, path_all };

/* ---- keys ---- */

static struct text id_of_shop(void)
{
    return text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
}

/* Returns a key with the id of the cluster in place of ID. */
static struct text key_of(const char *pattern)
{
    const char *mark = strstr(pattern, "/ID");

    return mark == NULL ? text_from(pattern)
                        : arena_printf(lab.arena, "%.*s/%.*s%s", (int)(mark - pattern), pattern,
                                       TEXT_ARG(id_of_shop()), mark + 3);
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

static void put(struct text key, struct text value)
{
    struct store_op op = { .key = key, .value = value };
    bool is_written = false;

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
    turn();
}

/* Returns a token of a machine of the group, as stored. */
static struct text token_of(const char *group)
{
    const struct text prefix = TEXT("/default/Resource/");

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        struct text id = cache_id(object);
        const char *bytes = arena_string(lab.arena, blob_text(object->parts[CACHE_STATUS].bytes));

        if (strstr(bytes, group) != NULL) {
            return arena_text(lab.arena, text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX));
        }
    }
    fail();
    return TEXT("");
}

static struct text request_of(struct text first, struct text second)
{
    const struct text tokens[] = { first, second };
    const uint32_t ends[] = { second.length > 0 ? 2 : 1 };
    const struct batches batches = { .by = TEXT("ana"),
                                     .from = doc_map(NULL, 0, NULL),
                                     .tokens = tokens,
                                     .count = ends[0],
                                     .ends = ends,
                                     .batch_count = 1 };

    return batches_format(lab.arena, &batches);
}

static int begin(void **state)
{
    int code = setup(state);

    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, " SIM "}, db: {size: 1, " SIM "}}\n");
    pass_time(MINUTE);
    return code;
}

/* ---- transactions ---- */

struct reply {
    bool is_there;
    enum outcome outcome;
    enum code code;
};

static void replied(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    *(struct reply *)arg = (struct reply){ true, outcome, answer->err.code };
}

static void committed(void *arg, const struct commit_answer *answer)
{
    *(struct reply *)arg = (struct reply){ true, answer->outcome, answer->err.code };
}

static bool has_passed(const struct reply *reply)
{
    for (int i = 0; i < 1000 && !reply->is_there; i++) {
        turn();
    }
    turn();
    assert_true(reply->is_there);
    assert_true(reply->outcome == OUTCOME_OK || reply->code == CODE_R0409);
    return reply->outcome == OUTCOME_OK;
}

/* Returns whether ana may make this write together with an event of this cluster. */
static bool may_put(struct text key, struct text value, const struct change_reach *reach,
                    const char *events_of_cluster)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana"), reach };
    struct store_op op = { .key = key, .value = value };
    struct store_event event = { .cluster = text_from(events_of_cluster), .body = TEXT("{}") };
    struct reply reply = { 0 };

    service_txn(lab.service, lab.arena, &actor, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 },
                replied, &reply);
    return has_passed(&reply);
}

static bool may_write_value(const char *pattern, struct text value,
                            const struct change_reach *reach)
{
    return may_put(key_of(pattern), value, reach, lab.cluster);
}

/* ---- tests ---- */

/* Which grants permit writing each kind of key: g on the group web, c on the cluster, t on the
 * whole tenant. */
static void test_kinds_of_keys(void **state)
{
    static const struct {
        const char *key;
        const char *who;
    } rows[] = {
        { "/default/NodeGroup/ID/web/spec", "gct" }, { "/default/NodeGroup/ID/db/spec", "ct" },
        { "/default/NodeGroup/none/web/spec", "t" }, { "/default/Control/ID/web/spec", "gct" },
        { "/default/Control/ID/spec", "ct" },        { "/default/Hold/ID/brake/web/spec", "gct" },
        { "/default/Hold/ID/brake/db/spec", "ct" },  { "/default/Hold/ID/brake/spec", "ct" },
        { "/default/Cluster/ID/base", "ct" },        { "/default/Name/Cluster/shop/base", "ct" },
        { "/default/Name/Cluster/other/base", "t" }, { "/default/Name/Config/shop/base", "t" },
        { "/default/Request/ana:1/base", "gct" },    { "/default/Request/ana/base", "t" },
        { "/default/Request/anna:1/base", "t" },     { "/default/Request/an:1/base", "t" },
        { "/default/Command/last/base", "gct" },     { "/default/Secret/s/spec", "t" },
        { "/other/NodeGroup/ID/web/spec", "" },      { "/_/Token/1/spec", "" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        bool by_group = may_write_value(rows[i].key, TEXT("{}"), &web);
        bool by_cluster = may_write_value(rows[i].key, TEXT("{}"), &shop);
        bool by_tenant = may_write_value(rows[i].key, TEXT("{}"), NULL);

        if (by_group != (strchr(rows[i].who, 'g') != NULL) ||
            by_cluster != (strchr(rows[i].who, 'c') != NULL) ||
            by_tenant != (strchr(rows[i].who, 't') != NULL)) {
            fail_msg("%s: %d %d %d", rows[i].key, by_group, by_cluster, by_tenant);
        }
    }
}

/* A command about a machine belongs to the group of the machine. A machine without a record belongs
 * only to the cluster. */
static void test_machines_belong_to_their_group(void **state)
{
    static const char *const kinds[] = { "Revoked", ACCEPTED_KIND, RERUN_KIND, "Abandoned" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        static const char *const groups[] = { "\"web\"", "\"db\"" };

        for (size_t j = 0; j < ARRAY_COUNT(groups); j++) {
            struct text key = arena_printf(lab.arena, "/default/%s/%.*s/%.*s/base", kinds[i],
                                           TEXT_ARG(id_of_shop()), TEXT_ARG(token_of(groups[j])));

            assert_int_equal(may_put(key, TEXT("{}"), &web, lab.cluster), j == 0);
            assert_true(may_put(key, TEXT("{}"), &shop, lab.cluster));
        }
        assert_false(may_put(
            arena_printf(lab.arena, "/default/%s/%.*s/none/base", kinds[i], TEXT_ARG(id_of_shop())),
            TEXT("{}"), &web, lab.cluster));
    }
    put(arena_printf(lab.arena, "/default/Resource/%.*s/damaged/status", TEXT_ARG(id_of_shop())),
        TEXT("no JSON"));
    assert_false(may_put(
        arena_printf(lab.arena, "/default/Revoked/%.*s/damaged/base", TEXT_ARG(id_of_shop())),
        TEXT("{}"), &web, lab.cluster));
}

/* A batch job belongs to all groups of its machines; later commands about it belong to the
 * cluster. */
static void test_a_job_belongs_to_the_groups_of_its_machines(void **state)
{
    struct text mine = token_of("\"web\"");
    struct text other = token_of("\"db\"");

    (void)state;
    assert_true(may_write_value("/default/Batches/ID/1/base", request_of(mine, TEXT("")), &web));
    assert_false(may_write_value("/default/Batches/ID/2/base", request_of(other, TEXT("")), &web));
    assert_false(may_write_value("/default/Batches/ID/2/base", request_of(mine, other), &web));
    assert_false(may_write_value("/default/Batches/ID/2/base", request_of(other, mine), &web));
    assert_true(may_write_value("/default/Batches/ID/2/base", request_of(mine, other), &shop));
    assert_false(may_write_value("/default/Batches/ID/2/base", TEXT("{}"), &web));
    assert_false(may_write_value("/default/Batches/ID/1/spec", request_of(mine, TEXT("")), &web));
    assert_true(may_write_value("/default/Batches/ID/1/spec", TEXT("{}"), &shop));
}

/* The record of a cluster has the number of its groups. With a grant on one group it may be written
 * if its other content is unchanged. */
static void test_a_cluster_is_only_counted(void **state)
{
    static const char *const others[] = {
        "{\"metadata\":{\"name\":\"shop\"},\"spec\":{\"version\":\"2\"}}",
        "{\"metadata\":{\"name\":\"mall\"},\"spec\":{\"version\":\"1\"}}",
        "{\"metadata\":{},\"spec\":{\"version\":\"1\"}}",
        "{\"spec\":{\"version\":\"1\"}}",
        "{\"metadata\":{\"name\":\"shop\"}}",
        "{}",
        "",
    };
    const struct text same =
        TEXT("{\"metadata\":{\"name\":\"shop\",\"nodes\":9},\"spec\":{\"version\":\"1\"}}");

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        assert_false(may_write_value("/default/Cluster/ID/spec", text_from(others[i]), &web));
    }
    assert_false(may_write_value("/default/Cluster/ID/base", same, &web));
    assert_false(may_write_value("/default/Cluster/none/spec", same, &web));
    assert_true(may_write_value("/default/Cluster/ID/spec", same, &web));
    put(key_of("/default/Cluster/ID/spec"), TEXT("{\"spec\":{\"version\":\"1\"}}"));
    assert_false(may_write_value("/default/Cluster/ID/spec", TEXT("{\"spec\":{\"version\":\"1\"}}"),
                                 &web)); /* with no name */
}

/* An authority may be written unchanged, together with an event. */
static void test_an_authority_stays_as_it_is(void **state)
{
    (void)state;
    assert_false(may_write_value("/default/Authority/ID/base", TEXT("{\"a\":1}"), &shop));
    put(key_of("/default/Authority/ID/base"), TEXT("{\"a\":1}"));
    assert_true(may_write_value("/default/Authority/ID/base", TEXT("{\"a\":1}"), &shop));
    assert_false(may_write_value("/default/Authority/ID/base", TEXT("{\"a\":1}"), &web));
    assert_false(may_write_value("/default/Authority/ID/base", TEXT("{\"a\":2}"), &shop));
    assert_false(may_write_value("/default/Authority/ID/spec", TEXT("{\"a\":1}"), &shop));
}

/* A machine of the inventory that is a member leaves, or moves between two groups, if the sender may
 * write both; nothing else of it changes. */
static void test_a_member_of_the_inventory_moves_between_own_groups(void **state)
{
    struct text key = discovered_key(lab.arena, TEXT("default"), TEXT("m1"));
    struct discovered row = {
        .id = TEXT("m1"),
        .name = TEXT("rack-1"),
        .approved_by = TEXT("bob"),
        .host_key = TEXT("ssh-ed25519 "
                         "AAAAC3NzaC1lZDI1NTE5AAAAIBOgUvd2vVJpO3LZESgC7ApSzcI1Bgj6hXIbzM1+liXd"),
        .approved_ms = 1,
        .claim = { .cluster = id_of_shop(),
                   .token = TEXT("t1"),
                   .group = TEXT("web"),
                   .name = TEXT("web-0") },
    };
    struct discovered moved;

    (void)state;
    row.approved_key = discovered_fingerprint(lab.arena, &row);
    put(key, discovered_format(lab.arena, &row));
    moved = row;
    moved.claim.is_released = true;
    assert_true(may_put(key, discovered_format(lab.arena, &moved), &web, lab.cluster));
    moved.reserved = (struct discovered_reservation){ .cluster = id_of_shop(),
                                                      .group = TEXT("web"),
                                                      .at_ms = 1 };
    assert_true(may_put(key, discovered_format(lab.arena, &moved), &web, lab.cluster));
    moved.reserved.group = TEXT("db");
    assert_false(may_put(key, discovered_format(lab.arena, &moved), &web, lab.cluster));
    assert_true(may_put(key, discovered_format(lab.arena, &moved), &shop, lab.cluster));
    moved.reserved.cluster = TEXT("none");
    assert_false(may_put(key, discovered_format(lab.arena, &moved), &shop, lab.cluster));
    moved = row;
    moved.name = TEXT("rack-2");
    assert_false(may_put(key, discovered_format(lab.arena, &moved), &shop, lab.cluster));
}

/* Events must be about clusters of the user's tenant. */
static void test_events_are_of_the_senders_tenant(void **state)
{
    const struct text key = TEXT("/default/Command/last/base");
    const char *const clusters[] = { "other/x", "defaultx/x", "default", "defaul/x", "" };

    (void)state;
    assert_true(may_put(key, TEXT("{}"), &web, "default/x"));
    assert_true(may_put(key, TEXT("{}"), NULL, "default/"));
    for (size_t i = 0; i < ARRAY_COUNT(clusters); i++) {
        size_t before = events_of("access.escaped");

        assert_false(may_put(key, TEXT("{}"), NULL, clusters[i]));
        assert_int_equal(before, events_of("access.escaped"));
    }
}

/* A commit is checked as a whole: its first writes, its later writes, and its events. */
static void test_a_commit_is_judged_as_a_whole(void **state)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana"), &web };
    const struct store_op inside = { .key = key_of("/default/NodeGroup/ID/web/spec"),
                                     .value = TEXT("{}") };
    const struct store_op outside = { .key = key_of("/default/NodeGroup/ID/db/spec"),
                                      .value = TEXT("{}") };
    const struct store_event own = { .cluster = text_from(lab.cluster), .body = TEXT("{}") };
    const struct store_event foreign = { .cluster = TEXT("other/x"), .body = TEXT("{}") };

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const struct commit commit = {
            .id = TEXT("op"),
            .first_ops = (i & 1) != 0 ? &outside : &inside,
            .first_op_count = 1,
            .ops = (i & 2) != 0 ? &outside
                                : &(struct store_op){ .key = TEXT("/default/Command/last/base"),
                                                      .value = TEXT("{}") },
            .op_count = 1,
            .events = (i & 4) != 0 ? &foreign : &own,
            .event_count = 1,
        };
        struct reply reply = { 0 };
        bool is_begun =
            service_commit(lab.service, lab.arena, &actor, &commit, committed, replied, &reply);

        assert_int_equal(is_begun, i == 0);
        assert_int_equal(has_passed(&reply), i == 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_kinds_of_keys),
        CASE(test_machines_belong_to_their_group),
        CASE(test_a_job_belongs_to_the_groups_of_its_machines),
        CASE(test_a_cluster_is_only_counted),
        CASE(test_an_authority_stays_as_it_is),
        CASE(test_a_member_of_the_inventory_moves_between_own_groups),
        CASE(test_events_are_of_the_senders_tenant),
        CASE(test_a_commit_is_judged_as_a_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
