#include "base/macros.h"
#include "codec/json.h"
#include "reconcile/control_parts.h"

#include <assert.h>

/* Holds: /TENANT/Hold/CLUSTER/RULE[/GROUP]. A hold is the stored object of a decision that waits
 * for an approval or for a time. It is removed when the decision no longer waits. */

static struct text hold_rest(struct arena *arena, const struct plan_hold *hold)
{
    const char *rule = plan_rule_name(hold->rule);

    return hold->group.length == 0 ? text_from(rule)
                                   : arena_printf(arena, "%s/%.*s", rule, TEXT_ARG(hold->group));
}

/* Lists the names of the sources of a cluster-wide hold. A source of the stored hold is kept while
 * its listing is incomplete. */
static struct doc pass_holds_sources_make(const struct pass *pass, const struct plan_hold *hold,
                                          const struct doc *before)
{
    const struct doc *old = doc_child(before, "sources");
    struct doc *items = arena_array(pass->arena, struct doc, pass->source_count);
    size_t count = 0;

    for (size_t i = 0; i < pass->source_count; i++) {
        const struct plan_source *source = &pass->plan_sources[i];
        bool is_named = (hold->sources & plan_hold_source(i)) != 0;

        for (size_t j = 0; !is_named && doc_is_list(old) && j < old->item_count; j++) {
            is_named = (source->problem.length > 0 || !source->is_complete) &&
                       text_is_equal(old->items[j].text, source->name);
        }
        if (is_named) {
            items[count++] = doc_text(source->name, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

static struct text hold_value(struct pass *pass, const struct plan_hold *hold,
                              const struct doc *before, int64_t since_ms)
{
    struct arena *arena = pass->arena;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "advice", doc_text(text_from(plan_rule_advice(hold->rule)), NULL));
    doc_builder_put(&builder, "cluster", doc_text(pass->reconciler->cluster->name, NULL));
    doc_builder_put(&builder, "fact", doc_text(hold->fact, NULL));
    if (hold->group.length > 0) {
        doc_builder_put(&builder, "group", doc_text(hold->group, NULL));
    }
    if (hold->observation.length > 0) {
        doc_builder_put(&builder, "observation", doc_text(hold->observation, NULL));
    }
    if (pass->number > 0) {
        doc_builder_put(&builder, "pass", doc_int(arena, (int64_t)pass->number, NULL));
    }
    doc_builder_put(&builder, "rule", doc_text(text_from(plan_rule_name(hold->rule)), NULL));
    doc_builder_put(&builder, "since", doc_int(arena, since_ms, NULL));
    if (hold->rule == PLAN_RULE_common_cause) {
        pass_cause_put(pass, &builder);
    }
    if (hold->sources != 0) {
        doc_builder_put(&builder, "sources", pass_holds_sources_make(pass, hold, before));
    }
    doc_builder_put(&builder, "why", doc_text(text_from(plan_rule_text(hold->rule)), NULL));
    doc_builder_put(&builder, "wouldCreate", doc_int(arena, hold->would_create, NULL));
    doc_builder_put(&builder, "wouldDestroy", doc_int(arena, hold->would_destroy, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static int64_t pass_holds_number_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);
    int64_t number = 0;

    return doc_is_scalar(value) && text_parse_int64(value->text, &number) ? number : 0;
}

static void hold_report(struct pass *pass, struct unit *unit, const struct plan_hold *hold,
                        const char *type)
{
    unit->event = control_event(pass->arena, pass->reconciler,
                                &(struct event){ .type = type,
                                                 .group = hold->group,
                                                 .rule = text_from(plan_rule_name(hold->rule)),
                                                 .fact = hold->fact,
                                                 .pass = pass->number });
}

static void part_end(struct pass *pass, const struct cache_object *object, enum cache_part part,
                     struct text rest)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct unit *unit;

    if (object->parts[part].bytes == NULL) {
        return;
    }
    unit = unit_add(pass->arena, &pass->units,
                    control_key(pass->arena, cluster, "Hold", arena_text(pass->arena, rest), part),
                    object->parts[part].revision, TEXT(""));
    if (part == CACHE_STATUS) {
        struct text rule = text_slice(rest, 0, text_find_byte(rest, '/'));
        struct text group = text_slice(rest, rule.length + 1, SIZE_MAX);

        unit->event =
            control_event(pass->arena, pass->reconciler,
                          &(struct event){ .type = "hold.ended",
                                           .group = rest.length > rule.length ? group : TEXT(""),
                                           .rule = rule,
                                           .pass = pass->number });
    }
}

static size_t digits_end(struct text text, size_t at)
{
    while (at < text.length && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    return at;
}

/* True if the texts are equal except for numbers. */
static bool is_pass_holds_alike(struct text a, struct text b)
{
    size_t i = 0;
    size_t j = 0;

    for (;;) {
        i = digits_end(a, i);
        j = digits_end(b, j);
        if (i == a.length || j == b.length || a.data[i] != b.data[j]) {
            return i == a.length && j == b.length;
        }
        i++;
        j++;
    }
}

static bool is_observation_same(const struct doc *doc, const struct plan_hold *hold)
{
    const struct doc *observation = doc_child(doc, "observation");

    return text_is_equal(doc_is_scalar(observation) ? observation->text : TEXT(""),
                         hold->observation);
}

static bool is_listing_absent(enum plan_rule rule)
{
    return rule == PLAN_RULE_unlisted || rule == PLAN_RULE_host_unreachable;
}

/* True if the reason of the hold differs from the stored one: the observation (G20), the bytes, or
 * the text of a provider. */
static bool is_retold(const struct doc *doc, const struct plan_hold *hold)
{
    const struct doc *fact = doc_child(doc, "fact");

    if (!is_observation_same(doc, hold)) {
        return true;
    }
    if (!doc_is_scalar(fact)) {
        return false;
    }
    return hold->rule == PLAN_RULE_unpinned
               ? !text_is_equal(fact->text, hold->fact)
               : is_listing_absent(hold->rule) && !is_pass_holds_alike(fact->text, hold->fact);
}

static bool are_sources_reported(const struct pass *pass, const struct doc *doc,
                                 const struct plan_hold *hold)
{
    const struct doc *old = doc_child(doc, "sources");
    struct doc made;

    if (hold->sources == 0) {
        return true;
    }
    made = pass_holds_sources_make(pass, hold, doc);
    if (!doc_is_list(old) || old->item_count != made.item_count) {
        return false;
    }
    for (size_t i = 0; i < made.item_count; i++) {
        if (!text_is_equal(old->items[i].text, made.items[i].text)) {
            return false;
        }
    }
    return true;
}

/* True if the stored text is still correct. Numbers in a provider's text are ignored, because they
 * may differ in each answer. */
static bool is_as_reported(const struct pass *pass, const struct doc *doc,
                           const struct plan_hold *hold)
{
    const struct doc *fact = doc_child(doc, "fact");
    bool are_others_words = is_listing_absent(hold->rule) || hold->rule == PLAN_RULE_refused;

    return doc_is_scalar(fact) && !is_retold(doc, hold) && are_sources_reported(pass, doc, hold) &&
           (are_others_words ? is_pass_holds_alike(fact->text, hold->fact)
                             : text_is_equal(fact->text, hold->fact)) &&
           pass_holds_number_of(doc, "wouldCreate") == hold->would_create &&
           pass_holds_number_of(doc, "wouldDestroy") == hold->would_destroy;
}

/* Write a hold if it has changed. Elapsed time alone is not a reason to write, so the text does not
 * contain it. */
static void hold_put(struct pass *pass, const struct plan_hold *planned)
{
    struct control *control = pass->reconciler->control;
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct plan_hold kept = *planned;
    const struct plan_hold *hold = &kept;
    struct text rest = hold_rest(pass->arena, hold);
    struct text key = control_key(pass->arena, cluster, "Hold", rest, CACHE_STATUS);
    const struct cache_object *object =
        cache_find(control->cache, cluster->tenant, TEXT("Hold"),
                   arena_printf(pass->arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(rest)));
    const struct cache_bytes *old = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    int64_t now = control->ports.wall_ms(control->ports.arg);
    bool is_answered = object != NULL && object->parts[CACHE_SPEC].bytes != NULL;
    bool is_other;
    struct doc doc;
    struct err err;
    struct unit *unit;

    kept.fact = plan_hold_lasting(pass->arena, planned);
    if (old == NULL || old->bytes == NULL) {
        unit = unit_add(pass->arena, &pass->units, key, 0, hold_value(pass, hold, NULL, now));
        hold_report(pass, unit, hold, "hold.began");
        return;
    }
    if (json_parse(pass->arena, blob_text(old->bytes), NULL, &doc, &err) &&
        is_as_reported(pass, &doc, hold)) {
        return;
    }
    pass->is_reporting = true;
    is_other = is_answered && is_retold(&doc, hold);
    unit = unit_add(
        pass->arena, &pass->units, key, old->revision,
        hold_value(pass, hold, &doc, is_other ? now : pass_holds_number_of(&doc, "since")));
    if (is_other) {
        /* The operator's answer applies to the previous observation. This is a new hold, with its
         * own alarm (G20). */
        hold_report(pass, unit, hold, "hold.began");
        part_end(pass, object, CACHE_SPEC, rest);
    }
}

static bool is_pass_holds_held(struct pass *pass, struct text rest)
{
    for (size_t i = 0; i < pass->plan.hold_count; i++) {
        if (text_is_equal(hold_rest(pass->arena, &pass->plan.holds[i]), rest)) {
            return true;
        }
    }
    for (size_t i = 0; i < pass->wait_count; i++) {
        if (text_is_equal(hold_rest(pass->arena, &pass->waits[i]), rest)) {
            return true;
        }
    }
    return false;
}

/* True if a group has machines of a generation other than the desired one. */
static bool is_rolling(const struct pass *pass, struct text path)
{
    const struct fleet_group *group = fleet_group_find(pass->reconciler->cluster, path);

    for (size_t i = 0; group != NULL && i < pass->world.record_count; i++) {
        const struct plan_record *record = &pass->world.records[i];
        bool is_current = false;

        for (size_t j = 0; j < group->choice_count; j++) {
            is_current |= text_is_equal(group->choices[j].generation, record->generation);
        }
        if (text_is_equal(record->group, path) && !is_current) {
            return true;
        }
    }
    return false;
}

/* True if holds of this rule are derived from the content of listings. */
static bool is_of_listing(struct text rule)
{
    static const enum plan_rule rules[] = {
        PLAN_RULE_foreign,       PLAN_RULE_quarantine,      PLAN_RULE_many_unknown,
        PLAN_RULE_listing_brake, PLAN_RULE_unhealthy_brake, PLAN_RULE_unhealed,
    };

    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        if (text_is(rule, plan_rule_name(rules[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_pass_holds_whole(const struct plan_source *source)
{
    return source->problem.length == 0 && source->is_complete;
}

static bool is_all_listed(const struct pass *pass)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (!is_pass_holds_whole(&pass->plan_sources[i])) {
            return false;
        }
    }
    return true;
}

/* True if the listings for the machines of this group are present and complete. */
static bool is_group_listed(const struct pass *pass, struct text path)
{
    for (size_t i = 0; i < pass->world.group_count; i++) {
        if (text_is_equal(pass->world.groups[i].path, path) &&
            !is_pass_holds_whole(&pass->plan_sources[pass->world.groups[i].source])) {
            return false;
        }
    }
    for (size_t i = 0; i < pass->world.record_count; i++) {
        if (text_is_equal(pass->world.records[i].group, path) &&
            !is_pass_holds_whole(&pass->plan_sources[pass->world.records[i].source])) {
            return false;
        }
    }
    return true;
}

/* True if the listings of a cluster-wide hold are complete. The hold contains the names of its
 * sources. If it has no names, it was written by an earlier version, and all sources count. */
static bool are_sources_listed(const struct pass *pass, const struct cache_object *object)
{
    const struct doc *sources;
    struct doc doc;
    struct err err;

    if (object->parts[CACHE_STATUS].bytes == NULL ||
        !json_parse(pass->arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &doc, &err)) {
        return true;
    }
    sources = doc_child(&doc, "sources");
    if (!doc_is_list(sources)) {
        return is_all_listed(pass);
    }
    for (size_t i = 0; i < sources->item_count; i++) {
        const struct source *source = pass_source_find(pass, sources->items[i].text);

        if (source != NULL && !is_pass_holds_whole(&pass->plan_sources[source - pass->sources])) {
            return false;
        }
    }
    return true;
}

/* True if the sources of the hold are complete, so that their listings count. Missing listings of
 * other sources do not matter (G19). */
static bool is_pass_holds_listed(const struct pass *pass, const struct cache_object *object,
                                 struct text group)
{
    if (!GUARD(&pass->reconciler->control->options.limits, G19)) {
        return is_all_listed(pass);
    }
    return group.length > 0 ? is_group_listed(pass, group) : are_sources_listed(pass, object);
}

/* True if there is a machine that the store never recorded, and that was neither adopted nor
 * exempted from destruction yet. */
static bool has_returning(const struct pass *pass)
{
    for (size_t i = 0; i < pass->world.row_count; i++) {
        const struct plan_row *row = &pass->world.rows[i];
        bool is_spared = false;

        for (size_t j = 0; row->is_unrecorded && j < pass->cluster_counters.sighted_count; j++) {
            is_spared |= text_is_equal(pass->cluster_counters.sighted[j].key, row->id) &&
                         pass->cluster_counters.sighted[j].is_spared;
        }
        if (row->is_unrecorded && !is_spared) {
            return true;
        }
    }
    return false;
}

/* True if a stored hold must be kept although the plan does not contain it. A fact from a listing
 * is valid until another complete listing of the same sources contradicts it. An approved hold that
 * the plan no longer contains has had its effect. The hold of an aborted rollout, and that of a
 * manager that suspects its network, are kept as long as their reason exists. */
static bool is_still_open(const struct pass *pass, const struct cache_object *object,
                          struct text rest)
{
    struct text rule = text_slice(rest, 0, text_find_byte(rest, '/'));
    struct text group = text_slice(rest, rule.length + 1, SIZE_MAX);

    group = rest.length > rule.length ? group : TEXT("");
    if (text_is(rule, plan_rule_name(PLAN_RULE_self_suspicion))) {
        return pass->reconciler->control->suspicion.is_on && pass->reconciler->health != NULL;
    }
    if (text_is(rule, plan_rule_name(PLAN_RULE_common_cause))) {
        return pass->cause.is_found;
    }
    if (text_is(rule, plan_rule_name(PLAN_RULE_roll_failed))) {
        return is_rolling(pass, group);
    }
    if (text_is(rule, plan_rule_name(PLAN_RULE_rollout)) &&
        !members_slots_are_known(pass->reconciler)) {
        return true;
    }
    if (text_is(rule, plan_rule_name(PLAN_RULE_store_went_back))) {
        return has_returning(pass) || !is_all_listed(pass);
    }
    return (is_of_listing(rule) && !is_pass_holds_listed(pass, object, group)) ||
           (!GUARD(&pass->reconciler->control->options.limits, G20) &&
            text_is(rule, plan_rule_name(PLAN_RULE_listing_brake)) && pass->plan.action_count > 0);
}

void pass_holds_make(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct cache *cache = pass->reconciler->control->cache;
    struct text prefix = arena_printf(pass->arena, "/%.*s/Hold/%.*s/", TEXT_ARG(cluster->tenant),
                                      TEXT_ARG(cluster->id));
    const struct cache_object *object;

    for (size_t i = 0; i < pass->plan.hold_count; i++) {
        hold_put(pass, &pass->plan.holds[i]);
    }
    for (size_t i = 0; i < pass->wait_count; i++) {
        hold_put(pass, &pass->waits[i]);
    }
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text rest =
            text_slice(cache_id(object), cluster->id.length + 1, cache_id(object).length);

        if (!is_pass_holds_held(pass, rest) && !is_still_open(pass, object, rest)) {
            part_end(pass, object, CACHE_STATUS, rest);
            part_end(pass, object, CACHE_SPEC, rest);
        } else if (pass->is_rejection_taken &&
                   text_is(rest, plan_rule_name(PLAN_RULE_quarantine))) {
            /* The rejection applied to the machines that were listed at that time, and has had its
             * effect (G20). */
            part_end(pass, object, CACHE_SPEC, rest);
        }
    }
}

/* Removes the commands and counters of a deleted cluster without machines and volumes. The lease is
 * not removed, because its holder does this work. */
void pass_tombstone_end(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct text prefix = arena_printf(pass->arena, "/%.*s/Control/%.*s", TEXT_ARG(cluster->tenant),
                                      TEXT_ARG(cluster->id));
    const struct cache_object *object;

    if (!pass->world.is_gone || !pass->world.is_deleting || cluster->count > 0 ||
        pass->units.count > 0 || pass->reconciler->calls != NULL ||
        volumes_has_any(pass->reconciler)) {
        return;
    }
    for (object = cache_first(pass->reconciler->control->cache, prefix); object != NULL;
         object = cache_next(pass->reconciler->control->cache, prefix, object)) {
        struct text rest =
            text_slice(cache_id(object), cluster->id.length, cache_id(object).length);

        if (rest.length > 0 && rest.data[0] != '/') {
            continue; /* the key belongs to another cluster, whose id begins with this id */
        }
        rest = arena_text(pass->arena, text_slice(rest, rest.length > 0 ? 1 : 0, rest.length));
        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            if (object->parts[part].bytes != NULL) {
                unit_add(pass->arena, &pass->units,
                         control_key(pass->arena, cluster, "Control", rest, (enum cache_part)part),
                         object->parts[part].revision, TEXT(""));
            }
        }
    }
}
