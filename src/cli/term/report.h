#ifndef REEVE_CLI_TERM_REPORT_H
#define REEVE_CLI_TERM_REPORT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/term/source.h"
#include "cli/term/style.h"

/* The formats of errors. */
enum report_format {
    REPORT_TEXT, /* for users: place, snippet with caret, note and hint of the first 20 errors */
    REPORT_GCC,  /* file:line:col: severity: message [code], one line each, for editors */
    REPORT_JSON, /* one problem+json object (RFC 9457) with all errors and `exit` */
};

/* The settings of the printer. The caller owns all members. */
struct report {
    struct arena *arena;
    struct source_set *sources;
    const struct style *style;
    enum report_format format;
    bool is_strict;   /* warnings fail the command */
    const char *more; /* command that shows every error, for the line after the 20th; may be NULL */
};

/* Write all errors of the list into `out`, sorted by place. Writes nothing if the list is empty. */
void report_write(const struct report *report, struct err_list *errors, struct buf *out);

/* Write one line of the source with its number, and a caret line under the span of the place. The
 * line before it is shown too if it is the parent (indented less). Writes nothing if the place has
 * no text. */
void report_write_snippet(const struct report *report, struct place place, struct buf *out);

/* Return the errors as documents in the format of REPORT_JSON. report_problem returns the complete
 * problem, and there must be an error; report_items returns only the list `errors[]`. */
struct doc;
void report_problem(const struct report *report, const struct err_list *errors, struct doc *out);
void report_items(const struct report *report, const struct err_list *errors, struct doc *out);

#endif
