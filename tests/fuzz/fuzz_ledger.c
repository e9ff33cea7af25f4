/* Recorded decisions: no input makes the parser read or write out of bounds, and formatting parsed
 * data gives an equal record. The first byte is the number of values into which the rest is
 * divided. */
#include "fuzz.h"
#include "plan/ledger.h"

enum { VALUES_MAX = 3 };

static struct text whole_write(struct arena *arena, const struct ledger_pass *pass)
{
    uint64_t *hashes = arena_array(arena, uint64_t, pass->head.page_count);
    struct ledger_order order;
    struct ledger_entry entry = { .head = pass->head,
                                  .limits = &pass->limits,
                                  .world = &pass->world,
                                  .order = &order,
                                  .decision = pass->decision };

    entry.head.base = entry.head.number;
    ledger_order_make(arena, &pass->world, pass->head.page_count, &order);
    return ledger_write(arena, &entry, false, hashes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    struct text rest = { (const char *)data, size };
    struct text values[VALUES_MAX];
    struct ledger_pass pass;
    struct ledger_pass again;
    struct plan plan;
    struct err err;
    size_t count = size == 0 ? 1 : data[0] % VALUES_MAX + 1;

    rest = text_slice(rest, 1, rest.length);
    for (size_t i = 0; i < count; i++) {
        values[i] = i + 1 == count ? rest : text_slice(rest, 0, rest.length / 2);
        rest = text_slice(rest, values[i].length, rest.length);
    }
    if (ledger_read(arena, values, count, &pass, &err) && !pass.head.is_bare) {
        struct text once = whole_write(arena, &pass);

        FUZZ_CHECK(ledger_read(arena, &once, 1, &again, &err));
        FUZZ_CHECK(text_is_equal(whole_write(arena, &again), once));
        if (!ledger_plan_read(arena, &pass, pass.decision, &plan, &err)) {
            FUZZ_CHECK(err.code == CODE_R0558);
        }
    }
    arena_free(arena);
    return 0;
}
