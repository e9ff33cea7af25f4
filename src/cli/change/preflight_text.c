#include "cli/change/preflight_text.h"

#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* public names start with: preflight_ */

/* Number of groups whose findings are shown without --full. */
enum { PREFLIGHT_LINES = 8 };

static void preflight_pairs_write(struct buf *out, const struct doc *pairs, const char *link)
{
    for (size_t i = 0; doc_is_map(pairs) && i < pairs->entry_count; i++) {
        const struct doc_entry *entry = &pairs->entries[i];
        struct text name = entry->key;

        if (name.length > 0 && name.data[0] == '/') {
            name = text_slice(name, 1, SIZE_MAX);
        }
        buf_add_string(out, "; ");
        glyph_write_text(out, name);
        buf_add_string(out, link);
        glyph_write_text(out, entry->value.text);
    }
}

/* Write a line such as "checked at aws/prod, group web: 3 machines; image is ami-0abc; pricePerHour
 * 0.0232 USD". */
static void preflight_line(struct command *command, const struct doc *group)
{
    struct buf *out = &command->out;
    bool is_checked = text_is(doc_child_text(group, "isChecked"), "true");
    bool is_alternative = !text_is(doc_child_text(group, "choice"), "0");

    buf_add_string(out, is_checked ? "  checked at " : "  not checked at ");
    glyph_write_text(out, doc_child_text(group, "plugin"));
    buf_add_string(out, is_alternative ? ", alternative of group " : ", group ");
    glyph_write_text(out, doc_child_text(group, "cluster"));
    buf_add_string(out, "/");
    glyph_write_text(out, doc_child_text(group, "group"));
    preflight_pairs_write(out, doc_child(group, "pins"), " is ");
    preflight_pairs_write(out, doc_child(group, "facts"), " ");
    buf_add_string(out, "\n");
}

void preflight_text_write(struct command *command, const struct doc *answer, bool is_full)
{
    const struct doc *groups = doc_child(answer, "preflight");
    size_t count = doc_is_list(groups) ? groups->item_count : 0;
    size_t shown = is_full || count <= PREFLIGHT_LINES ? count : PREFLIGHT_LINES;

    for (size_t i = 0; i < shown; i++) {
        preflight_line(command, &groups->items[i]);
    }
    if (shown < count) {
        buf_printf(&command->out, "  ... and %zu more groups checked; --full shows all\n",
                   count - shown);
    }
}
