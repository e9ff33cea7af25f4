/* reeve image: the image repository. Images are files that the manager keeps by their digest. */
#include "base/macros.h"
#include "base/suggest.h"
#include "cli/image/file_send.h"
#include "cli/image/image_iso.h"
#include "cli/manager/kept.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "images/images.h"

#include <string.h>
#include <unistd.h>

/* public names start with: image_ verb_ */

enum { IMAGE_SHORT = 12, IMAGE_KEEP = 3 };

static const struct output_view image_answer_view = { "image/{name}@sha256:{digest}", NULL, 0 };

MUST_CHECK static bool image_output(struct command *command, struct output *out)
{
    const char *format = args_output(&command->args);
    struct err err;

    if (!output_parse(command->arena, format, NULL, OUTPUT_TEXT, &image_answer_view,
                      &command->sources, out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (out->format == OUTPUT_TABLE || out->format == OUTPUT_WIDE_TABLE ||
        out->format == OUTPUT_CSV || out->format == OUTPUT_TSV || out->format == OUTPUT_MD) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                              "image %s has one answer and no table for -o %s",
                              command->args.words[0], format),
                 "use text, name, json, jsonl, yaml or path=");
        return false;
    }
    return true;
}

static void image_answer_write(struct command *command, struct output *output,
                               const struct doc *answer,
                               void (*text)(struct command *command, const struct doc *answer))
{
    if (output->format == OUTPUT_TEXT) {
        text(command, answer);
    } else if (output->format == OUTPUT_JSON) {
        json_format_pretty(&command->out, answer);
    } else if (output->format == OUTPUT_YAML) {
        yaml_format(&command->out, answer);
    } else {
        output_write(command->arena, output, &command->out_style,
                     &(struct output_data){ answer, 1, answer, 1 }, &command->out);
    }
}

/* Parses the reference in an argument. */
MUST_CHECK static bool image_word_parse(struct command *command, const char *word,
                                        struct image_reference *out)
{
    struct err err;

    if (!image_reference_parse(text_from(word), out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}

static struct text image_path(struct command *command, struct text name, const char *behind)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/images/");
    client_path_add(&path, name);
    buf_add_string(&path, behind);
    return buf_text(&path);
}

/* The version in a reference for the body of a request: a tag or sha256:DIGEST. */
static struct text image_version_word(struct command *command,
                                      const struct image_reference *reference)
{
    return reference->digest.length > 0
               ? arena_printf(command->arena, "sha256:%.*s", TEXT_ARG(reference->digest))
               : reference->tag;
}

/* Makes a body of texts; an empty one is left out. */
static struct text image_body(struct arena *arena, const char *const *names,
                              const struct text *values, size_t count)
{
    struct doc_builder builder;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < count; i++) {
        if (values[i].length > 0) {
            doc_builder_put(&builder, names[i], doc_text(values[i], NULL));
        }
    }
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &body);
    return buf_text(&buf);
}

/* Sends a request about an image, and writes its answer. */
static enum exit_code image_ask(struct command *command, struct text path, struct text body,
                                void (*text)(struct command *command, const struct doc *answer))
{
    struct client_request request = {
        .method = "POST", .path = path, .body = body, .content_type = "application/json"
    };
    struct session session;
    struct output output;
    struct doc answer;

    if (!image_output(command, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) || !session_ask(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    image_answer_write(command, &output, &answer, text);
    return EXIT_CODE_DONE;
}

/* ---- push ---- */

static void image_push_text(struct command *command, const struct doc *answer)
{
    bool is_new = text_is(doc_child_text(answer, "new"), "true");
    struct text copies = doc_child_text(answer, "copies");

    buf_printf(&command->out, "image/%.*s %s, sha256:%.*s",
               TEXT_ARG(doc_child_text(answer, "name")),
               is_new ? "stored" : "has this version already",
               TEXT_ARG(text_slice(doc_child_text(answer, "digest"), 0, IMAGE_SHORT)));
    if (copies.length > 0 && !text_is(copies, "1")) {
        buf_printf(&command->out, ", on %.*s managers", TEXT_ARG(copies));
    }
    buf_add_string(&command->out, "\n");
    if (is_new) {
        buf_printf(&command->notes, "next: write `image: %.*s` in a group of the inventory\n",
                   TEXT_ARG(doc_child_text(answer, "name")));
    }
}

static enum exit_code image_push_run(struct command *command)
{
    static const char *const names[] = { "digest", "tag" };
    const char *name = args_value(&command->args, FLAG_IMAGE_NAME);
    struct image_reference reference;
    struct session session;
    struct file_send file;
    struct output output;
    struct text values[2];
    bool is_sent;

    if (name == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "image push needs the name of the image"),
                 "reeve image push %s --name debian-12", command->args.words[1]);
        return EXIT_CODE_USAGE;
    }
    if (!image_word_parse(command, name, &reference) || !image_output(command, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (reference.digest.length > 0) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "the digest of an image is that of its file: --name takes NAME or NAME:TAG");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !file_send_open(command, command->args.words[1], &file)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    is_sent = file_send_run(command, &session, &file);
    close(file.fd);
    if (!is_sent) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    values[0] = text_from(file.digest);
    values[1] = reference.tag;
    return image_ask(command, image_path(command, reference.name, ""),
                     image_body(command->arena, names, values, ARRAY_COUNT(names)),
                     image_push_text);
}

/* ---- tag, verify, gc ---- */

static void image_tag_text(struct command *command, const struct doc *answer)
{
    buf_printf(&command->out, "image/%.*s:%s is sha256:%.*s\n",
               TEXT_ARG(doc_child_text(answer, "name")), command->args.words[2],
               TEXT_ARG(text_slice(doc_child_text(answer, "digest"), 0, IMAGE_SHORT)));
}

static enum exit_code image_tag_run(struct command *command)
{
    static const char *const names[] = { "tag", "version" };
    struct image_reference reference;
    struct text values[2];

    if (command->args.argument_count != 3) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "image tag needs an image and a tag"),
                 "reeve image tag debian-12 stable");
        return EXIT_CODE_USAGE;
    }
    if (!image_word_parse(command, command->args.words[1], &reference)) {
        return EXIT_CODE_USAGE;
    }
    values[0] = text_from(command->args.words[2]);
    values[1] = image_version_word(command, &reference);
    return image_ask(command, image_path(command, reference.name, "/tag"),
                     image_body(command->arena, names, values, ARRAY_COUNT(names)), image_tag_text);
}

