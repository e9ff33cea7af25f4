#include "bmc/bmc.h"

#include "base/limits.h"
#include "base/secret.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "records/record.h"
#include "sys/child.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* public names start with: bmc_ */

#define BMC_IPMITOOL "/usr/bin/ipmitool"

enum {
    BMC_DEADLINE_MS = 20 * 1000,
    BMC_GRACE_MS = 1000,
    BMC_OUTPUT_BYTES = 16 * 1024,
    BMC_PASSWORD_FD = 3, /* of the process */
    BMC_CA_FD = 4,
};

struct bmc_run {
    struct bmc_run *next;
    struct bmc_run **link;
    struct bmc_runs *runs;
    struct arena *memory;
    struct power power;
    enum power_call call;
    struct child *child; /* NULL: the process was not started */
    struct loop_task *task;
    struct power_answer early; /* of a call without a process */
    void (*done)(void *arg, const struct power_answer *answer);
    void *arg;
};

struct bmc_runs {
    struct bmc_options options;
    struct arena *memory;
    struct bmc_run *first;
    bool is_closed;
};

bool bmc_has_ipmitool(void)
{
    return access(BMC_IPMITOOL, X_OK) == 0;
}

struct bmc_runs *bmc_runs_new(const struct bmc_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct bmc_runs *runs = arena_one(memory, struct bmc_runs);

    *runs = (struct bmc_runs){ .options = *options, .memory = memory };
    runs->options.fetch = arena_string(memory, text_from(options->fetch));
    runs->options.ca = options->ca == NULL ? NULL : arena_string(memory, text_from(options->ca));
    return runs;
}

/* ---- ends ---- */

static void bmc_run_end(struct bmc_run *run, const struct power_answer *answer)
{
    void (*done)(void *arg, const struct power_answer *answer) = run->done;
    void *arg = run->arg;

    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    loop_task_cancel(run->task);
    done(arg, answer);
    arena_free(run->memory);
}

static void bmc_early_report(void *arg)
{
    struct bmc_run *run = arg;

    run->task = NULL;
    bmc_run_end(run, &run->early);
}

/* Ends the call later with a fault, because no process was started. */
static void bmc_run_refuse(struct bmc_run *run, enum power_fault fault, struct text why)
{
    struct err unused;

    run->early = (struct power_answer){ .fault = fault, .why = record_sentence(run->memory, why) };
    if (!loop_task_open(run->runs->options.loop, bmc_early_report, run, &run->task, &unused)) {
        bmc_early_report(run);
    }
}

/* Reads {fault, state, why} of reeve-fetch. */
static void bmc_redfish_judge(struct bmc_run *run, const struct bmc_output *output,
                              struct power_answer *answer)
{
    static const char *const faults[] = {
        [POWER_FAULT_NONE] = "",
        [POWER_FAULT_SILENT] = "silent",
        [POWER_FAULT_LOGIN] = "login",
        [POWER_FAULT_PRIVILEGE] = "privilege",
        [POWER_FAULT_CERTIFICATE] = "certificate",
        [POWER_FAULT_SECRET] = "secret",
        [POWER_FAULT_TOOL] = "tool",
        [POWER_FAULT_BUSY] = "busy",
        [POWER_FAULT_OTHER] = "other",
    };
    struct text place = arena_printf(run->memory, "the BMC %.*s:%u", TEXT_ARG(run->power.address),
                                     (unsigned)run->power.port);
    struct text fault;
    struct text state;
    struct doc doc;
    struct err err;

    *answer = (struct power_answer){ .fault = POWER_FAULT_OTHER };
    if (output->is_late || output->code != 0 ||
        !json_parse(run->memory, output->out, NULL, &doc, &err)) {
        answer->fault = output->is_late ? POWER_FAULT_SILENT : POWER_FAULT_OTHER;
        answer->why = arena_printf(run->memory, "%.*s %s", TEXT_ARG(place),
                                   output->is_late ? "does not answer"
                                                   : "could not be asked: reeve-fetch has failed");
        return;
    }
    fault = doc_child_text(&doc, "fault");
    state = doc_child_text(&doc, "state");
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (text_is(fault, faults[i])) {
            answer->fault = (enum power_fault)i;
        }
    }
    if (answer->fault == POWER_FAULT_NONE) {
        answer->state = text_is(state, "on")    ? POWER_STATE_ON
                        : text_is(state, "off") ? POWER_STATE_OFF
                                                : POWER_STATE_UNKNOWN;
        return;
    }
    answer->why = arena_printf(run->memory, "%.*s %.*s", TEXT_ARG(place),
                               TEXT_ARG(record_sentence(run->memory, doc_child_text(&doc, "why"))));
}

