#include "cli/manager/session.h"
#include "cli/plugin_parts.h"
#include "cli/plugin_try.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "conformance/object.h"
#include "model/check.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <string.h>

/* public names start with: plugin_ */

/* reeve plugin install: sends a plugin, or its location, to a manager. No code of the plugin runs
 * here. */

enum { DIGEST_SHORT = 12 };

#define DIGEST_PREFIX "sha256:"

/* The plugin to install, as given by the arguments and flags. */
struct install {
    struct text name;
    struct text digest; /* empty: any digest */
    struct text url;    /* set for a plugin from a URL */
    const char *path;   /* set for a plugin from a file; else NULL */
    bool replaces;
};

static bool plugin_install_usage(struct command *command, const char *what, const char *hint)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s", what);

    return err_hint(err, "%s", hint);
}

static bool plugin_install_fail(struct command *command, const struct err *err)
{
    err_list_add(&command->errors, err);
    return false;
}

/* ---- the plugin ---- */

/* Return the default name of a plugin (K10): pluginName in the query, or else the last part of the
 * URL without .so. */
static struct text name_deduce(struct text word)
{
    struct text path = text_slice(word, 0, text_find_byte(word, '?'));
    struct text query = text_slice(word, path.length + 1, word.length);
    struct text last = path;
    size_t slash;

    while (query.length > 0) {
        struct text one = text_slice(query, 0, text_find_byte(query, '&'));

        if (text_has_prefix(one, TEXT("pluginName="))) {
            return text_slice(one, strlen("pluginName="), one.length);
        }
        query = text_slice(query, one.length + 1, query.length);
    }
    while ((slash = text_find_byte(last, '/')) != SIZE_MAX) {
        last = text_slice(last, slash + 1, last.length);
    }
    return text_has_suffix(last, TEXT(".so")) ? text_slice(last, 0, last.length - strlen(".so"))
                                              : last;
}

/* Read a digest: sha256:HEX, or HEX. */
static bool digest_read(struct command *command, struct text word, struct text *out)
{
    struct text hex = text_has_prefix(word, TEXT(DIGEST_PREFIX))
                          ? text_slice(word, strlen(DIGEST_PREFIX), word.length)
                          : word;
    char *lower = arena_string(command->arena, hex);
    struct err err;

    if (!check_sha256(hex, &err)) {
        return plugin_install_fail(command, &err);
    }
    for (size_t i = 0; i < hex.length; i++) {
        lower[i] = (char)(lower[i] >= 'A' && lower[i] <= 'F' ? lower[i] - 'A' + 'a' : lower[i]);
    }
    *out = (struct text){ lower, hex.length };
    return true;
}

static bool plugin_install_named_read(struct command *command, struct text word, size_t at,
                                      struct install *out)
{
    out->name = text_slice(word, 0, at);
    return digest_read(command, text_slice(word, at + 1, word.length), &out->digest);
}

static bool plugin_install_word_read(struct command *command, const char *word, struct install *out)
{
    struct text text = text_from(word);
    size_t at = text_find_byte(text, '@');

    if (strstr(word, "://") != NULL) {
        out->url = text;
        out->name = name_deduce(text);
        return true;
    }
    if (at != SIZE_MAX &&
        text_has_prefix(text_slice(text, at + 1, text.length), TEXT(DIGEST_PREFIX))) {
        return plugin_install_named_read(command, text, at, out);
    }
    if (strchr(word, '/') == NULL && !text_has_suffix(text, TEXT(".so"))) {
        return plugin_install_usage(
            command, "a name alone does not identify a plugin",
            "write ./FILE, NAME@sha256:DIGEST, or an address: https://HOST/NAME.so");
    }
    out->path = word;
    out->name = name_deduce(text);
    return true;
}

static bool install_read(struct command *command, const char *word, struct install *out)
{
    const char *name = args_value(&command->args, FLAG_PLUGIN_NAME);
    const char *digest = args_value(&command->args, FLAG_PLUGIN_DIGEST);
    struct err err;

    *out = (struct install){ .replaces = args_has(&command->args, FLAG_PLUGIN_REPLACE) };
    if (!plugin_install_word_read(command, word, out)) {
        return false;
    }
    if (digest != NULL && out->digest.length > 0) {
        return plugin_install_usage(command, "the digest is given twice",
                                    "NAME@sha256:DIGEST contains it already");
    }
    if (digest != NULL && !digest_read(command, text_from(digest), &out->digest)) {
        return false;
    }
    if (name != NULL) {
        out->name = text_from(name);
    }
    if (!check_plugin_name(out->name, &err)) {
        (void)!err_hint(&err, "give its name: --name NAME");
        return plugin_install_fail(command, &err);
    }
    return true;
}

