#include "cli/act/exec_parts.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "selector/ranges.h"

/* public names start with: exec_ */

void exec_dry_init(struct exec_dry *dry, struct command *command, struct arena *arena,
                   bool has_clusters)
{
    *dry = (struct exec_dry){ .command = command, .arena = arena, .has_clusters = has_clusters };
}

/* Copy a row into an arena that is not rewound. */
static struct doc kept_copy(const struct exec_dry *dry, const struct doc *doc)
{
    struct doc copy = doc_map(NULL, 0, NULL);
    struct buf buf;
    struct err err;

    buf_init(&buf, dry->arena);
    json_format(&buf, doc);
    /* Parsing cannot fail: the text was parsed before. */
    (void)!json_parse(dry->arena, buf_text(&buf), NULL, &copy, &err);
    return copy;
}

/* Add {batch, canary, nodes, unfit}, with the number of the batch. */
void exec_dry_add(struct exec_dry *dry, const struct doc *batch)
{
    static const char *const members[] = { "canary", "nodes", "unfit" };
    struct doc copy = kept_copy(dry, batch);
    struct doc_builder builder;

    if (dry->count == dry->room) {
        size_t room = dry->room == 0 ? 16 : dry->room * 2;

        dry->batches = arena_grow(dry->arena, dry->batches, dry->room * sizeof(*dry->batches),
                                  room * sizeof(*dry->batches));
        dry->room = room;
    }
    doc_builder_init(&builder, dry->arena);
    doc_builder_put(&builder, "batch", doc_int(dry->arena, (int64_t)dry->count + 1, NULL));
    for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
        const struct doc *value = doc_child(&copy, members[i]);

        if (value != NULL) {
            doc_builder_put(&builder, members[i], *value);
        }
    }
    dry->batches[dry->count++] = doc_builder_map(&builder, NULL);
}

/* ---- for users ---- */

static struct text shown_name(const struct exec_dry *dry, struct text node)
{
    return dry->has_clusters ? node : text_slice(node, text_find_byte(node, '/') + 1, node.length);
}

static size_t exec_dry_batch_write(const struct exec_dry *dry, const struct doc *batch,
                                   size_t number)
{
    const struct doc *nodes = doc_child(batch, "nodes");
    const struct doc *unfit = doc_child(batch, "unfit");
    size_t count = doc_is_list(nodes) ? nodes->item_count : 0;
    struct text *names = arena_array(dry->arena, struct text, count + 1);
    struct buf *out = &dry->command->out;

    for (size_t i = 0; i < count; i++) {
        names[i] = shown_name(dry, nodes->items[i].text);
    }
    buf_printf(out, "batch %zu%s: %zu node%s", number,
               text_is(doc_child_text(batch, "canary"), "true") ? ", canary" : "", count,
               TEXT_PLURAL(count));
    buf_add_string(out, count > 0 ? ", " : "");
    ranges_format(out, names, count);
    buf_add_string(out, "\n");
    for (size_t i = 0; doc_is_list(unfit) && i < unfit->item_count; i++) {
        buf_add_string(out, "  ! not on ");
        glyph_write_text(out, shown_name(dry, doc_child_text(&unfit->items[i], "node")));
        buf_add_string(out, ": ");
        glyph_write_text(out, doc_child_text(&unfit->items[i], "why"));
        buf_add_string(out, "\n");
    }
    return count;
}

static void exec_dry_lines_write(const struct exec_dry *dry)
{
    size_t nodes = 0;

    for (size_t i = 0; i < dry->count; i++) {
        nodes += exec_dry_batch_write(dry, &dry->batches[i], i + 1);
    }
    buf_printf(&dry->command->notes,
               "nothing was run: it would run on %zu node%s, in %zu batch%s\n", nodes,
               TEXT_PLURAL(nodes), dry->count, dry->count == 1 ? "" : "es");
}

enum exit_code exec_dry_write(struct exec_dry *dry)
{
    struct command *command = dry->command;
    struct doc all = doc_list(dry->batches, dry->count, NULL);

    if (command_output_is(command, "json")) {
        json_format_pretty(&command->out, &all);
        return EXIT_CODE_DONE;
    }
    if (!command_output_is(command, "jsonl")) {
        exec_dry_lines_write(dry);
        return EXIT_CODE_DONE;
    }
    for (size_t i = 0; i < dry->count; i++) {
        json_format(&command->out, &dry->batches[i]);
        buf_add_string(&command->out, "\n");
    }
    return EXIT_CODE_DONE;
}
