#include "cli/change/change_text.h"

#include "base/time.h"
#include "cli/args/command.h"
#include "cli/args/when.h"
#include "cli/change/preflight_text.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"

/* Maximum number of lines of kept values; more are replaced by a count. */
#define KEPT_LINES 6

/* Write "kept: groups.web.size: file 3, live 5 (ana, 2 h ago); --take groups.web.size sets it". */
static void kept_line(struct command *command, const struct doc *kept)
{
    struct arena *arena = command->arena;
    struct text path = doc_child_text(kept, "path");
    struct text by = doc_child_text(kept, "by");
    const struct doc *live = doc_child(kept, "live");
    struct buf *out = &command->out;

    style_add(&command->out_style, out, STYLE_NOTE, "  kept:");
    buf_add_string(out, " ");
    glyph_write_text(out, path);
    buf_add_string(out, ": file ");
    glyph_write_text(out, flow_format(arena, doc_child(kept, "file")));
    buf_add_string(out, ", live ");
    glyph_write_text(out, live == NULL ? TEXT("(removed)") : flow_format(arena, live));
    if (by.length > 0) {
        buf_add_string(out, " (");
        glyph_write_text(out, by);
        buf_add_string(out, ", ");
        buf_add(out, when_format(command, doc_child_text(kept, "at")));
        buf_add_string(out, ")");
    }
    buf_add_string(out, "; --take ");
    glyph_write_text(out, path);
    buf_add_string(out, " sets it\n");
}

/* Write "lifts: the pause of cluster shop (ana, 2 h ago: not before noon)". */
static void lift_line(struct command *command, const struct doc *lift)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(lift, "kind"));
    struct text by = doc_child_text(lift, "by");
    struct text why = doc_child_text(lift, "why");
    struct buf *out = &command->out;

    style_add(&command->out_style, out, STYLE_NOTE, "  lifts:");
    buf_printf(out, " the pause of %s ", kind == NULL ? "object" : kind->singular);
    glyph_write_text(out, doc_child_text(lift, "name"));
    if (by.length > 0) {
        buf_add_string(out, " (");
        glyph_write_text(out, by);
        buf_add_string(out, ", ");
        buf_add(out, when_format(command, doc_child_text(lift, "at")));
        if (why.length > 0) {
            buf_add_string(out, ": ");
            glyph_write_text(out, why);
        }
        buf_add_string(out, ")");
    }
    buf_add_string(out, "\n");
}

/* Write pauses that the change lifts. A pause of an object that is destroyed is always shown,
 * because the user that paused it wanted no change. */
static void lifts_write(struct command *command, const struct change_text *text)
{
    for (size_t i = 0; i < text->answer_count; i++) {
        const struct doc *lifts = doc_child(&text->answers[i], "lifts");

        for (size_t j = 0; doc_is_list(lifts) && j < lifts->item_count; j++) {
            lift_line(command, &lifts->items[j]);
        }
    }
}

int64_t change_text_lost_count(const struct doc *answer)
{
    return doc_child_number(doc_child(doc_child(answer, "sums"), "volumes"), "delete");
}

/* Write "  data lost: 2 volumes are deleted with their machines". It is shown even if the lines of
 * the groups are folded. */
static void change_text_lost_write(struct command *command, const struct change_text *text)
{
    int64_t count = 0;

    for (size_t i = 0; i < text->answer_count; i++) {
        count += change_text_lost_count(&text->answers[i]);
    }
    if (count > 0) {
        style_add(&command->out_style, &command->out, STYLE_REMOVED, "  data lost:");
        buf_printf(&command->out, " %lld volume%s deleted with %s\n", (long long)count,
                   count == 1 ? " is" : "s are", count == 1 ? "its machine" : "their machines");
    }
}

size_t change_text_kept_count(const struct doc *answer)
{
    return doc_child_count(answer, "kept");
}

size_t change_text_kept_write(struct command *command, const struct doc *answer, size_t most)
{
    const struct doc *kept = doc_child(answer, "kept");
    size_t i;

    for (i = 0; doc_is_list(kept) && i < kept->item_count && i < most; i++) {
        kept_line(command, &kept->items[i]);
    }
    return most - i;
}

static size_t kept_count(const struct change_text *text)
{
    size_t count = 0;

    for (size_t i = 0; i < text->answer_count; i++) {
        count += change_text_kept_count(&text->answers[i]);
    }
    return count;
}

