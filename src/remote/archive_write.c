#include "remote/archive.h"
#include "remote/archive_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Writes archives. The output depends only on the members. */

static void archive_write_field_put(char *head, size_t at, size_t most, struct text text)
{
    assert(text.length <= most);
    memcpy(head + at, text.data == NULL ? "" : text.data, text.length);
}

static void octal_put(char *head, size_t at, size_t bytes, uint64_t number)
{
    char digits[TAR_SIZE_BYTES + 1];

    assert(bytes <= sizeof(digits) - 1);
    snprintf(digits, sizeof(digits), "%0*lo", (int)bytes - 1, (unsigned long)number);
    assert(strlen(digits) == bytes - 1);
    memcpy(head + at, digits, bytes);
}

static void archive_write_head_add(struct buf *buf, char type, struct text prefix, struct text name,
                                   struct text link, unsigned mode, uint64_t bytes)
{
    char head[TAR_BLOCK] = { 0 };
    unsigned sum = 0;

    archive_write_field_put(head, TAR_NAME, TAR_NAME_BYTES, name);
    archive_write_field_put(head, TAR_PREFIX, TAR_PREFIX_BYTES, prefix);
    archive_write_field_put(head, TAR_LINK, TAR_NAME_BYTES, link);
    octal_put(head, TAR_MODE, TAR_MODE_BYTES, mode);
    octal_put(head, TAR_UID, TAR_MODE_BYTES, 0);
    octal_put(head, TAR_GID, TAR_MODE_BYTES, 0);
    octal_put(head, TAR_SIZE, TAR_SIZE_BYTES, bytes);
    octal_put(head, TAR_TIME, TAR_SIZE_BYTES, 0);
    head[TAR_TYPE] = type;
    memcpy(head + TAR_MAGIC, TAR_MAGIC_USTAR, TAR_MAGIC_BYTES);
    memset(head + TAR_SUM, ' ', TAR_SUM_BYTES); /* blanks, because the checksum counts its own field
                                                 * as blanks */
    for (size_t i = 0; i < sizeof(head); i++) {
        sum += (unsigned char)head[i];
    }
    octal_put(head, TAR_SUM, TAR_SUM_BYTES - 1, sum);
    buf_add(buf, (struct text){ head, sizeof(head) });
}

size_t archive_padding(uint64_t bytes)
{
    return (TAR_BLOCK - (size_t)(bytes % TAR_BLOCK)) % TAR_BLOCK;
}

static void content_add(struct buf *buf, struct text content)
{
    buf_add(buf, content);
    buf_add_bytes(buf, '\0', archive_padding(content.length));
}

/* Appends "LENGTH KEY=VALUE\n", where LENGTH includes itself. */
static void record_add(struct buf *buf, const char *key, struct text value)
{
    size_t rest = strlen(key) + value.length + 3;
    size_t length = rest + 1;
    char digits[24];

    for (;;) {
        int count = snprintf(digits, sizeof(digits), "%zu", length);

        if (rest + (size_t)count == length) {
            break;
        }
        length = rest + (size_t)count;
    }
    buf_printf(buf, "%s %s=%.*s\n", digits, key, TEXT_ARG(value));
}

/* Returns the position of a `/` at which the name can be split into prefix and name. SIZE_MAX:
 * none. */
static size_t archive_write_cut_find(struct text name)
{
    for (size_t i = name.length <= TAR_NAME_BYTES ? 0 : name.length - TAR_NAME_BYTES - 1;
         i < name.length && i <= TAR_PREFIX_BYTES; i++) {
        if (name.data[i] == '/' && i > 0 && i + 1 < name.length) {
            return i;
        }
    }
    return SIZE_MAX;
}

void archive_add_head(struct buf *buf, const struct archive_member *member)
{
    char type = member->kind == ARCHIVE_FOLDER ? '5' : member->kind == ARCHIVE_LINK ? '2' : '0';
    struct text name = member->name;
    struct text prefix = TEXT("");
    bool is_long = name.length > TAR_NAME_BYTES && archive_write_cut_find(name) == SIZE_MAX;
    bool is_long_link = member->link.length > TAR_NAME_BYTES;
    struct buf pax;

    if (is_long || is_long_link) {
        buf_init(&pax, buf->arena);
        if (is_long) {
            record_add(&pax, "path", name);
        }
        if (is_long_link) {
            record_add(&pax, "linkpath", member->link);
        }
        archive_write_head_add(buf, 'x', TEXT(""), TEXT("pax"), TEXT(""), 0644, pax.length);
        content_add(buf, buf_text(&pax));
    }
    if (name.length > TAR_NAME_BYTES && !is_long) {
        size_t cut = archive_write_cut_find(name);

        prefix = text_slice(name, 0, cut);
        name = text_slice(name, cut + 1, name.length);
    }
    archive_write_head_add(buf, type, prefix, text_slice(name, 0, TAR_NAME_BYTES),
                           text_slice(member->link, 0, TAR_NAME_BYTES), member->mode,
                           member->kind == ARCHIVE_FILE ? member->bytes : 0);
}

void archive_add(struct buf *buf, const struct archive_member *member, struct text content)
{
    struct archive_member whole = *member;

    whole.bytes = content.length;
    archive_add_head(buf, &whole);
    if (member->kind == ARCHIVE_FILE) {
        content_add(buf, content);
    }
}

void archive_finish(struct buf *buf)
{
    buf_add_bytes(buf, '\0', (size_t)TAR_BLOCK * 2);
}
