/* reeve-playbook runs one Ansible playbook for reeved, in a separate process. It has no options;
 * reeved configures it through the socket. */
#include "playbook/serve.h"
#include "sys/stream.h"
#include "sys/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-playbook " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc != 2 || strcmp(argv[1], "serve") != 0) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs("reeve-playbook runs a playbook for reeved. It is not started by hand.\n",
              is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    return playbook_serve(WORKER_SOCKET);
}
