#include "remote/archive.h"

#include "remote/archive_parts.h"
#include "remote/bounds.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The tar format: header blocks and contents alternate. A pax or GNU header describes the member
 * that follows it. Two empty blocks end the archive, and only zeros may follow.
 *
 * Input that different readers could interpret differently is rejected: a missing magic, base-256
 * numbers, sizes of links, and names that are given twice. */

enum part { PART_HEADER, PART_CONTENT, PART_TAIL };

/* Kinds of content after a header: that of a file, or of a header that describes the next
 * member. */
enum content { CONTENT_FILE, CONTENT_PAX, CONTENT_GLOBAL, CONTENT_LONG_NAME, CONTENT_LONG_LINK };

struct archive {
    archive_fn *member;
    void *arg;
    struct arena *memory;
    enum part part;
    enum content content;
    char block[TAR_BLOCK];
    size_t have;      /* bytes of the block received so far */
    uint64_t left;    /* remaining bytes of the content */
    uint64_t padding; /* remaining bytes of the padding */
    uint64_t offset;  /* bytes read */
    uint64_t members;
    unsigned empty;        /* consecutive empty blocks */
    struct arena *words;   /* arena for the headers before one member */
    struct buf header;     /* the header being read */
    uint64_t header_bytes; /* total size of the headers before the member */
    struct text long_name; /* name from a header for the next member; data NULL: not set */
    struct text long_link;
    struct text size;
};

struct archive *archive_new(archive_fn *member, void *arg)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct archive *archive = arena_one(memory, struct archive);

    *archive = (struct archive){
        .member = member, .arg = arg, .memory = memory, .words = arena_new_small(SIZE_MAX)
    };
    return archive;
}

void archive_free(struct archive *archive)
{
    if (archive != NULL) {
        arena_free(archive->words);
        arena_free(archive->memory);
    }
}

/* ---- fields ---- */

static struct text field(const struct archive *archive, size_t at, size_t most)
{
    const char *start = archive->block + at;
    const char *end = memchr(start, '\0', most);

    return (struct text){ start, end == NULL ? most : (size_t)(end - start) };
}

/* Reads octal digits with blanks before and after them. */
static bool octal_read(const char *data, size_t bytes, uint64_t *out)
{
    uint64_t number = 0;
    size_t digits = 0;
    size_t i = 0;

    while (i < bytes && data[i] == ' ') {
        i++;
    }
    for (; i < bytes && data[i] >= '0' && data[i] <= '7'; i++) {
        number = number * 8 + (uint64_t)(data[i] - '0');
        digits++;
    }
    for (; i < bytes; i++) {
        if (data[i] != ' ' && data[i] != '\0') {
            return false;
        }
    }
    *out = number;
    return digits > 0;
}

static bool sum_is_right(const struct archive *archive)
{
    uint64_t reported;
    uint64_t sum = 0;

    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool is_sum = i >= TAR_SUM && i < TAR_SUM + TAR_SUM_BYTES;

        sum += is_sum ? ' ' : (unsigned char)archive->block[i];
    }
    return octal_read(archive->block + TAR_SUM, TAR_SUM_BYTES, &reported) && reported == sum;
}

static bool block_is_empty(const struct archive *archive)
{
    return archive->block[0] == '\0' &&
           memcmp(archive->block, archive->block + 1, TAR_BLOCK - 1) == 0;
}

/* ---- headers about the next member ---- */

/* Handles a pax record: "LENGTH KEY=VALUE\n". */
MUST_CHECK static bool pax_record_take(struct archive *archive, struct text record, struct err *err)
{
    size_t equals = text_find_byte(record, '=');
    struct text key = text_slice(record, 0, equals == SIZE_MAX ? 0 : equals);
    struct text value = text_slice(record, equals + 1, record.length);
    struct text *out = text_is(key, "path")       ? &archive->long_name
                       : text_is(key, "linkpath") ? &archive->long_link
                       : text_is(key, "size")     ? &archive->size
                                                  : NULL;

    if (equals == SIZE_MAX || key.length == 0) {
        return err_set(err, CODE_R0721, "a pax header at byte %" PRIu64 " has no key",
                       archive->offset);
    }
    if (text_has_prefix(key, TEXT("GNU.sparse."))) {
        return err_set(err, CODE_R0724, "a member at byte %" PRIu64 " is a sparse file",
                       archive->offset);
    }
    if (out == NULL) {
        return true; /* times, owners and other attributes are ignored */
    }
    if (archive->content == CONTENT_GLOBAL || out->data != NULL) {
        return err_set(err, CODE_R0721, "a pax header at byte %" PRIu64 " sets '%.*s' %s",
                       archive->offset, TEXT_ARG(key),
                       archive->content == CONTENT_GLOBAL ? "for all members" : "twice");
    }
    *out = text_from(arena_string(archive->words, value));
    out->length = value.length;
    return true;
}

