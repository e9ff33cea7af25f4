#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "model/merge.h"
#include "model/nest.h"
#include "model/properties.h"
#include "model/scalar.h"
#include "model/set.h"
#include "plan/making.h"
#include "records/fleet_parts.h"
#include "state/commit.h"

#include <assert.h>

/* Decodes the specification of a cluster for the planner: its leaf groups with every effective
 * value. */

/* ---- one field, or its built-in default ---- */

static struct text fleet_groups_word_of(const struct doc *map, enum schema_owner owner,
                                        const char *name)
{
    const struct doc *value = doc_child(map, name);
    struct doc absent;

    if (doc_is_scalar(value)) {
        return value->text;
    }
    absent = model_default_find(owner, text_from(name));
    return doc_is_scalar(&absent) ? absent.text : TEXT("");
}

static uint64_t duration_of(const struct doc *map, enum schema_owner owner, const char *name)
{
    uint64_t ms = 0;
    bool is_good = scalar_parse_duration(fleet_groups_word_of(map, owner, name), &ms);

    assert(is_good && "the normal form holds what was read before");
    (void)is_good;
    return ms;
}

/* Return a field that is a number, or a percentage of `whole`, as a number. */
static uint32_t share_of(const struct doc *map, const char *name, uint32_t whole)
{
    struct scalar_share share = { 0 };

    return scalar_parse_share(fleet_groups_word_of(map, OWNER_ROLLOUT, name), &share)
               ? scalar_share_of(share, whole)
               : 0;
}

static bool fleet_groups_flag_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && text_is(value->text, "true");
}

static uint32_t unhealthy_of(const struct doc *leaf, uint32_t size)
{
    struct scalar_share share = { 0 };

    if (!scalar_parse_share(fleet_groups_word_of(leaf, OWNER_GROUP, "maxUnhealthy"), &share)) {
        return 340;
    }
    if (share.is_percent) {
        return share.value * 10;
    }
    return size == 0 ? 1000 : (uint32_t)((uint64_t)share.value * 1000 / size);
}

/* Read how many failed machines that never became ready are kept for inspection, and for how long
 * (X4). */
static void kept_make(const struct doc *kept, struct plan_group *out)
{
    int64_t max = 0;

    (void)!text_parse_int64(fleet_groups_word_of(kept, OWNER_KEEP_FAILED, "max"), &max);
    out->kept_max = (uint32_t)max;
    out->kept_ms = duration_of(kept, OWNER_KEEP_FAILED, "for");
}

static enum plan_pick pick_of(struct text word)
{
    return text_is(word, "oldest")   ? PLAN_PICK_OLDEST
           : text_is(word, "newest") ? PLAN_PICK_NEWEST
           : text_is(word, "failed") ? PLAN_PICK_FAILED
                                     : PLAN_PICK_OLDEST_CONFIG;
}

/* ---- fields that define a machine ---- */

/* Make the document of the fields that define a machine. The generation depends on effective values
 * only. So a changed comment, another order of keys or a newer version of reeve does not replace
 * machines (X8). */
static struct doc making_doc(struct arena *arena, const struct doc *leaf, struct text plugin,
                             const struct doc *zones)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (unsigned i = 0; making_field(i) != NULL; i++) {
        const struct doc *value = doc_child(leaf, making_field(i));

        if (doc_is_present(value)) {
            doc_builder_put(&builder, making_field(i), *value);
        }
    }
    doc_builder_put(&builder, "resourcePlugin", doc_text(plugin, NULL));
    if (zones != NULL) { /* an alternative may differ from its group by its zones alone */
        doc_builder_put(&builder, "zones", *zones);
    }
    return doc_builder_map(&builder, NULL);
}

static struct text digest(struct arena *arena, struct text bytes)
{
    return arena_printf(arena, "%016llx", (unsigned long long)text_hash(bytes, 0));
}

/* ---- choices ---- */

static struct text fleet_groups_json_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

static struct text fleet_groups_scalar_of(struct arena *arena, const struct doc *map,
                                          const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && value->text.length > 0 ? arena_text(arena, value->text)
                                                          : TEXT("");
}

static struct plugin_origin origin_make(struct arena *arena, const struct doc *plugin)
{
    return (struct plugin_origin){
        .name = fleet_groups_scalar_of(arena, plugin, "name"),
        .version = fleet_groups_scalar_of(arena, plugin, "version"),
        .url = fleet_groups_scalar_of(arena, plugin, "url"),
        .sha256 = fleet_groups_scalar_of(arena, plugin, "sha256"),
    };
}

