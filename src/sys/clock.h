#ifndef REEVE_SYS_CLOCK_H
#define REEVE_SYS_CLOCK_H

#include <stdint.h>

/* The port for "what time is it": whoever needs to know is handed one of these, so that a test or the
 * simulator can say. As text: base/time.h. */
struct clock {
    /* Nanoseconds since some point in the past; never goes back, goes on while the machine sleeps.
     * For lengths of time and deadlines. */
    uint64_t (*monotonic_ns)(void *arg);

    /* Milliseconds since 1970 as the machine believes: may jump, both ways. For people, events and
     * certificates, never for lengths of time. */
    int64_t (*wall_ms)(void *arg);

    void *arg;
};

/* The clocks of the system. */
struct clock clock_system(void);

/* What a clock says. */
uint64_t clock_monotonic_ns(struct clock clock);
uint64_t clock_monotonic_ms(struct clock clock);
int64_t clock_wall_ms(struct clock clock);

/* A clock that stands until somebody moves it. The caller keeps it as long as the port. */
struct clock_fake {
    uint64_t monotonic_ns;
    int64_t wall_ms;
};

/* The port of a standing clock; both of its hands go on by so much. */
struct clock clock_fake_port(struct clock_fake *fake);
void clock_fake_advance(struct clock_fake *fake, uint64_t by_ms);

#endif
