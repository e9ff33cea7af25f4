/* reeve config: checks, pushes and shows configuration repositories and their numbered
 * revisions. */
#include "base/macros.h"
#include "base/map.h"
#include "base/suggest.h"
#include "cli/change/archive_send.h"
#include "cli/config_parts.h"
#include "cli/manager/kept.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/check.h"
#include "remote/bounds.h"
#include "remote/revision.h"
#include "sys/file.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* public names start with: config_ verb_ */

enum { DIGEST_SHORT = 12, KEEP = 10 };

/* Views of single answers: config_revision_view for answers about one revision, config_answer_view
 * for all other answers. */
static const struct output_view config_revision_view = { "config/{revision}", NULL, 0 };
static const struct output_view config_answer_view = { NULL, NULL, 0 };

static bool config_is_format_of(enum output_format format, const struct output_view *view)
{
    switch (format) {
    case OUTPUT_TEXT:
    case OUTPUT_JSON:
    case OUTPUT_JSONL:
    case OUTPUT_YAML:
    case OUTPUT_PATH:
        return true;
    case OUTPUT_NAME:
        return view->name_format != NULL;
    case OUTPUT_TABLE:
    case OUTPUT_WIDE_TABLE:
    case OUTPUT_CSV:
    case OUTPUT_TSV:
    case OUTPUT_MD:
        break;
    }
    return view->columns != NULL;
}

MUST_CHECK static bool config_output(struct command *command, const struct output_view *view,
                                     struct output *out)
{
    const char *format = args_output(&command->args);
    struct err err;

    if (!output_parse(command->arena, format, NULL,
                      view->columns == NULL ? OUTPUT_TEXT : OUTPUT_TABLE, view, &command->sources,
                      out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (!config_is_format_of(out->format, view)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                              "config %s has one answer and no table for -o %s",
                              command->args.words[0], format),
                 "use text, json, jsonl, yaml or path=");
        return false;
    }
    return true;
}

/* Writes a single answer in the format of -o; the function `text` writes the default format. In
 * JSON and YAML, the answer is not put into a list. */
static void config_write(struct command *command, struct output *output, const struct doc *answer,
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

/* ---- references ---- */

/* Checks a reference NAME@rN. NAME alone is allowed if a revision is not needed. */
MUST_CHECK static bool config_reference_check(struct command *command, size_t word,
                                              bool needs_revision)
{
    struct text reference = text_from(command->args.words[word]);
    struct text name = text_slice(reference, 0, text_find_byte(reference, '@'));
    struct err err;
    struct err *refused;

    if (check_configuration(reference, &err) &&
        (!needs_revision || name.length < reference.length)) {
        return true;
    }
    refused = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           needs_revision ? "config %s needs a revision, not '%.*s'"
                                          : "config %s needs a configuration, not '%.*s'",
                           command->args.words[0], TEXT_ARG(reference));
    if (check_object_name(name, &err)) {
        err_hint(refused, "reeve config %s %.*s@r1", command->args.words[0], TEXT_ARG(name));
    } else {
        err_hint(refused, "reeve get configs lists the configurations");
    }
    return false;
}

/* ---- the archive ---- */

/* Reads the repository that an argument gives: a folder, an archive, - for standard input, or with
 * --ref the files of a Git commit. */
MUST_CHECK static bool config_archive_read(struct command *command, const char *path,
                                           struct bundle *out)
{
    const char *ref = args_value(&command->args, FLAG_CONFIG_REF);
    struct stat status;
    struct text bytes;
    struct err err;
    bool is_good;

