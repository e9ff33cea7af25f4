#include "native/tar.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, PREFIX_BYTES = 155 };

/* A head of an archive of POSIX. */
struct head {
    char name[TAR_NAME_BYTES];
    char mode[8];
    char owner[8];
    char group[8];
    char size[12];
    char time[12];
    char sum[8];
    char type;
    char link[TAR_NAME_BYTES];
    char magic[8];
    char names[64];
    char device[16];
    char prefix[PREFIX_BYTES];
    char rest[12];
};

static bool octal(const char *digits, size_t count, uint64_t *out)
{
    uint64_t number = 0;
    size_t i = 0;

    while (i < count && digits[i] == ' ') {
        i++;
    }
    for (; i < count && digits[i] != '\0' && digits[i] != ' '; i++) {
        if (digits[i] < '0' || digits[i] > '7') {
            return false; /* of base 256, for example */
        }
        number = number * 8 + (uint64_t)(digits[i] - '0');
    }
    *out = number;
    return true;
}

static bool sum_is_right(const struct head *head)
{
    const unsigned char *bytes = (const unsigned char *)head;
    uint64_t said;
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof(*head); i++) {
        bool is_own = i >= offsetof(struct head, sum) && i < offsetof(struct head, type);

        sum += is_own ? ' ' : bytes[i];
    }
    return octal(head->sum, sizeof(head->sum), &said) && said == sum;
}

/* Names that lead nowhere else: none is absolute, none goes up. What begins with `./` goes without it. */
static bool path_make(const struct head *head, char path[static TAR_PATH_BYTES])
{
    char whole[TAR_PATH_BYTES];
    const char *from = whole;
    size_t length;

    (void)snprintf(whole, sizeof(whole), "%.*s%s%.*s", PREFIX_BYTES, head->prefix,
                   head->prefix[0] != '\0' ? "/" : "", TAR_NAME_BYTES, head->name);
    while (from[0] == '.' && (from[1] == '/' || from[1] == '\0')) {
        from += from[1] == '/' ? 2 : 1;
    }
    (void)snprintf(path, TAR_PATH_BYTES, "%s", from);
    length = strlen(path);
    while (length > 0 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    if (whole[0] == '\0' || path[0] == '/') {
        return false;
    }
    for (const char *part = path; part[0] != '\0'; part += strspn(part, "/")) {
        size_t bytes = strcspn(part, "/");

        if (bytes == 2 && part[0] == '.' && part[1] == '.') {
            return false;
        }
        part += bytes;
    }
    return true;
}

int tar_next(struct tar *archive, struct tar_member *out)
{
    static const char nothing[BLOCK];
    const struct head *head = (const struct head *)(const void *)(archive->bytes + archive->at);
    uint64_t mode;
    uint64_t time;

    if (archive->count - archive->at < BLOCK) {
        return archive->at == archive->count ? 0 : -1;
    }
    if (head->name[0] == '\0') { /* the end is a block of nothing */
        return memcmp(archive->bytes + archive->at, nothing, BLOCK) == 0 ? 0 : -1;
    }
    out->type = head->type == '\0' ? '0' : head->type;
    if (memcmp(head->magic, "ustar\00000", sizeof(head->magic)) != 0 ||
        strchr("025", out->type) == NULL || !sum_is_right(head) ||
        !octal(head->mode, sizeof(head->mode), &mode) || mode > 0777 ||
        !octal(head->time, sizeof(head->time), &time) ||
        !octal(head->size, sizeof(head->size), &out->bytes) || !path_make(head, out->path)) {
        return -1;
    }
    out->bytes = out->type == '0' ? out->bytes : 0;
    archive->at += BLOCK;
    if (out->bytes > archive->count - archive->at || (out->path[0] == '\0' && out->type != '5')) {
        return -1;
    }
    out->mode = (unsigned)mode;
    out->time = (int64_t)time;
    (void)snprintf(out->link, sizeof(out->link), "%.*s", TAR_NAME_BYTES, head->link);
    out->content = archive->bytes + archive->at;
    archive->at += (out->bytes + BLOCK - 1) / BLOCK * BLOCK;
    archive->at = archive->at < archive->count ? archive->at : archive->count;
    return 1;
}

bool tar_is_plain(const struct tar *archive)
{
    struct tar all = { .bytes = archive->bytes, .count = archive->count };
    struct tar_member member;
    int found;

    while ((found = tar_next(&all, &member)) == 1) {
    }
    return found == 0;
}
