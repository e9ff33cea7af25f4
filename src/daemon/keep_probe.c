#include "daemon/keep_probe.h"

#include "sys/dial.h"

#include <stdio.h>

/* One knock under way. */
struct knock {
    struct keep_probes *probes;
    struct knock *next;
    struct knock **link;
    struct dial *dial; /* NULL: it could not be begun, `later` tells so */
    struct loop_task *later;
    char why[LIMIT_ERROR_TEXT_BYTES];
    uint16_t port;
    control_probe_done *done;
    void *arg;
};

struct keep_probes {
    struct loop *loop;
    struct knock *knocks;
};

struct keep_probes *keep_probes_new(struct loop *loop)
{
    struct keep_probes *probes = rows_resize(NULL, sizeof(*probes));

    *probes = (struct keep_probes){ .loop = loop };
    return probes;
}

static void knock_unlink(struct knock *knock)
{
    *knock->link = knock->next;
    if (knock->next != NULL) {
        knock->next->link = knock->link;
    }
}

static void knock_end(struct knock *knock, enum control_probed found, const char *why)
{
    char words[LIMIT_ERROR_TEXT_BYTES];
    control_probe_done *done = knock->done;
    void *arg = knock->arg;

    snprintf(words, sizeof(words), "tcp %u: %s", knock->port, why);
    knock_unlink(knock);
    rows_free(knock);
    done(arg, found, text_from(words));
}

static void dialed(void *arg, enum dial_end end, const char *why)
{
    static const enum control_probed found[] = {
        [DIAL_OPEN] = CONTROL_PROBED_WELL,
        [DIAL_REFUSED] = CONTROL_PROBED_SICK,
        [DIAL_SILENT] = CONTROL_PROBED_UNREACHABLE,
    };

    knock_end(arg, found[end], end == DIAL_OPEN ? "open" : why);
}

static void not_begun(void *arg)
{
    struct knock *knock = arg;

    knock->later = NULL;
    knock_end(knock, CONTROL_PROBED_UNREACHABLE, knock->why);
}

void keep_probe(struct keep_probes *probes, const struct control_probe *probe,
                control_probe_done *done, void *arg)
{
    struct knock *knock = rows_resize(NULL, sizeof(*knock));
    struct err err;

    *knock = (struct knock){ .probes = probes,
                             .next = probes->knocks,
                             .link = &probes->knocks,
                             .port = probe->port,
                             .done = done,
                             .arg = arg };
    if (knock->next != NULL) {
        knock->next->link = &knock->next;
    }
    probes->knocks = knock;
    if (dial_start(probes->loop, probe->address, probe->port, probe->timeout_ms, dialed, knock,
                   &knock->dial, &err)) {
        return;
    }
    knock->dial = NULL;
    snprintf(knock->why, sizeof(knock->why), "%s", err.text);
    if (!loop_task_open(probes->loop, not_begun, knock, &knock->later, &err)) {
        not_begun(knock); /* no room for a task: told at once, which who asked bears */
    }
}

void keep_probes_free(struct keep_probes *probes)
{
    if (probes == NULL) {
        return;
    }
    for (struct knock *knock = probes->knocks, *next; knock != NULL; knock = next) {
        next = knock->next;
        if (knock->dial != NULL) {
            dial_cancel(knock->dial);
        }
        loop_task_cancel(knock->later);
        rows_free(knock);
    }
    rows_free(probes);
}
