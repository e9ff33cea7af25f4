/* reeve console: prints the output of a machine's serial console. */
#include "cli/manager/nodes.h"
#include "cli/term/glyph.h"
#include "client/client.h"
#include "codec/doc_child.h"
#include "codec/json.h"

/* Write the lines, without the carriage returns of a serial console. */
static void console_lines_write(struct buf *out, struct text console)
{
    while (console.length > 0) {
        size_t end = text_find_byte(console, '\n');
        struct text line = text_slice(console, 0, end);

        while (line.length > 0 && line.data[line.length - 1] == '\r') {
            line.length--;
        }
        glyph_write_plain(out, line);
        buf_add_string(out, "\n");
        console = end == SIZE_MAX ? TEXT("") : text_slice(console, end + 1, SIZE_MAX);
    }
}

enum exit_code verb_console(struct command *command)
{
    struct session session;
    struct text cluster;
    struct text console;
    struct text node;
    struct buf path;
    struct doc page;

    if (!nodes_word_read(command, command->args.words[0], "reeve console shop/web-0", &cluster,
                         &node)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) || !nodes_memory_ask(command, &session, node, &cluster)) {
        return EXIT_CODE_FAILED;
    }
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, cluster);
    buf_add_string(&path, "/console?node=");
    client_path_add(&path, node);
    if (!session_get(command, &session, buf_text(&path), &page)) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "json")) {
        json_format(&command->out, &page);
        buf_add_string(&command->out, "\n");
        return EXIT_CODE_DONE;
    }
    console = doc_child_text(&page, "console");
    console_lines_write(&command->out, console);
    if (console.length == 0) {
        buf_printf(
            &command->notes,
            "the console is empty so far: some providers show it only some minutes after the machine has started\n");
    }
    return EXIT_CODE_DONE;
}
