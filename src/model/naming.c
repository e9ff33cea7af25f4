#include "model/naming.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/sort.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool is_literal_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

MUST_CHECK static bool parse_word(struct text word, struct naming_part *out, struct err *err)
{
    int64_t width;

    if (text_is(word, "group")) {
        *out = (struct naming_part){ .kind = NAMING_GROUP };
        return true;
    }
    if (text_is(word, "cluster")) {
        *out = (struct naming_part){ .kind = NAMING_CLUSTER };
        return true;
    }
    if (text_is(word, "n")) {
        *out = (struct naming_part){ .kind = NAMING_NUMBER };
        return true;
    }
    if (text_has_prefix(word, TEXT("n:0")) && word.length == 4 &&
        text_parse_int64(text_slice(word, 3, 1), &width) && width >= 1) {
        *out = (struct naming_part){ .kind = NAMING_NUMBER, .width = (unsigned)width };
        return true;
    }
    err_set(err, CODE_R0312, "naming has the unknown placeholder '{%.*s}'", TEXT_ARG(word));
    return err_hint(err, "it supports {group}, {cluster}, {n} and {n:03} (width 1 to %d)",
                    LIMIT_NAMING_WIDTH);
}

/* Parse the next part: a word in braces, or all bytes up to the next brace. */
MUST_CHECK static bool part_parse(struct text *rest, struct naming_part *out, struct err *err)
{
    size_t length = 0;

    if (rest->data[0] == '{') {
        size_t end = text_find_byte(*rest, '}');

        if (end == SIZE_MAX) {
            return err_set(err, CODE_R0312, "naming has a '{' without its '}'");
        }
        if (!parse_word(text_slice(*rest, 1, end - 1), out, err)) {
            return false;
        }
        *rest = text_slice(*rest, end + 1, rest->length);
        return true;
    }
    while (length < rest->length && is_literal_byte(rest->data[length])) {
        length++;
    }
    if (length == 0) {
        for (length = 1; length < rest->length && (rest->data[length] & 0xc0) == 0x80;) {
            length++; /* a character may have several bytes */
        }
        err_set(err, CODE_R0312, "naming cannot have '%.*s' in it", (int)length, rest->data);
        return err_hint(err, "letters, digits, '_', '.', '-' and words in braces");
    }
    *out = (struct naming_part){ .kind = NAMING_LITERAL, .literal = text_slice(*rest, 0, length) };
    *rest = text_slice(*rest, length, rest->length);
    return true;
}

bool naming_parse(struct text format, struct naming *out, struct err *err)
{
    struct naming naming = { .part_count = 0 };
    struct text rest = format;

    assert(out != NULL);
    if (format.length == 0) {
        return err_set(err, CODE_R0312, "naming is empty");
    }
    while (rest.length > 0) {
        struct naming_part *part = &naming.parts[naming.part_count];

        if (naming.part_count == NAMING_PARTS_MAX) {
            return err_set(err, CODE_R0312, "naming has more than %d parts", NAMING_PARTS_MAX);
        }
        if (!part_parse(&rest, part, err)) {
            return false;
        }
        if (part->kind == NAMING_NUMBER && naming.has_number) {
            return err_set(err, CODE_R0312, "naming has {n} twice");
        }
        naming.has_number = naming.has_number || part->kind == NAMING_NUMBER;
        naming.part_count++;
    }
    *out = naming;
    return true;
}

static void part_expand(struct buf *buf, const struct naming_part *part, struct text cluster,
                        struct text group_path)
{
    if (part->kind == NAMING_LITERAL) {
        buf_add(buf, part->literal);
    } else if (part->kind == NAMING_CLUSTER) {
        buf_add(buf, cluster);
    } else {
        assert(part->kind == NAMING_GROUP);
        for (size_t i = 0; i < group_path.length; i++) {
            buf_add_bytes(buf, group_path.data[i] == '/' ? '-' : group_path.data[i], 1);
        }
    }
}

struct naming_affix naming_expand(struct arena *arena, const struct naming *naming,
                                  struct text cluster, struct text group_path)
{
    struct naming_affix affix = { .has_number = naming->has_number };
    struct buf prefix;
    struct buf suffix;
    struct buf *buf = &prefix;

