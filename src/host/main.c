#include "host/host.h"
#include "host/sandbox.h"
#include "sys/process.h"
#include "sys/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANAGER_SOCKET = 3 };

/* Discards everything that the plugin prints, so that the manager need not read it. */
static void host_output_drop(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere >= 0) {
        (void)!dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
}

/* Prints the parts of a profile, and their state on this machine. */
static bool profile_print(enum sandbox_profile profile)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct sandbox_report report;
    struct err err;

    if (!sandbox_probe(profile, &report, &err)) {
        fprintf(stderr, "reeve-host: %s\n", err.text);
        return false;
    }
    printf("profile %s\n", sandbox_profile_name(profile));
    for (int i = 0; i < SANDBOX_PART_COUNT; i++) {
        enum sandbox_part part = (enum sandbox_part)i;
        struct text words = sandbox_part_words(arena, &report, part);

        printf("  %-16s %-62s %.*s\n", sandbox_part_name(part), sandbox_part_about(part),
               TEXT_ARG(words));
    }
    return true;
}

static int host_probe_run(void)
{
    for (int profile = 0; profile < SANDBOX_PROFILE_COUNT; profile++) {
        if (!profile_print((enum sandbox_profile)profile)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

/* reeve-host: holds one plugin. It has no options; the manager configures it through the socket. */
#ifdef __SANITIZE_ADDRESS__
/* Makes the sanitizer return freed memory immediately, because the conformance suite measures the
 * growth of this process (rule "growth"). The environment is empty, so no variable can set this. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}
#endif

int main(int argc, char **argv)
{
    struct host_bounds bounds = { 0 };

    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "probe") == 0) {
        return host_probe_run();
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-host " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if ((argc != 2 && argc != 3) || strcmp(argv[1], "serve") != 0) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs(
            "reeve-host holds a plugin for reeved, in a sandbox. It is not started by hand:\n"
            "`reeve plugin test FILE` and `reeve plugin check FILE` try a plugin.\n"
            "`reeve-host probe` lists the parts of the sandbox, and their state on this machine.\n",
            is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    host_output_drop();
    heap_prepare();
    if (argc == 3) {
        bounds = (struct host_bounds){ .within = argv[2], .trusted = plugins_trusted_here };
    }
    return host_serve(MANAGER_SOCKET, &bounds);
}
