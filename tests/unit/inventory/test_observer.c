/* The observer with a store in memory: rows of machines that a source reports, their states, and
 * the hold when many machines fail at the same time. Requirements: C1, C16, C21, C30. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "inventory/observer.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 1024, PROBES = 64 };

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINyEHrZWDlmP9CXYeLcOG2MmD9UYRxIEBlXlejMwVG2i"

static struct {
    struct arena *arena;
    struct store *store;
    struct cache *cache;
    struct observer *observer;
    uint64_t now_ms;
    unsigned ids;
    bool are_ids_alike; /* each random id is generated several times */
    bool is_dead[256];  /* dead machines, by the last part of the address */
    struct {
        void (*done)(void *arg, bool is_alive);
        void *arg;
        bool is_alive;
    } probes[PROBES];
    size_t probe_count;
    unsigned probes_made;
    unsigned keys_read;
    unsigned readdressed; /* number of events about a changed address */
    unsigned cleanups;
    bool is_cleanup_failing;
    unsigned logins;
    bool is_login_failing;
    bool is_login_late;  /* callbacks of `facts` are delayed */
    bool is_login_alike; /* all machines report the same serial number or product UUID */
    const char *serial;
    const char *uuid;
    struct {
        void (*done)(void *arg, const struct discovered_found *found);
        void *arg;
    } late[PROBES];
    size_t late_count;
    bool is_key_late;   /* callbacks of `host_key` are delayed */
    bool is_key_copied; /* all machines present the same key */
    bool is_key_silent; /* no machine presents a key, because sshd does not listen yet */
    void (*key_done)(void *arg, struct text key, struct text why);
    void *key_arg;
    bool is_answer_late; /* transactions are committed, and the test answers them later */
    struct store_driver driver;
    const struct store_driver *memory;
    store_done *answered;
    void *answered_arg;
} fixture;

static uint64_t now_ms(void *arg)
{
    (void)arg;
    return fixture.now_ms;
}

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return (int64_t)fixture.now_ms + INT64_C(1795643220000);
}

static void id_make(void *arg, char out[static 37])
{
    (void)arg;
    fixture.ids++;
    snprintf(out, 37, "%06x00-0000-4000-8000-000000000000",
             fixture.are_ids_alike ? fixture.ids / 3 : fixture.ids);
}

static unsigned last_part(struct text address)
{
    unsigned part = 0;

    for (size_t i = 0; i < address.length; i++) {
        part = address.data[i] == '.' ? 0 : part * 10 + (unsigned)(address.data[i] - '0');
    }
    return part % 256;
}

static void probe(void *arg, struct text address, uint16_t port,
                  void (*done)(void *done_arg, bool is_alive), void *done_arg)
{
    (void)arg;
    assert_int_equal(port, 22);
    assert_true(fixture.probe_count < PROBES);
    fixture.probes[fixture.probe_count].done = done;
    fixture.probes[fixture.probe_count].arg = done_arg;
    fixture.probes[fixture.probe_count++].is_alive = !fixture.is_dead[last_part(address)];
    fixture.probes_made++;
}

static void host_key(void *arg, struct text address, uint16_t port,
                     void (*done)(void *done_arg, struct text key, struct text why), void *done_arg)
{
    static char own[sizeof(KEY)];
    unsigned number = last_part(address);

    (void)arg;
    (void)port;
    fixture.keys_read++;
    if (fixture.is_key_late) {
        fixture.key_done = done;
        fixture.key_arg = done_arg;
        return;
    }
    if (fixture.is_key_silent) {
        done(done_arg, TEXT(""), TEXT("connection refused"));
        return;
    }
    /* addresses 1 and 50 are the same machine and have the same key; all other keys differ */
    snprintf(own, sizeof(own), "%.*s%03u", (int)sizeof(KEY) - 4, KEY, number);
    done(done_arg,
         fixture.is_key_copied || number == 1 || number == 50 ? TEXT(KEY) : text_from(own),
         TEXT(""));
}

static void cleanup(void *arg, struct text tenant, const struct discovered *row,
                    void (*done)(void *done_arg, bool is_done, struct text why), void *done_arg)
{
    (void)arg;
    assert_true(text_is(tenant, "t") && text_is(row->cleanup.token, "t1"));
    fixture.cleanups++;
    done(done_arg, !fixture.is_cleanup_failing, TEXT("ssh: no route"));
}

