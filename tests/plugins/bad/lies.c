/* The plugin `file` whose listings lack the machines that are listed in the file `hidden` of its
 * folder. Lookups by id find all machines. */

#include <dirent.h>

static struct dirent *lying_readdir(DIR *listing);

#define readdir lying_readdir
#include "../../../plugins/file/file.c"
#undef readdir

enum { HIDDEN_BYTES = 64 * 1024 };

static bool is_hidden(DIR *listing, const char *name)
{
    char names[HIDDEN_BYTES];
    int file = openat(dirfd(listing), "../hidden", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, names, sizeof(names) - 1);

    if (file >= 0) {
        close(file);
    }
    names[length < 0 ? 0 : length] = '\0';
    return name[0] != '.' && strstr(names, name) != NULL;
}

static struct dirent *lying_readdir(DIR *listing)
{
    struct dirent *entry = readdir(listing);

    while (entry != NULL && is_hidden(listing, entry->d_name)) {
        entry = readdir(listing);
    }
    return entry;
}
