#include "cli/manager/moment.h"

#include "base/time.h"
#include "codec/doc_child.h"
#include "model/scalar.h"
#include "sys/clock.h"

bool moment_read(struct command *command, const char *flag, const char *word, int64_t *out_revision,
                 int64_t *out_ms)
{
    struct text text = text_from(word);
    uint64_t passed_ms;

    *out_ms = 0;
    if (text_parse_int64(text, out_revision) && *out_revision >= 0) {
        return true;
    }
    *out_revision = -1;
    if (scalar_parse_duration(text, &passed_ms) && passed_ms < INT64_MAX / 2) {
        *out_ms = clock_wall_ms(clock_system()) - (int64_t)passed_ms;
        return true;
    }
    if (time_parse(text, out_ms)) {
        return true;
    }
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                 "%s does not accept '%s'", flag, word),
                    "write how long ago (10m), a time (2026-11-20T12:00:00Z) or a revision");
}

/* Find the newest revision of an object that is not later than a time. */
static bool revision_find(struct command *command, const struct session *session,
                          const struct target *target, int64_t time_ms, int64_t *out_revision)
{
    struct text path = session_path(command, target->kind, target->name);
    char wanted[TIME_TEXT_BYTES];
    const struct doc *items;
    struct doc history;

    if (!session_get(command, session,
                     arena_printf(command->arena, "%.*s?view=history", TEXT_ARG(path)), &history)) {
        return false;
    }
    items = doc_child(&history, "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        int64_t updated_ms;

        if (time_parse(doc_child_text(&items->items[i], "updated"), &updated_ms) &&
            updated_ms <= time_ms) {
            *out_revision = doc_child_number(&items->items[i], "revision");
            return true;
        }
    }
    time_format(time_ms, wanted);
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                 "%.*s did not exist at %s",
                                 TEXT_ARG(target_format(command->arena, target)), wanted),
                    "its history: reeve describe %.*s --history",
                    TEXT_ARG(target_format(command->arena, target)));
}

bool moment_put(struct command *command, const struct session *session, const struct target *target,
                const char *word, struct text *path)
{
    int64_t revision;
    int64_t time_ms;

    if (!moment_read(command, "--at", word, &revision, &time_ms) ||
        (revision < 0 && !revision_find(command, session, target, time_ms, &revision))) {
        return false;
    }
    *path = arena_printf(command->arena, "%.*s?at=%lld", TEXT_ARG(*path), (long long)revision);
    return true;
}
