/* Request targets: no input breaks the parser; an accepted target is valid text that begins with /,
 * and routing finds at most one row for it. */
#include "api/request/route.h"
#include "base/limits.h"
#include "fuzz.h"
#include "http/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct text raw = { (const char *)data, size };
    struct target target;
    struct err err;

    if (!target_parse(arena, raw, &target, &err)) {
        FUZZ_CHECK(err.code == CODE_R0420 && err.text[0] != '\0');
    } else {
        struct route_match match = route_find(TEXT("GET"), target.path);

        FUZZ_CHECK(size <= LIMIT_HTTP_TARGET_BYTES);
        FUZZ_CHECK(text_has_prefix(target.path, TEXT("/")));
        FUZZ_CHECK(target.parameter_count <= LIMIT_HTTP_PARAMETERS);
        FUZZ_CHECK(text_find_bad_utf8(target.path) == SIZE_MAX);
        FUZZ_CHECK(text_find_byte(target.path, '\n') == SIZE_MAX);
        FUZZ_CHECK(match.route == NULL || match.allowed_count > 0);
        FUZZ_CHECK(match.route == NULL || match.name.length < target.path.length);
    }
    arena_free(arena);
    return 0;
}
