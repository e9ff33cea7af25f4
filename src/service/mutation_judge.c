#include "codec/json.h"
#include "model/properties.h"
#include "service/service_parts.h"

/* Validation of properties by plugins. A change is computed, plugins validate its properties, and
 * the change is computed again when they have answered. Between the two attempts only the answers
 * for these properties are kept. */

struct judgement {
    struct judgement *next;
    struct mutation *mutation;
    struct text plugin;
    struct text properties; /* the properties, as JSON, that were validated */
    struct wire_list faults;
    struct text problem; /* why they could not be validated; empty: validation was possible */
};

static struct text properties_text(struct mutation *mutation, const struct model_question *question)
{
    struct doc made = properties_make(mutation->work, question->hello, &question->leaf, NULL);
    struct buf buf;

    buf_init(&buf, mutation->work);
    json_format(&buf, &made);
    return buf_text(&buf);
}

static struct judgement *judgement_find(const struct mutation *mutation,
                                        const struct model_question *question,
                                        struct text properties)
{
    for (struct judgement *one = mutation->judgements; one != NULL; one = one->next) {
        if (text_is_equal(one->plugin, question->plugin) &&
            text_is_equal(one->properties, properties)) {
            return one;
        }
    }
    return NULL;
}

/* ---- validation ---- */

static void judged(void *arg, struct wire_list faults, struct text problem)
{
    struct judgement *one = arg;
    struct mutation *mutation = one->mutation;
    struct wire_pair *kept = arena_array(mutation->arena, struct wire_pair, faults.count);

    for (size_t i = 0; i < faults.count; i++) {
        const struct wire_pair *fault = wire_item(faults, const struct wire_pair, i);

        kept[i] = (struct wire_pair){ arena_text(mutation->arena, fault->name),
                                      arena_text(mutation->arena, fault->value) };
    }
    one->faults = (struct wire_list){ kept, faults.count };
    one->problem = arena_text(mutation->arena, problem);
    if (--mutation->judging == 0) {
        mutation_start(mutation);
    }
}

static void judgement_ask(struct mutation *mutation, const struct model_question *question,
                          struct text properties)
{
    const struct service_controller *reconciler = &mutation->service->reconciler;
    struct judgement *one = arena_one(mutation->arena, struct judgement);

    *one = (struct judgement){ .next = mutation->judgements,
                               .mutation = mutation,
                               .plugin = arena_text(mutation->arena, question->plugin),
                               .properties = arena_text(mutation->arena, properties) };
    mutation->judgements = one;
    mutation->judging++;
    reconciler->judge(reconciler->arg, mutation->actor.tenant, one->plugin, one->properties, judged,
                      one);
}

/* ---- reports ---- */

void mutation_question_place(struct mutation *mutation, const struct model_question *question,
                             struct text at, struct err *err)
{
    struct text pointer = properties_place(mutation->work, question->hello, &question->leaf, at);
    const struct doc *value = doc_at(&question->leaf, pointer);

    while (value == NULL && pointer.length > 0) {
        while (pointer.length > 0 && pointer.data[pointer.length - 1] != '/') {
            pointer.length--;
        }
        pointer.length -= pointer.length > 0;
        value = doc_at(&question->leaf, pointer);
    }
    if (value != NULL && pointer.length > 0) {
        model_blame(err, value);
    }
    err_place(err, question->place);
}

static void fault_report(struct mutation *mutation, const struct model_question *question,
                         const struct wire_pair *fault)
{
    struct err *err =
        err_list_set(&mutation->errors, (struct place){ 0 }, CODE_R0605, "plugin %.*s: %.*s",
                     TEXT_ARG(question->plugin), TEXT_ARG(fault->value));

    mutation_question_place(mutation, question, fault->name, err);
}

/* Warn of a provider's problem: it is not an error of the file and does not block a change. */
static void mutation_judge_problem_report(struct mutation *mutation,
                                          const struct model_question *question,
                                          const struct judgement *one)
{
    const struct doc *value = doc_at(&question->leaf, TEXT("/resourcePlugin/name"));
    struct err *err = err_list_warn(&mutation->errors, (struct place){ 0 }, CODE_R0802,
                                    "plugin %.*s could not validate the properties of the group: "
                                    "%.*s",
                                    TEXT_ARG(question->plugin), TEXT_ARG(one->problem));

    if (value != NULL) {
        model_blame(err, value);
    }
    err_place(err, question->place);
}

bool mutation_judge(struct mutation *mutation)
{
    const struct change *change = &mutation->change;

    if (mutation->service->reconciler.judge == NULL) {
        return true;
    }
    /* prevents an early answer from starting the change again before all plugins have their
     * request */
    mutation->judging++;
    for (size_t i = 0; i < change->question_count; i++) {
        const struct model_question *question = &change->questions[i];
        struct text properties = properties_text(mutation, question);
        struct judgement *one = judgement_find(mutation, question, properties);

        if ((question->hello->methods >> WIRE_VALIDATE & 1) == 0) {
            continue;
        }
        if (one == NULL) {
            size_t before = mutation->judging;

            judgement_ask(mutation, question, properties);
            if (mutation->judging > before) {
                continue;
            }
            one = mutation->judgements; /* it was answered immediately */
        }
        if (one->problem.length > 0) {
            mutation_judge_problem_report(mutation, question, one);
        }
        for (size_t j = 0; j < one->faults.count; j++) {
            fault_report(mutation, question, wire_item(one->faults, const struct wire_pair, j));
        }
    }
    for (size_t i = 0; mutation->errors.count > 0 && i < mutation->request.document_count; i++) {
        model_point(&mutation->errors, &mutation->request.documents[i]);
    }
    return --mutation->judging == 0;
}
