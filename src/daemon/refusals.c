#include "daemon/refusals.h"

#include "base/mem.h"
#include "sys/dial.h"

/* public names start with: refusal_ */

enum { REFUSAL_MS = 1000 };

struct refusals {
    struct loop *loop;
    struct refusal *first;
};

struct refusal {
    struct dial *dial;
    struct loop_task *later;
    struct refusal *next;
    struct refusal **link;
    roster_refused *done;
    void *arg;
};

static void refusal_end(struct refusal *refusal, bool is_refused)
{
    *refusal->link = refusal->next;
    if (refusal->next != NULL) {
        refusal->next->link = refusal->link;
    }
    if (refusal->done != NULL) {
        refusal->done(refusal->arg, is_refused);
    }
    rows_free(refusal);
}

static void refusal_dialed(void *arg, enum dial_end end, const char *why)
{
    (void)why;
    refusal_end(arg, end == DIAL_REFUSED);
}

static void refusal_later(void *arg)
{
    refusal_end(arg, false);
}

/* Splits HOST:PORT, with brackets around an address of IPv6. */
static bool refusals_address_read(struct text address, struct text *host, uint16_t *port)
{
    size_t colon = address.length;
    int64_t number = 0;

    while (colon > 0 && address.data[colon - 1] != ':') {
        colon--;
    }
    if (colon < 2 || !text_parse_int64(text_slice(address, colon, SIZE_MAX), &number) ||
        number < 1 || number > UINT16_MAX) {
        return false;
    }
    *host = text_slice(address, 0, colon - 1);
    if (text_has_prefix(*host, TEXT("[")) && text_has_suffix(*host, TEXT("]"))) {
        *host = text_slice(*host, 1, host->length - 2);
    }
    *port = (uint16_t)number;
    return true;
}

struct refusals *refusals_new(struct loop *loop)
{
    struct refusals *refusals = rows_resize(NULL, sizeof(*refusals));

    *refusals = (struct refusals){ .loop = loop };
    return refusals;
}

void refusals_ask(struct refusals *refusals, struct text address, bool is_here,
                  roster_refused *done, void *done_arg)
{
    struct refusal *refusal = rows_resize(NULL, sizeof(*refusal));
    struct dial_target target = { .timeout_ms = REFUSAL_MS };
    struct err err;

    *refusal = (struct refusal){
        .next = refusals->first, .link = &refusals->first, .done = done, .arg = done_arg
    };
    if (refusal->next != NULL) {
        refusal->next->link = &refusal->next;
    }
    refusals->first = refusal;
    if (refusals_address_read(address, &target.address, &target.port) &&
        (is_here ||
         (!text_has_prefix(target.address, TEXT("127.")) && !text_is(target.address, "::1"))) &&
        dial_start(refusals->loop, &target, refusal_dialed, refusal, &refusal->dial, &err)) {
        return;
    }
    refusal->dial = NULL;
    if (!loop_task_open(refusals->loop, refusal_later, refusal, &refusal->later, &err)) {
        refusal->later = NULL; /* without an answer, the other manager's session ends when its
                                * heartbeats are missing */
    }
}

void refusals_free(struct refusals *refusals)
{
    while (refusals != NULL && refusals->first != NULL) {
        struct refusal *refusal = refusals->first;

        if (refusal->dial != NULL) {
            dial_cancel(refusal->dial);
        }
        if (refusal->later != NULL) {
            loop_task_cancel(refusal->later);
        }
        refusal->done = NULL; /* the roster that sent the request is ending too */
        refusal_end(refusal, false);
    }
    rows_free(refusals);
}
