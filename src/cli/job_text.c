#include "cli/job_text.h"

#include "cli/glyph.h"
#include "cli/plan_writer.h"
#include "cli/when.h"
#include "cli/wrap.h"

enum { HOLD_INDENT = 6, HOLD_COLUMNS = 80 };

static void part_write(struct buf *out, const struct doc *counts, const char *key, const char *word)
{
    int64_t count = plan_child_number(counts, key);

    if (count > 0) {
        buf_printf(out, ", %lld %s", (long long)count, word);
    }
}

void job_text_counts(struct buf *out, const struct doc *counts)
{
    buf_printf(out, "%lld of %lld as wanted", (long long)plan_child_number(counts, "ready"),
               (long long)plan_child_number(counts, "wanted"));
    part_write(out, counts, "failed", "failed");
    part_write(out, counts, "staging", "in their stages");
    part_write(out, counts, "creating", "being made");
    part_write(out, counts, "leaving", "going");
    part_write(out, counts, "old", "to be replaced");
}

bool job_text_is_ended(const struct doc *job)
{
    return doc_is_present(doc_child(doc_child(job, "status"), "ended"));
}

void job_text_line(struct buf *out, const struct doc *job)
{
    const struct doc *status = doc_child(job, "status");

    buf_printf(out, "job/%lld  ", (long long)plan_child_number(status, "revision"));
    glyph_write_text(out, listing_text(job, "metadata", "cluster"));
    buf_printf(out, "  %.*s: ", TEXT_ARG(plan_child_text(status, "state")));
    job_text_counts(out, doc_child(status, "machines"));
    buf_add_string(out, "\n");
}

struct text job_text_answer(struct command *command, const struct doc *hold)
{
    static const char *const answers[] = { "approved", "rejected" };
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
        const struct doc *mark = doc_child(doc_child(hold, "spec"), answers[i]);
        struct text why = plan_child_text(mark, "why");

        if (doc_is_present(mark)) {
            buf_printf(&buf, "%s by %.*s, %.*s%s%.*s", answers[i],
                       TEXT_ARG(plan_child_text(mark, "by")),
                       TEXT_ARG(when_format(command, plan_child_text(mark, "at"))),
                       why.length > 0 ? ": " : "", TEXT_ARG(why));
        }
    }
    return buf_text(&buf);
}

void job_text_hold(struct command *command, const struct doc *hold)
{
    size_t columns = command->out_style.columns;
    struct text answer = job_text_answer(command, hold);
    struct buf advice;

    buf_add_string(&command->out, answer.length > 0 ? "  ~ " : "  ! ");
    glyph_write_text(&command->out, listing_hold(command->arena, hold));
    buf_add_string(&command->out, "  ");
    glyph_write_text(&command->out, listing_text(hold, "status", "fact"));
    buf_add_string(&command->out, "\n");
    buf_init(&advice, command->arena);
    glyph_write_text(&advice, answer.length > 0 ? answer : listing_text(hold, "status", "advice"));
    wrap_write(&command->out, buf_text(&advice), HOLD_INDENT,
               columns == 0 || columns > HOLD_COLUMNS ? HOLD_COLUMNS : columns, false);
}

bool job_text_holds_get(struct command *command, const struct session *session, struct text cluster,
                        struct text group, struct listing *out)
{
    struct listing all;
    struct buf query;

    buf_init(&query, command->arena);
    buf_add_string(&query, "cluster=");
    client_path_add(&query, cluster);
    if (!listing_get(command, session, schema_kind_find(TEXT("Hold")), buf_text(&query), &all)) {
        return false;
    }
    *out = (struct listing){ .items = arena_array(command->arena, struct doc, all.count + 1),
                             .revision = all.revision };
    for (size_t i = 0; i < all.count; i++) {
        struct text place = listing_text(&all.items[i], "status", "group");

        if (group.length == 0 || place.length == 0 || text_is_equal(place, group)) {
            out->items[out->count++] = all.items[i];
        }
    }
    return true;
}
