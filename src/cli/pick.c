#include "cli/pick.h"

#include "cli/plan_writer.h"

#include <string.h>

static const char *const rules[] = { "oldestConfig", "oldest", "newest", "failed" };

static bool is_rule(const char *word)
{
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        is_any = is_any || strcmp(word, rules[i]) == 0;
    }
    return is_any;
}

bool pick_read(struct command *command, const char **out_rule)
{
    const char *word;
    size_t count = 0;

    *out_rule = rules[0];
    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_SCALE_PICK, i)) != NULL; i++) {
        if (is_rule(word)) {
            *out_rule = word;
            count++;
        }
    }
    return count <= 1 || err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                               "--pick takes one rule, got %zu", count),
                                  "rules: oldestConfig, oldest, newest, failed");
}

bool pick_range_has(struct text range, struct text name)
{
    size_t open = text_find_byte(range, '[');
    size_t close = text_find_byte(range, ']');
    struct text prefix = text_slice(range, 0, open);
    struct text inner;
    size_t dash;
    struct text suffix;
    struct text digits;
    int64_t number;
    int64_t first;
    int64_t last;

    if (open == SIZE_MAX || close == SIZE_MAX || close < open) {
        return text_is_equal(range, name);
    }
    inner = text_slice(range, open + 1, close - open - 1);
    dash = text_find_byte(inner, '-');
    if (dash == SIZE_MAX) {
        return false;
    }
    suffix = text_slice(range, close + 1, range.length);
    if (name.length <= prefix.length + suffix.length || !text_has_prefix(name, prefix) ||
        !text_has_suffix(name, suffix)) {
        return false;
    }
    digits = text_slice(name, prefix.length, name.length - suffix.length - prefix.length);
    if (inner.data[0] == '0' && dash > 1 && digits.length != dash) {
        return false; /* filled with zeros to one width */
    }
    return digits.data[0] >= '0' && digits.data[0] <= '9' && text_parse_int64(digits, &number) &&
           text_parse_int64(text_slice(inner, 0, dash), &first) &&
           text_parse_int64(text_slice(inner, dash + 1, inner.length), &last) && number >= first &&
           number <= last;
}

static bool refuse(struct command *command, const char *word, const char *why, struct text going)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0033,
                                   "'%s' cannot go: %s", word, why);

    return err_hint(err, "these would go: %.*s", TEXT_ARG(going));
}

/* One that was named. */
static bool node_check(struct command *command, const char *word, struct text cluster,
                       const struct doc *group)
{
    struct text name = text_from(word);
    struct text going = plan_child_text(group, "destroy");

    if (text_has_prefix(name, cluster) && name.length > cluster.length &&
        name.data[cluster.length] == '/') {
        name = text_slice(name, cluster.length + 1, name.length);
    }
    if (pick_range_has(going, name)) {
        return true;
    }
    return refuse(command, word,
                  pick_range_has(plan_child_text(group, "members"), name)
                      ? "while no machine exists, the places with the highest numbers go first"
                      : "the group has no such member",
                  going);
}

/* The group of the answer to a dry run that shrinks; NULL where none does. */
static const struct doc *shrinking_find(const struct doc *answer)
{
    const struct doc *groups = doc_at(answer, TEXT("/plan/0/groups"));

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (plan_child_text(&groups->items[i], "destroy").length > 0) {
            return &groups->items[i];
        }
    }
    return NULL;
}

bool pick_check(struct command *command, const struct session *session,
                const struct change_call *call, struct text cluster, const char *rule)
{
    struct change_call dry = *call;
    const struct doc *group;
    int64_t named = 0;
    int64_t going;
    const char *word;

    if (!change_dry(command, session, &dry)) {
        return false;
    }
    group = shrinking_find(&dry.answer);
    if (group == NULL) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0033,
                                     "--pick says who goes, and nobody does"),
                        "leave it out, or name a smaller size");
    }
    going = plan_child_number(group, "oldSize") - plan_child_number(group, "size");
    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_SCALE_PICK, i)) != NULL; i++) {
        if (!is_rule(word)) {
            named++;
            if (!node_check(command, word, cluster, group)) {
                return false;
            }
        }
    }
    if (named > going) {
        return refuse(command, word == NULL ? "--pick" : word, "more are named than shall go",
                      plan_child_text(group, "destroy"));
    }
    buf_printf(
        &command->notes,
        "%.*s/%.*s goes by rule %s; no machine exists yet, so all are alike and the last places "
        "go\n",
        TEXT_ARG(cluster), TEXT_ARG(plan_child_text(group, "destroy")), rule);
    return true;
}
