/* Makes a backup of a store that no process has open. Prints "backup REVISION", or "refused CODE
 * TEXT". */

#include "sqlite/sqlite.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

struct result {
    bool is_there;
    int code;
};

static void reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct result *result = arg;

    result->is_there = true;
    result->code = outcome == OUTCOME_OK ? 0 : 2;
    if (outcome == OUTCOME_OK) {
        printf("backup %" PRIu64 "\n", answer->revision);
    } else {
        printf("refused %s %s\n", code_get(answer->err.code)->name, answer->err.text);
    }
}

int main(int argc, char **argv)
{
    struct result result = { 0 };
    struct store *store;
    struct err err = { 0 };

    if (argc != 3) {
        fprintf(stderr, "usage: store_backup FOLDER BACKUP\n");
        return 64;
    }
    if (!sqlite_open(argv[1], (const unsigned char *)"0123456789abcdef", &store, &err)) {
        printf("refused %s %s\n", code_get(err.code)->name, err.text);
        return 2;
    }
    sqlite_backup(store, argv[2], reported, &result);
    while (!result.is_there) {
        struct pollfd ready = { .fd = store_descriptor(store), .events = POLLIN };

        (void)!poll(&ready, 1, 100);
        store_run(store);
    }
    store_close(store);
    return result.code;
}
