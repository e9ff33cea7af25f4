/* The results for each node from the lines of the callback: verdicts, first failed task, output.
 * Requirements: C36. */
#include "unit.h"

#include "base/mem.h"
#include "playbook/report.h"

#include <stdio.h>
#include <string.h>

enum { OUTPUT_ROOM = 16 * 1024, WEB_0 = 0, WEB_1 = 1 };

struct reading {
    struct playbook_report *report;
    char output[2][OUTPUT_ROOM];
    struct arena *arena;
};

static void line_came(void *arg, size_t host, struct text text)
{
    struct reading *reading = arg;
    size_t length = strlen(reading->output[host]);

    assert_true(length + text.length + 2 < OUTPUT_ROOM);
    snprintf(reading->output[host] + length, OUTPUT_ROOM - length, "%.*s\n", TEXT_ARG(text));
}

static void reading_start(struct reading *reading)
{
    const struct text hosts[] = { TEXT("web-0"), TEXT("web-1") };

    memset(reading, 0, sizeof(*reading));
    reading->arena = arena_new(SIZE_MAX);
    reading->report = playbook_report_new(hosts, 2, line_came, reading);
}

static void reading_end(struct reading *reading)
{
    playbook_report_free(reading->report);
    arena_free(reading->arena);
}

static void take(struct reading *reading, const char *line)
{
    playbook_report_take(reading->report, text_from(line));
}

/* Starts a run with a play and a task of a role. */
static void begin(struct reading *reading)
{
    take(reading, "{\"kind\":\"start\",\"ansible\":\"2.14.18\"}");
    take(reading, "{\"kind\":\"play\",\"name\":\"all\"}");
    take(reading, "{\"kind\":\"task\",\"task\":1,\"name\":\"docker : start it\",\"path\":"
                  "\"roles/docker/tasks/main.yml:99\",\"action\":\"service\",\"handler\":false}");
}

static void stats(struct reading *reading, int failures_of_1)
{
    char line[512];

    snprintf(line, sizeof(line),
             "{\"kind\":\"stats\",\"hosts\":{\"web-0\":{\"ok\":1,\"failures\":0,\"unreachable\":0},"
             "\"web-1\":{\"ok\":0,\"failures\":%d,\"unreachable\":0}},\"last\":true}",
             failures_of_1);
    take(reading, line);
}

static enum playbook_verdict verdict(const struct reading *reading, size_t host)
{
    return playbook_report_judge(reading->report, host).verdict;
}

static void assert_failure(const struct reading *reading, size_t host, const char *words)
{
    struct playbook_judgement judged = playbook_report_judge(reading->report, host);

    assert_int_equal(judged.verdict, PLAYBOOK_FAILED);
    assert_true(judged.has_failure);
    assert_text(playbook_failure_words(reading->arena, &judged.failure), words);
}

static void the_first_failing_task_is_named(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    assert_false(playbook_report_has_started(reading.report));
    begin(&reading);
    assert_true(playbook_report_has_started(reading.report));
    take(&reading, "{\"kind\":\"begin\",\"host\":\"web-0\",\"task\":1}");
    take(&reading, "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"changed\","
                   "\"paths\":[\"/etc/a\",\"relative\",\"/etc/a\"]}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"failed\",\"rescued\":false,"
        "\"fatal\":false,\"msg\":\"Job for docker.service failed\\nsee journalctl\",\"rc\":1,"
        "\"stderr\":\"one\\ntwo\"}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"failed\",\"msg\":\"later\"}");
    assert_int_equal(verdict(&reading, WEB_0), PLAYBOOK_UNKNOWN);
    stats(&reading, 1);
    assert_int_equal(verdict(&reading, WEB_0), PLAYBOOK_DONE);
    assert_failure(&reading, WEB_1,
                   "docker : start it (roles/docker/tasks/main.yml:99): Job for docker.service "
                   "failed (rc 1)");
    assert_int_equal(playbook_report_bad(reading.report), 0);
    assert_string_equal(reading.output[WEB_0],
                        "PLAY all\nchanged: docker : start it (roles/docker/tasks/main.yml:99)\n");
    assert_non_null(
        strstr(reading.output[WEB_1],
               "FAILED: docker : start it (roles/docker/tasks/main.yml:99): Job for "
               "docker.service failed\n  see journalctl\n  stderr: one\n  stderr: two\n"));
    reading_end(&reading);
}

/* A rescued or ignored failure does not count, and a command's last output line is more useful than
 * its message. */
static void only_failures_that_count_do(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"failed\",\"rescued\":true,"
        "\"msg\":\"caught\"}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"ignored\",\"msg\":\"ignored\"}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"failed\",\"rescued\":true,"
        "\"msg\":\"caught\"}");
    take(&reading, "{\"kind\":\"task\",\"task\":2,\"name\":\"make\",\"path\":\"site.yml:7\"}");
    take(&reading,
         "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":2,\"outcome\":\"failed\",\"item\":\"b\","
         "\"msg\":\"non-zero return code\",\"rc\":7,\"stderr\":\"first\\nno licence\\n\"}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":2,\"outcome\":\"failed\",\"msg\":\"All items completed\"}");
    stats(&reading, 1);
    assert_int_equal(verdict(&reading, WEB_0), PLAYBOOK_DONE);
    assert_failure(&reading, WEB_1, "make (site.yml:7), item b: no licence (rc 7)");
    reading_end(&reading);
}

