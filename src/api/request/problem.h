#ifndef REEVE_API_REQUEST_PROBLEM_H
#define REEVE_API_REQUEST_PROBLEM_H

#include "base/buf.h"
#include "base/err.h"

/* Errors as application/problem+json (RFC 9457). */

struct problem {
    const struct err_list *errors; /* has at least one error */
    struct text request;           /* id of the request */
    struct text plan;              /* JSON; may be empty */
    /* true: the body is a file, so errors have a line and a column. */
    bool is_file;
    /* true: the request had If-Match, so a concurrent change gives status 412 */
    bool is_conditional;
};

/* Returns the status of the answer. */
unsigned problem_status(const struct problem *problem);

/* Appends all errors as one line. If scripts for Contiv match a sentence for an error, the line has
 * that sentence in front of the error. */
void problem_line_format(struct buf *buf, const struct problem *problem);

/* Appends the body. */
void problem_format(struct buf *buf, const struct problem *problem);

#endif
