#include "remote/bundle_check.h"

#include "remote/bounds.h"
#include "remote/bundle_parts.h"
#include "sys/digest.h"

/* Parses each piece for its members, which must be in canonical order. Then adds the canonical form
 * up to the end of the piece to the second digest: the headers once per member, the content as
 * received, and the padding. */

struct bundle_check {
    struct arena *memory;
    struct archive *archive;
    struct bundle_list list;
    struct buf script; /* content of bootstrap.sh */
    struct digest_stream *came;
    struct digest_stream *ours;
    uint64_t bytes; /* number of received bytes */
    size_t member;  /* index of the member whose canonical form comes next */
    bool has_head;  /* the headers of that member are in the digest, and `content` bytes of its
                     * content */
    uint64_t content;
    char head[8]; /* first bytes of the archive */
    size_t head_bytes;
};

/* Returns whether the item is at its canonical position: sorted, and after its folder. */
static bool is_bundle_check_in_place(const struct bundle_list *list, const struct bundle_item *item)
{
    struct text before = list->count > 1 ? item[-1].name : TEXT("");
    struct text folder = item->name;

    while (folder.length > 0 && folder.data[folder.length - 1] != '/') {
        folder.length--;
    }
    folder.length -= folder.length > 0 ? 1 : 0;
    return (list->count == 1 || bundle_name_compare(before, item->name) < 0) &&
           (folder.length == 0 || text_is_equal(before, folder) ||
            bundle_is_beneath(before, folder));
}

MUST_CHECK static bool bundle_check_member_take(void *arg, const struct archive_member *member,
                                                struct err *err)
{
    struct bundle_check *check = arg;
    struct bundle_list *list = &check->list;
    struct bundle_item *item;

    if (!bundle_list_add(list, member, &item, err)) {
        return false;
    }
    if (item == NULL || !is_bundle_check_in_place(list, item)) {
        return err_set(err, CODE_R0721, "'%.*s' is not at its canonical position in the archive",
                       TEXT_ARG(member->name));
    }
    return item->bytes <= REMOTE_SCRIPT_BYTES || !bundle_is_script(item->name) ||
           err_set(err, CODE_R0725, "%.*s has more than %d bytes", TEXT_ARG(item->name),
                   REMOTE_SCRIPT_BYTES);
}

struct bundle_check *bundle_check_new(enum bundle_kind kind)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct bundle_check *check = arena_one(memory, struct bundle_check);

    *check = (struct bundle_check){ .memory = memory,
                                    .list = { .arena = memory, .kind = kind },
                                    .came = digest_stream_new(),
                                    .ours = digest_stream_new() };
    check->archive = archive_new(bundle_check_member_take, check);
    buf_init(&check->script, memory);
    return check;
}

/* Returns the part of a member's content that lies in `bytes`. These are the archive's bytes from
 * position `from` to `check->bytes`. */
static struct text content_of(const struct bundle_check *check, const struct bundle_item *item,
                              struct text bytes)
{
    uint64_t from = check->bytes - bytes.length;
    uint64_t begin = item->offset + check->content;
    uint64_t end = item->offset + item->bytes;

    end = end < check->bytes ? end : check->bytes;
    return begin < end ? text_slice(bytes, (size_t)(begin - from), (size_t)(end - begin))
                       : TEXT("");
}

static void bundle_check_head_add(struct bundle_check *check, const struct bundle_item *item)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct archive_member member = bundle_member(item);
    struct buf buf;

    buf_init(&buf, arena);
    archive_add_head(&buf, &member);
    digest_stream_add(check->ours, buf_text(&buf));
    check->has_head = true;
    check->content = 0;
}

static void ours_add(struct bundle_check *check, struct text bytes)
{
    static const char zeros[512];

    while (check->member < check->list.count) {
        struct bundle_item *item = &check->list.items[check->member];
        struct text content;

        if (!check->has_head) {
            bundle_check_head_add(check, item);
        }
        if (item->kind == ARCHIVE_FILE) {
            content = content_of(check, item, bytes);
            digest_stream_add(check->ours, content);
            check->content += content.length;
            if (bundle_is_script(item->name)) {
                buf_add(&check->script, content);
                item->content = buf_text(&check->script);
            }
            if (check->content < item->bytes) {
                return;
            }
            digest_stream_add(check->ours, (struct text){ zeros, archive_padding(item->bytes) });
        }
        check->member++;
        check->has_head = false;
    }
}

bool bundle_check_feed(struct bundle_check *check, struct text bytes, struct err *err)
{
    for (size_t i = 0; i < bytes.length && check->head_bytes < sizeof(check->head); i++) {
        check->head[check->head_bytes++] = bytes.data[i];
    }
    if (bundle_packed_word((struct text){ check->head, check->head_bytes }) != NULL) {
        return err_set(err, CODE_R0721,
                       "the file is packed with %s; it must be a plain tar archive",
                       bundle_packed_word((struct text){ check->head, check->head_bytes }));
    }
    if (!archive_feed(check->archive, bytes, err)) {
        return false;
    }
    check->bytes += bytes.length;
    digest_stream_add(check->came, bytes);
    ours_add(check, bytes);
    return true;
}

/* Compares a digest stream with a digest and frees it, because a stream can be finished only
 * once. */
static bool is_digest_of(struct digest_stream **stream, struct text digest)
{
    char found[DIGEST_TEXT_BYTES];

    digest_stream_end(*stream, found);
    *stream = NULL;
    return text_is(digest, found);
}

bool bundle_check_end(struct bundle_check *check, struct text digest, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct buf buf;

    if (!archive_end(check->archive, err) || !bundle_list_check(&check->list, err)) {
        return false;
    }
    buf_init(&buf, arena);
    archive_finish(&buf);
    digest_stream_add(check->ours, buf_text(&buf));
    if (!is_digest_of(&check->came, digest)) {
        return err_set(err, CODE_R0721, "the received bytes are not the bundle %.*s",
                       TEXT_ARG(digest));
    }
    return is_digest_of(&check->ours, digest) ||
           err_set(err, CODE_R0721, "the archive is not in canonical form");
}

void bundle_check_free(struct bundle_check *check)
{
    char digest[DIGEST_TEXT_BYTES];

    if (check != NULL) {
        if (check->came != NULL) {
            digest_stream_end(check->came, digest);
        }
        if (check->ours != NULL) {
            digest_stream_end(check->ours, digest);
        }
        archive_free(check->archive);
        arena_free(check->memory);
    }
}