static void hidden_output_stays_hidden(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"failed\",\"hidden\":true,\"rc\":3}");
    stats(&reading, 1);
    assert_failure(&reading, WEB_1,
                   "docker : start it (roles/docker/tasks/main.yml:99): hidden by no_log");
    reading_end(&reading);
}

static void a_node_without_statistics_is_not_configured(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(&reading, "{\"kind\":\"selected\",\"hosts\":[\"web-0\",\"web-9\",{}]}");
    take(
        &reading,
        "{\"kind\":\"stats\",\"hosts\":{\"web-0\":{\"ok\":1,\"failures\":0,\"unreachable\":0}},\"last\":true}");
    assert_int_equal(verdict(&reading, WEB_0), PLAYBOOK_DONE);
    assert_int_equal(verdict(&reading, WEB_1), PLAYBOOK_NOT_SELECTED);
    assert_true(playbook_report_judge(reading.report, WEB_0).is_selected);
    assert_false(playbook_report_judge(reading.report, WEB_1).is_selected);
    reading_end(&reading);
}

static void unreachable_is_lost(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"unreachable\",\"msg\":\"no route\"}");
    stats(&reading, 0);
    assert_int_equal(verdict(&reading, WEB_1), PLAYBOOK_UNREACHABLE);
    reading_end(&reading);
}

/* With any_errors_fatal, the other nodes have no failure and were not configured. */
static void a_fatal_failure_ends_the_play_for_all(void **state)
{
    struct playbook_judgement judged;
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(&reading, "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"ok\"}");
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"failed\",\"fatal\":true,\"msg\":\"x\"}");
    stats(&reading, 1);
    judged = playbook_report_judge(reading.report, WEB_0);
    assert_int_equal(judged.verdict, PLAYBOOK_FAILED);
    assert_text(judged.ended_by, "web-1");
    reading_end(&reading);
}

static void a_stopped_run_is_unknown(void **state)
{
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(&reading, "{\"kind\":\"stopped\"}");
    stats(&reading, 0);
    assert_true(playbook_report_is_stopped(reading.report));
    assert_int_equal(verdict(&reading, WEB_0), PLAYBOOK_UNKNOWN);
    reading_end(&reading);
}

static void bad_lines_are_counted_and_change_nothing(void **state)
{
    static const char *const lines[] = {
        "",
        "not JSON",
        "[]",
        "{}",
        "{\"kind\":\"other\"}",
        "{\"kind\":\"result\",\"host\":\"web-9\",\"task\":1,\"outcome\":\"failed\"}",
        "{\"kind\":\"result\",\"host\":\"web-1\",\"task\":1,\"outcome\":\"exploded\"}",
        "{\"kind\":\"task\",\"task\":77,\"name\":\"gap\"}",
        "{\"kind\":\"task\",\"task\":-1}",
        "{\"kind\":\"begin\",\"host\":{}}",
        "{\"kind\":\"diff\",\"host\":\"nobody\"}",
        "{\"kind\":\"stats\",\"hosts\":[]}",
    };
    struct reading reading;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        take(&reading, lines[i]);
    }
    assert_int_equal(playbook_report_bad(reading.report), sizeof(lines) / sizeof(lines[0]));
    take(&reading, "{\"kind\":\"stats\",\"hosts\":{\"web-9\":{\"ok\":1}},\"last\":true}");
    assert_int_equal(playbook_report_bad(reading.report), sizeof(lines) / sizeof(lines[0]) + 1);
    assert_string_equal(reading.output[WEB_1], "");
    reading_end(&reading);
}

static void path_count(void *arg, struct text path)
{
    size_t *count = arg;

    assert_text(path, "/etc/a");
    ++*count;
}

/* In check mode, a skipped command gives no information about the node. */
static void check_mode_is_counted(void **state)
{
    struct playbook_judgement judged;
    struct reading reading;
    size_t paths = 0;

    (void)state;
    reading_start(&reading);
    begin(&reading);
    take(
        &reading,
        "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"changed\",\"paths\":[\"/etc/a\"]}");
    take(&reading, "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"skipped\","
                   "\"msg\":\"Command would have run if not in check mode\",\"reason\":\"\"}");
    take(&reading, "{\"kind\":\"result\",\"host\":\"web-0\",\"task\":1,\"outcome\":\"skipped\","
                   "\"reason\":\"Conditional result was False\"}");
    stats(&reading, 0);
    judged = playbook_report_judge(reading.report, WEB_0);
    assert_int_equal(judged.tasks, 3);
    assert_int_equal(judged.changed, 1);
    assert_int_equal(judged.unjudged, 1);
    playbook_report_paths(reading.report, WEB_0, path_count, &paths);
    assert_int_equal(paths, 1);
    reading_end(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failing_task_is_named),
        cmocka_unit_test(only_failures_that_count_do),
        cmocka_unit_test(hidden_output_stays_hidden),
        cmocka_unit_test(a_node_without_statistics_is_not_configured),
        cmocka_unit_test(unreachable_is_lost),
        cmocka_unit_test(a_fatal_failure_ends_the_play_for_all),
        cmocka_unit_test(a_stopped_run_is_unknown),
        cmocka_unit_test(bad_lines_are_counted_and_change_nothing),
        cmocka_unit_test(check_mode_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
