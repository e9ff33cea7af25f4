#include "provider/sim.h"

#include "base/heap.h"
#include "base/limits.h"
#include "base/map.h"
#include "records/intent.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct sim_cluster {
    struct text key;
    /* machines by id, including destroyed ones until they are removed from memory */
    struct map by_id;
    struct map by_token; /* existing machines by token */
    struct map kinds;    /* by group */
    /* kind of the newest machine; most machines of a cluster have the same kind */
    struct sim_kind *newest;
    uint64_t version;    /* of the listing */
    uint64_t settles_ms; /* until this time the listing may change without a call */
};

struct sim_cloud {
    struct arena *memory;
    struct sim_options options;
    struct map clusters;
    struct map words; /* texts shared by many machines */
    struct heap calls;
    uint64_t made;
    on_sim_event *reported;
    void *event_arg;
};

struct sim_provider {
    struct provider provider; /* must be first */
    struct sim_cloud *cloud;
    struct sim_pending *pending; /* its active calls */
    uint64_t paused_until;
};

/* An active call. */
struct sim_pending {
    struct heap_node waiting;
    struct sim_pending *next;
    struct arena *arena;
    struct sim_provider *provider;
    enum sim_call call;
    struct sim_fate fate;
    uint64_t effect_due;
    uint64_t answer_due;
    struct text cluster;
    struct text id;
    struct text reason;
    struct text labels;
    struct text known;
    struct provider_request request;
    provider_done *done;
    void *arg;
    bool has_effect_ahead;
    bool is_answered;
    struct text made_id;
    struct text listed_id; /* the machine that had the token when the call was made; may be empty */
};

static uint64_t sim_now_of(const struct sim_cloud *cloud)
{
    return cloud->options.now_ms(cloud->options.arg);
}

/* ---- clusters and machines ---- */

static struct sim_cluster *sim_cluster_of(struct sim_cloud *cloud, struct text key)
{
    struct sim_cluster *cluster = map_find(&cloud->clusters, key);

    if (cluster == NULL) {
        cluster = arena_one(cloud->memory, struct sim_cluster);
        cluster->key = arena_text(cloud->memory, key);
        map_init(&cluster->by_id, cloud->memory);
        map_init(&cluster->by_token, cloud->memory);
        map_init(&cluster->kinds, cloud->memory);
        map_put(&cloud->clusters, cluster->key, cluster);
    }
    return cluster;
}

/* Records that the cluster's listing has changed, and may change without a call until
 * `until_ms`. */
static void cluster_touch(struct sim_cluster *cluster, uint64_t until_ms)
{
    cluster->version++;
    cluster->settles_ms = until_ms > cluster->settles_ms ? until_ms : cluster->settles_ms;
}

static struct provider_tags tags_copy(struct arena *arena, const struct provider_tags *tags)
{
    return (struct provider_tags){
        .cluster = arena_text(arena, tags->cluster),
        .life = arena_text(arena, tags->life),
        .group = arena_text(arena, tags->group),
        .slot = tags->slot,
        .token = arena_text(arena, tags->token),
        .mac = arena_text(arena, tags->mac),
    };
}

/* Returns the shared copy of a text. The copy is never freed, because the number of copies depends
 * only on groups, zones and properties, not on machines. */
static struct text sim_word_of(struct sim_cloud *cloud, struct text text)
{
    struct text *word;

    if (text.length == 0) {
        return TEXT("");
    }
    word = map_find(&cloud->words, text);
    if (word == NULL) {
        word = arena_one(cloud->memory, struct text);
        *word = arena_text(cloud->memory, text);
        map_put(&cloud->words, *word, word);
    }
    return *word;
}

static bool is_of_kind(const struct sim_kind *kind, const struct provider_request *request)
{
    return kind != NULL && text_is_equal(kind->group, request->tags.group) &&
           text_is_equal(kind->life, request->tags.life) &&
           text_is_equal(kind->zone, request->zone) &&
           text_is_equal(kind->properties, request->properties);
}

