#include "base/macros.h"
#include "cli/change/change_parts.h"
#include "codec/doc_child.h"

/* public names start with: only_ */

/* The classes, worst first. */
enum only_class { DESTROY, REPLACE, REBOOT, RENAME, IN_PLACE, CREATE, CLASS_COUNT };

static const char *const class_names[CLASS_COUNT] = {
    [DESTROY] = "destroy", [REPLACE] = "replace",   [REBOOT] = "reboot",
    [RENAME] = "rename",   [IN_PLACE] = "in-place", [CREATE] = "create",
};

struct only {
    bool is_allowed[CLASS_COUNT];
    int64_t needed[CLASS_COUNT];
};

MUST_CHECK static bool class_allow(struct command *command, struct text name, struct only *out)
{
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (text_is(name, class_names[i])) {
            out->is_allowed[i] = true;
            return true;
        }
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                          "--only does not accept '%.*s'", TEXT_ARG(name)),
             "the classes are create, in-place, rename, reboot, replace and destroy");
    return false;
}

MUST_CHECK static bool flag_read(struct command *command, const char *value, struct only *out)
{
    struct text rest = text_from(value);

    do {
        size_t comma = text_find_byte(rest, ',');

        if (!class_allow(command, text_slice(rest, 0, comma), out)) {
            return false;
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    } while (rest.length > 0);
    return true;
}

/* Count the class of the change for objects without machines, and for changes of a group that do
 * not affect its machines. */
static void object_count(const struct doc *object, struct only *only)
{
    struct text change = doc_child_text(object, "change");
    const struct doc *sums = doc_child(object, "sums");
    bool has_machines = doc_child_number(sums, "create") + doc_child_number(sums, "change") +
                            doc_child_number(sums, "replace") + doc_child_number(sums, "destroy") >
                        0;

    if (has_machines) {
        return;
    }
    only->needed[CREATE] += text_is(change, "create");
    only->needed[IN_PLACE] += text_is(change, "change");
    only->needed[DESTROY] += text_is(change, "destroy");
}

static void answer_count(const struct doc *answer, struct only *only)
{
    const struct doc *needs = doc_child(answer, "needs");
    const struct doc *plan = doc_child(answer, "plan");

    only->needed[DESTROY] += doc_child_number(needs, "destroy");
    only->needed[REPLACE] += doc_child_number(needs, "replace");
    only->needed[REBOOT] += doc_child_number(needs, "reboot");
    only->needed[RENAME] += doc_child_number(needs, "rename");
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *sums = doc_child(&plan->items[i], "sums");

        only->needed[CREATE] += doc_child_number(sums, "create");
        only->needed[IN_PLACE] += doc_child_number(sums, "change");
        object_count(&plan->items[i], only);
    }
}

bool only_check(struct command *command, const struct change_set *set)
{
    const char *value = args_named(&command->args, "only");
    struct only only = { 0 };

    if (value == NULL) {
        return true;
    }
    if (!flag_read(command, value, &only)) {
        return false;
    }
    for (size_t i = 0; i < set->count; i++) {
        answer_count(&set->calls[i].answer, &only);
    }
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (only.needed[i] > 0 && !only.is_allowed[i]) {
            err_hint(
                err_list_set(&command->errors, (struct place){ 0 }, CODE_R0024,
                             "--only allows %s, but the change would %s %lld; nothing was changed",
                             value, i == IN_PLACE ? "change in place" : class_names[i],
                             (long long)only.needed[i]),
                "reeve plan shows the change; add the class to --only, or remove that change from the file");
            return false;
        }
    }
    return true;
}
