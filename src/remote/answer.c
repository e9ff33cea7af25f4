#include "remote/answer.h"

#include "base/buf.h"
#include "ssh/key.h"

#include <assert.h>
#include <stdio.h>

enum { STAGE_WORDS = 8, ATTEMPT_MAX = 1000000, CODE_MAX = 255 };

bool answer_is_digest(struct text text)
{
    bool is_good = text.length == ANSWER_CHAIN_BYTES - 1;

    for (size_t i = 0; is_good && i < text.length; i++) {
        char c = text.data[i];

        is_good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    }
    return is_good;
}

/* Splits the text at the first occurrence of a byte. Returns the part before it; *rest becomes the
 * part after it. */
static struct text cut(struct text *rest, char byte)
{
    size_t end = text_find_byte(*rest, byte);
    struct text head = text_slice(*rest, 0, end == SIZE_MAX ? rest->length : end);

    *rest = end == SIZE_MAX ? TEXT("") : text_slice(*rest, end + 1, rest->length);
    return head;
}

bool answer_line(struct text *lines, struct text *out_word, struct text *out_rest)
{
    struct text line;

    if (lines->length == 0) {
        return false;
    }
    line = cut(lines, '\n');
    *out_word = cut(&line, ' ');
    *out_rest = line;
    return true;
}

size_t answer_begin(struct text bytes)
{
    struct text rest = bytes;
    size_t count = 0;

    while (rest.length > 0 && count++ < REMOTE_ANSWER_LINES) {
        size_t end = text_find_byte(rest, '\n');
        bool is_begin = text_is(cut(&rest, '\n'), "reeve1");

        if (is_begin && end != SIZE_MAX) {
            return bytes.length - rest.length;
        }
    }
    return SIZE_MAX;
}

bool answer_read(struct text bytes, struct answer *out)
{
    struct answer answer = { 0 };
    struct text rest;
    struct text word;
    struct text value;
    size_t begin = answer_begin(bytes);
    const char *start;

    if (bytes.length > REMOTE_ANSWER_BYTES || text_find_bad_utf8(bytes) != SIZE_MAX ||
        begin == SIZE_MAX) {
        return false;
    }
    rest = text_slice(bytes, begin, bytes.length);
    start = rest.data;
    for (size_t count = 0; count < REMOTE_ANSWER_LINES; count++) {
        const char *at = rest.data;
        bool has_end = text_find_byte(rest, '\n') != SIZE_MAX;

        if (!has_end || !answer_line(&rest, &word, &value)) {
            return false; /* the line has no end, so it is incomplete */
        }
        if (text_is(word, "end") && value.length == 0) {
            answer.lines = (struct text){ start, (size_t)(at - start) };
            *out = answer;
            return true;
        }
        answer.fault = text_is(word, "fault") ? value : answer.fault;
        answer.why = text_is(word, "why") ? value : answer.why;
    }
    return false;
}

/* ---- stages and bundles ---- */

static bool answer_number_read(struct text text, int64_t most, int64_t *out)
{
    return text_parse_int64(text, out) && *out >= 0 && *out <= most;
}

/* Reads a chain. "-" means an empty chain. */
static bool answer_chain_read(struct text text, char out[static ANSWER_CHAIN_BYTES])
{
    if (!text_is(text, "-") && !answer_is_digest(text)) {
        return false;
    }
    snprintf(out, ANSWER_CHAIN_BYTES, "%.*s", text.length == 1 ? 0 : (int)text.length, text.data);
    return true;
}

static bool answer_state_read(struct text word, enum answer_state *out)
{
    static const char *const names[] = { "absent", "running", "ended", "lost" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is(word, names[i])) {
            *out = (enum answer_state)i;
            return true;
        }
    }
    return false;
}

/* Reads "N STATE ATTEMPT CHAIN TRIES CODE HOW DONE". */
static bool stage_take(struct text rest, struct answer_look *look)
{
    struct answer_stage stage = { 0 };
    struct text words[STAGE_WORDS];
    int64_t attempt;
    int64_t tries;
    int64_t code = -1;
    int64_t n;

    for (size_t i = 0; i < STAGE_WORDS; i++) {
        words[i] = cut(&rest, ' ');
    }
    if (rest.length > 0 || !answer_number_read(words[0], (int64_t)look->stage_count - 1, &n) ||
        !answer_state_read(words[1], &stage.state) ||
        !answer_number_read(words[2], ATTEMPT_MAX, &attempt) ||
        !answer_chain_read(words[3], stage.chain) ||
        !answer_number_read(words[4], ATTEMPT_MAX, &tries) ||
        !answer_chain_read(words[7], stage.done)) {
        return false;
    }
    if (stage.state == ANSWER_ENDED && !answer_number_read(words[5], CODE_MAX, &code)) {
        return false;
    }
    if ((stage.state == ANSWER_ABSENT) != (attempt == 0)) {
        return false;
    }
    stage.attempt = (uint32_t)attempt;
    stage.tries = (uint32_t)tries;
    stage.code = (int)code;
    stage.is_timeout = text_is(words[6], "timeout");
    look->stages[n] = stage;
    return true;
}