static const struct sim_kind *kind_of(struct sim_cloud *cloud, struct sim_cluster *cluster,
                                      const struct provider_request *request)
{
    struct sim_kind *first;
    struct sim_kind *kind = cluster->newest;

    if (is_of_kind(kind, request)) {
        return kind;
    }
    first = map_find(&cluster->kinds, request->tags.group);
    for (kind = first; kind != NULL && !is_of_kind(kind, request); kind = kind->next) {
    }
    if (kind == NULL) {
        kind = arena_one(cloud->memory, struct sim_kind);
        *kind = (struct sim_kind){
            .memory = cluster,
            .life = sim_word_of(cloud, request->tags.life),
            .group = sim_word_of(cloud, request->tags.group),
            .zone = sim_word_of(cloud, request->zone),
            .properties = sim_word_of(cloud, request->properties),
            .next = first,
        };
        map_put(&cluster->kinds, kind->group, kind);
    }
    cluster->newest = kind;
    return kind;
}

static struct text put_behind(char **at, struct text text)
{
    struct text copy = { *at, text.length };

    if (text.length > 0) {
        memcpy(*at, text.data, text.length);
    }
    (*at)[text.length] = '\0';
    *at += text.length + 1;
    return copy;
}

/* Allocates a machine together with its own texts. */
static struct sim_machine *machine_new(const struct sim_kind *kind, struct text id,
                                       const struct provider_tags *tags)
{
    struct sim_machine *machine =
        rows_resize(NULL, sizeof(*machine) + id.length + tags->token.length + tags->mac.length + 3);
    char *at = (char *)(machine + 1);

    *machine = (struct sim_machine){ .kind = kind, .slot = tags->slot };
    machine->id = put_behind(&at, id);
    machine->token = put_behind(&at, tags->token);
    machine->mac = put_behind(&at, tags->mac);
    machine->labels = TEXT("");
    machine->reason = TEXT("");
    machine->host_key = TEXT("");
    machine->end_reason = TEXT("");
    machine->end_message = TEXT("");
    return machine;
}

static struct sim_machine *sim_machine_make(struct sim_cloud *cloud,
                                            const struct provider_request *request)
{
    const struct sim_options *options = &cloud->options;
    struct sim_cluster *cluster = sim_cluster_of(cloud, request->tags.cluster);
    struct sim_machine *machine;
    char id[32];

    cluster_touch(cluster, sim_now_of(cloud) + (options->boot_ms > options->visible_ms
                                                    ? options->boot_ms
                                                    : options->visible_ms));
    snprintf(id, sizeof(id), "sim-%llu", (unsigned long long)++cloud->made);
    machine = machine_new(kind_of(cloud, cluster, request), text_from(id), &request->tags);
    machine->made_ms = sim_now_of(cloud);
    map_put(&cluster->by_id, machine->id, machine);
    if (machine->token.length > 0 && map_find(&cluster->by_token, machine->token) == NULL) {
        map_put(&cluster->by_token, machine->token, machine);
    }
    return machine;
}

struct provider_tags sim_tags(const struct sim_machine *machine)
{
    return (struct provider_tags){
        .cluster = machine->kind->memory->key,
        .life = machine->kind->life,
        .group = machine->kind->group,
        .slot = machine->slot,
        .token = machine->token,
        .mac = machine->mac,
    };
}

bool sim_is_there(const struct sim_machine *machine)
{
    return machine->ended_ms == 0;
}

bool sim_is_running(const struct sim_cloud *cloud, const struct sim_machine *machine)
{
    return sim_is_there(machine) && machine->stopped_ms == 0 &&
           sim_now_of(cloud) - machine->made_ms >= cloud->options.boot_ms;
}

void sim_end(struct sim_cloud *cloud, struct sim_machine *machine)
{
    struct sim_cluster *cluster = machine->kind->memory;

    if (machine->ended_ms == 0) {
        machine->ended_ms = sim_now_of(cloud) == 0 ? 1 : sim_now_of(cloud);
        cluster_touch(cluster,
                      machine->ended_ms + cloud->options.visible_ms + cloud->options.ended_ms);
        if (map_find(&cluster->by_token, machine->token) == machine) {
            map_remove(&cluster->by_token, machine->token);
        }
    }
}

void sim_stop(struct sim_cloud *cloud, struct sim_machine *machine)
{
    machine->stopped_ms = sim_now_of(cloud) == 0 ? 1 : sim_now_of(cloud);
    cluster_touch(machine->kind->memory, machine->stopped_ms);
}

