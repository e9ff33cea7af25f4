#include "reconcile/pass_effects.h"
#include "records/accepted.h"

/* public names start with: effects_ */

enum {
    HOST_KEYS_CALLS = 16,
    /* Cloud providers publish console output some minutes late. If there is no key after this time,
     * only an operator can help. */
    HOST_KEYS_ASK_MS = 60 * 60 * 1000,
};

/* Determines the host key that a machine must present. It comes from the provider that created the
 * machine, or from an operator after verification. A key that the machine itself presents is not
 * trusted (probe.c). */

/* Returns the record of an active machine that this pass has not changed. NULL: the record has
 * changes, and the next pass handles the key. */
static struct changing *idle_find(struct effects *effects, const struct fleet_machine *machine)
{
    struct changing *changing = effects_changing(effects, machine->index);

    return changing->is_changed || changing->call != NULL ? NULL : changing;
}

static void key_change(struct effects *effects, struct changing *changing, struct text fact)
{
    changing->is_changed = true;
    changing->event = control_event(effects->pass->arena, effects->reconciler,
                                    &(struct event){ .type = "machine.hostkey",
                                                     .group = changing->record.plan.group,
                                                     .slot = changing->record.plan.slot,
                                                     .has_slot = true,
                                                     .fact = fact,
                                                     .token = changing->record.plan.token,
                                                     .id = changing->record.plan.id,
                                                     .node = changing->record.name });
}

static void reported_keys_take(struct effects *effects)
{
    const struct pass *pass = effects->pass;

    for (size_t i = 0; i < pass->world.row_count; i++) {
        const struct provider_row *row = pass->rows[i];
        const struct fleet_machine *machine =
            row->host_key.length == 0 || pass->world.rows[i].token.length == 0
                ? NULL
                : fleet_machine_find(effects->reconciler->cluster, pass->world.rows[i].token);
        struct changing *changing;

        if (machine == NULL || machine->state != PLAN_RECORD_ACTIVE ||
            text_is_equal(fleet_machine_host_key(machine), row->host_key)) {
            continue;
        }
        changing = idle_find(effects, machine);
        if (changing != NULL && text_is_equal(changing->record.plan.id, row->id)) {
            record_reach_take(&changing->record, row);
            key_change(effects, changing, TEXT("the provider reported the host key"));
        }
    }
}

/* Requests missing host keys from the providers. Reading the console of a machine takes a separate
 * request to the provider, so a plugin does that only for machines in this request. The next
 * listing has the key. */
static void awaited_keys_ask(struct effects *effects)
{
    const struct fleet_cluster *cluster = effects->reconciler->cluster;
    size_t count = 0;

    for (size_t i = 0; i < cluster->count && count < HOST_KEYS_CALLS; i++) {
        const struct fleet_machine *machine = cluster->machines[i];
        struct control_way way = { .host_key = fleet_machine_host_key(machine) };
        const struct fleet_group *group;
        struct changing *changing;
        struct call *call;

        if (machine->state != PLAN_RECORD_ACTIVE || way.host_key.length > 0) {
            continue;
        }
        way.token = fleet_machine_token(machine);
        group = fleet_group_find(cluster, fleet_machine_group(machine));
        way.is_first_key_accepted = group == NULL || group->is_first_key_accepted;
        if (!reconciler_awaits_key(effects->reconciler, &way, HOST_KEYS_ASK_MS) ||
            control_is_calling(effects->control, cluster->key, way.token)) {
            continue;
        }
        changing = idle_find(effects, machine);
        call = changing == NULL
                   ? NULL
                   : effects_call_new(effects, &changing->record, CALL_KEY, TEXT("hostKey"));
        if (call != NULL) {
            call_start(call);
            count++;
        }
    }
}

/* ---- accepted by operators ---- */

/* Returns the host key of the recorded machine from its row in the listing. A clone with the same
 * token is ignored. */
