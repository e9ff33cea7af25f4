#include "cli/manager/session.h"

#include "cli/term/glyph.h"
#include "client/problem.h"
#include "client/token.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/scalar.h"
#include "sys/clock.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/random.h"
#include "sys/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_FILE "/etc/reeve/client.yaml"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Return the path $XDG_..._HOME/reeve/NAME, or else $HOME/STANDARD/reeve/NAME. NULL: neither
 * variable is set. */
static const char *user_path(struct command *command, const char *name_of, const char *standard,
                             const char *name)
{
    const char *base = variable(name_of);
    const char *memory = variable("HOME");

    if (base != NULL && base[0] == '/') {
        return arena_printf(command->arena, "%s/reeve/%s", base, name).data;
    }
    return memory == NULL
               ? NULL
               : arena_printf(command->arena, "%s/%s/reeve/%s", memory, standard, name).data;
}

struct settings_facts session_facts(struct command *command)
{
    char *folder = arena_alloc(command->arena, LIMIT_PATH_BYTES);

    return (struct settings_facts){
        .context_flag = args_value(&command->args, FLAG_COMMON_CONTEXT),
        .timeout_flag = args_value(&command->args, FLAG_COMMON_TIMEOUT),
        .url = variable("REEVE_URL"),
        .context = variable("REEVE_CONTEXT"),
        .tenant = variable("REEVE_TENANT"),
        .token_file = variable("REEVE_TOKEN_FILE"),
        .timeout = variable("REEVE_TIMEOUT"),
        .folder = getcwd(folder, LIMIT_PATH_BYTES),
        .user_file = user_path(command, "XDG_CONFIG_HOME", ".config", "config.yaml"),
        .system_file = SYSTEM_FILE,
        .token_folder = user_path(command, "XDG_STATE_HOME", ".local/state", "tokens"),
    };
}

bool session_duration(struct command *command, struct text text, const char *what, uint64_t *out_ms)
{
    uint64_t time_ms;
    struct err *err;

    if (scalar_parse_duration(text, &time_ms) && time_ms > 0) {
        *out_ms = time_ms;
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                       "%s must be a duration, got '%.*s'", what, TEXT_ARG(text));
    return err_hint(err, "for example 30s, 2m or 1h30m");
}

static bool session_fail(struct command *command, const struct err *err)
{
    err_list_add(&command->errors, err);
    return false;
}

bool session_open(struct command *command, struct session *out)
{
    struct settings_facts facts = session_facts(command);
    struct err err;

    *out = (struct session){ 0 };
    if (!settings_read(command->arena, &facts, &out->settings, &err)) {
        return session_fail(command, &err);
    }
    return session_of_settings(command, out);
}

/* How long the address that answered last is remembered, in s. Otherwise every command would first
 * try addresses that do not answer. */
enum { MEMO_S = 3600 };

/* Returns the index of the remembered address. 0: no address is remembered, or the context no
 * longer has it. */
static size_t memo_read(struct command *command, const struct session *session)
{
    struct stat status;
    struct text bytes;
    struct err err;

    if (stat(session->memo, &status) != 0 ||
        status.st_mtime + MEMO_S < clock_wall_ms(clock_system()) / 1000 ||
        !file_read(command->arena, session->memo, LIMIT_SETTINGS_BYTES, &bytes, &err)) {
        return 0;
    }
    for (size_t i = 0; i < session->settings.url_count; i++) {
        if (text_is_equal(text_trim(bytes), session->settings.urls[i])) {
            return i;
        }
    }
    return 0;
}

/* Remembers the address that has answered. If that fails, later commands only take longer. */
static void memo_write(struct command *command, const struct session *session)
{
    const char *slash = strrchr(session->memo, '/');
    struct text folder = { session->memo, (size_t)(slash - session->memo) };
    AUTO(fd) fd = FD_NONE;
    struct err err;

    if (token_folder_make(command->arena, arena_string(command->arena, folder), &err) &&
        folder_open(arena_string(command->arena, folder), &fd, &err)) {
        (void)!file_replace(fd, slash + 1, session->client.address.url, 0600, &err);
    }
}

/* Reads the addresses of managers that share a store. */
MUST_CHECK static bool session_addresses_read(struct command *command, struct session *out)
{
    const struct settings *settings = &out->settings;
    struct address *items = arena_array(command->arena, struct address, settings->url_count);
    struct err err;

    for (size_t i = 0; i < settings->url_count; i++) {
        if (!address_parse(settings->urls[i], &items[i], &err)) {
            return session_fail(command, &err);
        }
    }
    out->client.address = items[0];
    if (settings->url_count < 2) {
        return true;
    }
    out->client.addresses = arena_one(command->arena, struct client_addresses);
    *out->client.addresses =
        (struct client_addresses){ .items = items, .count = settings->url_count };
    out->memo = user_path(
        command, "XDG_STATE_HOME", ".local/state",
        arena_printf(command->arena, "addresses/%.*s", TEXT_ARG(settings->context.value)).data);
    if (out->memo != NULL) {
        out->client.addresses->at = memo_read(command, out);
        out->client.address = items[out->client.addresses->at];
    }
    return true;
}