    if (strcmp(path, "-") == 0) {
        is_good = file_read_stdin(command->arena, REMOTE_BUNDLE_BYTES, &bytes, &err) &&
                  bundle_from_archive(command->arena, BUNDLE_CONFIGURATION, bytes, out, &err);
    } else if (ref != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        is_good = config_git_archive(command->arena, path, ref, &bytes, &err) &&
                  bundle_from_archive(command->arena, BUNDLE_CONFIGURATION, bytes, out, &err);
    } else {
        is_good = bundle_read(command->arena, BUNDLE_CONFIGURATION, path, out, &err);
    }
    if (!is_good) {
        if (err.code != CODE_R0011) {
            err_note(&err, "this concerns '%s'", path);
        }
        err_list_add(&command->errors, &err);
    }
    return is_good;
}

/* Checks the archive by the same rules as the manager, but with the places of errors in the
 * manifest. */
MUST_CHECK static bool config_archive_check(struct command *command, const char *path,
                                            const struct bundle *bundle, struct revision *out)
{
    struct text manifest = revision_manifest(command->arena, bundle->bytes);
    struct origin origin = { .kind = ORIGIN_FILE };

    if (manifest.data != NULL) {
        origin.source = source_set_add(
            &command->sources,
            arena_string(command->arena,
                         arena_printf(command->arena, "%s/" REVISION_MANIFEST, path)),
            manifest);
    }
    return revision_read(command->arena, bundle->bytes, &origin, out, &command->errors) &&
           config_syntax_check(command->arena, bundle->bytes, &out->hooks, &command->errors);
}

/* ---- check ---- */

static void config_stages_text(struct command *command, const struct doc *stages)
{
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        struct text bundle = doc_child_text(&stages->items[i], "bundle");
        size_t at = text_find_byte(bundle, '@');
        size_t colon = text_find_byte(bundle, ':');

        buf_printf(&command->out, "  %zu  %-20.*s %.*s\n", i, (int)at, bundle.data,
                   TEXT_ARG(text_slice(bundle, colon + 1, DIGEST_SHORT)));
    }
}

static struct doc config_check_doc(struct arena *arena, const struct bundle *bundle,
                                   const struct revision *revision)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bundles", revision->stages);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)bundle->bytes.length, NULL));
    doc_builder_put(&builder, "digest", doc_text(text_from(bundle->digest), NULL));
    doc_builder_put(&builder, "members", doc_int(arena, (int64_t)bundle->members, NULL));
    return doc_builder_map(&builder, NULL);
}

static void config_check_text(struct command *command, const struct doc *answer)
{
    style_add(&command->out_style, &command->out, STYLE_HINT, "ok");
    buf_printf(&command->out, ": %s: %lld members, %lld bytes, sha256:%.*s\n",
               command->args.words[1], (long long)doc_child_number(answer, "members"),
               (long long)doc_child_number(answer, "bytes"),
               TEXT_ARG(doc_child_text(answer, "digest")));
    config_stages_text(command, doc_child(answer, "bundles"));
}

static enum exit_code config_check(struct command *command)
{
    struct revision revision;
    struct bundle bundle;
    struct output output;
    struct doc doc;

    if (!config_output(command, &config_answer_view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!config_archive_read(command, command->args.words[1], &bundle) ||
        !config_archive_check(command, command->args.words[1], &bundle, &revision)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    doc = config_check_doc(command->arena, &bundle, &revision);
    config_write(command, &output, &doc, config_check_text);
    return EXIT_CODE_DONE;
}

/* ---- push ---- */

static void config_push_text(struct command *command, const struct doc *answer)
{
    struct text revision = doc_child_text(answer, "revision");
    bool is_new = text_is(doc_child_text(answer, "new"), "true");

    buf_printf(&command->out, "config/%.*s %s, sha256:%.*s\n", TEXT_ARG(revision),
               is_new ? "stored" : "is unchanged: it has the same files",
               TEXT_ARG(text_slice(doc_child_text(answer, "digest"), 0, DIGEST_SHORT)));
    if (is_new) {
        buf_printf(&command->notes, "next: %s upgrade CLUSTER/GROUP --config %.*s\n",
                   command->program, TEXT_ARG(revision));
    }
}

static struct text config_push_body(struct arena *arena, const struct bundle *bundle,
                                    const char *ref)
{
    struct doc_builder builder;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "digest", doc_text(text_from(bundle->digest), NULL));
    if (ref != NULL) {
        doc_builder_put(&builder, "ref", doc_text(text_from(ref), NULL));
    }
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &body);
    return buf_text(&buf);
}

