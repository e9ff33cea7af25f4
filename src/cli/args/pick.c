#include "cli/args/pick.h"

#include "base/macros.h"

#include <string.h>

static bool is_rule(const char *word)
{
    static const char *const rules[] = { "oldestConfig", "oldest", "newest", "failed" };
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        is_any = is_any || strcmp(word, rules[i]) == 0;
    }
    return is_any;
}

bool pick_read(struct command *command, struct pick *out)
{
    const char *word;
    struct buf nodes;
    size_t count = 0;

    *out = (struct pick){ 0 };
    buf_init(&nodes, command->arena);
    for (size_t i = 0; (word = args_value_at(&command->args, FLAG_SCALE_PICK, i)) != NULL; i++) {
        if (is_rule(word)) {
            out->rule = word;
            count++;
        } else {
            buf_printf(&nodes, "%s%s", nodes.length > 0 ? "," : "", word);
        }
    }
    out->nodes = buf_text(&nodes);
    return count <= 1 || err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                               "--pick takes one rule, got %zu", count),
                                  "rules: oldestConfig, oldest, newest, failed");
}
