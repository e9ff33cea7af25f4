/* Runs a fuzz target once with every file of a folder, as an ordinary test with every compiler, so
 * that errors found earlier do not return. Prints TAP, one line per file. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run_file(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return -1;
    }
    size = (size_t)ftell(file);
    rewind(file);
    data = malloc(size + 1); /* exactly as long as the input, but at least one byte */
    if (size > 0) {
        data = realloc(data, size);
    }
    if (fread(data, 1, size, file) != size) {
        return -1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    int count = argc == 2 ? scandir(argv[1], &entries, is_file, alphasort) : -1;

    if (count <= 0) {
        printf("Bail out! no inputs in %s\n", argc == 2 ? argv[1] : "(no folder given)");
        return 1;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        int failed = run_file(argv[1], entries[i]->d_name);

        printf("%s %d - %s\n", failed == 0 ? "ok" : "not ok", i + 1, entries[i]->d_name);
        fflush(stdout);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
