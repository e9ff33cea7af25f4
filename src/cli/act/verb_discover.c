/* reeve discover: lists the machines of the inventory, and sends an operator's decisions about them
 * before they enter a group. Without arguments it lists the machines that wait for a decision. */
#include "base/limits.h"
#include "base/time.h"
#include "cli/hosts/discover_setup.h"
#include "cli/args/secret_file.h"
#include "cli/manager/session.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/interrupt.h"
#include "sys/stream.h"

#include <stdio.h>
#include <string.h>

/* public names start with: discover_ verb_ */

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "ID", ".id", OUTPUT_KEEP, false },
    { "ADDRESS", ".at", OUTPUT_KEEP, false },
    { "STATE", ".shown", OUTPUT_KEEP, false },
    { "SEEN BY", ".seenBy", OUTPUT_DROP, false },
    { "CPU", ".facts.cpu", OUTPUT_WIDE, true },
    { "MEM", ".facts.memory", OUTPUT_WIDE, true },
    { "DISKS", ".facts.disks", OUTPUT_WIDE, true },
    { "GPU", ".facts.gpu", OUTPUT_WIDE, true },
    { "POWER", ".power.state", OUTPUT_WIDE, false },
    { "KEY", ".fingerprint", OUTPUT_DROP, false },
    { "SERIAL", ".identity.serial", OUTPUT_WIDE, false },
    { "WAITING FOR", ".waits", OUTPUT_KEEP, false },
};
static const struct output_view view = { "node/{id}", columns, ARRAY_COUNT(columns) };

/* ---- rows ---- */

static bool discover_has(const struct doc *row, const char *key)
{
    return doc_child(row, key) != NULL;
}

static struct text discover_condition(const struct doc *row, const char *type)
{
    const struct doc *list = doc_child(row, "conditions");

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (text_is(doc_child_text(&list->items[i], "type"), type)) {
            struct text reason = doc_child_text(&list->items[i], "reason");

            return reason.length > 0 ? reason : text_from(type);
        }
    }
    return TEXT("");
}

static struct text discover_member(struct arena *arena, const struct doc *row, const char *key)
{
    const struct doc *map = doc_child(row, key);
    struct text name = doc_child_text(map, text_is(text_from(key), "claim") ? "name" : "group");

    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(doc_child_text(row, "cluster")),
                        TEXT_ARG(name));
}

/* Return what the machine waits for, or the next command for the operator. */
static struct text discover_waits(struct command *command, const struct doc *row)
{
    struct arena *arena = command->arena;
    struct text duplicate = discover_condition(row, "duplicate");
    struct text flapping = discover_condition(row, "flapping");
    struct text failed = discover_condition(row, "failed");
    struct text pending = discover_condition(row, "cleanupPending");
    struct text fault = doc_child_text(doc_child(row, "factsRead"), "error");
    const struct doc *install = doc_child(row, "install");
    struct text id = doc_child_text(row, "id");

    if (discover_has(row, "claim") && discover_has(row, "reserved")) {
        return arena_printf(arena, "leaving %.*s: the machine moves to group %.*s",
                            TEXT_ARG(discover_member(arena, row, "claim")),
                            TEXT_ARG(doc_child_text(doc_child(row, "reserved"), "group")));
    }
    if (discover_has(row, "claim") && !text_is(doc_child_text(install, "state"), "done") &&
        doc_is_map(install)) {
        return arena_printf(arena, "installation as %.*s: %.*s%s%.*s",
                            TEXT_ARG(discover_member(arena, row, "claim")),
                            TEXT_ARG(doc_child_text(install, "state")),
                            discover_has(install, "step") ? ", " : "",
                            TEXT_ARG(doc_child_text(install, "step")));
    }
    if (discover_has(row, "claim")) {
        return arena_printf(arena, "nothing: member %.*s",
                            TEXT_ARG(discover_member(arena, row, "claim")));
    }
    if (discover_has(row, "reserved")) {
        return arena_printf(arena, "a slot in %.*s",
                            TEXT_ARG(discover_member(arena, row, "reserved")));
    }
    if (discover_has(row, "ignored")) {
        return arena_printf(arena, "nothing: ignored; %s discover show %.*s", command->program,
                            TEXT_ARG(id));
    }
    if (pending.length > 0) {
        return arena_printf(arena, "cleanup: %.*s", TEXT_ARG(pending));
    }
    if (duplicate.length + flapping.length > 0) {
        return duplicate.length > 0 ? duplicate : flapping;
    }
    if (!text_is(doc_child_text(row, "state"), "discovered")) {
        return TEXT("the return of the machine");
    }
    if (failed.length > 0) {
        return arena_printf(arena, "an operator: %.*s", TEXT_ARG(failed));
    }
    return arena_printf(arena, "%s: %s commission %.*s -g CLUSTER/GROUP%s%.*s",
                        discover_has(row, "approved") ? "a group" : "approval", command->program,
                        TEXT_ARG(id), fault.length > 0 ? "; the login fails: " : "",
                        TEXT_ARG(fault));
}

