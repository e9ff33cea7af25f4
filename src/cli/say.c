#include "cli/say.h"

#include "codec/json.h"

struct target say_subject(struct text name)
{
    const char *kind = text_find_byte(name, '/') == SIZE_MAX ? "Cluster" : "NodeGroup";

    return (struct target){ schema_kind_find(text_from(kind)), name };
}

static bool say(struct command *command, const struct session *session, const struct target *target,
                struct doc_builder *body, const char *word, const char *why)
{
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct client_answer answer;
    struct doc doc;
    struct buf buf;

    if (why != NULL) {
        doc_builder_put(body, "why", doc_text(text_from(why), NULL));
    }
    doc_builder_put(body, "word", doc_text(text_from(word), NULL));
    doc = doc_builder_map(body, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &doc);
    request.body = buf_text(&buf);
    request.path = arena_printf(command->arena, "%.*s/say",
                                TEXT_ARG(session_path(command, target->kind, target->name)));
    if (!session_call(command, session, &request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    return true;
}

bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why)
{
    struct doc_builder body;

    doc_builder_init(&body, command->arena);
    if (rule.length > 0) {
        doc_builder_put(&body, "rule", doc_text(rule, NULL));
    }
    return say(command, session, target, &body, word, why);
}

bool say_of_node(struct command *command, const struct session *session, struct text cluster,
                 struct text node, const char *word, const char *from, const char *why)
{
    struct target target = { schema_kind_find(TEXT("Cluster")), cluster };
    struct doc_builder body;

    doc_builder_init(&body, command->arena);
    if (from != NULL) {
        doc_builder_put(&body, "from", doc_text(text_from(from), NULL));
    }
    doc_builder_put(&body, "node", doc_text(node, NULL));
    return say(command, session, &target, &body, word, why);
}
