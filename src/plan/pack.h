#ifndef REEVE_PLAN_PACK_H
#define REEVE_PLAN_PACK_H

#include "base/buf.h"
#include "plan/fields.h"

/* public names start with: pack_ unpack_ */

/* A compact form of items (plan/fields.h). Each item is a mask and the fields that differ from an
 * earlier item. Numbers are written as differences, in seven bits a byte. A shared text is written
 * once and then referenced by its distance. Hexadecimal text takes half the bytes. The same items
 * give the same bytes. */

enum { PACK_RECENT = 32 }; /* shared texts that can be referenced */

/* The state of a writer. */
struct pack {
    struct buf out;
    struct text recent[PACK_RECENT];
    size_t count; /* number of shared texts so far */
};

void pack_init(struct pack *pack, struct arena *arena);
void pack_number(struct pack *pack, uint64_t number);
void pack_text(struct pack *pack, struct text text);

/* Write an item as the difference from `former`. NULL means an item of zeros. */
void pack_item(struct pack *pack, enum plan_sort sort, const void *item, const void *former);

/* The state of a reader. Texts borrow from the bytes or live in the arena. After the first error
 * is_bad is true, and all further reads return zero. */
struct unpack {
    struct arena *arena;
    struct text rest;
    struct text recent[PACK_RECENT];
    size_t count;
    bool is_bad;
};

void unpack_init(struct unpack *unpack, struct arena *arena, struct text bytes);
uint64_t unpack_number(struct unpack *unpack);
struct text unpack_text(struct unpack *unpack);

/* Reads a count of items that take at least one byte each. */
size_t unpack_count(struct unpack *unpack);

void unpack_item(struct unpack *unpack, enum plan_sort sort, void *out, const void *former);

#endif