static bool facts(void *arg, struct text tenant, const struct discovered *row,
                  void (*done)(void *done_arg, const struct discovered_found *found),
                  void *done_arg)
{
    struct discovered_found found = { .login = TEXT("ops with the key 'base'") };

    (void)arg;
    (void)tenant;
    assert_true(row->host_key.length > 0 && row->state == LIFECYCLE_STATE_DISCOVERED);
    fixture.logins++;
    if (fixture.is_login_late) {
        fixture.late[fixture.late_count].done = done;
        fixture.late[fixture.late_count++].arg = done_arg;
        return true;
    }
    if (fixture.is_login_failing) {
        found.why = TEXT("ops is not accepted");
    } else {
        found.facts = TEXT("{\"architecture\":\"x86_64\",\"cpus\":8,\"memory_kib\":2097152}");
        found.serial = fixture.serial == NULL ? TEXT("") : text_from(fixture.serial);
        found.uuid = fixture.uuid == NULL ? TEXT("") : text_from(fixture.uuid);
        found.macs[found.mac_count++] = TEXT("52:54:00:aa:bb:01");
    }
    done(done_arg, &found);
    return true;
}

static void on_ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

static void late_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg)
{
    for (size_t i = 0; i < txn->event_count; i++) {
        fixture.readdressed +=
            strstr(arena_string(fixture.arena, txn->events[i].body), "node.readdressed") != NULL;
    }
    if (fixture.is_answer_late) {
        fixture.answered = done;
        fixture.answered_arg = arg;
        fixture.is_answer_late = false;
        done = on_ignored;
    }
    fixture.memory->txn(store, txn, done, arg);
}

static void wake(void *arg)
{
    (void)arg;
}

static void settle(void)
{
    for (int i = 0; i < 20; i++) {
        store_run(fixture.store);
        cache_run(fixture.cache);
        for (size_t count = fixture.probe_count; count > 0; count = fixture.probe_count) {
            fixture.probe_count--;
            fixture.probes[count - 1].done(fixture.probes[count - 1].arg,
                                           fixture.probes[count - 1].is_alive);
        }
        (void)observer_run(fixture.observer);
    }
}

/* Lets time pass in steps of one second. */
static void pass(uint64_t seconds)
{
    for (uint64_t i = 0; i < seconds; i++) {
        fixture.now_ms += 1000;
        settle();
    }
}

static int setup(void **state)
{
    (void)state;
    memset(&fixture, 0, sizeof(fixture));
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.memory = fixture.store->driver;
    fixture.driver = *fixture.memory;
    fixture.driver.txn = late_txn;
    fixture.store->driver = &fixture.driver;
    fixture.cache = cache_new(fixture.store, RING);
    fixture.now_ms = 1000000;
    fixture.observer = observer_new(&(struct observer_options){ .store = fixture.store,
                                                                .cache = fixture.cache,
                                                                .now_ms = now_ms,
                                                                .wall_ms = wall_ms,
                                                                .id_make = id_make,
                                                                .probe = probe,
                                                                .host_key = host_key,
                                                                .cleanup = cleanup,
                                                                .facts = facts,
                                                                .wake = wake,
                                                                .times = 1 });
    settle();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    observer_close(fixture.observer);
    for (size_t i = 0; i < fixture.probe_count; i++) {
        fixture.probes[i].done(fixture.probes[i].arg, false);
    }
    cache_free(fixture.cache);
    store_close(fixture.store);
    observer_free(fixture.observer);
    arena_free(fixture.arena);
    return 0;
}

/* ---- reports ---- */

static struct membership_member member(unsigned number, enum membership_status status)
{
    return (struct membership_member){
        .name = arena_printf(fixture.arena, "node%u", number),
        .address = arena_printf(fixture.arena, "10.0.0.%u", number),
        .status = status,
    };
}

static void report_of(enum membership_change change, const struct membership_member *members,
                      size_t count, const char *own)
{
    observer_report(
        fixture.observer, TEXT("t"), TEXT("serf"),
        &(struct membership_report){
            .change = change, .members = members, .count = count, .own = text_from(own) });
    settle();
}

static void report(enum membership_change change, unsigned first, unsigned last)
{
    struct membership_member members[64];
    size_t count = 0;

    for (unsigned i = first; i <= last; i++) {
        members[count++] = member(i, MEMBERSHIP_ALIVE);
    }
    report_of(change, members, count, "manager");
}

static size_t rows(struct discovered *out)
{
    size_t count = 0;

    for (const struct cache_object *object = cache_first(fixture.cache, TEXT("/t/DiscoveredNode/"));
         object != NULL; object = cache_next(fixture.cache, TEXT("/t/DiscoveredNode/"), object)) {
        assert_true(discovered_read(fixture.arena, object, &out[count++]));
    }
    return count;
}

static struct discovered row_of(const char *name)
{
    struct discovered found;

    assert_true(discovered_find(fixture.arena, fixture.cache, TEXT("t"), text_from(name), &found,
                                NULL, NULL));
    return found;
}

