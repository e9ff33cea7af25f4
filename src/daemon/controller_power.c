#include "daemon/config/config.h"
#include "daemon/controller_state.h"
#include "records/record.h"
#include "sys/process.h"

/* public names start with: controller_ */

/* The power of machines: the runner of orders, and its calls to BMCs. */

enum { CONTROLLER_REBOOT_SILENT_MS = 60 * 1000 };

static void controller_power_call(void *arg, struct text tenant, const struct power *power,
                                  enum power_call call, bool is_uefi,
                                  void (*done)(void *done_arg, const struct power_answer *answer),
                                  void *done_arg)
{
    bmc_runs_call(((const struct controller *)arg)->bmcs, tenant, power, call, is_uefi, done,
                  done_arg);
}

static void controller_power_wake(void *arg)
{
    const struct controller *controller = arg;

    controller->options.wake(controller->options.arg);
}

/* True if the member of a row has begun a reboot some time ago that it has not completed. */
static bool controller_reboot_is_silent(void *arg, struct text tenant, struct text id,
                                        int64_t *out_since_ms)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct controller *controller = arg;
    const struct cache_object *object;
    struct discovered row;
    struct record record;
    struct text bytes;
    uint64_t now_ms;
    struct err err;

    if (controller->control == NULL ||
        !discovered_read(arena,
                         cache_find(controller->options.cache, tenant, TEXT(DISCOVERED_KIND), id),
                         &row) ||
        row.claim.token.length == 0) {
        return false;
    }
    object = cache_find(
        controller->options.cache, tenant, TEXT("Resource"),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(row.claim.cluster), TEXT_ARG(row.claim.token)));
    now_ms = control_clock(controller->control, arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant),
                                                             TEXT_ARG(row.claim.cluster)));
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL || now_ms == 0) {
        return false; /* another manager holds the cluster */
    }
    bytes = arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes));
    if (!record_parse(arena, row.claim.token, bytes, &record, &err) ||
        record.plan.reboot_begun_ms == 0 || record.plan.reboot_begun_ms > now_ms ||
        now_ms - record.plan.reboot_begun_ms <
            CONTROLLER_REBOOT_SILENT_MS / controller->options.time_scale) {
        return false;
    }
    *out_since_ms = controller_wall_ms(arg) - (int64_t)(now_ms - record.plan.reboot_begun_ms);
    return true;
}

void controller_power_start(struct controller *controller)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct controller_options *options = &controller->options;
    struct text program = arena_printf(arena, "%.*s/reeve-fetch", TEXT_ARG(process_folder(arena)));

    controller->bmcs = bmc_runs_new(
        &(struct bmc_options){ .loop = options->loop,
                               .fetch = arena_string(arena, program),
                               .ca = options->config == NULL ? NULL : options->config->fetch.ca,
                               .reveal = options->secrets.reveal,
                               .arg = options->secrets.arg });
    controller->power = power_runner_new(
        &(struct power_runner_options){ .store = options->store,
                                        .cache = options->cache,
                                        .now_ms = controller_now_ms,
                                        .wall_ms = controller_wall_ms,
                                        .call = controller_power_call,
                                        .is_reboot_silent = controller_reboot_is_silent,
                                        .wake = controller_power_wake,
                                        .session = controller->session,
                                        .times = options->time_scale,
                                        .arg = controller });
}
