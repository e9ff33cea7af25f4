#ifndef REEVE_SESSION_TRANSPORT_END_H
#define REEVE_SESSION_TRANSPORT_END_H

#include "session/transport_parts.h"

/* names: transport_ session_ call_ */

/* How sessions and calls end, and are told: the driver says what came, the loop's next turn tells the caller. */

/* ---- what a driver says ---- */

/* It is open. The texts are copied. */
void session_opened(struct transport_session *session, struct text host_key, bool is_first);

/* It could not be opened, or it was open and has ended: calls that are under way end as CUT, or for this fault.
 * host_key as far as it is known. */
void session_failed(struct transport_session *session, enum transport_fault fault,
                    struct text host_key, const char *format, ...) PRINTF_LIKE(4, 5);

/* Something came. Nothing is to be said while the call is paused. */
void call_output(struct transport_call *call, enum transport_stream stream, struct text piece);

/* There is room for the next piece of its input, which comes by the driver's `give`, now or later; not from `call`. False: all
 * has been given. */
bool call_want(struct transport_call *call);

/* Everything has come, and the command ended so. code -1: by this signal. */
void call_ended(struct transport_call *call, int code, struct text signal);

/* It will not end, or not be known to have. */
void call_failed(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                 const char *format, ...) PRINTF_LIKE(4, 5);

/* The driver knows all of the answer (has_files). The texts are copied. */
void transport_call_answered(struct transport_call *call, enum outcome outcome,
                             const struct transport_answer *answer);

/* ---- between transport.c and transport_end.c ---- */

/* Let the timer be due when something is to be told, or at the next deadline. */
void transport_timer_set(struct transport *transport);
void transport_due(void *arg);

/* Wait for so long, from now. */
void transport_deadline_set(struct transport *transport, struct heap *heap, struct heap_node *node,
                            uint64_t deadline_ms);

/* It has ended so, and is told in a later turn. The message lives as long as the call. */
void call_ready(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                struct text message);

/* The driver forgets it; what comes of it now comes to nobody. */
void call_leave(struct transport_call *call);

/* Take it from those that are ready; tell it, and free it. */
void call_unlist(struct transport_call *call);
void transport_call_report(struct transport_call *call);

/* Tell how the opening ended. */
void session_open_report(struct transport_session *session);

#endif
