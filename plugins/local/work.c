#include "work.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { MESSAGE_BYTES = 1024 };

int32_t work_refuse(struct work *work, int32_t result, const char *pointer, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    assert(result != REEVE_OK);
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (work->call == NULL) {
        work_log(work->local, REEVE_LOG_WARNING, "%s", message);
    } else {
        work->local->host->fault(work->call, work_answer(text_from(pointer)),
                                 work_answer(text_from(message)));
    }
    return result;
}

void work_log(const struct local *local, int32_t level, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    local->host->log(local->host, level, work_answer(text_from(message)));
}

uint64_t work_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t work_left_ms(const struct work *work)
{
    uint64_t now = work_now_ms();

    return now >= work->ends_ms ? 0 : work->ends_ms - now;
}

void work_rest(unsigned milliseconds)
{
    assert(milliseconds < 1000);
    (void)nanosleep(&(struct timespec){ .tv_nsec = (long)milliseconds * 1000000 }, NULL);
}

const char *work_path(struct work *work, const char *format, ...)
{
    va_list args;
    struct text name;

    va_start(args, format);
    name = arena_vprintf(work->arena, format, args);
    va_end(args);
    return arena_printf(work->arena, "%s/%.*s", work->local->folder, TEXT_ARG(name)).data;
}
