#ifndef REEVE_SYS_INTERRUPT_H
#define REEVE_SYS_INTERRUPT_H

#include <stdbool.h>

/* Selects the message that is printed on Ctrl-C, by the progress of the command. After the message,
 * the process ends with exit code 130. */
enum interrupt_stage {
    INTERRUPT_READING,   /* no message */
    INTERRUPT_BEFORE,    /* nothing was changed */
    INTERRUPT_DURING,    /* the change may have happened; the message has the command that shows
                          * whether it has */
    INTERRUPT_REPORTING, /* the message is the latest text of interrupt_report() */
    /* the first Ctrl-C only makes interrupt_is_asked() true; the second one acts as in
     * INTERRUPT_REPORTING */
    INTERRUPT_ASKING,
};

/* True if Ctrl-C was pressed since the latest interrupt_expect(INTERRUPT_ASKING). */
bool interrupt_is_asked(void);

/* End the process in the same way as Ctrl-C in stage INTERRUPT_REPORTING. */
_Noreturn void interrupt_end(void);

/* Set the stage. */
void interrupt_expect(enum interrupt_stage stage);

/* Set the message for INTERRUPT_REPORTING. It is one line, which is truncated if it is very
 * long. */
void interrupt_report(const char *text);

/* Ignore Ctrl-C until the next interrupt_expect(), because another program, such as an editor,
 * handles it. */
void interrupt_leave(void);

#endif
