#ifndef REEVE_REMOTE_BUNDLE_PARTS_H
#define REEVE_REMOTE_BUNDLE_PARTS_H

#include "remote/archive.h"
#include "remote/bundle.h"

/* names: bundle_ */

/* A member, with what is in it. */
struct bundle_item {
    enum archive_kind kind;
    struct text name; /* plain: no ./ before it, no / behind it */
    struct text link;
    bool is_program;
    struct text content;
    uint64_t offset; /* of it, in the archive that it came in, */
    uint64_t bytes;  /* and its length */
};

struct bundle_list {
    struct arena *arena;
    struct bundle_item *items;
    size_t count;
    size_t room;
    uint64_t bytes; /* of all contents */
};

/* Add a member as it is spelled (R0723, R0724, R0725); its content, if it is a file, is set by the caller in the item that comes
 * back; NULL for the folder itself, which is no member. */
MUST_CHECK bool bundle_list_add(struct bundle_list *list, const struct archive_member *member,
                                struct bundle_item **out, struct err *err);

bool bundle_is_script(struct text name);

/* Does the name lie in this folder, or in one of its folders? */
bool bundle_is_beneath(struct text name, struct text folder);

/* How an item stands in what we write. */
struct archive_member bundle_member(const struct bundle_item *item);

/* In the order of what is written: below 0, 0, above 0. A folder stands right before what is in it. */
int bundle_name_compare(struct text a, struct text b);

/* Of a list in that order: check what only the whole can tell (R0722, R0723, R0725). */
MUST_CHECK bool bundle_list_check(const struct bundle_list *list, struct err *err);

/* What it takes on a disk when it is expanded, about. */
uint64_t bundle_tree_bytes(const struct bundle_list *list);

/* Sort, check and write it. */
MUST_CHECK bool bundle_list_finish(struct bundle_list *list, struct bundle *out, struct err *err);

/* What people give instead of a tar, by its first bytes; NULL: nothing of that sort. */
const char *bundle_packed_word(struct text bytes);

/* Add a folder and all that is in it. */
MUST_CHECK bool bundle_list_folder(struct bundle_list *list, const char *path, struct err *err);

#endif
