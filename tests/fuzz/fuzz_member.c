/* Messages of reeve-store, its file and etcd's output: no input breaks the reader, and formatting a
 * parsed message gives an equal one. */
#include "base/limits.h"
#include "etcd_member/member_etcd.h"
#include "etcd_member/member_record.h"
#include "fuzz.h"

static void warning_ignore(void *arg, struct text message)
{
    (void)arg;
    (void)message;
}

static void output_read(struct text text)
{
    static struct member_etcd_log log;
    struct member_etcd_metrics metrics;

    log = (struct member_etcd_log){ 0 };
    member_etcd_log_read(&log, text, warning_ignore, NULL);
    member_etcd_log_read(&log, TEXT("\n"), warning_ignore, NULL);
    FUZZ_CHECK(log.length == 0);
    (void)member_etcd_metrics_read(text, &metrics);
}

static void request_use(struct arena *arena, const struct member_ipc_arguments *arguments)
{
    struct err err;

    if (member_record_check(arguments, &err)) {
        (void)member_etcd_run(arena, arguments, false);
        (void)member_etcd_run(arena, arguments, true);
        (void)member_etcd_restore(arena, arguments);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct text bytes = { (const char *)data, size };
    struct member_ipc_message message;
    struct member_ipc_message again;
    struct err err = { 0 };
    size_t length;
    struct buf buf;

    output_read(bytes);
    if (!frame_measure(bytes, CODE_R0595, &length, &err) || length == 0 || length > size ||
        !member_ipc_parse(arena, text_slice(bytes, 0, length), &message, &err)) {
        return 0;
    }
    buf_init(&buf, arena);
    member_ipc_format(&buf, &message);
    FUZZ_CHECK(member_ipc_parse(arena, buf_text(&buf), &again, &err) && again.type == message.type);
    if (message.type == MEMBER_IPC_ASK) {
        FUZZ_CHECK(member_record_is_equal(&message.ask.arguments, &again.ask.arguments));
        request_use(arena, &message.ask.arguments);
    }
    return 0;
}
