#include "base/macros.h"
#include "records/fleet.h"

#include <assert.h>

/* public names start with: fleet_ */

/* Packs and unpacks rows of machines. */

static struct text fleet_pack_text_at(const struct fleet_machine *machine, struct fleet_place place)
{
    return text_slice(blob_text(machine->bytes), place.start, place.length);
}

static struct fleet_place fleet_pack_place_of(const struct fleet_machine *machine, struct text text)
{
    struct text bytes = blob_text(machine->bytes);
    size_t start = text.length == 0 ? 0 : (size_t)(text.data - bytes.data);

    assert(start + text.length <= bytes.length);
    assert(start <= UINT16_MAX && text.length <= UINT16_MAX);
    return (struct fleet_place){ (uint16_t)start, (uint16_t)text.length };
}

struct text fleet_machine_token(const struct fleet_machine *machine)
{
    return text_slice(blob_text(machine->key), machine->token, SIZE_MAX);
}

struct text fleet_machine_group(const struct fleet_machine *machine)
{
    return fleet_pack_text_at(machine, machine->group);
}

struct text fleet_machine_plugin(const struct fleet_machine *machine)
{
    return fleet_pack_text_at(machine, machine->plugin);
}

struct text fleet_machine_at(const struct fleet_machine *machine)
{
    return fleet_pack_text_at(machine, machine->at);
}

struct text fleet_machine_life(const struct fleet_machine *machine)
{
    return fleet_pack_text_at(machine, machine->life);
}

struct text fleet_machine_host_key(const struct fleet_machine *machine)
{
    return fleet_pack_text_at(machine, machine->host_key);
}

void fleet_machine_pack(struct fleet_machine *machine, const struct record *record)
{
    const struct plan_record *plan = &record->plan;

    machine->slot = plan->slot;
    machine->created_ms = plan->created_ms;
    machine->active_ms = plan->active_ms;
    machine->condemned_ms = plan->condemned_ms;
    machine->call_after_ms = plan->call_after_ms;
    machine->doubt_ms = plan->doubt_ms;
    machine->failing_since_ms = plan->failing_since_ms;
    machine->failed_since_ms = plan->failed_since_ms;
    machine->drifted_since_ms = plan->drifted_since_ms;
    machine->maintenance_since_ms = plan->maintenance_since_ms;
    machine->unreachable_since_ms = plan->unreachable_since_ms;
    machine->rebooted_ms = plan->rebooted_ms;
    machine->reboot_begun_ms = plan->reboot_begun_ms;
    machine->reboot_number = record->reboot_number;
    machine->losses = plan->losses;
    machine->refusals = plan->refusals;
    machine->failures = plan->failures;
    machine->group = fleet_pack_place_of(machine, plan->group);
    machine->generation = fleet_pack_place_of(machine, plan->generation);
    machine->id = fleet_pack_place_of(machine, plan->id);
    machine->labels = fleet_pack_place_of(machine, plan->labels);
    machine->zone = fleet_pack_place_of(machine, plan->zone);
    machine->plugin = fleet_pack_place_of(machine, record->plugin);
    machine->at = fleet_pack_place_of(machine, record->at);
    machine->life = fleet_pack_place_of(machine, record->life);
    machine->host_key = fleet_pack_place_of(machine, record->host_key);
    machine->state = (uint8_t)plan->state;
    machine->fault = (uint8_t)plan->fault;
    machine->is_answered = plan->is_answered;
    machine->is_protected = plan->is_protected;
    machine->is_starting = plan->is_starting;
    machine->is_unsent = false;
    machine->is_asked = record->is_asked;
    machine->is_evicted = plan->is_evicted;
    machine->is_alarmed = record->alarm.length > 0;
    machine->is_outdated = record->is_outdated;
    machine->is_blocked = record->is_blocked;
    machine->is_boot_known = plan->is_boot_known;
    machine->is_reboot_answered = plan->is_reboot_answered;
    machine->is_reboot_late = plan->is_reboot_late;
    machine->is_reboot_served = plan->is_reboot_served;
    machine->is_reboot_unsent = false;
}

uint64_t fleet_machine_latest(const struct fleet_machine *machine)
{
    const uint64_t times[] = {
        machine->created_ms,           machine->active_ms,
        machine->condemned_ms,         machine->doubt_ms,
        machine->failing_since_ms,     machine->failed_since_ms,
        machine->unreachable_since_ms, machine->rebooted_ms,
        machine->reboot_begun_ms,      machine->drifted_since_ms,
        machine->maintenance_since_ms,
    };
    uint64_t latest = 0;

    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        latest = times[i] > latest ? times[i] : latest;
    }
    return latest;
}

void fleet_machine_unpack(const struct fleet_machine *machine, struct plan_record *out)
{
    *out = (struct plan_record){
        .token = fleet_machine_token(machine),
        .group = fleet_pack_text_at(machine, machine->group),
        .slot = machine->slot,
        .generation = fleet_pack_text_at(machine, machine->generation),
        .is_replace_requested =
            record_is_replaced(fleet_pack_text_at(machine, machine->generation)),
        .id = fleet_pack_text_at(machine, machine->id),
        .state = (enum plan_record_state)machine->state,
        .created_ms = machine->created_ms,
        .active_ms = machine->active_ms,
        .condemned_ms = machine->condemned_ms,
        .is_answered = machine->is_answered,
        .is_protected = machine->is_protected,
        .is_starting = machine->is_starting,
        .call_after_ms = machine->call_after_ms,
        .failing_since_ms = machine->failing_since_ms,
        .failed_since_ms = machine->failed_since_ms,
        .drifted_since_ms = machine->drifted_since_ms,
        .maintenance_since_ms = machine->maintenance_since_ms,
        .unreachable_since_ms = machine->unreachable_since_ms,
        .rebooted_ms = machine->rebooted_ms,
        .reboot_begun_ms = machine->reboot_begun_ms,
        .is_boot_known = machine->is_boot_known,
        .is_reboot_answered = machine->is_reboot_answered,
        .is_reboot_late = machine->is_reboot_late,
        .is_reboot_served = machine->is_reboot_served,
        .is_reboot_unsent = machine->is_reboot_unsent,
        .losses = machine->losses,
        .labels = fleet_pack_text_at(machine, machine->labels),
        .zone = fleet_pack_text_at(machine, machine->zone),
        .fault = (enum plan_fault)machine->fault,
        .refusals = machine->refusals,
        .doubt_ms = machine->doubt_ms,
        .failures = machine->failures,
        .is_evicted = machine->is_evicted,
    };
}
