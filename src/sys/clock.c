#include "sys/clock.h"

#include <assert.h>
#include <stddef.h>
#include <time.h>

static struct timespec time_get(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);

    assert(failed == 0);
    return now;
}

static uint64_t system_monotonic_ns(void *arg)
{
    /* CLOCK_BOOTTIME and not CLOCK_MONOTONIC, because sleep of the machine must count for
     * deadlines */
    struct timespec now = time_get(CLOCK_BOOTTIME);

    (void)arg;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int64_t system_wall_ms(void *arg)
{
    struct timespec now = time_get(CLOCK_REALTIME);

    (void)arg;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct clock clock_system(void)
{
    return (struct clock){ system_monotonic_ns, system_wall_ms, NULL };
}

uint64_t clock_monotonic_ns(struct clock clock)
{
    return clock.monotonic_ns(clock.arg);
}

uint64_t clock_monotonic_ms(struct clock clock)
{
    return clock.monotonic_ns(clock.arg) / 1000000;
}

int64_t clock_wall_ms(struct clock clock)
{
    return clock.wall_ms(clock.arg);
}

static uint64_t fake_monotonic_ns(void *arg)
{
    const struct clock_fake *fake = arg;

    return fake->monotonic_ns;
}

static int64_t fake_wall_ms(void *arg)
{
    const struct clock_fake *fake = arg;

    return fake->wall_ms;
}

struct clock clock_fake_port(struct clock_fake *fake)
{
    assert(fake != NULL);
    return (struct clock){ fake_monotonic_ns, fake_wall_ms, fake };
}

void clock_fake_advance(struct clock_fake *fake, uint64_t by_ms)
{
    fake->monotonic_ns += by_ms * 1000000;
    fake->wall_ms += (int64_t)by_ms;
}
