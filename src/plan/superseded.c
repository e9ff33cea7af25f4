#include "plan/superseded.h"

static struct text superseded_text_of(const struct doc *map, const char *key)
{
    const struct doc *value = doc_child(map, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* Return the name that an object or group had before this plan renames it. */
static struct text current_of(const struct doc *map, const char *key)
{
    struct text was = superseded_text_of(map, "was");

    return was.length > 0 ? was : superseded_text_of(map, key);
}

MUST_CHECK static bool superseded_refuse(const struct doc *object, const struct doc *group,
                                         struct err *err)
{
    struct text cluster = current_of(object, "name");
    struct text path = current_of(group, "path");
    struct text count = superseded_text_of(group, "supersedes");

    err_set(err, CODE_R0439,
            "a rollout of nodegroup '%.*s/%.*s' is under way: %.*s machine%s not %s so far",
            TEXT_ARG(cluster), TEXT_ARG(path), TEXT_ARG(count),
            text_is(count, "1") ? " is" : "s are",
            doc_child(group, "inPlace") != NULL ? "changed" : "replaced");
    return err_hint(err,
                    "reeve rollout status %.*s/%.*s shows it; with --supersede, machines that it "
                    "has not started follow the newer change",
                    TEXT_ARG(cluster), TEXT_ARG(path));
}

size_t superseded_count(const struct doc *plan)
{
    size_t count = 0;

    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            count += doc_child(&groups->items[j], "supersedes") != NULL;
        }
    }
    return count;
}

bool superseded_check(const struct doc *plan, struct err *err)
{
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            if (doc_child(&groups->items[j], "supersedes") != NULL) {
                return superseded_refuse(&plan->items[i], &groups->items[j], err);
            }
        }
    }
    return true;
}
