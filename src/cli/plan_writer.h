#ifndef REEVE_CLI_PLAN_WRITER_H
#define REEVE_CLI_PLAN_WRITER_H

#include "cli/plan_text.h"

/* names: plan_ */

/* Inside of plan_text.h: what plan_text.c (objects and groups) and plan_values.c (values and their
 * differences) share. */

/* No column is padded further than this: one long path must not push all others aside. */
enum { PLAN_PATH_COLUMNS = 32, PLAN_VALUE_COLUMNS = 40 };

/* One writing of a plan. */
struct plan_writer {
    struct command *command;
    struct buf *out;
    const struct plan_text *text;
    bool has_values;   /* shown in this plan */
    bool has_machines; /* of the object that is written: behind a template stand none */
    size_t lines_left;
};

/* A scalar child as text (empty where there is none) or number (0); the length of a list child. */
struct text plan_child_text(const struct doc *doc, const char *key);
int64_t plan_child_number(const struct doc *doc, const char *key);

/* A child that is a time, in milliseconds; 0 for none. */
int64_t plan_child_moment(const struct doc *doc, const char *key);
size_t plan_child_count(const struct doc *doc, const char *key);

/* "s" unless it is one. */
const char *plan_plural(int64_t count);

/* End a line and count it. */
void plan_line_end(struct plan_writer *writer);

/* A text and blanks up to a width. */
void plan_cell_write(struct plan_writer *writer, struct text text, size_t columns);

/* The larger of a width so far and that of a text, unless it is above `most`. */
size_t plan_widest(size_t so_far, struct text text, size_t most);

/* The lists values[], changes[] and the labels of a group or object, one line each. */
void plan_values_write(struct plan_writer *writer, const struct doc *values, size_t indent);
void plan_changes_write(struct plan_writer *writer, const struct doc *items, size_t indent);
void plan_labels_write(struct plan_writer *writer, const struct doc *labels, size_t indent);

#endif