void sim_hide(struct sim_machine *machine, uint64_t until_ms)
{
    machine->hidden_until_ms = until_ms;
    cluster_touch(machine->kind->memory, until_ms);
}

struct sim_machine *sim_plant(struct sim_cloud *cloud, const struct provider_tags *tags)
{
    struct sim_machine *machine =
        sim_machine_make(cloud, &(struct provider_request){ .tags = *tags });

    machine->is_planted = true;
    return machine;
}

struct sim_machine *sim_first(struct sim_cloud *cloud, struct text cluster)
{
    const struct map_node *node = map_first(&sim_cluster_of(cloud, cluster)->by_id, TEXT(""));

    return node == NULL ? NULL : node->value;
}

struct sim_machine *sim_next(struct sim_cloud *cloud, struct text cluster,
                             const struct sim_machine *machine)
{
    const struct map_node *node = map_after(&sim_cluster_of(cloud, cluster)->by_id, machine->id);

    return node == NULL ? NULL : node->value;
}

static void sim_cluster_forget(struct sim_cluster *cluster, uint64_t before_ms)
{
    const struct map_node *node = map_first(&cluster->by_id, TEXT(""));

    while (node != NULL) {
        struct sim_machine *machine = node->value;

        if (machine->ended_ms > 0 && machine->ended_ms < before_ms) {
            map_remove(&cluster->by_id, machine->id);
            node = map_after(&cluster->by_id, machine->id);
            rows_free(machine);
        } else {
            node = map_after(&cluster->by_id, machine->id);
        }
    }
}

void sim_forget(struct sim_cloud *cloud, uint64_t before_ms)
{
    for (const struct map_node *node = map_first(&cloud->clusters, TEXT("")); node != NULL;
         node = map_after(&cloud->clusters, node->key)) {
        sim_cluster_forget(node->value, before_ms);
    }
}

void sim_watch(struct sim_cloud *cloud, on_sim_event *reported, void *arg)
{
    cloud->reported = reported;
    cloud->event_arg = arg;
}

/* ---- effects ---- */

static bool is_sim_visible(const struct sim_cloud *cloud, const struct sim_machine *machine);

/* Returns the machine with a token in the listing. If the provider does not compare tokens, a
 * plugin can only check the listing before it creates a machine. */
static struct sim_machine *sim_listed_of_token(const struct sim_cloud *cloud,
                                               const struct sim_cluster *cluster, struct text token)
{
    for (const struct map_node *node = map_first(&cluster->by_id, TEXT("")); node != NULL;
         node = map_after(&cluster->by_id, node->key)) {
        struct sim_machine *machine = node->value;

        if (!machine->is_planted && machine->ended_ms == 0 && is_sim_visible(cloud, machine) &&
            text_is_equal(machine->token, token)) {
            return machine;
        }
    }
    return NULL;
}

/* Returns the machine that already has the token of a create; NULL: none is known. */
static struct sim_machine *sim_machine_of_token(const struct sim_pending *pending)
{
    const struct sim_cloud *cloud = pending->provider->cloud;
    const struct sim_cluster *cluster =
        sim_cluster_of(pending->provider->cloud, pending->request.tags.cluster);
    struct text token = pending->request.tags.token;

    return cloud->options.is_forgetting_tokens ? NULL
           : cloud->options.is_tokenless       ? map_find(&cluster->by_id, pending->listed_id)
                                               : map_find(&cluster->by_token, token);
}

static void create_effect(struct sim_pending *pending)
{
    struct sim_cloud *cloud = pending->provider->cloud;
    const struct provider_request *request = &pending->request;
    struct sim_machine *machine = sim_machine_of_token(pending);

    if (machine == NULL) {
        machine = sim_machine_make(cloud, request);
        if (cloud->reported != NULL) {
            cloud->reported(cloud->event_arg, machine, false);
        }
    }
    pending->made_id = arena_text(pending->arena, machine->id);
}

static void destroy_effect(struct sim_pending *pending)
{
    struct sim_cloud *cloud = pending->provider->cloud;
    struct sim_cluster *cluster = sim_cluster_of(cloud, pending->cluster);
    struct sim_machine *machine = map_find(&cluster->by_id, pending->id);

    if (machine == NULL || machine->ended_ms > 0) {
        return;
    }
    machine->reason = sim_word_of(cloud, pending->reason);
    if (cloud->reported != NULL) {
        cloud->reported(cloud->event_arg, machine, true);
    }
    sim_end(cloud, machine);
}

