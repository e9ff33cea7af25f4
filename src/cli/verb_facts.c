/* reeve facts: what the machines of a cluster say of themselves. */
#include "cli/session.h"
#include "codec/json.h"
#include "codec/yaml.h"

enum exit_code verb_facts(struct command *command)
{
    struct text word = text_from(command->args.words[0]);
    size_t slash = text_find_byte(word, '/');
    struct session session;
    struct doc facts;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, text_slice(word, 0, slash));
    buf_add_string(&path, "/facts");
    if (slash != SIZE_MAX) {
        buf_add_string(&path, "?node=");
        client_path_add(&path, text_slice(word, slash + 1, word.length));
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, buf_text(&path), &facts)) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "yaml")) {
        yaml_format(&command->out, &facts);
    } else {
        json_format_pretty(&command->out, &facts);
    }
    return EXIT_CODE_DONE;
}
