#ifndef REEVE_CLI_CHANGE_PLAN_WRITER_H
#define REEVE_CLI_CHANGE_PLAN_WRITER_H

#include "base/mem.h"
#include "cli/change/plan_text.h"
#include "codec/doc.h"

/* public names start with: plan_ */

/* Internals of plan_text.h, shared by plan_text.c (objects and groups) and plan_values.c (values
 * and their differences). */

/* Maximum padding of a column, so that one long path does not push all other columns to the
 * right. */
enum { PLAN_PATH_COLUMNS = 32, PLAN_VALUE_COLUMNS = 40 };

/* The state of writing one plan. */
struct plan_writer {
    struct command *command;
    struct buf *out;
    const struct plan_text *text;
    bool has_values;   /* values are shown in this plan */
    bool has_machines; /* the present object has machines; a template has none */
    size_t lines_left;
};

/* End a line and count it. */
void plan_line_end(struct plan_writer *writer);

/* Write a text, padded with blanks up to a width. */
void plan_cell_write(struct plan_writer *writer, struct text text, size_t columns);

/* Write the lists values[], changes[] and the labels of a group or object, one line each. */
void plan_values_write(struct plan_writer *writer, const struct doc *values, size_t indent);
void plan_changes_write(struct plan_writer *writer, const struct doc *items, size_t indent);
void plan_labels_write(struct plan_writer *writer, const struct doc *labels, size_t indent);

/* Write what happens to the volumes of a group, and the number of volumes of an object. Both are
 * absent in most plans. */
void plan_volumes_write(struct plan_writer *writer, const struct doc *volumes);
void plan_volumes_sums_write(struct plan_writer *writer, const struct doc *sums);

/* One line of a difference: a value, or an entry of a list of maps. The old or new value is NULL if
 * there was or is none. */
struct plan_part {
    struct text path;
    const struct doc *old;
    const struct doc *new;
    struct text origin;
};

/* Return the lines of changes[]. Two lists of maps (stages, volumes) are shown by their differing
 * entries, such as bootstrap[1].bundle, if only some entries differ or one list only has additional
 * entries at the end. A user would not find the difference between two long lists. All other values
 * are shown whole. */
const struct plan_part *plan_parts(struct arena *arena, const struct doc *changes,
                                   size_t *out_count);

#endif