/* Applies the effect of a call that keeps the machine. */
static void place_effect(struct sim_pending *pending)
{
    struct sim_cluster *cluster = sim_cluster_of(pending->provider->cloud, pending->cluster);
    struct sim_machine *machine = map_find(&cluster->by_id, pending->id);

    if (machine == NULL || machine->ended_ms > 0) {
        return;
    }
    if (pending->call == SIM_LABEL) {
        machine->labels = sim_word_of(pending->provider->cloud, pending->labels);
    } else {
        machine->reboots++;
        machine->rebooted_ms = sim_now_of(pending->provider->cloud);
        machine->stopped_ms = 0;
        cluster_touch(cluster, sim_now_of(pending->provider->cloud));
    }
}

/* ---- answers ---- */

/* Returns whether listings show that the machine has ended. */
static bool is_sim_shown_ended(const struct sim_cloud *cloud, const struct sim_machine *machine)
{
    uint64_t since = sim_now_of(cloud) - machine->ended_ms;

    return machine->ended_ms > 0 && since >= cloud->options.visible_ms &&
           since < cloud->options.visible_ms + cloud->options.ended_ms;
}

static enum plan_row_state sim_state_of(const struct sim_cloud *cloud,
                                        const struct sim_machine *machine)
{
    if (is_sim_shown_ended(cloud, machine)) {
        return PLAN_ROW_ENDED;
    }
    if (machine->stopped_ms > 0) {
        return PLAN_ROW_STOPPED;
    }
    return sim_is_running(cloud, machine) ? PLAN_ROW_RUNNING : PLAN_ROW_PENDING;
}

static bool is_sim_visible(const struct sim_cloud *cloud, const struct sim_machine *machine)
{
    uint64_t now = sim_now_of(cloud);
    uint64_t lag = cloud->options.visible_ms;

    return now - machine->made_ms >= lag && now >= machine->hidden_until_ms &&
           (machine->ended_ms == 0 || now - machine->ended_ms < lag + cloud->options.ended_ms);
}

static bool is_lacking(const struct sim_cloud *cloud, const struct sim_fate *fate)
{
    return (fate->is_partial || fate->is_lying) && cloud->options.luck != NULL &&
           cloud->options.luck(cloud->options.arg) % 1000 < fate->lacking_permille;
}

/* Returns the listing token. Returns an empty text if the listing may still change or is
 * falsified. */
static struct text sim_mark_of(const struct sim_pending *pending, const struct sim_cluster *cluster)
{
    const struct sim_fate *fate = &pending->fate;

    if (fate->is_partial || fate->is_lying || fate->is_doubled ||
        sim_now_of(pending->provider->cloud) < cluster->settles_ms) {
        return TEXT("");
    }
    return arena_printf(pending->arena, "%llu", (unsigned long long)cluster->version);
}

static void list_answer(struct sim_pending *pending, struct provider_answer *answer)
{
    struct sim_cloud *cloud = pending->provider->cloud;
    struct sim_cluster *cluster = sim_cluster_of(cloud, pending->cluster);
    size_t room = cluster->by_id.count * (pending->fate.is_doubled ? 2 : 1);
    struct provider_row *rows;
    struct map_cursor cursor;
    const struct map_node *node;
    size_t count = 0;

    answer->is_complete = !pending->fate.is_partial;
    answer->mark = sim_mark_of(pending, cluster);
    if (answer->mark.length > 0 && text_is_equal(answer->mark, pending->known)) {
        answer->is_same = true;
        return;
    }
    rows = arena_array(pending->arena, struct provider_row, room);
    for (node = map_cursor_seek(&cursor, &cluster->by_id, TEXT("")); node != NULL;
         node = map_cursor_next(&cursor)) {
        const struct sim_machine *machine = node->value;

        if (!is_sim_visible(cloud, machine) || is_lacking(cloud, &pending->fate)) {
            continue;
        }
        for (int i = 0; i < (pending->fate.is_doubled ? 2 : 1); i++) {
            rows[count++] = (struct provider_row){
                .id = machine->id,
                .tags = sim_tags(machine),
                .zone = machine->kind->zone,
                .address = cloud->options.has_addresses ? machine->id : TEXT(""),
                .host_key = machine->host_key,
                .end_reason = arena_text(pending->arena, machine->end_reason),
                .end_message = arena_text(pending->arena, machine->end_message),
                .state = sim_state_of(cloud, machine)
            };
        }
    }
    answer->rows = rows;
    answer->count = count;
}