/* Make the path of a configuration: "/v1/configs/NAME" with the rest of the path. */
static struct text config_path(struct command *command, struct text name, const char *behind)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/configs/");
    client_path_add(&path, name);
    buf_add_string(&path, behind);
    return buf_text(&path);
}

static enum exit_code config_push(struct command *command)
{
    const char *name = args_value(&command->args, FLAG_CONFIG_NAME);
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct revision revision;
    struct session session;
    struct bundle bundle;
    struct output output;
    struct doc answer;
    struct err err;

    if (name == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "config push needs the name of the configuration"),
                 "reeve config push %s --name web", command->args.words[1]);
        return EXIT_CODE_USAGE;
    }
    if (!check_object_name(text_from(name), &err)) {
        err_list_add(&command->errors, &err);
        return exit_of_errors(&command->errors, command->is_strict);
    }
    if (!config_output(command, &config_revision_view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!config_archive_read(command, command->args.words[1], &bundle) ||
        !config_archive_check(command, command->args.words[1], &bundle, &revision)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    request.path = config_path(command, text_from(name), "");
    request.body =
        config_push_body(command->arena, &bundle, args_value(&command->args, FLAG_CONFIG_REF));
    if (!session_open(command, &session) ||
        !archive_send(command, &session, "/v1/archives", command->args.words[1], &bundle) ||
        !session_ask(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    config_write(command, &output, &answer, config_push_text);
    return EXIT_CODE_DONE;
}

/* ---- show ---- */

static const struct output_column config_columns[] = {
    { "REVISION", ".revision", OUTPUT_KEEP, false },
    { "PUSHED", ".pushed", OUTPUT_KEEP, false },
    { "BY", ".by", OUTPUT_DROP, false },
    { "REF", ".ref", OUTPUT_DROP, false },
    { "PINNED", ".pinned", OUTPUT_DROP, false },
    { "BUNDLES", ".count", OUTPUT_DROP, true },
    { "USED BY", ".usedBy", OUTPUT_KEEP, false },
    { "SHA256", ".digest", OUTPUT_WIDE, false },
};
static const struct output_view config_view = { "config/{revision}", config_columns,
                                                ARRAY_COUNT(config_columns) };

/* Format the first names of a list: "shop/web, shop/db and 3 more". */
static struct text config_names_join(struct arena *arena, const struct doc *names)
{
    enum { SHOWN = 3 };
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(names) && i < names->item_count && i < SHOWN; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ", ", TEXT_ARG(names->items[i].text));
    }
    if (doc_is_list(names) && names->item_count > SHOWN) {
        buf_printf(&buf, " and %zu more", names->item_count - SHOWN);
    }
    return buf_text(&buf);
}

/* Format the time of an answer, to the minute: 2026-11-28 12:04. */
static struct text config_minute(struct arena *arena, struct text at)
{
    return at.length < 16 ? at : arena_printf(arena, "%.*s %.*s", 10, at.data, 5, at.data + 11);
}

static struct doc config_row(struct arena *arena, const struct doc *revision)
{
    struct doc_builder builder;
    struct text pinned = doc_child_text(revision, "pinned");

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < revision->entry_count; i++) {
        if (!text_is(revision->entries[i].key, "pinned")) {
            doc_builder_add(&builder, &revision->entries[i]);
        }
    }
    doc_builder_put(&builder, "count",
                    doc_int(arena, (int64_t)doc_child_count(revision, "bundles"), NULL));
    doc_builder_put(&builder, "pinned",
                    doc_text(text_is(pinned, "true") ? TEXT("yes") : TEXT("-"), NULL));
    doc_builder_put(&builder, "pushed",
                    doc_text(config_minute(arena, doc_child_text(revision, "at")), NULL));
    doc_builder_put(&builder, "usedBy",
                    doc_text(config_names_join(arena, doc_child(revision, "groups")), NULL));
    return doc_builder_map(&builder, NULL);
}