static size_t states(enum lifecycle_state state)
{
    struct discovered all[64];
    size_t found = 0;
    size_t count = rows(all);

    for (size_t i = 0; i < count; i++) {
        found += all[i].state == state;
    }
    return found;
}

static bool is_held(void)
{
    return cache_find(fixture.cache, TEXT("t"), TEXT(OBSERVER_HOLD_KIND), TEXT(OBSERVER_HOLD_ID)) !=
           NULL;
}

static const char *hold_text(void)
{
    return arena_string(fixture.arena,
                        blob_text(cache_find(fixture.cache, TEXT("t"), TEXT(OBSERVER_HOLD_KIND),
                                             TEXT(OBSERVER_HOLD_ID))
                                      ->parts[CACHE_BASE]
                                      .bytes));
}

/* ---- tests ---- */

static void members_get_rows(void **state)
{
    struct discovered all[64];

    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 40); /* more rows than one transaction can have */
    assert_int_equal(rows(all), 40);
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 40);
    assert_true(text_is(row_of("node7").address, "10.0.0.7"));
    assert_int_equal(row_of("node7").status, LIFECYCLE_STATUS_UNALLOCATED);
    assert_true(text_is(row_of("node7").why, "seen by serf"));
    pass(30);
    assert_true(row_of("node7").host_key.length > 0);
    assert_int_equal(fixture.keys_read, 40);
    /* a repeated report and a heartbeat write nothing */
    {
        uint64_t revision = cache_revision(fixture.cache);

        report(MEMBERSHIP_SNAPSHOT, 1, 40);
        report(MEMBERSHIP_JOIN, 1, 40);
        pass(60);
        assert_int_equal(cache_revision(fixture.cache), revision);
        assert_int_equal(fixture.probes_made, 0);
    }
}

static void a_row_is_named_by_its_label(void **state)
{
    struct wire_pair tags[] = { { TEXT("NodeLabel"), TEXT("rack1") },
                                { TEXT("NodeSerial"), TEXT("CZ12") },
                                { TEXT("NodeAddr"), TEXT("10.9.9.9") } };
    struct membership_member one = member(3, MEMBERSHIP_ALIVE);
    struct discovered all[4];

    (void)state;
    one.tags = (struct wire_list){ tags, ARRAY_COUNT(tags) };
    report_of(MEMBERSHIP_JOIN, &one, 1, "");
    assert_int_equal(rows(all), 1);
    assert_true(text_is(all[0].name, "rack1-CZ12"));
    assert_true(text_is(all[0].address, "10.9.9.9"));
    /* an update changes its address */
    tags[2].value = TEXT("10.9.9.10");
    pass(11);
    report_of(MEMBERSHIP_UPDATED, &one, 1, "");
    pass(11);
    assert_int_equal(rows(all), 1);
    assert_true(text_is(all[0].address, "10.9.9.10"));
}

static void the_manager_has_no_row(void **state)
{
    struct membership_member members[2] = { member(1, MEMBERSHIP_ALIVE),
                                            member(2, MEMBERSHIP_ALIVE) };
    struct discovered all[4];

    (void)state;
    report_of(MEMBERSHIP_SNAPSHOT, members, 2, "node1");
    assert_int_equal(rows(all), 1);
    assert_true(text_is(all[0].name, "node2"));
}

static void a_failure_needs_a_second_opinion(void **state)
{
    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 5);
    pass(10);
    report(MEMBERSHIP_FAILED, 2, 2);
    pass(20);
    assert_int_equal(row_of("node2").state, LIFECYCLE_STATE_DISCOVERED);
    assert_true(fixture.probes_made > 0);
    fixture.is_dead[3] = true;
    report(MEMBERSHIP_FAILED, 3, 3);
    assert_int_equal(row_of("node3").state, LIFECYCLE_STATE_DISCOVERED);
    pass(8);
    assert_int_equal(row_of("node3").state, LIFECYCLE_STATE_DISAPPEARED);
    assert_true(text_is(row_of("node3").sources[0].note, "failed"));
    fixture.is_dead[3] = false;
    report(MEMBERSHIP_JOIN, 3, 3);
    assert_int_equal(row_of("node3").state, LIFECYCLE_STATE_DISAPPEARED);
    pass(8);
    assert_int_equal(row_of("node3").state, LIFECYCLE_STATE_DISCOVERED);
    assert_int_equal(row_of("node3").flaps, 2);
    /* a member that was never alive gets no row */
    report(MEMBERSHIP_FAILED, 9, 9);
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 5);
}