/* Report that the last answer came from a different address than the answer before it. */
static void session_address_note(struct command *command, const struct session *session,
                                 size_t before)
{
    const struct client_addresses *all = session->client.addresses;

    if (all != NULL && all->at != before) {
        struct session now = *session;

        now.client.address = all->items[all->at];
        buf_printf(&command->notes, "  ! %.*s does not answer; %.*s does\n",
                   TEXT_ARG(all->items[before].url), TEXT_ARG(now.client.address.url));
        if (session->memo != NULL) {
            memo_write(command, &now);
        }
    }
}

bool session_of_settings(struct command *command, struct session *out)
{
    struct client *client = &out->client;
    struct err err;

    *client = (struct client){ .timeout_ms = LIMIT_REQUEST_MS };
    if (!session_addresses_read(command, out)) {
        return false;
    }
    client->tenant = out->settings.tenant.value;
    if (out->settings.ca.value.length > 0) {
        client->ca = arena_string(command->arena, out->settings.ca.value);
    }
    if (out->settings.timeout.value.length > 0 &&
        !session_duration(command, out->settings.timeout.value, "--timeout", &client->timeout_ms)) {
        return false;
    }
    if (out->settings.token_file.value.length > 0 &&
        !token_read(command->arena, arena_string(command->arena, out->settings.token_file.value),
                    out->settings.urls, out->settings.url_count, &client->token, &err)) {
        return session_fail(command, &err);
    }
    return true;
}

uint64_t session_deadline(const struct command *command, const struct session *session)
{
    return args_has(&command->args, FLAG_COMMON_TIMEOUT)
               ? clock_monotonic_ms(clock_system()) + session->client.timeout_ms
               : UINT64_MAX;
}

bool session_is_done(const struct client_answer *answer)
{
    return answer->head.status >= 200 && answer->head.status < 300;
}

/* The line that is shown while an answer is slow, and erased when the answer arrives. */
struct slow_note {
    struct command *command;
    const struct client *client;
    bool is_shown;
};

static void note_show(void *arg)
{
    struct slow_note *note = arg;
    const struct style *style = &note->command->error_style;
    struct text line = arena_printf(note->command->arena, "waiting for the manager at %.*s",
                                    TEXT_ARG(note->client->address.url));
    struct err ignored;

    if (style->columns > 0 && glyph_text_columns(line) >= style->columns) {
        /* a longer text could be folded, and only one line is erased */
        line = TEXT("waiting for the manager");
    }
    note->is_shown = true;
    (void)!stream_write_error(
        arena_printf(note->command->arena, "%.*s%s", TEXT_ARG(line), style->is_drawn ? "" : "\n"),
        &ignored);
}

