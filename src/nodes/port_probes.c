#include "nodes/port_probes.h"

#include "base/mem.h"

enum { PORT_PROBE_MS = 3000 };

struct port_probe {
    struct port_probes *probes;
    struct port_probe *next;
    struct port_probe **link;
    struct dial *dial;       /* NULL: the connection could not start */
    struct loop_task *later; /* a task that reports a failed start; otherwise NULL */
    port_probe_done *done;
    void *arg;
};

struct port_probes {
    struct loop *loop;
    struct port_probe *first;
};

struct port_probes *port_probes_new(struct loop *loop)
{
    struct port_probes *probes = rows_resize(NULL, sizeof(*probes));

    *probes = (struct port_probes){ .loop = loop };
    return probes;
}

static void port_probe_end(struct port_probe *probe, bool is_alive)
{
    *probe->link = probe->next;
    if (probe->next != NULL) {
        probe->next->link = probe->link;
    }
    probe->done(probe->arg, is_alive);
    rows_free(probe);
}

static void port_probe_dialed(void *arg, enum dial_end end, const char *why)
{
    (void)why;
    port_probe_end(arg, end == DIAL_OPEN);
}

static void port_probe_later(void *arg)
{
    port_probe_end(arg, false);
}

void port_probes_start(struct port_probes *probes, struct text address, uint16_t port,
                       port_probe_done *done, void *arg)
{
    struct port_probe *probe = rows_resize(NULL, sizeof(*probe));
    struct dial_target target = { .address = address, .port = port, .timeout_ms = PORT_PROBE_MS };
    struct err err;

    *probe = (struct port_probe){
        .probes = probes, .next = probes->first, .link = &probes->first, .done = done, .arg = arg
    };
    if (probe->next != NULL) {
        probe->next->link = &probe->next;
    }
    probes->first = probe;
    if (dial_start(probes->loop, &target, port_probe_dialed, probe, &probe->dial, &err)) {
        return;
    }
    probe->dial = NULL;
    if (!loop_task_open(probes->loop, port_probe_later, probe, &probe->later, &err)) {
        /* without a free task slot, the result is reported immediately */
        port_probe_end(probe, false);
    }
}

void port_probes_free(struct port_probes *probes)
{
    while (probes != NULL && probes->first != NULL) {
        struct port_probe *probe = probes->first;

        if (probe->dial != NULL) {
            dial_cancel(probe->dial);
        }
        loop_task_cancel(probe->later);
        port_probe_end(probe, false);
    }
    rows_free(probes);
}
