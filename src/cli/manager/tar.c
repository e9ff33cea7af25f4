#include "cli/manager/bundle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: tar_ */

/* The largest number of eleven octal digits. */
#define TAR_NUMBER_MAX 077777777777ULL

/* The header of ustar: offsets and widths of its fields (POSIX.1-2017, pax). Numbers in the fields
 * are octal. */
enum {
    TAR_BLOCK = 512,
    TAR_NAME = 0,
    TAR_NAME_BYTES = 100,
    TAR_MODE = 100,
    TAR_UID = 108,
    TAR_GID = 116,
    TAR_SIZE = 124,
    TAR_TIME = 136,
    TAR_SUM = 148,
    TAR_SUM_BYTES = 8,
    TAR_TYPE = 156,
    TAR_MAGIC = 257,
};

/* Write eleven octal digits and a NUL. */
static void tar_number_put(char *field, uint64_t number)
{
    assert(number <= TAR_NUMBER_MAX);
    for (int i = 10; i >= 0; i--) {
        field[i] = (char)('0' + (number & 7));
        number >>= 3;
    }
}

void tar_add(struct buf *tar, const char *name, struct text bytes, int64_t time_s)
{
    char head[TAR_BLOCK] = { 0 };
    unsigned sum = 0;

    assert(strlen(name) < TAR_NAME_BYTES);
    assert(time_s >= 0);
    strcpy(head + TAR_NAME, name);
    strcpy(head + TAR_MODE, "0000600");
    strcpy(head + TAR_UID, "0000000");
    strcpy(head + TAR_GID, "0000000");
    tar_number_put(head + TAR_SIZE, bytes.length);
    tar_number_put(head + TAR_TIME, (uint64_t)time_s);
    head[TAR_TYPE] = '0';
    memcpy(head + TAR_MAGIC, "ustar\00000", sizeof("ustar\00000") - 1);
    /* the checksum is computed with blanks in the field of the checksum */
    memset(head + TAR_SUM, ' ', TAR_SUM_BYTES);
    for (size_t i = 0; i < sizeof(head); i++) {
        sum += (unsigned char)head[i];
    }
    snprintf(head + TAR_SUM, TAR_SUM_BYTES, "%06o", sum);
    buf_add(tar, (struct text){ head, sizeof(head) });
    buf_add(tar, bytes);
    buf_add_bytes(tar, '\0', (TAR_BLOCK - bytes.length % TAR_BLOCK) % TAR_BLOCK);
}

void tar_end(struct buf *tar)
{
    buf_add_bytes(tar, '\0', (size_t)TAR_BLOCK * 2);
}
