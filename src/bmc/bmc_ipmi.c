#include "bmc/bmc.h"

#include "base/limits.h"
#include "records/record.h"

#include <string.h>

/* public names start with: bmc_ */

/* What ipmitool says. It exits with 0 for some failures, so the words count, and a command without
 * the words of its success has failed. */

static bool bmc_has_words(struct text text, const char *words)
{
    return memmem(text.data, text.length, words, strlen(words)) != NULL;
}

/* The words of ipmitool, the fault that they mean, and the rest of a sentence about it. */
static const struct {
    const char *words;
    enum power_fault fault;
    const char *why;
} bmc_words[] = {
    { "RAKP 2 HMAC is invalid", POWER_FAULT_LOGIN, "does not accept the password of user" },
    { "unauthorized name", POWER_FAULT_LOGIN, "does not know the user, or has disabled" },
    { "unauthorized role", POWER_FAULT_PRIVILEGE, "does not let switch power the user" },
    { "Unauthorized role", POWER_FAULT_PRIVILEGE, "does not let switch power the user" },
    { "insufficient resources", POWER_FAULT_BUSY, "has no free session for user" },
    { "Node busy", POWER_FAULT_BUSY, "is busy, for user" },
    { "privilege level for this session", POWER_FAULT_PRIVILEGE,
      "does not let switch power the user" },
};

/* The last line of a text that is not empty. */
static struct text bmc_last_line(struct text text)
{
    struct text last = TEXT("");

    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');
        struct text line = text_trim(text_slice(text, 0, end));

        last = line.length > 0 ? line : last;
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, SIZE_MAX);
    }
    return last;
}

static void bmc_fault_set(struct power_answer *answer, enum power_fault fault, struct text why)
{
    answer->fault = fault;
    answer->why = why;
}

void bmc_ipmi_judge(struct arena *arena, const struct power *power, enum power_call call,
                    const struct bmc_output *output, struct power_answer *answer)
{
    static const char *const success[POWER_CALLS] = {
        [POWER_CALL_STATUS] = "Chassis Power is ",
        [POWER_CALL_BOOT] = "Set Boot Device to pxe",
        [POWER_CALL_OFF] = "Chassis Power Control: Down/Off",
        [POWER_CALL_ON] = "Chassis Power Control: Up/On",
    };
    struct text place =
        arena_printf(arena, "the BMC %.*s:%u", TEXT_ARG(power->address), (unsigned)power->port);

    *answer = (struct power_answer){ 0 };
    if (!output->is_late && output->code == 0 && bmc_has_words(output->out, success[call])) {
        answer->state = bmc_has_words(output->out, "Power is on")    ? POWER_STATE_ON
                        : bmc_has_words(output->out, "Power is off") ? POWER_STATE_OFF
                                                                     : POWER_STATE_UNKNOWN;
        return;
    }
    for (size_t i = 0; i < sizeof(bmc_words) / sizeof(bmc_words[0]); i++) {
        if (bmc_has_words(output->errors, bmc_words[i].words) ||
            bmc_has_words(output->out, bmc_words[i].words)) {
            bmc_fault_set(answer, bmc_words[i].fault,
                          arena_printf(arena, "%.*s %s '%.*s'", TEXT_ARG(place), bmc_words[i].why,
                                       TEXT_ARG(power->user)));
            return;
        }
    }
    if (output->is_late ||
        bmc_has_words(output->errors, "Get Channel Authentication Capabilities request") ||
        bmc_has_words(output->errors, "Unable to establish IPMI v2 / RMCP+ session")) {
        bmc_fault_set(answer, POWER_FAULT_SILENT,
                      arena_printf(arena, "%.*s does not answer", TEXT_ARG(place)));
    } else {
        struct text line = bmc_last_line(output->errors);

        bmc_fault_set(answer, POWER_FAULT_OTHER,
                      arena_printf(arena, "%.*s: %.*s", TEXT_ARG(place),
                                   TEXT_ARG(record_sentence(
                                       arena, line.length > 0 ? line : TEXT("no answer")))));
    }
}
