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

/* The stages of a group; NULL: it has none. */
static const struct doc *list_find(const struct doc *effective, struct text group)
{
    const struct doc *groups = doc_child(effective, "groups");

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *values = doc_child(&groups->items[i], "values");

        if (!text_is_equal(doc_child_text(&groups->items[i], "path"), group)) {
            continue;
        }
        for (size_t j = 0; doc_is_list(values) && j < values->item_count; j++) {
            if (text_is(doc_child_text(&values->items[j], "path"), "bootstrap")) {
                return doc_child(&values->items[j], "value");
            }
        }
    }
    return NULL;
}

static struct text stages_name_of(const struct doc *stage)
{
    struct text bundle = doc_child_text(stage, "bundle");

    return text_slice(bundle, 0, text_find_byte(bundle, '@'));
}

/* An unknown stage is answered with the list of stages: "0 base, 1 packages". */
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
    const struct doc *stages = list_find(values, group);

    if (number >= 0 && doc_is_list(stages) && (size_t)number < stages->item_count) {
        return true;
    }
    list_hint(command, stages,
              err_list_set(&command->errors, (struct place){ 0 }, CODE_R0731,
                           "%.*s has no stage %lld", TEXT_ARG(node), (long long)number));
    return false;
}

bool stages_find(struct command *command, const struct doc *values, struct text group,
                 struct text node, struct text name, const char *flag, struct text *out)
{
    const struct doc *stages = list_find(values, group);
    size_t found = SIZE_MAX;

    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        if (!text_is_equal(stages_name_of(&stages->items[i]), name)) {
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
        list_hint(command, stages,
                  err_list_set(&command->errors, (struct place){ 0 }, CODE_R0731,
                               "%.*s has no stage '%.*s'", TEXT_ARG(node), TEXT_ARG(name)));
        return false;
    }
    *out = arena_printf(command->arena, "%zu", found);
    return true;
}
