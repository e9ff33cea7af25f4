#ifndef REEVE_MODEL_NAMING_H
#define REEVE_MODEL_NAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"

/* The field `naming`: how the members of a group are called. {group} is the group's path with `-`
 * for `/`, {cluster} the cluster's name, {n} the number of the slot, {n:03} the same filled with
 * zeros. {n} stands at most once. */

/* What a group without the field has. */
#define NAMING_DEFAULT "{group}-{n}"

enum naming_part_kind { NAMING_LITERAL, NAMING_GROUP, NAMING_CLUSTER, NAMING_NUMBER };

struct naming_part {
    enum naming_part_kind kind;
    struct text literal;
    unsigned width; /* of NAMING_NUMBER; 0 = as long as it is */
};

enum { NAMING_PARTS_MAX = 16 };

struct naming {
    struct naming_part parts[NAMING_PARTS_MAX];
    size_t part_count;
    bool has_number;
};

/* Read a format. Borrows the text. */
MUST_CHECK bool naming_parse(struct text format, struct naming *out, struct err *err);

/* A format with everything but the number filled in: names are prefix, number, suffix. */
struct naming_affix {
    struct text prefix;
    struct text suffix;
    unsigned width;
    bool has_number;
};

/* Fill in a cluster and a group. The result lives in the arena. */
struct naming_affix naming_expand(struct arena *arena, const struct naming *naming,
                                  struct text cluster, struct text group_path);

/* The name of the slot with this number. */
struct text naming_format(struct arena *arena, const struct naming_affix *affix, uint64_t number);

/* The number in a name that the affix could have made. False: it could not. */
MUST_CHECK bool naming_number_of(const struct naming_affix *affix, struct text name,
                                 uint64_t *out_number);

/* The DNS-safe form in place: lower case, `_` and `.` become `-`, cut at 63 bytes. Returns the new
 * length. */
size_t naming_make_safe(char *name, size_t length);

/* All names of a group as people write sets of them: `web-[0-39]`, `web-0`, `web-[001-024]`. */
struct text naming_range_format(struct arena *arena, const struct naming_affix *affix,
                                uint64_t first, uint64_t count);

/* One group whose names take part in a search for clashes. */
struct naming_group {
    struct naming_affix affix;
    uint64_t first_number;
    uint64_t count;
};

/* Groups whose names all end in their number meet only where their stems are the same: the safe prefix
 * without the digits at its end. False: this group's names do not tell their stem, and may meet any. The
 * stem lives in the arena. */
bool naming_stem_find(struct arena *arena, const struct naming_group *group, struct text *out);

/* Two slots that would have the same name, or the same DNS-safe name. */
struct naming_clash {
    size_t group_a; /* index in the array, the lower one */
    size_t group_b;
    uint64_t number; /* of the slot of group_b */
};

/* Find clashes among all members of a cluster: at most one for each group_b, at most `limit` in all,
 * written to `out`. Linear in the groups where their formats cannot meet, else in the members.
 * Returns their number. */
size_t naming_find_clashes(struct arena *arena, const struct naming_group *groups, size_t count,
                           struct naming_clash *out, size_t limit);

#endif
