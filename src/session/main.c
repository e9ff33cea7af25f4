/* reeve-session: holds sessions with nodes for reeved, in a sandbox. It has no options; reeved
 * configures it through the socket. */
#include "session/session.h"
#include "sys/stream.h"
#include "sys/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-session " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if ((argc != 2 && argc != 3) || strcmp(argv[1], "serve") != 0) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs(
            "reeve-session holds sessions with nodes for reeved, in a sandbox. It is not started by hand.\n",
            is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    return session_serve(WORKER_SOCKET, argc == 3 ? argv[2] : NULL);
}
