#include "base/limits.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"
#include "records/commands.h"

#include <assert.h>
#include <string.h>

/* Lists the machines of all providers that a group of the cluster uses, or at which the cluster has
 * machines. The rows are valid until the pass ends. */

/* A pending listing. It may outlive the pass, because a pass may be abandoned. */
struct listing {
    struct arena *arena;
    struct reconciler *reconciler;
    struct account *account;
    uint64_t serial;
    size_t source;
};

static bool is_pass_list_same_origin(const struct plugin_origin *a, const struct plugin_origin *b)
{
    return text_is_equal(a->version, b->version) && text_is_equal(a->url, b->url) &&
           text_is_equal(a->sha256, b->sha256);
}

struct source *pass_source_at(const struct pass *pass, struct text plugin, struct text at)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (text_is_equal(pass->sources[i].plugin, plugin) &&
            text_is_equal(pass->sources[i].at, at)) {
            return &pass->sources[i];
        }
    }
    return NULL;
}

struct source *pass_source_find(const struct pass *pass, struct text name)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (text_is_equal(pass->sources[i].plan.name, name)) {
            return &pass->sources[i];
        }
    }
    return NULL;
}

struct source *pass_source_have(struct pass *pass, struct text plugin, struct text at)
{
    struct source *source = pass_source_at(pass, plugin, at);

    if (source == NULL) {
        source = &pass->sources[pass->source_count++];
        source->plugin = arena_text(pass->arena, plugin);
        source->at = at.length == 0 ? at : arena_text(pass->arena, at);
        source->plan.name =
            at.length == 0 ? source->plugin
                           : arena_printf(pass->arena, "%.*s@%.*s", TEXT_ARG(plugin), TEXT_ARG(at));
    }
    return source;
}

static void choice_add(struct pass *pass, const struct fleet_group *group,
                       const struct fleet_choice *choice)
{
    struct source *source = pass_source_have(pass, choice->plugin, TEXT(""));

    source->is_torn |=
        source->origin != NULL && !is_pass_list_same_origin(source->origin, &choice->origin);
    if (source->origin == NULL || text_compare(group->plan.path, source->group) < 0) {
        source->origin = &choice->origin;
        source->group = group->plan.path;
    }
}

struct source *pass_source_of_machine(const struct pass *pass, const struct fleet_machine *machine,
                                      const struct source *last)
{
    struct text plugin = fleet_machine_plugin(machine);
    struct text at = hosts_at(pass->reconciler->control, fleet_machine_at(machine));

    return last != NULL && text_is_equal(last->plugin, plugin) && text_is_equal(last->at, at)
               ? (struct source *)(uintptr_t)last
               : pass_source_at(pass, plugin, at);
}

/* Find the sources that groups and records name. */
static void sources_find(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    const struct control *control = pass->reconciler->control;
    struct source *source = NULL;
    size_t choices = 0;
    size_t room;

    for (size_t i = 0; i < cluster->group_count; i++) {
        choices += cluster->groups[i].choice_count;
    }
    room = choices + LIMIT_CONTROL_SOURCES;
    pass->sources = arena_array(pass->arena, struct source, room * hosts_room(control));
    pass->is_crowded = false;
    pass->source_count = 0; /* an earlier attempt may have been incomplete */
    for (size_t i = 0; i < cluster->group_count; i++) {
        for (size_t j = 0; j < cluster->groups[i].choice_count; j++) {
            choice_add(pass, &cluster->groups[i], &cluster->groups[i].choices[j]);
        }
    }
    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];

        source = pass_source_of_machine(pass, machine, source);
        if (source == NULL && pass->source_count < room) {
            source = pass_source_have(pass, fleet_machine_plugin(machine),
                                      hosts_at(control, fleet_machine_at(machine)));
        } else if (source == NULL) {
            pass->is_crowded = true;
        }
    }
}

