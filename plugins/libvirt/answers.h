#ifndef VIRT_ANSWERS_H
#define VIRT_ANSWERS_H

#include "base/macros.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: virt_ */

/* Result in errors.def for errors after which it is unknown whether the call had an effect. */
#define VIRT_DOUBT (-1)

/* Returns the result (enum reeve_result) for an error of libvirt (virErrorNumber). For an error
 * that errors.def does not list, it is unknown whether the call had an effect. */
int32_t virt_classify(int code, struct text message, bool is_change);

/* Returns the state of a row (enum reeve_state) for a state of libvirt (virDomainState). */
int32_t virt_state_of(int state);

#endif
