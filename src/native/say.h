#ifndef REEVE_NATIVE_SAY_H
#define REEVE_NATIVE_SAY_H

/* The answer of a program on a node: lines between `reeve1` and `end`, as src/remote/answer.h reads them and programs/common.sh
 * writes them. One process gives one answer; its lines are gathered until it ends or say_flush is called. */

/* The answer begins, and goes to this descriptor. */
void say_open(int fd);

/* One line. What is not printable ASCII is left out, so that a line cannot say more than it should. */
__attribute__((format(printf, 1, 2))) void say_line(const char *format, ...);

/* What was said so far goes out: whoever asked acts on it while this program goes on. */
void say_flush(void);

/* It is whole, and the process ends. */
_Noreturn void say_end(void);

/* It is a fault: `word` is what the manager goes by, the rest is for people. `error` is an errno, and is told behind it; 0: none. A full disk is one
 * whatever was being done. The process ends. */
__attribute__((format(printf, 3, 4))) _Noreturn void say_fail(const char *word, int error,
                                                              const char *format, ...);

#endif