MUST_CHECK static bool pax_take(struct archive *archive, struct text rest, struct err *err)
{
    while (rest.length > 0) {
        size_t blank = text_find_byte(text_slice(rest, 0, 8), ' ');
        int64_t length = 0;

        if (blank == SIZE_MAX || !text_parse_int64(text_slice(rest, 0, blank), &length) ||
            length <= (int64_t)blank + 1 || (uint64_t)length > rest.length ||
            rest.data[length - 1] != '\n') {
            return err_set(err, CODE_R0721, "a pax header at byte %" PRIu64 " is damaged",
                           archive->offset);
        }
        if (!pax_record_take(archive, text_slice(rest, blank + 1, (size_t)length - blank - 2),
                             err)) {
            return false;
        }
        rest = text_slice(rest, (size_t)length, rest.length);
    }
    return true;
}

/* Handles a complete header. */
MUST_CHECK static bool archive_header_take(struct archive *archive, struct err *err)
{
    struct text bytes = buf_text(&archive->header);
    struct text *out =
        archive->content == CONTENT_LONG_NAME ? &archive->long_name : &archive->long_link;

    if (archive->content == CONTENT_PAX || archive->content == CONTENT_GLOBAL) {
        return pax_take(archive, bytes, err);
    }
    if (out->data != NULL || bytes.length < 2 || bytes.data[bytes.length - 1] != '\0') {
        return err_set(err, CODE_R0721,
                       "a long name at byte %" PRIu64 " is damaged, or appears twice",
                       archive->offset);
    }
    *out = text_slice(bytes, 0, bytes.length - 1);
    return true;
}

/* ---- members ---- */

static const char *archive_kind_word(char type)
{
    return type == '1'                  ? "a hard link"
           : type == '3'                ? "a device"
           : type == '4'                ? "a device"
           : type == '6'                ? "a named pipe"
           : type == 'S'                ? "a sparse file"
           : type == 'D'                ? "a listing of a folder"
           : type == 'M'                ? "a part of a file"
           : type == 'V' || type == 'N' ? "an extension of GNU tar"
                                        : "of an unknown kind";
}

static struct text archive_name_make(struct archive *archive)
{
    struct text name = field(archive, TAR_NAME, TAR_NAME_BYTES);
    struct text prefix = field(archive, TAR_PREFIX, TAR_PREFIX_BYTES);
    bool is_gnu = memcmp(archive->block + TAR_MAGIC, TAR_MAGIC_GNU, TAR_MAGIC_BYTES) == 0;

    if (archive->long_name.data != NULL) {
        return archive->long_name;
    }
    if (is_gnu || prefix.length == 0) {
        return name; /* in GNU archives the prefix field contains times */
    }
    return arena_printf(archive->words, "%.*s/%.*s", TEXT_ARG(prefix), TEXT_ARG(name));
}

/* Reads the size of a member. A pax header overrides the member's own header. */
MUST_CHECK static bool archive_size_read(struct archive *archive, struct text name, uint64_t *out,
                                         struct err *err)
{
    uint64_t size;
    int64_t reported;

    if (!octal_read(archive->block + TAR_SIZE, TAR_SIZE_BYTES, &size)) {
        return err_set(err, CODE_R0725, "'%.*s' has a size that is too large, or none",
                       TEXT_ARG(name));
    }
    if (archive->size.data != NULL) {
        if (!text_parse_int64(archive->size, &reported) || reported < 0 ||
            (uint64_t)reported != size) {
            return err_set(err, CODE_R0721, "'%.*s' has two sizes", TEXT_ARG(name));
        }
    }
    if (size > REMOTE_BUNDLE_FILE_BYTES) {
        return err_set(err, CODE_R0725, "'%.*s' has %" PRIu64 " bytes, more than %d",
                       TEXT_ARG(name), size, REMOTE_BUNDLE_FILE_BYTES);
    }
    *out = size;
    return true;
}

static void content_expect(struct archive *archive, enum content content, uint64_t size)
{
    archive->content = content;
    archive->left = size;
    archive->padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
    archive->part = PART_CONTENT;
    buf_init(&archive->header, archive->words);
}

MUST_CHECK static bool extension_begin(struct archive *archive, char type, uint64_t size,
                                       struct err *err)
{
    archive->header_bytes += size + TAR_BLOCK;
    if (archive->header_bytes > REMOTE_HEADER_BYTES) {
        return err_set(err, CODE_R0725, "headers in front of one member have more than %d bytes",
                       REMOTE_HEADER_BYTES);
    }
    content_expect(archive,
                   type == 'x'   ? CONTENT_PAX
                   : type == 'g' ? CONTENT_GLOBAL
                   : type == 'L' ? CONTENT_LONG_NAME
                                 : CONTENT_LONG_LINK,
                   size);
    return true;
}

/* Drops the texts of pax and GNU headers, which apply to one member only. */
static void words_forget(struct archive *archive)
{
    arena_clear(archive->words);
    archive->long_name = archive->long_link = archive->size = (struct text){ 0 };
    archive->header_bytes = 0;
}