static void bmc_child_ended(void *arg, const struct child_end *end)
{
    struct bmc_run *run = arg;
    struct bmc_output output = { .code = end->code,
                                 .is_late = end->is_late,
                                 .out = end->output[CHILD_OUT],
                                 .errors = end->output[CHILD_ERROR] };
    struct power_answer answer;

    run->child = NULL;
    if (run->power.protocol == POWER_IPMI) {
        bmc_ipmi_judge(run->memory, &run->power, run->call, &output, &answer);
    } else {
        bmc_redfish_judge(run, &output, &answer);
    }
    answer.why = record_sentence(run->memory, answer.why);
    bmc_run_end(run, &answer);
}

/* ---- processes ---- */

/* Puts the password into memory that the process gets as a descriptor. */
MUST_CHECK static bool bmc_password_open(struct bmc_run *run, struct text tenant, int *out,
                                         struct err *err)
{
    const struct bmc_options *options = &run->runs->options;
    AUTO(fd) memory = memfd_create("password", MFD_CLOEXEC);
    char value[LIMIT_SECRET_BYTES];
    size_t length = 0;
    bool is_good;

    if (options->reveal == NULL) {
        return err_set(err, CODE_R0667, "this manager has no secrets");
    }
    if (!options->reveal(options->arg, tenant, run->power.secret, value, &length, err)) {
        return false;
    }
    while (length > 0 && value[length - 1] == '\n') {
        length--; /* the files of secrets end with a newline */
    }
    is_good = length > 0 && memchr(value, '\n', length) == NULL &&
              memchr(value, '\0', length) == NULL && memory >= 0 &&
              write(memory, value, length) == (ssize_t)length && lseek(memory, 0, SEEK_SET) == 0;
    secret_wipe(value, sizeof(value));
    if (!is_good) {
        return err_set(err, CODE_R0720, "secret '%.*s' is not a password of one line",
                       TEXT_ARG(run->power.secret));
    }
    *out = memory;
    memory = FD_NONE;
    return true;
}

MUST_CHECK static bool bmc_process_start(struct bmc_run *run, struct child_options *child,
                                         int password, struct err *err)
{
    const struct bmc_options *options = &run->runs->options;
    AUTO(fd) authorities = FD_NONE;
    struct child_descriptor descriptors[2] = { { password, BMC_PASSWORD_FD } };

    child->descriptors = descriptors;
    child->descriptor_count = 1;
    if (run->power.protocol == POWER_REDFISH && options->ca != NULL) {
        authorities = open(options->ca, O_RDONLY | O_CLOEXEC);
        if (authorities >= 0) {
            descriptors[child->descriptor_count++] =
                (struct child_descriptor){ authorities, BMC_CA_FD };
        }
    }
    child->deadline_ms = BMC_DEADLINE_MS;
    child->grace_ms = BMC_GRACE_MS;
    child->output_max = BMC_OUTPUT_BYTES;
    child->done = bmc_child_ended;
    child->arg = run;
    child->is_session = true;
    child->is_killed_with_parent = true;
    return child_start(options->loop, child, &run->child, err);
}

static void bmc_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

/* The order for reeve-fetch: that of fetch/ipmi.h or fetch/redfish.h. */
static struct text bmc_order_make(const struct bmc_run *run, bool is_uefi)
{
    static const char *const calls[POWER_CALLS] = { "status", "boot", "off", "on" };
    const struct power *power = &run->power;
    bool is_v6 = text_find_byte(power->address, ':') != SIZE_MAX;
    struct doc_builder builder;
    struct doc order;
    struct buf buf;

