#ifndef REEVE_SYS_INTERRUPT_H
#define REEVE_SYS_INTERRUPT_H

#include <stdbool.h>

/* What a person is told who presses Ctrl-C, and with what the process ends: 130. It depends on how far a
 * command has come. */
enum interrupt_stage {
    INTERRUPT_READING,   /* nothing is said */
    INTERRUPT_BEFORE,    /* nothing was changed */
    INTERRUPT_DURING,    /* it may have been changed: where to look */
    INTERRUPT_REPORTING, /* what interrupt_report said last */
    INTERRUPT_ASKING, /* the first time nothing, and interrupt_is_asked; from then on as INTERRUPT_REPORTING */
};

/* Has Ctrl-C been pressed since the last interrupt_expect(INTERRUPT_ASKING)? */
bool interrupt_is_asked(void);

/* End as Ctrl-C does by INTERRUPT_REPORTING. */
_Noreturn void interrupt_end(void);

/* From now on it is this. */
void interrupt_expect(enum interrupt_stage stage);

/* What is said by INTERRUPT_REPORTING from now on: one line, cut where it is very long. */
void interrupt_report(const char *text);

/* From now on, until the next interrupt_expect, Ctrl-C is somebody else's: an editor's. */
void interrupt_leave(void);

#endif
