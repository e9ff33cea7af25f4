/* Data from a serf agent: no input breaks the parser, and the items do not depend on the pieces in
 * which the bytes arrive. */
#include "base/limits.h"
#include "fuzz.h"
#include "membership/serf_frame.h"

static void item_read(struct text item)
{
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct membership_report report;
    struct serf_header header;
    size_t skipped;

    if (serf_header_read(item, &header)) {
        FUZZ_CHECK(header.command < SERF_COMMAND_COUNT);
    }
    FUZZ_CHECK(serf_own_read(item).length <= LIMIT_SERF_NAME_BYTES);
    for (size_t is_event = 0; is_event < 2; is_event++) {
        if (!serf_members_read(arena, item, is_event == 1, &report, &skipped)) {
            continue;
        }
        for (size_t i = 0; i < report.count; i++) {
            FUZZ_CHECK(report.members[i].name.length > 0 &&
                       report.members[i].name.length <= LIMIT_SERF_NAME_BYTES &&
                       report.members[i].tags.count <= LIMIT_SERF_TAGS);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = { (const char *)data, size };
    struct serf_scan whole = { 0 };
    struct serf_scan pieces = { 0 };
    size_t start = 0;

    for (;;) {
        enum serf_scan_end end = serf_scan_next(&whole, bytes, LIMIT_SERF_EVENT_BYTES);
        enum serf_scan_end cut = SERF_SCAN_PARTIAL;

        for (size_t given = start; given < size && cut == SERF_SCAN_PARTIAL;) {
            given = given + 3 < size ? given + 3 : size;
            cut = serf_scan_next(&pieces, text_slice(bytes, 0, given), LIMIT_SERF_EVENT_BYTES);
        }
        if (end != SERF_SCAN_COMPLETE) {
            FUZZ_CHECK(cut != SERF_SCAN_COMPLETE);
            return 0;
        }
        FUZZ_CHECK(cut == SERF_SCAN_COMPLETE && pieces.at == whole.at && whole.at > start);
        item_read(text_slice(bytes, start, whole.at - start));
        start = whole.at;
    }
}