static struct text discover_shown(struct command *command, const struct doc *row)
{
    struct text state = doc_child_text(row, "state");

    if (discover_has(row, "claim")) {
        return text_is(state, "discovered")
                   ? TEXT("claimed")
                   : arena_printf(command->arena, "claimed, %.*s", TEXT_ARG(state));
    }
    return discover_condition(row, "flapping").length > 0 ? TEXT("flapping") : state;
}

static struct doc discover_row(struct command *command, const struct doc *row)
{
    const struct doc *sources = doc_child(row, "sources");
    struct text port = doc_child_text(row, "port");
    struct doc_builder builder;
    struct buf seen;

    buf_init(&seen, command->arena);
    for (size_t i = 0; doc_is_list(sources) && i < sources->item_count; i++) {
        buf_printf(&seen, "%s%.*s", i > 0 ? "," : "",
                   TEXT_ARG(doc_child_text(&sources->items[i], "kind")));
    }
    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; i < row->entry_count; i++) {
        doc_builder_add(&builder, &row->entries[i]);
    }
    doc_builder_put(&builder, "at",
                    doc_text(arena_printf(command->arena, "%.*s%s%.*s",
                                          TEXT_ARG(doc_child_text(row, "address")),
                                          port.length > 0 ? ":" : "", TEXT_ARG(port)),
                             NULL));
    doc_builder_put(&builder, "seenBy", doc_text(buf_text(&seen), NULL));
    doc_builder_put(&builder, "shown", doc_text(discover_shown(command, row), NULL));
    doc_builder_put(&builder, "waits", doc_text(discover_waits(command, row), NULL));
    return doc_builder_map(&builder, NULL);
}

/* Writes the rows; without --all only those of machines that wait for a decision. */
static enum exit_code discover_write(struct command *command, const struct doc *items,
                                     bool is_complete)
{
    const struct args *args = &command->args;
    size_t count = doc_is_list(items) ? items->item_count : 0;
    struct doc *objects = arena_array(command->arena, struct doc, count + 1);
    struct doc *rows = arena_array(command->arena, struct doc, count + 1);
    struct output output;
    size_t shown = 0;
    struct err err;

    if (!output_parse(command->arena, args_value(args, FLAG_DISCOVER_OUTPUT), NULL, OUTPUT_TABLE,
                      &view, &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        const struct doc *item = &items->items[i];

        if (is_complete || (!discover_has(item, "claim") && !discover_has(item, "ignored"))) {
            objects[shown] = *item;
            rows[shown++] = discover_row(command, item);
        }
    }
    if (shown == 0 && output.format == OUTPUT_TABLE) {
        buf_printf(&command->notes, "%s; next: %s discover ADDRESS\n",
                   args_has(args, FLAG_DISCOVER_SELECTOR)
                       ? "no discovered machine that waits matches the selector"
                       : "no discovered machine waits for an operator",
                   command->program);
        return EXIT_CODE_DONE;
    }
    output_write(command->arena, &output, &command->out_style,
                 &(struct output_data){ objects, shown, rows, shown }, &command->out);
    return EXIT_CODE_DONE;
}

static enum exit_code discover_list(struct command *command, const struct session *session)
{
    const char *selector = args_value(&command->args, FLAG_DISCOVER_SELECTOR);
    const struct doc *hold;
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes?discovered=1");
    if (selector != NULL) {
        buf_add_string(&path, "&selector=");
        client_path_add(&path, text_from(selector));
    }
    if (!session_get(command, session, buf_text(&path), &answer)) {
        return EXIT_CODE_FAILED;
    }
    hold = doc_child(&answer, "hold");
    if (hold != NULL) {
        buf_printf(&command->notes, "the states of machines are not updated now: %.*s\n",
                   TEXT_ARG(doc_child_text(hold, "why")));
    }
    return discover_write(command, doc_child(&answer, "items"),
                          args_has(&command->args, FLAG_DISCOVER_ALL));
}

/* ---- requests ---- */

static bool discover_post(struct command *command, const struct session *session, struct text path,
                          const struct doc *body, struct client_answer *out)
{
    struct client_request request = {
        .method = "POST",
        .path = path,
        .accept = "application/json",
        .content_type = "application/json",
        .idempotency_key = TEXT(""),
    };
    struct buf buf;

    buf_init(&buf, command->arena);
    json_format(&buf, body);
    request.body = buf_text(&buf);
    return session_call(command, session, &request, out);
}

/* Sends the key of a login as a secret. The name of the secret is derived from the content of the
 * key, so that the same key is stored only once. */
static bool discover_key_send(struct command *command, const struct session *session,
                              const char *path, struct text *out)
{
    char digest[DIGEST_TEXT_BYTES];
    struct client_answer answer;
    struct doc_builder builder;
    struct doc value;
    struct doc body;

    if (!secret_file_read(command, path, &value)) {
        return false;
    }
    digest_sha256(value.text, digest);
    *out = arena_printf(command->arena, "login-%.12s", digest);
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "name", doc_text(*out, NULL));
    doc_builder_put(&builder, "value", value);
    body = doc_builder_map(&builder, NULL);
    if (!discover_post(command, session, TEXT("/v1/secrets"), &body, &answer)) {
        return false;
    }
    if (session_is_done(&answer) || answer.head.status == 409) {
        return true; /* the manager has the secret already */
    }
    session_refused(command, &answer);
    return false;
}

