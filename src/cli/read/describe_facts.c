/* reeve describe --facts: shows the facts file of a cluster's machines. */
#include "cli/manager/nodes.h"
#include "cli/read/describe_parts.h"
#include "codec/json.h"
#include "codec/yaml.h"

#include <string.h>

/* Return the name in an argument without the kind: shop for cluster/shop, shop/web-0 for
 * node/shop/web-0. */
static struct text bare_word(struct text word)
{
    size_t slash = text_find_byte(word, '/');
    const struct schema_kind *kind = schema_kind_of_word(text_slice(word, 0, slash));

    return slash != SIZE_MAX && kind != NULL && strcmp(kind->name, "Cluster") == 0
               ? text_slice(word, slash + 1, word.length)
               : nodes_word_bare(word);
}

static bool describe_facts_get(struct command *command, const struct session *session,
                               struct text cluster, struct text node, struct doc *out)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, cluster);
    buf_add_string(&path, "/facts");
    if (node.length > 0) {
        buf_add_string(&path, "?node=");
        client_path_add(&path, node);
    }
    return session_get(command, session, buf_text(&path), out);
}

/* Get the facts for a name without a kind: of the cluster with this name, or else of the machine
 * with this name, which must be in exactly one cluster. */
static bool named_get(struct command *command, const struct session *session, struct text name,
                      struct doc *out)
{
    struct err_list before = command->errors;
    struct text memory = TEXT("");

    if (describe_facts_get(command, session, name, TEXT(""), out)) {
        return true;
    }
    if (command->errors.items[before.count].code != CODE_R0403) {
        return false;
    }
    command->errors = before;
    if (!nodes_memory_ask(command, session, name, &memory)) {
        return err_note(&command->errors.items[before.count], "there is no cluster '%.*s' either",
                        TEXT_ARG(name));
    }
    return describe_facts_get(command, session, memory, name, out);
}

enum exit_code describe_facts(struct command *command, const struct session *session)
{
    const struct args *args = &command->args;
    struct text word =
        bare_word(args->argument_count == 1
                      ? text_from(args->words[0])
                      : arena_printf(command->arena, "%s/%s", args->words[0], args->words[1]));
    size_t slash = text_find_byte(word, '/');
    struct doc facts;

    if (!(slash == SIZE_MAX
              ? named_get(command, session, word, &facts)
              : describe_facts_get(command, session, text_slice(word, 0, slash),
                                   text_slice(word, slash + 1, word.length), &facts))) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "yaml")) {
        yaml_format(&command->out, &facts);
    } else {
        json_format_pretty(&command->out, &facts);
    }
    return EXIT_CODE_DONE;
}