MUST_CHECK static bool member_begin(struct archive *archive, char type, struct text name,
                                    uint64_t size, struct err *err)
{
    struct archive_member member = { .name = name, .bytes = size, .offset = archive->offset };
    uint64_t mode;

    member.kind = type == '5' ? ARCHIVE_FOLDER : type == '2' ? ARCHIVE_LINK : ARCHIVE_FILE;
    member.link = member.kind != ARCHIVE_LINK       ? TEXT("")
                  : archive->long_link.data != NULL ? archive->long_link
                                                    : field(archive, TAR_LINK, TAR_NAME_BYTES);
    if (member.kind != ARCHIVE_FILE && size > 0) {
        return err_set(err, CODE_R0721, "'%.*s' is not a file, but has content", TEXT_ARG(name));
    }
    if (!octal_read(archive->block + TAR_MODE, TAR_MODE_BYTES, &mode) || mode > 07777) {
        return err_set(err, CODE_R0721, "'%.*s' has no mode", TEXT_ARG(name));
    }
    member.mode = (unsigned)mode;
    while (member.kind == ARCHIVE_FOLDER && member.name.length > 1 &&
           member.name.data[member.name.length - 1] == '/') {
        member.name.length--;
    }
    if (archive->members++ == REMOTE_BUNDLE_MEMBERS) {
        return err_set(err, CODE_R0725, "there are more than %d members", REMOTE_BUNDLE_MEMBERS);
    }
    if (!archive->member(archive->arg, &member, err)) {
        return false;
    }
    words_forget(archive);
    content_expect(archive, CONTENT_FILE, size);
    return true;
}

MUST_CHECK static bool block_take(struct archive *archive, struct err *err)
{
    char type = archive->block[TAR_TYPE] == '\0' ? '0' : archive->block[TAR_TYPE];
    const char *magic = archive->block + TAR_MAGIC;
    struct text name;
    uint64_t size = 0;

    if (block_is_empty(archive)) {
        archive->part = ++archive->empty == 2 ? PART_TAIL : PART_HEADER;
        return true;
    }
    if (archive->empty > 0 || !sum_is_right(archive)) {
        return err_set(err, CODE_R0721,
                       archive->empty > 0 ? "the archive continues after its end, at byte %" PRIu64
                                          : "the header at byte %" PRIu64 " has a wrong checksum",
                       archive->offset - TAR_BLOCK);
    }
    if (memcmp(magic, TAR_MAGIC_USTAR, TAR_MAGIC_BYTES) != 0 &&
        memcmp(magic, TAR_MAGIC_GNU, TAR_MAGIC_BYTES) != 0) {
        return err_set(err, CODE_R0721,
                       "the header at byte %" PRIu64 " is not a header of ustar, pax or GNU",
                       archive->offset - TAR_BLOCK);
    }
    name = archive_name_make(archive);
    if (!archive_size_read(archive, name, &size, err)) {
        return false;
    }
    if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
        return extension_begin(archive, type, size, err);
    }
    if (type != '0' && type != '2' && type != '5') {
        return err_set(err, CODE_R0724, "'%.*s' is %s", TEXT_ARG(name), archive_kind_word(type));
    }
    return member_begin(archive, type, name, size, err);
}

/* ---- the stream ---- */

MUST_CHECK static bool content_take(struct archive *archive, struct text *bytes, struct err *err)
{
    uint64_t most = archive->left > 0 ? archive->left : archive->padding;
    struct text piece = text_slice(*bytes, 0, most < bytes->length ? (size_t)most : bytes->length);

    if (archive->left > 0) {
        archive->left -= piece.length;
        if (archive->content != CONTENT_FILE) {
            buf_add(&archive->header, piece);
        }
    } else {
        archive->padding -= piece.length;
    }
    archive->offset += piece.length;
    *bytes = text_slice(*bytes, piece.length, bytes->length);
    if (archive->left > 0 || archive->padding > 0) {
        return true;
    }
    archive->part = PART_HEADER;
    return archive->content == CONTENT_FILE || archive_header_take(archive, err);
}

bool archive_feed(struct archive *archive, struct text bytes, struct err *err)
{
    while (bytes.length > 0 ||
           (archive->part == PART_CONTENT && archive->left + archive->padding == 0)) {
        if (archive->part == PART_CONTENT) {
            if (!content_take(archive, &bytes, err)) {
                return false;
            }
        } else if (archive->part == PART_TAIL) {
            for (size_t i = 0; i < bytes.length; i++) {
                if (bytes.data[i] != '\0') {
                    return err_set(err, CODE_R0721,
                                   "the archive continues after its end, at byte %" PRIu64,
                                   archive->offset + i);
                }
            }
            archive->offset += bytes.length;
            return true;
        } else {
            struct text piece = text_slice(bytes, 0, TAR_BLOCK - archive->have);

            memcpy(archive->block + archive->have, piece.data, piece.length);
            archive->have += piece.length;
            archive->offset += piece.length;
            bytes = text_slice(bytes, piece.length, bytes.length);
            if (archive->have == TAR_BLOCK) {
                archive->have = 0;
                if (!block_take(archive, err)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool archive_end(struct archive *archive, struct err *err)
{
    if (archive->part != PART_TAIL || archive->long_name.data != NULL ||
        archive->long_link.data != NULL) {
        return err_set(err, CODE_R0721,
                       "the archive is truncated: the mark of its end is expected at byte %" PRIu64,
                       archive->offset);
    }
    return true;
}
