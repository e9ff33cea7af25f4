#include "model/nest.h"
#include "service/service_parts.h"

#include <assert.h>
#include <string.h>

/* public names start with: mutation_ */

/* The plan of a change. Other files add data of the current state to it: removed machines,
 * superseded rollouts, lifted pauses. */

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

const struct change_object *mutation_current_find(const struct change *change,
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

void mutation_plan_report(struct mutation *mutation, mutation_object_report *report, void *arg)
{
    struct doc *plan = &mutation->change.plan;
    struct doc *objects = NULL;
    struct doc reported;

    for (size_t i = 0; i < plan->item_count; i++) {
        if (!report(arg, &plan->items[i], &reported)) {
            continue;
        }
        if (objects == NULL) {
            objects = arena_array(mutation->work, struct doc, plan->item_count);
            memcpy(objects, plan->items, plan->item_count * sizeof(*objects));
        }
        objects[i] = reported;
    }
    if (objects != NULL) {
        *plan = doc_list(objects, plan->item_count, NULL);
    }
}

bool mutation_knows_machines(const struct mutation *mutation)
{
    return mutation->service->reconciler.pass != NULL;
}

/* Lower the sum `name` of the whole plan, and the consent that it needs, by `less`. */
static void counters_lower(struct change *change, const char *name, uint64_t less)
{
    bool is_destroy = strcmp(name, "destroy") == 0;
    uint64_t *sum = is_destroy ? &change->summary.destroys : &change->summary.replaces;
    uint64_t *need = is_destroy ? &change->needs.destroy : &change->needs.replace;

    assert(*sum >= less && *need >= less);
    *sum -= less;
    *need -= less;
    change->summary.unneeded += less;
}

struct doc mutation_sum_lower(struct mutation *mutation, const struct doc *planned,
                              const char *name, uint64_t less)
{
    const struct doc *sums = doc_child(planned, "sums");
    int64_t sum = mutation_number_of(sums, name);
    struct doc lowered;

    if (less == 0 || sums == NULL) {
        return *planned;
    }
    assert((uint64_t)sum >= less);
    counters_lower(&mutation->change, name, less);
    lowered =
        nest_put(mutation->work, sums, name, doc_int(mutation->work, sum - (int64_t)less, NULL));
    return nest_put(mutation->work, planned, "sums", lowered);
}

struct doc mutation_destroy_sum_raise(struct mutation *mutation, const struct doc *planned,
                                      uint64_t more)
{
    const struct doc *sums = doc_child(planned, "sums");
    struct doc raised;

    if (more == 0 || sums == NULL) {
        return *planned;
    }
    mutation->change.summary.destroys += more;
    mutation->change.needs.destroy += more;
    raised = nest_put(
        mutation->work, sums, "destroy",
        doc_int(mutation->work, mutation_number_of(sums, "destroy") + (int64_t)more, NULL));
    return nest_put(mutation->work, planned, "sums", raised);
}

/* Adds the write to the last object; the change must have exactly one object. */
void mutation_op_append(struct mutation *mutation, struct change_op op, uint64_t revision)
{
    struct change *change = &mutation->change;
    struct change_op *ops = arena_array(mutation->work, struct change_op, change->op_count + 1);
    struct store_compare *pins =
        arena_array(mutation->work, struct store_compare, change->pin_count + 1);

    assert(change->object_count == 1 && change->objects[0].op_end == change->op_count);
    assert(change->objects[0].pin_end == change->pin_count);
    memcpy(ops, change->ops, change->op_count * sizeof(*ops));
    memcpy(pins, change->pins, change->pin_count * sizeof(*pins));
    ops[change->op_count++] = op;
    pins[change->pin_count++] = (struct store_compare){ .key = op.key, .revision = revision };
    change->ops = ops;
    change->pins = pins;
    change->objects[0].op_end = change->op_count;
    change->objects[0].pin_end = change->pin_count;
}
