#ifndef REEVE_REMOTE_BUNDLE_PARTS_H
#define REEVE_REMOTE_BUNDLE_PARTS_H

#include "remote/archive.h"
#include "remote/bundle.h"

/* private to src/remote */
/* public names start with: bundle_ */

/* A member with its content. */
struct bundle_item {
    enum archive_kind kind;
    struct text name; /* without leading ./ and without trailing / */
    struct text link;
    bool is_program;
    struct text content;
    uint64_t offset; /* position of the content in the source archive */
    uint64_t bytes;  /* length of the content */
};

struct bundle_list {
    struct arena *arena;
    enum bundle_kind kind;
    struct bundle_item *items;
    size_t count;
    size_t room;
    uint64_t bytes; /* total size of all contents */
};

/* Adds a member. Its name is spelled as in the source. Fails with R0723, R0724 or R0725. *out is
 * the new item, in which the caller sets the content of a file. *out is NULL for the bundle's root
 * folder, which is not a member. */
MUST_CHECK bool bundle_list_add(struct bundle_list *list, const struct archive_member *member,
                                struct bundle_item **out, struct err *err);

bool bundle_is_script(struct text name);

/* Returns whether the name lies in this folder or in one of its subfolders. */
bool bundle_is_beneath(struct text name, struct text folder);

/* Returns the member as it is written into the canonical archive. */
struct archive_member bundle_member(const struct bundle_item *item);

/* Compares names in the order of the canonical archive. The result is negative, 0 or positive. A
 * folder comes directly before its content. */
int bundle_name_compare(struct text a, struct text b);

/* Checks the properties of the whole list, which must be sorted. Fails with R0722, R0723 or
 * R0725. */
MUST_CHECK bool bundle_list_check(const struct bundle_list *list, struct err *err);

/* Returns the approximate disk usage of the expanded bundle in bytes. */
uint64_t bundle_tree_bytes(const struct bundle_list *list);

/* Sorts the members, checks the list, and writes the canonical archive. */
MUST_CHECK bool bundle_list_finish(struct bundle_list *list, struct bundle *out, struct err *err);

/* Returns the name of the compression format that the first bytes indicate, or NULL. */
const char *bundle_packed_word(struct text bytes);

/* Adds a folder and its whole content. */
MUST_CHECK bool bundle_list_folder(struct bundle_list *list, const char *path, struct err *err);

#endif