static struct text reported_key(const struct pass *pass, const struct fleet_machine *machine)
{
    const struct plan_record *record = &pass->world.records[machine->index];

    for (size_t i = 0; i < pass->world.row_count; i++) {
        if (text_is_equal(pass->world.rows[i].token, record->token) &&
            text_is_equal(pass->world.rows[i].id, record->id)) {
            return pass->rows[i]->host_key;
        }
    }
    return TEXT("");
}

struct request {
    struct text token;
    struct text key;   /* empty: the key cannot be parsed */
    uint64_t revision; /* revision of the request, which is its id */
};

/* Removes a request that is done or cannot be fulfilled. A newer request stays for the next
 * pass. */
static struct unit *request_end(struct effects *effects, const struct request *request)
{
    struct pass *pass = effects->pass;

    return unit_add(pass->arena, &pass->units,
                    control_key(pass->arena, effects->reconciler->cluster, ACCEPTED_KIND,
                                request->token, CACHE_BASE),
                    request->revision, TEXT(""));
}

static void request_ignore(struct effects *effects, const struct request *request,
                           const struct fleet_machine *machine)
{
    static const struct text fact =
        TEXT("the host key that the provider reports differs from the accepted one");

    request_end(effects, request)->event = control_event(effects->pass->arena, effects->reconciler,
                                                         &(struct event){
                                                             .type = "machine.accept_ignored",
                                                             .group = fleet_machine_group(machine),
                                                             .slot = machine->slot,
                                                             .has_slot = true,
                                                             .fact = fact,
                                                             .token = request->token,
                                                         });
}

/* Executes a request. The record is changed first; a later pass that sees the change removes the
 * request. So after a crash in between, only the change is repeated. An alarm that is raised in
 * between is about another key, so it stays. */
static void request_take(struct effects *effects, const struct request *request)
{
    const struct fleet_machine *machine =
        fleet_machine_find(effects->reconciler->cluster, request->token);
    struct text reported = machine == NULL ? TEXT("") : reported_key(effects->pass, machine);
    struct changing *changing;

    if (machine == NULL || machine->state == PLAN_RECORD_DELETE || request->key.length == 0) {
        (void)request_end(effects, request);
    } else if (machine->state == PLAN_RECORD_ACTIVE && reported.length > 0 &&
               !text_is_equal(reported, request->key)) {
        request_ignore(effects, request, machine);
    } else if (machine->state == PLAN_RECORD_ACTIVE &&
               text_is_equal(fleet_machine_host_key(machine), request->key)) {
        (void)request_end(effects, request);
    } else if (machine->state == PLAN_RECORD_ACTIVE) {
        changing = idle_find(effects, machine);
        if (changing != NULL) {
            record_host_key_set(&changing->record, request->key);
            key_change(effects, changing, TEXT("an operator accepted the host key"));
            effects->reconciler->is_woken = true;
        }
    }
}

static void accepted_keys_take(struct effects *effects)
{
    struct pass *pass = effects->pass;
    const struct fleet_cluster *cluster = effects->reconciler->cluster;
    struct cache *cache = effects->control->cache;
    struct text prefix = arena_printf(pass->arena, "/%.*s/" ACCEPTED_KIND "/%.*s/",
                                      TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        const struct blob *bytes = object->parts[CACHE_BASE].bytes;
        struct request request = { .revision = object->parts[CACHE_BASE].revision };

        if (bytes == NULL) {
            continue;
        }
        if (!accepted_parse(pass->arena, arena_text(pass->arena, blob_text(bytes)), &request.key)) {
            request.key = TEXT("");
        }
        request.token =
            arena_text(pass->arena, text_slice(blob_text(object->key), prefix.length, SIZE_MAX));
        request_take(effects, &request);
    }
}

void effects_host_keys_take(struct effects *effects)
{
    reported_keys_take(effects);
    accepted_keys_take(effects);
    if (!effects->control->options.is_dry && effects->reconciler->cluster->is_bootstrapped) {
        awaited_keys_ask(effects);
    }
}
