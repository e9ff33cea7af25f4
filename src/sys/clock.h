#ifndef REEVE_SYS_CLOCK_H
#define REEVE_SYS_CLOCK_H

#include <stdint.h>

/* The port for time. Code that needs the time gets a clock as an argument, so that a test or the
 * simulator can control it. For times as text see base/time.h. */
struct clock {
    /* Nanoseconds since an unspecified time. It never goes back, and continues while the machine
     * sleeps. Use it for durations and deadlines. */
    uint64_t (*monotonic_ns)(void *arg);

    /* Milliseconds since 1970 by the machine's clock, which may jump in both directions. Use it for
     * display, events and certificates, never for durations. */
    int64_t (*wall_ms)(void *arg);

    void *arg;
};

/* Return the clock of the system. */
struct clock clock_system(void);

/* Read a clock. */
uint64_t clock_monotonic_ns(struct clock clock);
uint64_t clock_monotonic_ms(struct clock clock);
int64_t clock_wall_ms(struct clock clock);

/* A clock that advances only by calls. It must live as long as its port. */
struct clock_fake {
    uint64_t monotonic_ns;
    int64_t wall_ms;
};

/* clock_fake_port() returns the port of a fake clock. clock_fake_advance() advances both of its
 * times by by_ms. */
struct clock clock_fake_port(struct clock_fake *fake);
void clock_fake_advance(struct clock_fake *fake, uint64_t by_ms);

#endif
