#ifndef REEVE_SYS_INTERRUPT_H
#define REEVE_SYS_INTERRUPT_H

#include <stdbool.h>

/* Selects the message that is printed on Ctrl-C, according to the progress of the command. The
 * process then ends with exit code 130. */
enum interrupt_stage {
    INTERRUPT_READING,   /* no message */
    INTERRUPT_BEFORE,    /* nothing was changed */
    INTERRUPT_DURING,    /* the change may have happened; the message contains the command that
                          * shows whether it has */
    INTERRUPT_REPORTING, /* the last text of interrupt_report() */
    /* The first Ctrl-C only sets interrupt_is_asked(); another one acts as INTERRUPT_REPORTING. */
    INTERRUPT_ASKING,
};

/* True if Ctrl-C was pressed since the last interrupt_expect(INTERRUPT_ASKING). */
bool interrupt_is_asked(void);

/* End the process as Ctrl-C does in stage INTERRUPT_REPORTING. */
_Noreturn void interrupt_end(void);

/* Set the stage. */
void interrupt_expect(enum interrupt_stage stage);

/* Set the text for INTERRUPT_REPORTING: one line, cut if it is very long. */
void interrupt_report(const char *text);

/* Until the next interrupt_expect() another program, such as an editor, handles Ctrl-C. */
void interrupt_leave(void);

#endif