static void find_answer(struct sim_pending *pending, struct provider_answer *answer)
{
    struct sim_cloud *cloud = pending->provider->cloud;
    struct sim_cluster *cluster = sim_cluster_of(cloud, pending->cluster);
    struct sim_machine *machine = map_find(&cluster->by_id, pending->id);
    struct provider_row *row = arena_one(pending->arena, struct provider_row);
    bool is_found = machine != NULL && machine->ended_ms == 0;

    if (pending->fate.is_lying &&
        (pending->fate.is_lying_again || machine == NULL || !machine->was_lied_about)) {
        is_found = !is_found;
    }
    if (machine != NULL) {
        machine->was_lied_about = is_found != (machine->ended_ms == 0);
    }
    *row = (struct provider_row){ .id = pending->id, .state = PLAN_ROW_RUNNING };
    if (machine != NULL) {
        row->tags = sim_tags(machine);
        row->state = sim_state_of(cloud, machine);
    }
    /* a lookup by id shows an ended machine as ended; a falsified answer shows an existing machine
     * as ended */
    if (!is_found && machine != NULL && cloud->options.ended_ms > 0) {
        row->state = PLAN_ROW_ENDED;
        is_found = true;
    }
    answer->rows = row;
    answer->count = is_found;
    answer->is_complete = true;
}

static void sim_answer_give(struct sim_pending *pending)
{
    const struct sim_fate *fate = &pending->fate;
    struct provider_answer answer = { .id = pending->made_id };
    enum outcome outcome = OUTCOME_OK;

    pending->is_answered = true;
    if (fate->fault != PROVIDER_FAULT_NONE) {
        answer.fault = fate->fault;
        answer.message = text_from(provider_fault_name(fate->fault));
        answer.retry_ms = fate->retry_ms;
        outcome = OUTCOME_REFUSED;
    } else if (fate->is_unknown || pending->has_effect_ahead ||
               (fate->has_no_effect && pending->call != SIM_LIST && pending->call != SIM_FIND)) {
        answer.message = TEXT("no answer in time");
        outcome = OUTCOME_UNKNOWN;
    } else if (pending->call == SIM_LIST) {
        list_answer(pending, &answer);
    } else if (pending->call == SIM_FIND) {
        find_answer(pending, &answer);
    }
    if (pending->done != NULL) {
        pending->done(pending->arg, outcome, &answer);
    }
}

static void pending_end(struct sim_pending *pending)
{
    struct sim_pending **link = &pending->provider->pending;

    while (*link != NULL && *link != pending) {
        link = &(*link)->next;
    }
    if (*link == pending) {
        *link = pending->next;
    }
    heap_remove(&pending->provider->cloud->calls, &pending->waiting);
    arena_free(pending->arena);
}

static void pending_run(struct sim_pending *pending, uint64_t now)
{
    if (pending->has_effect_ahead && pending->effect_due <= now) {
        pending->has_effect_ahead = false;
        if (pending->call == SIM_CREATE) {
            create_effect(pending);
        } else if (pending->call == SIM_DESTROY) {
            destroy_effect(pending);
        } else {
            place_effect(pending);
        }
    }
    if (!pending->is_answered && pending->answer_due <= now) {
        if (pending->provider->paused_until > now) {
            pending->answer_due = pending->provider->paused_until;
        } else {
            sim_answer_give(pending);
        }
    }
    if (pending->is_answered && !pending->has_effect_ahead) {
        pending_end(pending);
        return;
    }
    heap_put(&pending->provider->cloud->calls, &pending->waiting,
             pending->is_answered                        ? pending->effect_due
             : !pending->has_effect_ahead                ? pending->answer_due
             : pending->effect_due < pending->answer_due ? pending->effect_due
                                                         : pending->answer_due);
}

