/* Output of programs on a node that an attacker controls: numbers are within their limits, digests
 * are valid, and facts are valid for the facts file of all members. */
#include "base/limits.h"
#include "fuzz.h"
#include "remote/answer.h"
#include "remote/facts.h"

enum { STAGES = 3 };

static void look_check(const struct answer_look *look)
{
    FUZZ_CHECK(look->bundle_count <= STAGES);
    for (size_t i = 0; i < look->bundle_count; i++) {
        FUZZ_CHECK(answer_is_digest(text_from(look->bundles[i].digest)));
        FUZZ_CHECK(look->bundles[i].bytes <= REMOTE_BUNDLE_BYTES);
    }
    for (size_t i = 0; i < STAGES; i++) {
        const struct answer_stage *stage = &look->stages[i];

        FUZZ_CHECK(stage->state <= ANSWER_LOST && stage->code >= -1 && stage->code <= 255);
        FUZZ_CHECK((stage->attempt == 0) == (stage->state == ANSWER_ABSENT));
        FUZZ_CHECK(stage->chain[0] == '\0' || answer_is_digest(text_from(stage->chain)));
        FUZZ_CHECK(stage->done[0] == '\0' || answer_is_digest(text_from(stage->done)));
    }
}

static void facts_check(struct arena *arena, struct text lines)
{
    struct facts_known known = { .name = TEXT("a"), .main_user = TEXT("ops") };
    struct facts_member members[2];
    struct text one;
    struct text other;
    struct err err = { 0 };
    struct doc facts;

    if (!facts_read(arena, lines, &known, &facts, &err)) {
        FUZZ_CHECK(err.code == CODE_R0728);
        return;
    }
    members[0] = (struct facts_member){ TEXT("a"), facts };
    members[1] = (struct facts_member){ TEXT("b"), facts };
    FUZZ_CHECK(facts_format(arena, members, 2, &one, &err));
    members[0].name = TEXT("b");
    members[1].name = TEXT("a");
    FUZZ_CHECK(facts_format(arena, members, 2, &other, &err) && text_is_equal(one, other));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct text bytes = { (const char *)data, size };
    struct answer_look look = answer_look_make(arena, STAGES);
    struct answer_keys keys;
    struct answer_verdict verdict;
    struct answer answer;
    bool is_same;

    if (!answer_read(bytes, &answer)) {
        return 0;
    }
    FUZZ_CHECK(size <= REMOTE_ANSWER_BYTES);
    FUZZ_CHECK(answer.lines.length == 0 ||
               (answer.lines.data >= bytes.data &&
                answer.lines.data + answer.lines.length <= bytes.data + bytes.length));
    if (answer_look_take(&answer, &look)) {
        look_check(&look);
    }
    if (answer_keys_read(&answer, false, &keys)) {
        FUZZ_CHECK(keys.host.length > 0 && keys.root.length > 0 && keys.user.length == 0);
    }
    (void)answer_same_read(&answer, &is_same);
    if (answer_verdict_read(arena, &answer, &verdict)) {
        FUZZ_CHECK(answer_is_digest(verdict.digest) && verdict.files.length <= answer.lines.length);
    }
    facts_check(arena, answer.lines);
    return 0;
}
