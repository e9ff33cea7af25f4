/* Reports of machines that boot from the network, and what such a machine does next: above all, when it may write to a disk.
 * Requirements: C4, C13. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "install/install.h"
#include "netboot/netboot.h"

#include <string.h>

enum { NOW = 1000000, FIELD_COUNT = NETBOOT_FIELDS };

#define KEY   "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBmkpN2hjG4KfjS/5blNQGMMZlgZv6H5T+uWrmdk4gRi"
#define OTHER "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG+LolRvtsRpYq6ozUseFapIwu5kZqI38ebJV2T5Fxy5"

static const char *const good[NETBOOT_FIELDS] = {
    "boot-1", "52:54:00:aa:bb:01",    "CZ1", "1111-2222", KEY, "4", "1048576", "x86_64", "6.1.0",
    "bios",   "vda 1048576 sdb 4096", "",    "",          "",  "",
};

/* The report with one value replaced. */
static bool reads(struct arena *arena, const char *name, const char *value,
                  struct netboot_report *out)
{
    struct text values[NETBOOT_FIELDS];
    struct err err;

    for (size_t i = 0; i < FIELD_COUNT; i++) {
        values[i] = text_from(strcmp(netboot_field_names[i], name) == 0 ? value : good[i]);
    }
    if (netboot_report_read(arena, values, out, &err)) {
        return true;
    }
    assert_int_equal(err.code, CODE_R0855);
    assert_non_null(strstr(err.text, name));
    return false;
}

static struct netboot_report report_of(struct arena *arena)
{
    struct netboot_report report;

    assert_true(reads(arena, "", "", &report));
    report.address = TEXT("10.0.0.5");
    report.new_id = TEXT("m-000001");
    return report;
}

/* The row of a machine that was claimed and whose key was approved. */
static struct discovered claimed(struct arena *arena, const struct netboot_report *report)
{
    struct netboot_decision decision;
    struct discovered row;

    netboot_decide(arena, NULL, report, NOW, &decision);
    row = decision.row;
    row.approved_by = TEXT("ana");
    row.approved_key = discovered_fingerprint(arena, &row);
    row.claim = (struct discovered_claim){ .cluster = TEXT("c"),
                                           .token = TEXT("t"),
                                           .name = TEXT("box-0") };
    row.install = (struct discovered_install){ .id = TEXT("i-1"),
                                               .state = DISCOVERED_INSTALL_WANTED,
                                               .since_ms = NOW,
                                               .image = TEXT("debian-12"),
                                               .digest = TEXT("d1"),
                                               .format = TEXT("tar.zst"),
                                               .keys = TEXT("ssh-ed25519 A\nssh-ed25519 B\n") };
    return row;
}

static bool asks(const struct netboot_decision *decision, const char *what)
{
    return text_has_prefix(decision->answer, text_from(what));
}

static void values_are_checked(void **state)
{
    static const struct {
        const char *name;
        const char *value;
    } bad[] = {
        { "boot", "" },
        { "boot", "a b" },
        { "mac", "" },
        { "mac", "52:54:00:aa:bb" },
        { "mac", "52-54-00-aa-bb-01" },
        { "host_key", "ssh-rsa AAAA" },
        { "host_key", "ssh-ed25519 !" },
        { "cpus", "0" },
        { "cpus", "x" },
        { "memory_kib", "-1" },
        { "disks", "vda" },
        { "disks", "vda x" },
        { "disks", "a/b 1" },
        { "serial", "a\x1b" },
        { "uuid", "\"" },
        { "kernel", "$(x)" },
        { "step", "a;b" },
        { "firmware", "\n" },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report;

    (void)state;
    assert_true(reads(arena, "", "", &report));
    assert_int_equal(report.mac_count, 1);
    assert_true(reads(arena, "mac", "52:54:00:aa:bb:01 52:54:00:aa:bb:02", &report));
    assert_int_equal(report.mac_count, 2);
    assert_true(reads(arena, "serial", "To be filled by O.E.M.", &report));
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(reads(arena, bad[i].name, bad[i].value, &report));
    }
}

