/* The housekeeper of the members, with a fake etcd: managers join and go, calls have every outcome,
 * and the housekeeper is killed at every step. */

#include "unit.h"

#include "store/memory.h"
#include "voting/voting.h"

enum { HOSTS = 3, ROWS = 8, STEP_MS = 1000 };

/* What becomes of a call to etcd. */
enum fate { FATE_DONE, FATE_REFUSED, FATE_LOST, FATE_LOST_DONE, FATE_KILL, FATE_KILL_DONE };

struct host {
    bool is_up;
    uint64_t up_ms;
    struct voting *voting;
    char own[64]; /* name of the member in its folder */
    uint64_t heard_ms;
    unsigned puts_aside;
};

struct fake_row {
    uint64_t id;
    char name[64];
    char peer[64];
    bool is_learner;
    uint64_t added_ms;
    uint64_t heard_ms;
};

static struct {
    struct store *store;
    struct cache *cache;
    uint64_t now_ms;
    struct host hosts[HOSTS];
    struct fake_row rows[ROWS];
    size_t row_count;
    uint64_t next_id;
    int housekeeper;
    bool is_list_old; /* the list is that of a member that lags: it lacks the newest member */
    enum fate fate;
    size_t changes;
    size_t under_way;
    /* the call in progress */
    voting_changed *changed;
    void *changed_arg;
    bool is_done;
    bool is_certain;
    uint64_t added;
} lab;

static const char *const ids[HOSTS] = { "m1", "m2", "m3" };

static int number_of(void *arg)
{
    return (int)((struct host *)arg - lab.hosts);
}

static uint64_t lab_now(void *arg)
{
    (void)arg;
    return lab.now_ms;
}

static int64_t lab_wall(void *arg)
{
    (void)arg;
    return 1700000000000;
}

static bool lab_is_housekeeper(void *arg)
{
    return number_of(arg) == lab.housekeeper;
}

static int host_of_row(const struct fake_row *row)
{
    for (int i = 0; i < HOSTS; i++) {
        char peer[64];

        snprintf(peer, sizeof(peer), "https://%s:2380", ids[i]);
        if (strcmp(peer, row->peer) == 0) {
            return i;
        }
    }
    return -1;
}

/* A member runs if its host is up and has it in its folder. */
static bool is_running(const struct fake_row *row)
{
    int host = host_of_row(row);

    return host >= 0 && lab.hosts[host].is_up && row->name[0] != '\0' &&
           strcmp(lab.hosts[host].own, row->name) == 0;
}

static bool lab_is_certain(void *arg)
{
    (void)arg;
    return !lab.is_list_old;
}

static bool lab_has_quorum(void *arg)
{
    size_t voters = 0;
    size_t running = 0;

    (void)arg;
    for (size_t i = 0; i < lab.row_count; i++) {
        voters += !lab.rows[i].is_learner;
        running += !lab.rows[i].is_learner && is_running(&lab.rows[i]);
    }
    return running >= voters / 2 + 1;
}

static size_t lab_managers(void *arg, struct voting_manager out[static VOTING_MANAGERS_MAX])
{
    static char urls[HOSTS][2][64];

    (void)arg;
    for (int i = 0; i < HOSTS; i++) {
        snprintf(urls[i][0], sizeof(urls[i][0]), "https://%s:2380", ids[i]);
        snprintf(urls[i][1], sizeof(urls[i][1]), "https://%s:2379", ids[i]);
        out[i] = (struct voting_manager){
            .plan = { .id = text_from(ids[i]),
                      .zone = text_from(ids[i]),
                      .heard_ms = lab.hosts[i].heard_ms,
                      .fresh_since_ms = lab.hosts[i].is_up ? lab.hosts[i].up_ms : 0 },
            .peer = text_from(urls[i][0]),
            .client = text_from(urls[i][1]),
        };
    }
    return HOSTS;
}

static size_t lab_members(void *arg, struct voting_row out[static VOTING_MEMBERS_MAX],
                          uint64_t *out_leader)
{
    (void)arg;
    *out_leader = 0;
    for (size_t i = 0; i < lab.row_count; i++) {
        struct fake_row *row = &lab.rows[i];

        if (!row->is_learner && is_running(row) && *out_leader == 0) {
            *out_leader = row->id;
        }
        out[i] = (struct voting_row){ .id = row->id,
                                      .name = text_from(row->name),
                                      .peer = text_from(row->peer),
                                      .is_learner = row->is_learner,
                                      .is_heard = is_running(row),
                                      .is_caught_up =
                                          is_running(row) && lab.now_ms - row->added_ms > 3000,
                                      .heard_ms = row->heard_ms };
    }
    return lab.is_list_old ? lab.row_count - 1 : lab.row_count;
}

