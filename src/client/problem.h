#ifndef REEVE_CLIENT_PROBLEM_H
#define REEVE_CLIENT_PROBLEM_H

#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "client/client.h"
#include "codec/doc.h"

/* Finds the place of an error in the user's files. `pointer` is a JSON pointer into the n-th
 * document (from 0) of the request. */
typedef struct place problem_place_fn(void *arg, size_t document, struct text pointer,
                                      enum code code);

/* Reads the errors of an unsuccessful answer (problem+json, RFC 9457). Each gets its place if
 * `find` (may be NULL) finds it. If the user must confirm a plan, *out_plan is that plan; otherwise
 * it is absent. */
void problem_read(struct arena *arena, const struct client_answer *answer, problem_place_fn *find,
                  void *arg, struct err_list *errors, struct doc *out_plan);

/* Reads a list of errors or warnings: those of an unsuccessful answer, or the `warnings` of a
 * successful answer. */
void problem_read_items(const struct doc *items, int status, problem_place_fn *find, void *arg,
                        struct err_list *errors);

#endif