static struct fleet_choice choice_make(struct arena *arena, const struct doc *leaf,
                                       bool is_alternative)
{
    const struct doc *plugin = doc_child(leaf, "resourcePlugin");
    const struct doc *name = doc_child(plugin, "name");
    const struct doc *account = doc_child(plugin, "account");
    const struct doc *zones = doc_child(leaf, "zones");
    size_t count = doc_is_list(zones) ? zones->item_count : 0;
    struct text *texts = arena_array(arena, struct text, count);
    struct doc making_of;
    struct fleet_choice choice = { .zones = texts };

    for (size_t i = 0; i < count; i++) {
        if (record_is_plain(zones->items[i].text)) {
            texts[choice.zone_count++] = arena_text(arena, zones->items[i].text);
        }
    }
    choice.plugin = doc_is_scalar(name) ? arena_text(arena, name->text) : TEXT("");
    if (choice.plugin.length > 0 && doc_is_scalar(account) && !doc_is_null(account)) {
        choice.plugin =
            arena_printf(arena, "%.*s/%.*s", TEXT_ARG(choice.plugin), TEXT_ARG(account->text));
    }
    choice.origin = origin_make(arena, doc_child(leaf, "resourcePlugin"));
    making_of = making_doc(arena, leaf, choice.plugin, is_alternative && count > 0 ? zones : NULL);
    choice.properties = fleet_groups_json_of(arena, &making_of);
    choice.image = fleet_groups_scalar_of(arena, &making_of, "image");
    choice.generation = digest(arena, choice.properties);
    return choice;
}

/* Make the choices of a group. Each alternative is merged over the group (FILE.md 6). */
static void choices_make(struct arena *arena, const struct doc *leaf, struct fleet_group *out)
{
    const struct doc *alternatives = doc_child(leaf, "alternatives");
    size_t count = doc_is_list(alternatives) ? alternatives->item_count : 0;

    out->choices = arena_array(arena, struct fleet_choice, count + 1);
    out->choice_count = count + 1;
    out->choices[0] = choice_make(arena, leaf, false);
    for (size_t i = 0; i < count; i++) {
        struct doc laid = merge_layers(arena, MERGE_LEAF, leaf, &alternatives->items[i]);

        laid = merge_prune(arena, MERGE_LEAF, &laid);
        out->choices[i + 1] = choice_make(arena, &laid, true);
    }
}

/* ---- groups ---- */

/* Fields that are changed in place on existing machines (X8). */
static const char *const label_fields[] = { "labels", "owner" };
static const char *const more_fields[] = { "driver", "owner", "user" };
/* The same for machines of the inventory, and for the fields that select the machines of a
 * member. */
static const char *const inventory_fields[] = { "autoCommission", "decommission", "driver",
                                                "image",          "install",      "match",
                                                "members",        "owner",        "user" };

static struct text fields_json(struct arena *arena, const struct doc *leaf,
                               const char *const *fields, size_t count)
{
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < count; i++) {
        const struct doc *value = doc_child(leaf, fields[i]);

        if (doc_is_present(value)) {
            doc_builder_put(&builder, fields[i], *value);
        }
    }
    doc = doc_builder_map(&builder, NULL);
    return fleet_groups_json_of(arena, &doc);
}

static uint32_t skew_of(const struct doc *leaf)
{
    const struct doc *skew = doc_child(doc_child(leaf, "balance"), "maxSkew");
    int64_t number = 1;

    return doc_is_scalar(skew) && text_parse_int64(skew->text, &number) && number > 0
               ? (uint32_t)number
               : 1;
}

static enum plan_heal heal_of(struct text word)
{
    return text_is(word, "off")      ? PLAN_HEAL_OFF
           : text_is(word, "reboot") ? PLAN_HEAL_REBOOT
                                     : PLAN_HEAL_REPLACE;
}

static enum fleet_ready ready_of(struct text word)
{
    return text_is(word, "running")     ? FLEET_READY_RUNNING
           : text_is(word, "reachable") ? FLEET_READY_REACHABLE
                                        : FLEET_READY_BOOTSTRAPPED;
}

static enum plan_unreachable unreachable_of(struct text word)
{
    return text_is(word, "replace") ? PLAN_UNREACHABLE_REPLACE
           : text_is(word, "fence") ? PLAN_UNREACHABLE_FENCE
                                    : PLAN_UNREACHABLE_HOLD;
}

static void rollout_make(const struct doc *rollout, uint32_t size, struct plan_group *out)
{
    out->surge = share_of(rollout, "surge", size);
    out->unavailable = share_of(rollout, "unavailable", size);
    out->batch = share_of(rollout, "batch", size);
    out->canary = share_of(rollout, "canary", size);
    out->bake_ms = duration_of(rollout, OWNER_ROLLOUT, "bake");
    out->fail_max = doc_is_scalar(doc_child(rollout, "maxFail"))
                        ? share_of(rollout, "maxFail", size)
                        : out->batch;
}

static enum fleet_on_fail on_fail_of(const struct doc *rollout)
{
    struct text word = fleet_groups_word_of(rollout, OWNER_ROLLOUT, "onFail");

    return text_is(word, "revert")  ? FLEET_ON_FAIL_REVERT
           : text_is(word, "clean") ? FLEET_ON_FAIL_CLEAN
                                    : FLEET_ON_FAIL_KEEP;
}

static uint64_t probe_duration(const struct doc *probe, const char *name, uint64_t standard_ms)
{
    return doc_is_scalar(doc_child(probe, name)) ? duration_of(probe, OWNER_PROBE, name)
                                                 : standard_ms;
}

/* Make the default SSH probe. It notices a failure of sshd or of the network within five seconds.
 * The worst case is a failure right after a successful probe: fail * (every +
 * LIMIT_PROBE_GATHER_MS) + timeout = 4.2 s, plus one write to the store. Large groups are probed
 * less often, so that a group causes at most a few thousand probes a second. */
