#include "cli/offline.h"

#include "cli/manager/session.h"
#include "client/address.h"
#include "installation/installation.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Return the path of the manager's program: in the folder of this program, or else in PATH. */
static const char *offline_program(struct arena *arena)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *beside = "";
    char *slash = NULL;

    if (length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
    }
    if (slash != NULL) {
        *slash = '\0';
        beside = arena_printf(arena, "%s/reeved", self).data;
    }
    return access(beside, X_OK) == 0 ? beside : "reeved";
}

const char *offline_config_find(struct command *command, const char **out_why)
{
    struct settings_facts facts = session_facts(command);
    struct address standard;
    struct settings settings;
    struct address address;
    struct err err;

    if (!settings_read(command->arena, &facts, &settings, &err) ||
        !address_parse(TEXT(ADDRESS_STANDARD_URL), &standard, &err) ||
        !address_parse(settings.url.value, &address, &err)) {
        *out_why = arena_text(command->arena, text_from(err.text)).data;
        return NULL;
    }
    if (!address_is_equal(&address, &standard)) {
        *out_why = arena_printf(command->arena, "the manager at %.*s (%.*s) uses another folder",
                                TEXT_ARG(settings.url.value), TEXT_ARG(settings.url.source))
                       .data;
        return NULL;
    }
    *out_why = "there is no " INSTALLATION_CONFIG " that names it";
    return access(INSTALLATION_CONFIG, F_OK) == 0 ? INSTALLATION_CONFIG : NULL;
}

enum exit_code offline_run(struct command *command, const char *const *arguments, size_t count)
{
    const char *program = offline_program(command->arena);
    const char *all[OFFLINE_ARGUMENTS + 2] = { program };

    assert(count <= OFFLINE_ARGUMENTS);
    memcpy(all + 1, arguments, count * sizeof(*arguments));
    execvp(program, (char *const *)(uintptr_t)all);
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0011, "%s: %s", program,
                          strerror(errno)),
             "install reeved on this machine: the command works on the files of its manager");
    return EXIT_CODE_UNAVAILABLE;
}
