#include "base/sort.h"
#include "base/time.h"
#include "cli/args/when.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"

/* public names start with: get_ */

/* Maximum number of objects that a row lists by name. */
enum { PLAN_OBJECTS_NAMED = 3 };

bool get_plans_named(struct command *command, const struct schema_kind *kind, struct targets *out)
{
    const struct args *args = &command->args;

    *out = (struct targets){ .kind = kind };
    out->items = arena_array(command->arena, struct target, args->argument_count);
    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = text_from(args->words[i]);
        size_t slash = text_find_byte(word, '/');

        if (slash != SIZE_MAX) {
            word = text_slice(word, slash + 1, word.length);
        }
        if (i > 0 || slash != SIZE_MAX) {
            out->items[out->count++] = (struct target){ kind, word };
        }
    }
    return true;
}

/* Make an object with kind and metadata from a plan, whose fields are at the top level of the
 * manager's answer. */
static struct doc object_make(struct command *command, const struct doc *reported)
{
    struct doc_builder metadata;
    struct doc_builder object;

    doc_builder_init(&metadata, command->arena);
    doc_builder_put(&metadata, "name", doc_text(doc_child_text(reported, "id"), NULL));
    doc_builder_init(&object, command->arena);
    doc_builder_put(&object, "kind", doc_text(TEXT("Plan"), NULL));
    doc_builder_put(&object, "metadata", doc_builder_map(&metadata, NULL));
    for (size_t i = 0; i < reported->entry_count; i++) {
        /* `parts` is left out, because it only describes how a plan is stored */
        if (!text_is(reported->entries[i].key, "parts")) {
            doc_builder_add(&object, &reported->entries[i]);
        }
    }
    return doc_builder_map(&object, NULL);
}

static int get_plans_newest_first(const void *a, const void *b, void *arg)
{
    (void)arg;
    return -text_compare(doc_child_text(a, "created"), doc_child_text(b, "created"));
}

static const struct doc *plan_find(const struct doc *items, struct text id)
{
    for (size_t i = 0; i < items->item_count; i++) {
        if (text_is_equal(doc_child_text(&items->items[i], "id"), id)) {
            return &items->items[i];
        }
    }
    return NULL;
}

bool get_plans_list(struct command *command, const struct session *session,
                    const struct targets *targets, struct listing *out)
{
    struct doc none = doc_list(NULL, 0, NULL);
    const struct doc *items;
    struct doc answer;
    size_t count;

    if (!session_get(command, session, TEXT("/v1/plans"), &answer)) {
        return false;
    }
    items = doc_is_list(doc_child(&answer, "items")) ? doc_child(&answer, "items") : &none;
    count = targets->count > 0 ? targets->count : items->item_count;
    *out = (struct listing){ .items = arena_array(command->arena, struct doc, count + 1),
                             .revision = (uint64_t)doc_child_number(&answer, "revision") };
    for (size_t i = 0; i < count; i++) {
        const struct doc *reported =
            targets->count > 0 ? plan_find(items, targets->items[i].name) : &items->items[i];

        if (reported == NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                         "there is no plan '%.*s'",
                                         TEXT_ARG(targets->items[i].name)),
                            "reeve get plans lists those that exist");
        }
        out->items[out->count++] = object_make(command, reported);
    }
    sort_stable(command->arena, out->items, out->count, sizeof(*out->items), get_plans_newest_first,
                NULL);
    return true;
}

/* Format the objects of a plan: "cluster/shop, cluster/lab and 4 more". */
static struct text objects_name(struct command *command, const struct doc *objects)
{
    size_t count = doc_is_list(objects) ? objects->item_count : 0;
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < count && i < PLAN_OBJECTS_NAMED; i++) {
        const struct schema_kind *kind =
            schema_kind_find(doc_child_text(&objects->items[i], "kind"));

        buf_printf(&buf, "%s%s %s/%.*s", i > 0 ? ", " : "",
                   arena_string(command->arena, doc_child_text(&objects->items[i], "change")),
                   kind == NULL ? "object" : kind->singular,
                   TEXT_ARG(doc_child_text(&objects->items[i], "name")));
    }
    if (count > PLAN_OBJECTS_NAMED) {
        buf_printf(&buf, " and %zu more", count - PLAN_OBJECTS_NAMED);
    }
    return count == 0 ? TEXT("many objects") : buf_text(&buf);
}

void get_plans_row(struct command *command, const struct doc *plan, struct doc_builder *row)
{
    doc_builder_put(row, "made",
                    doc_text(when_format(command, doc_child_text(plan, "created")), NULL));
    doc_builder_put(row, "until", doc_text(doc_child_text(plan, "expires"), NULL));
    doc_builder_put(row, "what", doc_text(objects_name(command, doc_child(plan, "objects")), NULL));
}
