#include "cli/change/people.h"

#include "base/suggest.h"
#include "cli/args/consent.h"
#include "cli/args/when.h"
#include "cli/change/change.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"

#include <string.h>

/* One run of create or delete. */
struct people {
    struct command *command;
    struct session session;
    const struct schema_kind *kind;
    const char *const *words; /* words after the kind; the first may be KIND/NAME */
    size_t count;
};

static const char *const roles[] = { "viewer", "operator", "admin" };

bool people_is_kind(const struct schema_kind *kind)
{
    return kind != NULL && (strcmp(kind->name, "User") == 0 || strcmp(kind->name, "Grant") == 0 ||
                            strcmp(kind->name, "Token") == 0 || strcmp(kind->name, "Tenant") == 0);
}

static const struct schema_kind *kind_of_word(const char *word)
{
    struct text text = text_from(word);

    return schema_kind_of_word(text_slice(text, 0, text_find_byte(text, '/')));
}

bool people_is_meant(const struct command *command)
{
    return command->args.argument_count > 0 && people_is_kind(kind_of_word(command->args.words[0]));
}

static bool is_people_kind(const struct schema_kind *kind, const char *name)
{
    return strcmp(kind->name, name) == 0;
}

/* Return the NAME from KIND/NAME, or the word unchanged. */
static struct text people_name(const struct people *people, size_t index)
{
    struct text text = text_from(people->words[index]);
    size_t slash = text_find_byte(text, '/');

    return slash != SIZE_MAX && schema_kind_of_word(text_slice(text, 0, slash)) == people->kind
               ? text_slice(text, slash + 1, SIZE_MAX)
               : text;
}

/* ---- rows ---- */

/* Format the scope of a grant: "cluster shop", "group shop/web", "every cluster", "every
 * tenant". */
static struct text grant_scope(struct arena *arena, const struct doc *grant)
{
    struct text cluster = listing_text(grant, "spec", "cluster");
    struct text group = listing_text(grant, "spec", "nodegroup");

    if (text_is(listing_text(grant, "spec", "tenant"), "*")) {
        return TEXT("every tenant");
    }
    return cluster.length == 0 ? TEXT("every cluster")
           : group.length == 0
               ? arena_printf(arena, "cluster %.*s", TEXT_ARG(cluster))
               : arena_printf(arena, "group %.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group));
}

/* Format the rights of a user: "operator on cluster shop, viewer on every cluster"; empty: the user
 * has no grant. */
static struct text user_rights(struct arena *arena, const struct doc *user,
                               const struct listing *grants)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < grants->count; i++) {
        const struct doc *grant = &grants->items[i];

        if (text_is_equal(listing_text(grant, "spec", "user"),
                          listing_text(user, "metadata", "name"))) {
            buf_printf(&buf, "%s%.*s on %.*s", buf.length > 0 ? ", " : "",
                       TEXT_ARG(listing_text(grant, "spec", "role")),
                       TEXT_ARG(grant_scope(arena, grant)));
        }
    }
    return buf_text(&buf);
}

void people_row(struct command *command, const struct doc *object, const struct listing *grants,
                struct doc_builder *row)
{
    struct text kind = doc_child_text(object, "kind");
    struct text expires = listing_text(object, "spec", "expires");

    doc_builder_put(
        row, "when",
        doc_text(when_format(command, listing_text(object, "metadata", "created")), NULL));
    if (text_is(kind, "Grant")) {
        doc_builder_put(row, "on", doc_text(grant_scope(command->arena, object), NULL));
    } else if (text_is(kind, "User")) {
        doc_builder_put(row, "rights", doc_text(user_rights(command->arena, object, grants), NULL));
    } else if (text_is(kind, "Token")) {
        doc_builder_put(row, "until", doc_text(expires.length > 0 ? expires : TEXT("-"), NULL));
    }
}

/* ---- both verbs ---- */

static bool people_begin(struct command *command, struct people *out)
{
    const struct args *args = &command->args;
    bool is_first = strchr(args->words[0], '/') != NULL;

    *out = (struct people){ .command = command,
                            .kind = kind_of_word(args->words[0]),
                            .words = args->words + !is_first,
                            .count = args->argument_count - !is_first };
    return session_open(command, &out->session);
}

static bool is_dry(const struct people *people)
{
    return args_named(&people->command->args, "dry-run") != NULL;
}

/* Show the effect, and get consent to it. */
static bool people_agree(struct people *people, struct text what)
{
    struct command *command = people->command;
    struct text words = session_words(command, &people->session);
    struct consent_needs needs = { .is_change = true };

    buf_printf(&command->notes, "%.*s: %.*s\n", TEXT_ARG(words), TEXT_ARG(what));
    command_flush(command);
    return is_dry(people) || consent_get(command, &needs, words, NULL, NULL);
}