/* Find the revision with this name in an answer. NULL: there is none, and an error was added. */
static const struct doc *config_revision_find(struct command *command, const struct doc *answer,
                                              struct text reference)
{
    const struct doc *revisions = doc_child(answer, "revisions");

    for (size_t i = 0; doc_is_list(revisions) && i < revisions->item_count; i++) {
        if (text_is_equal(doc_child_text(&revisions->items[i], "revision"), reference)) {
            return &revisions->items[i];
        }
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0829,
                          "there is no revision '%.*s'", TEXT_ARG(reference)),
             "reeve config show %.*s lists the revisions",
             TEXT_ARG(text_slice(reference, 0, text_find_byte(reference, '@'))));
    return NULL;
}

static void config_revision_text(struct command *command, const struct doc *revision)
{
    struct arena *arena = command->arena;
    struct text ref = doc_child_text(revision, "ref");

    buf_printf(&command->out, "config/%.*s\n", TEXT_ARG(doc_child_text(revision, "revision")));
    buf_printf(&command->out, "  pushed   %.*s by %.*s\n",
               TEXT_ARG(config_minute(arena, doc_child_text(revision, "at"))),
               TEXT_ARG(doc_child_text(revision, "by")));
    if (ref.length > 0) {
        buf_printf(&command->out, "  ref      %.*s\n", TEXT_ARG(ref));
    }
    buf_printf(&command->out, "  sha256   %.*s\n", TEXT_ARG(doc_child_text(revision, "digest")));
    if (text_is(doc_child_text(revision, "pinned"), "true")) {
        buf_add_string(&command->out, "  pinned   yes\n");
    }
    if (doc_child_count(revision, "groups") > 0) {
        buf_printf(&command->out, "  used by  %.*s\n",
                   TEXT_ARG(config_names_join(arena, doc_child(revision, "groups"))));
    }
    buf_add_string(&command->out, "stages\n");
    config_stages_text(command, doc_child(revision, "bundles"));
}

static enum exit_code config_show(struct command *command)
{
    struct text reference = text_from(command->args.words[1]);
    struct text name = text_slice(reference, 0, text_find_byte(reference, '@'));
    bool is_one = name.length < reference.length;
    const struct doc *revisions;
    struct session session;
    struct output output;
    struct doc answer;
    struct doc *rows;

