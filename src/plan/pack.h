#ifndef REEVE_PLAN_PACK_H
#define REEVE_PLAN_PACK_H

#include "base/buf.h"
#include "plan/fields.h"

/* names: pack_ unpack_ */

/* Items (plan/fields.h) as few bytes: of each the fields in which it differs from a former one, a mask before
 * them. Numbers as differences in seven bits a byte; texts that many share are written once and then named by how
 * long ago; hexadecimal takes half. The same items give the same bytes. */

enum { PACK_RECENT = 32 }; /* shared texts that can be named */

/* What is being written. */
struct pack {
    struct buf out;
    struct text recent[PACK_RECENT];
    size_t count; /* of shared texts so far */
};

void pack_init(struct pack *pack, struct arena *arena);
void pack_number(struct pack *pack, uint64_t number);
void pack_text(struct pack *pack, struct text text);

/* NULL as former: one that is all zero. */
void pack_item(struct pack *pack, enum plan_sort sort, const void *item, const void *former);

/* What is being read. Texts are borrowed from the bytes or live in the arena. After the first fault is_bad is set
 * and everything that is read is zero. */
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

/* A number of things of which each takes a byte at least. */
size_t unpack_count(struct unpack *unpack);

void unpack_item(struct unpack *unpack, enum plan_sort sort, void *out, const void *former);

#endif