static void probe_ssh_make(const struct doc *probe, uint32_t size, struct fleet_probe *out)
{
    uint64_t every_ms = size > LIMIT_PROBE_SSH_EVERY_MS ? size : LIMIT_PROBE_SSH_EVERY_MS;
    int64_t number = LIMIT_PROBE_SSH_FAIL;

    if (doc_is_scalar(doc_child(probe, "fail"))) {
        (void)!text_parse_int64(doc_child(probe, "fail")->text, &number);
    }
    out->is_there = true;
    out->is_ssh = true;
    out->fail = (uint32_t)number;
    out->every_ms = probe_duration(probe, "every", every_ms);
    out->timeout_ms = probe_duration(probe, "timeout", LIMIT_PROBE_SSH_TIMEOUT_MS);
}

/* Make the probe of a group. A probe checks a port, a command or the banner of the SSH server.
 * Without a configured probe, machines that reeve logs in to for their stages get the banner
 * probe. */
static struct fleet_probe fleet_groups_probe_make(const struct model_leaf *leaf, bool has_stages)
{
    const struct doc *health = doc_child(&leaf->doc, "health");
    const struct doc *probe = doc_child(health, "probe");
    bool is_operators = text_is(
        fleet_groups_word_of(doc_child(&leaf->doc, "ssh"), OWNER_SSH, "transport"), "openssh");
    struct fleet_probe out = { .grace_ms = duration_of(health, OWNER_HEALTH, "grace") };
    int64_t number = 0;

    if (doc_is_map(probe) ? fleet_groups_flag_of(probe, "ssh") : has_stages && !is_operators) {
        probe_ssh_make(probe, leaf->group.size, &out);
        out.is_default = !doc_is_map(probe);
        return out;
    }
    if (!doc_is_map(probe)) {
        return (struct fleet_probe){ 0 };
    }
    if (doc_is_scalar(doc_child(probe, "tcp")) &&
        text_parse_int64(doc_child(probe, "tcp")->text, &number)) {
        out.port = (uint16_t)number;
    }
    (void)!text_parse_int64(fleet_groups_word_of(probe, OWNER_PROBE, "fail"), &number);
    out.fail = (uint32_t)number;
    out.every_ms = duration_of(probe, OWNER_PROBE, "every");
    out.timeout_ms = duration_of(probe, OWNER_PROBE, "timeout");
    out.is_there = out.port != 0 || (doc_is_list(doc_child(probe, "exec")) &&
                                     doc_child(probe, "exec")->item_count > 0);
    return out;
}

/* ---- stages ---- */

/* Read NAME@sha256:DIGEST. A bundle without a digest cannot be installed yet. */
static void bundle_read(struct arena *arena, const struct doc *item, struct nodes_stage *out)
{
    struct text word = fleet_groups_scalar_of(arena, item, "bundle");
    size_t at = text_find_byte(word, '@');
    struct text kind = TEXT("sha256:");
    struct text rest = at == SIZE_MAX ? kind : text_slice(word, at + 1, SIZE_MAX);

    if (at != SIZE_MAX && text_has_prefix(rest, kind)) {
        out->name = text_slice(word, 0, at);
        out->digest = text_slice(rest, kind.length, SIZE_MAX);
    }
}

static void fleet_groups_arguments_read(struct arena *arena, const struct doc *list,
                                        struct nodes_stage *out)
{
    struct text *arguments;

    if (!doc_is_list(list) || list->item_count == 0) {
        return;
    }
    arguments = arena_array(arena, struct text, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        arguments[i] = arena_text(arena, list->items[i].text);
    }
    out->arguments = arguments;
    out->argument_count = list->item_count;
}

static struct nodes_stage stage_make(struct arena *arena, const struct doc *item)
{
    struct nodes_stage out = {
        .timeout_ms = duration_of(item, OWNER_BOOTSTRAP, "timeout"),
        .is_idempotent = fleet_groups_flag_of(item, "idempotent"),
        .is_marker_trusted = fleet_groups_flag_of(item, "trustMarkers"),
        .goes_on = text_is(fleet_groups_word_of(item, OWNER_BOOTSTRAP, "onFailure"), "continue"),
    };
    int64_t tries = 1;

    (void)!text_parse_int64(fleet_groups_word_of(item, OWNER_BOOTSTRAP, "tries"), &tries);
    out.tries = (uint32_t)tries;
    bundle_read(arena, item, &out);
    out.playbook = fleet_groups_scalar_of(arena, item, "playbook");
    fleet_groups_arguments_read(arena, doc_child(item, "args"), &out);
    return out;
}

/* Compute the stage digest chain of a group. Each hashed part is preceded by its length, so that
 * different parts never give the same bytes. */
static struct text chain_make(struct arena *arena, const struct fleet_group *group)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < group->stage_count; i++) {
        const struct nodes_stage *stage = &group->stages[i];

