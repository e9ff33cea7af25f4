#include "engine/service_parts.h"

#include <string.h>

/* names: mutation_ */

/* The plan of a change, which those who know more of what stands add to: which machines go, which rollout it takes the place of,
 * which pause it lifts. */

struct text mutation_text_of(const struct doc *map, const char *key)
{
    const struct doc *value = doc_child(map, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

int64_t mutation_number_of(const struct doc *map, const char *key)
{
    const struct doc *value = doc_child(map, key);
    int64_t number = 0;

    return doc_is_scalar(value) && text_parse_int64(value->text, &number) ? number : 0;
}

const struct change_object *mutation_standing_find(const struct change *change,
                                                   const struct doc *planned)
{
    for (size_t i = 0; i < change->object_count; i++) {
        const struct change_object *object = &change->objects[i];

        if (object->kind->owner == OWNER_CLUSTER && object->revision > 0 &&
            text_is(mutation_text_of(planned, "kind"), object->kind->name) &&
            text_is_equal(mutation_text_of(planned, "name"), object->name)) {
            return object;
        }
    }
    return NULL;
}

void mutation_plan_tell(struct mutation *mutation, mutation_object_tell *tell, void *arg)
{
    struct doc *plan = &mutation->change.plan;
    struct doc *objects = NULL;
    struct doc told;

    for (size_t i = 0; i < plan->item_count; i++) {
        if (!tell(arg, &plan->items[i], &told)) {
            continue;
        }
        if (objects == NULL) {
            objects = arena_array(mutation->work, struct doc, plan->item_count);
            memcpy(objects, plan->items, plan->item_count * sizeof(*objects));
        }
        objects[i] = told;
    }
    if (objects != NULL) {
        *plan = doc_list(objects, plan->item_count, NULL);
    }
}
