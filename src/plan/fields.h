#ifndef REEVE_PLAN_FIELDS_H
#define REEVE_PLAN_FIELDS_H

#include <assert.h>
#include <string.h>

#include "codec/doc.h"
#include "plan/compute.h"

/* names: plan_ */

/* Every field of what is decided on and of what is decided, as one table: it is written, read and shown by
 * walking the table, so that a field that stands here stands everywhere. The order is that of the written form:
 * a new field goes to the end of its sort, and what was written before is still read. */

/* How a field is held in memory. */
enum plan_shape {
    PLAN_SHAPE_FLAG,    /* bool */
    PLAN_SHAPE_COUNT,   /* uint32_t */
    PLAN_SHAPE_NUMBER,  /* uint64_t */
    PLAN_SHAPE_TIME,    /* uint64_t, milliseconds of the cluster's clock; 0 = never */
    PLAN_SHAPE_SPAN,    /* uint64_t, milliseconds from one thing to another */
    PLAN_SHAPE_WORD,    /* an enum, by its words */
    PLAN_SHAPE_INDEX,   /* size_t, PLAN_NONE = none */
    PLAN_SHAPE_TEXT,    /* struct text that is like no other: a token, an id */
    PLAN_SHAPE_COMMON,  /* struct text that many share: a path, a digest, a zone */
    PLAN_SHAPE_SEEN,    /* struct plan_seen */
    PLAN_SHAPE_TEXTS,   /* const struct text *, their number behind it */
    PLAN_SHAPE_CHOICES, /* const struct plan_choice *, their number behind it */
};

/* The words of an enum, by its values; "" is none. */
struct plan_words {
    const char *const *words;
    size_t count;
};

struct plan_field {
    const char *name; /* for people and programs */
    enum plan_shape shape;
    size_t offset;
    size_t bytes;        /* in memory, with its number where it has one */
    size_t count_offset; /* of TEXTS and CHOICES */
    const struct plan_words *words;
};

/* What has fields. */
enum plan_sort {
    PLAN_SORT_WORLD, /* the current state in it once */
    PLAN_SORT_SOURCE,
    PLAN_SORT_CHOICE,
    PLAN_SORT_GROUP,
    PLAN_SORT_RECORD,
    PLAN_SORT_ROW,
    PLAN_SORT_QUARANTINE,
    PLAN_SORT_LIMITS,
    PLAN_SORT_ACTION,
    PLAN_SORT_HOLD,
    PLAN_SORT_COUNT,
};

enum { PLAN_FIELDS_MAX = 64 }; /* of one sort: a mask has a bit for each */

struct plan_fields {
    const struct plan_field *items;
    size_t count;
    size_t bytes; /* of one in memory */
};

/* The fields of a sort. */
const struct plan_fields *plan_fields(enum plan_sort sort);

/* The number in a field that is COUNT, NUMBER, TIME, SPAN, WORD or INDEX. */
static inline uint64_t plan_field_number(const struct plan_field *field, const void *item)
{
    const char *at = (const char *)item + field->offset;
    uint64_t number = 0;
    uint32_t small = 0;

    if (field->bytes == sizeof(small)) {
        memcpy(&small, at, sizeof(small));
        return small;
    }
    assert(field->bytes == sizeof(number));
    memcpy(&number, at, sizeof(number));
    return number;
}

/* One item as a document {name: value}: what is empty, zero or false is left out; times as seconds before
 * now_ms ("12 s ago"), spans in seconds, both to a millisecond. For people and for programs that do not replay. */
struct doc plan_show(struct arena *arena, enum plan_sort sort, const void *item, uint64_t now_ms);

/* Which windows and bounds a rule goes by: names of fields of PLAN_SORT_LIMITS, parted by blanks; may be none. */
const char *plan_rule_limits(enum plan_rule rule);

#endif
