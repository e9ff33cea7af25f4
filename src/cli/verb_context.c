/* reeve context: selects the manager that commands use, and stores the token for it. */
#include "cli/manager/session.h"
#include "cli/term/output.h"
#include "client/token.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/nest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool context_fail(struct command *command, const struct err *err)
{
    err_list_add(&command->errors, err);
    return false;
}

/* ---- the user's file ---- */

/* Check the name of a context, which is also used as a file name and as an argument. */
static bool context_name_check(struct command *command, const char *name)
{
    size_t length = strlen(name);
    size_t plain =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

    if (length > 0 && length == plain && length <= LIMIT_GROUP_NAME_BYTES && name[0] != '.' &&
        name[0] != '-') {
        return true;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "'%s' is not a valid name of a context", name),
             "a name has letters, digits and ._- and begins with a letter or digit");
    return false;
}

static bool user_write(struct command *command, const char *path, const struct doc *file)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    AUTO(fd) folder = FD_NONE;
    const char *folder_path;
    struct buf yaml;
    struct err err;

    if (slash == NULL) {
        err_set(&err, CODE_R0012, "there is no folder for your configuration: HOME is not set");
        return context_fail(command, &err);
    }
    folder_path = arena_printf(command->arena, "%.*s", (int)(slash - path), path).data;
    buf_init(&yaml, command->arena);
    yaml_format(&yaml, file);
    if (!token_folder_make(command->arena, folder_path, &err) ||
        !folder_open(folder_path, &folder, &err) ||
        !file_replace(folder, slash + 1, buf_text(&yaml), 0600, &err)) {
        return context_fail(command, &err);
    }
    return true;
}

/* The effect on the context in use. */
enum context_use {
    CONTEXT_USE,  /* select this context */
    CONTEXT_KEEP, /* do not change the context in use */
    CONTEXT_DROP, /* deselect this context */
};

static struct doc file_with(struct command *command, const struct settings *settings,
                            struct text name, struct doc context, enum context_use use)
{
    struct doc file = doc_is_map(&settings->user) ? settings->user : doc_map(NULL, 0, NULL);
    const struct doc *current = doc_child(&file, "contexts");
    struct doc contexts = doc_is_map(current) ? *current : doc_map(NULL, 0, NULL);
    char *key = arena_string(command->arena, name);

    contexts = nest_put(command->arena, &contexts, key, context);
    file = nest_put(command->arena, &file, "contexts", contexts);
    if (use == CONTEXT_USE) {
        file = nest_put(command->arena, &file, "context", doc_text(name, NULL));
    } else if (use == CONTEXT_DROP && doc_child(&file, "context") != NULL &&
               text_is_equal(doc_child(&file, "context")->text, name)) {
        file = nest_put(command->arena, &file, "context", (struct doc){ 0 });
    }
    return file;
}

static const char *token_path(struct command *command, const struct settings_facts *facts,
                              const char *name)
{
    return facts->token_folder == NULL
               ? NULL
               : arena_printf(command->arena, "%s/%s", facts->token_folder, name).data;
}

/* ---- context ---- */

static void setting_write(struct command *command, const char *title, const struct setting *setting)
{
    if (setting->value.length == 0) {
        return;
    }
    buf_printf(&command->out, "%-10s %.*s", title, TEXT_ARG(setting->value));
    if (command_is_verbose(command)) {
        buf_printf(&command->out, "   (%.*s)", TEXT_ARG(setting->source));
    }
    buf_add_string(&command->out, "\n");
}

/* Return the first address of a context. */
static struct text context_url(const struct doc *context)
{
    const struct doc *urls = doc_child(context, "urls");
    struct text url = doc_child_text(context, "url");

    return url.length == 0 && doc_is_list(urls) && urls->item_count > 0 ? urls->items[0].text : url;
}

static void context_names_write(struct command *command, const struct settings *settings,
                                const struct doc *file)
{
    const struct doc *contexts = doc_child(file, "contexts");
    size_t width = 0;

    for (size_t i = 0; doc_is_map(contexts) && i < contexts->entry_count; i++) {
        size_t length = contexts->entries[i].key.length;

        width = length > width ? length : width;
    }
    for (size_t i = 0; doc_is_map(contexts) && i < contexts->entry_count; i++) {
        struct text url = context_url(&contexts->entries[i].value);
        struct text name = contexts->entries[i].key;

        buf_printf(&command->out, "%s %.*s%*s   %.*s\n",
                   text_is_equal(name, settings->context.value) ? "*" : " ", TEXT_ARG(name),
                   (int)(width - name.length), "", TEXT_ARG(url));
    }
}