static void discover_problems_report(struct command *command, const struct doc *problems)
{
    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        struct text name = doc_child_text(&problems->items[i], "code");
        enum code code = CODE_R0719;

        if (text_is(name, "R0826")) {
            code = CODE_R0826;
        } else if (text_is(name, "R0713")) {
            code = CODE_R0713;
        }
        err_list_set(&command->errors, (struct place){ 0 }, code, "%.*s",
                     TEXT_ARG(doc_child_text(&problems->items[i], "why")));
    }
}

/* Adds the members that describe the login to the machines. */
static bool discover_login_put(struct command *command, const struct session *session,
                               struct doc_builder *builder)
{
    const char *user = args_value(&command->args, FLAG_DISCOVER_USER);
    const char *key = args_value(&command->args, FLAG_DISCOVER_KEY);
    struct text secret = TEXT("");

    if (key != NULL && !discover_key_send(command, session, key, &secret)) {
        return false;
    }
    if (secret.length > 0) {
        doc_builder_put(builder, "keySecret", doc_text(secret, NULL));
    }
    if (user != NULL) {
        doc_builder_put(builder, "user", doc_text(text_from(user), NULL));
    }
    return true;
}

static enum exit_code discover_addresses(struct command *command, const struct session *session)
{
    const struct args *args = &command->args;
    bool has_setup = args_has(args, FLAG_DISCOVER_SETUP);
    /* with --setup, what follows -- are arguments of the bundle */
    size_t count = has_setup ? args->words_before : args->argument_count;
    struct doc *addresses = arena_array(command->arena, struct doc, count);
    struct client_answer answer;
    struct doc_builder builder;
    struct text bundle;
    struct doc shown;
    struct doc rows;
    struct doc body;

