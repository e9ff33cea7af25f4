#include "cli/change/plan_writer.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* Writes the volumes of a plan (decision 0174), those whose data is lost first. */

static const char *const effects[] = { "delete", "keep", "attach", "create" };

/* Format the time for which a volume is kept: "7 d", "36 h". */
static struct text plan_volumes_time(struct arena *arena, int64_t ms)
{
    int64_t hours = ms / 3600000;

    return hours > 0 && hours % 24 == 0 ? arena_printf(arena, "%lld d", (long long)(hours / 24))
                                        : arena_printf(arena, "%lld h", (long long)hours);
}

void plan_volumes_write(struct plan_writer *writer, const struct doc *volumes)
{
    bool is_first = true;

    for (size_t i = 0; doc_is_map(volumes) && i < ARRAY_COUNT(effects); i++) {
        const struct doc *effect = doc_child(volumes, effects[i]);
        int64_t kept_ms = doc_child_number(effect, "forMs");

        if (effect == NULL) {
            continue;
        }
        buf_add_string(writer->out, is_first ? "      volumes: " : ", ");
        if (i == 0) {
            style_add(&writer->command->out_style, writer->out, STYLE_REMOVED, "delete");
        } else {
            buf_add_string(writer->out, effects[i]);
        }
        buf_printf(writer->out, " %lld ", (long long)doc_child_number(effect, "count"));
        if (kept_ms > 0) {
            struct text time = plan_volumes_time(writer->command->arena, kept_ms);

            buf_printf(writer->out, "for %.*s ", TEXT_ARG(time));
        }
        glyph_write_text(writer->out, doc_child_text(effect, "names"));
        is_first = false;
    }
    if (!is_first) {
        plan_line_end(writer);
    }
}

void plan_volumes_sums_write(struct plan_writer *writer, const struct doc *sums)
{
    const struct doc *volumes = doc_child(sums, "volumes");
    int64_t last = 0;

    for (size_t i = 0; doc_is_map(volumes) && i < ARRAY_COUNT(effects); i++) {
        int64_t count = doc_child_number(volumes, effects[i]);

        if (count > 0) {
            buf_printf(writer->out, "%s%s %lld", last == 0 ? "; " : ", ", effects[i],
                       (long long)count);
            last = count;
        }
    }
    if (last > 0) {
        buf_printf(writer->out, " volume%s", TEXT_PLURAL(last));
    }
}
