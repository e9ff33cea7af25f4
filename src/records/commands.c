#include "records/commands.h"

#include "base/limits.h"
#include "codec/json.h"
#include "model/nest.h"

#define PIN "revision"

bool commands_has(const struct cache_object *object, const char *command)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc commands = commands_read(arena, object);

    return doc_is_present(doc_child(&commands, command));
}

bool commands_approved(struct arena *arena, const struct cache_object *object,
                       struct text *out_observation)
{
    struct doc commands = commands_read(arena, object);
    const struct doc *approved = doc_child(&commands, "approved");
    const struct doc *observation = doc_child(approved, "observation");

    *out_observation = doc_is_scalar(observation) ? observation->text : TEXT("");
    return doc_is_present(approved);
}

void commands_fails_accept(const struct doc *replace, const struct plan_record *records,
                           size_t count, struct plan_group *group)
{
    const struct doc *fails = doc_child(replace, "fails");
    const struct doc *number = doc_child(fails, "count");
    const struct doc *generation = doc_child(fails, "generation");
    int64_t accepted = 0;

    if (!doc_is_scalar(number) || !doc_is_scalar(generation) ||
        !text_is_equal(generation->text, group->generation) ||
        !text_parse_int64(number->text, &accepted) || accepted <= group->fails_approved ||
        accepted >= UINT32_MAX) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (records[i].is_replace_requested && text_is_equal(records[i].group, group->path)) {
            group->fails_approved = (uint32_t)accepted;
            return;
        }
    }
}

uint64_t commands_pause_end_ms(const struct doc *commands)
{
    const struct doc *until = doc_child(doc_child(commands, "paused"), "until");
    int64_t until_ms = 0;

    return doc_is_scalar(until) && text_parse_int64(until->text, &until_ms) ? (uint64_t)until_ms
                                                                            : UINT64_MAX;
}

bool commands_is_paused(const struct doc *commands, uint64_t now_ms)
{
    return doc_is_map(doc_child(commands, "paused")) && commands_pause_end_ms(commands) > now_ms;
}

uint64_t commands_retry_revision(const struct doc *commands, uint64_t revision)
{
    const struct doc *retry = doc_child(commands, "retry");
    const struct doc *pin = doc_child(retry, PIN);
    int64_t pinned;

    if (!doc_is_present(retry)) {
        return 0;
    }
    /* A stored revision above that of the key was written by another store, so it is ignored. */
    return doc_is_scalar(pin) && text_parse_int64(pin->text, &pinned) && pinned > 0 &&
                   (uint64_t)pinned < revision
               ? (uint64_t)pinned
               : revision;
}

struct doc commands_retry(struct arena *arena, const struct doc *commands)
{
    const struct doc *retry = doc_child(commands, "retry");

    if (!doc_is_present(retry)) {
        return (struct doc){ 0 };
    }
    return doc_is_map(retry) ? nest_put(arena, retry, PIN, (struct doc){ 0 }) : *retry;
}

struct doc commands_read(struct arena *arena, const struct cache_object *object)
{
    const struct cache_bytes *spec = object == NULL ? NULL : &object->parts[CACHE_SPEC];
    const struct doc *retry;
    struct doc commands;
    struct doc pinned;
    struct err err;

    if (spec == NULL || spec->bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(spec->bytes)), NULL, &commands, &err) ||
        !doc_is_map(&commands)) {
        return doc_map(NULL, 0, NULL);
    }
    retry = doc_child(&commands, "retry");
    if (!doc_is_map(retry)) {
        return commands;
    }
    pinned =
        nest_put(arena, retry, PIN,
                 doc_int(arena, (int64_t)commands_retry_revision(&commands, spec->revision), NULL));
    return nest_put(arena, &commands, "retry", pinned);
}