    doc_builder_init(&builder, command->arena);
    if (!discover_setup_read(command, &bundle) || !discover_login_put(command, session, &builder)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        addresses[i] = doc_text(text_from(args->words[i]), NULL);
    }
    doc_builder_put(&builder, "addresses", doc_list(addresses, count, NULL));
    doc_builder_put(&builder, "approve", doc_bool(args_has(args, FLAG_DISCOVER_APPROVE), NULL));
    body = doc_builder_map(&builder, NULL);
    if (!discover_post(command, session, TEXT("/v1/discover"), &body, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return EXIT_CODE_FAILED;
    }
    if (!session_parse(command, &answer, &shown)) {
        return EXIT_CODE_FAILED;
    }
    rows = has_setup ? discover_setup_run(command, session, bundle, doc_child(&shown, "items"))
                     : *doc_child(&shown, "items");
    if (rows.item_count > 0 && discover_write(command, &rows, true) != EXIT_CODE_DONE) {
        return EXIT_CODE_USAGE;
    }
    discover_problems_report(command, doc_child(&shown, "problems"));
    return EXIT_CODE_DONE;
}

/* ---- networks ---- */

/* A network that is probed. Each request probes one piece of it, so that the user sees progress and
 * Ctrl-C stops after the current piece. */
struct discover_sweep {
    struct command *command;
    const struct session *session;
    struct text network;
    int64_t port;            /* 0: the default */
    struct doc_builder more; /* members that all requests have */
    int64_t from;
    int64_t addresses; /* number of addresses of the network; 0: not known yet */
    int64_t known;
    struct doc *items;
    size_t item_count;
    size_t item_room;
};

enum { DISCOVER_TRIES = 3 };

/* Splits NETWORK or NETWORK:PORT, such as 10.0.0.0/24:2222. The manager validates the network. */
static bool discover_network_split(struct discover_sweep *sweep, struct text word)
{
    size_t colon = text_find_byte(word, ':');

    sweep->network = text_slice(word, 0, colon);
    if (colon == SIZE_MAX ||
        (text_parse_int64(text_slice(word, colon + 1, SIZE_MAX), &sweep->port) &&
         sweep->port >= 1 && sweep->port <= UINT16_MAX)) {
        return true;
    }
    err_hint(err_list_set(&sweep->command->errors, (struct place){ 0 }, CODE_R0005,
                          "'%.*s' is not a network", TEXT_ARG(word)),
             "write 10.0.0.0/24 or 10.0.0.0/24:2222");
    return false;
}

static void discover_progress(const struct discover_sweep *sweep)
{
    char text[160];
    struct err ignored;

    snprintf(text, sizeof(text),
             "interrupted: %lld of %lld addresses were probed; the machines that were found are "
             "listed by: reeve discover",
             (long long)sweep->from, (long long)sweep->addresses);
    interrupt_report(text);
    interrupt_expect(INTERRUPT_REPORTING);
    if (!sweep->command->error_style.is_drawn ||
        args_has(&sweep->command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    snprintf(text, sizeof(text), "\r\x1b[K%lld of %lld addresses were probed, %zu new machines",
             (long long)sweep->from, (long long)sweep->addresses, sweep->item_count);
    (void)!stream_write_error(text_from(text), &ignored);
}

static void discover_progress_wipe(const struct discover_sweep *sweep)
{
    struct err ignored;

    if (sweep->command->error_style.is_drawn &&
        !args_has(&sweep->command->args, FLAG_COMMON_QUIET)) {
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
    interrupt_expect(INTERRUPT_READING);
}

static struct doc discover_piece_body(const struct discover_sweep *sweep)
{
    struct arena *arena = sweep->command->arena;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < sweep->more.count; i++) {
        doc_builder_add(&builder, &sweep->more.entries[i]);
    }
    doc_builder_put(&builder, "network", doc_text(sweep->network, NULL));
    if (sweep->port > 0) {
        doc_builder_put(&builder, "port", doc_int(arena, sweep->port, NULL));
    }
    if (sweep->from > 0) {
        doc_builder_put(&builder, "from", doc_int(arena, sweep->from, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

/* Probes the next piece. If a row changes at the same time, the request is repeated. */
static bool discover_piece_ask(const struct discover_sweep *sweep, struct doc *out)
{
    struct doc body = discover_piece_body(sweep);
    struct client_answer answer;

    for (int i = 0; i < DISCOVER_TRIES; i++) {
        if (!discover_post(sweep->command, sweep->session, TEXT("/v1/discover"), &body, &answer)) {
            return false;
        }
        if (session_is_done(&answer)) {
            return session_parse(sweep->command, &answer, out);
        }
        if (answer.head.status != 409) {
            break;
        }
    }
    session_refused(sweep->command, &answer);
    return false;
}

static void discover_piece_take(struct discover_sweep *sweep, const struct doc *piece)
{
    struct command *command = sweep->command;
    const struct doc *items = doc_child(piece, "items");
    const struct doc *next = doc_child(piece, "next");

    sweep->addresses = doc_child_number(piece, "addresses");
    sweep->known += doc_child_number(piece, "known");
    sweep->from = next == NULL ? sweep->addresses : doc_child_number(piece, "next");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (sweep->item_count == sweep->item_room) {
            sweep->items =
                arena_grow(command->arena, sweep->items, sweep->item_room * sizeof(*items),
                           (2 * sweep->item_room + 32) * sizeof(*items));
            sweep->item_room = 2 * sweep->item_room + 32;
        }
        sweep->items[sweep->item_count++] = items->items[i];
    }
    discover_problems_report(command, doc_child(piece, "problems"));
}

static enum exit_code discover_network(struct command *command, const struct session *session)
{
    struct discover_sweep sweep = { .command = command, .session = session };
    struct doc found;
    struct doc piece;
    bool is_asked = true;

    doc_builder_init(&sweep.more, command->arena);
    if (!discover_network_split(&sweep, text_from(command->args.words[0])) ||
        !discover_login_put(command, session, &sweep.more)) {
        return EXIT_CODE_USAGE;
    }
    while (sweep.addresses == 0 || sweep.from < sweep.addresses) {
        is_asked = discover_piece_ask(&sweep, &piece);
        if (!is_asked) {
            break;
        }
        discover_piece_take(&sweep, &piece);
        discover_progress(&sweep);
    }
    discover_progress_wipe(&sweep);
    found = doc_list(sweep.items, sweep.item_count, NULL);
    if (sweep.item_count > 0 && discover_write(command, &found, true) != EXIT_CODE_DONE) {
        return EXIT_CODE_USAGE;
    }
    buf_printf(&command->notes,
               "%lld of %lld addresses were probed: %zu new machines, %lld known\n",
               (long long)sweep.from, (long long)sweep.addresses, sweep.item_count,
               (long long)sweep.known);
    return is_asked ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

/* True if an argument is a network. */
static bool is_discover_network(const char *word)
{
    return text_find_byte(text_from(word), '/') != SIZE_MAX;
}

/* Check that a network is the only argument, and that its machines are not approved without a
 * comparison of their keys (I27). */
static bool discover_words_check(struct command *command)
{
    const struct args *args = &command->args;
    bool has_network = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        has_network = has_network || is_discover_network(args->words[i]);
    }
    if (has_network && args->argument_count > 1) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "a network is the only argument of discover"),
                 "probe one network after the other");
        return false;
    }
    if (args_has(args, FLAG_DISCOVER_SETUP) && (has_network || args->words_before == 0)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--setup needs the addresses of the machines"),
                 "%s discover 10.0.0.5 10.0.0.6 --setup FOLDER [-- ARGUMENT...]", command->program);
        return false;
    }
    if (has_network && args_has(args, FLAG_DISCOVER_APPROVE)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--approve cannot be used for the machines of a whole network"),
                 "compare the key of each machine, then: %s discover approve NODE=FINGERPRINT",
                 command->program);
        return false;
    }
    return true;
}

/* ---- tokens for boot reports ---- */

/* Makes a token, and prints what a machine needs to report its first boot by cloud-init. */
static enum exit_code discover_token(struct command *command, const struct session *session)
{
    const struct args *args = &command->args;
    const char *uses = args_value(args, FLAG_DISCOVER_USES);
    const char *lasts = args_value(args, FLAG_DISCOVER_FOR);
    struct text url = session->settings.url.value;
    struct client_answer answer;
    struct doc_builder builder;
    uint64_t for_ms = 0;
    struct doc shown;
    struct doc body;

