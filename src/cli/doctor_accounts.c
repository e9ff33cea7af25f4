#include "cli/doctor_accounts.h"

#include "cli/manager/listing.h"
#include "codec/doc_child.h"

#include <strings.h>

/* public names start with: doctor_ */

/* ---- users of plugins and accounts ---- */

/* True if any resourcePlugin in the document has this value under the key. */
static bool is_doctor_accounts_named(const struct doc *doc, const char *key, struct text name)
{
    const struct doc *plugin = doc_child(doc, "resourcePlugin");
    bool is_it = doc_is_map(plugin) && text_is_equal(doc_child_text(plugin, key), name);

    for (size_t i = 0; doc_is_map(doc) && !is_it && i < doc->entry_count; i++) {
        is_it = is_doctor_accounts_named(&doc->entries[i].value, key, name);
    }
    for (size_t i = 0; doc_is_list(doc) && !is_it && i < doc->item_count; i++) {
        is_it = is_doctor_accounts_named(&doc->items[i], key, name);
    }
    return is_it;
}

static bool is_used(const struct listing *listing, const char *key, struct text name)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (is_doctor_accounts_named(doc_child(&listing->items[i], "spec"), key, name)) {
            return true;
        }
    }
    return false;
}

/* True if the plugin has machines. Machines outlive the file that requested them, and only the same
 * plugin can destroy them. */
static bool has_doctor_accounts_machines(const struct listing *machines, struct text plugin)
{
    for (size_t i = 0; i < machines->count; i++) {
        struct text of = listing_text(&machines->items[i], "status", "plugin");

        if (text_is_equal(text_slice(of, 0, text_find_byte(of, '/')), plugin)) {
            return true;
        }
    }
    return false;
}

bool doctor_plugin_use(struct command *command, const struct session *session, struct text plugin,
                       bool *out_is_used)
{
    struct listing clusters;
    struct listing groups;
    struct listing machines;

    if (!listing_get(command, session, schema_kind_find(TEXT("Cluster")), TEXT(""), &clusters) ||
        !listing_get(command, session, schema_kind_find(TEXT("NodeGroup")), TEXT(""), &groups) ||
        !listing_get(command, session, schema_kind_find(TEXT("Resource")), TEXT(""), &machines)) {
        return false;
    }
    *out_is_used = is_used(&clusters, "name", plugin) || is_used(&groups, "name", plugin) ||
                   has_doctor_accounts_machines(&machines, plugin);
    return true;
}

/* ---- each ---- */

/* Find the plugin of this name in the manager's answer. NULL: there is none. */
static const struct doc *plugin_find(const struct doc *plugins, struct text name)
{
    const struct doc *items = doc_child(plugins, "items");

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (text_is_equal(doc_child_text(&items->items[i], "name"), name)) {
            return &items->items[i];
        }
    }
    return NULL;
}

/* Return the problem if an account pins a digest that differs from the installed plugin's digest.
 * Empty: no problem. */
static struct text pin_problem(struct arena *arena, const struct doc *account,
                               const struct doc *plugin)
{
    struct text pin = doc_child_text(account, "sha256");
    struct text digest = doc_child_text(plugin, "digest");

    bool is_it = pin.length == digest.length && strncasecmp(pin.data, digest.data, pin.length) == 0;

    return pin.length == 0 || digest.length == 0 || is_it
               ? TEXT("")
               : arena_printf(
                     arena,
                     "the account pins its plugin to digest %.*s, but digest %.*s is installed",
                     TEXT_ARG(pin), TEXT_ARG(digest));
}

static bool account_check(struct command *command, const struct doc *plugins,
                          const struct doc *account, struct doctor_ear ear)
{
    struct arena *arena = command->arena;
    struct text name = doc_child_text(account, "name");
    struct text problem = doc_child_text(account, "problem");
    struct text fix = doc_child_text(account, "fix");
    const struct doc *plugin = plugin_find(plugins, doc_child_text(account, "plugin"));

    if (problem.length == 0 && plugin != NULL) {
        problem = pin_problem(arena, account, plugin);
        fix = TEXT("reeve get plugins -o wide");
    } else if (problem.length == 0) {
        problem = arena_printf(arena, "the plugin %.*s is not installed",
                               TEXT_ARG(doc_child_text(account, "plugin")));
        fix = TEXT("reeve plugin install FILE");
    }
    if (problem.length > 0) {
        ear.add(ear.arg, true,
                arena_printf(arena, "account %.*s: %.*s", TEXT_ARG(name), TEXT_ARG(problem)), fix);
    }
    return problem.length == 0;
}

bool doctor_accounts(struct command *command, const struct session *session,
                     const struct doc *plugins, struct doctor_ear ear)
{
    const struct doc *accounts = doc_child(plugins, "accounts");
    struct listing clusters;
    struct listing groups;
    struct buf unused;
    size_t right = 0;

    if (!doc_is_list(accounts) || accounts->item_count == 0) {
        return true;
    }
    if (!listing_get(command, session, schema_kind_of_word(TEXT("cluster")), TEXT(""), &clusters) ||
        !listing_get(command, session, schema_kind_of_word(TEXT("nodegroup")), TEXT(""), &groups)) {
        return false;
    }
    buf_init(&unused, command->arena);
    for (size_t i = 0; i < accounts->item_count; i++) {
        struct text name = doc_child_text(&accounts->items[i], "name");

        right += account_check(command, plugins, &accounts->items[i], ear) ? 1 : 0;
        if (!is_used(&clusters, "account", name) && !is_used(&groups, "account", name)) {
            buf_printf(&unused, "%s%.*s",
                       unused.length == 0 ? "; used by no cluster or group: " : ", ",
                       TEXT_ARG(name));
        }
    }
    ear.add(ear.arg, false,
            arena_printf(command->arena, "accounts: %zu of %zu can be used%.*s", right,
                         accounts->item_count, TEXT_ARG(buf_text(&unused))),
            TEXT(""));
    return true;
}