/* Add the address of each context in a file, with the context's name as the key. */
static void context_names_put(struct command *command, struct doc_builder *out,
                              const struct doc *file)
{
    const struct doc *contexts = doc_child(file, "contexts");

    for (size_t i = 0; doc_is_map(contexts) && i < contexts->entry_count; i++) {
        struct text url = context_url(&contexts->entries[i].value);

        if (url.length > 0) {
            doc_builder_put(out, arena_string(command->arena, contexts->entries[i].key),
                            doc_text(url, NULL));
        }
    }
}

static void settings_json(struct command *command, const struct settings *settings)
{
    bool is_all = command->args.argument_count == 1;
    const struct setting *const all[] = { &settings->context, &settings->url,
                                          &settings->tenant,  &settings->ca,
                                          &settings->timeout, &settings->token_file };
    static const char *const names[] = { "context", "url", "tenant", "ca", "timeout", "tokenFile" };
    struct doc_builder builder;
    struct doc out;

    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; i < ARRAY_COUNT(all); i++) {
        struct doc_builder one;

        if (all[i]->value.length > 0) {
            doc_builder_init(&one, command->arena);
            doc_builder_put(&one, "value", doc_text(all[i]->value, NULL));
            doc_builder_put(&one, "source", doc_text(all[i]->source, NULL));
            doc_builder_put(&builder, names[i], doc_builder_map(&one, NULL));
        }
    }
    if (is_all) {
        struct doc_builder contexts;

        doc_builder_init(&contexts, command->arena);
        context_names_put(command, &contexts, &settings->user);
        context_names_put(command, &contexts, &settings->system);
        doc_builder_put(&builder, "contexts", doc_builder_map(&contexts, NULL));
    }
    out = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &out);
}

static enum exit_code context_show(struct command *command, struct settings_facts *facts)
{
    struct settings settings;
    struct err err;

    if (command->args.argument_count == 2) {
        facts->context_flag = command->args.words[1];
    }
    if (!settings_read(command->arena, facts, &settings, &err)) {
        (void)context_fail(command, &err);
        return EXIT_CODE_NOT_FOUND;
    }
    if (command_output_is(command, "json")) {
        settings_json(command, &settings);
        return EXIT_CODE_DONE;
    }
    setting_write(command, "context", &settings.context);
    setting_write(command, "url", &settings.url);
    for (size_t i = 1; i < settings.url_count; i++) {
        setting_write(command, "or", &(struct setting){ settings.urls[i], settings.url.source });
    }
    setting_write(command, "tenant", &settings.tenant);
    setting_write(command, "ca", &settings.ca);
    setting_write(command, "timeout", &settings.timeout);
    setting_write(command, "token", &settings.token_file);
    if (command->args.argument_count == 1 && (doc_child(&settings.user, "contexts") != NULL ||
                                              doc_child(&settings.system, "contexts") != NULL)) {
        buf_add_string(&command->out, "\ncontexts\n");
        context_names_write(command, &settings, &settings.user);
        context_names_write(command, &settings, &settings.system);
    }
    return EXIT_CODE_DONE;
}

static const struct output_column context_columns[] = {
    { "IN USE", ".mark", OUTPUT_KEEP, false },
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "URL", ".url", OUTPUT_KEEP, false },
    { "CA", ".ca", OUTPUT_WIDE, false },
};
static const struct output_view context_view = { "{name}", context_columns,
                                                 ARRAY_COUNT(context_columns) };

/* Add the contexts of one file as rows. */
static void rows_add(struct command *command, const struct settings *settings,
                     const struct doc *file, struct doc *rows, size_t *count)
{
    const struct doc *contexts = doc_child(file, "contexts");

    for (size_t i = 0; doc_is_map(contexts) && i < contexts->entry_count; i++) {
        const struct doc *context = &contexts->entries[i].value;
        bool is_used = text_is_equal(contexts->entries[i].key, settings->context.value);
        struct doc_builder row;

        doc_builder_init(&row, command->arena);
        doc_builder_put(&row, "name", doc_text(contexts->entries[i].key, NULL));
        doc_builder_put(&row, "inUse", doc_bool(is_used, NULL));
        doc_builder_put(&row, "mark", doc_text(is_used ? TEXT("*") : TEXT(""), NULL));
        for (size_t j = 0; doc_is_map(context) && j < context->entry_count; j++) {
            doc_builder_add(&row, &context->entries[j]);
        }
        rows[(*count)++] = doc_builder_map(&row, NULL);
    }
}