        buf_printf(&buf, "%.*s %zu", TEXT_ARG(stage->digest), stage->argument_count);
        for (size_t j = 0; j < stage->argument_count; j++) {
            buf_printf(&buf, " %zu:%.*s", stage->arguments[j].length,
                       TEXT_ARG(stage->arguments[j]));
        }
        if (stage->playbook.length > 0) {
            buf_printf(&buf, " playbook %zu:%.*s", stage->playbook.length,
                       TEXT_ARG(stage->playbook));
        }
        if (stage->vars.length > 0) {
            buf_printf(&buf, " vars %zu:%.*s", stage->vars.length, TEXT_ARG(stage->vars));
        }
        buf_add_string(&buf, ";");
    }
    return digest(arena, buf_text(&buf));
}

static size_t items_of(const struct doc *list)
{
    return doc_is_list(list) ? list->item_count : 0;
}

/* Make the JSON with the variables of a configuration. Variables of the member take precedence over
 * variables of the group, and these over variables of the revision. `member` may be NULL. Empty:
 * there are none. */
static struct text vars_make(struct arena *arena, const struct doc *leaf, const struct doc *member)
{
    const struct doc *lowest = doc_child(doc_child(leaf, "configured"), "vars");
    const struct doc *secrets = doc_child(doc_child(leaf, "configured"), "secrets");
    const struct doc *own = doc_child(leaf, "vars");
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc merged = merge_layers(arena, MERGE_PLAIN, doc_is_map(lowest) ? lowest : &none,
                                     doc_is_map(own) ? own : &none);

    merged = merge_layers(arena, MERGE_PLAIN, &merged, doc_is_map(member) ? member : &none);
    merged = merge_prune(arena, MERGE_PLAIN, &merged);
    if (doc_is_map(secrets) || doc_child(&merged, NODES_SECRETS) != NULL) {
        merged = nest_put(arena, &merged, NODES_SECRETS,
                          doc_is_map(secrets) ? *secrets : (struct doc){ 0 });
    }
    return merged.entry_count == 0 ? TEXT("") : fleet_groups_json_of(arena, &merged);
}

/* Return the configuration of the group: "web@r17"; empty if there is none. */
static struct text configuration_make(struct arena *arena, const struct doc *leaf,
                                      const struct doc *bundles)
{
    const struct doc *name = doc_child(leaf, "configuration");

    return items_of(bundles) > 0 && doc_is_scalar(name) ? arena_text(arena, name->text) : TEXT("");
}

/* Make a text with the paths of the configuration's files, one on each line. */
static struct text files_make(struct arena *arena, const struct doc *leaf)
{
    const struct doc *files = doc_child(doc_child(leaf, "configured"), "files");
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < items_of(files); i++) {
        if (doc_is_scalar(&files->items[i])) {
            buf_printf(&buf, "%.*s\n", TEXT_ARG(files->items[i].text));
        }
    }
    return buf_text(&buf);
}

bool fleet_hook_find(const struct fleet_group *group, struct text playbook, struct nodes_stage *out)
{
    const struct nodes_stage *last =
        group->stage_count == 0 ? NULL : &group->stages[group->stage_count - 1];

    if (last == NULL || last->playbook.length == 0) {
        return false;
    }
    *out = *last;
    out->playbook = playbook.length > 0 ? playbook : last->playbook;
    return true;
}

static void hooks_make(struct arena *arena, const struct doc *leaf, struct fleet_group *out)
{
    static const char *const names[FLEET_HOOK_COUNT] = {
        [FLEET_HOOK_VERIFY] = "verify",   [FLEET_HOOK_DRAIN] = "drain",
        [FLEET_HOOK_UNDRAIN] = "undrain", [FLEET_HOOK_CLEANUP] = "cleanup",
        [FLEET_HOOK_UPGRADE] = "upgrade",
    };
    const struct doc *hooks = doc_child(doc_child(leaf, "configured"), "hooks");

    for (size_t i = 0; doc_is_map(hooks) && i < FLEET_HOOK_COUNT; i++) {
        out->hooks[i] = fleet_groups_scalar_of(arena, hooks, names[i]);
    }
}

static void cleanup_make(const struct doc *decommission, struct fleet_group *out)
{
    struct text word = fleet_groups_word_of(decommission, OWNER_DECOMMISSION, "cleanup");

    out->cleanup = text_is(word, "always")  ? FLEET_CLEANUP_ALWAYS
                   : text_is(word, "never") ? FLEET_CLEANUP_NEVER
                                            : FLEET_CLEANUP_RETAINED;
    out->cleanup_ms = duration_of(decommission, OWNER_DECOMMISSION, "cleanupTimeout");
}

static struct fleet_verify verify_make(const struct doc *verify)
{
    struct fleet_verify out = {
        .is_on_return = text_is(fleet_groups_word_of(verify, OWNER_VERIFY, "onReturn"), "true"),
        .is_correcting = text_is(fleet_groups_word_of(verify, OWNER_VERIFY, "correct"), "true"),
        .is_hook = text_is(fleet_groups_word_of(verify, OWNER_VERIFY, "level"), "hook"),
    };

    if (!scalar_parse_duration(fleet_groups_word_of(verify, OWNER_VERIFY, "every"),
                               &out.every_ms)) {
        out.every_ms = 0; /* the value is `off` */
    }
    return out;
}

