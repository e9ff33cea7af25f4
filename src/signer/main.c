/* reeve-signer: holds the keys of the clusters' authorities for reeved, and signs certificates with
 * them. It runs in a sandbox without network and files. */
#include "signer/serve.h"
#include "sys/stream.h"
#include "sys/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct serve_options options = { .socket = WORKER_SOCKET };

    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-signer " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc != 4 || (strcmp(argv[1], "serve") != 0 && strcmp(argv[1], "serve-new") != 0)) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs(
            "reeve-signer signs certificates of SSH for reeved, in a sandbox. It is not started by hand.\n",
            is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    options.can_make_key = strcmp(argv[1], "serve-new") == 0;
    options.key = argv[2];
    options.book = argv[3];
    /* without cleanup, because the sandbox rejects system calls that cleanup needs */
    _exit(serve_run(&options));
}
