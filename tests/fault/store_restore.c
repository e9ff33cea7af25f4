/* Makes a store from a backup: store_restore BACKUP FOLDER INCARNATION [--replace].
 *
 * INCARNATION has 16 characters. Prints "restored REVISION", or "refused CODE TEXT" with exit code
 * 2. */

#include "sqlite/sqlite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    bool replaces = argc == 5 && strcmp(argv[4], "--replace") == 0;
    uint64_t revision;
    struct err err = { 0 };

    if (argc < 4 || strlen(argv[3]) != 16) {
        fprintf(stderr, "usage: store_restore BACKUP FOLDER INCARNATION [--replace]\n");
        return 64;
    }
    if (!sqlite_restore(argv[1], argv[2], (const unsigned char *)argv[3], replaces, &revision,
                        &err)) {
        printf("refused %s %s\n", code_get(err.code)->name, err.text);
        return 2;
    }
    printf("restored %" PRIu64 "\n", revision);
    return 0;
}