/* Print the answer in the format of --output; false: the format is text, which the caller
 * writes. */
static bool answer_write(struct people *people, const struct doc *answer)
{
    struct command *command = people->command;
    const char *format = args_output(&command->args);

    if (format == NULL || strcmp(format, "text") == 0) {
        return false;
    }
    if (strcmp(format, "yaml") == 0) {
        yaml_format(&command->out, answer);
    } else if (strcmp(format, "name") == 0) {
        buf_printf(&command->out, "%.*s\n", TEXT_ARG(listing_ref(command->arena, answer)));
    } else if (strcmp(format, "json") == 0) {
        json_format_pretty(&command->out, answer);
    } else {
        json_format(&command->out, answer);
        buf_add_string(&command->out, "\n");
    }
    return true;
}

/* ---- create ---- */

static bool people_words_check(struct people *people, size_t least, size_t most, const char *use)
{
    if (people->count >= least && people->count <= most) {
        return true;
    }
    return err_hint(err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0005,
                                 people->count < least ? "create %s needs more arguments"
                                                       : "create %s takes fewer arguments",
                                 people->kind->singular),
                    "use: %s", use);
}

/* Check a flag that only one kind accepts. False: the flag is given for another kind; an error was
 * added. */
static bool flag_check(struct people *people, const char *flag, const char *kind, const char *use)
{
    if (args_named(&people->command->args, flag) == NULL || is_people_kind(people->kind, kind)) {
        return true;
    }
    return err_hint(err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0005,
                                 "--%s does not apply to a %s", flag, people->kind->singular),
                    "use: %s", use);
}

static bool people_role_check(struct people *people, struct text role)
{
    struct suggest suggest = suggest_start(role);
    struct err *err;

    for (size_t i = 0; i < ARRAY_COUNT(roles); i++) {
        if (text_is(role, roles[i])) {
            return true;
        }
        suggest_offer(&suggest, text_from(roles[i]));
    }
    err = err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0004,
                       "there is no role '%.*s'", TEXT_ARG(role));
    return suggest_best(&suggest).length > 0
               ? err_hint(err,
                          "did you mean '%.*s'? viewer reads, operator changes, admin manages "
                          "users as well",
                          TEXT_ARG(suggest_best(&suggest)))
               : err_hint(err, "viewer reads, operator changes, admin manages users as well");
}

/* Warn if the cluster or group of a grant does not exist, because a grant on a mistyped name would
 * never take effect. */
static void scope_warn(struct people *people, const char *kind, struct text name)
{
    struct command *command = people->command;
    struct err_list before = command->errors;
    struct doc ignored;

    if (!session_get(command, &people->session,
                     session_path(command, schema_kind_find(text_from(kind)), name), &ignored)) {
        command->errors = before;
        buf_printf(&command->notes,
                   "warning: there is no %s '%.*s' now; the grant takes effect once it exists\n",
                   schema_kind_find(text_from(kind))->singular, TEXT_ARG(name));
    }
}

/* Put the scope from -c CLUSTER, -g CLUSTER/GROUP or --all-tenants; without a flag it is the whole
 * tenant. */
static bool scope_put(struct people *people, struct doc_builder *body)
{
    const struct args *args = &people->command->args;
    const char *cluster = args_named(args, "cluster");
    const char *group = args_named(args, "group");
    struct text path = group == NULL ? TEXT("") : text_from(group);
    size_t slash = text_find_byte(path, '/');

    if ((cluster != NULL) + (group != NULL) + (args_named(args, "all-tenants") != NULL) > 1) {
        return err_hint(
            err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0005,
                         "-c, -g and --all-tenants exclude each other: a grant has one scope"),
            "create one grant for each scope");
    }
    if (group != NULL && slash == SIZE_MAX) {
        return err_hint(err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0005,
                                     "'%s' is not the name of a group", group),
                        "write -g CLUSTER/GROUP, or -c %s for the whole cluster", group);
    }
    if (cluster != NULL) {
        doc_builder_put(body, "cluster", doc_text(text_from(cluster), NULL));
        scope_warn(people, "Cluster", text_from(cluster));
    } else if (group != NULL) {
        doc_builder_put(body, "cluster", doc_text(text_slice(path, 0, slash), NULL));
        doc_builder_put(body, "nodegroup", doc_text(text_slice(path, slash + 1, SIZE_MAX), NULL));
        scope_warn(people, "NodeGroup", path);
    } else if (args_named(args, "all-tenants") != NULL) {
        doc_builder_put(body, "tenant", doc_text(TEXT("*"), NULL));
    }
    return true;
}