/* Reads "DIGEST", or "DIGEST BYTES" for an incomplete bundle. */
static bool answer_bundle_take(struct text rest, bool is_whole, struct answer_look *look)
{
    struct text digest = cut(&rest, ' ');
    int64_t bytes = 0;
    size_t i = 0;

    if (!answer_is_digest(digest) ||
        (is_whole ? rest.length > 0 : !answer_number_read(rest, REMOTE_BUNDLE_BYTES, &bytes))) {
        return false;
    }
    while (i < look->bundle_count && !text_is(digest, look->bundles[i].digest)) {
        i++;
    }
    if (i == look->stage_count) {
        return false;
    }
    look->bundle_count = i == look->bundle_count ? i + 1 : look->bundle_count;
    snprintf(look->bundles[i].digest, ANSWER_CHAIN_BYTES, "%.*s", TEXT_ARG(digest));
    look->bundles[i].bytes = (uint64_t)bytes;
    look->bundles[i].is_whole = is_whole;
    return true;
}

/* Reads "N BYTE". */
static bool answer_more_take(struct text rest, struct answer_look *look)
{
    struct text first = cut(&rest, ' ');
    int64_t stage;
    int64_t at;

    if (!answer_number_read(first, (int64_t)look->stage_count - 1, &stage) ||
        !answer_number_read(rest, REMOTE_OUTPUT_BYTES, &at)) {
        return false;
    }
    look->more = (struct answer_more){ true, (size_t)stage, (uint64_t)at };
    return true;
}

/* Reads "N PATH", which follows the line of its stage. */
static bool marker_take(struct text rest, struct answer_look *look)
{
    struct text first = cut(&rest, ' ');
    int64_t stage;

    if (!answer_number_read(first, (int64_t)look->stage_count - 1, &stage) || rest.length == 0) {
        return false;
    }
    snprintf(look->stages[stage].marker, ANSWER_MARKER_BYTES, "%.*s", TEXT_ARG(rest));
    return true;
}

/* Reads an id in the kernel's format: 8c9d3f0e-... */
static bool left_take(struct text rest, struct answer_look *look)
{
    bool is_good = rest.length == ANSWER_LEFT_BYTES - 1;

    for (size_t i = 0; is_good && i < rest.length; i++) {
        char c = rest.data[i];

        is_good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
    }
    snprintf(look->left, ANSWER_LEFT_BYTES, "%.*s", TEXT_ARG(rest));
    return is_good;
}

static bool shared_take(struct text rest, struct answer_look *look)
{
    snprintf(look->shared, sizeof(look->shared), "%.*s", TEXT_ARG(rest));
    return answer_is_digest(rest);
}

static bool room_take(struct text rest, struct answer_look *look)
{
    int64_t kib;

    look->has_room = answer_number_read(rest, INT64_MAX, &kib);
    look->room_kib = look->has_room ? (uint64_t)kib : 0;
    return look->has_room;
}

struct answer_look answer_look_make(struct arena *arena, size_t stage_count)
{
    assert(stage_count <= REMOTE_STAGES);
    return (struct answer_look){ .stages = arena_array(arena, struct answer_stage, stage_count),
                                 .bundles = arena_array(arena, struct answer_bundle, stage_count),
                                 .stage_count = stage_count };
}

void answer_look_clear(struct answer_look *look)
{
    *look = (struct answer_look){ .stages = look->stages,
                                  .bundles = look->bundles,
                                  .stage_count = look->stage_count };
    for (size_t i = 0; i < look->stage_count; i++) {
        look->stages[i] = (struct answer_stage){ 0 };
    }
}

