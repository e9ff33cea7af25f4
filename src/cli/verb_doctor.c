/* reeve doctor: reports problems of the installation on this computer, and of the connection to the
 * manager, each with a command that helps. */
#include "cli/doctor_accounts.h"
#include "cli/doctor_installation.h"
#include "cli/manager/bundle.h"
#include "cli/manager/session.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <string.h>

/* Maximum number of findings; enough for a manager with many plugins and accounts. */
enum { DOCTOR_FINDINGS_MAX = 256 };

struct finding {
    bool is_wrong;
    struct text what;
    struct text fix; /* a command; may be empty */
};

struct doctor {
    struct command *command;
    struct session session;
    struct finding items[DOCTOR_FINDINGS_MAX];
    size_t count;
    bool has_wrong;
};

static void finding_add(struct doctor *doctor, bool is_wrong, struct text what, struct text fix)
{
    if (doctor->count < ARRAY_COUNT(doctor->items)) {
        doctor->items[doctor->count++] = (struct finding){ is_wrong, what, fix };
    }
    doctor->has_wrong = doctor->has_wrong || is_wrong;
}

static void finding_hear(void *arg, bool is_wrong, struct text what, struct text fix)
{
    finding_add(arg, is_wrong, what, fix);
}

/* Convert the errors of the command into findings, because they are not errors of this verb. */
static void errors_take(struct doctor *doctor)
{
    struct command *command = doctor->command;

    for (size_t i = 0; i < command->errors.count; i++) {
        finding_add(doctor, true,
                    arena_text(command->arena, text_from(command->errors.items[i].text)),
                    arena_text(command->arena, text_from(command->errors.items[i].hint)));
    }
    err_list_init(&command->errors, command->arena);
}

static bool plain_get(struct doctor *doctor, struct text path)
{
    struct client_request request = { .method = "GET", .path = path, .accept = "*/*" };
    struct session probe = session_for_probe(&doctor->session);
    struct client_answer answer;

    if (!session_call(doctor->command, &probe, &request, &answer)) {
        errors_take(doctor);
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(doctor->command, &answer);
        errors_take(doctor);
        return false;
    }
    return true;
}

/* Report a plugin's problem. The problem of an unused plugin is not counted as wrong. */
static void plugin_problem(struct doctor *doctor, struct text name, struct text problem)
{
    bool is_used = true;

    if (!doctor_plugin_use(doctor->command, &doctor->session, name, &is_used)) {
        errors_take(doctor);
    }
    finding_add(doctor, is_used,
                arena_printf(doctor->command->arena, "plugin %.*s cannot be used%s: %.*s",
                             TEXT_ARG(name), is_used ? "" : ", and no cluster uses it",
                             TEXT_ARG(problem)),
                TEXT("reeve get plugins lists the clusters that name it; reeve plugin install FILE "
                     "installs one"));
}

/* Report the sandbox of a plugin's process, and which parts of it the manager's machine does not
 * support. An unsupported part is not an error, but is always shown. */
static void doctor_plugin_check(struct doctor *doctor, const struct doc *plugin)
{
    struct arena *arena = doctor->command->arena;
    const struct doc *sandbox = doc_find(plugin, TEXT("sandbox"));
    struct text profile = doc_child_text(plugin, "profile");
    struct text problem = doc_child_text(plugin, "problem");
    struct buf words;

    buf_init(&words, arena);
    buf_printf(&words, "plugin %.*s: profile %.*s", TEXT_ARG(doc_child_text(plugin, "name")),
               TEXT_ARG(profile));
    if (!doc_is_map(sandbox)) {
        buf_add(&words, TEXT(", which has not been started since the manager started"));
    }
    for (size_t i = 0; doc_is_map(sandbox) && i < sandbox->entry_count; i++) {
        const struct doc_entry *part = &sandbox->entries[i];

        if (!text_has_prefix(part->value.text, TEXT("in force"))) {
            buf_printf(&words, "; %.*s is %.*s", TEXT_ARG(part->key), TEXT_ARG(part->value.text));
        }
    }
    /* without a profile the plugin has not started, and reports nothing more */
    if (profile.length > 0) {
        finding_add(doctor, false, buf_text(&words), TEXT(""));
    }
    if (problem.length > 0) {
        plugin_problem(doctor, doc_child_text(plugin, "name"), problem);
    }
}