/* Make the stages of a group: the stages of `bootstrap`, then those of its configuration. */
static void stages_make(struct arena *arena, const struct doc *leaf, struct fleet_group *out)
{
    const struct doc *bootstrap = doc_child(leaf, "bootstrap");
    const struct doc *bundles = doc_child(doc_child(leaf, "configured"), "bundles");

    struct text vars = items_of(bundles) == 0 ? TEXT("") : vars_make(arena, leaf, NULL);

    if (items_of(bootstrap) + items_of(bundles) == 0) {
        return;
    }
    out->stages = arena_array(arena, struct nodes_stage, items_of(bootstrap) + items_of(bundles));
    for (size_t i = 0; i < items_of(bootstrap); i++) {
        out->stages[out->stage_count++] = stage_make(arena, &bootstrap->items[i]);
    }
    for (size_t i = 0; i < items_of(bundles); i++) {
        out->stages[out->stage_count] = stage_make(arena, &bundles->items[i]);
        out->stages[out->stage_count++].vars = vars;
    }
    out->configured_from = items_of(bundles) > 0 ? items_of(bootstrap) : 0;
    out->configuration = configuration_make(arena, leaf, bundles);
    out->files = files_make(arena, leaf);
    hooks_make(arena, leaf, out);
    out->chain = chain_make(arena, out);
}

/* ---- members with their own variables ---- */

/* maximum number of chains in the row of a job */
enum { CHAINS_MAX = 200 };

static struct fleet_group *variant_make(struct arena *arena, const struct fleet_group *group,
                                        struct text vars)
{
    struct fleet_group *out = arena_one(arena, struct fleet_group);

    *out = *group;
    out->stages = arena_array(arena, struct nodes_stage, group->stage_count);
    for (size_t i = 0; i < group->stage_count; i++) {
        out->stages[i] = group->stages[i];
        if (i >= group->configured_from) {
            out->stages[i].vars = vars;
        }
    }
    out->chain = chain_make(arena, out);
    return out;
}

static int fleet_groups_slot_compare(const void *a, const void *b, void *arg)
{
    const struct fleet_variant *first = a;
    const struct fleet_variant *second = b;

    (void)arg;
    return first->slot < second->slot ? -1 : first->slot > second->slot;
}

void fleet_variants_sort(struct arena *arena, struct fleet_group *group)
{
    if (group->variant_count > 0) {
        sort_stable(arena, group->variants, group->variant_count, sizeof(*group->variants),
                    fleet_groups_slot_compare, NULL);
    }
}

/* Make the variants of a group. Only the stages of a configuration have variables. */
static void variants_make(struct arena *arena, const struct doc *leaf, struct fleet_group *out)
{
    const struct doc *members = doc_child(leaf, "members");
    size_t count = doc_is_map(members) ? members->entry_count : 0;
    struct text common;

    if (count == 0 || items_of(doc_child(doc_child(leaf, "configured"), "bundles")) == 0) {
        return;
    }
    common = vars_make(arena, leaf, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct doc *own = doc_child(&members->entries[i].value, "vars");
        struct text vars = doc_is_map(own) ? vars_make(arena, leaf, own) : common;
        uint64_t slot;

        if (text_is_equal(vars, common) ||
            !naming_number_of(&out->affix, members->entries[i].key, &slot)) {
            continue;
        }
        if (out->variants == NULL) {
            out->variants = arena_array(arena, struct fleet_variant, count);
        }
        slot = out->affix.has_number ? slot : out->plan.first_slot;
        out->variants[out->variant_count++] =
            (struct fleet_variant){ slot, variant_make(arena, out, vars) };
    }
    fleet_variants_sort(arena, out);
}

