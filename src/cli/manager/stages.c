#include "cli/manager/stages.h"

#include "codec/doc_child.h"

bool stages_get(struct command *command, const struct session *session, struct text cluster,
                struct doc *out)
{
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));

    return session_get(command, session,
                       arena_printf(command->arena, "%.*s?view=effective",
                                    TEXT_ARG(session_path(command, kind, cluster))),
                       out);
}

/* Return the list at a path of a group's values. NULL: there is none. */
static const struct doc *list_find(const struct doc *values, const char *path)
{
    for (size_t i = 0; doc_is_list(values) && i < values->item_count; i++) {
        if (text_is(doc_child_text(&values->items[i], "path"), path)) {
            return doc_child(&values->items[i], "value");
        }
    }
    return NULL;
}

/* Return the stages of a group: first the stages that it lists, then the stages of its
 * configuration. */
static struct doc stages_of(struct command *command, const struct doc *effective, struct text group)
{
    static const char *const paths[] = { "bootstrap", "configured.bundles" };
    const struct doc *groups = doc_child(effective, "groups");
    const struct doc *values = NULL;
    struct doc *items = NULL;
    size_t count = 0;

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (text_is_equal(doc_child_text(&groups->items[i], "path"), group)) {
            values = doc_child(&groups->items[i], "values");
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        const struct doc *list = list_find(values, paths[i]);
        size_t added = doc_is_list(list) ? list->item_count : 0;

        items = arena_grow(command->arena, items, count * sizeof(*items),
                           (count + added) * sizeof(*items));
        for (size_t j = 0; j < added; j++) {
            items[count++] = list->items[j];
        }
    }
    return doc_list(items, count, NULL);
}

static struct text stages_name_of(const struct doc *stage)
{
    struct text bundle = doc_child_text(stage, "bundle");

    return text_slice(bundle, 0, text_find_byte(bundle, '@'));
}

/* Add the list of stages as the hint for an unknown stage: "0 base, 1 packages". */
static void list_hint(struct command *command, const struct doc *stages, struct err *err)
{
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        buf_printf(&buf, "%s%zu %.*s", i == 0 ? "" : ", ", i,
                   TEXT_ARG(stages_name_of(&stages->items[i])));
    }
    if (buf.length > 0) {
        (void)!err_hint(err, "there are %.*s", TEXT_ARG(buf_text(&buf)));
    }
}

bool stages_has(struct command *command, const struct doc *values, struct text group,
                struct text node, int64_t number)
{
    struct doc stages = stages_of(command, values, group);

    if (number >= 0 && (size_t)number < stages.item_count) {
        return true;
    }
    list_hint(command, &stages,
              err_list_set(&command->errors, (struct place){ 0 }, CODE_R0731,
                           "%.*s has no stage %lld", TEXT_ARG(node), (long long)number));
    return false;
}

bool stages_find(struct command *command, const struct doc *values, struct text group,
                 struct text node, struct text name, const char *flag, struct text *out)
{
    struct doc stages = stages_of(command, values, group);
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < stages.item_count; i++) {
        if (!text_is_equal(stages_name_of(&stages.items[i]), name)) {
            continue;
        }
        if (found != SIZE_MAX) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "'%.*s' is the name of several stages", TEXT_ARG(name)),
                            "select one by its number: %s %zu, %s %zu", flag, found, flag, i);
        }
        found = i;
    }
    if (found == SIZE_MAX) {
        list_hint(command, &stages,
                  err_list_set(&command->errors, (struct place){ 0 }, CODE_R0731,
                               "%.*s has no stage '%.*s'", TEXT_ARG(node), TEXT_ARG(name)));
        return false;
    }
    *out = arena_printf(command->arena, "%zu", found);
    return true;
}