static void a_leave_and_a_snapshot_without_it_are_causes(void **state)
{
    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 6);
    pass(10);
    report(MEMBERSHIP_LEFT, 1, 1);
    pass(3);
    assert_true(text_is(row_of("node1").sources[0].note, "left"));
    report(MEMBERSHIP_SNAPSHOT, 1, 5);
    pass(3);
    assert_int_equal(row_of("node6").state, LIFECYCLE_STATE_DISAPPEARED);
    assert_true(text_is(row_of("node6").sources[0].note, "reaped"));
}

static void many_that_fail_at_once_are_held(void **state)
{
    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 6);
    pass(10);
    for (unsigned i = 1; i <= 6; i++) {
        fixture.is_dead[i] = true;
    }
    report(MEMBERSHIP_FAILED, 1, 5);
    pass(120);
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 6);
    assert_true(is_held());
    memset(fixture.is_dead, 0, sizeof(fixture.is_dead));
    report(MEMBERSHIP_JOIN, 1, 5);
    pass(10);
    assert_false(is_held());
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 6);
}

static void a_source_that_does_not_answer_changes_nothing(void **state)
{
    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 6);
    pass(10);
    observer_report(fixture.observer, TEXT("t"), TEXT("serf"),
                    &(struct membership_report){ .change = MEMBERSHIP_UNAVAILABLE,
                                                 .why = TEXT("the \"key\" was rejected") });
    report(MEMBERSHIP_LEFT, 1, 1);
    pass(10);
    assert_true(is_held());
    assert_non_null(strstr(hold_text(), "\"serf: the ?key? was rejected\""));
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 6);
    /* a report in which only the manager's own agent remains is not evidence either */
    report(MEMBERSHIP_AVAILABLE, 1, 0);
    {
        struct membership_member own = member(99, MEMBERSHIP_ALIVE);

        report_of(MEMBERSHIP_SNAPSHOT, &own, 1, "node99");
    }
    pass(10);
    assert_true(is_held());
    report(MEMBERSHIP_SNAPSHOT, 1, 6);
    pass(10);
    assert_false(is_held());
    assert_int_equal(states(LIFECYCLE_STATE_DISCOVERED), 6);
}

static void on_stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void a_forgotten_row_returns(void **state)
{
    struct discovered all[4];
    struct store_op op = { .is_delete = true };

    (void)state;
    report(MEMBERSHIP_SNAPSHOT, 1, 1);
    assert_int_equal(rows(all), 1);
    op.key = discovered_key(fixture.arena, TEXT("t"), all[0].id);
    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, on_stored, NULL);
    settle();
    assert_int_equal(rows(all), 0);
    report(MEMBERSHIP_JOIN, 1, 1);
    assert_int_equal(rows(all), 1);
}

static void row_put(const struct discovered *row)
{
    struct store_op op = { .key = discovered_key(fixture.arena, TEXT("t"), row->id),
                           .value = discovered_format(fixture.arena, row) };

    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, on_stored, NULL);
    settle();
}

static void row_delete(const struct discovered *row)
{
    struct store_op op = { .key = discovered_key(fixture.arena, TEXT("t"), row->id),
                           .is_delete = true };

    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, on_stored, NULL);
    settle();
}

/* A machine changes its address, and another machine gets the former address. */
static void a_former_address_is_no_identity(void **state)
{
    struct membership_member moved = member(1, MEMBERSHIP_ALIVE);
    struct membership_member other = member(2, MEMBERSHIP_ALIVE);
    struct discovered all[4];

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 1);
    moved.address = TEXT("10.0.0.50");
    pass(11);
    report_of(MEMBERSHIP_UPDATED, &moved, 1, "");
    pass(11);
    assert_true(text_is(row_of("node1").address, "10.0.0.50"));
    other.address = TEXT("10.0.0.1");
    report_of(MEMBERSHIP_JOIN, &other, 1, "");
    assert_int_equal(rows(all), 2);
    assert_true(text_is(row_of("node2").address, "10.0.0.1"));
}

/* A key that was read at the former address is not used for the machine at the new address. */
static void a_key_belongs_to_the_address_that_was_asked(void **state)
{
    struct membership_member moved = member(1, MEMBERSHIP_ALIVE);

    (void)state;
    fixture.is_key_late = true;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(11);
    assert_int_equal(fixture.keys_read, 1);
    moved.address = TEXT("10.0.0.50");
    report_of(MEMBERSHIP_UPDATED, &moved, 1, "");
    pass(2);
    assert_true(text_is(row_of("node1").address, "10.0.0.50"));
    fixture.is_key_late = false;
    fixture.key_done(fixture.key_arg, TEXT("ssh-ed25519 AAAA"), TEXT(""));
    pass(3);
    assert_int_equal(fixture.keys_read, 2);
    assert_true(text_is(row_of("node1").host_key, KEY));
}

/* A machine is reported before its sshd listens, so its key is read again soon after that. A
 * machine that never presents a key is retried rarely. */