static void an_unknown_machine_gets_a_row_and_waits(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct netboot_decision decision;
    struct discovered row;

    (void)state;
    netboot_decide(arena, NULL, &report, NOW, &decision);
    assert_true(decision.is_changed && asks(&decision, "do wait\n"));
    assert_string_equal(decision.event, "node.seen");
    row = decision.row;
    assert_int_equal(row.status, LIFECYCLE_STATUS_UNALLOCATED);
    assert_true(text_is(row.serial, "CZ1") && text_is(row.netboot.boot, "boot-1"));
    assert_false(discovered_is_approved(&row));
    /* the same again changes nothing */
    netboot_decide(arena, &row, &report, NOW + 5000, &decision);
    assert_false(decision.is_changed);
    /* a new boot has a new key, and the approval was for the former one */
    row.approved_by = TEXT("ana");
    row.approved_key = discovered_fingerprint(arena, &row);
    report.boot = TEXT("boot-2");
    report.host_key = TEXT(OTHER);
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(decision.is_changed && text_is(decision.row.host_key, OTHER));
    assert_false(discovered_is_approved(&decision.row));
}

/* The safety rule: each way in which a machine may not be installed. */
static void only_a_commissioned_machine_is_installed(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct discovered row = claimed(arena, &report);
    struct netboot_decision decision;
    struct discovered other;

    (void)state;
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do install\n"));
    assert_true(netboot_may_install(&row, &report));
    other = row;
    other.claim = (struct discovered_claim){ 0 };
    netboot_decide(arena, &other, &report, NOW, &decision);
    assert_true(asks(&decision, "do wait\n"));
    other = row;
    other.approved_by = TEXT("");
    assert_false(netboot_may_install(&other, &report));
    other = row;
    other.approved_key = TEXT("SHA256:other");
    netboot_decide(arena, &other, &report, NOW, &decision);
    assert_true(asks(&decision, "do wait\n"));
    for (enum discovered_install_state i = 0; i < DISCOVERED_INSTALL_STATES; i++) {
        other = row;
        other.install.state = i;
        assert_int_equal(netboot_may_install(&other, &report),
                         i == DISCOVERED_INSTALL_WANTED || i == DISCOVERED_INSTALL_RUNNING);
    }
    report.host_key = TEXT(OTHER); /* the machine of another boot */
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do wait\n"));
    assert_int_equal(decision.row.install.state, DISCOVERED_INSTALL_FAILED);
}

static void only_a_machine_that_has_left_is_wiped(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct discovered row = claimed(arena, &report);
    struct netboot_decision decision;
    struct discovered other;

    (void)state;
    row.install.state = DISCOVERED_INSTALL_WIPE;
    row.install.is_wiped_after = true;
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do wait\n")); /* it is a member */
    row.claim = (struct discovered_claim){ 0 };
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do wipe\n"));
    other = row;
    other.install.is_wiped_after = false;
    assert_false(netboot_may_wipe(&other));
    other = row;
    other.reserved.cluster = TEXT("c");
    assert_false(netboot_may_wipe(&other));
    report.id = TEXT("old");
    report.state = TEXT("wiped");
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do wipe\n"));
    report.id = row.install.id;
    netboot_decide(arena, &row, &report, NOW, &decision);
    assert_true(asks(&decision, "do wait\n") && decision.row.install.id.length == 0);
}

