#include "cli/say.h"

#include "codec/json.h"

struct target say_subject(struct text name)
{
    const char *kind = text_find_byte(name, '/') == SIZE_MAX ? "Cluster" : "NodeGroup";

    return (struct target){ schema_kind_find(text_from(kind)), name };
}

bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why)
{
    struct doc_builder body;
    struct doc doc;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct client_answer answer;
    struct buf buf;

    doc_builder_init(&body, command->arena);
    if (rule.length > 0) {
        doc_builder_put(&body, "rule", doc_text(rule, NULL));
    }
    if (why != NULL) {
        doc_builder_put(&body, "why", doc_text(text_from(why), NULL));
    }
    doc_builder_put(&body, "word", doc_text(text_from(word), NULL));
    doc = doc_builder_map(&body, NULL);
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