static size_t contexts_count(const struct doc *file)
{
    const struct doc *contexts = doc_child(file, "contexts");

    return doc_is_map(contexts) ? contexts->entry_count : 0;
}

/* List all contexts in the files. */
static enum exit_code context_list(struct command *command, struct settings_facts *facts)
{
    struct settings settings;
    struct output output;
    struct doc *rows;
    size_t count = 0;
    struct err err;

    if (command->args.argument_count > 1) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "context list does not take a name"),
                 "reeve context show %s", command->args.words[1]);
        return EXIT_CODE_USAGE;
    }
    if (!output_parse(command->arena, args_output(&command->args), NULL, OUTPUT_TABLE,
                      &context_view, &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!settings_read(command->arena, facts, &settings, &err)) {
        (void)context_fail(command, &err);
        return EXIT_CODE_NOT_FOUND;
    }
    output.format = output.format == OUTPUT_TEXT ? OUTPUT_TABLE : output.format;
    rows = arena_array(command->arena, struct doc,
                       contexts_count(&settings.user) + contexts_count(&settings.system) + 1);
    rows_add(command, &settings, &settings.user, rows, &count);
    rows_add(command, &settings, &settings.system, rows, &count);
    if (count == 0) {
        buf_add_string(&command->notes,
                       "no context is stored: reeve context login URL creates one\n");
    }
    if (count > 0 || output.format != OUTPUT_TABLE) {
        output_write(command->arena, &output, &command->out_style,
                     &(struct output_data){ rows, count, rows, count }, &command->out);
    }
    return EXIT_CODE_DONE;
}

/* Carry out use or rm: the name must be a known context. */
static bool context_change(struct command *command, struct settings_facts *facts, bool is_use)
{
    const char *name = command->args.words[1];
    struct settings settings;
    const struct doc *context;
    struct doc file;
    struct err err;

    /* the settings are read without a selected context, because a missing current context must not
     * be an error */
    facts->context_flag = NULL;
    facts->context = NULL;
    facts->folder = NULL;
    if (!settings_read(command->arena, facts, &settings, &err) && err.code != CODE_R0026) {
        return context_fail(command, &err);
    }
    if (err.code == CODE_R0026) {
        facts->user_file = NULL;
    }
    context = settings_context(&settings, text_from(name));
    if (context == NULL ||
        (!is_use && doc_find(doc_child(&settings.user, "contexts"), text_from(name)) == NULL)) {
        err_set(&err, CODE_R0026, "there is no context '%s'", name);
        err_hint(&err,
                 "reeve context list shows all contexts; reeve context login URL creates one");
        return context_fail(command, &err);
    }
    file = file_with(command, &settings, text_from(name), is_use ? *context : (struct doc){ 0 },
                     is_use ? CONTEXT_USE : CONTEXT_DROP);
    if (!user_write(command, facts->user_file, &file)) {
        return false;
    }
    if (!is_use && token_path(command, facts, name) != NULL) {
        unlink(token_path(command, facts, name));
    }
    buf_printf(&command->notes, is_use ? "context %s is in use\n" : "context %s is removed\n",
               name);
    return true;
}

/* HTTP status: the token is not valid. */
#define STATUS_NOBODY 401

/* ---- login ---- */

/* Get the token from --token-file, or typed without echo; never from an argument, which other users
 * could see. */
