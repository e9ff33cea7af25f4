/* reeve image iso: an ISO that starts the netboot system for this manager. */
#include "cli/image/image_iso.h"

#include "cli/hosts/program.h"
#include "cli/manager/session.h"
#include "sys/process.h"

#include <string.h>
#include <unistd.h>

/* public names start with: image_ */

enum { ISO_DEADLINE_MS = 10 * 60 * 1000 };

/* The certificate of the manager on its own host. */
#define ISO_CERTIFICATE "/etc/reeve/tls.crt"

/* Returns the path of tools/netboot-image: of the package, or of the tree that this program was
 * built in. NULL: it is not installed. */
static const char *iso_tool_find(struct arena *arena)
{
    static const char *const places[] = { "../share/reeve", ".." };
    struct text folder = process_folder(arena);

    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        struct text path =
            arena_printf(arena, "%.*s/%s/tools/netboot-image", TEXT_ARG(folder), places[i]);

        if (access(path.data, X_OK) == 0) {
            return path.data;
        }
    }
    return NULL;
}

/* A path as the tool needs it, because the tool has a working directory of its own. */
static const char *iso_path_absolute(struct arena *arena, const char *path)
{
    char folder[LIMIT_PATH_BYTES];

    return path[0] == '/' || getcwd(folder, sizeof(folder)) == NULL
               ? path
               : arena_printf(arena, "%s/%s", folder, path).data;
}

/* The address of the manager for the machines: --url, or that of the context. */
static bool iso_url_get(struct command *command, struct text *out)
{
    const char *url = args_value(&command->args, FLAG_IMAGE_URL);
    struct session session;

    if (url != NULL) {
        *out = text_from(url);
    } else if (!session_open(command, &session)) {
        return false;
    } else {
        *out = session.settings.url.value;
    }
    if (text_has_prefix(*out, TEXT("https://")) || text_has_prefix(*out, TEXT("http://"))) {
        return true;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "machines cannot reach the manager at '%.*s'", TEXT_ARG(*out)),
             "name the address that the machines use: --url https://reeve.example:8420");
    return false;
}

/* The file with the certificate that the ISO accepts; *out NULL: the address is plain HTTP. */
static bool iso_certificate_get(struct command *command, struct text url, const char **out)
{
    *out = args_value(&command->args, FLAG_IMAGE_CERTIFICATE);
    if (*out == NULL && text_has_prefix(url, TEXT("https://")) &&
        access(ISO_CERTIFICATE, R_OK) == 0) {
        *out = ISO_CERTIFICATE;
    }
    if (*out != NULL || !text_has_prefix(url, TEXT("https://"))) {
        return true;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "image iso needs the certificate of %.*s, so that the ISO accepts this "
                          "manager and no other",
                          TEXT_ARG(url)),
             "--certificate FILE; on the host of the manager it is " ISO_CERTIFICATE);
    return false;
}

enum exit_code image_iso_run(struct command *command)
{
    struct arena *arena = command->arena;
    const char *address = args_value(&command->args, FLAG_IMAGE_ADDRESS);
    const char *tool = iso_tool_find(arena);
    const char *argv[16];
    struct program_answer answer;
    const char *certificate;
    size_t count = 0;
    struct text url;
    struct err err;

    if (!iso_url_get(command, &url) || !iso_certificate_get(command, url, &certificate)) {
        return EXIT_CODE_USAGE;
    }
    if (tool == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0852,
                              "tools/netboot-image, which makes the ISO, is not installed"),
                 "it is in the package reeved: run the command on the host of a manager");
        return EXIT_CODE_FAILED;
    }
    argv[count++] = tool;
    argv[count++] = "iso";
    argv[count++] = arena_string(arena, url);
    if (certificate != NULL) {
        argv[count++] = "--pin";
        argv[count++] = iso_path_absolute(arena, certificate);
    }
    if (address != NULL) {
        argv[count++] = "--address";
        argv[count++] = address;
    }
    argv[count++] = "--output";
    argv[count++] = iso_path_absolute(arena, command->args.words[1]);
    argv[count] = NULL;
    if (!program_run(command, argv, TEXT(""), ISO_DEADLINE_MS, &answer, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    if (answer.code != 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0852, "%.*s",
                              TEXT_ARG(program_last_line(arena, answer.said))),
                 "%s boot makes the netboot system, and tools/install-packages netboot-image "
                 "installs what it needs",
                 tool);
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->out, "%s starts the netboot system for %.*s\n", command->args.words[1],
               TEXT_ARG(url));
    return EXIT_CODE_DONE;
}
