#include "netboot/netboot.h"

#include "base/limits.h"
#include "codec/json.h"
#include "inventory/observer.h"
#include "inventory/traits.h"
#include "records/record.h"

#include <string.h>

/* public names start with: netboot_ */

/* What the machine that has sent a report does next. Pure. */

enum { NETBOOT_KIB = 1024, NETBOOT_GROWTH = 4 };

/* ---- which machine ---- */

static bool netboot_differs(struct text a, struct text b)
{
    return a.length > 0 && b.length > 0 && !text_is_equal(a, b);
}

bool netboot_is_same(const struct discovered *row, const struct netboot_report *report)
{
    bool is_other =
        netboot_differs(row->serial, report->serial) || netboot_differs(row->uuid, report->uuid);

    if (text_is_equal(row->host_key, report->host_key)) {
        return true;
    }
    for (size_t i = 0; i < row->mac_count && !is_other; i++) {
        for (size_t j = 0; j < report->mac_count; j++) {
            if (text_is_equal(row->macs[i], report->macs[j])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the safety rule ---- */

bool netboot_may_install(const struct discovered *row, const struct netboot_report *report)
{
    return row->claim.token.length > 0 && row->install.id.length > 0 &&
           (row->install.state == DISCOVERED_INSTALL_WANTED ||
            row->install.state == DISCOVERED_INSTALL_RUNNING) &&
           discovered_is_approved(row) && text_is_equal(row->host_key, report->host_key);
}

bool netboot_may_wipe(const struct discovered *row)
{
    return row->claim.token.length == 0 && row->reserved.cluster.length == 0 &&
           row->install.state == DISCOVERED_INSTALL_WIPE && row->install.is_wiped_after;
}

/* ---- answers ---- */

static struct text netboot_wait(struct arena *arena, struct text say)
{
    return arena_printf(arena, "do wait\nseconds %d\nsay %.*s\n", NETBOOT_POLL_S, TEXT_ARG(say));
}

static struct text netboot_order(struct arena *arena, const struct discovered *row)
{
    const struct discovered_install *install = &row->install;
    struct text rest = install->keys;
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf,
               "do install\nseconds %d\nid %.*s\nname %.*s\nimage %.*s\nformat %.*s\nminBytes "
               "%llu\ndisk %.*s\nkernelArgs %.*s\nsay installs %.*s as %.*s\n",
               NETBOOT_POLL_S, TEXT_ARG(install->id), TEXT_ARG(row->claim.name),
               TEXT_ARG(install->digest), TEXT_ARG(install->format),
               (unsigned long long)install->bytes * NETBOOT_GROWTH, TEXT_ARG(install->disk),
               TEXT_ARG(install->arguments), TEXT_ARG(install->image), TEXT_ARG(row->claim.name));
    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);

        if (line.length > 0) {
            buf_printf(&buf, "key %.*s\n", TEXT_ARG(line));
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return buf_text(&buf);
}

/* What a machine that no member has waits for. */
static struct text netboot_waits_for(struct arena *arena, const struct discovered *row)
{
    struct text key = discovered_fingerprint(arena, row);

    if (row->is_ignored) {
        return TEXT("is ignored by an operator: reeve discover unignore");
    }
    if (row->conditions[LIFECYCLE_CONDITION_FAILED].since_ms > 0) {
        return arena_printf(arena, "waits for an operator: its commission has failed (%.*s)",
                            TEXT_ARG(row->conditions[LIFECYCLE_CONDITION_FAILED].reason));
    }
    if (row->reserved.cluster.length > 0) {
        return arena_printf(arena, "is reserved for group %.*s", TEXT_ARG(row->reserved.group));
    }
    if (!discovered_is_approved(row)) {
        return arena_printf(arena, "waits as %.*s (%.*s) for the approval of its host key %.*s",
                            TEXT_ARG(row->name), TEXT_ARG(row->id), TEXT_ARG(key));
    }
    return arena_printf(arena, "waits as %.*s (%.*s) to be commissioned", TEXT_ARG(row->name),
                        TEXT_ARG(row->id));
}

/* ---- rows ---- */

/* The reported values as the facts that a node reports, for traits_facts_make. */
static struct text netboot_facts(struct arena *arena, const struct netboot_report *report)
{
    struct text rest = report->disks;
    struct doc_builder builder;
    int64_t bytes = 0;
    int64_t disks = 0;
    struct doc doc;
    struct buf buf;

    while (rest.length > 0) {
        size_t middle = text_find_byte(rest, ' ');
        struct text tail = text_slice(rest, middle + 1, SIZE_MAX);
        size_t end = text_find_byte(tail, ' ');
        int64_t number = 0;

        (void)!text_parse_int64(text_slice(tail, 0, end), &number);
        bytes = number > INT64_MAX - bytes ? bytes : bytes + number;
        disks++;
        rest = end == SIZE_MAX ? TEXT("") : text_slice(tail, end + 1, SIZE_MAX);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "architecture", doc_text(report->architecture, NULL));
    doc_builder_put(&builder, "cpus", doc_text(report->cpus, NULL));
    doc_builder_put(&builder, "disks", doc_int(arena, disks, NULL));
    doc_builder_put(&builder, "firmware", doc_text(report->firmware, NULL));
    doc_builder_put(&builder, "kernel", doc_text(report->kernel, NULL));
    doc_builder_put(&builder, "memory_kib", doc_text(report->memory_kib, NULL));
    doc_builder_put(&builder, "storage_kib", doc_int(arena, bytes / NETBOOT_KIB, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return traits_facts_make(arena, buf_text(&buf), TEXT(""));
}

static void netboot_source_put(struct discovered *row, const struct netboot_report *report,
                               int64_t now_ms)
{
    size_t at = 0;

    while (at < row->source_count && !text_is(row->sources[at].kind, "netboot")) {
        at++;
    }
    if (at == DISCOVERED_SOURCES) {
        return;
    }
    if (at == row->source_count) {
        row->sources[row->source_count++] =
            (struct discovered_source){ .kind = TEXT("netboot"), .since_ms = now_ms };
    }
    row->sources[at].name = report->macs[0];
    row->sources[at].address = report->address;
    row->sources[at].seen_ms = now_ms;
}

/* Puts what a new boot of the machine has reported into the row. */
static void netboot_row_fill(struct arena *arena, const struct netboot_report *report,
                             int64_t now_ms, struct discovered *row)
{
    row->netboot = (struct discovered_netboot){ report->boot, now_ms };
    row->address = report->address;
    row->port = 0;
    row->host_key = report->host_key;
    row->serial = TEXT("");
    row->uuid = TEXT("");
    observer_identity_set(report->serial, report->uuid, row);
    row->mac_count = report->mac_count;
    memcpy(row->macs, report->macs, sizeof(row->macs));
    row->facts = netboot_facts(arena, report);
    row->read_ms = now_ms;
    row->read_fault = TEXT("");
    netboot_source_put(row, report, now_ms);
    /* the disks may have files of a former member, which the next image replaces */
    row->cleanup = (struct discovered_cleanup){ 0 };
    row->conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING] = (struct discovered_mark){ 0 };
    discovered_state_set(row, LIFECYCLE_STATE_DISCOVERED, now_ms);
    if (row->status == LIFECYCLE_STATUS_INCOMPLETE) {
        discovered_move(row, LIFECYCLE_STATUS_UNALLOCATED, now_ms, TEXT("reeve"),
                        TEXT("has booted from the network"));
    }
}

static struct discovered netboot_row_new(const struct netboot_report *report, int64_t now_ms)
{
    return (struct discovered){
        .id = report->new_id,
        .name = report->serial.length > 0 && record_is_plain(report->serial) ? report->serial
                                                                             : report->macs[0],
        .status = LIFECYCLE_STATUS_UNALLOCATED,
        .prev_status = LIFECYCLE_STATUS_INCOMPLETE,
        .status_since_ms = now_ms,
        .by = TEXT("reeve"),
        .why = TEXT("has booted from the network"),
    };
}

/* ---- installations ---- */

static void netboot_install_fail(struct arena *arena, int64_t now_ms, struct text step,
                                 struct text why, struct netboot_decision *out)
{
    struct discovered_install *install = &out->row.install;

    install->state = DISCOVERED_INSTALL_FAILED;
    install->step = step.length > 0 ? step : TEXT("start");
    install->why = text_slice(why, 0, DISCOVERED_INSTALL_WHY_BYTES);
    install->since_ms = now_ms;
    out->is_changed = true;
    out->event = "node.install_failed";
    out->fact = arena_printf(arena, "%.*s: %.*s", TEXT_ARG(install->step), TEXT_ARG(install->why));
}

/* Notes the step that a machine reports. */
static void netboot_step_take(struct arena *arena, const struct netboot_report *report,
                              int64_t now_ms, struct netboot_decision *out)
{
    struct discovered_install *install = &out->row.install;

    if (text_is(report->state, "failed")) {
        netboot_install_fail(
            arena, now_ms, report->step,
            report->text.length > 0 ? report->text : TEXT("no reason was reported"), out);
    } else if (text_is(report->state, "done")) {
        install->state = DISCOVERED_INSTALL_DONE;
        install->step = TEXT("boot");
        install->since_ms = now_ms;
        out->row.netboot = (struct discovered_netboot){ 0 };
        out->is_changed = true;
        out->event = "node.installed";
        out->fact = arena_printf(arena, "%.*s@sha256:%.*s", TEXT_ARG(install->image),
                                 TEXT_ARG(install->digest));
    } else if (install->state != DISCOVERED_INSTALL_RUNNING ||
               !text_is_equal(install->step, report->step)) {
        out->event = install->state == DISCOVERED_INSTALL_RUNNING ? NULL : "node.install_begun";
        out->fact = install->image;
        install->state = DISCOVERED_INSTALL_RUNNING;
        install->step = report->step.length > 0 ? report->step : TEXT("start");
        install->since_ms = now_ms;
        out->is_changed = true;
    }
}

static void netboot_claimed_decide(struct arena *arena, const struct netboot_report *report,
                                   int64_t now_ms, struct netboot_decision *out)
{
    struct discovered *row = &out->row;
    bool is_open = row->install.state == DISCOVERED_INSTALL_WANTED ||
                   row->install.state == DISCOVERED_INSTALL_RUNNING;

    if (is_open && !text_is_equal(row->host_key, report->host_key)) {
        netboot_install_fail(arena, now_ms, row->install.step,
                             TEXT("the machine has started again, with another host key"), out);
    } else if (is_open && report->id.length > 0 && text_is_equal(report->id, row->install.id)) {
        netboot_step_take(arena, report, now_ms, out);
    }
    if (netboot_may_install(row, report)) {
        out->answer = netboot_order(arena, row);
    } else {
        out->answer = netboot_wait(
            arena, row->install.state == DISCOVERED_INSTALL_DONE
                       ? arena_printf(arena, "is installed as %.*s: start it from its disk",
                                      TEXT_ARG(row->claim.name))
                   : row->install.state == DISCOVERED_INSTALL_FAILED
                       ? arena_printf(arena, "was not installed as %.*s (%.*s: %.*s)",
                                      TEXT_ARG(row->claim.name), TEXT_ARG(row->install.step),
                                      TEXT_ARG(row->install.why))
                       : arena_printf(arena, "is member %.*s: start it from its disk",
                                      TEXT_ARG(row->claim.name)));
    }
}

static void netboot_free_decide(struct arena *arena, const struct netboot_report *report,
                                int64_t now_ms, struct netboot_decision *out)
{
    struct discovered *row = &out->row;
    bool is_new = row->name.length == 0;

    if (is_new) {
        *row = netboot_row_new(report, now_ms);
    }
    if (!text_is_equal(row->netboot.boot, report->boot) ||
        !text_is_equal(row->address, report->address) ||
        !text_is_equal(row->host_key, report->host_key)) {
        netboot_row_fill(arena, report, now_ms, row);
        out->is_changed = true;
        out->event = is_new ? "node.seen" : "node.netbooted";
        out->fact =
            arena_printf(arena, "at %.*s, seen by netboot, host key %.*s", TEXT_ARG(row->address),
                         TEXT_ARG(discovered_fingerprint(arena, row)));
    }
    if (netboot_may_wipe(row)) {
        if (text_is_equal(report->id, row->install.id) && text_is(report->state, "wiped")) {
            out->is_switched_off = row->install.is_off_after;
            row->install = (struct discovered_install){ 0 };
            out->is_changed = true;
            out->event = "node.wiped";
        } else {
            out->answer = arena_printf(arena,
                                       "do wipe\nseconds %d\nid %.*s\nsay wipes its disks: it has "
                                       "left its group\n",
                                       NETBOOT_POLL_S, TEXT_ARG(row->install.id));
            return;
        }
    }
    out->answer = netboot_wait(arena, netboot_waits_for(arena, row));
}

void netboot_decide(struct arena *arena, const struct discovered *row,
                    const struct netboot_report *report, int64_t now_ms,
                    struct netboot_decision *out)
{
    *out = (struct netboot_decision){ .fact = TEXT(""), .answer = TEXT("") };
    if (row != NULL) {
        out->row = *row;
    }
    if (out->row.claim.token.length > 0) {
        netboot_claimed_decide(arena, report, now_ms, out);
    } else {
        netboot_free_decide(arena, report, now_ms, out);
    }
}
