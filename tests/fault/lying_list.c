/* Put before the C library of a manager (LD_PRELOAD), it makes listings lie: names that stand in the file named by
 * REEVE_HIDDEN are in no folder that is listed. By its name each of them is found as before. */

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HIDDEN_BYTES = 64 * 1024 };

struct dirent *readdir(DIR *dir);

static bool is_hidden(const char *name)
{
    const char *path = getenv("REEVE_HIDDEN");
    char names[HIDDEN_BYTES];
    ssize_t length;
    int file;

    if (path == NULL || strncmp(name, "file-", strlen("file-")) != 0) {
        return false;
    }
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    length = read(file, names, sizeof(names) - 1);
    close(file);
    names[length > 0 ? length : 0] = '\0';
    return strstr(names, name) != NULL;
}

struct dirent *readdir(DIR *dir)
{
    struct dirent *(*next)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    struct dirent *entry = next(dir);

    while (entry != NULL && is_hidden(entry->d_name)) {
        entry = next(dir);
    }
    return entry;
}
