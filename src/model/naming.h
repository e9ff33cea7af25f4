#ifndef REEVE_MODEL_NAMING_H
#define REEVE_MODEL_NAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"

/* The field `naming`: the format of member names in a group. {group} is the group's path with `-`
 * for `/`, {cluster} the cluster's name, {n} the number of the slot, {n:03} the same with leading
 * zeros. {n} occurs at most once. */

/* The format of a group that does not set the field. */
#define NAMING_DEFAULT "{group}-{n}"

enum naming_part_kind { NAMING_LITERAL, NAMING_GROUP, NAMING_CLUSTER, NAMING_NUMBER };

struct naming_part {
    enum naming_part_kind kind;
    struct text literal;
    unsigned width; /* width of a NAMING_NUMBER; 0: no leading zeros */
};

enum { NAMING_PARTS_MAX = 16 };

struct naming {
    struct naming_part parts[NAMING_PARTS_MAX];
    size_t part_count;
    bool has_number;
};

/* Parse a format. *out borrows the text. */
MUST_CHECK bool naming_parse(struct text format, struct naming *out, struct err *err);

/* A format with everything filled in except the number. A name is prefix, number, suffix. */
struct naming_affix {
    struct text prefix;
    struct text suffix;
    unsigned width;
    bool has_number;
};

/* Fill in a cluster and a group. The result lives in the arena. */
struct naming_affix naming_expand(struct arena *arena, const struct naming *naming,
                                  struct text cluster, struct text group_path);

/* Return the name of the slot with this number. */
struct text naming_format(struct arena *arena, const struct naming_affix *affix, uint64_t number);

/* Find the number in a name that the affix can produce; false for any other name. */
MUST_CHECK bool naming_number_of(const struct naming_affix *affix, struct text name,
                                 uint64_t *out_number);

/* Convert to the DNS-safe form in place: lower case, `_` and `.` become `-`, cut at 63 bytes.
 * Returns the new length. */
size_t naming_make_safe(char *name, size_t length);

/* Return all names of a group as a set in display notation: `web-[0-39]`, `web-0`, `web-[001-024]`.
 * The text lives in the arena. */
struct text naming_range_format(struct arena *arena, const struct naming_affix *affix,
                                uint64_t first, uint64_t count);

/* The names of one group, used to find clashes. */
struct naming_group {
    struct naming_affix affix;
    uint64_t first_number;
    uint64_t count;
};

/* Find the stem of a group: the DNS-safe prefix without the digits at its end. If the names of two
 * groups end in their numbers, the names can clash only if the stems are equal. Returns false if
 * the names of this group may clash with any other. The stem lives in the arena. */
bool naming_stem_find(struct arena *arena, const struct naming_group *group, struct text *out);

/* Two slots with the same name, or with the same DNS-safe name. */
struct naming_clash {
    size_t group_a; /* index in the array, the lower one */
    size_t group_b;
    uint64_t number; /* number of the slot of group_b */
};

/* Find name clashes among all members of a cluster and write them to `out`: at most one for each
 * group_b, and at most `limit` in total. The cost is linear in the number of groups if their
 * formats cannot clash, otherwise in the number of members. Returns the number of clashes. */
size_t naming_find_clashes(struct arena *arena, const struct naming_group *groups, size_t count,
                           struct naming_clash *out, size_t limit);

#endif