static bool grant_body(struct people *people, struct doc *out, struct text *out_what)
{
    struct arena *arena = people->command->arena;
    struct text role;
    struct doc_builder body;
    struct doc spec;

    if (!people_words_check(people, 2, 2,
                            "reeve create grant USER viewer|operator|admin [-c CLUSTER]")) {
        return false;
    }
    role = text_from(people->words[1]);
    doc_builder_init(&body, arena);
    doc_builder_put(&body, "user", doc_text(people_name(people, 0), NULL));
    doc_builder_put(&body, "role", doc_text(role, NULL));
    if (!people_role_check(people, role) || !scope_put(people, &body)) {
        return false;
    }
    *out = doc_builder_map(&body, NULL);
    spec = doc_map(&(struct doc_entry){ .key = TEXT("spec"), .value = *out }, 1, NULL);
    *out_what =
        arena_printf(arena, "create grant: %.*s is %.*s on %.*s", TEXT_ARG(people_name(people, 0)),
                     TEXT_ARG(role), TEXT_ARG(grant_scope(arena, &spec)));
    return true;
}

static bool token_body(struct people *people, struct doc *out, struct text *out_what)
{
    struct command *command = people->command;
    const char *days = args_named(&command->args, "days");
    const char *note = args_named(&command->args, "message");
    struct doc_builder body;
    int64_t number = 0;

    if (!people_words_check(people, 0, 1, "reeve create token [USER] [--days N] [-m NOTE]")) {
        return false;
    }
    doc_builder_init(&body, command->arena);
    if (people->count == 1) {
        doc_builder_put(&body, "user", doc_text(people_name(people, 0), NULL));
    }
    if (days != NULL && text_parse_int64(text_from(days), &number)) {
        doc_builder_put(&body, "days", doc_int(command->arena, number, NULL));
    }
    if (note != NULL) {
        doc_builder_put(&body, "note", doc_text(text_from(note), NULL));
    }
    *out = doc_builder_map(&body, NULL);
    *out_what = arena_printf(
        command->arena, "create a token %s%.*s%s%s%s", people->count == 1 ? "of " : "of your own",
        people->count == 1 ? (int)people_name(people, 0).length : 0,
        people->count == 1 ? people_name(people, 0).data : "", days == NULL ? "" : ", for ",
        days == NULL ? "" : days, days == NULL ? ", without an expiry" : " days");
    return true;
}

static bool named_body(struct people *people, struct doc *out, struct text *out_what)
{
    struct arena *arena = people->command->arena;
    struct doc_builder body;

    if (!people_words_check(people, 1, 1,
                            is_people_kind(people->kind, "User") ? "reeve create user NAME"
                                                                 : "reeve create tenant NAME")) {
        return false;
    }
    doc_builder_init(&body, arena);
    doc_builder_put(&body, "name", doc_text(people_name(people, 0), NULL));
    *out = doc_builder_map(&body, NULL);
    *out_what = arena_printf(arena, "create %s %.*s", people->kind->singular,
                             TEXT_ARG(people_name(people, 0)));
    return true;
}

/* Report the next steps for a new user: grant rights, and create a token to log in with. */
static void next_report(struct people *people, const struct doc *answer)
{
    struct command *command = people->command;
    struct text name = listing_name(command->arena, answer);
    struct text token = doc_child_text(answer, "token");

    if (token.length > 0) {
        buf_printf(&command->out, "%.*s\n", TEXT_ARG(token));
        buf_printf(
            &command->notes,
            "created token/%.*s; it is shown only once: store it, and log in with reeve context "
            "login URL\n",
            TEXT_ARG(name));
        return;
    }
    buf_printf(&command->notes, "created %s/%.*s\n", people->kind->singular, TEXT_ARG(name));
    if (is_people_kind(people->kind, "User")) {
        buf_printf(&command->notes,
                   "next: %s create grant %.*s viewer -c CLUSTER\n      %s create token %.*s\n",
                   command->program, TEXT_ARG(name), command->program, TEXT_ARG(name));
    }
}

static bool people_body(struct people *people, struct doc *out, struct text *out_what)
{
    static const char *const of_grants[] = { "cluster", "group", "all-tenants" };
    const char *use = "reeve create grant USER ROLE [-c CLUSTER|-g CLUSTER/GROUP|--all-tenants]";

    for (size_t i = 0; i < ARRAY_COUNT(of_grants); i++) {
        if (!flag_check(people, of_grants[i], "Grant", use)) {
            return false;
        }
    }
    if (!flag_check(people, "days", "Token", "reeve create token [USER] [--days N]")) {
        return false;
    }
    return is_people_kind(people->kind, "Grant")   ? grant_body(people, out, out_what)
           : is_people_kind(people->kind, "Token") ? token_body(people, out, out_what)
                                                   : named_body(people, out, out_what);
}

