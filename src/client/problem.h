#ifndef REEVE_CLIENT_PROBLEM_H
#define REEVE_CLIENT_PROBLEM_H

#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "client/client.h"
#include "codec/doc.h"

/* Finds the place of what an error is about: the pointer leads into the n-th document (from 0) as
 * it was sent. */
typedef struct place problem_place_fn(void *arg, size_t document, struct text pointer,
                                      enum code code);

/* An answer that is not a success (problem+json, RFC 9457) as errors, each with its place where
 * `find` (may be NULL) knows one. *out_plan is what the manager adds for somebody who has to
 * consent, absent where there is nothing. */
void problem_read(struct arena *arena, const struct client_answer *answer, problem_place_fn *find,
                  void *arg, struct err_list *errors, struct doc *out_plan);

/* A list of errors or warnings, as such an answer has them and as one that is a success may have
 * `warnings`. */
void problem_read_items(const struct doc *items, int status, problem_place_fn *find, void *arg,
                        struct err_list *errors);

#endif
