/* Processes that end, and calls that do not. */
#include "bad.h"

static void end_badly(void)
{
    if (is_bad("segv")) {
        raise(SIGSEGV);
    } else if (is_bad("abort")) {
        abort();
    } else if (is_bad("exit")) {
        exit(0);
    }
}

__attribute__((constructor)) static void loaded(void)
{
    if (is_bad("hang-load")) {
        hang();
    } else if (is_bad("end-load")) {
        abort();
    }
}

/* The first process ends after it has created its machine, before it answers. Later processes
 * work. */
static int32_t create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    char path[PATH_BYTES];
    int32_t result = file_create(self, call, request);

    snprintf(path, sizeof(path), "%.*s/once", (int)own(self)->folder.length,
             own(self)->folder.bytes);
    if (is_bad("hang-create")) {
        hang();
    }
    if (mkdir(path, 0700) == 0) {
        end_badly();
    }
    return result;
}

static int32_t describe(void *self, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    if (is_bad("hang-describe")) {
        hang();
    } else if (is_bad("end-describe")) {
        abort();
    }
    return file_describe(self, call, query);
}

static int32_t start(const struct reeve_host_v1 *host, void **self)
{
    if (is_bad("hang-start")) {
        hang();
    } else if (is_bad("end-start")) {
        _exit(3);
    } else if (is_bad("fail-start")) {
        return REEVE_TRANSIENT;
    }
    return file_start(host, self);
}

#define BAD_START    start
#define BAD_CREATE   create
#define BAD_DESCRIBE describe
#include "bad_table.h"
