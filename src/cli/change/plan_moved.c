#include "cli/change/plan_moved.h"

#include "cli/change/difference.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* Maximum number of lines of differences; more are replaced by a count. */
#define PLAN_MOVED_LINES 12

bool plan_moved_get(struct command *command, const struct session *session, struct text id,
                    struct doc *out)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/plans/");
    client_path_add(&path, id);
    return session_get(command, session, buf_text(&path), out);
}

/* Return the planned action on one object: only the fields that describe the action, without fields
 * that describe the state. */
static struct doc deed_make(struct arena *arena, const struct doc *thing)
{
    static const char *const fields[] = { "change", "was", "size", "create", "destroy" };
    const struct doc *changes = doc_child(thing, "changes");
    struct doc_builder values;
    struct doc_builder deed;

    doc_builder_init(&deed, arena);
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (doc_child(thing, fields[i]) != NULL) {
            doc_builder_put(&deed, fields[i], *doc_child(thing, fields[i]));
        }
    }
    doc_builder_init(&values, arena);
    for (size_t i = 0; doc_is_list(changes) && i < changes->item_count; i++) {
        const struct doc *new_value = doc_child(&changes->items[i], "new");

        doc_builder_add(
            &values, &(struct doc_entry){ .key = doc_child_text(&changes->items[i], "path"),
                                          .value = new_value == NULL ? doc_plain(TEXT("null"), NULL)
                                                                     : *new_value });
    }
    if (doc_is_list(changes) && changes->item_count > 0) {
        doc_builder_put(&deed, "values", doc_builder_map(&values, NULL));
    }
    return doc_builder_map(&deed, NULL);
}

/* Make {"cluster/shop": action, "cluster/shop/web": action} with only the objects and groups that
 * change. */
static struct doc deeds_make(struct arena *arena, const struct doc *plan)
{
    struct doc_builder deeds;

    doc_builder_init(&deeds, arena);
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *object = &plan->items[i];
        const struct doc *groups = doc_child(object, "groups");
        const struct schema_kind *kind = schema_kind_find(doc_child_text(object, "kind"));
        struct text ref = arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                                       TEXT_ARG(doc_child_text(object, "name")));

        if (!text_is(doc_child_text(object, "change"), "none")) {
            doc_builder_add(&deeds,
                            &(struct doc_entry){ .key = ref, .value = deed_make(arena, object) });
        }
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            struct text path = doc_child_text(&groups->items[j], "path");

            if (!text_is(doc_child_text(&groups->items[j], "change"), "none")) {
                doc_builder_add(
                    &deeds, &(struct doc_entry){ .key = arena_printf(arena, "%.*s/%.*s",
                                                                     TEXT_ARG(ref), TEXT_ARG(path)),
                                                 .value = deed_make(arena, &groups->items[j]) });
            }
        }
    }
    return doc_builder_map(&deeds, NULL);
}

void plan_moved_write(struct command *command, struct text old_id, const struct doc *old_plan,
                      const struct doc *new_plan)
{
    struct doc old_deeds = deeds_make(command->arena, old_plan);
    struct doc new_deeds = deeds_make(command->arena, new_plan);
    struct differences found;
    size_t from = command->out.length;

    differences_init(&found, command->arena);
    differences_find(&found, &old_deeds, &new_deeds);
    buf_printf(&command->out,
               found.count == 0 ? "the effect is the same as that of plan/%.*s\n"
                                : "differences from plan/%.*s\n",
               TEXT_ARG(old_id));
    for (size_t i = 0; i < found.count && i < PLAN_MOVED_LINES; i++) {
        difference_write_side(command, "  - ", STYLE_REMOVED, found.items[i].path,
                              found.items[i].old_value);
        difference_write_side(command, "  + ", STYLE_ADDED, found.items[i].path,
                              found.items[i].new_value);
    }
    if (found.count > PLAN_MOVED_LINES) {
        buf_printf(&command->out, "  ... and %zu more; -o json shows all\n",
                   found.count - PLAN_MOVED_LINES);
    }
    command_fold(command, from);
}
