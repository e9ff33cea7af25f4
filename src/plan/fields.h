#ifndef REEVE_PLAN_FIELDS_H
#define REEVE_PLAN_FIELDS_H

#include <assert.h>
#include <string.h>

#include "codec/doc.h"
#include "plan/compute.h"

/* public names start with: plan_ */

/* The table of all fields of a world and of a plan. The functions that write, read and show items
 * iterate over this table, so one entry here covers all three. The order is that of the written
 * form: append a new field to the fields of its sort, so that older ledgers remain readable. */

/* The type of a field in memory. */
enum plan_shape {
    PLAN_SHAPE_FLAG,    /* bool */
    PLAN_SHAPE_COUNT,   /* uint32_t */
    PLAN_SHAPE_NUMBER,  /* uint64_t */
    PLAN_SHAPE_TIME,    /* uint64_t, milliseconds of the cluster's clock; 0 = never */
    PLAN_SHAPE_SPAN,    /* uint64_t, a duration in milliseconds */
    PLAN_SHAPE_WORD,    /* an enum, shown by the names of its values */
    PLAN_SHAPE_INDEX,   /* size_t, PLAN_NONE = none */
    PLAN_SHAPE_TEXT,    /* struct text with a unique value: a token, an id */
    PLAN_SHAPE_COMMON,  /* struct text that items share: a path, a digest, a zone */
    PLAN_SHAPE_SEEN,    /* struct plan_seen */
    PLAN_SHAPE_TEXTS,   /* const struct text *; its count is at count_offset */
    PLAN_SHAPE_CHOICES, /* const struct plan_choice *; its count is at count_offset */
};

/* The names of the values of an enum, indexed by value; "" marks a value without a name. */
struct plan_words {
    const char *const *words;
    size_t count;
};

struct plan_field {
    const char *name; /* shown to people and programs */
    enum plan_shape shape;
    size_t offset;
    size_t bytes;        /* size in memory, with the count if it has one */
    size_t count_offset; /* offset of the count, for TEXTS and CHOICES */
    const struct plan_words *words;
};

/* The kinds of items that have fields. */
enum plan_sort {
    PLAN_SORT_WORLD, /* the scalar fields of the world itself */
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

/* maximum number of fields of one sort; a mask has one bit for each */
enum { PLAN_FIELDS_MAX = 64 };

struct plan_fields {
    const struct plan_field *items;
    size_t count;
    size_t bytes; /* size of one item in memory */
};

/* Return the fields of a sort. */
const struct plan_fields *plan_fields(enum plan_sort sort);

/* Return the number in a field of shape COUNT, NUMBER, TIME, SPAN, WORD or INDEX. */
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

/* Returns one item as a document {name: value}. Empty, zero and false values are omitted. A time is
 * shown relative to now_ms ("12 s ago"), a duration in seconds, both to a millisecond. The document
 * is for display and for programs that do not replay. It lives in the arena. */
struct doc plan_show(struct arena *arena, enum plan_sort sort, const void *item, uint64_t now_ms);

/* Return the names of the limits on which a rule depends, as fields of PLAN_SORT_LIMITS, separated
 * by blanks; may be empty. */
const char *plan_rule_limits(enum plan_rule rule);

#endif
