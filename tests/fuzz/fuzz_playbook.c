/* Lines of the callback, and frames of reeve-playbook: no bytes break the manager. Only objects
 * about nodes of the run change a verdict, and only complete statistics determine it. */
#include "base/limits.h"
#include "fuzz.h"
#include "playbook/report.h"
#include "wire/playbook_ipc.h"

#include <string.h>

enum { HOSTS = 2 };

static void output_ignore(void *arg, size_t host, struct text text)
{
    (void)arg;
    FUZZ_CHECK(host < HOSTS && (text.length == 0 || text.data != NULL));
}

static void text_ignore(void *arg, struct text text)
{
    (void)arg;
    FUZZ_CHECK(text.length > 0);
}

static void lines_read(struct text rest)
{
    const struct text hosts[HOSTS] = { TEXT("web-0"), TEXT("web-1") };
    struct playbook_report *report = playbook_report_new(hosts, HOSTS, output_ignore, NULL);
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');

        playbook_report_take(report, text_slice(rest, 0, end));
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    for (size_t i = 0; i < HOSTS; i++) {
        struct playbook_judgement judged = playbook_report_judge(report, i);

        FUZZ_CHECK(judged.verdict < PLAYBOOK_VERDICT_COUNT);
        FUZZ_CHECK(playbook_report_has_stats(report) || judged.verdict == PLAYBOOK_UNKNOWN);
        FUZZ_CHECK(judged.changed <= judged.tasks && judged.unjudged <= judged.tasks);
        FUZZ_CHECK(judged.verdict != PLAYBOOK_DONE || !judged.has_failure);
        (void)playbook_failure_words(arena, &judged.failure);
        playbook_report_paths(report, i, text_ignore, NULL);
        playbook_report_changes(report, i, text_ignore, NULL);
    }
    playbook_report_free(report);
}

static void frames_read(struct text rest)
{
    struct err err = { 0 };
    size_t length;

    while (frame_measure(rest, CODE_R0843, &length, &err) && length > 0 && length <= rest.length) {
        AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
        struct playbook_ipc_message message;
        struct playbook_ipc_message again;
        struct buf buf;

        if (!playbook_ipc_parse(arena, text_slice(rest, 0, length), &message, &err)) {
            FUZZ_CHECK(err.code == CODE_R0843 && err.text[0] != '\0');
            return;
        }
        buf_init(&buf, arena);
        playbook_ipc_format(&buf, &message);
        FUZZ_CHECK(playbook_ipc_parse(arena, buf_text(&buf), &again, &err) &&
                   again.type == message.type);
        rest = text_slice(rest, length, rest.length);
    }
}

/* An input is a sequence of lines, or of frames. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = { (const char *)data, size };

    lines_read(bytes);
    frames_read(bytes);
    return 0;
}
