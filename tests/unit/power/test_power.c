/* Power of machines: addresses of BMCs, records, what an order needs next, and what ipmitool says. Decision 0188. */
#include "unit.h"

#include "base/macros.h"
#include "base/mem.h"
#include "bmc/bmc.h"
#include "codec/doc.h"
#include "power/power.h"

static void addresses_are_checked(void **state)
{
    static const char *const wrong[] = {
        "",
        "10.0.0.9",
        "ipmi://10.0.0.9",
        "ipmi://@10.0.0.9",
        "ipmi://-x@10.0.0.9",
        "ipmi://a b@10.0.0.9",
        "ipmi://a:b@10.0.0.9",
        "ipmi://a@",
        "ipmi://a@-oX",
        "ipmi://a@10.0.0.9:0",
        "ipmi://a@10.0.0.9:65536",
        "ipmi://a@[fe80::1",
        "ipmi://a@10.0.0.9/redfish/v1/Systems/1",
        "redfish://a@10.0.0.9/x",
        "redfish://a@10.0.0.9/redfish/v1/Systems/a b",
        "https://a@10.0.0.9",
    };
    static const char *const right[] = {
        "ipmi://admin@10.0.9.12",
        "ipmi://admin@10.0.9.12:6230",
        "ipmi://admin@[2001:db8::1]",
        "redfish://root@bmc-1.example",
        "redfish://root@[2001:db8::1]:8443/redfish/v1/Systems/System.Embedded.1",
    };
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct power power = { 0 };
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        assert_false(power_url_parse(text_from(wrong[i]), &power, &err));
        assert_int_equal(err.code, CODE_R0860);
    }
    for (size_t i = 0; i < ARRAY_COUNT(right); i++) {
        assert_true(power_url_parse(text_from(right[i]), &power, &err));
        assert_text(power_url_format(arena, &power), right[i]);
    }
}

static void pins_have_one_form(void **state)
{
    static const char digits[] = "t1XxUjQIHaJQ1m0F/3SrYVo63i4KLS6Qx5GHwG6aDYE";
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text pin;
    struct err err;

    (void)state;
    assert_true(power_pin_parse(arena, arena_printf(arena, "SHA256:%s", digits), &pin, &err));
    assert_text(pin, "sha256//t1XxUjQIHaJQ1m0F/3SrYVo63i4KLS6Qx5GHwG6aDYE=");
    assert_true(power_pin_parse(arena, pin, &pin, &err));
    assert_false(power_pin_parse(arena, text_from(digits), &pin, &err));
    assert_false(power_pin_parse(arena, TEXT("SHA256:abc"), &pin, &err));
    assert_false(power_pin_parse(arena, TEXT(""), &pin, &err));
}

/* Carries out an order against a machine, and returns how often it was switched: the tenth of the
 * number counts off, the rest on. `drops` commands have no effect. */
static int carried_out(enum power_action action, enum power_state before, int drops,
                       enum power_state *out_state, bool *out_is_boot_set)
{
    struct power power = { 0 };
    enum power_state real = before;
    bool is_fresh = false;
    uint64_t sent_ms = 0;
    uint64_t now_ms = 1000;
    int count = 0;

    *out_is_boot_set = false;
    power_order_set(&power, action, 1, TEXT("ana"), TEXT(""));
    for (int i = 0; i < 200; i++) {
        enum power_step step = power.order.step;
        struct power_next next;

        if (!power_decide(&power, is_fresh, sent_ms, now_ms, &next)) {
            *out_state = real;
            return count;
        }
        if (next.is_moved) {
            assert_true(power.order.step == step + 1u);
            sent_ms = 0;
            continue;
        }
        now_ms += next.wait_ms + 1000;
        is_fresh = next.call == POWER_CALL_STATUS;
        if (next.call == POWER_CALL_STATUS) {
            power.state = real;
        } else if (next.call == POWER_CALL_BOOT) {
            *out_is_boot_set = true;
            sent_ms = now_ms;
        } else {
            sent_ms = now_ms;
            if (drops-- <= 0) {
                real = next.call == POWER_CALL_ON ? POWER_STATE_ON : POWER_STATE_OFF;
                count += next.call == POWER_CALL_ON ? 1 : 10;
            }
        }
    }
    fail_msg("the order is not carried out");
    return 0;
}