/* Report whether plugins are downloaded, and from which non-public addresses. */
static void fetch_check(struct doctor *doctor, const struct doc *fetch)
{
    struct arena *arena = doctor->command->arena;
    const struct doc *allow = doc_find(fetch, TEXT("allow"));
    struct text authorities = doc_child_text(fetch, "ca");
    struct text releases = doc_child_text(fetch, "releases");
    struct buf words;

    buf_init(&words, arena);
    if (!text_is(doc_child_text(fetch, "enabled"), "true")) {
        finding_add(doctor, false, TEXT("this manager does not fetch plugins"), TEXT(""));
        return;
    }
    buf_printf(&words, "plugins are fetched by https from public addresses");
    for (size_t i = 0; doc_is_list(allow) && i < allow->item_count; i++) {
        buf_printf(&words, "%s%.*s", i == 0 ? " and " : ", ", TEXT_ARG(allow->items[i].text));
    }
    if (text_is(doc_child_text(fetch, "files"), "true")) {
        buf_add_string(&words, "; by file:// as well");
    }
    if (authorities.length > 0) {
        buf_printf(&words, "; CA certificates also of %.*s", TEXT_ARG(authorities));
    }
    if (releases.length > 0) {
        buf_printf(&words, "; plugins without an address come from %.*s", TEXT_ARG(releases));
    }
    finding_add(doctor, false, buf_text(&words), TEXT(""));
}

/* Report the user that the manager runs as, and which parts of the manager's sandbox its machine
 * does not support. */
static void rights_check(struct doctor *doctor, const struct doc *manager)
{
    struct arena *arena = doctor->command->arena;
    struct text user = doc_child_text(manager, "user");
    struct text why = doc_child_text(manager, "why");
    struct buf words;

    buf_init(&words, arena);
    buf_printf(&words, "the manager runs as %.*s", TEXT_ARG(user));
    for (size_t i = 0; i < manager->entry_count; i++) {
        const struct doc_entry *part = &manager->entries[i];

        if (!text_is(part->key, "user") && !text_is(part->key, "why") &&
            !text_has_prefix(part->value.text, TEXT("in force"))) {
            buf_printf(&words, "; %.*s is %.*s", TEXT_ARG(part->key), TEXT_ARG(part->value.text));
        }
    }
    if (why.length > 0) {
        buf_printf(&words, ", for %.*s: adduser --system --group reeved, or user in reeved.yaml",
                   TEXT_ARG(why));
    }
    finding_add(doctor, false, buf_text(&words), TEXT(""));
}

static void doctor_plugins_check(struct doctor *doctor)
{
    const struct doc *items;
    struct doc list;

    if (!session_get(doctor->command, &doctor->session, TEXT("/v1/plugins"), &list)) {
        errors_take(doctor);
        return;
    }
    if (doc_is_map(doc_find(&list, TEXT("fetch")))) {
        fetch_check(doctor, doc_find(&list, TEXT("fetch")));
    }
    if (doc_is_map(doc_find(&list, TEXT("manager")))) {
        rights_check(doctor, doc_find(&list, TEXT("manager")));
    }
    items = doc_is_list(&list) ? &list : doc_find(&list, TEXT("items"));
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        doctor_plugin_check(doctor, &items->items[i]);
    }
    if (!doctor_accounts(doctor->command, &doctor->session, &list,
                         (struct doctor_ear){ finding_hear, doctor })) {
        errors_take(doctor);
    }
}

/* List the unreadable data of a damaged store, one item per line; the last line lists the readable
 * data. */
static void damage_show(struct doctor *doctor, const struct doc *damage)
{
    for (size_t i = 0; doc_is_list(damage) && i < damage->item_count; i++) {
        finding_add(doctor, i + 1 < damage->item_count, damage->items[i].text,
                    TEXT("systemctl stop reeved; reeve restore FILE --data-dir DIR --replace"));
    }
}

/* Check the manager's audit of events. Only an admin of every tenant may read it; for other users
 * nothing is reported. */
