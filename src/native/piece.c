#include "native/piece.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The byte at which a piece of this attempt begins. False: it is none. */
static bool name_parse(uint64_t attempt, const char *name, uint64_t *out)
{
    char prefix[64];
    size_t length = (size_t)snprintf(prefix, sizeof(prefix), "output.%" PRIu64 ".at-", attempt);

    return strncmp(name, prefix, length) == 0 && mark_number(name + length, out);
}

static void list_add(struct piece_list *list, uint64_t at, uint64_t byte)
{
    list->count++;
    list->oldest = at < list->oldest ? at : list->oldest;
    if (at > byte) {
        list->next = at < list->next ? at : list->next;
    } else if (at > list->at) {
        list->at = at;
    }
}

void piece_path(unsigned stage, uint64_t attempt, uint64_t at, char path[static MARK_PATH_BYTES])
{
    if (at == 0) {
        (void)snprintf(path, MARK_PATH_BYTES, "stage-%u/output", stage);
    } else {
        (void)snprintf(path, MARK_PATH_BYTES, "stage-%u/output.%" PRIu64 ".at-%015" PRIu64, stage,
                       attempt, at);
    }
}

void piece_look(unsigned stage, uint64_t attempt, uint64_t byte, struct piece_list *out)
{
    char path[32];
    const struct dirent *entry;
    uint64_t at;
    DIR *folder;

    *out = (struct piece_list){ .oldest = UINT64_MAX, .next = UINT64_MAX };
    (void)snprintf(path, sizeof(path), "stage-%u", stage);
    folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (name_parse(attempt, entry->d_name, &at)) {
            list_add(out, at, byte);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}
