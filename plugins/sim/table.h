#ifndef REEVE_SIM_TABLE_H
#define REEVE_SIM_TABLE_H

#include "reeve/plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machines, in two files of one folder: `machines` has rows of fixed size, and `kinds` has
 * properties shared by many rows, written once and never changed. A row is a machine while it has
 * its mark. So a killed process leaves either a machine or none.
 *
 * Not thread-safe. */

enum { TABLE_TEXT_BYTES = 48, TABLE_KIND_TAGS = 16 };

/* One machine. Its index does not change while it is a machine. */
struct table_row {
    uint64_t mark; /* TABLE_MARK: it is a machine */
    uint64_t slot;
    uint64_t running_ms; /* wall clock: running from then on */
    uint32_t kind;
    uint32_t is_stopped;
    char token[TABLE_TEXT_BYTES]; /* NUL-terminated */
    char mac[TABLE_TEXT_BYTES];
};

/* Shared properties of a group's machines. */
struct table_kind {
    struct reeve_text cluster;
    struct reeve_text zone;
    struct reeve_tag tags[TABLE_KIND_TAGS];
    uint32_t tag_count;
};

/* A cluster, and the first of its rows. */
struct table_cluster {
    struct reeve_text name;
    uint32_t first; /* index + 1; 0: none */
    uint32_t first_kind;
    uint64_t changes;    /* since this process started */
    uint64_t settled_ms; /* from then on nothing changes by itself */
};

struct table;

/* Opens the table, or creates it. Returns NULL on failure; *why has the reason. */
struct table *table_open(struct reeve_text folder, const char **why);
void table_close(struct table *table);

/* Returns the cluster of this name. With is_made it is created if missing, else NULL. */
struct table_cluster *table_cluster(struct table *table, struct reeve_text name, bool is_made);

/* Returns the number of the equal kind, creating it if missing. Returns false if the disk is
 * full. */
bool table_kind_make(struct table *table, const struct table_kind *like, uint32_t *out);
const struct table_kind *table_kind_at(const struct table *table, uint32_t number);

/* Returns the machine of a cluster by its token; NULL: none. Valid until a row is added. */
struct table_row *table_find(struct table *table, struct reeve_text cluster,
                             struct reeve_text token);

/* Adds a machine: `row` with its kind and texts. Returns false if the disk is full. */
bool table_add(struct table *table, const struct table_row *row);
void table_remove(struct table *table, struct table_row *row);

/* Iterate over the machines of a cluster, in no order. NULL: the end. */
struct table_row *table_first(struct table *table, const struct table_cluster *cluster);
struct table_row *table_next(struct table *table, const struct table_row *row);

#endif