static void a_key_is_asked_for_again(void **state)
{
    (void)state;
    fixture.is_key_silent = true;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(7);
    assert_int_equal(fixture.keys_read, 1);
    pass(5); /* 5 s, 10 s and 20 s after the previous attempt */
    assert_int_equal(fixture.keys_read, 2);
    pass(7);
    assert_int_equal(fixture.keys_read, 2);
    pass(5);
    assert_int_equal(fixture.keys_read, 3);
    fixture.is_key_silent = false;
    pass(22);
    assert_int_equal(fixture.keys_read, 4);
    assert_true(text_is(row_of("node1").host_key, KEY));
}

static void a_machine_without_a_key_is_asked_rarely(void **state)
{
    (void)state;
    fixture.is_key_silent = true;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(3600);
    assert_in_range(fixture.keys_read, 12, 13);
    /* the key of a machine that has returned is read immediately */
    fixture.is_dead[1] = true;
    report(MEMBERSHIP_FAILED, 1, 1);
    pass(30);
    assert_int_equal(row_of("node1").state, LIFECYCLE_STATE_DISAPPEARED);
    fixture.is_dead[1] = false;
    fixture.is_key_silent = false;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    assert_int_equal(row_of("node1").state, LIFECYCLE_STATE_DISCOVERED);
    assert_true(text_is(row_of("node1").host_key, KEY));
}

/* Two machines that are present at the same time with the same key are marked as duplicates of each
 * other, until one is forgotten. */
static void machines_with_one_key_are_duplicates(void **state)
{
    struct discovered one;

    (void)state;
    fixture.is_key_copied = true;
    report(MEMBERSHIP_JOIN, 1, 2);
    pass(15);
    one = row_of("node1");
    assert_true(one.conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms > 0);
    assert_non_null(
        strstr(arena_string(fixture.arena, one.conditions[LIFECYCLE_CONDITION_DUPLICATE].reason),
               "at 10.0.0.2 has the same host key"));
    one = row_of("node2");
    assert_true(one.conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms > 0);
    row_delete(&one);
    pass(3);
    assert_true(row_of("node1").conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms == 0);
}

/* Reports a member with a serial number and a product UUID. */
static void report_serial(unsigned number, const char *serial, const char *uuid)
{
    struct wire_pair tags[] = { { TEXT("NodeSerial"), text_from(serial) },
                                { TEXT("NodeUUID"), text_from(uuid) } };
    struct membership_member one = member(number, MEMBERSHIP_ALIVE);

    one.tags = (struct wire_list){ tags, uuid[0] == '\0' ? 1 : 2 };
    report_of(MEMBERSHIP_JOIN, &one, 1, "");
}

static bool is_duplicate(const char *name)
{
    return row_of(name).conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms > 0;
}

static void machines_with_one_serial_are_duplicates(void **state)
{
    struct discovered one;

    (void)state;
    report_serial(1, "CZ1234", "4C4C4544-0001");
    report_serial(2, "CZ1234", "4c4c4544-0001");
    report_serial(3, "CZ1234", "4c4c4544-0002"); /* another machine of the same manufacturer */
    report_serial(4, "CZ777", "4c4c4544-0001");
    pass(15);
    one = row_of("node1");
    assert_true(text_is(one.serial, "CZ1234") && text_is(one.uuid, "4C4C4544-0001"));
    assert_non_null(
        strstr(arena_string(fixture.arena, one.conditions[LIFECYCLE_CONDITION_DUPLICATE].reason),
               "at 10.0.0.2 has the same serial number"));
    assert_true(is_duplicate("node2"));
    assert_false(is_duplicate("node3") || is_duplicate("node4"));
    /* an unknown UUID does not distinguish the machines */
    report_serial(5, "CZ777", "");
    pass(15);
    assert_true(is_duplicate("node4") && is_duplicate("node5"));
}

/* Placeholder values that manufacturers use for many machines. */
static void a_worthless_serial_is_none(void **state)
{
    static const char *const serials[] = { "0", "7777777", "1234567890", "to be filled by o.e.m.",
                                           "Default string" };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(serials); i++) {
        report_serial(2 * i + 1, serials[i], "00000000-0000-0000-0000-000000000000");
        report_serial(2 * i + 2, serials[i], "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF");
    }
    pass(15);
    for (unsigned i = 1; i <= 2 * ARRAY_COUNT(serials); i++) {
        char name[16];

        snprintf(name, sizeof(name), "node%u", i);
        assert_false(is_duplicate(name));
        assert_int_equal(row_of(name).serial.length + row_of(name).uuid.length, 0);
    }
}

/* A machine presents the key of a machine that has disappeared: the machine has moved, or it is
 * another one. Both are marked when both are present. If the missing machine is a member, only the
 * new machine is marked. */
