#include "cli/args/paged.h"

#include "codec/json.h"
#include "codec/yaml.h"

#include <assert.h>

void paged_begin(struct paged *paged, struct command *command, struct output *output)
{
    assert(output->format != OUTPUT_TEXT);
    *paged = (struct paged){ .command = command,
                             .output = output,
                             .memory = command->arena,
                             .page = arena_new(LIMIT_WORK_ARENA_BYTES) };
    paged->mark = arena_mark(paged->page);
    command->arena = paged->page;
}

/* Write a page of a JSON list that spans pages: a bracket or a comma before the items of the page,
 * and the closing bracket after the last page. */
static void json_page_write(struct paged *paged, const struct output_data *data, bool is_last)
{
    struct doc list = doc_list(data->objects, data->object_count, NULL);
    struct text brackets_begin = TEXT("[\n");
    struct text brackets_end = TEXT("\n]\n");
    struct buf *out = &paged->command->out;
    struct buf items;

    if (data->object_count > 0) {
        buf_init(&items, paged->page);
        json_format_pretty(&items, &list);
        buf_add_string(out, paged->row_count == 0 ? "[\n" : ",\n");
        buf_add(out, text_slice(buf_text(&items), brackets_begin.length,
                                items.length - brackets_begin.length - brackets_end.length));
    }
    if (is_last) {
        buf_add(out, paged->row_count + data->object_count == 0 ? TEXT("[]\n") : brackets_end);
    }
}

void paged_write(struct paged *paged, const struct output_data *data, bool is_last)
{
    struct command *command = paged->command;
    bool is_empty = data->row_count == 0 && data->object_count == 0;

    if (paged->output->format == OUTPUT_JSON) {
        json_page_write(paged, data, is_last);
    } else if (!is_empty || (is_last && paged->row_count == 0)) {
        output_write(paged->page, paged->output, &command->out_style, data, &command->out);
        paged->output->is_continued = true;
    }
    paged->row_count += data->object_count > data->row_count ? data->object_count : data->row_count;
    if (command->out.length >= LIMIT_OUT_HELD_BYTES) {
        command_flush(command);
    }
}

void paged_next(struct paged *paged)
{
    arena_rewind(paged->page, paged->mark);
}

void paged_end(struct paged *paged)
{
    paged->command->arena = paged->memory;
    arena_free(paged->page);
    paged->page = NULL;
}