    if (!config_reference_check(command, 1, is_one) ||
        !config_output(command, is_one ? &config_revision_view : &config_view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, config_path(command, name, ""), &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (is_one) {
        const struct doc *revision = config_revision_find(command, &answer, reference);

        if (revision == NULL) {
            return EXIT_CODE_NOT_FOUND;
        }
        config_write(command, &output, revision, config_revision_text);
        return EXIT_CODE_DONE;
    }
    revisions = doc_child(&answer, "revisions");
    rows = arena_array(command->arena, struct doc, doc_child_count(&answer, "revisions") + 1);
    for (size_t i = 0; i < doc_child_count(&answer, "revisions"); i++) {
        rows[i] = config_row(command->arena, &revisions->items[i]);
    }
    output_write(command->arena, &output, &command->out_style,
                 &(struct output_data){ revisions->items, revisions->item_count, rows,
                                        revisions->item_count },
                 &command->out);
    return EXIT_CODE_DONE;
}

/* ---- pin, gc ---- */

static void config_pin_text(struct command *command, const struct doc *answer)
{
    buf_printf(&command->out, "config/%.*s %s\n", TEXT_ARG(doc_child_text(answer, "revision")),
               text_is(doc_child_text(answer, "pinned"), "true") ? "pinned"
                                                                 : "is no longer pinned");
}

/* Sends a body to a route of a configuration and writes the answer. */
static enum exit_code config_ask(struct command *command, struct text path, struct text body,
                                 const struct output_view *view,
                                 void (*text)(struct command *command, const struct doc *answer))
{
    struct client_request request = {
        .method = "POST", .path = path, .content_type = "application/json", .body = body
    };
    struct session session;
    struct output output;
    struct doc answer;

    if (!config_output(command, view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) || !session_ask(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    config_write(command, &output, &answer, text);
    return EXIT_CODE_DONE;
}

static enum exit_code config_pin(struct command *command)
{
    struct text reference = text_from(command->args.words[1]);
    size_t at = text_find_byte(reference, '@');
    struct text body;

    if (!config_reference_check(command, 1, true)) {
        return EXIT_CODE_USAGE;
    }
    body = arena_printf(command->arena, "{\"revision\":\"%.*s\",\"pinned\":%s}",
                        TEXT_ARG(text_slice(reference, at + 1, SIZE_MAX)),
                        args_has(&command->args, FLAG_CONFIG_UNPIN) ? "false" : "true");
    return config_ask(command, config_path(command, text_slice(reference, 0, at), "/pin"), body,
                      &config_revision_view, config_pin_text);
}

static void config_gc_text(struct command *command, const struct doc *answer)
{
    const struct doc *removed = doc_child(answer, "removed");
    bool is_dry = args_has(&command->args, FLAG_CONFIG_DRY_RUN);

    for (size_t i = 0; doc_is_list(removed) && i < removed->item_count; i++) {
        buf_printf(&command->out, "config/%.*s %s\n", TEXT_ARG(removed->items[i].text),
                   is_dry ? "would be removed" : "removed");
    }
    if (doc_child_count(answer, "removed") == 0) {
        buf_add_string(
            &command->notes,
            "no revision can be removed: all are the newest, pinned or used by groups\n");
    }
}

static enum exit_code config_gc(struct command *command)
{
    const char *keep = args_value(&command->args, FLAG_CONFIG_KEEP);
    int64_t number = KEEP;
    struct text body;

    if (keep != NULL && (!text_parse_int64(text_from(keep), &number) || number < 1)) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     "--keep needs a number from 1 on, not '%s'", keep);
        return EXIT_CODE_USAGE;
    }
    if (!config_reference_check(command, 1, false)) {
        return EXIT_CODE_USAGE;
    }
    body = arena_printf(command->arena, "{\"keep\":%lld,\"dryRun\":%s}", (long long)number,
                        args_has(&command->args, FLAG_CONFIG_DRY_RUN) ? "true" : "false");
    return config_ask(command, config_path(command, text_from(command->args.words[1]), "/gc"), body,
                      &config_answer_view, config_gc_text);
}

/* ---- diff ---- */

MUST_CHECK static bool config_files_get(struct command *command, const struct session *session,
                                        const char *word, struct doc *out)
{
    struct text reference = text_from(word);
    size_t at = text_find_byte(reference, '@');
    const char *behind =
        at == SIZE_MAX
            ? "/files"
            : arena_string(command->arena,
                           arena_printf(command->arena, "/files?revision=%.*s",
                                        TEXT_ARG(text_slice(reference, at + 1, SIZE_MAX))));

    return session_get(command, session, config_path(command, text_slice(reference, 0, at), behind),
                       out);
}

static struct doc config_difference(struct arena *arena, const char *change, const struct doc *name)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "change", doc_text(text_from(change), NULL));
    doc_builder_put(&builder, "name", *name);
    return doc_builder_map(&builder, NULL);
}