static void a_key_of_a_machine_that_is_away(void **state)
{
    struct discovered away;

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 2);
    pass(15);
    fixture.is_dead[1] = true;
    report(MEMBERSHIP_FAILED, 1, 1);
    pass(30);
    assert_int_equal(row_of("node1").state, LIFECYCLE_STATE_DISAPPEARED);
    report(MEMBERSHIP_JOIN, 50, 50);
    pass(15);
    assert_true(text_is_equal(row_of("node50").host_key, row_of("node1").host_key));
    assert_false(is_duplicate("node50") || is_duplicate("node1"));
    fixture.is_dead[1] = false;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    assert_true(is_duplicate("node50") && is_duplicate("node1"));

    away = row_of("node50");
    row_delete(&away);
    fixture.is_dead[1] = true;
    report(MEMBERSHIP_FAILED, 1, 1);
    pass(30);
    away = row_of("node1");
    assert_false(is_duplicate("node1"));
    away.claim = (struct discovered_claim){
        .cluster = TEXT("c1"), .token = TEXT("t9"), .group = TEXT("web"), .name = TEXT("web-0")
    };
    row_put(&away);
    report(MEMBERSHIP_JOIN, 50, 50);
    pass(15);
    assert_true(is_duplicate("node50"));
    assert_false(is_duplicate("node1"));
}

/* Machines with different keys are not duplicates, also if one changes its address. */
static void a_machine_that_moves_is_no_duplicate(void **state)
{
    struct membership_member moved = member(1, MEMBERSHIP_ALIVE);

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 3);
    pass(15);
    moved.address = TEXT("10.0.0.50");
    report_of(MEMBERSHIP_UPDATED, &moved, 1, "");
    pass(15);
    for (unsigned i = 1; i <= 3; i++) {
        char name[16];

        snprintf(name, sizeof(name), "node%u", i);
        assert_true(row_of(name).conditions[LIFECYCLE_CONDITION_DUPLICATE].since_ms == 0);
        assert_true(row_of(name).host_key.length > 0);
    }
}

/* Two machines use one name alternately (C37): there is one row, which follows the name, and each
 * change of the address is an event. */
static void a_name_that_is_taken_twice_has_one_row(void **state)
{
    struct membership_member other = member(1, MEMBERSHIP_ALIVE);
    struct discovered all[8];

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    other.address = TEXT("10.0.0.50");
    for (int i = 0; i < 3; i++) {
        report_of(MEMBERSHIP_JOIN, &other, 1, "");
        report_of(MEMBERSHIP_JOIN, &other, 1, "");
        pass(15);
    }
    assert_int_equal(rows(all), 1);
    assert_true(text_is(row_of("node1").address, "10.0.0.50"));
    assert_int_equal(fixture.readdressed, 1);
}

static void a_reserved_machine_keeps_its_address(void **state)
{
    struct membership_member moved = member(1, MEMBERSHIP_ALIVE);
    struct discovered row;

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(11);
    row = row_of("node1");
    row.reserved = (struct discovered_reservation){ .cluster = TEXT("c1"), .group = TEXT("web") };
    row_put(&row);
    moved.address = TEXT("10.0.0.50");
    report_of(MEMBERSHIP_UPDATED, &moved, 1, "");
    pass(11);
    assert_true(text_is(row_of("node1").address, "10.0.0.1"));
    assert_true(text_is(row_of("node1").sources[0].address, "10.0.0.50"));
}

/* The rows are in the cache before the answer to their transaction, and the answer is lost. */
static void new_rows_with_a_lost_answer_are_rows(void **state)
{
    struct discovered all[8];

    (void)state;
    fixture.is_answer_late = true;
    report(MEMBERSHIP_SNAPSHOT, 1, 3);
    assert_int_equal(rows(all), 3);
    fixture.answered(fixture.answered_arg, OUTCOME_UNKNOWN, &(struct store_answer){ 0 });
    report(MEMBERSHIP_SNAPSHOT, 1, 4);
    assert_int_equal(rows(all), 4);
}

static void a_tag_that_is_no_address_is_not_one(void **state)
{
    struct wire_pair tags[] = { { TEXT("NodeAddr"), TEXT("10.0.0.300") } };
    struct membership_member one = member(3, MEMBERSHIP_ALIVE);

    (void)state;
    one.tags = (struct wire_list){ tags, ARRAY_COUNT(tags) };
    report_of(MEMBERSHIP_JOIN, &one, 1, "");
    assert_true(text_is(row_of("node3").address, "10.0.0.3"));
}

