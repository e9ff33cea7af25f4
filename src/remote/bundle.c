#include "remote/bundle.h"

#include "base/sort.h"
#include "remote/bounds.h"
#include "remote/bundle_parts.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SCRIPT "bootstrap.sh"

enum {
    ITEMS_FIRST = 64,
    ARCHIVE_BLOCK = 512,
    DISK_BLOCK = 4096,
    SET_BITS = 06000,
    PROGRAM_BITS = 0111,
    PATH_NAME_BYTES = 60
};

/* ---- names ---- */

static bool name_is_ours(struct text name)
{
    return text_is(name, "output") || text_is(name, "stage-complete") || text_is(name, ".reeve");
}

/* Returns whether the text is valid UTF-8 without control characters. */
static bool is_bundle_visible(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte < 0x20 || byte == 0x7f) {
            return false;
        }
    }
    return text_find_bad_utf8(text) == SIZE_MAX;
}

/* Takes the next part of a name, up to a `/`. */
static struct text bundle_part_cut(struct text *rest)
{
    size_t end = text_find_byte(*rest, '/');
    struct text part = text_slice(*rest, 0, end == SIZE_MAX ? rest->length : end);

    *rest = end == SIZE_MAX ? (struct text){ 0 } : text_slice(*rest, end + 1, rest->length);
    return part;
}

/* Removes leading `./` from a name. *out is empty for the root folder of the bundle. */
MUST_CHECK static bool bundle_name_make(struct text reported, struct text *out, struct err *err)
{
    struct text name = reported;
    struct text rest;
    size_t depth = 0;

    if (!is_bundle_visible(name) || name.length > REMOTE_NAME_BYTES) {
        return err_set(err, name.length > REMOTE_NAME_BYTES ? CODE_R0725 : CODE_R0723,
                       name.length > REMOTE_NAME_BYTES
                           ? "a name has more than %d bytes"
                           : "a name has characters that are not printable, or is not UTF-8",
                       REMOTE_NAME_BYTES);
    }
    while (text_has_prefix(name, TEXT("./"))) {
        name = text_slice(name, 2, name.length);
    }
    if (text_is(name, ".") || (name.length == 0 && reported.length > 0)) {
        *out = TEXT("");
        return true;
    }
    if (name.length == 0 || name.data[0] == '/') {
        return err_set(err, CODE_R0723,
                       name.length == 0 ? "a member has no name%.*s" : "'%.*s' is an absolute name",
                       TEXT_ARG(name));
    }
    for (rest = name; rest.data != NULL; depth++) {
        struct text part = bundle_part_cut(&rest);

        if (part.length == 0 || text_is(part, ".") || text_is(part, "..")) {
            return err_set(err, CODE_R0723, "'%.*s' has an empty part, `.` or `..` in it",
                           TEXT_ARG(name));
        }
    }
    if (depth > REMOTE_NAME_DEPTH) {
        return err_set(err, CODE_R0725, "'%.*s' is more than %d folders deep", TEXT_ARG(name),
                       REMOTE_NAME_DEPTH);
    }
    *out = name;
    return true;
}

/* Returns whether a link stays inside the bundle. Its `..` parts must come first, and there must
 * not be more of them than the depth of the link's folder. All these folders are real folders,
 * because no member has a link in its path. */
static bool link_stays(struct text name, struct text link)
{
    struct text rest = name;
    size_t depth = 0;
    size_t up = 0;
    bool is_down = false;

    for (; rest.data != NULL; depth++) {
        (void)bundle_part_cut(&rest);
    }
    if (link.length == 0 || link.data[0] == '/') {
        return false;
    }
    for (rest = link; rest.data != NULL;) {
        struct text part = bundle_part_cut(&rest);

        if (text_is(part, "..")) {
            up++;
            if (is_down || up >= depth) {
                return false;
            }
        } else if (part.length > 0 && !text_is(part, ".")) {
            is_down = true;
        }
    }
    return true;
}

bool bundle_is_script(struct text name)
{
    return text_is(name, SCRIPT);
}

/* ---- collecting ---- */

