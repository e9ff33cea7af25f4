#include "page/disk.h"

#include "base/buf.h"
#include "page/imports.h"
#include "page/table.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, FOLDER_DIGITS = 16 };

/* Placeholders in index.html. For the built-in page, embed.py replaces them. */
static const char modules_mark[] = "<!-- modules -->", folder_mark[] = "FOLDER";

struct page_disk {
    int folder;
};

/* ---- names of the page's files ---- */

/* Returns the media type of a file by the extension of its name; NULL: the page has no files of
 * this type. */
static const char *disk_type_of(struct text name)
{
    for (size_t i = 0; i < page_table_type_count; i++) {
        if (text_has_suffix(name, text_from(page_table_types[i].name))) {
            return page_table_types[i].value;
        }
    }
    return NULL;
}

/* Returns whether to skip a name: hidden files, and packages that npm has installed in the
 * folder. */
static bool is_passed_over(struct text part)
{
    return part.length == 0 || part.data[0] == '.' || text_is(part, "node_modules");
}

static bool is_of_page(struct text name)
{
    if (disk_type_of(name) == NULL || memchr(name.data, '\0', name.length) != NULL) {
        return false;
    }
    for (struct text rest = name; rest.length > 0;) {
        struct text part = text_slice(rest, 0, text_find_byte(rest, '/'));

        if (is_passed_over(part)) {
            return false;
        }
        rest = text_slice(rest, part.length + 1, rest.length);
    }
    return true;
}

/* ---- the current folder name ---- */

static uint64_t files_hash(int folder, uint64_t above, int depth);

/* Returns a hash that changes when the file changes; the bytes are not read. It includes the names
 * of the folders above it (`above`). */
static uint64_t entry_hash(int folder, const char *entry, uint64_t above, int depth)
{
    uint64_t name = text_hash(text_from(entry), above);
    struct stat status;

    if (is_passed_over(text_from(entry)) ||
        fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return 0;
    }
    if (S_ISDIR(status.st_mode)) {
        AUTO(fd) below = openat(folder, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        return below < 0 || depth == DEPTH_MAX ? 0 : files_hash(below, name, depth + 1);
    }
    if (S_ISREG(status.st_mode) && disk_type_of(text_from(entry)) != NULL) {
        uint64_t facts[] = { (uint64_t)status.st_ino, (uint64_t)status.st_size,
                             (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec };

        return text_hash((struct text){ (const char *)facts, sizeof(facts) }, name);
    }
    return 0;
}

/* Returns the sum of the hashes of all files, which does not depend on their order. */
static uint64_t files_hash(int folder, uint64_t above, int depth)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;
    uint64_t hash = 0;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        hash += entry_hash(folder, entry->d_name, above, depth);
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return hash;
}

struct text page_disk_folder(const struct page_disk *disk, struct arena *arena)
{
    /* includes the name of the built-in folder, because the libraries and verbs come from the
     * program */
    uint64_t hash = files_hash(disk->folder, text_hash(text_from(page_folder()), 0), 0);

    return arena_printf(arena, "%0*llx", FOLDER_DIGITS, (unsigned long long)hash);
}

bool page_disk_is_folder(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        if (memchr("0123456789abcdef", name.data[i], 16) == NULL) {
            return false;
        }
    }
    return name.length == FOLDER_DIGITS;
}

/* ---- files ---- */

bool page_disk_read(const struct page_disk *disk, struct arena *arena, struct text name,
                    struct page_disk_file *out, struct err *err)
{
    const struct page_file *made = page_find(name);
    struct err why = { .text = "no file of a page has such a name" };
    struct text bytes;

    if (made != NULL && made->is_made) {
        *out = (struct page_disk_file){ made->type, made->gzip, true };
        return true;
    }
    if (!is_of_page(name) || !file_read_beneath(arena, disk->folder, arena_string(arena, name),
                                                LIMIT_PAGE_FILE_BYTES, &bytes, &why)) {
        return err_set(err, CODE_R0423,
                       "the folder of --ui-dir has no file '%.*s' for the page: %s", TEXT_ARG(name),
                       why.text);
    }
    *out = (struct page_disk_file){ disk_type_of(name), bytes, false };
    if (text_has_suffix(name, TEXT(".js"))) {
        out->bytes = page_imports_resolve(arena, name, bytes);
    }
    return true;
}

/* Replaces each occurrence of `from` by `to`. */
static struct text replaced(struct arena *arena, struct text text, struct text from, struct text to)
{
    struct buf buf;

    assert(from.length > 0);
    buf_init(&buf, arena);
    for (size_t at = 0; at < text.length;) {
        if (text_is_equal(text_slice(text, at, from.length), from)) {
            buf_add(&buf, to);
            at += from.length;
        } else {
            buf_add_byte(&buf, text.data[at++]);
        }
    }
    return buf_text(&buf);
}

bool page_disk_start(const struct page_disk *disk, struct arena *arena, struct page_disk_file *out,
                     struct err *err)
{
    if (!page_disk_read(disk, arena, TEXT("index.html"), out, err)) {
        return false;
    }
    /* the list of modules stays empty: paths of modules are resolved when they are read */
    out->bytes = replaced(arena, out->bytes, text_from(modules_mark), TEXT(""));
    out->bytes = replaced(arena, out->bytes, text_from(folder_mark), page_disk_folder(disk, arena));
    return true;
}

/* ---- open and close ---- */

bool page_disk_open(struct arena *arena, const char *path, struct page_disk **out, struct err *err)
{
    static const char *const needed[] = { "index.html", "main.js" };
    AUTO(fd) folder = FD_NONE;
    struct err why;

    if (!page_is_there()) {
        return err_set(err, CODE_R0793,
                       "--ui-dir: this reeved was built without the libraries of the page");
    }
    if (!folder_open(path, &folder, &why)) {
        return err_set(err, CODE_R0792, "--ui-dir: %s", why.text);
    }
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        AUTO(fd) file = FD_NONE;

        if (!file_open_beneath(folder, needed[i], &file, &why)) {
            err_set(err, CODE_R0792, "--ui-dir: '%s' is not a folder of the page: %s", path,
                    why.text);
            return err_hint(err, "the folder web of reeve's source tree is one");
        }
    }
    *out = arena_one(arena, struct page_disk);
    (*out)->folder = folder;
    folder = FD_NONE;
    return true;
}

void page_disk_close(struct page_disk *disk)
{
    AUTO(fd) folder = disk == NULL ? FD_NONE : disk->folder;

    (void)folder;
}
