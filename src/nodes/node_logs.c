#include "nodes/node_logs.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"

#include <inttypes.h>
#include <string.h>

/* Presents the logs of several stages as one log that can be followed.
 *
 * A client polls with the position where it stopped: STAGE.ATTEMPT.BYTE, joined by commas, for each
 * stage that was reported. So the manager keeps no state between two requests. If an attempt begins
 * while the client follows another attempt, its output is shown after the last line of the other
 * attempt. A stage that runs again is reported, even if later stages were already reported. */

enum { PLACES = 32, LINES = 1000, READS = 16 };

struct log_place {
    uint32_t stage;
    uint32_t attempt;
    uint64_t byte;
};

struct reading {
    struct logs *logs;
    struct arena *arena;
    struct arena *scratch; /* memory for one read */
    const struct service_logs *ask;
    struct log_place from[PLACES]; /* position in the request */
    size_t from_count;
    struct log_place next[PLACES]; /* position in the answer */
    size_t next_count;
    struct doc *items;
    size_t count;
    unsigned reads;
    bool has_more;
};

/* ---- places ---- */

/* Reads the number up to `end` from *rest. */
static bool node_logs_number_take(struct text *rest, char end, int64_t most, int64_t *out)
{
    size_t at = text_find_byte(*rest, end);

    if (!text_parse_int64(text_slice(*rest, 0, at), out) || *out < 0 || *out > most) {
        return false;
    }
    *rest = at == SIZE_MAX ? TEXT("") : text_slice(*rest, at + 1, SIZE_MAX);
    return true;
}

static bool places_parse(struct reading *reading, struct text text)
{
    while (text.length > 0) {
        size_t comma = text_find_byte(text, ',');
        struct text one = text_slice(text, 0, comma);
        int64_t stage;
        int64_t attempt;
        int64_t byte;

        if (reading->from_count == PLACES ||
            !node_logs_number_take(&one, '.', UINT32_MAX, &stage) ||
            !node_logs_number_take(&one, '.', UINT32_MAX, &attempt) ||
            !node_logs_number_take(&one, '.', INT64_MAX, &byte) || one.length > 0) {
            return false;
        }
        reading->from[reading->from_count++] =
            (struct log_place){ (uint32_t)stage, (uint32_t)attempt, (uint64_t)byte };
        text = comma == SIZE_MAX ? TEXT("") : text_slice(text, comma + 1, SIZE_MAX);
    }
    return true;
}

static struct text places_format(const struct reading *reading)
{
    struct buf buf;

    buf_init(&buf, reading->arena);
    for (size_t i = 0; i < reading->next_count; i++) {
        const struct log_place *place = &reading->next[i];

        buf_printf(&buf, "%s%" PRIu32 ".%" PRIu32 ".%" PRIu64, i == 0 ? "" : ",", place->stage,
                   place->attempt, place->byte);
    }
    return buf_text(&buf);
}

/* Returns the position up to which the output of the stage was reported. NULL: no output of this
 * stage was reported yet. */
static const struct log_place *node_logs_place_find(const struct reading *reading, uint32_t stage)
{
    for (size_t i = 0; i < reading->from_count; i++) {
        if (reading->from[i].stage == stage) {
            return &reading->from[i];
        }
    }
    return NULL;
}

/* ---- lines ---- */

/* Replaces bytes that are not valid text, because the output of programs may contain any bytes. */
static struct text text_make_plain(struct arena *arena, struct text text)
{
    char *bytes = arena_room(arena, text.length + 1);
    size_t at = 0;

    memcpy(bytes, text.data, text.length);
    while (at < text.length) {
        size_t bad = text_find_bad_utf8((struct text){ bytes + at, text.length - at });

        if (bad != SIZE_MAX) {
            bytes[at + bad] = '?';
        }
        at = bad == SIZE_MAX ? text.length : at + bad + 1;
    }
    return (struct text){ bytes, text.length };
}

static void node_logs_line_add(struct reading *reading, const struct logs_key *key,
                               const struct logs_line *line)
{
    char *time = arena_room(reading->arena, TIME_TEXT_BYTES);
    struct doc_builder builder;

    time_format(line->wall_ms, time);
    doc_builder_init(&builder, reading->arena);
    doc_builder_put(&builder, "attempt", doc_int(reading->arena, key->attempt, NULL));
    if (logs_hook_name(key->stage) != NULL) {
        doc_builder_put(&builder, "hook", doc_text(text_from(logs_hook_name(key->stage)), NULL));
    } else {
        doc_builder_put(&builder, "stage", doc_int(reading->arena, key->stage, NULL));
    }
    doc_builder_put(&builder, "text", doc_text(text_make_plain(reading->arena, line->text), NULL));
    doc_builder_put(&builder, "time", doc_text(text_from(time), NULL));
    reading->items[reading->count++] = doc_builder_map(&builder, NULL);
}

