#ifndef REEVE_BMC_BMC_H
#define REEVE_BMC_BMC_H

#include "power/power_runner.h"
#include "sys/loop.h"

/* public names start with: bmc_ */

/* Calls to BMCs, each in a process of its own: reeve-fetch, which becomes ipmitool for IPMI. All
 * functions run on the loop's thread. The password reaches the process through a descriptor, never
 * through an argument or the environment. */
struct bmc_runs;

struct bmc_options {
    struct loop *loop;
    const char *fetch; /* absolute path of reeve-fetch */
    const char *ca;    /* file with CAs in addition to those of the machine; NULL: none */
    /* Writes the value of a tenant's secret to `out`, which has LIMIT_SECRET_BYTES. NULL: there are
     * no secrets. */
    bool (*reveal)(void *arg, struct text tenant, struct text name, char *out, size_t *out_length,
                   struct err *err);
    void *arg;
};

struct bmc_runs *bmc_runs_new(const struct bmc_options *options);

/* Makes one call. `done` is called once, later. `is_uefi`: the machine starts by UEFI. */
void bmc_runs_call(struct bmc_runs *runs, struct text tenant, const struct power *power,
                   enum power_call call, bool is_uefi,
                   void (*done)(void *arg, const struct power_answer *answer), void *arg);

/* bmc_runs_close ends the calls; their `done` is called with a fault. After it, run the loop until
 * bmc_runs_are_over returns true, then call bmc_runs_free. All accept NULL. */
void bmc_runs_close(struct bmc_runs *runs);
bool bmc_runs_are_over(const struct bmc_runs *runs);
void bmc_runs_free(struct bmc_runs *runs);

/* What ipmitool has answered to a call, from its exit code and its output (bmc_ipmi.c, pure). */
struct bmc_output {
    int code;
    bool is_late;
    struct text out;
    struct text errors;
};
void bmc_ipmi_judge(struct arena *arena, const struct power *power, enum power_call call,
                    const struct bmc_output *output, struct power_answer *answer);

/* True if ipmitool is installed. */
bool bmc_has_ipmitool(void);

#endif