MUST_CHECK static bool member_check(const struct archive_member *member, struct text name,
                                    struct err *err)
{
    if (name_is_ours(name)) {
        return err_set(err, CODE_R0723, "'%.*s' is a name that reeve itself uses in a stage",
                       TEXT_ARG(name));
    }
    if (member->kind == ARCHIVE_FILE && (member->mode & SET_BITS) != 0) {
        return err_set(err, CODE_R0724, "'%.*s' is a file with set-user-id or set-group-id",
                       TEXT_ARG(name));
    }
    if (member->kind == ARCHIVE_LINK &&
        (member->link.length > REMOTE_LINK_BYTES || !is_bundle_visible(member->link) ||
         !link_stays(name, member->link))) {
        return err_set(err, CODE_R0724, "'%.*s' is a link to a path outside of the bundle: '%.*s'",
                       TEXT_ARG(name), TEXT_ARG(text_slice(member->link, 0, REMOTE_LINK_BYTES)));
    }
    return true;
}

bool bundle_list_add(struct bundle_list *list, const struct archive_member *member,
                     struct bundle_item **out, struct err *err)
{
    struct bundle_item *item;
    struct text name;

    if (!bundle_name_make(member->name, &name, err) || !member_check(member, name, err)) {
        return false;
    }
    if (name.length == 0) {
        *out = NULL;
        return member->kind == ARCHIVE_FOLDER ||
               err_set(err, CODE_R0723, "a file has the name of the folder itself (.)");
    }
    list->bytes += member->bytes;
    if (list->count == REMOTE_BUNDLE_MEMBERS || list->bytes > REMOTE_BUNDLE_BYTES) {
        return err_set(err, CODE_R0725, "the bundle has more than %d members, or %d bytes",
                       REMOTE_BUNDLE_MEMBERS, REMOTE_BUNDLE_BYTES);
    }
    if (list->count == list->room) {
        size_t room = list->room == 0 ? ITEMS_FIRST : list->room * 2;

        list->items =
            arena_grow(list->arena, list->items, list->room * sizeof(*item), room * sizeof(*item));
        list->room = room;
    }
    item = &list->items[list->count++];
    *item = (struct bundle_item){ .kind = member->kind,
                                  .name = arena_text(list->arena, name),
                                  .link = arena_text(list->arena, member->link),
                                  .is_program = member->kind == ARCHIVE_FILE &&
                                                (member->mode & PROGRAM_BITS) != 0,
                                  .offset = member->offset,
                                  .bytes = member->bytes };
    *out = item;
    return true;
}

/* ---- the whole list ---- */

/* In this order `/` sorts before all other bytes, so that a folder comes directly before its
 * content. */
int bundle_name_compare(struct text a, struct text b)
{
    size_t i = 0;

    while (i < a.length && i < b.length && a.data[i] == b.data[i]) {
        i++;
    }
    if (i == a.length || i == b.length) {
        return (a.length > b.length) - (a.length < b.length);
    }
    return (a.data[i] == '/' ? -1 : (unsigned char)a.data[i]) -
           (b.data[i] == '/' ? -1 : (unsigned char)b.data[i]);
}

static int bundle_item_compare(const void *a, const void *b, void *arg)
{
    const struct bundle_item *left = a;
    const struct bundle_item *right = b;

    (void)arg;
    return bundle_name_compare(left->name, right->name);
}

bool bundle_is_beneath(struct text name, struct text folder)
{
    return name.length > folder.length && name.data[folder.length] == '/' &&
           text_has_prefix(name, folder);
}

/* Checks that names are unique and that only folders contain members. */
MUST_CHECK static bool tree_check(const struct bundle_list *list, struct err *err)
{
    for (size_t i = 0; i + 1 < list->count; i++) {
        const struct bundle_item *item = &list->items[i];
        const struct bundle_item *next = &list->items[i + 1];

        if (text_is_equal(item->name, next->name)) {
            return err_set(err, CODE_R0723, "'%.*s' appears twice", TEXT_ARG(item->name));
        }
        if (item->kind != ARCHIVE_FOLDER && bundle_is_beneath(next->name, item->name)) {
            return err_set(err, CODE_R0723, "'%.*s' is below '%.*s', which is not a folder",
                           TEXT_ARG(next->name), TEXT_ARG(item->name));
        }
    }
    return true;
}