/* ---- the request ---- */

static struct text order_body(struct command *command, const struct install *install)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "name", doc_text(install->name, NULL));
    if (install->url.length > 0) {
        doc_builder_put(&builder, "url", doc_text(install->url, NULL));
    }
    if (install->digest.length > 0) {
        doc_builder_put(&builder, "digest", doc_text(install->digest, NULL));
    }
    doc_builder_put(&builder, "replace", doc_bool(install->replaces, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Build the request for a file. It contains the digest, so that the manager can verify the
 * content. */
static bool file_request(struct command *command, const struct install *install,
                         struct client_request *out)
{
    char digest[DIGEST_TEXT_BYTES];
    struct buf path;
    struct err err;

    if (!file_read(command->arena, install->path, LIMIT_PLUGIN_BYTES, &out->body, &err)) {
        if (err.code == CODE_R0013) {
            err_set(&err, CODE_R0645, "'%s' has more than %d bytes", install->path,
                    LIMIT_PLUGIN_BYTES);
        }
        return plugin_install_fail(command, &err);
    }
    if (!object_check(out->body, &err)) {
        return plugin_install_fail(command, &err);
    }
    digest_sha256(out->body, digest);
    if (install->digest.length > 0 && !text_is(install->digest, digest)) {
        err_set(&err, CODE_R0644, "'%s' has the digest %s, but %.*s was given", install->path,
                digest, TEXT_ARG(install->digest));
        return plugin_install_fail(command, &err);
    }
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/plugins?name=");
    client_path_add(&path, install->name);
    buf_printf(&path, "&digest=%s%s", digest, install->replaces ? "&replace=1" : "");
    out->path = buf_text(&path);
    out->content_type = "application/octet-stream";
    return true;
}

static bool plugin_install_request_make(struct command *command, const struct install *install,
                                        struct client_request *out)
{
    *out = (struct client_request){ .method = "POST",
                                    .path = TEXT("/v1/plugins"),
                                    .content_type = "application/json" };
    if (install->path != NULL) {
        return file_request(command, install, out);
    }
    out->body = order_body(command, install);
    return true;
}

/* ---- the answer ---- */

static void answer_text(struct command *command, const struct doc *doc)
{
    struct text name = doc_child_text(doc, "name");
    struct text version = doc_child_text(doc, "version");
    struct text state = doc_child_text(doc, "state");
    struct text before = text_slice(doc_child_text(doc, "replaced"), 0, DIGEST_SHORT);

    buf_printf(&command->out,
               "plugin/%.*s %.*s%ssha256 %.*s, profile %.*s, contract %.*s: ", TEXT_ARG(name),
               TEXT_ARG(version), version.length > 0 ? ", " : "",
               TEXT_ARG(doc_child_text(doc, "digest")), TEXT_ARG(doc_child_text(doc, "profile")),
               TEXT_ARG(doc_child_text(doc, "contract")));
    if (text_is(state, "same")) {
        buf_add_string(&command->out, "installed already\n");
    } else if (text_is(state, "replaced")) {
        buf_printf(&command->out, "installed in place of %.*s\n", TEXT_ARG(before));
    } else {
        buf_add_string(&command->out, "installed\n");
    }
}

/* Raise the timeout: a manager downloads for up to two minutes, and then starts the plugin to
 * identify it. */
static void timeout_raise(struct session *session)
{
    if (session->settings.timeout.value.length == 0) {
        session->client.timeout_ms = LIMIT_FETCH_MS + LIMIT_HOST_START_MS + LIMIT_REQUEST_MS;
    }
}

enum exit_code plugin_install(struct command *command, const char *word)
{
    static const struct output_view view = { "plugin/{name}", NULL, 0 };
    struct client_request request;
    struct session session;
    struct output output;
    struct install install;

    if (!plugin_output(command, &view, &output) || !install_read(command, word, &install)) {
        return EXIT_CODE_USAGE;
    }
    if (!plugin_install_request_make(command, &install, &request)) {
        return EXIT_CODE_INVALID;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    timeout_raise(&session);
    return plugin_answer(command, &session, &request, &output, answer_text) ? EXIT_CODE_DONE
                                                                            : EXIT_CODE_FAILED;
}
