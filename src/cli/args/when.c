#include "cli/args/when.h"

#include "base/time.h"
#include "sys/clock.h"

struct text when_ago(struct arena *arena, int64_t time_ms, int64_t now_ms)
{
    static const struct {
        int64_t above_s;
        int64_t unit_s;
        const char *word;
    } units[] = {
        { INT64_C(2 * 24 * 3600), INT64_C(24 * 3600), "d" },
        { INT64_C(2 * 3600), 3600, "h" },
        { INT64_C(2 * 60), 60, "min" },
        { 2, 1, "s" },
    };
    int64_t passed_s = (now_ms - time_ms) / 1000;

    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (passed_s >= units[i].above_s) {
            return arena_printf(arena, "%lld %s ago", (long long)(passed_s / units[i].unit_s),
                                units[i].word);
        }
    }
    return TEXT("just now");
}

struct text when_format(const struct command *command, struct text time)
{
    int64_t time_ms;

    if (!command->out_style.is_terminal || !time_parse(time, &time_ms)) {
        return time;
    }
    return when_ago(command->arena, time_ms, clock_wall_ms(clock_system()));
}
