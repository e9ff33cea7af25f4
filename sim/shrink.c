#include "sim.h"

#include <stdio.h>

/* public names start with: shrink_ */

/* Reduces a setup with a finding to the smallest setup with the same finding: it switches off one
 * kind of fault after the other, and then reduces the number of days. Each kind of fault has a
 * separate random stream, so the other kinds are not affected. */

static bool shows(const struct sim_setup *setup, enum sim_violation kind)
{
    struct sim_result result = sim_run(setup);

    return result.found[kind] > 0;
}

static void faults_try(struct sim_setup *setup, enum sim_violation kind)
{
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        struct sim_setup less = *setup;

        less.faults_off |= UINT64_C(1) << i;
        if (less.faults_off != setup->faults_off && shows(&less, kind)) {
            *setup = less;
            fprintf(stderr, "  not needed: %s\n", fault_name((enum fault_kind)i));
        }
    }
}

static void days_try(struct sim_setup *setup, enum sim_violation kind)
{
    uint64_t low = 0; /* the finding does not appear within this number of days */

    while (low + 1 < setup->days) {
        struct sim_setup less = *setup;

        less.days = low + (setup->days - low) / 2;
        if (shows(&less, kind)) {
            *setup = less;
        } else {
            low = less.days;
        }
    }
    fprintf(stderr, "  %llu days\n", (unsigned long long)setup->days);
}

struct sim_setup shrink(const struct sim_setup *setup, enum sim_violation kind)
{
    struct sim_setup smallest = *setup;

    days_try(&smallest, kind);
    faults_try(&smallest, kind);
    days_try(&smallest, kind);
    return smallest;
}