/* Adds folders that the source archive lacks, because they are members of the canonical archive. */
static void folders_add(struct text *folder, struct text name, struct buf *buf, size_t *members)
{
    for (size_t i = 0; i < name.length; i++) {
        struct text part = text_slice(name, 0, i);

        if (name.data[i] == '/' && !text_is_equal(part, *folder) &&
            !bundle_is_beneath(*folder, part)) {
            struct archive_member member = { .kind = ARCHIVE_FOLDER, .name = part, .mode = 0755 };

            archive_add(buf, &member, TEXT(""));
            (*members)++;
            *folder = part;
        }
    }
}

MUST_CHECK static bool script_check(const struct bundle_list *list, struct err *err)
{
    const struct bundle_item *script = NULL;
    size_t line = 1;

    for (size_t i = 0; i < list->count; i++) {
        script = bundle_is_script(list->items[i].name) ? &list->items[i] : script;
    }
    if (script == NULL || script->kind != ARCHIVE_FILE || script->content.length == 0) {
        err_set(err, CODE_R0722,
                script == NULL                   ? "the bundle has no " SCRIPT
                : script->kind == ARCHIVE_FOLDER ? SCRIPT " is a folder"
                : script->kind == ARCHIVE_LINK   ? SCRIPT " is a link"
                                                 : SCRIPT " is empty");
        return err_hint(
            err, "a bundle is a folder, or a tar of the content of a folder, with a file " SCRIPT
                 " at its top");
    }
    if (script->content.length > REMOTE_SCRIPT_BYTES) {
        return err_set(err, CODE_R0725, SCRIPT " has more than %d bytes", REMOTE_SCRIPT_BYTES);
    }
    for (size_t i = 0; i + 1 < script->content.length; i++) {
        if (script->content.data[i] == '\r' && script->content.data[i + 1] == '\n') {
            err_set(err, CODE_R0722, "line %zu of " SCRIPT " ends in CR LF", line);
            return err_hint(err,
                            "a shell treats the CR as part of the line: sed -i 's/\\r$//' " SCRIPT);
        }
        line += script->content.data[i] == '\n';
    }
    return true;
}

bool bundle_list_check(const struct bundle_list *list, struct err *err)
{
    return tree_check(list, err) && (list->kind == BUNDLE_CONFIGURATION || script_check(list, err));
}

struct archive_member bundle_member(const struct bundle_item *item)
{
    return (struct archive_member){
        .kind = item->kind,
        .name = item->name,
        .link = item->link,
        .mode = item->kind == ARCHIVE_FOLDER || item->is_program ? 0755 : 0644,
        .bytes = item->bytes,
    };
}

uint64_t bundle_tree_bytes(const struct bundle_list *list)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < list->count; i++) {
        bytes += (list->items[i].bytes / DISK_BLOCK + 1) * DISK_BLOCK;
    }
    return bytes;
}

/* Returns an estimate of the size of the archive: a header and whole blocks per member, and the
 * end. */
static size_t archive_room(const struct bundle_list *list)
{
    return (size_t)list->bytes + (list->count * 2 + 4) * ARCHIVE_BLOCK;
}

bool bundle_list_finish(struct bundle_list *list, struct bundle *out, struct err *err)
{
    struct bundle bundle = { 0 };
    struct text folder = TEXT("");
    struct buf buf;

    sort_stable(list->arena, list->items, list->count, sizeof(*list->items), bundle_item_compare,
                NULL);
    if (!bundle_list_check(list, err)) {
        return false;
    }
    buf_init(&buf, list->arena);
    /* reserved at once, because growing the buffer would temporarily need more memory */
    (void)buf_reserve(&buf, archive_room(list));
    for (size_t i = 0; i < list->count; i++) {
        const struct bundle_item *item = &list->items[i];
        struct archive_member member = bundle_member(item);

        folders_add(&folder, item->name, &buf, &bundle.members);
        folder = item->kind == ARCHIVE_FOLDER ? item->name : folder;
        archive_add(&buf, &member, item->content);
        bundle.members++;
    }
    archive_finish(&buf);
    bundle.tree_bytes = bundle_tree_bytes(list);
    bundle.bytes = buf_text(&buf);
    if (bundle.bytes.length > REMOTE_BUNDLE_BYTES) {
        return err_set(err, CODE_R0725, "the bundle has more than %d bytes", REMOTE_BUNDLE_BYTES);
    }
    digest_sha256(bundle.bytes, bundle.digest);
    *out = bundle;
    return true;
}