static void note_wipe(const struct slow_note *note)
{
    struct err ignored;

    if (note->is_shown && note->command->error_style.is_drawn) {
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
}

/* Report, once and above the output, that the store accepts no changes: data read from it may be
 * incomplete. */
static void store_note(struct command *command, const struct answer_head *head)
{
    if (head->store[0] == '\0' || command->has_store_note) {
        return;
    }
    command->has_store_note = true;
    buf_add_string(&command->notes, "  ! ");
    glyph_write_text(&command->notes, text_from(head->store));
    buf_add_string(&command->notes, "; see reeve doctor\n");
}

/* Handles an outdated answer. With --fresh it is an error; otherwise its age is reported, once and
 * above the output. */
static bool stale_accept(struct command *command, const struct answer_head *head)
{
    struct err err;

    if (head->stale[0] == '\0') {
        return true;
    }
    if (args_has(&command->args, FLAG_COMMON_FRESH)) {
        err_set(&err, CODE_R0580, "the answer of the manager is %s old (revision %llu): %s",
                head->stale, (unsigned long long)head->revision, head->stale_reason);
        err_hint(&err, "try another manager, or leave out --fresh");
        return session_fail(command, &err);
    }
    if (!command->has_stale_note) {
        command->has_stale_note = true;
        /* the unreachable store is the reason, so store_note need not report it again */
        command->has_store_note = true;
        buf_printf(&command->notes,
                   "  ! the shown state is %s old, of revision %llu: ", head->stale,
                   (unsigned long long)head->revision);
        glyph_write_text(&command->notes, text_from(head->stale_reason));
        buf_add_string(&command->notes, "\n");
    }
    return true;
}

bool session_call(struct command *command, const struct session *session,
                  const struct client_request *request, struct client_answer *out)
{
    uint64_t start_ms = clock_monotonic_ms(clock_system());
    struct slow_note note = { command, &session->client, false };
    struct client client = session->client;
    size_t at = client.addresses == NULL ? 0 : client.addresses->at;
    struct err err;
    bool is_done;

    if (command->error_style.is_terminal && !args_has(&command->args, FLAG_COMMON_QUIET)) {
        client.slow = note_show;
        client.slow_arg = &note;
    }
    is_done = client_call(command->arena, &client, request, out, &err);
    note_wipe(&note);
    if (!is_done) {
        return session_fail(command, &err);
    }
    session_address_note(command, session, at);
    if (!stale_accept(command, &out->head)) {
        return false;
    }
    store_note(command, &out->head);
    if (command_is_verbose(command)) {
        buf_printf(&command->notes, "%s %.*s: %d, %zu bytes, %llu ms\n", request->method,
                   TEXT_ARG(request->path), out->head.status, out->body.length,
                   (unsigned long long)(clock_monotonic_ms(clock_system()) - start_ms));
    }
    return true;
}

void session_refused(struct command *command, const struct client_answer *answer)
{
    struct doc plan;

    problem_read(command->arena, answer, NULL, NULL, &command->errors, &plan);
}

bool session_parse(struct command *command, const struct client_answer *answer, struct doc *out)
{
    struct err err;

    if (json_parse_answer(command->arena, answer->body, out, &err)) {
        return true;
    }
    err.place = (struct place){ 0 };
    if (err_kind(&err) == ERR_KIND_LIMIT) {
        err_hint(&err, "request fewer objects: one cluster with -c, some objects with -l");
    } else {
        err_set(&err, CODE_R0017, "the manager's answer is not JSON");
        err_hint(&err, "another program may listen at this address: reeve context show");
    }
    return session_fail(command, &err);
}

bool session_ask(struct command *command, const struct session *session,
                 const struct client_request *request, struct doc *out)
{
    struct client_answer answer;

    if (!session_call(command, session, request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    return session_parse(command, &answer, out);
}

bool session_get(struct command *command, const struct session *session, struct text path,
                 struct doc *out)
{
    struct client_request request = { .method = "GET", .path = path, .accept = "application/json" };

    return session_ask(command, session, &request, out);
}

struct text session_path(struct command *command, const struct schema_kind *kind, struct text name)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_printf(&path, "/v1/%s", kind->plural);
    if (name.length > 0) {
        buf_add_string(&path, "/");
        client_path_add(&path, name);
    }
    return buf_text(&path);
}

struct text session_key(struct command *command)
{
    char id[RANDOM_ID_BYTES];

    random_id(random_system(), id);
    return arena_text(command->arena, text_from(id));
}

struct text session_words(struct command *command, const struct session *session)
{
    struct text context = session->settings.context.value;
    struct text tenant = session->client.tenant;

    return arena_printf(command->arena, "context %.*s, tenant %.*s",
                        TEXT_ARG(context.length > 0 ? context : TEXT("local")),
                        TEXT_ARG(tenant.length > 0 ? tenant : TEXT("default")));
}

/* /readyz reports the reason; the rest of its answer is ignored */
struct session session_for_probe(const struct session *session)
{
    struct session probe = *session;

    if (session->settings.timeout.value.length == 0) {
        probe.client.timeout_ms = LIMIT_PROBE_MS;
    }
    return probe;
}

bool session_problem(struct command *command, const struct session *session, struct text *out)
{
    struct client_request request = { .method = "GET",
                                      .path = TEXT("/readyz"),
                                      .accept = "application/json" };
    struct session probe = session_for_probe(session);
    struct client_answer answer;
    struct doc problem;
    struct err err;

    *out = TEXT("");
    command->has_store_note = true;
    if (!session_call(command, &probe, &request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer) &&
        json_parse(command->arena, answer.body, NULL, &problem, &err) &&
        (text_is(doc_child_text(&problem, "code"), code_get(CODE_R0505)->name) ||
         text_is(doc_child_text(&problem, "code"), code_get(CODE_R0506)->name))) {
        struct text hint = doc_child_text(&problem, "hint");

        *out = doc_child_text(&problem, "detail");
        if (hint.length > 0) {
            *out = arena_printf(command->arena, "%.*s; hint: %.*s", TEXT_ARG(*out), TEXT_ARG(hint));
        }
    }
    return true;
}