/* Reads one attempt from `*byte` on, as long as there is room. */
MUST_CHECK static bool attempt_read(struct reading *reading, const struct logs_key *key,
                                    uint64_t *byte, struct err *err)
{
    size_t count = 1;

    while (count > 0) {
        struct arena_mark mark = arena_mark(reading->scratch);
        struct logs_line *lines;

        reading->has_more |= reading->count == LINES || reading->reads == READS;
        if (reading->has_more) {
            break;
        }
        if (!logs_read(reading->logs, reading->scratch, key, byte, LINES - reading->count, &lines,
                       &count, err)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            node_logs_line_add(reading, key, &lines[i]);
        }
        reading->reads += count > 0;
        arena_rewind(reading->scratch, mark);
    }
    return true;
}

/* Reads the attempts of one stage, oldest first: all attempts from the client's position on, or
 * only the latest one. */
MUST_CHECK static bool stage_read(struct reading *reading, const struct logs_key *keys,
                                  size_t count, struct err *err)
{
    const struct log_place *from = node_logs_place_find(reading, keys[0].stage);
    uint32_t first = reading->ask->attempt > 0 ? reading->ask->attempt
                     : from != NULL            ? from->attempt
                                               : keys[count - 1].attempt;
    struct log_place *next = &reading->next[reading->next_count];

    *next = from != NULL ? *from : (struct log_place){ .stage = keys[0].stage };
    for (size_t i = 0; i < count && !reading->has_more; i++) {
        bool is_there = from != NULL && from->attempt == keys[i].attempt;
        uint64_t byte = is_there ? from->byte : 0;

        if (keys[i].attempt < first ||
            (reading->ask->attempt > 0 && keys[i].attempt != reading->ask->attempt)) {
            continue;
        }
        if (!attempt_read(reading, &keys[i], &byte, err)) {
            return false;
        }
        *next = (struct log_place){ keys[i].stage, keys[i].attempt, byte };
    }
    reading->next_count += next->attempt > 0 || from != NULL;
    return true;
}

/* True if the request includes the stage, or the hook, with this number. */
static bool node_logs_is_wanted(const struct service_logs *ask, uint32_t stage)
{
    if (ask->hook.length > 0 || stage >= LOGS_HOOK) {
        return ask->hook.length > 0 && stage == logs_hook_find(ask->hook);
    }
    return !ask->has_stage || ask->stage == stage;
}

MUST_CHECK static bool stages_read(struct reading *reading, struct text token, struct err *err)
{
    struct logs_key *keys;
    size_t count;

    if (!logs_list(reading->logs, reading->arena, token, &keys, &count, err)) {
        return false;
    }
    for (size_t at = 0; at < count && reading->next_count < PLACES;) {
        size_t end = at;

        while (end < count && keys[end].stage == keys[at].stage) {
            end++;
        }
        if (node_logs_is_wanted(reading->ask, keys[at].stage) &&
            !stage_read(reading, &keys[at], end - at, err)) {
            return false;
        }
        at = end;
    }
    return true;
}

bool node_logs_read(struct logs *logs, struct arena *arena, struct text token,
                    const struct service_logs *ask, struct doc *out, struct err *err)
{
    AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct reading reading = { .logs = logs,
                               .arena = arena,
                               .scratch = scratch,
                               .ask = ask,
                               .items = arena_array(arena, struct doc, LINES) };
    struct doc_builder builder;

    if (ask->hook.length > 0 && logs_hook_find(ask->hook) == LOGS_HOOK_END) {
        err_set(err, CODE_R0426, "'%.*s' is not a hook whose output is kept", TEXT_ARG(ask->hook));
        return err_hint(err, "the hooks are cleanup, drain, undrain and verify; configure and "
                             "upgrade are a stage");
    }
    if (!places_parse(&reading, ask->from)) {
        return err_set(err, CODE_R0426, "offset must be `next` of an earlier answer, not '%.*s'",
                       TEXT_ARG(ask->from));
    }
    if (!stages_read(&reading, token, err)) {
        return false;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "lines", doc_list(reading.items, reading.count, NULL));
    doc_builder_put(&builder, "more", doc_bool(reading.has_more, NULL));
    doc_builder_put(&builder, "next", doc_text(places_format(&reading), NULL));
    *out = doc_builder_map(&builder, NULL);
    return true;
}

struct text node_logs_owner(struct arena *arena, struct text tenant, struct text cluster,
                            struct text node)
{
    return arena_printf(arena, "%.*s/%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(cluster),
                        TEXT_ARG(node));
}