static bool token_get(struct command *command, struct secret *out)
{
    const char *path = args_value(&command->args, FLAG_CONTEXT_TOKEN_FILE);
    char *room = arena_alloc(command->arena, LIMIT_ANSWER_FIELD_BYTES);
    struct text bytes;
    struct err err;

    if (path != NULL) {
        bool is_read = strcmp(path, "-") == 0
                           ? file_read_stdin(command->arena, LIMIT_SETTINGS_BYTES, &bytes, &err)
                           : file_read(command->arena, path, LIMIT_SETTINGS_BYTES, &bytes, &err);

        if (!is_read) {
            return context_fail(command, &err);
        }
        *out = secret_from(text_trim(text_slice(bytes, 0, text_find_byte(bytes, '\n'))));
    } else if (stream_is_terminal_in()) {
        command_say(command, TEXT("token: "));
        if (!stream_read_hidden(room, LIMIT_ANSWER_FIELD_BYTES)) {
            room[0] = '\0';
        }
        command_say(command, TEXT("\n"));
        *out = secret_from(text_trim(text_from(room)));
    } else {
        err_set(&err, CODE_R0024, "a token is needed, and there is no terminal to ask on");
        err_hint(&err, "reeve context login URL --token-file FILE, or - for standard input");
        return context_fail(command, &err);
    }
    if (secret_reveal(*out).length == 0) {
        err_set(&err, CODE_R0410, "the token is empty");
        err_hint(&err, "an admin can create one: reeve create token USER");
        return context_fail(command, &err);
    }
    return true;
}

/* Return the default name of a context: the host in its address. */
static struct text context_name_of(struct command *command, const struct address *address)
{
    const char *flag = args_value(&command->args, FLAG_COMMON_CONTEXT);
    struct text host = address->kind == ADDRESS_UNIX ? TEXT("local") : address->host;

    return flag != NULL ? text_from(flag) : text_slice(host, 0, text_find_byte(host, ':'));
}

