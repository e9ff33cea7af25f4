#include "native/look.h"
#include "native/say.h"
#include "native/stage.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* reeve-node: what programs/{look,stage,send,run}.sh of src/remote do, for nodes of this machine's kind: in one process, not in forty. */

enum { USAGE = 2 };

/* Whoever started this may have closed what a program counts on: a lock would get that number, and be closed where the output of a stage is to
 * go. They may ignore or block what tells of a stage's end, or what ends it; shells hand that down. */
static void ground_lay(void)
{
    static const int signals[] = { SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGPIPE };
    sigset_t none;
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) {
        (void)close(fd);
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int count, char **words)
{
    static const char usage[] = "usage: reeve-node check | look|stage FOLDER CONNECTION WORD...\n";

    ground_lay();
    (void)umask(077);
    (void)setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    (void)setenv("LC_ALL", "C", 1);
    if (count == 2 && strcmp(words[1], "check") == 0) {
        say_open(STDOUT_FILENO); /* it can be run here */
        say_end();
    }
    if (count >= 4 + LOOK_WORDS && strcmp(words[1], "look") == 0) {
        look_main(words[2], words[3], words + 4);
    }
    if (count >= 4 + STAGE_WORDS && strcmp(words[1], "stage") == 0) {
        stage_main(words[2], words + 4);
    }
    (void)!write(STDERR_FILENO, usage, sizeof(usage) - 1);
    return USAGE;
}
