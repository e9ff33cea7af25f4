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

/* Check what only the whole can tell, and write it. */
MUST_CHECK bool bundle_list_finish(struct bundle_list *list, struct bundle *out, struct err *err);

/* Add a folder and all that is in it. */
MUST_CHECK bool bundle_list_folder(struct bundle_list *list, const char *path, struct err *err);

#endif