const struct fleet_group *fleet_group_for(const struct fleet_group *group, uint64_t slot)
{
    size_t low = 0;
    size_t high = group == NULL ? 0 : group->variant_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (group->variants[middle].slot == slot) {
            return group->variants[middle].group;
        }
        if (group->variants[middle].slot < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return group;
}

struct doc fleet_chains_format(struct arena *arena, const struct fleet_group *group)
{
    struct doc_builder builder;

    if (group->variant_count == 0 || group->variant_count > CHAINS_MAX) {
        return (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < group->variant_count; i++) {
        struct text slot = arena_printf(arena, "%llu", (unsigned long long)group->variants[i].slot);

        doc_builder_add(
            &builder,
            &(struct doc_entry){
                .key = slot,
                .value = doc_text(arena_text(arena, group->variants[i].group->chain), NULL) });
    }
    return doc_builder_map(&builder, NULL);
}

/* Read the command of the group's probe, and how its machines are accessed. */
static void reach_make(struct arena *arena, const struct doc *leaf, struct fleet_group *out)
{
    const struct doc *exec = doc_child(doc_child(doc_child(leaf, "health"), "probe"), "exec");
    const struct doc *ssh = doc_child(leaf, "ssh");
    size_t count = doc_is_list(exec) ? exec->item_count : 0;
    struct text *words = arena_array(arena, struct text, count);

    for (size_t i = 0; i < count; i++) {
        words[i] = arena_text(arena, exec->items[i].text);
    }
    out->probe_argv = words;
    out->probe_argc = count;
    out->key_secret = fleet_groups_scalar_of(arena, leaf, "sshKeySecret");
    out->is_first_key_accepted = fleet_groups_flag_of(ssh, "firstUse");
    out->is_operators = text_is(fleet_groups_word_of(ssh, OWNER_SSH, "transport"), "openssh");
}

/* Make the document of the fields that the group's machines receive when they are created
 * (fleet_group.more). The driver is a setting of the whole cluster. */
static struct text more_make(struct arena *arena, const struct model_object *object,
                             const struct model_leaf *leaf)
{
    const struct doc *driver = doc_child(&object->merged, "driver");
    const struct doc *plugin = doc_child(doc_child(&leaf->doc, "resourcePlugin"), "name");
    const struct doc *automatic = doc_child(&object->merged, "autoCommission");
    bool is_inventory = doc_is_scalar(plugin) && text_is(plugin->text, "inventory");
    struct doc doc = doc_is_scalar(driver) && !doc_is_null(driver)
                         ? nest_put(arena, &leaf->doc, "driver", *driver)
                         : leaf->doc;

    if (!is_inventory) {
        return fields_json(arena, &doc, more_fields, ARRAY_COUNT(more_fields));
    }
    if (doc_child(&doc, "autoCommission") == NULL && doc_is_scalar(automatic)) {
        doc = nest_put(arena, &doc, "autoCommission", *automatic);
    }
    return fields_json(arena, &doc, inventory_fields, ARRAY_COUNT(inventory_fields));
}

static void fleet_groups_make(struct arena *arena, const struct model_object *object,
                              const struct model_leaf *leaf, struct fleet_group *out)
{
    bool is_protected = fleet_groups_flag_of(&object->merged, "protected");
    const struct doc *renamed = doc_child(&leaf->doc, "renamedFrom");
    uint32_t size = leaf->group.size;

    *out = (struct fleet_group){
        .plan = {
            .path = arena_text(arena, leaf->path),
            .size = size,
            .min_size = leaf->group.min_size,
            .max_size = leaf->group.max_size == GROUP_NO_MAX ? 0 : leaf->group.max_size,
            .first_slot = leaf->group.first_number,
            .max_skew = skew_of(&leaf->doc),
            .heal = heal_of(fleet_groups_word_of(&leaf->doc, OWNER_GROUP, "heal")),
            .unreachable = unreachable_of(fleet_groups_word_of(&leaf->doc, OWNER_GROUP, "onUnreachable")),
            .pick = pick_of(fleet_groups_word_of(&leaf->doc, OWNER_GROUP, "pick")),
            .renamed_from =
                doc_is_scalar(renamed) ? arena_text(arena, renamed->text) : TEXT(""),
            .replace_after_ms = duration_of(&leaf->doc, OWNER_GROUP, "replaceAfter"),
            .unhealthy_permille = unhealthy_of(&leaf->doc, size),
            .is_protected = is_protected || fleet_groups_flag_of(&leaf->doc, "protected"),
        },
        .labels = fields_json(arena, &leaf->doc, label_fields, ARRAY_COUNT(label_fields)),
        .more = more_make(arena, object, leaf),
        .affix = leaf->group.affix,
        .ready = ready_of(fleet_groups_word_of(&leaf->doc, OWNER_GROUP, "ready")),
    };
    out->roles = roles_group_read(arena, &leaf->doc);
    kept_make(doc_child(&leaf->doc, "keepFailed"), &out->plan);
    stages_make(arena, &leaf->doc, out);
    out->verify = verify_make(doc_child(&leaf->doc, "verify"));
    cleanup_make(doc_child(&leaf->doc, "decommission"), out);
    out->probe = fleet_groups_probe_make(leaf, out->stage_count > 0);
    reach_make(arena, &leaf->doc, out);
    rollout_make(doc_child(&leaf->doc, "rollout"), size, &out->plan);
    out->on_fail = on_fail_of(doc_child(&leaf->doc, "rollout"));
    out->slot_canary =
        doc_is_scalar(doc_child(doc_child(&leaf->doc, "rollout"), "canary")) ? out->plan.canary : 1;
    choices_make(arena, &leaf->doc, out);
    out->plan.generation = out->choices[0].generation;
    out->plan.zones = out->choices[0].zones;
    out->plan.zone_count = out->choices[0].zone_count;
    /* Most groups have no members with their own variables. */
    out->plan.labels = text_is(out->labels, "{}") ? TEXT("-") : digest(arena, out->labels);
    out->affix.prefix = arena_text(arena, out->affix.prefix);
    out->affix.suffix = arena_text(arena, out->affix.suffix);
    variants_make(arena, &leaf->doc, out);
}

MUST_CHECK static bool fleet_groups_groups_make(struct arena *scratch,
                                                const struct stored_object *stored,
                                                struct fleet_cluster *cluster)
{
    struct err_list errors;
    struct model_set set;
    struct model_object *object;
    struct doc own = stored_join(scratch, stored, STORED_OWN);

    own = nest_put(scratch, &own, "name", doc_text(stored->part.meta.name, NULL));
    err_list_init(&errors, scratch);
    model_set_init(&set, scratch, &errors);
    object = model_set_add_stored(&set, stored->kind, &own, stored_made(scratch, stored), false);
    model_set_resolve(&set);
    if (errors.count > 0) {
        cluster->problem = errors.items[0];
        return false;
    }
    object = &set.objects[0];
    cluster->groups = arena_array(cluster->memory, struct fleet_group, object->leaf_count);
    for (size_t i = 0; i < object->leaf_count; i++) {
        fleet_groups_make(cluster->memory, object, &object->leaves[i], &cluster->groups[i]);
        cluster->is_bootstrapped |= cluster->groups[i].stage_count > 0;
    }
    cluster->rules = roles_rules_read(cluster->memory, doc_child(&object->merged, "roles"));
    cluster->is_classic =
        text_is(fleet_groups_word_of(&object->merged, OWNER_CLUSTER, "sshTrust"), "classic");
    cluster->is_apart =
        text_is(fleet_groups_word_of(&object->merged, OWNER_CLUSTER, "mutualRootSsh"), "false");
    cluster->cert_ms = duration_of(&object->merged, OWNER_CLUSTER, "sshCertTtl");
    cluster->is_best_effort =
        text_is(fleet_groups_word_of(&object->merged, OWNER_CLUSTER, "barrier"), "bestEffort");
    cluster->group_count = object->leaf_count;
    return true;
}

bool fleet_groups_read(struct arena *arena, const struct stored_object *stored,
                       struct fleet_cluster *out)
{
    *out = (struct fleet_cluster){ .memory = arena };
    return fleet_groups_groups_make(arena, stored, out);
}

/* Return the document without the value at a path of one or two names. */
static struct doc without(struct arena *arena, const struct doc *doc, struct text path)
{
    size_t dot = text_find_byte(path, '.');
    const char *first = arena_string(arena, text_slice(path, 0, dot));
    const struct doc *child = doc_child(doc, first);
    struct doc rest;

    if (child == NULL) {
        return *doc;
    }
    if (dot >= path.length) {
        return nest_put(arena, doc, first, (struct doc){ 0 });
    }
    if (!doc_is_map(child)) {
        return *doc;
    }
    rest = nest_put(arena, child, arena_string(arena, text_slice(path, dot + 1, SIZE_MAX)),
                    (struct doc){ 0 });
    return nest_put(arena, doc, first, rest);
}

/* Put the value at a path of one or two names, as a document that contains only this path. */
static void only_put(struct arena *arena, const struct doc *doc, struct text path,
                     struct doc *inout)
{
    size_t dot = text_find_byte(path, '.');
    const char *first = arena_string(arena, text_slice(path, 0, dot));
    const struct doc *child = doc_child(doc, first);
    const char *second;
    struct doc part;

    if (child != NULL && dot < path.length) {
        second = arena_string(arena, text_slice(path, dot + 1, SIZE_MAX));
        part = doc_child(inout, first) != NULL ? *doc_child(inout, first) : doc_map(NULL, 0, NULL);
        child = doc_child(child, second);
        if (child != NULL) {
            part = nest_put(arena, &part, second, *child);
            *inout = nest_put(arena, inout, first, part);
        }
    } else if (child != NULL) {
        *inout = nest_put(arena, inout, first, *child);
    }
}

/* Make the digest of the values that are changed in place. If no choice has such fields, it is the
 * digest of the labels alone, as earlier versions of reeve computed it. */
static void labels_digest_make(struct arena *arena, struct fleet_group *group)
{
    struct buf whole;
    bool has_fields = false;

    buf_init(&whole, arena);
    buf_add(&whole, group->labels);
    for (size_t i = 0; i < group->choice_count; i++) {
        struct text fields = group->choices[i].in_place;

        has_fields |= fields.length > 0 && !text_is(fields, "{}");
        buf_add_byte(&whole, '\n');
        buf_add(&whole, text_is(fields, "{}") ? TEXT("") : fields);
    }
    if (has_fields) {
        group->plan.labels = digest(arena, buf_text(&whole));
    }
}

struct text fleet_labels_of(struct arena *arena, const struct fleet_group *group,
                            struct text plugin, struct text generation)
{
    const struct fleet_choice *found = NULL;
    struct doc labels;
    struct doc fields;
    struct err err;

    for (size_t i = 0; i < group->choice_count; i++) {
        const struct fleet_choice *choice = &group->choices[i];

        if (text_is_equal(choice->plugin, plugin) &&
            (found == NULL || text_is_equal(choice->generation, generation))) {
            found = choice;
        }
    }
    if (found == NULL || found->in_place.length == 0 ||
        !json_parse(arena, group->labels, NULL, &labels, &err) ||
        !json_parse(arena, found->in_place, NULL, &fields, &err)) {
        return arena_text(arena, group->labels);
    }
    labels = nest_put(arena, &labels, "fields", fields);
    return fleet_groups_json_of(arena, &labels);
}

void fleet_choice_reduce(struct arena *arena, struct fleet_group *group, size_t choice,
                         const struct text *paths, size_t count, bool is_sent)
{
    struct fleet_choice *one = &group->choices[choice];
    struct doc fields = doc_map(NULL, 0, NULL);
    struct doc doc;
    struct err err;

    assert(choice < group->choice_count);
    if (count == 0 || one->former.length > 0 ||
        !json_parse(arena, one->properties, NULL, &doc, &err)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        only_put(arena, &doc, paths[i], &fields);
    }
    for (size_t i = 0; i < count; i++) {
        doc = without(arena, &doc, paths[i]);
    }
    one->in_place = is_sent ? fleet_groups_json_of(arena, &fields) : TEXT("");
    labels_digest_make(arena, group);
    one->former = one->generation;
    one->generation = digest(arena, fleet_groups_json_of(arena, &doc));
    if (choice == 0) {
        group->plan.generation = one->generation;
    }
}

void fleet_in_place_reduce(struct arena *arena, const struct model_plugins *plugins,
                           struct fleet_cluster *cluster)
{
    for (size_t i = 0; plugins != NULL && i < cluster->group_count; i++) {
        struct fleet_group *group = &cluster->groups[i];

        for (size_t j = 0; j < group->choice_count; j++) {
            struct text plugin = group->choices[j].plugin;
            const struct wire_hello *hello =
                plugins->find(plugins->arg, text_slice(plugin, 0, text_find_byte(plugin, '/')));
            const struct text *paths;
            size_t count = hello == NULL ? 0 : properties_in_place(arena, hello, &paths);

            if (count > 0) {
                fleet_choice_reduce(arena, group, j, paths, count, false);
            }
        }
    }
}

struct plan_choice *fleet_alternatives(struct arena *arena, const struct fleet_group *group)
{
    struct plan_choice *out = arena_array(arena, struct plan_choice, group->choice_count);

    for (size_t i = 1; i < group->choice_count; i++) {
        out[i - 1] = (struct plan_choice){
            .generation = group->choices[i].generation,
            .zones = group->choices[i].zones,
            .zone_count = group->choices[i].zone_count,
        };
    }
    return out;
}

/* Compare the number of groups with the number in the cluster's record. If they differ, the store
 * is inconsistent. A missing group must never count as deleted. */
MUST_CHECK static bool groups_count_check(const struct stored_object *stored,
                                          struct fleet_cluster *cluster)
{
    if (stored->part.meta.has_totals && stored->part.meta.groups != stored->group_count) {
        return err_set(&cluster->problem, CODE_R0555,
                       "cluster '%.*s' should have %llu groups, and the store has %zu",
                       TEXT_ARG(stored->part.meta.name),
                       (unsigned long long)stored->part.meta.groups, stored->group_count);
    }
    return true;
}

/* True if a change of the cluster in several transactions is in progress (commit.h). The number of
 * groups may match even then, although groups and common values come from different changes. */
static bool is_fleet_groups_parted(const struct cache *cache, const struct fleet_cluster *cluster)
{
    struct text heads = TEXT(COMMIT_HEADS);

    for (const struct cache_object *head = cache_first(cache, heads); head != NULL;
         head = cache_next(cache, heads, head)) {
        if (head->parts[CACHE_BASE].bytes != NULL &&
            commit_is_of(blob_text(head->parts[CACHE_BASE].bytes), cluster->key)) {
            return true;
        }
    }
    return false;
}

MUST_CHECK static bool parts_check(struct fleet_cluster *cluster)
{
    return !cluster->is_parted ||
           err_set(&cluster->problem, CODE_R0555,
                   "a change of cluster '%.*s' is not completely written yet",
                   TEXT_ARG(cluster->name));
}

void fleet_wanted_read(const struct cache *cache, struct fleet_cluster *cluster)
{
    const struct cache_object *object =
        cache_find(cache, cluster->tenant, TEXT("Cluster"), cluster->id);
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct arena *memory = arena_new(SIZE_MAX);
    struct stored_object stored;

    /* The name is kept, because reports about a deleted cluster still use it. */
    cluster->name = cluster->name.length == 0 ? TEXT("") : arena_text(memory, cluster->name);
    arena_free(cluster->memory);
    cluster->memory = memory;
    cluster->readings++;
    cluster->groups = NULL;
    cluster->group_count = 0;
    cluster->rules = (struct roles_rules){ 0 };
    cluster->is_bootstrapped = cluster->is_classic = cluster->is_best_effort = false;
    cluster->is_parted = is_fleet_groups_parted(cache, cluster);
    cluster->problem = (struct err){ 0 };
    if (object != NULL && object->parts[CACHE_SPEC].bytes != NULL &&
        objects_read(scratch, cache, objects_kind("Cluster"), object, &stored, &cluster->problem)) {
        cluster->name = arena_text(cluster->memory, stored.part.meta.name);
        if (parts_check(cluster) && groups_count_check(&stored, cluster)) {
            (void)!fleet_groups_groups_make(scratch, &stored, cluster);
        }
    }
    arena_free(scratch);
}

struct control_way fleet_way(const struct fleet_cluster *cluster, const struct record *record)
{
    const struct fleet_group *group = fleet_group_find(cluster, record->plan.group);

    return (struct control_way){
        .cluster = cluster->key,
        .machine = record->plan.id,
        .token = record->plan.token,
        .name = record->name,
        .zone = record->plan.zone,
        .address = record->address,
        .user = record->user,
        .host_key = record->host_key,
        .key_secret = group != NULL ? group->key_secret : TEXT(""),
        .port = record->port,
        .is_first_key_accepted = group != NULL && group->is_first_key_accepted,
        .is_operators = group != NULL && group->is_operators,
    };
}