/* ---- an archive ---- */

struct taking {
    struct bundle_list list;
    struct text bytes; /* bytes of the archive */
};

MUST_CHECK static bool bundle_member_take(void *arg, const struct archive_member *member,
                                          struct err *err)
{
    struct taking *taking = arg;
    struct bundle_item *item;

    if (!bundle_list_add(&taking->list, member, &item, err)) {
        return false;
    }
    if (item != NULL && item->kind == ARCHIVE_FILE) {
        item->content = text_slice(taking->bytes, (size_t)member->offset, (size_t)member->bytes);
    }
    return true;
}

const char *bundle_packed_word(struct text bytes)
{
    static const struct {
        struct text magic;
        const char *name;
    } kinds[] = { { TEXT("\x1f\x8b"), "gzip" },
                  { TEXT("\xfd"
                         "7zXZ"),
                    "xz" },
                  { TEXT("BZh"), "bzip2" },
                  { TEXT("\x28\xb5\x2f\xfd"), "zstd" },
                  { TEXT("PK\x03\x04"), "zip" } };

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (text_has_prefix(bytes, kinds[i].magic)) {
            return kinds[i].name;
        }
    }
    return NULL;
}

bool bundle_from_archive(struct arena *arena, enum bundle_kind kind, struct text bytes,
                         struct bundle *out, struct err *err)
{
    struct taking taking = { .list = { .arena = arena, .kind = kind }, .bytes = bytes };
    struct archive *archive;
    bool is_good;

    if (bundle_packed_word(bytes) != NULL) {
        err_set(err, CODE_R0721, "the file is packed with %s; it must be a plain tar archive",
                bundle_packed_word(bytes));
        return err_hint(err, "name the folder itself, or the uncompressed tar");
    }
    archive = archive_new(bundle_member_take, &taking);
    is_good = archive_feed(archive, bytes, err) && archive_end(archive, err);
    archive_free(archive);
    return is_good && bundle_list_finish(&taking.list, out, err);
}

bool bundle_read(struct arena *arena, enum bundle_kind kind, const char *path, struct bundle *out,
                 struct err *err)
{
    struct bundle_list list = { .arena = arena, .kind = kind };
    struct stat status;
    struct text bytes;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return bundle_list_folder(&list, path, err) && bundle_list_finish(&list, out, err);
    }
    if (!file_read(arena, path, REMOTE_BUNDLE_BYTES, &bytes, err)) {
        if (err->code == CODE_R0013) {
            return err_set(err, CODE_R0725, "the archive has more than %d bytes",
                           REMOTE_BUNDLE_BYTES);
        }
        return false;
    }
    return bundle_from_archive(arena, kind, bytes, out, err);
}

struct text bundle_path_name(struct arena *arena, struct text path)
{
    struct text rest = path;
    char *name;
    size_t length;

    while (rest.length > 1 && rest.data[rest.length - 1] == '/') {
        rest.length--;
    }
    for (size_t i = rest.length; i > 0; i--) {
        if (rest.data[i - 1] == '/') {
            rest = text_slice(rest, i, SIZE_MAX);
            break;
        }
    }
    length = text_has_suffix(rest, TEXT(".tar")) && rest.length > 4 ? rest.length - 4 : rest.length;
    name = arena_string(arena,
                        text_slice(rest, 0, length < PATH_NAME_BYTES ? length : PATH_NAME_BYTES));
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool is_good = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') ||
                       (i > 0 && name[i] == '-');

        name[i] = is_good                            ? name[i]
                  : name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a')
                  : i == 0                           ? 'b'
                                                     : '-';
    }
    return text_from(name);
}
