#ifndef REEVE_SESSION_TRANSPORT_END_H
#define REEVE_SESSION_TRANSPORT_END_H

#include "session/transport_parts.h"

/* public names start with: transport_ session_ call_ */

/* The functions by which a driver reports events of sessions and calls. The caller is notified in
 * the next iteration of the loop. */

/* ---- events from a driver ---- */

/* Called when the session is open. The texts are copied. */
void session_opened(struct transport_session *session, struct text host_key, bool is_first);

/* Called when the session could not be opened, or has ended. Its active calls end with CUT or with
 * this fault. `host_key` is empty if it is unknown. */
void session_failed(struct transport_session *session, enum transport_fault fault,
                    struct text host_key, const char *format, ...) PRINTF_LIKE(4, 5);

/* Called with output of a command. Must not be called while the call is paused. */
void call_output(struct transport_call *call, enum transport_stream stream, struct text piece);

/* Requests the next piece of input, which the driver's function `give` receives, immediately or
 * later. Must not be called within `call`. Returns false if all input has been given. */
bool call_want(struct transport_call *call);

/* Called after all output when the command has ended with this code. -1: `signal` ended it. */
void call_ended(struct transport_call *call, int code, struct text signal);

/* Called when the call cannot end normally, or its result cannot be determined. */
void call_failed(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                 const char *format, ...) PRINTF_LIKE(4, 5);

/* Called with the complete answer of a call, by a driver with has_files. The texts are copied. */
void transport_call_answered(struct transport_call *call, enum outcome outcome,
                             const struct transport_answer *answer);

/* ---- between transport.c and transport_end.c ---- */

/* Sets the timer: immediately if a result must be reported, otherwise to the next deadline. */
void transport_timer_set(struct transport *transport);
void transport_due(void *arg);

/* Sets a deadline, in milliseconds from now. */
void transport_deadline_set(struct transport *transport, struct heap *heap, struct heap_node *node,
                            uint64_t deadline_ms);

/* Marks a call as ended, to be reported in a later iteration. `message` must live as long as the
 * call. */
void call_ready(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                struct text message);

/* Makes the driver drop a call. Later events of the driver for this call are ignored. */
void call_leave(struct transport_call *call);

/* call_unlist removes a call from the ready list. transport_call_report reports a call and frees
 * it. */
void call_unlist(struct transport_call *call);
void transport_call_report(struct transport_call *call);

/* Reports the result of opening a session. */
void session_open_report(struct transport_session *session);

#endif