size_t sim_cloud_run(struct sim_cloud *cloud)
{
    uint64_t now = sim_now_of(cloud);
    size_t count = 0;

    for (struct heap_node *first; (first = heap_first(&cloud->calls)) != NULL && first->due <= now;
         count++) {
        heap_remove(&cloud->calls, first);
        pending_run(heap_owner(first, struct sim_pending, waiting), now);
    }
    return count;
}

uint64_t sim_cloud_due(const struct sim_cloud *cloud)
{
    const struct heap_node *first = heap_first(&cloud->calls);

    return first == NULL ? UINT64_MAX : first->due;
}

/* ---- the driver ---- */

static struct sim_pending *sim_pending_new(struct provider *port, enum sim_call call,
                                           struct text cluster, provider_done *done, void *arg)
{
    struct sim_provider *provider = (struct sim_provider *)port;
    struct sim_cloud *cloud = provider->cloud;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct sim_pending *pending = arena_one(arena, struct sim_pending);
    uint64_t now = sim_now_of(cloud);
    bool changes = call != SIM_LIST && call != SIM_FIND;

    *pending = (struct sim_pending){
        .arena = arena,
        .provider = provider,
        .next = provider->pending,
        .call = call,
        .cluster = arena_text(arena, cluster),
        .done = done,
        .arg = arg,
    };
    if (cloud->options.fate != NULL) {
        pending->fate = cloud->options.fate(cloud->options.arg, call, cluster);
    }
    pending->effect_due = now + pending->fate.effect_ms;
    pending->answer_due = now + pending->fate.answer_ms;
    pending->has_effect_ahead =
        changes && !pending->fate.has_no_effect && pending->fate.fault == PROVIDER_FAULT_NONE;
    provider->pending = pending;
    heap_put(&cloud->calls, &pending->waiting,
             pending->has_effect_ahead && pending->effect_due < pending->answer_due
                 ? pending->effect_due
                 : pending->answer_due);
    return pending;
}

/* Looks up the token in the listing before the create, as a plugin does for a provider without
 * tokens. */
static void listed_take(struct sim_pending *pending)
{
    struct sim_cloud *cloud = pending->provider->cloud;
    const struct sim_machine *machine = sim_listed_of_token(
        cloud, sim_cluster_of(cloud, pending->request.tags.cluster), pending->request.tags.token);

    if (machine != NULL) {
        pending->listed_id = arena_text(pending->arena, machine->id);
    }
}

static void asked_report(struct sim_cloud *cloud, enum sim_call call, const struct intent *intent)
{
    if (cloud->options.asked != NULL) {
        cloud->options.asked(cloud->options.arg, call, intent);
    }
}

static void sim_driver_create(struct provider *port, const struct intent *intent,
                              const struct provider_request *request, provider_done *done,
                              void *arg)
{
    struct sim_pending *pending =
        sim_pending_new(port, SIM_CREATE, request->tags.cluster, done, arg);

    asked_report(pending->provider->cloud, SIM_CREATE, intent);
    pending->reason = arena_text(pending->arena, intent_reason(intent));
    pending->request = (struct provider_request){
        .tags = tags_copy(pending->arena, &request->tags),
        .zone = arena_text(pending->arena, request->zone),
        .properties = arena_text(pending->arena, request->properties),
    };
    if (pending->provider->cloud->options.is_tokenless) {
        listed_take(pending);
    }
}

static void sim_driver_destroy(struct provider *port, const struct intent *intent,
                               provider_done *done, void *arg)
{
    struct sim_pending *pending =
        sim_pending_new(port, SIM_DESTROY, intent_cluster(intent), done, arg);

    asked_report(pending->provider->cloud, SIM_DESTROY, intent);
    pending->id = arena_text(pending->arena, intent_id(intent));
    pending->reason = arena_text(pending->arena, intent_reason(intent));
}

static void sim_driver_label(struct provider *port, const struct intent *intent, struct text labels,
                             provider_done *done, void *arg)
{
    struct sim_pending *pending =
        sim_pending_new(port, SIM_LABEL, intent_cluster(intent), done, arg);

    pending->id = arena_text(pending->arena, intent_id(intent));
    pending->labels = arena_text(pending->arena, labels);
}