/* Changes the fake etcd, as far as etcd would. */
static bool etcd_change(enum plan_voters_kind kind, uint64_t member, struct text peer)
{
    if (kind == PLAN_VOTERS_ADD) {
        struct fake_row *row = &lab.rows[lab.row_count];

        for (size_t i = 0; i < lab.row_count; i++) {
            assert_false(lab.rows[i].is_learner);
        }
        assert_true(lab.row_count++ < ROWS);
        *row = (struct fake_row){
            .id = ++lab.next_id, .is_learner = true, .added_ms = lab.now_ms, .heard_ms = lab.now_ms
        };
        snprintf(row->peer, sizeof(row->peer), "%.*s", TEXT_ARG(peer));
        lab.added = row->id;
        return true;
    }
    for (size_t i = 0; i < lab.row_count; i++) {
        if (lab.rows[i].id != member) {
            continue;
        }
        if (kind == PLAN_VOTERS_REMOVE) {
            lab.rows[i] = lab.rows[--lab.row_count];
        } else if (kind == PLAN_VOTERS_PROMOTE) {
            assert_true(lab.rows[i].is_learner);
            lab.rows[i].is_learner = false;
        }
        return true;
    }
    return false;
}

static void lab_change(void *arg, enum plan_voters_kind kind, uint64_t member, struct text peer,
                       voting_changed *changed, void *changed_arg)
{
    bool is_made =
        lab.fate == FATE_DONE || lab.fate == FATE_LOST_DONE || lab.fate == FATE_KILL_DONE;

    (void)arg;
    assert_true(lab_has_quorum(NULL));
    lab.added = 0;
    lab.is_done = is_made && etcd_change(kind, member, peer);
    lab.is_certain = lab.fate == FATE_DONE || lab.fate == FATE_REFUSED;
    assert_true(lab_has_quorum(NULL));
    lab.changed = changed;
    lab.changed_arg = changed_arg;
    lab.changes++;
}

static struct text lab_own_name(void *arg)
{
    return text_from(((struct host *)arg)->own);
}

static bool lab_is_own_known(void *arg)
{
    (void)arg;
    return true;
}

static void lab_own_run(void *arg, const struct voting_own *own)
{
    struct host *host = arg;

    if (own == NULL) {
        host->puts_aside++;
        host->own[0] = '\0';
        return;
    }
    if (text_is(own->name, host->own)) {
        return;
    }
    host->puts_aside += host->own[0] != '\0';
    snprintf(host->own, sizeof(host->own), "%.*s", TEXT_ARG(own->name));
    for (size_t i = 0; i < lab.row_count; i++) {
        struct fake_row *row = &lab.rows[i];

        if (host_of_row(row) == number_of(arg) && row->name[0] == '\0') {
            snprintf(row->name, sizeof(row->name), "%s", host->own);
        }
    }
    assert_true(own->cluster.length > own->name.length);
}

static void host_start(int number)
{
    struct host *host = &lab.hosts[number];

    host->is_up = true;
    host->up_ms = lab.now_ms;
    host->voting = voting_new(
        &(struct voting_options){ .store = lab.store,
                                  .cache = lab.cache,
                                  .manager = text_from(ids[number]),
                                  .ports = { .arg = host,
                                             .now_ms = lab_now,
                                             .wall_ms = lab_wall,
                                             .is_housekeeper = lab_is_housekeeper,
                                             .has_quorum = lab_has_quorum,
                                             .managers = lab_managers,
                                             .members = lab_members,
                                             .is_list_certain = lab_is_certain,
                                             .change = lab_change,
                                             .own_name = lab_own_name,
                                             .is_own_known = lab_is_own_known,
                                             .own_run = lab_own_run },
                                  .limits = { PLAN_VOTERS_SILENT_MS, PLAN_VOTERS_FRESH_MS } });
}

static void host_stop(int number)
{
    lab.hosts[number].is_up = false;
    voting_free(lab.hosts[number].voting);
    lab.hosts[number].voting = NULL;
}

static void store_turn(void)
{
    store_run(lab.store);
    cache_run(lab.cache);
}

/* Delivers the outcome of a call, or kills the housekeeper that waits for it. */
static void change_deliver(void)
{
    voting_changed *changed = lab.changed;

    if (changed == NULL) {
        return;
    }
    lab.changed = NULL;
    if (lab.fate == FATE_KILL || lab.fate == FATE_KILL_DONE) {
        int next = lab.housekeeper;
        uint64_t up_ms = lab.hosts[next].up_ms;

        /* the process is killed and starts again; its host and member run on */
        host_stop(next);
        host_start(next);
        lab.hosts[next].up_ms = up_ms;
        return;
    }
    changed(lab.changed_arg, lab.is_done, lab.is_certain, lab.added, "fake");
}