static void image_verify_text(struct command *command, const struct doc *answer)
{
    style_add(&command->out_style, &command->out, STYLE_HINT, "ok");
    buf_printf(&command->out, ": image/%.*s, %lld bytes, sha256:%.*s\n",
               TEXT_ARG(doc_child_text(answer, "name")),
               (long long)doc_child_number(answer, "bytes"),
               TEXT_ARG(doc_child_text(answer, "digest")));
}

static enum exit_code image_verify_run(struct command *command)
{
    static const char *const names[] = { "version" };
    struct image_reference reference;
    struct text version;

    if (!image_word_parse(command, command->args.words[1], &reference)) {
        return EXIT_CODE_USAGE;
    }
    version = image_version_word(command, &reference);
    return image_ask(command, image_path(command, reference.name, "/verify"),
                     image_body(command->arena, names, &version, 1), image_verify_text);
}

static void image_gc_text(struct command *command, const struct doc *answer)
{
    const struct doc *removed = doc_child(answer, "removed");
    bool is_dry = args_has(&command->args, FLAG_IMAGE_DRY_RUN);

    for (size_t i = 0; doc_is_list(removed) && i < removed->item_count; i++) {
        buf_printf(&command->out, "image/%.*s@sha256:%.*s %s\n",
                   TEXT_ARG(doc_child_text(answer, "name")),
                   TEXT_ARG(text_slice(removed->items[i].text, 0, IMAGE_SHORT)),
                   is_dry ? "would be removed" : "removed");
    }
    if (doc_child_count(answer, "removed") == 0) {
        buf_add_string(&command->notes, "no version can be removed: all are among the newest, "
                                        "tagged, or used by groups or machines\n");
    }
}

static enum exit_code image_gc_run(struct command *command)
{
    const char *keep = args_value(&command->args, FLAG_IMAGE_KEEP);
    struct image_reference reference;
    int64_t number = IMAGE_KEEP;

    if (keep != NULL && (!text_parse_int64(text_from(keep), &number) || number < 0)) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     "--keep needs a number from 0 on, not '%s'", keep);
        return EXIT_CODE_USAGE;
    }
    if (!image_word_parse(command, command->args.words[1], &reference)) {
        return EXIT_CODE_USAGE;
    }
    if (reference.tag.length + reference.digest.length > 0) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "image gc needs the name of an image, without a tag or a digest");
        return EXIT_CODE_USAGE;
    }
    return image_ask(command, image_path(command, reference.name, "/gc"),
                     arena_printf(command->arena, "{\"dryRun\":%s,\"keep\":%lld}",
                                  args_has(&command->args, FLAG_IMAGE_DRY_RUN) ? "true" : "false",
                                  (long long)number),
                     image_gc_text);
}

/* ---- the verb ---- */

enum exit_code verb_image(struct command *command)
{
    static const struct {
        const char *word;
        enum exit_code (*run)(struct command *command);
        size_t least;
        size_t most;
        const char *needs;
    } rows[] = {
        { "gc", image_gc_run, 2, 2, "the name of an image" },
        { "iso", image_iso_run, 2, 2, "the file to write" },
        { "push", image_push_run, 2, 2, "a file" },
        { "tag", image_tag_run, 2, 3, "an image and a tag" },
        { "verify", image_verify_run, 2, 2, "an image" },
    };
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(command->args.words[0], rows[i].word) == 0) {
            if (command->args.argument_count > rows[i].most) {
                (void)kept_refuse(command, command->args.words[rows[i].most], "fewer arguments");
                return EXIT_CODE_USAGE;
            }
            if (command->args.argument_count < rows[i].least) {
                err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                      "image %s needs %s", rows[i].word, rows[i].needs),
                         "reeve help image shows examples");
                return EXIT_CODE_USAGE;
            }
            return rows[i].run(command);
        }
        suggest_offer(&suggest, text_from(rows[i].word));
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "reeve image has no '%s'",
                       command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help image lists the subcommands");
    }
    return EXIT_CODE_USAGE;
}
