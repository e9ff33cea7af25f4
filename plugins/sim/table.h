#ifndef REEVE_SIM_TABLE_H
#define REEVE_SIM_TABLE_H

#include "reeve/plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machines, stored in two files of one folder. `machines` has rows of fixed size. `kinds` has
 * properties that many rows share, which are written once and never changed. A row counts as a
 * machine only while its mark is set, so a killed process leaves either a complete machine or none.
 *
 * Not thread-safe. */

enum { TABLE_TEXT_BYTES = 48, TABLE_KIND_TAGS = 16 };

/* The row of one machine. Its index stays the same as long as the machine exists. */
struct table_row {
    uint64_t mark; /* TABLE_MARK: the row is a machine */
    uint64_t slot;
    uint64_t running_ms; /* wall-clock time from which on the machine runs, in ms */
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
    uint64_t changes;    /* number of changes since this process started */
    uint64_t settled_ms; /* wall-clock time from which on nothing changes without a call */
};

struct table;

/* table_open opens the table, or creates it; on failure it returns NULL, and *why has the reason.
 * table_close closes it. */
struct table *table_open(struct reeve_text folder, const char **why);
void table_close(struct table *table);

/* Returns the cluster with this name. If it is missing, creates it with is_made, and otherwise
 * returns NULL. */
struct table_cluster *table_cluster(struct table *table, struct reeve_text name, bool is_made);

/* table_kind_make sets *out to the number of the kind that equals `like`, and creates the kind if
 * it is missing; it returns false if the disk is full. table_kind_at returns the kind with a
 * number. */
bool table_kind_make(struct table *table, const struct table_kind *like, uint32_t *out);
const struct table_kind *table_kind_at(const struct table *table, uint32_t number);

/* Returns the machine of a cluster by its token; NULL: none. Valid until a row is added. */
struct table_row *table_find(struct table *table, struct reeve_text cluster,
                             struct reeve_text token);

/* table_add adds a machine, `row` with its kind and texts; it returns false if the disk is full.
 * table_remove removes a machine. */
bool table_add(struct table *table, const struct table_row *row);
void table_remove(struct table *table, struct table_row *row);

/* Iterates over the machines of a cluster, in no particular order. NULL: the end. */
struct table_row *table_first(struct table *table, const struct table_cluster *cluster);
struct table_row *table_next(struct table *table, const struct table_row *row);

#endif