enum exit_code people_create(struct command *command)
{
    struct people people;
    struct doc body;
    struct doc answer;
    struct text what;
    struct client_request request = { .method = "POST",
                                      .accept = "application/json",
                                      .content_type = "application/json" };

    if (!people_begin(command, &people) || !people_body(&people, &body, &what) ||
        !people_agree(&people, what)) {
        return EXIT_CODE_USAGE;
    }
    if (is_dry(&people)) {
        return EXIT_CODE_DONE;
    }
    request.path = session_path(command, people.kind, TEXT(""));
    request.body = change_body(command, &body);
    request.idempotency_key = session_key(command);
    if (!session_ask(command, &people.session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (!answer_write(&people, &answer)) {
        next_report(&people, &answer);
    }
    return EXIT_CODE_DONE;
}

/* ---- delete ---- */

/* Find an object by its name among the objects that the user may see. NULL: an error was added. */
static const struct doc *cli_people_people_find(struct people *people, const struct listing *all,
                                                struct text name)
{
    struct err *err;

    for (size_t i = 0; i < all->count; i++) {
        if (text_is_equal(listing_name(people->command->arena, &all->items[i]), name)) {
            return &all->items[i];
        }
    }
    err = err_list_set(&people->command->errors, (struct place){ 0 }, CODE_R0403,
                       "there is no %s '%.*s'", people->kind->singular, TEXT_ARG(name));
    (void)!err_hint(err, "reeve get %s lists the existing ones", people->kind->plural);
    return NULL;
}

static size_t owned_count(const struct listing *all, struct text user)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        count += text_is_equal(listing_text(&all->items[i], "spec", "user"), user);
    }
    return count;
}

/* Write "delete user ana, with 2 grants and 1 token" or "delete grant 3f2a: ana is operator on
 * cluster shop". */
static bool doomed_words(struct people *people, const struct doc *object, struct buf *out)
{
    struct command *command = people->command;
    struct text name = listing_name(command->arena, object);
    struct listing grants;
    struct listing tokens;

    buf_printf(out, "%s%s %.*s", out->length > 0 ? "; " : "delete ", people->kind->singular,
               TEXT_ARG(name));
    if (is_people_kind(people->kind, "Grant")) {
        buf_printf(out, ": %.*s is %.*s on %.*s", TEXT_ARG(listing_text(object, "spec", "user")),
                   TEXT_ARG(listing_text(object, "spec", "role")),
                   TEXT_ARG(grant_scope(command->arena, object)));
    } else if (is_people_kind(people->kind, "Token")) {
        buf_printf(out, " of %.*s, and the tokens created with it",
                   TEXT_ARG(listing_text(object, "spec", "user")));
    } else if (is_people_kind(people->kind, "User")) {
        if (!listing_get(command, &people->session, schema_kind_find(TEXT("Grant")), TEXT(""),
                         &grants) ||
            !listing_get(command, &people->session, schema_kind_find(TEXT("Token")), TEXT(""),
                         &tokens)) {
            return false;
        }
        buf_printf(out, ", with %zu grants and %zu tokens", owned_count(&grants, name),
                   owned_count(&tokens, name));
    }
    return true;
}

enum exit_code people_delete(struct command *command)
{
    struct people people;
    struct listing all;
    struct buf what;
    struct doc answer;

    if (!people_begin(command, &people) ||
        !listing_get(command, &people.session, people.kind, TEXT(""), &all)) {
        return EXIT_CODE_FAILED;
    }
    if (people.count == 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "delete needs the names of %s", people.kind->plural),
                 "use: reeve delete %s NAME; reeve get %s lists them", people.kind->singular,
                 people.kind->plural);
        return EXIT_CODE_USAGE;
    }
    buf_init(&what, command->arena);
    for (size_t i = 0; i < people.count; i++) {
        const struct doc *object = cli_people_people_find(&people, &all, people_name(&people, i));

        if (object == NULL || !doomed_words(&people, object, &what)) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    if (!people_agree(&people, buf_text(&what))) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; !is_dry(&people) && i < people.count; i++) {
        struct text name = people_name(&people, i);
        struct client_request request = { .method = "DELETE",
                                          .accept = "application/json",
                                          .path = session_path(command, people.kind, name) };

        if (!session_ask(command, &people.session, &request, &answer)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "deleted %s/%.*s\n", people.kind->singular, TEXT_ARG(name));
    }
    return EXIT_CODE_DONE;
}
