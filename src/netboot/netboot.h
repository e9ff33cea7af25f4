#ifndef REEVE_NETBOOT_NETBOOT_H
#define REEVE_NETBOOT_NETBOOT_H

#include "records/discovered.h"
#include "service/service.h"

/* public names start with: netboot_ */

/* Machines that boot from the network (C4). Such a machine runs a system of reeve in memory, which
 * reports the hardware, and does what the answers say: wait, install an image, wipe the disks. Its
 * program is packaging/netboot/init.
 *
 * The machine makes its host key at each boot, and reports it. An operator approves that key, and
 * the installed system has it, so that reeve knows the key before the first login. Reports are not
 * secret and not authenticated: an answer has no secret, and a machine that reports for another one
 * does not have its key (I27).
 *
 * The safety rule: an answer asks for a write to a disk only for a machine that an operator, or the
 * policy of a file, has committed to that: netboot_may_install, netboot_may_wipe. */

enum {
    NETBOOT_WORD_BYTES = 64,
    NETBOOT_TEXT_BYTES = 512, /* of a text that a machine reports */
    NETBOOT_DISKS_MAX = 64,
    NETBOOT_WRITES = 50, /* of reports in a second, from all machines */
    NETBOOT_POLL_S = 5,
    NETBOOT_ROWS_MAX = 10 * 1000, /* of a tenant, after which unknown machines get no row */
};

/* What a machine reports. The texts have been checked by netboot_report_check. */
struct netboot_report {
    struct text tenant;
    struct text address; /* of the connection */
    struct text new_id;  /* id of the row that the machine gets if it has none */
    struct text boot;    /* id of the boot, which the kernel makes */
    struct text macs[DISCOVERED_MACS];
    size_t mac_count;
    struct text serial;
    struct text uuid;
    struct text host_key; /* TYPE BASE64 */
    struct text cpus;
    struct text memory_kib;
    struct text architecture;
    struct text kernel;
    struct text firmware;
    struct text disks; /* NAME BYTES NAME BYTES ... */
    /* About an installation; empty: the machine only asks what to do. */
    struct text id;
    struct text state; /* running, done, failed, wiped */
    struct text step;
    struct text text;
};

/* The fields of a report by their names in the form, in this order. `mac` has several addresses. */
enum { NETBOOT_FIELDS = 15 };
extern const char *const netboot_field_names[NETBOOT_FIELDS];

/* Reads and checks the values of a form, one for each name. R0855 with the name of the field. */
MUST_CHECK bool netboot_report_read(struct arena *arena, const struct text values[NETBOOT_FIELDS],
                                    struct netboot_report *out, struct err *err);

/* True if disks may be written: the machine is claimed by a member, has an order, and is the one
 * whose host key was approved. */
bool netboot_may_install(const struct discovered *row, const struct netboot_report *report);

/* True if the disks of a machine that has left its group may be wiped: its group requested it. */
bool netboot_may_wipe(const struct discovered *row);

/* The decision about a report. `row` is the row of the machine; NULL: it has none. */
struct netboot_decision {
    struct discovered row; /* the row as it must be */
    bool is_changed;       /* It has to be written. */
    const char *event;     /* type of its event; NULL: none */
    struct text fact;
    struct text answer; /* lines for the machine */
    /* The machine is switched off by its BMC, because its group wanted that. */
    bool is_switched_off;
};
void netboot_decide(struct arena *arena, const struct discovered *row,
                    const struct netboot_report *report, int64_t now_ms,
                    struct netboot_decision *out);

/* True if the row and the report are about the same machine: they have an Ethernet address in
 * common, and do not differ in serial number and UUID. */
bool netboot_is_same(const struct discovered *row, const struct netboot_report *report);

/* Takes a report. `done` gets the answer for the machine as plain text in `body`, or the error. */
void netboot_take(struct service *service, struct arena *arena, const struct netboot_report *report,
                  service_done *done, void *arg);

/* How a machine that asks for a boot script starts. */
enum netboot_start {
    NETBOOT_START_SYSTEM, /* the netboot system */
    NETBOOT_START_DISK,   /* its own disk */
};
enum netboot_start netboot_start_of(const struct service *service, struct arena *arena,
                                    struct text tenant, struct text mac, struct text *out_why);

/* True if the machine with this order may read the image now. */
bool netboot_may_read(const struct service *service, struct arena *arena, struct text tenant,
                      struct text digest, struct text id);

#endif
