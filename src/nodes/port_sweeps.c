#include "nodes/port_sweeps.h"

#include "base/mem.h"
#include "nodes/port_probes.h"

#include <assert.h>
#include <stdio.h>

/* Normal case: at each tick, a timer probes one address of the first range. The range is complete
 * when all of its addresses have answered or timed out; the next range begins with the next tick.
 *
 * Failures: a machine that drops packets costs the time limit of its probe (port_probes.c). The
 * addresses of a range are probed without waiting for earlier answers, so a range waits for that
 * limit only once. */

struct port_sweep;

struct port_sweep_address {
    struct port_sweep *sweep;
    bool is_alive;
};

struct port_sweep {
    struct port_sweep *next;
    struct port_sweeps *sweeps;
    uint32_t first;
    size_t count;
    size_t asked;
    size_t answered;
    uint16_t port;
    struct port_sweep_address addresses[PORT_SWEEP_ADDRESSES];
    port_sweep_done *done;
    void *arg;
};

struct port_sweeps {
    struct port_probes *probes;
    struct loop_timer *timer;
    struct port_sweep *first;
    struct port_sweep **last;
    size_t count;
};

static void port_sweep_end(struct port_sweep *sweep, bool is_over)
{
    struct port_sweeps *sweeps = sweep->sweeps;
    bool are_alive[PORT_SWEEP_ADDRESSES];

    sweeps->first = sweep->next;
    if (sweeps->first == NULL) {
        sweeps->last = &sweeps->first;
        loop_timer_stop(sweeps->timer);
    }
    sweeps->count--;
    for (size_t i = 0; i < sweep->count; i++) {
        are_alive[i] = sweep->addresses[i].is_alive;
    }
    sweep->done(sweep->arg, is_over ? are_alive : NULL);
    rows_free(sweep);
}

static void port_sweep_answered(void *arg, bool is_alive)
{
    struct port_sweep_address *address = arg;
    struct port_sweep *sweep = address->sweep;

    address->is_alive = is_alive;
    /* port_sweeps_free ends the probes first, and then the ranges */
    if (++sweep->answered == sweep->count && sweep->sweeps->probes != NULL) {
        port_sweep_end(sweep, true);
    }
}

static void port_sweeps_tick(void *arg)
{
    const struct port_sweeps *sweeps = arg;
    struct port_sweep *sweep = sweeps->first;
    char text[sizeof("255.255.255.255")];
    uint32_t address;

    if (sweep == NULL || sweep->asked == sweep->count) {
        return;
    }
    address = sweep->first + (uint32_t)sweep->asked;
    snprintf(text, sizeof(text), "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
    port_probes_start(sweeps->probes, text_from(text), sweep->port, port_sweep_answered,
                      &sweep->addresses[sweep->asked++]);
}

struct port_sweeps *port_sweeps_new(struct loop *loop)
{
    struct port_sweeps *sweeps = rows_resize(NULL, sizeof(*sweeps));
    struct err err;

    *sweeps = (struct port_sweeps){ .last = NULL };
    sweeps->last = &sweeps->first;
    if (!loop_timer_open(loop, port_sweeps_tick, sweeps, &sweeps->timer, &err)) {
        rows_free(sweeps);
        return NULL;
    }
    sweeps->probes = port_probes_new(loop);
    return sweeps;
}

bool port_sweeps_start(struct port_sweeps *sweeps, uint32_t first, size_t count, uint16_t port,
                       port_sweep_done *done, void *arg)
{
    struct port_sweep *sweep;

    assert(count > 0 && count <= PORT_SWEEP_ADDRESSES);
    if (sweeps == NULL || sweeps->count >= PORT_SWEEPS_WAITING) {
        return false;
    }
    sweep = rows_resize(NULL, sizeof(*sweep));
    *sweep = (struct port_sweep){
        .sweeps = sweeps, .first = first, .count = count, .port = port, .done = done, .arg = arg
    };
    for (size_t i = 0; i < count; i++) {
        sweep->addresses[i].sweep = sweep;
    }
    *sweeps->last = sweep;
    sweeps->last = &sweep->next;
    if (sweeps->count++ == 0) {
        loop_timer_start(sweeps->timer, PORT_SWEEP_SPACING_MS, PORT_SWEEP_SPACING_MS);
    }
    return true;
}

void port_sweeps_free(struct port_sweeps *sweeps)
{
    struct port_probes *probes;

    if (sweeps == NULL) {
        return;
    }
    probes = sweeps->probes;
    sweeps->probes = NULL;
    port_probes_free(probes);
    while (sweeps->first != NULL) {
        port_sweep_end(sweeps->first, false);
    }
    loop_timer_close(sweeps->timer);
    rows_free(sweeps);
}
