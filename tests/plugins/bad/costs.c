/* Calls that use too many resources: memory, descriptors, processes, text. */
#include "bad.h"

#include <sys/resource.h>

enum { FORKS = 40, NOISE = 3000 };

static void children_make(void)
{
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();

        if (child == 0 && is_bad("zombies")) {
            _exit(0);
        } else if (child == 0) {
            hang();
        }
    }
}

static void noise_make(struct plugin *self)
{
    static char words[4096];

    memset(words, 'n', sizeof(words) - 1);
    for (int i = 0; i < NOISE; i++) {
        if (is_bad("stderr")) {
            fprintf(stderr, "%s\n", words);
        } else if (is_bad("stdout")) {
            printf("%s\n", words);
        } else {
            self->host->log(self->host, REEVE_LOG_ERROR, text_of(words));
        }
    }
}

static int32_t describe(void *arg, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;

    if (is_bad("memory")) {
        self->host->allocate(call, UINT64_C(1) << 40);
    } else if (is_bad("descriptors")) {
        const struct rlimit few = { 200, 200 };

        setrlimit(RLIMIT_NOFILE, &few);
        while (open("/dev/null", O_RDONLY) >= 0) {
        }
    } else if (is_bad("zombies") || is_bad("forks")) {
        children_make();
    } else if (is_bad("stderr") || is_bad("stdout") || is_bad("log")) {
        noise_make(self);
    }
    return file_describe(self, call, query);
}

#define BAD_DESCRIBE describe
#include "bad_table.h"