    if (lasts != NULL && !session_duration(command, text_from(lasts), "--for", &for_ms)) {
        return EXIT_CODE_USAGE;
    }
    doc_builder_init(&builder, command->arena);
    if (for_ms > 0) {
        doc_builder_put(&builder, "seconds",
                        doc_int(command->arena, (int64_t)(for_ms + 999) / 1000, NULL));
    }
    if (uses != NULL) {
        doc_builder_put(&builder, "uses", doc_text(text_from(uses), NULL));
    }
    body = doc_builder_map(&builder, NULL);
    if (!discover_post(command, session, TEXT("/v1/boot-tokens"), &body, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return EXIT_CODE_FAILED;
    }
    if (!session_parse(command, &answer, &shown)) {
        return EXIT_CODE_FAILED;
    }
    if (!text_has_prefix(url, TEXT("http"))) {
        /* the command uses a socket, so the public address is unknown */
        url = TEXT("https://MANAGER:8420");
    }
    buf_printf(&command->out,
               "#cloud-config\nphone_home:\n  url: %.*s%.*s\n"
               "  post: [hostname, pub_key_ed25519]\n  tries: 10\n",
               TEXT_ARG(url), TEXT_ARG(doc_child_text(&shown, "path")));
    buf_printf(&command->notes, "token %.*s, uses: %lld; it is shown only now\n",
               TEXT_ARG(doc_child_text(&shown, "name")),
               (long long)doc_child_number(&shown, "uses"));
    return EXIT_CODE_DONE;
}

/* ---- decisions ---- */

struct discover_decision {
    const char *word;
    const char *path;
    const char *key; /* name of an additional member of the body; NULL: none */
    const char *past;
    bool value;
};

static const struct discover_decision decisions[] = {
    { "approve", "approve", "fingerprint", "approved", false },
    { "ignore", "ignore", "ignored", "ignored", true },
    { "show", "ignore", "ignored", "shown again", false },
    { "forget", "forget", NULL, "forgotten", false },
    { "free", "free", NULL, "no longer reserved", false },
};

static const struct discover_decision *discover_decision_find(const struct args *args)
{
    for (size_t i = 0; args->argument_count > 0 && i < ARRAY_COUNT(decisions); i++) {
        if (strcmp(args->words[0], decisions[i].word) == 0) {
            return &decisions[i];
        }
    }
    return NULL;
}

/* Get and print the fingerprint to approve: that of the host key that the machine presented. */
static bool discover_fingerprint_get(struct command *command, const struct session *session,
                                     struct text name, struct text *out)
{
    struct doc row;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes/");
    client_path_add(&path, name);
    if (!session_get(command, session, buf_text(&path), &row)) {
        return false;
    }
    *out = doc_child_text(&row, "fingerprint");
    return true;
}

static bool discover_decide(struct command *command, const struct session *session,
                            const struct discover_decision *decision, struct text name)
{
    struct text fingerprint = TEXT("");
    struct client_answer answer;
    struct doc_builder builder;
    struct doc body;
    struct buf path;

    if (strcmp(decision->word, "approve") == 0) {
        size_t equals = text_find_byte(name, '=');
        struct text compared =
            equals == SIZE_MAX ? TEXT("") : text_slice(name, equals + 1, SIZE_MAX);

        name = text_slice(name, 0, equals);
        if (!discover_fingerprint_get(command, session, name, &fingerprint)) {
            return false;
        }
        /* only a key that a user has compared may be approved */
        if (!text_is_equal(fingerprint, compared)) {
            err_hint(err_list_set(
                         &command->errors, (struct place){ 0 }, CODE_R0837,
                         "%.*s has the host key %.*s, which is not the fingerprint that was given",
                         TEXT_ARG(name), TEXT_ARG(fingerprint)),
                     "compare it with the console of the machine, then: %s discover approve "
                     "%.*s=%.*s",
                     command->program, TEXT_ARG(name), TEXT_ARG(fingerprint));
            return false;
        }
    }
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes/");
    client_path_add(&path, name);
    buf_printf(&path, "/%s", decision->path);
    doc_builder_init(&builder, command->arena);
    if (fingerprint.length > 0) {
        doc_builder_put(&builder, decision->key, doc_text(fingerprint, NULL));
    } else if (decision->key != NULL && strcmp(decision->key, "ignored") == 0) {
        doc_builder_put(&builder, decision->key, doc_bool(decision->value, NULL));
    }
    body = doc_builder_map(&builder, NULL);
    if (!discover_post(command, session, buf_text(&path), &body, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    buf_printf(&command->out, "node/%.*s: %s%s%.*s\n", TEXT_ARG(name), decision->past,
               fingerprint.length > 0 ? ", host key " : "", TEXT_ARG(fingerprint));
    return true;
}

enum exit_code verb_discover(struct command *command)
{
    const struct args *args = &command->args;
    const struct discover_decision *decision = discover_decision_find(args);
    struct session session;

    if (decision != NULL && args->argument_count == 1) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "discover %s needs the name of a machine", decision->word),
                 "%s discover lists them", command->program);
        return EXIT_CODE_USAGE;
    }
    if (args_has(args, FLAG_DISCOVER_SELECTOR) && args->argument_count > 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "-l selects machines of the list, and takes no argument"),
                 "%s discover -l 'mem>=64Gi'", command->program);
        return EXIT_CODE_USAGE;
    }
    if (decision == NULL && !discover_words_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    if (args->argument_count == 1 && strcmp(args->words[0], "token") == 0) {
        return discover_token(command, &session);
    }
    if (decision == NULL) {
        return args->argument_count == 0             ? discover_list(command, &session)
               : is_discover_network(args->words[0]) ? discover_network(command, &session)
                                                     : discover_addresses(command, &session);
    }
    for (size_t i = 1; i < args->argument_count; i++) {
        if (!discover_decide(command, &session, decision, text_from(args->words[i]))) {
            return EXIT_CODE_FAILED;
        }
    }
    return EXIT_CODE_DONE;
}