    buf_init(&prefix, arena);
    buf_init(&suffix, arena);
    for (size_t i = 0; i < naming->part_count; i++) {
        if (naming->parts[i].kind == NAMING_NUMBER) {
            affix.width = naming->parts[i].width;
            buf = &suffix;
        } else {
            part_expand(buf, &naming->parts[i], cluster, group_path);
        }
    }
    affix.prefix = prefix.length == 0 ? TEXT("") : buf_text(&prefix);
    affix.suffix = suffix.length == 0 ? TEXT("") : buf_text(&suffix);
    return affix;
}

/* Write the digits of a number with leading zeros up to the width, which is below 10. */
static struct text number_format(unsigned width, uint64_t number, char room[static 20])
{
    struct text digits = text_digits(number, room);

    assert(width <= 9);
    while (digits.length < width) {
        digits.data--;
        room[20 - ++digits.length] = '0';
    }
    return digits;
}

struct text naming_format(struct arena *arena, const struct naming_affix *affix, uint64_t number)
{
    char room[20];
    struct text digits;

    if (!affix->has_number) {
        return affix->prefix;
    }
    digits = number_format(affix->width, number, room);
    return arena_printf(arena, "%.*s%.*s%.*s", TEXT_ARG(affix->prefix), TEXT_ARG(digits),
                        TEXT_ARG(affix->suffix));
}

bool naming_number_of(const struct naming_affix *affix, struct text name, uint64_t *out_number)
{
    struct text digits;
    int64_t number;

    if (!affix->has_number) {
        *out_number = 0;
        return text_is_equal(name, affix->prefix);
    }
    if (name.length < affix->prefix.length + affix->suffix.length + 1 ||
        !text_has_prefix(name, affix->prefix) || !text_has_suffix(name, affix->suffix)) {
        return false;
    }
    digits = text_slice(name, affix->prefix.length,
                        name.length - affix->prefix.length - affix->suffix.length);
    if (digits.data[0] == '-' || !text_parse_int64(digits, &number)) {
        return false;
    }
    if (digits.length < affix->width ||
        (digits.length > (affix->width > 1 ? affix->width : 1) && digits.data[0] == '0')) {
        /* This is not the spelling that naming_format() produces. */
        return false;
    }
    *out_number = (uint64_t)number;
    return true;
}

size_t naming_make_safe(char *name, size_t length)
{
    if (length > LIMIT_MEMBER_NAME_BYTES) {
        length = LIMIT_MEMBER_NAME_BYTES;
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] >= 'A' && name[i] <= 'Z') {
            name[i] = (char)(name[i] - 'A' + 'a');
        } else if (name[i] == '_' || name[i] == '.') {
            name[i] = '-';
        }
    }
    return length;
}

struct text naming_range_format(struct arena *arena, const struct naming_affix *affix,
                                uint64_t first, uint64_t count)
{
    char rooms[2][20];
    struct text from;
    struct text to;

    assert(count > 0);
    if (count == 1 || !affix->has_number) {
        return naming_format(arena, affix, first);
    }
    from = number_format(affix->width, first, rooms[0]);
    to = number_format(affix->width, first + count - 1, rooms[1]);
    return arena_printf(arena, "%.*s[%.*s-%.*s]%.*s", TEXT_ARG(affix->prefix), TEXT_ARG(from),
                        TEXT_ARG(to), TEXT_ARG(affix->suffix));
}

/* ---- clashes ----
 *
 * The stem of a name that ends in its number is the part before the digits at its end. Groups with
 * different stems cannot clash, and a group never clashes with itself. So only groups that share a
 * stem are compared name by name. This does not hold if a format has text after the number, or if a
 * name is long enough to be cut. Then all names of the cluster are compared by hash. */

struct candidate {
    size_t group;
    struct text stem;
};

/* Write the safe form of one name to `out` and return its length. */
static size_t naming_name_write(const struct naming_group *group, uint64_t number, char *out,
                                size_t room)
{
    const struct naming_affix *affix = &group->affix;
    int length;

    if (affix->has_number) {
        length = snprintf(out, room, "%.*s%0*llu%.*s", TEXT_ARG(affix->prefix), (int)affix->width,
                          (unsigned long long)number, TEXT_ARG(affix->suffix));
    } else {
        length = snprintf(out, room, "%.*s", TEXT_ARG(affix->prefix));
    }
    assert(length >= 0);
    return naming_make_safe(out, (size_t)length < room ? (size_t)length : room - 1);
}