/* Return the files in which two revisions differ: [{change: added|removed|changed, name}]. */
static struct doc config_differences(struct arena *arena, const struct doc *before,
                                     const struct doc *after)
{
    size_t old_count = doc_is_list(before) ? before->item_count : 0;
    size_t new_count = doc_is_list(after) ? after->item_count : 0;
    struct doc *rows = arena_array(arena, struct doc, old_count + new_count + 1);
    struct map files;
    size_t count = 0;

    map_init(&files, arena);
    for (size_t i = 0; i < old_count; i++) {
        map_put(&files, doc_child_text(&before->items[i], "name"),
                (void *)(uintptr_t)&before->items[i]);
    }
    for (size_t i = 0; i < new_count; i++) {
        struct text name = doc_child_text(&after->items[i], "name");
        const struct doc *old = map_remove(&files, name);

        if (old == NULL || !doc_is_equal(old, &after->items[i])) {
            rows[count++] = config_difference(arena, old == NULL ? "added" : "changed",
                                              doc_child(&after->items[i], "name"));
        }
    }
    for (size_t i = 0; i < old_count; i++) {
        if (map_find(&files, doc_child_text(&before->items[i], "name")) != NULL) {
            rows[count++] =
                config_difference(arena, "removed", doc_child(&before->items[i], "name"));
        }
    }
    return doc_list(rows, count, NULL);
}

static void config_diff_text(struct command *command, const struct doc *answer)
{
    const struct doc *files = doc_child(answer, "files");

    for (size_t i = 0; doc_is_list(files) && i < files->item_count; i++) {
        struct text change = doc_child_text(&files->items[i], "change");

        buf_printf(&command->out, "%s %.*s\n",
                   text_is(change, "added")     ? "+"
                   : text_is(change, "removed") ? "-"
                                                : "~",
                   TEXT_ARG(doc_child_text(&files->items[i], "name")));
    }
    if (doc_child_count(answer, "files") == 0) {
        buf_add_string(&command->notes, "the revisions have the same files\n");
    }
}

static enum exit_code config_diff(struct command *command)
{
    struct doc_builder builder;
    struct session session;
    struct output output;
    struct doc before;
    struct doc answer;
    struct doc after;

    if (command->args.argument_count != 3) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "config diff needs two revisions"),
                 "reeve config diff web@r1 web@r2");
        return EXIT_CODE_USAGE;
    }
    if (!config_reference_check(command, 1, false) || !config_reference_check(command, 2, false) ||
        !config_output(command, &config_answer_view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !config_files_get(command, &session, command->args.words[1], &before) ||
        !config_files_get(command, &session, command->args.words[2], &after)) {
        return EXIT_CODE_FAILED;
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "files",
                    config_differences(command->arena, doc_child(&before, "files"),
                                       doc_child(&after, "files")));
    doc_builder_put(&builder, "from", *doc_child(&before, "revision"));
    doc_builder_put(&builder, "to", *doc_child(&after, "revision"));
    answer = doc_builder_map(&builder, NULL);
    config_write(command, &output, &answer, config_diff_text);
    return EXIT_CODE_DONE;
}

/* ---- the verb ---- */

enum exit_code verb_config(struct command *command)
{
    static const struct {
        const char *word;
        enum exit_code (*run)(struct command *command);
        size_t arguments;
    } rows[] = {
        { "check", config_check, 2 }, { "diff", config_diff, 3 }, { "gc", config_gc, 2 },
        { "pin", config_pin, 2 },     { "push", config_push, 2 }, { "show", config_show, 2 },
    };
    struct suggest suggest = suggest_start(text_from(command->args.words[0]));
    struct err *err;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(command->args.words[0], rows[i].word) == 0) {
            if (command->args.argument_count > rows[i].arguments) {
                (void)kept_refuse(command, command->args.words[rows[i].arguments],
                                  "fewer arguments");
                return EXIT_CODE_USAGE;
            }
            return rows[i].run(command);
        }
        suggest_offer(&suggest, text_from(rows[i].word));
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "reeve config has no '%s'", command->args.words[0]);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help config lists the subcommands");
    }
    return EXIT_CODE_USAGE;
}
