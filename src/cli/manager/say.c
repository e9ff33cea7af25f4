#include "cli/manager/say.h"

#include "codec/json.h"

struct target say_subject(struct text name)
{
    const char *kind = text_find_byte(name, '/') == SIZE_MAX ? "Cluster" : "NodeGroup";

    return (struct target){ schema_kind_find(text_from(kind)), name };
}

static void say_text_put(struct doc_builder *body, const char *name, const char *value)
{
    if (value != NULL) {
        doc_builder_put(body, name, doc_text(text_from(value), NULL));
    }
}

static struct text say_body_format(struct command *command, const struct say *say)
{
    struct doc_builder body;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&body, command->arena);
    if (say->is_again) {
        doc_builder_put(&body, "again", doc_bool(true, NULL));
    }
    say_text_put(&body, "for", say->for_time);
    say_text_put(&body, "key", say->key);
    if (say->job.length > 0) {
        doc_builder_put(&body, "job", doc_text(say->job, NULL));
    }
    if (say->node.length > 0) {
        doc_builder_put(&body, "node", doc_text(say->node, NULL));
    }
    if (say->rule.length > 0) {
        doc_builder_put(&body, "rule", doc_text(say->rule, NULL));
    }
    say_text_put(&body, "why", say->why);
    say_text_put(&body, "command", say->word);
    doc = doc_builder_map(&body, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

bool say_it(struct command *command, const struct session *session, const struct target *target,
            const struct say *say, struct doc *out)
{
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct doc ignored;

    request.body = say_body_format(command, say);
    request.path = arena_printf(command->arena, "%.*s/say",
                                TEXT_ARG(session_path(command, target->kind, target->name)));
    return session_ask(command, session, &request, out == NULL ? &ignored : out);
}

bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why)
{
    return say_it(command, session, target, &(struct say){ .word = word, .rule = rule, .why = why },
                  NULL);
}

bool say_of_node(struct command *command, const struct session *session, struct text cluster,
                 struct text node, const char *word, const char *why)
{
    struct target target = { schema_kind_find(TEXT("Cluster")), cluster };

    return say_it(command, session, &target,
                  &(struct say){ .word = word, .node = node, .why = why }, NULL);
}
