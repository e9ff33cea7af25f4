#include "cli/doctor_installation.h"

#include "cli/plugin_try.h"
#include "client/address.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "host/sandbox.h"
#include "host/trusted.h"
#include "installation/installation.h"
#include "sys/process.h"

#include <dirent.h>
#include <unistd.h>

/* public names start with: doctor_ */

/* State of the report. */
struct doctor_place {
    struct command *command;
    struct doctor_ear ear;
    struct text folder; /* folder of the programs */
    size_t plugin_count;
    struct buf plugin_names;
};

static void place_add(const struct doctor_place *place, bool is_wrong, struct text what,
                      const char *fix)
{
    place->ear.add(place->ear.arg, is_wrong, what, text_from(fix));
}

/* ---- what reeved finds ---- */

static void findings_pass(const struct doctor_place *place, struct text bytes)
{
    struct doc list;
    struct err err;

    if (!json_parse(place->command->arena, bytes, NULL, &list, &err) || !doc_is_list(&list)) {
        place_add(place, true, TEXT("the check of reeved cannot be read"),
                  "install reeve and reeved of one version");
        return;
    }
    for (size_t i = 0; i < list.item_count; i++) {
        const struct doc *item = &list.items[i];

        place->ear.add(place->ear.arg, !text_is(doc_child_text(item, "ok"), "true"),
                       doc_child_text(item, "what"), doc_child_text(item, "fix"));
    }
}

static void manager_files_check(const struct doctor_place *place, const char *program)
{
    bool has_config = access(INSTALLATION_CONFIG, F_OK) == 0;
    const char *const argv[] = { program, "--check-installation", has_config ? "--config" : NULL,
                                 INSTALLATION_CONFIG, NULL };
    struct text out;
    struct err err;
    int code;

    if (has_config && access(INSTALLATION_CONFIG, R_OK) != 0) {
        place_add(place, false, TEXT("you cannot read " INSTALLATION_CONFIG ": root sees more"),
                  "");
        return;
    }
    if (!installation_run(place->command->arena, argv, &out, &code, &err)) {
        place_add(place, true, arena_text(place->command->arena, text_from(err.text)),
                  "sudo apt-get install --reinstall reeved");
    } else if (code == EXIT_CODE_DONE || code == EXIT_CODE_FAILED) {
        findings_pass(place, out);
    } else {
        place_add(place, true, TEXT("the configuration " INSTALLATION_CONFIG " has errors"),
                  "reeved --check-config --config " INSTALLATION_CONFIG);
    }
}

/* ---- the sandbox ---- */

/* Report missing parts of a plugin's sandbox. As in the list of plugins, a missing part is not an
 * error, but it is always shown. */
static void doctor_sandbox_check(const struct doctor_place *place)
{
    struct arena *arena = place->command->arena;
    struct sandbox_report report;
    struct buf words;
    struct err err;

    if (geteuid() != 0) {
        return; /* the check would show the sandbox of this user, not that of the manager's user */
    }
    if (!sandbox_probe(SANDBOX_CLOUD, &report, &err)) {
        place_add(place, true, arena_text(arena, text_from(err.text)), "reeve-host probe");
        return;
    }
    buf_init(&words, arena);
    for (int i = 0; i < SANDBOX_PART_COUNT; i++) {
        enum sandbox_part part = (enum sandbox_part)i;

        if (report.parts[i].state == SANDBOX_MISSING) {
            buf_printf(&words, "%s %s is %.*s", buf_text(&words).length == 0 ? "" : ";",
                       sandbox_part_name(part), TEXT_ARG(sandbox_part_words(arena, &report, part)));
        }
    }
    place_add(place, false,
              buf_text(&words).length == 0
                  ? TEXT("this computer supports the whole sandbox of plugins")
                  : arena_printf(arena,
                                 "this computer does not support the whole sandbox of plugins:%.*s",
                                 TEXT_ARG(buf_text(&words))),
              "");
}

/* ---- plugins ---- */

static bool is_doctor_plugin_trusted(const struct command *command, struct text name)
{
    for (const struct plugins_trusted *row = command->trusted; row != NULL && row->name != NULL;
         row++) {
        if (text_is(name, row->name)) {
            return true;
        }
    }
    return false;
}

static void doctor_plugin_load(struct doctor_place *place, const char *path, struct text name)
{
    struct command *command = place->command;
    struct conformance_options options = plugin_conformance_options(command, path);
    struct conformance_about about;
    struct err err;

    if (!conformance_look(command->arena, &options, &about, &err)) {
        place_add(place, true,
                  arena_printf(command->arena, "%s cannot be loaded: %s", path, err.text),
                  "sudo apt-get install --reinstall reeve-plugins, or remove the file");
    } else if (is_doctor_plugin_trusted(command, name) && about.profile != SANDBOX_HOST) {
        place_add(
            place, true,
            arena_printf(
                command->arena,
                "%s is of another version than reeved, so it may not create machines on this computer",
                path),
            "install reeved and reeve-plugins of one version");
    } else {
        buf_printf(&place->plugin_names, "%s%.*s", place->plugin_count++ == 0 ? "" : ", ",
                   TEXT_ARG(name));
    }
}

static void doctor_plugins_load(struct doctor_place *place, const char *folder)
{
    struct arena *arena = place->command->arena;
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        struct text file = text_from(entry->d_name);

        if (text_has_suffix(file, TEXT(".so"))) {
            doctor_plugin_load(
                place, arena_string(arena, arena_printf(arena, "%s/%s", folder, entry->d_name)),
                arena_text(arena, text_slice(file, 0, file.length - 3)));
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

void doctor_installation(struct command *command, const struct session *session,
                         struct doctor_ear ear)
{
    struct arena *arena = command->arena;
    struct doctor_place place = { .command = command, .ear = ear, .folder = process_folder(arena) };
    const char *program =
        arena_string(arena, arena_printf(arena, "%.*s/reeved", TEXT_ARG(place.folder)));

    if (!text_is(session->client.address.url, ADDRESS_STANDARD_URL) || access(program, X_OK) != 0) {
        return;
    }
    buf_init(&place.plugin_names, arena);
    manager_files_check(&place, program);
    doctor_sandbox_check(&place);
    doctor_plugins_load(
        &place, arena_string(arena, arena_printf(arena, "%.*s/plugins", TEXT_ARG(place.folder))));
    doctor_plugins_load(&place, arena_string(arena, arena_printf(arena, "%.*s/../lib/reeve/plugins",
                                                                 TEXT_ARG(place.folder))));
    place_add(&place, false,
              place.plugin_count == 0 ? TEXT("no plugin is installed on this computer")
                                      : arena_printf(arena, "plugins that can be loaded: %.*s",
                                                     TEXT_ARG(buf_text(&place.plugin_names))),
              "");
}