static void orders_switch_what_is_needed(void **state)
{
    static const struct {
        enum power_action action;
        enum power_state before;
        int drops;
        int count;
        enum power_state after;
    } rows[] = {
        { POWER_ACTION_ON, POWER_STATE_OFF, 0, 1, POWER_STATE_ON },
        { POWER_ACTION_ON, POWER_STATE_ON, 0, 0, POWER_STATE_ON },
        { POWER_ACTION_OFF, POWER_STATE_ON, 0, 10, POWER_STATE_OFF },
        { POWER_ACTION_OFF, POWER_STATE_OFF, 0, 0, POWER_STATE_OFF },
        { POWER_ACTION_OFF, POWER_STATE_ON, 2, 10, POWER_STATE_OFF },
        { POWER_ACTION_CYCLE, POWER_STATE_ON, 0, 11, POWER_STATE_ON },
        { POWER_ACTION_CYCLE, POWER_STATE_OFF, 0, 1, POWER_STATE_ON },
        { POWER_ACTION_NETBOOT, POWER_STATE_ON, 1, 11, POWER_STATE_ON },
        { POWER_ACTION_NETBOOT, POWER_STATE_OFF, 0, 1, POWER_STATE_ON },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        enum power_state after = POWER_STATE_UNKNOWN;
        bool is_boot_set;

        assert_int_equal(
            carried_out(rows[i].action, rows[i].before, rows[i].drops, &after, &is_boot_set),
            rows[i].count);
        assert_int_equal(after, rows[i].after);
        assert_true(is_boot_set == (rows[i].action == POWER_ACTION_NETBOOT));
    }
}

static void a_record_hides_its_secret(void **state)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct power power = { .row = TEXT("m-000001"), .secret = TEXT("bmc") };
    struct text stored;
    struct doc shown;
    struct err err;

    (void)state;
    assert_true(power_url_parse(TEXT("ipmi://admin@10.0.9.12"), &power, &err));
    power_order_set(&power, POWER_ACTION_CYCLE, 5, TEXT("ana"), TEXT("hangs"));
    stored = power_format(arena, &power);
    assert_non_null(strstr(arena_string(arena, stored), "\"secret\":\"bmc\""));
    shown = power_show(arena, &power);
    assert_null(doc_child(&shown, "secret"));
    assert_null(doc_child(&shown, "user"));
    assert_null(doc_child(doc_child(&shown, "order"), "holder"));
}

static void the_words_of_ipmitool_are_understood(void **state)
{
    static const struct {
        enum power_call call;
        int code;
        bool is_late;
        const char *out;
        const char *errors;
        enum power_fault fault;
        const char *why;
    } rows[] = {
        { POWER_CALL_STATUS, 0, false, "Chassis Power is on\n",
          "Unable to Get Channel Cipher Suites\n", POWER_FAULT_NONE, "" },
        { POWER_CALL_BOOT, 0, false, "Set Boot Device to pxe\n", "", POWER_FAULT_NONE, "" },
        /* exit code 0, but nothing was done */
        { POWER_CALL_BOOT, 0, false, "", "Set Chassis Boot Parameter 5 failed: Unspecified error\n",
          POWER_FAULT_OTHER, "Unspecified error" },
        { POWER_CALL_ON, 1, false, "",
          "> RAKP 2 HMAC is invalid\nError: Unable to establish IPMI v2 / RMCP+ session\n",
          POWER_FAULT_LOGIN, "does not accept the password of user 'admin'" },
        { POWER_CALL_ON, 1, false, "",
          "RAKP 2 message indicates an error : unauthorized name\nError: Unable to establish IPMI v2 "
          "/ RMCP+ session\n",
          POWER_FAULT_LOGIN, "does not know the user" },
        { POWER_CALL_ON, 1, false, "",
          "RAKP 2 message indicates an error : insufficient resources for session\n",
          POWER_FAULT_BUSY, "no free session" },
        { POWER_CALL_STATUS, 1, false, "",
          "Error issuing Get Channel Authentication Capabilities request\nError: Unable to establish "
          "IPMI v2 / RMCP+ session\n",
          POWER_FAULT_SILENT, "does not answer" },
        { POWER_CALL_STATUS, -1, true, "", "", POWER_FAULT_SILENT, "does not answer" },
        { POWER_CALL_STATUS, 1, false, "", "", POWER_FAULT_OTHER, "no answer" },
    };
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct power power = { .address = TEXT("10.0.9.12"), .port = 623, .user = TEXT("admin") };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct bmc_output output = { rows[i].code, rows[i].is_late, text_from(rows[i].out),
                                           text_from(rows[i].errors) };
        struct power_answer answer;

        bmc_ipmi_judge(arena, &power, rows[i].call, &output, &answer);
        assert_int_equal(answer.fault, rows[i].fault);
        assert_non_null(strstr(arena_string(arena, answer.why), rows[i].why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(pins_have_one_form),
        cmocka_unit_test(orders_switch_what_is_needed),
        cmocka_unit_test(a_record_hides_its_secret),
        cmocka_unit_test(the_words_of_ipmitool_are_understood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