static void audit_look(struct doctor *doctor)
{
    struct command *command = doctor->command;
    struct client_request request = { .method = "GET", .path = TEXT("/v1/audit") };
    struct client_answer answer;
    struct text fault;
    struct doc audit;
    struct err err;

    if (!session_call(command, &doctor->session, &request, &answer)) {
        errors_take(doctor);
        return;
    }
    if (!session_is_done(&answer) || !json_parse(command->arena, answer.body, NULL, &audit, &err)) {
        return;
    }
    damage_show(doctor, doc_find(&audit, TEXT("damage")));
    fault = doc_child_text(&audit, "fault");
    finding_add(doctor, fault.length > 0,
                fault.length > 0
                    ? arena_printf(command->arena, "the events do not match their hash chain: %.*s",
                                   TEXT_ARG(fault))
                    : TEXT("no event is missing"),
                TEXT("reeve audit; compare with a backup from before"));
}

static void manager_check(struct doctor *doctor)
{
    struct command *command = doctor->command;
    struct doc who;
    struct text version;

    if (!plain_get(doctor, TEXT("/healthz"))) {
        return;
    }
    finding_add(doctor, false,
                arena_printf(command->arena, "a manager answers at %.*s",
                             TEXT_ARG(doctor->session.client.address.url)),
                TEXT(""));
    if (plain_get(doctor, TEXT("/readyz"))) {
        finding_add(doctor, false, TEXT("the manager is ready"), TEXT(""));
    }
    if (!session_get(command, &doctor->session, TEXT("/v1/whoami"), &who)) {
        errors_take(doctor);
        return;
    }
    finding_add(doctor, false,
                arena_printf(command->arena, "the manager identifies you as %.*s",
                             TEXT_ARG(doc_child_text(&who, "user"))),
                TEXT(""));
    version = doc_child_text(&who, "version");
    finding_add(doctor, version.length > 0 && !text_is(version, REEVE_VERSION),
                arena_printf(command->arena, "this is reeve %s, the manager %.*s", REEVE_VERSION,
                             TEXT_ARG(version)),
                TEXT("sudo apt-get install --only-upgrade reeve reeved reeve-plugins"));
    audit_look(doctor);
    doctor_plugins_check(doctor);
}

static void findings_json(struct doctor *doctor, struct buf *out)
{
    struct command *command = doctor->command;
    struct doc *items = arena_array(command->arena, struct doc, doctor->count + 1);
    struct doc list;

    for (size_t i = 0; i < doctor->count; i++) {
        struct doc_builder builder;

        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "ok", doc_bool(!doctor->items[i].is_wrong, NULL));
        doc_builder_put(&builder, "what", doc_text(doctor->items[i].what, NULL));
        if (doctor->items[i].is_wrong) {
            doc_builder_put(&builder, "fix", doc_text(doctor->items[i].fix, NULL));
        }
        items[i] = doc_builder_map(&builder, NULL);
    }
    list = doc_list(items, doctor->count, NULL);
    json_format_pretty(out, &list);
}

static void findings_write(struct doctor *doctor)
{
    struct command *command = doctor->command;

    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->items[i];

        style_add(&command->out_style, &command->out, finding->is_wrong ? STYLE_ERROR : STYLE_ADDED,
                  finding->is_wrong ? "FAIL" : "ok  ");
        buf_printf(&command->out, "  %.*s\n", TEXT_ARG(finding->what));
        if (finding->is_wrong && finding->fix.length > 0) {
            buf_printf(&command->out, "      fix: %.*s\n", TEXT_ARG(finding->fix));
        }
    }
}

enum exit_code verb_doctor(struct command *command)
{
    const char *path = args_value(&command->args, FLAG_DOCTOR_BUNDLE);
    struct doctor doctor = { .command = command };
    bool is_set_up = session_open(command, &doctor.session);

    if (is_set_up) {
        finding_add(&doctor, false, TEXT("the configuration of the command line can be read"),
                    TEXT(""));
        doctor_installation(command, &doctor.session, (struct doctor_ear){ finding_hear, &doctor });
        manager_check(&doctor);
    } else {
        errors_take(&doctor);
    }
    if (path != NULL) {
        struct buf findings;

        buf_init(&findings, command->arena);
        findings_json(&doctor, &findings);
        if (!bundle_write(command, is_set_up ? &doctor.session : NULL, path, buf_text(&findings))) {
            return EXIT_CODE_FAILED;
        }
        /* standard output has the archive, so nothing else is printed */
        if (strcmp(path, "-") == 0) {
            return doctor.has_wrong ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
        }
    }
    if (command_output_is(command, "json")) {
        findings_json(&doctor, &command->out);
    } else {
        findings_write(&doctor);
    }
    return doctor.has_wrong ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}