static void steps_are_noted(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct discovered row = claimed(arena, &report);
    struct netboot_decision decision;

    (void)state;
    report.id = TEXT("i-1");
    report.state = TEXT("running");
    report.step = TEXT("unpack");
    netboot_decide(arena, &row, &report, NOW + 1, &decision);
    assert_true(decision.is_changed && asks(&decision, "do install\n"));
    assert_string_equal(decision.event, "node.install_begun");
    row = decision.row;
    assert_true(row.install.state == DISCOVERED_INSTALL_RUNNING &&
                text_is(row.install.step, "unpack"));
    netboot_decide(arena, &row, &report, NOW + 2, &decision);
    assert_false(decision.is_changed); /* and the step began when it was first reported */
    report.id = TEXT("i-0");
    report.state = TEXT("done");
    netboot_decide(arena, &row, &report, NOW + 3, &decision);
    assert_false(decision.is_changed); /* of another installation */
    report.id = TEXT("i-1");
    netboot_decide(arena, &row, &report, NOW + 3, &decision);
    assert_int_equal(decision.row.install.state, DISCOVERED_INSTALL_DONE);
    assert_int_equal(decision.row.netboot.boot.length, 0);
    report.state = TEXT("failed");
    report.text = TEXT("no space left");
    netboot_decide(arena, &row, &report, NOW + 3, &decision);
    assert_int_equal(decision.row.install.state, DISCOVERED_INSTALL_FAILED);
    assert_true(text_is(decision.row.install.why, "no space left"));
}

static void machines_are_told_apart(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct discovered row = claimed(arena, &report);

    (void)state;
    assert_true(netboot_is_same(&row, &report));
    report.host_key = TEXT(OTHER);
    assert_true(netboot_is_same(&row, &report)); /* by its address */
    report.serial = TEXT("CZ2"); /* an adapter that was plugged into another machine */
    assert_false(netboot_is_same(&row, &report));
    report.serial = row.serial;
    report.macs[0] = TEXT("52:54:00:aa:bb:99");
    assert_false(netboot_is_same(&row, &report)); /* a serial number that two machines have */
    report.host_key = row.host_key;
    assert_true(netboot_is_same(&row, &report));
}

static void a_row_keeps_its_order(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct netboot_report report = report_of(arena);
    struct discovered row = claimed(arena, &report);
    struct discovered read;
    struct err err;

    (void)state;
    row.install.is_wiped_after = true;
    row.install.bytes = 5;
    row.install.step = TEXT("unpack");
    for (enum discovered_install_state i = DISCOVERED_INSTALL_WANTED; i < DISCOVERED_INSTALL_STATES;
         i++) {
        row.install.state = i;
        assert_true(discovered_parse(arena, row.id, discovered_format(arena, &row), &read, &err));
        assert_int_equal(read.install.state, i);
        assert_true(text_is(read.install.id, "i-1") &&
                    text_is(read.install.keys, "ssh-ed25519 A\nssh-ed25519 B\n"));
        assert_true(read.install.is_wiped_after && read.install.bytes == 5 &&
                    text_is(read.netboot.boot, "boot-1"));
    }
}

static void words_for_a_machine_have_no_quotes(void **state)
{
    struct err err;

    (void)state;
    assert_true(install_argument_check(TEXT("console=ttyS1,115200"), &err));
    assert_true(install_pattern_check(TEXT("nvme*"), &err));
    assert_false(install_argument_check(TEXT("a b"), &err));
    assert_false(install_argument_check(TEXT("a'b"), &err));
    assert_false(install_argument_check(TEXT(""), &err));
    assert_false(install_pattern_check(TEXT("sd a"), &err));
    assert_false(install_pattern_check(TEXT("$(x)"), &err));
    assert_false(install_pattern_check(TEXT("/dev/sda"), &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(an_unknown_machine_gets_a_row_and_waits),
        cmocka_unit_test(only_a_commissioned_machine_is_installed),
        cmocka_unit_test(only_a_machine_that_has_left_is_wiped),
        cmocka_unit_test(steps_are_noted),
        cmocka_unit_test(machines_are_told_apart),
        cmocka_unit_test(a_row_keeps_its_order),
        cmocka_unit_test(words_for_a_machine_have_no_quotes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
