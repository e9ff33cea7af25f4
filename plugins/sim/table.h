#ifndef REEVE_SIM_TABLE_H
#define REEVE_SIM_TABLE_H

#include "reeve/plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machines, in two files of one folder: `machines`, rows of one size, and `kinds`, what many rows have alike, each
 * written once and never changed. A row is a machine as soon as it has its mark, and none when that is gone: whoever is
 * killed in between leaves one or the other.
 *
 * Not to be called from two threads at once. */

enum { TABLE_TEXT_BYTES = 48, TABLE_KIND_TAGS = 16 };

/* One machine. Its place is its number; it stays there for as long as it is a machine. */
struct table_row {
    uint64_t mark; /* TABLE_MARK: it is a machine */
    uint64_t slot;
    uint64_t running_ms; /* wall clock: from then on it runs */
    uint32_t kind;
    uint32_t is_stopped;
    char token[TABLE_TEXT_BYTES]; /* end with a NUL */
    char mac[TABLE_TEXT_BYTES];
};

/* What the machines of a group have alike. */
struct table_kind {
    struct reeve_text cluster;
    struct reeve_text zone;
    struct reeve_tag tags[TABLE_KIND_TAGS];
    uint32_t tag_count;
};

/* A cluster, and the first of its rows. */
struct table_cluster {
    struct reeve_text name;
    uint32_t first; /* number + 1; 0: it has none */
    uint32_t first_kind;
    uint64_t changes;    /* since this process began */
    uint64_t settled_ms; /* from then on nothing of it changes by itself */
};

struct table;

/* Open it, or make it. NULL: *why says why not. */
struct table *table_open(struct reeve_text folder, const char **why);
void table_close(struct table *table);

/* The cluster of this name; `is_made`: made where there is none, else NULL. */
struct table_cluster *table_cluster(struct table *table, struct reeve_text name, bool is_made);

/* The number of the kind that is like this, made where there is none. False: the disk is full. */
bool table_kind_make(struct table *table, const struct table_kind *like, uint32_t *out);
const struct table_kind *table_kind_at(const struct table *table, uint32_t number);

/* The machine of a cluster by its token; NULL: there is none. Valid until a row is added. */
struct table_row *table_find(struct table *table, struct reeve_text cluster,
                             struct reeve_text token);

/* Add a machine: `row` with its kind and texts. False: the disk is full. */
bool table_add(struct table *table, const struct table_row *row);
void table_remove(struct table *table, struct table_row *row);

/* The machines of a cluster, in no order: the first, and the one after it; NULL: no more. */
struct table_row *table_first(struct table *table, const struct table_cluster *cluster);
struct table_row *table_next(struct table *table, const struct table_row *row);

#endif