static void cli_change_text_kept_write(struct command *command, const struct change_text *text,
                                       size_t most)
{
    size_t all = kept_count(text);
    size_t left = most;

    for (size_t i = 0; i < text->answer_count; i++) {
        left = change_text_kept_write(command, &text->answers[i], left);
    }
    if (most - left < all) {
        buf_printf(&command->out, "  ... and %zu more values kept; --full shows all\n",
                   all - (most - left));
    }
}

void change_text_write(struct command *command, const struct change_text *text)
{
    size_t kept = kept_count(text);
    size_t kept_lines = kept > KEPT_LINES ? KEPT_LINES + 1 : kept;
    struct file_plan_summary summary = { 0 };
    struct plan_text plan = {
        .plan = text->plan,
        .summary = &summary,
        .detail = text->detail,
        .is_compared = true,
        .lines_taken = kept_lines + 1,
    };
    size_t from = command->out.length;

    buf_add(&command->out, text->words);
    if (text->id.length > 0) {
        buf_printf(&command->out, ": plan/%.*s", TEXT_ARG(text->id));
    }
    if (text->revision.length > 0) {
        buf_printf(&command->out, ", revision %.*s", TEXT_ARG(text->revision));
    }
    buf_add_string(&command->out, "\n");
    plan_text_write(command, &plan);
    for (size_t i = 0; i < text->answer_count; i++) {
        preflight_text_write(command, &text->answers[i], text->detail == PLAN_FULL);
    }
    lifts_write(command, text);
    change_text_lost_write(command, text);
    cli_change_text_kept_write(command, text, text->detail == PLAN_FULL ? SIZE_MAX : KEPT_LINES);
    command_fold(command, from);
}

/* ---- the effect ---- */

static struct text ref_of(struct arena *arena, const struct doc *object)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(object, "kind"));

    return arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                        TEXT_ARG(doc_child_text(object, "name")));
}

void change_text_answer(struct command *command, const struct doc *answer)
{
    const struct doc *objects = doc_child(answer, "objects");

    if (command_output_is(command, "json")) {
        json_format_pretty(&command->out, answer);
    } else if (command_output_is(command, "jsonl")) {
        json_format(&command->out, answer);
        buf_add_string(&command->out, "\n");
    } else if (command_output_is(command, "yaml")) {
        yaml_format(&command->out, answer);
    } else if (command_output_is(command, "name")) {
        for (size_t i = 0; doc_is_list(objects) && i < objects->item_count; i++) {
            glyph_write_text(&command->out, ref_of(command->arena, &objects->items[i]));
            buf_add_string(&command->out, "\n");
        }
    }
}

static bool is_change_text_for_programs(const struct command *command)
{
    const char *format = args_output(&command->args);

    return format != NULL && !text_is(text_from(format), "text");
}

void change_text_nothing(struct command *command, const struct doc *answer)
{
    if (is_change_text_for_programs(command)) {
        change_text_answer(command, answer);
    } else {
        buf_add_string(&command->notes, "nothing to do\n");
    }
}

/* Write "created cluster/shop" or "changed 4 objects". */
static void change_text_word_write(struct command *command, const struct doc *objects,
                                   const char *change, const char *word)
{
    const struct doc *only = NULL;
    size_t count = 0;

    for (size_t i = 0; doc_is_list(objects) && i < objects->item_count; i++) {
        if (text_is(doc_child_text(&objects->items[i], "change"), change)) {
            only = &objects->items[i];
            count++;
        }
    }
    if (count == 1) {
        buf_printf(&command->notes, "%s ", word);
        glyph_write_text(&command->notes, ref_of(command->arena, only));
        buf_add_string(&command->notes, "\n");
    } else if (count > 1) {
        buf_printf(&command->notes, "%s %zu objects\n", word, count);
    }
}

void change_text_done(struct command *command, const struct doc *answer, enum change_text_seen seen)
{
    const struct doc *objects = doc_child(answer, "objects");

    if (is_change_text_for_programs(command)) {
        change_text_answer(command, answer);
    } else if (seen == CHANGE_TEXT_DONE) {
        change_text_word_write(command, objects, "create", "created");
        change_text_word_write(command, objects, "change", "changed");
        change_text_word_write(command, objects, "delete", "deleted");
    } else if (text_is(doc_child_text(answer, "changed"), "true")) {
        buf_printf(
            &command->notes,
            "the desired state is unchanged; only its new source is recorded: revision %.*s\n",
            TEXT_ARG(doc_child_text(answer, "revision")));
    }
}