static void lab_pass(unsigned seconds)
{
    for (unsigned n = 0; n < seconds; n++) {
        lab.now_ms += STEP_MS;
        for (int i = 0; i < HOSTS; i++) {
            lab.hosts[i].heard_ms = lab.hosts[i].is_up ? lab.now_ms : lab.hosts[i].heard_ms;
        }
        for (size_t i = 0; i < lab.row_count; i++) {
            lab.rows[i].heard_ms = is_running(&lab.rows[i]) ? lab.now_ms : lab.rows[i].heard_ms;
        }
        for (int i = 0; i < HOSTS; i++) {
            if (lab.hosts[i].voting != NULL) {
                voting_run(lab.hosts[i].voting);
                store_turn();
                change_deliver();
                store_turn();
            }
        }
    }
}

static int lab_begin(void **state)
{
    static const unsigned char incarnation[16] = { 1 };

    (void)state;
    memset(&lab, 0, sizeof(lab));
    lab.now_ms = 1000000;
    lab.store = memory_open(incarnation);
    lab.cache = cache_new(lab.store, 4096);
    for (int i = 0; i < 10; i++) {
        store_turn();
    }
    assert_int_equal(cache_state(lab.cache), CACHE_READY);
    lab.rows[0] = (struct fake_row){
        .id = ++lab.next_id, .name = "first", .peer = "https://m1:2380", .heard_ms = lab.now_ms
    };
    lab.row_count = 1;
    snprintf(lab.hosts[0].own, sizeof(lab.hosts[0].own), "first");
    host_start(0);
    return 0;
}

static int lab_end(void **state)
{
    (void)state;
    cache_free(lab.cache);
    store_close(lab.store);
    for (int i = 0; i < HOSTS; i++) {
        voting_free(lab.hosts[i].voting);
    }
    return 0;
}

static size_t voters_count(bool is_learner)
{
    size_t count = 0;

    for (size_t i = 0; i < lab.row_count; i++) {
        count += lab.rows[i].is_learner == is_learner && is_running(&lab.rows[i]);
    }
    return count;
}

static size_t objects_count(void)
{
    struct text prefix = TEXT("/_/Member/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        count++;
    }
    return count;
}

static void test_grows_and_shrinks(void **state)
{
    (void)state;
    lab_pass(100);
    assert_int_equal(lab.row_count, 1);
    assert_int_equal(objects_count(), 1);
    host_start(1);
    lab_pass(100);
    assert_int_equal(voters_count(false), 1);
    assert_int_equal(voters_count(true), 1);
    host_start(2);
    lab_pass(120);
    assert_int_equal(voters_count(false), 3);
    assert_int_equal(objects_count(), 3);
    /* a host dies: one voter and a learner remain; the voter that left the store is put aside */
    host_stop(2);
    lab_pass(120);
    assert_int_equal(voters_count(false), 1);
    assert_int_equal(voters_count(true), 1);
    assert_int_equal(lab.hosts[1].puts_aside, 1);
    /* it returns with its former folder: it gets a new member with a new name */
    host_start(2);
    lab_pass(200);
    assert_int_equal(voters_count(false), 3);
    assert_int_equal(lab.hosts[2].puts_aside, 1);
    assert_int_equal(objects_count(), 3);
}

/* A list that another member than the leader has answered may lack a new member: neither is it put
 * aside, nor is its object removed. */
static void test_an_old_list_removes_nothing(void **state)
{
    (void)state;
    host_start(1);
    host_start(2);
    lab_pass(250);
    assert_int_equal(voters_count(false), 3);
    lab.is_list_old = true;
    lab_pass(120);
    assert_int_equal(lab.hosts[1].puts_aside + lab.hosts[2].puts_aside, 0);
    assert_int_equal(objects_count(), 3);
    lab.is_list_old = false;
    lab_pass(5);
    assert_int_equal(voters_count(false), 3);
}

static void test_outcomes(void **state)
{
    static const enum fate fates[] = { FATE_REFUSED, FATE_LOST, FATE_LOST_DONE, FATE_KILL,
                                       FATE_KILL_DONE };

    for (size_t i = 0; i < ARRAY_COUNT(fates); i++) {
        for (int first = 0; first < 6; first++) {
            host_start(1);
            host_start(2);
            /* the call with this number has another fate */
            for (int n = 0; n < 400; n++) {
                lab.fate = (int)lab.changes == first ? fates[i] : FATE_DONE;
                lab_pass(1);
            }
            assert_int_equal(voters_count(false), 3);
            assert_int_equal(lab.row_count, 3);
            assert_int_equal(objects_count(), 3);
            lab_end(state);
            lab_begin(state);
        }
    }
}

static void test_always_killed(void **state)
{
    (void)state;
    host_start(1);
    host_start(2);
    lab.fate = FATE_KILL_DONE;
    lab_pass(900);
    assert_int_equal(voters_count(false), 3);
    assert_int_equal(objects_count(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_grows_and_shrinks, lab_begin, lab_end),
        cmocka_unit_test_setup_teardown(test_an_old_list_removes_nothing, lab_begin, lab_end),
        cmocka_unit_test_setup_teardown(test_outcomes, lab_begin, lab_end),
        cmocka_unit_test_setup_teardown(test_always_killed, lab_begin, lab_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