    doc_builder_init(&builder, run->memory);
    if (power->protocol == POWER_IPMI) {
        bmc_text_put(&builder, "address", power->address);
    }
    if (power->protocol == POWER_REDFISH && run->runs->options.ca != NULL) {
        doc_builder_put(&builder, "ca", doc_bool(true, NULL));
    }
    bmc_text_put(&builder, "call", text_from(calls[run->call]));
    bmc_text_put(&builder, "pin", power->pin);
    if (power->protocol == POWER_IPMI) {
        doc_builder_put(&builder, "port", doc_int(run->memory, power->port, NULL));
    }
    bmc_text_put(&builder, "system", power->system);
    if (is_uefi) {
        doc_builder_put(&builder, "uefi", doc_bool(true, NULL));
    }
    if (power->protocol == POWER_REDFISH) {
        bmc_text_put(&builder, "url",
                     arena_printf(run->memory, "https://%s%.*s%s:%u", is_v6 ? "[" : "",
                                  TEXT_ARG(power->address), is_v6 ? "]" : "",
                                  (unsigned)power->port));
    }
    bmc_text_put(&builder, "user", power->user);
    order = doc_builder_map(&builder, NULL);
    buf_init(&buf, run->memory);
    json_format(&buf, &order);
    return buf_text(&buf);
}

MUST_CHECK static bool bmc_call_start(struct bmc_run *run, bool is_uefi, int password,
                                      struct err *err)
{
    const char *const argv[] = { "reeve-fetch",
                                 run->power.protocol == POWER_IPMI ? "ipmi" : "redfish", NULL };
    struct child_options child = { .path = run->runs->options.fetch,
                                   .argv = argv,
                                   .input = bmc_order_make(run, is_uefi) };

    return bmc_process_start(run, &child, password, err);
}

/* Copies the fields of the record that a call uses. */
static struct power bmc_power_copy(struct arena *arena, const struct power *power)
{
    return (struct power){
        .row = arena_text(arena, power->row),
        .protocol = power->protocol,
        .address = arena_text(arena, power->address),
        .port = power->port,
        .user = arena_text(arena, power->user),
        .secret = arena_text(arena, power->secret),
        .pin = arena_text(arena, power->pin),
        .system = arena_text(arena, power->system),
    };
}

void bmc_runs_call(struct bmc_runs *runs, struct text tenant, const struct power *power,
                   enum power_call call, bool is_uefi,
                   void (*done)(void *arg, const struct power_answer *answer), void *arg)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct bmc_run *run = arena_one(memory, struct bmc_run);
    AUTO(fd) password = FD_NONE;
    struct err err;

    assert(!runs->is_closed);
    *run = (struct bmc_run){ .next = runs->first,
                             .link = &runs->first,
                             .runs = runs,
                             .memory = memory,
                             .power = bmc_power_copy(memory, power),
                             .call = call,
                             .done = done,
                             .arg = arg };
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runs->first = run;
    if (power->protocol == POWER_IPMI && !bmc_has_ipmitool()) {
        bmc_run_refuse(run, POWER_FAULT_TOOL,
                       TEXT("ipmitool is not installed on the host of this manager: apt-get "
                            "install ipmitool"));
        return;
    }
    if (!bmc_password_open(run, tenant, &password, &err)) {
        bmc_run_refuse(
            run, POWER_FAULT_SECRET,
            arena_printf(memory, "the password of the BMC is not available: %s", err.text));
        return;
    }
    if (!bmc_call_start(run, is_uefi, password, &err)) {
        bmc_run_refuse(run, POWER_FAULT_OTHER, text_from(err.text));
    }
}

void bmc_runs_close(struct bmc_runs *runs)
{
    static const struct power_answer closed = { .fault = POWER_FAULT_OTHER,
                                                .why = { "the manager is stopping", 23 } };

    if (runs == NULL || runs->is_closed) {
        return;
    }
    runs->is_closed = true;
    for (struct bmc_run *run = runs->first, *next; run != NULL; run = next) {
        next = run->next;
        if (run->child != NULL) {
            child_kill(run->child);
        } else {
            bmc_run_end(run, &closed);
        }
    }
}

bool bmc_runs_are_over(const struct bmc_runs *runs)
{
    return runs == NULL || runs->first == NULL;
}

void bmc_runs_free(struct bmc_runs *runs)
{
    if (runs != NULL) {
        assert(runs->is_closed && runs->first == NULL);
        arena_free(runs->memory);
    }
}
