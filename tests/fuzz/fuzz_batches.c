/* Requests for batches and the rows of their jobs: no input makes the parser read out of bounds, a
 * refusal has a reason, and formatting the parsed data gives an equal request. */
#include "codec/json.h"
#include "state/batches.h"
#include "fuzz.h"

static void request_check(struct arena *arena, struct text bytes)
{
    struct batches request;
    struct batches again;
    struct text once;
    struct err err;

    if (!batches_parse(arena, bytes, &request, &err)) {
        FUZZ_CHECK(err.code == CODE_R0755);
        return;
    }
    FUZZ_CHECK(request.count > 0 && request.batch_count > 0 &&
               request.canaries <= request.batch_count);
    FUZZ_CHECK(request.ends[request.batch_count - 1] == request.count);
    once = batches_format(arena, &request);
    FUZZ_CHECK(batches_parse(arena, once, &again, &err));
    FUZZ_CHECK(again.count == request.count && again.batch_count == request.batch_count);
    FUZZ_CHECK(text_is_equal(batches_format(arena, &again), once));
}

static struct text progress_write(struct arena *arena, const struct batches_progress *progress)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    if (progress->is_over) {
        doc_builder_put(&builder, "ended", doc_int(arena, 1, NULL));
    }
    batches_progress_put(&builder, progress);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void row_check(struct arena *arena, struct text bytes)
{
    struct batches_progress progress;
    struct batches_progress again;
    struct text once;
    struct doc row;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &row, &err) || !batches_progress_read(&row, &progress)) {
        return;
    }
    FUZZ_CHECK(progress.cut < BOOTSTRAP_CUT_COUNT);
    once = progress_write(arena, &progress);
    FUZZ_CHECK(json_parse(arena, once, NULL, &row, &err));
    FUZZ_CHECK(batches_progress_read(&row, &again));
    FUZZ_CHECK(again.is_over == progress.is_over && again.cut == progress.cut);
    FUZZ_CHECK(text_is_equal(progress_write(arena, &again), once));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    struct text bytes = arena_text(arena, (struct text){ (const char *)data, size });

    request_check(arena, bytes);
    row_check(arena, bytes);
    arena_free(arena);
    return 0;
}