bool answer_look_take(const struct answer *answer, struct answer_look *look)
{
    struct text lines = answer->lines;
    struct text word;
    struct text rest;
    bool is_good = true;

    look->more = (struct answer_more){ 0 };
    while (is_good && answer_line(&lines, &word, &rest)) {
        is_good = text_is(word, "stage")    ? stage_take(rest, look)
                  : text_is(word, "whole")  ? answer_bundle_take(rest, true, look)
                  : text_is(word, "part")   ? answer_bundle_take(rest, false, look)
                  : text_is(word, "marker") ? marker_take(rest, look)
                  : text_is(word, "shared") ? shared_take(rest, look)
                  : text_is(word, "left")   ? left_take(rest, look)
                  : text_is(word, "room")   ? room_take(rest, look)
                                            : text_is(word, "more") && answer_more_take(rest, look);
    }
    return is_good;
}

/* ---- keys and the rest ---- */

/* Reads the first two words of a valid key. */
static bool answer_key_read(struct text rest, struct text *out)
{
    struct ssh_key key;
    struct text comment;
    struct text line = rest;
    struct err err;

    if (out->length > 0 || !ssh_key_parse(rest, &key, &comment, &err) || !ssh_key_is_sound(&key)) {
        return false;
    }
    (void)cut(&rest, ' ');
    (void)cut(&rest, ' ');
    *out = text_trim(text_slice(line, 0, line.length - rest.length));
    return true;
}

bool answer_keys_read(const struct answer *answer, bool has_user, struct answer_keys *out)
{
    struct answer_keys keys = { 0 };
    struct text lines = answer->lines;
    struct text word;
    struct text rest;

    while (answer_line(&lines, &word, &rest)) {
        struct text *key = text_is(word, "host")   ? &keys.host
                           : text_is(word, "root") ? &keys.root
                           : text_is(word, "user") ? &keys.user
                                                   : NULL;

        if (key == NULL || !answer_key_read(rest, key)) {
            return false;
        }
    }
    if (keys.host.length == 0 || keys.root.length == 0 || (keys.user.length > 0) != has_user) {
        return false;
    }
    *out = keys;
    return true;
}

bool answer_same_read(const struct answer *answer, bool *out)
{
    struct text lines = answer->lines;
    struct text word;
    struct text rest;
    bool is_reported = false;

    while (answer_line(&lines, &word, &rest)) {
        if (text_is(word, "same") && (text_is(rest, "yes") || text_is(rest, "no"))) {
            *out = text_is(rest, "yes");
            is_reported = true;
        }
    }
    return is_reported;
}

bool answer_verdict_read(struct arena *arena, const struct answer *answer,
                         struct answer_verdict *out)
{
    struct answer_verdict verdict = { 0 };
    struct text lines = answer->lines;
    bool has_count = false;
    struct text word;
    struct text rest;
    struct buf files;

    buf_init(&files, arena);
    while (answer_line(&lines, &word, &rest)) {
        int64_t count;

        if (text_is(word, "digest") && answer_is_digest(rest)) {
            verdict.digest = rest;
        } else if (text_is(word, "files") && text_parse_int64(rest, &count) && count >= 0) {
            verdict.file_count = (uint64_t)count;
            has_count = true;
        } else if (text_is(word, "file") && rest.length > 0) {
            buf_printf(&files, "%s%.*s", files.length == 0 ? "" : "\n", TEXT_ARG(rest));
        } else if (text_is(word, "unknown") && rest.length > 0) {
            verdict.unknown = rest;
        } else if (text_is(word, "boot")) {
            verdict.boot = rest;
        } else {
            return false;
        }
    }
    verdict.files = buf_text(&files);
    if (verdict.digest.length == 0 || !has_count ||
        (verdict.file_count > 0) != (verdict.files.length > 0)) {
        return false;
    }
    *out = verdict;
    return true;
}

bool answer_cleanup_read(struct arena *arena, const struct answer *answer, uint64_t *out_count,
                         struct text *out_failed)
{
    struct text lines = answer->lines;
    int64_t count = -1;
    struct text word;
    struct text rest;
    struct buf failed;

    buf_init(&failed, arena);
    while (answer_line(&lines, &word, &rest)) {
        if (text_is(word, "failed")) {
            buf_printf(&failed, "%s%.*s", failed.length == 0 ? "" : "; ", TEXT_ARG(rest));
        } else if (!(text_is(word, "cleaned") || text_is(word, "ran")) ||
                   !text_parse_int64(rest, &count)) {
            return false;
        }
    }
    *out_count = count < 0 ? 0 : (uint64_t)count;
    *out_failed = buf_text(&failed);
    return count >= 0;
}