struct seen {
    uint64_t hash; /* hash of the name; 0: the entry is free */
    uint32_t group;
    uint32_t offset; /* number - first_number */
};

struct table {
    struct seen *slots;
    size_t mask;
};

/* Return the entry with the same name, or the free entry for it. */
static struct seen *table_find(const struct table *table, const struct naming_group *groups,
                               struct text name, uint64_t hash)
{
    char other[LIMIT_MEMBER_NAME_BYTES + 1];

    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        struct seen *seen = &table->slots[at];

        if (seen->hash == 0) {
            return seen;
        }
        if (seen->hash == hash) {
            const struct naming_group *group = &groups[seen->group];
            size_t length =
                naming_name_write(group, group->first_number + seen->offset, other, sizeof(other));

            if (text_is_equal(name, (struct text){ other, length })) {
                return seen;
            }
        }
    }
}

/* Compare the names of these groups one by one. *out is the total number of clashes. */
static size_t names_compare(struct arena *arena, const struct naming_group *groups,
                            const struct candidate *candidates, size_t count,
                            struct naming_clash *out, size_t found, size_t limit)
{
    struct arena_mark mark = arena_mark(arena);
    struct table table;
    size_t room = 64;
    uint64_t names = 0;

    for (size_t i = 0; i < count; i++) {
        names += groups[candidates[i].group].count;
    }
    while (room < names * 2) {
        room *= 2;
    }
    table = (struct table){ arena_array(arena, struct seen, room), room - 1 };
    for (size_t i = 0; i < count && found < limit; i++) {
        const struct naming_group *group = &groups[candidates[i].group];

        for (uint64_t offset = 0; offset < group->count; offset++) {
            char name[LIMIT_MEMBER_NAME_BYTES + 1];
            size_t length =
                naming_name_write(group, group->first_number + offset, name, sizeof(name));
            uint64_t hash = text_hash((struct text){ name, length }, 0) | 1;
            struct seen *seen = table_find(&table, groups, (struct text){ name, length }, hash);

            if (seen->hash != 0) {
                out[found++] = (struct naming_clash){
                    .group_a = seen->group,
                    .group_b = candidates[i].group,
                    .number = group->first_number + offset,
                };
                break;
            }
            *seen = (struct seen){ hash, (uint32_t)candidates[i].group, (uint32_t)offset };
        }
    }
    arena_rewind(arena, mark);
    return found;
}

static int candidate_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct candidate *)a)->stem, ((const struct candidate *)b)->stem);
}

bool naming_stem_find(struct arena *arena, const struct naming_group *group, struct text *out)
{
    char *stem = arena_string(arena, group->affix.prefix);
    size_t length = naming_make_safe(stem, group->affix.prefix.length);

    while (length > 0 && stem[length - 1] >= '0' && stem[length - 1] <= '9') {
        length--;
    }
    *out = (struct text){ stem, length };
    return group->affix.suffix.length == 0 &&
           group->affix.prefix.length + 20 <= LIMIT_MEMBER_NAME_BYTES;
}

size_t naming_find_clashes(struct arena *arena, const struct naming_group *groups, size_t count,
                           struct naming_clash *out, size_t limit)
{
    struct candidate *candidates = arena_array(arena, struct candidate, count);
    bool is_simple = true;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        assert(groups[i].count <= UINT32_MAX);
        candidates[i] = (struct candidate){ .group = i };
        is_simple = naming_stem_find(arena, &groups[i], &candidates[i].stem) && is_simple;
    }
    if (!is_simple) {
        found = names_compare(arena, groups, candidates, count, out, 0, limit);
    } else {
        sort_stable(arena, candidates, count, sizeof(*candidates), candidate_compare, NULL);
        for (size_t start = 0, end; start < count && found < limit; start = end) {
            end = start + 1;
            while (end < count && text_is_equal(candidates[start].stem, candidates[end].stem)) {
                end++;
            }
            if (end - start > 1) {
                found = names_compare(arena, groups, candidates + start, end - start, out, found,
                                      limit);
            }
        }
    }
    return found;
}
