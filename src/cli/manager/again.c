#include "cli/manager/again.h"

#include "cli/args/consent.h"
#include "cli/manager/listing.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

enum { AGAIN_NODES = 10 };

/* Nodes on which a stage would run again: the names of the first nodes, and their number. */
struct again_nodes {
    struct buf names;
    size_t count;
};

void again_init(struct again *again, struct command *command)
{
    again->command = command;
    map_init(&again->stages, command->arena);
}

static void node_note(struct again *again, struct text stage, struct text cluster, struct text name)
{
    struct again_nodes *nodes = map_find(&again->stages, stage);

    if (nodes == NULL) {
        nodes = arena_one(again->command->arena, struct again_nodes);
        *nodes = (struct again_nodes){ 0 };
        buf_init(&nodes->names, again->command->arena);
        map_put(&again->stages, arena_text(again->command->arena, stage), nodes);
    }
    if (nodes->count++ < AGAIN_NODES) {
        buf_printf(&nodes->names, " %.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(name));
    }
}

void again_add(struct again *again, struct text cluster, const struct doc *node, bool is_failed,
               int64_t from)
{
    const struct doc *step = doc_child(doc_child(node, "status"), "node");
    struct text rest = doc_is_map(step) ? doc_child_text(step, "once") : TEXT("");
    bool has_failed = doc_is_map(step) && doc_child_text(step, "end").length > 0;

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text stage = text_trim(text_slice(rest, 0, comma));
        struct text number_word = text_slice(stage, 6, text_find_byte(stage, ' '));
        int64_t number;

        number_word = text_slice(number_word, 0, text_find_byte(number_word, ' '));
        if (text_parse_int64(number_word, &number) &&
            (is_failed ? has_failed && number == doc_child_number(step, "number")
                       : number >= from)) {
            node_note(again, stage, cluster, listing_text(node, "metadata", "name"));
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
}

bool again_report(struct again *again)
{
    struct command *command = again->command;

    for (const struct map_node *row = map_first(&again->stages, TEXT("")); row != NULL;
         row = map_after(&again->stages, row->key)) {
        struct again_nodes *nodes = row->value;

        glyph_write_text(&command->notes, row->key);
        buf_add_string(&command->notes, " is not idempotent, and runs again on");
        glyph_write_text(&command->notes, buf_text(&nodes->names));
        if (nodes->count > AGAIN_NODES) {
            buf_printf(&command->notes, " and %zu more", nodes->count - AGAIN_NODES);
        }
        buf_add_string(&command->notes, "\n");
    }
    command_flush(command);
    return again->stages.count > 0;
}

bool again_ask(struct again *again, const struct session *session, bool *out_is_any)
{
    struct consent_needs needs = { .is_change = true };

    *out_is_any = again_report(again);
    return !*out_is_any ||
           consent_get(again->command, &needs, session_words(again->command, session), NULL, NULL);
}
