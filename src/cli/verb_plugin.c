/* reeve plugin: describes a plugin, tests it, and installs it on a manager. A plugin's code runs
 * inside reeve-host, never in this process. */
#include "cli/manager/session.h"
#include "cli/plugin_parts.h"
#include "cli/plugin_try.h"
#include "codec/doc_child.h"
#include "provider/plugin_doc.h"
#include "sys/interrupt.h"
#include "sys/process.h"

#include <stdlib.h>
#include <string.h>

/* public names start with: plugin_ verb_ */

enum { DIGEST_SHORT = 12 };

struct conformance_options plugin_conformance_options(struct command *command, const char *path)
{
    struct text folder = process_folder(command->arena);
    const char *scratch = getenv("TMPDIR");

    return (struct conformance_options){
        .program = arena_string(command->arena,
                                arena_printf(command->arena, "%.*s/reeve-host", TEXT_ARG(folder))),
        .path = path,
        .trusted = command->trusted,
        .scratch = scratch == NULL || scratch[0] == '\0' ? "/tmp" : scratch,
        .seed = 1,
        .lag_ms = UINT64_MAX,
        .late_ms = UINT64_MAX,
        .calls_per_s = UINT64_MAX,
    };
}

bool plugin_look(struct command *command, const char *path, struct conformance_about *out)
{
    struct conformance_options options = plugin_conformance_options(command, path);
    struct err err;

    interrupt_expect(INTERRUPT_READING);
    if (conformance_look(command->arena, &options, out, &err)) {
        return true;
    }
    err_list_add(&command->errors, &err);
    return false;
}

bool plugin_output(struct command *command, const struct output_view *view, struct output *out)
{
    struct err err;

    if (output_parse(command->arena, args_output(&command->args), NULL, OUTPUT_TEXT, view,
                     &command->sources, out, &err)) {
        return true;
    }
    err_list_add(&command->errors, &err);
    return false;
}

bool plugin_answer(struct command *command, const struct session *session,
                   const struct client_request *request, struct output *output,
                   void (*text)(struct command *command, const struct doc *answer))
{
    struct doc doc;

    if (!session_ask(command, session, request, &doc)) {
        return false;
    }
    if (output->format == OUTPUT_TEXT) {
        text(command, &doc);
    } else {
        output_write(command->arena, output, &command->out_style,
                     &(struct output_data){ &doc, 1, &doc, 1 }, &command->out);
    }
    return true;
}

/* ---- check ---- */

static struct doc sentences_doc(struct arena *arena, const struct text *items, size_t count)
{
    struct doc *docs = arena_array(arena, struct doc, count + 1);

    for (size_t i = 0; i < count; i++) {
        docs[i] = doc_text(items[i], NULL);
    }
    return doc_list(docs, count, NULL);
}

static struct doc about_doc(struct arena *arena, const struct conformance_about *about)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(about->hello.name, NULL));
    doc_builder_put(&builder, "path", doc_text(about->path, NULL));
    doc_builder_put(&builder, "digest", doc_text(about->digest, NULL));
    plugin_doc_put(&builder, arena, &about->hello);
    doc_builder_put(&builder, "lacks", sentences_doc(arena, about->lacks, about->lack_count));
    doc_builder_put(&builder, "faults", sentences_doc(arena, about->faults, about->fault_count));
    return doc_builder_map(&builder, NULL);
}

static enum exit_code plugin_plugin_check(struct command *command, const char *path)
{
    static const struct output_view view = { "plugin/{name}", NULL, 0 };
    struct conformance_about about;
    struct output output;
    struct doc doc;

    if (!plugin_output(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!plugin_look(command, path, &about)) {
        return EXIT_CODE_INVALID;
    }
    doc = about_doc(command->arena, &about);
    if (output.format == OUTPUT_TEXT) {
        plugin_check_text(command, path, &doc);
    } else {
        output_write(command->arena, &output, &command->out_style,
                     &(struct output_data){ &doc, 1, &doc, 1 }, &command->out);
    }
    return about.fault_count > 0 ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

/* ---- schema ---- */

/* True if the argument is a file: it contains a slash, or has the suffix of a shared object. */
static bool is_file(const char *word)
{
    return strchr(word, '/') != NULL || text_has_suffix(text_from(word), TEXT(".so"));
}

bool plugin_doc_get(struct command *command, const char *word, struct doc *out)
{
    struct conformance_about about;
    struct session session;
    struct buf path;

    if (is_file(word)) {
        if (!plugin_look(command, word, &about)) {
            return false;
        }
        *out = about_doc(command->arena, &about);
        return true;
    }
    buf_init(&path, command->arena);
    buf_add(&path, TEXT("/v1/plugins/"));
    client_path_add(&path, text_from(word));
    return session_open(command, &session) && session_get(command, &session, buf_text(&path), out);
}

enum exit_code plugin_schema(struct command *command, const char *word)
{
    struct output output;
    struct doc doc;

    if (!plugin_output(command, plugin_schema_view(), &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!plugin_doc_get(command, word, &doc)) {
        return EXIT_CODE_FAILED;
    }
    plugin_schema_write(command, &output, &doc);
    return EXIT_CODE_DONE;
}

/* ---- upgrade ---- */

static void upgrade_text(struct command *command, const struct doc *doc)
{
    struct text name = doc_child_text(doc, "name");
    struct text version = doc_child_text(doc, "version");
    struct text state = doc_child_text(doc, "state");
    struct text digest = text_slice(doc_child_text(doc, "digest"), 0, DIGEST_SHORT);

    buf_printf(&command->out, "plugin/%.*s %.*s%ssha256 %.*s: ", TEXT_ARG(name), TEXT_ARG(version),
               version.length > 0 ? ", " : "", TEXT_ARG(digest));
    if (text_is(state, "moved")) {
        buf_add_string(
            &command->out,
            "new machines are created with this version from now on; existing machines stay as they are\n");
    } else if (text_is(state, "waits")) {
        buf_printf(&command->out,
                   "waits for approval; the previous version stays in use: %s get holds\n",
                   command->program);
    } else {
        buf_add_string(&command->out, "installed already\n");
    }
}

static enum exit_code plugin_upgrade(struct command *command, const char *word)
{
    static const struct output_view view = { "plugin/{name}", NULL, 0 };
    struct client_request request = { .method = "POST",
                                      .content_type = "application/json",
                                      .body = TEXT("{}") };
    struct session session;
    struct output output;
    struct buf path;

    if (!plugin_output(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/plugins/");
    client_path_add(&path, text_from(word));
    buf_add_string(&path, "/upgrade");
    request.path = buf_text(&path);
    return session_open(command, &session) &&
                   plugin_answer(command, &session, &request, &output, upgrade_text)
               ? EXIT_CODE_DONE
               : EXIT_CODE_FAILED;
}

/* ---- the verb ---- */

enum exit_code verb_plugin(struct command *command)
{
    static const struct {
        const char *word;
        enum exit_code (*run)(struct command *command, const char *word);
    } rows[] = {
        { "check", plugin_plugin_check }, { "install", plugin_install },
        { "schema", plugin_schema },      { "test", plugin_try },
        { "upgrade", plugin_upgrade },
    };
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(command->args.words[0], rows[i].word) == 0) {
            return rows[i].run(command, command->args.words[1]);
        }
        suggest_offer(&suggest, text_from(rows[i].word));
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "reeve plugin has no '%s'", command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help plugin lists the subcommands");
    }
    return EXIT_CODE_USAGE;
}