bool pass_has_asked_all(const struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct source *source = NULL;

    for (size_t i = 0; i < cluster->group_count; i++) {
        for (size_t j = 0; j < cluster->groups[i].choice_count; j++) {
            if (pass_source_find(pass, cluster->groups[i].choices[j].plugin) == NULL) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < cluster->count; i++) {
        source = pass_source_of_machine(pass, cluster->machines[i], source);
        if (source == NULL) {
            return false;
        }
    }
    return true;
}

static struct text copy(struct arena *arena, struct text text)
{
    return text.length == 0 ? TEXT("") : arena_text(arena, text);
}

static void rows_keep(struct pass *pass, struct source *source,
                      const struct provider_answer *answer)
{
    struct arena *arena = pass->arena;
    struct provider_row *rows = arena_array(arena, struct provider_row, answer->count);

    for (size_t i = 0; i < answer->count; i++) {
        const struct provider_row *row = &answer->rows[i];

        rows[i] = *row;
        rows[i].id = copy(arena, row->id);
        rows[i].address = copy(arena, row->address);
        rows[i].zone = copy(arena, row->zone);
        rows[i].user = copy(arena, row->user);
        rows[i].host_key = copy(arena, row->host_key);
        rows[i].end_reason = copy(arena, row->end_reason);
        rows[i].end_message = copy(arena, row->end_message);
        rows[i].tags = (struct provider_tags){
            .cluster = copy(arena, row->tags.cluster),
            .life = copy(arena, row->tags.life),
            .group = copy(arena, row->tags.group),
            .slot = row->tags.slot,
            .token = copy(arena, row->tags.token),
            .mac = copy(arena, row->tags.mac),
        };
    }
    source->rows = rows;
    source->row_count = answer->count;
    source->plan.is_complete = answer->is_complete;
}

static void source_reported(struct reconciler *reconciler, struct source *source,
                            struct text problem)
{
    struct pass *pass = reconciler->pass;

    assert(!source->is_reported);
    source->is_reported = true;
    source->plan.problem = problem;
    hosts_source_listed(pass, source);
    if (--pass->sources_left == 0) {
        pass_listed(reconciler);
    }
}

static void listing_reported(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct listing *listing = arg;
    struct reconciler *reconciler = listing->reconciler;

    account_listing_reported(listing->account, outcome, answer);
    if (reconciler->serial == listing->serial && reconciler->step == RECONCILER_LISTING &&
        !reconciler->control->is_stopped) {
        struct pass *pass = reconciler->pass;
        struct source *source = &pass->sources[listing->source];

        if (outcome == OUTCOME_OK) {
            rows_keep(pass, source, answer);
            source->is_same = answer->is_same;
            source->mark = copy(pass->arena, answer->mark);
        }
        source_reported(reconciler, source,
                        outcome == OUTCOME_OK        ? TEXT("")
                        : answer->message.length > 0 ? arena_text(pass->arena, answer->message)
                                                     : TEXT("the plugin does not answer"));
    }
    arena_free(listing->arena);
}

static void source_list(struct pass *pass, size_t index)
{
    struct reconciler *reconciler = pass->reconciler;
    struct source *source = &pass->sources[index];
    struct text problem;
    struct listing *listing;
    struct arena *arena;

    source->account = account_of(reconciler->control, source->provider);
    if (!account_may_list(source->account, pass->arena, &problem)) {
        source_reported(reconciler, source, problem);
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    listing = arena_one(arena, struct listing);
    *listing = (struct listing){ .arena = arena,
                                 .reconciler = reconciler,
                                 .account = source->account,
                                 .serial = reconciler->serial,
                                 .source = index };
    source->known = reconciler_still_mark(reconciler, source->plan.name);
    provider_list(source->provider, reconciler->cluster->key, source->known, listing_reported,
                  listing);
}

/* ---- plugins that are downloaded ---- */

/* True if an operator has approved the hold for exactly this digest. */
static bool is_pass_list_approved(const struct pass *pass, const struct source *source,
                                  struct text digest)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    const char *rule = plan_rule_name(PLAN_RULE_unpinned);
    const struct cache_object *hold =
        cache_find(pass->reconciler->control->cache, cluster->tenant, TEXT("Hold"),
                   arena_printf(pass->arena, "%.*s/%s/%.*s", TEXT_ARG(cluster->id), rule,
                                TEXT_ARG(source->group)));
    struct text shown;

    if (hold == NULL || hold->parts[CACHE_STATUS].bytes == NULL) {
        return false;
    }
    shown = blob_text(hold->parts[CACHE_STATUS].bytes);
    return commands_has(hold, "approved") &&
           memmem(shown.data, shown.length, digest.data, digest.length) != NULL;
}

/* Declares the origin that the groups state. Gets downloaded bytes that wait for an approval. */
static void source_want(struct pass *pass, struct source *source)
{
    const struct control_ports *ports = &pass->reconciler->control->ports;
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct plugin_waiting waiting = { 0 };

    if (ports->plugin_want == NULL || source->origin == NULL || source->is_torn) {
        return;
    }
    ports->plugin_want(ports->arg, cluster->key, source->origin, &waiting);
    if (waiting.digest.length == 0) {
        return;
    }
    if (is_pass_list_approved(pass, source, waiting.digest)) {
        ports->plugin_approve(ports->arg, cluster->tenant, source->plugin, waiting.digest);
    }
    source->plan.unpinned = arena_text(pass->arena, waiting.words);
}

/* Return the provider of the source's machines. NULL: this manager has no such provider. */
static struct provider *source_find(const struct pass *pass, struct source *source,
                                    const char **problem)
{
    const struct control_ports *ports = &pass->reconciler->control->ports;

    if (source->at.length > 0) {
        return hosts_provider_find(pass, source, problem);
    }
    if (source->is_torn && ports->plugin_want != NULL) {
        *problem =
            "groups of this cluster name the plugin with different versions, addresses or digests";
        return NULL;
    }
    return ports->provider_find(ports->arg, pass->reconciler->cluster->tenant, source->plugin,
                                problem);
}

/* Fill in the planner's data of the provider of a source. */
static void source_traits_set(struct pass *pass, struct source *source)
{
    const struct provider_traits *traits = &source->provider->traits;

    source->plan.lag_ms = traits->lag_ms;
    source->plan.late_ms = traits->late_ms;
    source->plan.is_strong = traits->is_strong;
    source->plan.has_tokens = traits->has_tokens;
    source->plan.is_disposable = traits->is_disposable;
    source->plan.is_pool = traits->is_pool;
    source->plan.can_label = traits->can_label;
    source->plan.can_reboot = traits->can_reboot;
    source->plan.is_login = reboots_logs_in(pass->reconciler->control, source->plugin);
}

void pass_list(struct pass *pass)
{
    struct reconciler *reconciler = pass->reconciler;
    const char *problem;

    sources_find(pass);
    for (size_t i = 0; i < pass->source_count; i++) {
        struct source *source = &pass->sources[i];

        source_want(pass, source);
        problem = "this manager has no such plugin";
        source->provider = source->at.length > 0 ? NULL : source_find(pass, source, &problem);
        source->plan.problem =
            source->provider == NULL ? arena_text(pass->arena, text_from(problem)) : TEXT("");
    }
    hosts_sources_add(pass);
    /* a listing that is answered immediately must not end the pass before the other requests */
    pass->sources_left = 1;
    for (size_t i = 0; i < pass->source_count; i++) {
        struct source *source = &pass->sources[i];

        if (source->at.length > 0) {
            problem = "there is no link to the manager";
            source->provider = source_find(pass, source, &problem);
            source->plan.problem =
                source->provider == NULL ? arena_text(pass->arena, text_from(problem)) : TEXT("");
        }
        pass->sources_left++;
        source->plan.is_missing = source->provider == NULL && source->at.length == 0;
        if (source->provider == NULL) {
            source_reported(reconciler, source, source->plan.problem);
            continue;
        }
        source_traits_set(pass, source);
        source_list(pass, i);
    }
    if (--pass->sources_left == 0) {
        pass_listed(reconciler);
    }
}