/* I30: the cleanup is retried until it succeeds, and shown as pending until then. */
static void a_pending_cleanup_is_made(void **state)
{
    struct discovered row = { .id = TEXT("m-000001"),
                              .name = TEXT("one"),
                              .address = TEXT("10.0.0.1"),
                              .host_key = TEXT(KEY),
                              .approved_by = TEXT("ana"),
                              .approved_key = TEXT("SHA256:another"),
                              .status = LIFECYCLE_STATUS_DECOMMISSIONED,
                              .cleanup = { .cluster = TEXT("c1"),
                                           .member = TEXT("web-0"),
                                           .token = TEXT("t1"),
                                           .since_ms = 1 } };

    (void)state;
    fixture.is_cleanup_failing = true;
    fixture.is_dead[1] = true;
    row.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].since_ms = 1;
    row.state = LIFECYCLE_STATE_DISAPPEARED;
    row_put(&row);
    pass(70);
    assert_int_equal(fixture.cleanups, 0); /* an absent machine is not cleaned up */
    fixture.is_dead[1] = false;
    pass(130);
    assert_int_equal(fixture.cleanups, 0); /* and there is no login if the host key differs (I27) */
    row = row_of("one");
    assert_int_equal(row.state, LIFECYCLE_STATE_DISCOVERED);
    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    row_put(&row);
    pass(130);
    assert_int_equal(row_of("one").state, LIFECYCLE_STATE_DISCOVERED);
    assert_in_range(fixture.cleanups, 1, 3);
    assert_true(text_is(row_of("one").conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].reason,
                        "ssh: no route"));
    fixture.is_cleanup_failing = false;
    pass(70);
    assert_int_equal(row_of("one").cleanup.since_ms, 0);
    assert_int_equal(row_of("one").conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].since_ms, 0);
    {
        unsigned made = fixture.cleanups;

        pass(130);
        assert_int_equal(fixture.cleanups, made);
    }
}

/* If random ids repeat, no machine must wait for the next report because of that. */
static void ids_that_repeat_are_made_again(void **state)
{
    struct discovered all[40];

    (void)state;
    fixture.are_ids_alike = true;
    report(MEMBERSHIP_JOIN, 1, 35);
    assert_int_equal(rows(all), 35);
}

/* ---- facts ---- */

static struct discovered approve(const char *name)
{
    struct discovered row = row_of(name);

    row.approved_by = TEXT("ana");
    row.approved_key = discovered_fingerprint(fixture.arena, &row);
    row_put(&row);
    return row_of(name);
}

/* I27: reeve does not log in before an operator has approved the host key. */
static void facts_are_read_of_approved_machines(void **state)
{
    struct discovered row;

    (void)state;
    fixture.serial = "CZ1";
    report(MEMBERSHIP_JOIN, 1, 2);
    pass(30);
    assert_int_equal(fixture.logins, 0);
    row = approve("node1");
    assert_int_equal(fixture.logins, 1);
    assert_true(text_is(row.facts, "{\"arch\":\"x86_64\",\"cpu\":8,\"memory\":\"2048MiB\"}"));
    assert_true(row.read_ms > 0 && text_is(row.serial, "CZ1") && row.mac_count == 1);
    pass(120);
    assert_int_equal(fixture.logins, 1);

    /* the facts of a machine that returns are read again, because they may have changed */
    fixture.is_dead[1] = true;
    report(MEMBERSHIP_FAILED, 1, 1);
    pass(30);
    assert_int_equal(row_of("node1").state, LIFECYCLE_STATE_DISAPPEARED);
    fixture.is_dead[1] = false;
    fixture.serial = "CZ2";
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(30);
    assert_int_equal(fixture.logins, 2);
    assert_true(text_is(row_of("node1").serial, "CZ2"));
}

static void a_failing_login_is_tried_rarely_and_shown(void **state)
{
    struct discovered row;

    (void)state;
    fixture.is_login_failing = true;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    row = approve("node1");
    assert_true(text_is(row.read_fault, "ops is not accepted") && row.read_ms == 0);
    pass(60);
    assert_in_range(fixture.logins, 3, 5); /* after 5, 10, 20 and 40 s */
    pass(3600);
    assert_in_range(fixture.logins, 9, 15); /* finally every 10 min */
    fixture.is_login_failing = false;
    pass(601);
    row = row_of("node1");
    assert_true(row.read_fault.length == 0 && row.read_ms > 0);
}

/* Facts are read again after a change of the address, because another machine may have the new
 * address. */
