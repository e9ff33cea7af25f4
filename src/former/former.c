#include "former/former.h"

#include "codec/doc_child.h"
#include "codec/json.h"

/* public names start with: former_ */

static const char *const former_hooks[FLEET_HOOK_COUNT] = {
    [FLEET_HOOK_VERIFY] = "verify",   [FLEET_HOOK_DRAIN] = "drain",
    [FLEET_HOOK_UNDRAIN] = "undrain", [FLEET_HOOK_CLEANUP] = "cleanup",
    [FLEET_HOOK_UPGRADE] = "upgrade",
};

/* ---- writing ---- */

static void former_text_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

static struct doc former_stage_format(struct arena *arena, const struct nodes_stage *stage)
{
    struct doc *arguments = arena_array(arena, struct doc, stage->argument_count + 1);
    struct doc_builder builder;

    for (size_t i = 0; i < stage->argument_count; i++) {
        arguments[i] = doc_text(stage->arguments[i], NULL);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "args", doc_list(arguments, stage->argument_count, NULL));
    doc_builder_put(&builder, "bundle",
                    doc_text(arena_printf(arena, "%.*s@sha256:%.*s", TEXT_ARG(stage->name),
                                          TEXT_ARG(stage->digest)),
                             NULL));
    doc_builder_put(&builder, "continue", doc_bool(stage->goes_on, NULL));
    doc_builder_put(&builder, "idempotent", doc_bool(stage->is_idempotent, NULL));
    former_text_put(&builder, "playbook", stage->playbook);
    doc_builder_put(&builder, "timeout", doc_int(arena, (int64_t)stage->timeout_ms, NULL));
    doc_builder_put(&builder, "tries", doc_int(arena, (int64_t)stage->tries, NULL));
    doc_builder_put(&builder, "trusted", doc_bool(stage->is_marker_trusted, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Returns the variables of a group. These are the variables of its last stages, which come from its
 * configuration. */
static struct text former_vars(const struct fleet_group *group)
{
    return group->stage_count == 0 ? TEXT("") : group->stages[group->stage_count - 1].vars;
}

static struct doc former_variants_format(struct arena *arena, const struct fleet_group *group)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < group->variant_count; i++) {
        const struct fleet_variant *variant = &group->variants[i];
        struct doc_builder own;

        doc_builder_init(&own, arena);
        former_text_put(&own, "chain", variant->group->chain);
        former_text_put(&own, "vars", former_vars(variant->group));
        doc_builder_add(&builder,
                        &(struct doc_entry){
                            .key = arena_printf(arena, "%llu", (unsigned long long)variant->slot),
                            .value = doc_builder_map(&own, NULL) });
    }
    return doc_builder_map(&builder, NULL);
}

struct text former_format(struct arena *arena, const struct fleet_group *group)
{
    struct doc *stages = arena_array(arena, struct doc, group->stage_count + 1);
    struct doc_builder builder;
    struct doc_builder hooks;
    struct doc doc;
    struct buf buf;

    for (size_t i = 0; i < group->stage_count; i++) {
        stages[i] = former_stage_format(arena, &group->stages[i]);
    }
    doc_builder_init(&hooks, arena);
    for (size_t i = 0; i < FLEET_HOOK_COUNT; i++) {
        former_text_put(&hooks, former_hooks[i], group->hooks[i]);
    }
    doc_builder_init(&builder, arena);
    former_text_put(&builder, "chain", group->chain);
    former_text_put(&builder, "files", group->files);
    doc_builder_put(&builder, "from", doc_int(arena, (int64_t)group->configured_from, NULL));
    doc_builder_put(&builder, "hooks", doc_builder_map(&hooks, NULL));
    doc_builder_put(&builder, "stages", doc_list(stages, group->stage_count, NULL));
    doc_builder_put(&builder, "variants", former_variants_format(arena, group));
    former_text_put(&builder, "vars", former_vars(group));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* ---- reading ---- */

static bool former_flag(const struct doc *map, const char *name)
{
    return text_is(doc_child_text(map, name), "true");
}

MUST_CHECK static bool former_stage_parse(struct arena *arena, const struct doc *doc,
                                          struct nodes_stage *out)
{
    struct text bundle = doc_child_text(doc, "bundle");
    size_t at = text_find_byte(bundle, '@');
    const struct doc *list = doc_child(doc, "args");
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct text *arguments = arena_array(arena, struct text, count + 1);

    if (at == SIZE_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        arguments[i] = list->items[i].text;
    }
    *out = (struct nodes_stage){
        .name = text_slice(bundle, 0, at),
        .digest = text_slice(bundle, at + sizeof("@sha256:") - 1, SIZE_MAX),
        .playbook = doc_child_text(doc, "playbook"),
        .arguments = arguments,
        .argument_count = count,
        .timeout_ms = (uint64_t)doc_child_number(doc, "timeout"),
        .tries = (uint32_t)doc_child_number(doc, "tries"),
        .is_idempotent = former_flag(doc, "idempotent"),
        .goes_on = former_flag(doc, "continue"),
        .is_marker_trusted = former_flag(doc, "trusted"),
    };
    return true;
}

static void former_vars_set(struct fleet_group *group, struct text vars)
{
    for (size_t i = group->configured_from; i < group->stage_count; i++) {
        group->stages[i].vars = vars;
    }
}

/* Read the variants: stages of members that have their own variables. */
static void former_variants_parse(struct arena *arena, const struct doc *doc,
                                  struct fleet_group *out)
{
    size_t count = doc_is_map(doc) ? doc->entry_count : 0;

    out->variants = NULL;
    out->variant_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct fleet_group *own = arena_one(arena, struct fleet_group);
        int64_t slot;

        if (!text_parse_int64(doc->entries[i].key, &slot)) {
            continue;
        }
        *own = *out;
        own->variants = NULL;
        own->variant_count = 0;
        own->chain = doc_child_text(&doc->entries[i].value, "chain");
        own->stages = arena_array(arena, struct nodes_stage, out->stage_count + 1);
        for (size_t j = 0; j < out->stage_count; j++) {
            own->stages[j] = out->stages[j];
        }
        former_vars_set(own, doc_child_text(&doc->entries[i].value, "vars"));
        if (out->variants == NULL) {
            out->variants = arena_array(arena, struct fleet_variant, count);
        }
        out->variants[out->variant_count++] = (struct fleet_variant){ (uint64_t)slot, own };
    }
    fleet_variants_sort(arena, out);
}

bool former_parse(struct arena *arena, struct text bytes, const struct fleet_group *like,
                  struct fleet_group *out)
{
    const struct doc *stages;
    struct doc doc;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &doc, &err)) {
        return false;
    }
    stages = doc_child(&doc, "stages");
    if (!doc_is_list(stages)) {
        return false;
    }
    *out = *like;
    out->chain = doc_child_text(&doc, "chain");
    out->files = doc_child_text(&doc, "files");
    out->configured_from = (size_t)doc_child_number(&doc, "from");
    for (size_t i = 0; i < FLEET_HOOK_COUNT; i++) {
        out->hooks[i] = doc_child_text(doc_child(&doc, "hooks"), former_hooks[i]);
    }
    out->stages = arena_array(arena, struct nodes_stage, stages->item_count + 1);
    out->stage_count = stages->item_count;
    for (size_t i = 0; i < out->stage_count; i++) {
        if (!former_stage_parse(arena, &stages->items[i], &out->stages[i])) {
            return false;
        }
    }
    former_vars_set(out, doc_child_text(&doc, "vars"));
    former_variants_parse(arena, doc_child(&doc, "variants"), out);
    return true;
}
