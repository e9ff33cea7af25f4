#include "daemon/report.h"

#include <stdio.h>

static const struct {
    const char *word;
    enum exit_code code;
} ends[] = {
    [CONTROL_END_DONE] = { "done", EXIT_CODE_DONE },
    [CONTROL_END_QUIET] = { "quiet", EXIT_CODE_DONE },
    [CONTROL_END_HELD] = { "held", EXIT_CODE_CONFLICT },
    [CONTROL_END_FOREIGN] = { "foreign", EXIT_CODE_CONFLICT },
    [CONTROL_END_UNHEARD] = { "unheard", EXIT_CODE_UNAVAILABLE },
    [CONTROL_END_BROKEN] = { "broken", EXIT_CODE_UNAVAILABLE },
    [CONTROL_END_DAMAGED] = { "damaged", EXIT_CODE_FAULT },
};

static struct doc of(struct text text)
{
    return doc_text(text, NULL);
}

static struct doc actions_doc(struct arena *arena, const struct plan *plan)
{
    struct doc *items = arena_array(arena, struct doc, plan->action_count);

    for (size_t i = 0; i < plan->action_count; i++) {
        const struct plan_action *action = &plan->actions[i];
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "act", of(text_from(plan_act_name(action->act))));
        doc_builder_put(&builder, "fact", of(action->fact));
        doc_builder_put(&builder, "group", of(action->group));
        doc_builder_put(&builder, "rule", of(text_from(plan_rule_name(action->rule))));
        doc_builder_put(&builder, "slot", doc_int(arena, (int64_t)action->slot, NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, plan->action_count, NULL);
}

static struct doc report_holds_doc(struct arena *arena, const struct plan *plan)
{
    struct doc *items = arena_array(arena, struct doc, plan->hold_count);

    for (size_t i = 0; i < plan->hold_count; i++) {
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "fact", of(plan->holds[i].fact));
        doc_builder_put(&builder, "group", of(plan->holds[i].group));
        doc_builder_put(&builder, "rule", of(text_from(plan_rule_name(plan->holds[i].rule))));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, plan->hold_count, NULL);
}

struct doc report_doc(struct arena *arena, const struct control_report *report)
{
    const struct plan nothing = { 0 };
    const struct plan *plan = report->plan == NULL ? &nothing : report->plan;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actions", actions_doc(arena, plan));
    doc_builder_put(&builder, "cluster", of(report->cluster));
    doc_builder_put(&builder, "end", of(text_from(ends[report->end].word)));
    doc_builder_put(&builder, "holds", report_holds_doc(arena, plan));
    doc_builder_put(&builder, "machines", doc_int(arena, (int64_t)report->machines, NULL));
    doc_builder_put(&builder, "message", of(report->message));
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)report->revision, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct text word(const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

void report_show(const struct doc *report)
{
    const struct doc *actions = doc_child(report, "actions");
    const struct doc *holds = doc_child(report, "holds");
    size_t action_count = doc_is_list(actions) ? actions->item_count : 0;
    size_t hold_count = doc_is_list(holds) ? holds->item_count : 0;
    struct text message = word(report, "message");

    for (size_t i = 0; i < action_count; i++) {
        const struct doc *action = &actions->items[i];

        printf("%-9.*s %.*s/%.*s  %.*s  [%.*s]\n", TEXT_ARG(word(action, "act")),
               TEXT_ARG(word(action, "group")), TEXT_ARG(word(action, "slot")),
               TEXT_ARG(word(action, "fact")), TEXT_ARG(word(action, "rule")));
    }
    for (size_t i = 0; i < hold_count; i++) {
        struct text group = word(&holds->items[i], "group");

        printf("hold      %.*s  %.*s  [%.*s]\n",
               TEXT_ARG(group.length == 0 ? TEXT("the cluster") : group),
               TEXT_ARG(word(&holds->items[i], "fact")), TEXT_ARG(word(&holds->items[i], "rule")));
    }
    printf("%.*s machines, %zu actions, %zu holds, revision %.*s%s%.*s\n",
           TEXT_ARG(word(report, "machines")), action_count, hold_count,
           TEXT_ARG(word(report, "revision")), message.length > 0 ? ": " : "", TEXT_ARG(message));
}

enum exit_code report_code(const struct doc *report)
{
    for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
        if (text_is(word(report, "end"), ends[i].word)) {
            return ends[i].code;
        }
    }
    return EXIT_CODE_FAULT;
}
