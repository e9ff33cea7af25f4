#include "base/exits.h"

#include "base/macros.h"

#include <assert.h>

const struct exit_row exits_table[] = {
#define EXIT(number, name, meaning, retry) { EXIT_CODE_##name, meaning, retry },
#include "base/exits.def"
#undef EXIT
};
const size_t exits_count = ARRAY_COUNT(exits_table);

const struct exit_row *exits_find(int code)
{
    for (size_t i = 0; i < exits_count; i++) {
        if ((int)exits_table[i].code == code) {
            return &exits_table[i];
        }
    }
    return NULL;
}

/* The rank decides which exit code a command gets if its errors have several kinds: the kind with
 * the highest rank counts. */
static const struct {
    enum exit_code code;
    int status;
    int rank;
} kinds[ERR_KIND_COUNT] = {
    [ERR_KIND_FAILED] = { EXIT_CODE_FAILED, 500, 8 },
    [ERR_KIND_LIMIT] = { EXIT_CODE_FAILED, 413, 7 },
    [ERR_KIND_USAGE] = { EXIT_CODE_USAGE, 400, 9 },
    [ERR_KIND_INVALID] = { EXIT_CODE_INVALID, 422, 6 },
    [ERR_KIND_NOT_FOUND] = { EXIT_CODE_NOT_FOUND, 404, 1 },
    [ERR_KIND_CONFLICT] = { EXIT_CODE_CONFLICT, 409, 2 },
    [ERR_KIND_DECLINED] = { EXIT_CODE_DECLINED, 409, 2 },
    [ERR_KIND_DENIED] = { EXIT_CODE_DENIED, 403, 3 },
    [ERR_KIND_UNAVAILABLE] = { EXIT_CODE_UNAVAILABLE, 503, 5 },
    [ERR_KIND_TIMEOUT] = { EXIT_CODE_TIMEOUT, 504, 4 },
    [ERR_KIND_INTERNAL] = { EXIT_CODE_FAULT, 500, 10 },
};

enum exit_code exit_of_kind(enum err_kind kind)
{
    assert(kind < ERR_KIND_COUNT);
    return kinds[kind].code;
}

int exit_status_of_kind(enum err_kind kind)
{
    assert(kind < ERR_KIND_COUNT);
    return kinds[kind].status;
}

enum exit_code exit_of_errors(const struct err_list *errors, bool is_strict)
{
    enum exit_code code = EXIT_CODE_DONE;
    int rank = 0;

    for (size_t i = 0; i < errors->count; i++) {
        enum err_kind kind = err_kind(&errors->items[i]);

        if (errors->items[i].severity == ERR_SEVERITY_ERROR && kinds[kind].rank > rank) {
            rank = kinds[kind].rank;
            code = exit_of_kind(kind);
        }
    }
    if (code == EXIT_CODE_DONE && is_strict && errors->warnings > 0) {
        code = EXIT_CODE_INVALID;
    }
    return code;
}
