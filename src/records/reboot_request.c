#include "records/reboot_request.h"

#include "codec/doc_child.h"
#include "plan/compute.h"

bool reboots_request_next(const struct doc *words, size_t *at, struct reboot_request *out)
{
    while (doc_is_list(words) && *at < words->item_count) {
        const struct doc *item = &words->items[(*at)++];
        const struct doc *number = doc_child(item, "number");
        const struct doc *by = doc_child(item, "by");
        int64_t value = 0;

        *out = (struct reboot_request){ .by = doc_is_scalar(by) ? by->text : TEXT(""),
                                        .tokens = doc_child(item, "tokens") };
        if (doc_is_scalar(number) && text_parse_int64(number->text, &value) && value > 0 &&
            doc_is_list(out->tokens)) {
            out->number = (uint64_t)value;
            return true;
        }
    }
    return false;
}

struct reboot_request reboots_request_of(const struct doc *words, struct text token)
{
    struct reboot_request found = { 0 };
    struct reboot_request request;
    size_t at = 0;

    while (reboots_request_next(words, &at, &request)) {
        for (size_t i = 0; i < request.tokens->item_count; i++) {
            if (text_is_equal(request.tokens->items[i].text, token) &&
                request.number > found.number) {
                found = request;
            }
        }
    }
    return found;
}

struct text reboots_boot(struct text read)
{
    return text_slice(read, 0, text_find_byte(read, ' '));
}

bool reboots_is_over(const struct record *record, struct text read, uint64_t now_ms)
{
    struct text boot = reboots_boot(read);
    struct text age = text_slice(read, boot.length + 1, SIZE_MAX);
    uint64_t since_ms = now_ms - record->plan.rebooted_ms;
    int64_t age_s = 0;

    if (record->plan.reboot_begun_ms == 0 || record->boot.length == 0 || boot.length == 0) {
        return false;
    }
    if (!text_is(record->boot, RECORD_BOOT_UNKNOWN)) {
        return !text_is_equal(record->boot, boot);
    }
    /* Uptimes are in whole seconds. So a boot in the same second as the reboot call counts as its
     * result. */
    return plan_reboot_is_called(&record->plan) && text_parse_int64(age, &age_s) && age_s >= 0 &&
           (uint64_t)age_s * 1000 <= since_ms;
}