static void facts_belong_to_an_address(void **state)
{
    struct membership_member moved = member(1, MEMBERSHIP_ALIVE);

    (void)state;
    fixture.serial = "CZ1";
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    assert_true(approve("node1").read_ms > 0);
    moved.address = TEXT("10.0.0.60"); /* the machine at the new address has another key */
    report_of(MEMBERSHIP_UPDATED, &moved, 1, "");
    pass(60);
    assert_int_equal(fixture.logins, 1);
    assert_int_equal(row_of("node1").read_ms, 0);
    assert_int_equal(row_of("node1").facts.length + row_of("node1").serial.length, 0);
    assert_true(approve("node1").read_ms > 0);
}

static void duplicates_are_found_by_a_login(void **state)
{
    (void)state;
    report(MEMBERSHIP_JOIN, 2, 5);
    pass(15);
    fixture.uuid = "4C4C4544-0042";
    (void)approve("node2");
    assert_false(is_duplicate("node2"));
    fixture.uuid = "4c4c4544-0042";
    (void)approve("node3");
    pass(2);
    assert_true(is_duplicate("node2") && is_duplicate("node3"));
    assert_non_null(
        strstr(arena_string(fixture.arena,
                            row_of("node3").conditions[LIFECYCLE_CONDITION_DUPLICATE].reason),
               "product UUID"));

    fixture.uuid = NULL;
    fixture.serial = "CZ1";
    (void)approve("node4");
    (void)approve("node5");
    pass(2);
    assert_true(is_duplicate("node4") && is_duplicate("node5"));
    assert_int_equal(fixture.logins, 4);
}

static void few_logins_are_under_way(void **state)
{
    (void)state;
    fixture.is_login_late = true;
    report(MEMBERSHIP_JOIN, 100, 129);
    pass(15);
    for (unsigned i = 100; i < 130; i++) {
        (void)approve(arena_string(fixture.arena, arena_printf(fixture.arena, "node%u", i)));
    }
    pass(5);
    assert_int_equal(fixture.logins, 10);
    while (fixture.late_count > 0) {
        fixture.late_count--;
        fixture.late[fixture.late_count].done(fixture.late[fixture.late_count].arg,
                                              &(struct discovered_found){ .why = TEXT("late") });
    }
    pass(2);
    assert_int_equal(fixture.logins, 20);
    /* answers may also arrive after the observer was closed */
    observer_close(fixture.observer);
    while (fixture.late_count > 0) {
        fixture.late_count--;
        fixture.late[fixture.late_count].done(fixture.late[fixture.late_count].arg,
                                              &(struct discovered_found){ .why = TEXT("late") });
    }
}

/* The network in a group's autoCommission counts as approval in advance. */
static void a_group_asks_for_facts(void **state)
{
    struct discovered row;

    (void)state;
    report(MEMBERSHIP_JOIN, 1, 1);
    pass(15);
    row = row_of("node1");
    observer_facts_ask(fixture.observer, TEXT("t"), row.id);
    observer_facts_ask(fixture.observer, TEXT("t"), TEXT("m-ffffff"));
    pass(2);
    assert_int_equal(fixture.logins, 1);
    assert_true(row_of("node1").read_ms > 0);
}

int main(void)
{
#define TEST_OF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST_OF(members_get_rows),
        TEST_OF(a_row_is_named_by_its_label),
        TEST_OF(the_manager_has_no_row),
        TEST_OF(a_failure_needs_a_second_opinion),
        TEST_OF(a_leave_and_a_snapshot_without_it_are_causes),
        TEST_OF(many_that_fail_at_once_are_held),
        TEST_OF(a_source_that_does_not_answer_changes_nothing),
        TEST_OF(a_forgotten_row_returns),
        TEST_OF(a_pending_cleanup_is_made),
        TEST_OF(a_former_address_is_no_identity),
        TEST_OF(a_key_belongs_to_the_address_that_was_asked),
        TEST_OF(a_key_is_asked_for_again),
        TEST_OF(a_machine_without_a_key_is_asked_rarely),
        TEST_OF(machines_with_one_key_are_duplicates),
        TEST_OF(a_machine_that_moves_is_no_duplicate),
        TEST_OF(machines_with_one_serial_are_duplicates),
        TEST_OF(a_worthless_serial_is_none),
        TEST_OF(a_key_of_a_machine_that_is_away),
        TEST_OF(a_name_that_is_taken_twice_has_one_row),
        TEST_OF(a_reserved_machine_keeps_its_address),
        TEST_OF(new_rows_with_a_lost_answer_are_rows),
        TEST_OF(ids_that_repeat_are_made_again),
        TEST_OF(facts_are_read_of_approved_machines),
        TEST_OF(a_failing_login_is_tried_rarely_and_shown),
        TEST_OF(facts_belong_to_an_address),
        TEST_OF(duplicates_are_found_by_a_login),
        TEST_OF(few_logins_are_under_way),
        TEST_OF(a_group_asks_for_facts),
        TEST_OF(a_tag_that_is_no_address_is_not_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
