#include "conformance/conformance_parts.h"
#include "conformance/object.h"
#include "reeve/plugin.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Examines a plugin: first its bytes, then its own description, which a separate process
 * requests. */

enum { TURN_MS = 20 };

struct question {
    struct arena *arena;
    bool is_over;
    bool is_known;
    struct wire_hello hello;
    char why[LIMIT_ERROR_TEXT_BYTES];
};

/* Copies the frame of the description, because the texts of the description point into it. */
static void look_hello_keep(struct question *question, const struct wire_message *message)
{
    struct wire_message kept;
    struct buf buf;
    struct err err;

    buf_init(&buf, question->arena);
    wire_format(&buf, message);
    question->is_known = wire_parse(question->arena, buf_text(&buf), &kept, &err);
    if (question->is_known) {
        question->hello = kept.hello;
    }
}

static void question_end(struct question *question, struct text why)
{
    if (!question->is_over) {
        question->is_over = true;
        snprintf(question->why, sizeof(question->why), "%.*s", TEXT_ARG(why));
    }
}

static void look_asked_reported(void *arg, const struct wire_message *message)
{
    struct question *question = arg;

    if (question->is_over || message->type == WIRE_LOG) {
        return;
    }
    if (message->type == WIRE_HELLO) {
        look_hello_keep(question, message);
        question_end(question, TEXT("the description of the plugin cannot be parsed"));
    } else {
        question_end(question, message->type == WIRE_FAILED
                                   ? message->failed.message
                                   : TEXT("the plugin answered before it was called"));
    }
}

static void look_asked_ended(void *arg, const char *why)
{
    question_end(arg, text_from(why));
}

MUST_CHECK static bool look_refuse(const char *why, struct err *err)
{
    err_set(err, CODE_R0620, "%s", why);
    if (strstr(why, "made for interface") != NULL) {
        return err_hint(err, "compile it again with include/reeve/plugin.h of this version of "
                             "reeve");
    }
    if (strstr(why, "does not implement create") != NULL) {
        return err_hint(err, "a plugin must have create, destroy and describe: see "
                             "reeve_plugin_v1");
    }
    if (strstr(why, "the process ") != NULL || strstr(why, "in time") != NULL) {
        return err_hint(
            err,
            "this happened while the plugin was loaded, before reeve called any function: check its constructors and static initializers");
    }
    return err_hint(err, "include/reeve/plugin.h defines the description of a plugin");
}

MUST_CHECK static bool look_ask(struct arena *arena, const struct conformance_options *options,
                                struct conformance_about *about, struct err *err)
{
    AUTO(loop) loop = NULL;
    struct log *log = log_new(&(struct log_options){ .fd = -1 });
    struct question question = { .arena = arena };
    size_t alive = 0;
    struct link_options link_options = {
        .log = log,
        .alive = &alive,
        .program = options->program,
        .end_ms = hosted_patience_hastened(1).end_ms,
        .open = { .path = about->path,
                  .digest = about->digest,
                  .settings = TEXT("{}"),
                  .is_question = 1 },
        .reported = look_asked_reported,
        .ended = look_asked_ended,
        .arg = &question,
    };
    struct link *link = NULL;
    uint64_t until_ms;
    bool is_open = loop_open(&loop, err);

    link_options.loop = loop;
    if (is_open && link_open(&link_options, &link, err)) {
        until_ms = loop_now_ms(loop) + LIMIT_HOST_START_MS;
        while (!question.is_over && loop_now_ms(loop) < until_ms) {
            loop_run_once(loop, TURN_MS);
        }
        question_end(&question, TEXT("the plugin did not send its description in time"));
        link_close(link);
        while (alive > 0) {
            loop_run_once(loop, TURN_MS);
        }
    }
    log_free(log);
    if (!is_open || link == NULL) {
        return false;
    }
    about->hello = question.hello;
    return question.is_known || look_refuse(question.why, err);
}

/* ---- missing features ---- */

static void lacks_look(struct arena *arena, struct conformance_about *about)
{
    static const struct {
        enum wire_method method;
        const char *words;
    } optional[] = {
        { WIRE_VALIDATE,
          "validate: properties in files are checked only against its table of properties" },
        { WIRE_LABEL, "label: labels and owner of a machine are set only when it is created" },
        { WIRE_REBOOT, "reboot: a machine that does not answer is replaced or left unchanged" },
    };
    struct text *lacks = arena_array(arena, struct text, ARRAY_COUNT(optional) + 1);

    for (size_t i = 0; i < ARRAY_COUNT(optional); i++) {
        if ((about->hello.methods >> optional[i].method & 1) == 0) {
            lacks[about->lack_count++] = text_from(optional[i].words);
        }
    }
    if (about->hello.version.length == 0) {
        lacks[about->lack_count++] =
            TEXT("reports no version: two builds can be distinguished only by their digests");
    }
    about->lacks = lacks;
}

/* Adds the file name to an error that lacks it. Always returns false. */
MUST_CHECK static bool file_named(const struct conformance_options *options, struct err *err)
{
    struct err unnamed = *err;

    if (unnamed.code == CODE_R0620) {
        err_set(err, CODE_R0620, "%s: %s", options->path, unnamed.text);
        err_hint(err, "%s", unnamed.hint);
    }
    return false;
}

bool conformance_look(struct arena *arena, const struct conformance_options *options,
                      struct conformance_about *out, struct err *err)
{
    char room[PATH_MAX];
    const char *path = realpath(options->path, room);
    struct conformance_about about = { .path = text_from(path) };
    char digest[DIGEST_TEXT_BYTES];
    struct text bytes;

    if (path == NULL) {
        err_set(err, CODE_R0011, "cannot read %s: %s", options->path, strerror(errno));
        return false;
    }
    about.path = arena_text(arena, about.path);
    if (!file_read(arena, arena_string(arena, about.path), LIMIT_PLUGIN_BYTES, &bytes, err) ||
        !object_check(bytes, err)) {
        return file_named(options, err);
    }
    digest_sha256(bytes, digest);
    about.digest = arena_text(arena, text_from(digest));
    about.profile = plugins_profile(options->trusted, about.digest);
    if (!look_ask(arena, options, &about, err)) {
        return file_named(options, err);
    }
    schema_look(arena, &about);
    lacks_look(arena, &about);
    *out = about;
    return true;
}