static void sim_driver_reboot(struct provider *port, const struct intent *intent,
                              provider_done *done, void *arg)
{
    struct sim_pending *pending =
        sim_pending_new(port, SIM_REBOOT, intent_cluster(intent), done, arg);

    asked_report(pending->provider->cloud, SIM_REBOOT, intent);
    pending->id = arena_text(pending->arena, intent_id(intent));
}

static void sim_driver_list(struct provider *port, struct text cluster, struct text known,
                            provider_done *done, void *arg)
{
    struct sim_pending *pending = sim_pending_new(port, SIM_LIST, cluster, done, arg);

    pending->known = arena_text(pending->arena, known);
}

static void sim_driver_find(struct provider *port, const struct intent *intent, provider_done *done,
                            void *arg)
{
    struct sim_pending *pending =
        sim_pending_new(port, SIM_FIND, intent_cluster(intent), done, arg);

    pending->id = arena_text(pending->arena, intent_id(intent));
}

/* Active calls may still take effect, but are no longer reported. */
static void sim_driver_close(struct provider *port)
{
    struct sim_provider *provider = (struct sim_provider *)port;

    for (struct sim_pending *pending = provider->pending; pending != NULL;
         pending = pending->next) {
        if (!pending->is_answered) {
            pending->is_answered = true;
            pending->done(pending->arg, OUTCOME_UNKNOWN,
                          &(struct provider_answer){ .message = TEXT("the provider is closed") });
        }
    }
}

static size_t sim_driver_run(struct provider *port)
{
    return sim_cloud_run(((struct sim_provider *)port)->cloud);
}

static uint64_t sim_driver_due(const struct provider *port)
{
    const struct sim_cloud *cloud = ((const struct sim_provider *)port)->cloud;
    uint64_t due = sim_cloud_due(cloud);
    uint64_t now = sim_now_of(cloud);

    return due == UINT64_MAX ? due : due > now ? due - now : 0;
}

void sim_provider_pause(struct provider *port, uint64_t until_ms)
{
    ((struct sim_provider *)port)->paused_until = until_ms;
}

struct provider *sim_provider_new(struct sim_cloud *cloud)
{
    static const struct provider_driver driver = {
        .name = "sim",
        .close = sim_driver_close,
        .run = sim_driver_run,
        .due = sim_driver_due,
        .create = sim_driver_create,
        .destroy = sim_driver_destroy,
        .label = sim_driver_label,
        .reboot = sim_driver_reboot,
        .list = sim_driver_list,
        .find = sim_driver_find,
    };
    struct sim_provider *provider = arena_one(cloud->memory, struct sim_provider);

    provider->provider = (struct provider){ .driver = &driver, .traits = cloud->options.traits };
    provider->cloud = cloud;
    return &provider->provider;
}

struct sim_cloud *sim_cloud_new(struct sim_options options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct sim_cloud *cloud = arena_one(memory, struct sim_cloud);

    cloud->memory = memory;
    cloud->options = options;
    cloud->options.traits.is_disposable = !options.is_metal;
    cloud->options.traits.has_tokens = !options.is_tokenless;
    cloud->options.traits.can_label = true;
    cloud->options.traits.can_reboot = true;
    map_init(&cloud->clusters, memory);
    map_init(&cloud->words, memory);
    return cloud;
}

void sim_cloud_free(struct sim_cloud *cloud)
{
    struct heap_node *first;

    if (cloud == NULL) {
        return;
    }
    while ((first = heap_first(&cloud->calls)) != NULL) {
        heap_remove(&cloud->calls, first);
        arena_free(heap_owner(first, struct sim_pending, waiting)->arena);
    }
    sim_forget(cloud, 0);
    for (const struct map_node *node = map_first(&cloud->clusters, TEXT("")); node != NULL;
         node = map_after(&cloud->clusters, node->key)) {
        struct sim_cluster *cluster = node->value;

        for (const struct map_node *at; (at = map_first(&cluster->by_id, TEXT(""))) != NULL;) {
            struct sim_machine *machine = at->value;

            map_remove(&cluster->by_id, machine->id);
            rows_free(machine);
        }
    }
    heap_clear(&cloud->calls);
    arena_free(cloud->memory);
}