static struct doc context_doc(struct command *command, const struct client *client)
{
    struct doc_builder builder;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "url", doc_text(client->address.url, NULL));
    if (client->ca != NULL) {
        doc_builder_put(&builder, "ca", doc_text(text_from(client->ca), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static bool login_try(struct command *command, struct session *session, struct doc *out_who)
{
    return session_get(command, session, TEXT("/v1/whoami"), out_who);
}

static bool login_keep(struct command *command, const struct settings_facts *facts,
                       const struct session *session, struct text name)
{
    bool is_use_wanted = !args_has(&command->args, FLAG_CONTEXT_STAY);
    struct doc file =
        file_with(command, &session->settings, name, context_doc(command, &session->client),
                  is_use_wanted ? CONTEXT_USE : CONTEXT_KEEP);
    struct err err;

    if (session->client.token.length > 0 &&
        (facts->token_folder == NULL ||
         !token_keep(command->arena, facts->token_folder, arena_string(command->arena, name),
                     session->client.token, session->client.address.url, &err))) {
        if (facts->token_folder == NULL) {
            err_set(&err, CODE_R0012, "there is no folder for the token: HOME is not set");
        }
        return context_fail(command, &err);
    }
    return user_write(command, facts->user_file, &file);
}

static enum exit_code context_login(struct command *command, struct settings_facts facts)
{
    struct session session = { .client.timeout_ms = LIMIT_REQUEST_MS };
    const struct doc *user;
    struct text name;
    struct doc who;
    struct err err;

    facts.context_flag = NULL;
    facts.context = NULL;
    facts.folder = NULL;
    if (!address_parse(text_from(command->args.words[1]), &session.client.address, &err) ||
        (!settings_read(command->arena, &facts, &session.settings, &err) &&
         err.code != CODE_R0026)) {
        (void)context_fail(command, &err);
        return EXIT_CODE_USAGE;
    }
    name = context_name_of(command, &session.client.address);
    if (!context_name_check(command, arena_string(command->arena, name))) {
        return EXIT_CODE_USAGE;
    }
    session.client.ca = args_value(&command->args, FLAG_CONTEXT_CA);
    if (session.client.ca != NULL && session.client.ca[0] != '/') {
        char *folder = arena_alloc(command->arena, LIMIT_PATH_BYTES);

        session.client.ca =
            arena_printf(command->arena, "%s/%s",
                         getcwd(folder, LIMIT_PATH_BYTES) == NULL ? "." : folder, session.client.ca)
                .data;
    }
    if ((session.client.address.kind != ADDRESS_UNIX &&
         !token_get(command, &session.client.token)) ||
        !login_try(command, &session, &who) || !login_keep(command, &facts, &session, name)) {
        return EXIT_CODE_FAILED;
    }
    user = doc_child(&who, "user");
    buf_printf(&command->notes, "logged in as %.*s; context %.*s is %s\n",
               TEXT_ARG(user == NULL ? TEXT("?") : user->text), TEXT_ARG(name),
               args_has(&command->args, FLAG_CONTEXT_STAY) ? "kept" : "in use");
    return EXIT_CODE_DONE;
}

/* Revoke the token of a session. False: the token is still valid, and a warning with the reason was
 * added. */
static bool token_revoke(struct command *command, const struct session *session)
{
    struct client_request request = { .method = "DELETE",
                                      .path = TEXT("/v1/tokens/self"),
                                      .accept = "application/json" };
    struct client_answer answer;
    struct err err;

    if (!client_call(command->arena, &session->client, &request, &answer, &err)) {
        err_hint(err_list_warn(&command->errors, (struct place){ 0 }, CODE_R0032,
                               "the token is removed here, but still valid at the manager: %s",
                               err.text),
                 "an admin revokes it: reeve get tokens, reeve delete token ID");
        return false;
    }
    if (session_is_done(&answer) || answer.head.status == STATUS_NOBODY) {
        return true; /* the token is revoked, or was no longer valid */
    }
    err_hint(err_list_warn(
                 &command->errors, (struct place){ 0 }, CODE_R0032,
                 "the token is removed here, but still valid at the manager, which answered with "
                 "status %d",
                 answer.head.status),
             "an admin revokes it: reeve get tokens, reeve delete token ID");
    return false;
}

static enum exit_code context_logout(struct command *command, struct settings_facts facts)
{
    struct err_list before = command->errors;
    const char *path = NULL;
    struct session session;
    bool has_token;
    struct err err;

    if (command->args.argument_count > 1) {
        facts.context_flag = command->args.words[1];
    }
    facts.token_file = NULL; /* ignored, because the command applies to the token of the context */
    facts.url = NULL;
    if (!settings_read(command->arena, &facts, &session.settings, &err)) {
        (void)context_fail(command, &err);
        return EXIT_CODE_NOT_FOUND;
    }
    if (session.settings.context.value.length == 0) {
        err_set(&err, CODE_R0026, "no context is in use, so there is no token to remove");
        err_hint(&err,
                 "reeve context logout NAME names one; reeve context list shows all contexts");
        (void)context_fail(command, &err);
        return EXIT_CODE_NOT_FOUND;
    }
    path =
        token_path(command, &facts, arena_string(command->arena, session.settings.context.value));
    has_token = session_of_settings(command, &session) && session.client.token.length > 0;
    command->errors = before; /* an unusable token is removed nevertheless */
    has_token = has_token && token_revoke(command, &session);
    if (path != NULL && unlink(path) != 0 && errno != ENOENT) {
        err_set(&err, CODE_R0012, "'%s' cannot be removed: %s", path, strerror(errno));
        (void)context_fail(command, &err);
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->notes, "the token of context %.*s is %sremoved\n",
               TEXT_ARG(session.settings.context.value), has_token ? "revoked and " : "");
    return EXIT_CODE_DONE;
}

/* ---- the verb ---- */

static enum exit_code context_login_word(struct command *command, struct settings_facts facts)
{
    if (command->args.argument_count < 2) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "context login needs the address of a manager"),
                 "reeve context login https://reeve.example.org");
        return EXIT_CODE_USAGE;
    }
    return context_login(command, facts);
}

enum exit_code verb_context(struct command *command)
{
    struct settings_facts facts = session_facts(command);
    const char *what = command->args.words[0];
    bool is_use = strcmp(what, "use") == 0;

    if (strcmp(what, "show") == 0) {
        return context_show(command, &facts);
    }
    if (strcmp(what, "list") == 0) {
        return context_list(command, &facts);
    }
    if (strcmp(what, "logout") == 0) {
        return context_logout(command, facts);
    }
    if (strcmp(what, "login") == 0) {
        return context_login_word(command, facts);
    }
    if (!is_use && strcmp(what, "rm") != 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "context has no '%s'", what),
                 "use: reeve %s", command->args.verb->synopsis);
        return EXIT_CODE_USAGE;
    }
    if (command->args.argument_count < 2 || !context_name_check(command, command->args.words[1])) {
        if (command->args.argument_count < 2) {
            err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                  "context %s needs a name", what),
                     "reeve context list shows all contexts");
        }
        return EXIT_CODE_USAGE;
    }
    return context_change(command, &facts, is_use) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
