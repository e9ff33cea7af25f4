#include "sys/interrupt.h"

#include "base/macros.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERRUPT_EXIT 130

/* Static, because a signal handler has no argument. The text is complete before the signal is
 * possible. */
static char reported[512];

static void on_reading(int number)
{
    (void)number;
    _exit(INTERRUPT_EXIT);
}

static void on_before(int number)
{
    static const char text[] = "\ninterrupted; nothing was changed\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(INTERRUPT_EXIT);
}

static void on_during(int number)
{
    static const char text[] =
        "\ninterrupted; the change may have been made: reeve describe TARGET --history, reeve events\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(INTERRUPT_EXIT);
}

static void on_reporting(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, reported, strlen(reported));
    _exit(INTERRUPT_EXIT);
}

static volatile sig_atomic_t is_asked;

static void on_asking(int number)
{
    if (is_asked != 0) {
        on_reporting(number);
    }
    is_asked = 1;
}

bool interrupt_is_asked(void)
{
    return is_asked != 0;
}

void interrupt_end(void)
{
    on_reporting(SIGINT);
    _exit(INTERRUPT_EXIT);
}

void interrupt_report(const char *text)
{
    sigset_t interrupts;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, NULL);
    snprintf(reported, sizeof(reported), "\n%s\n", text);
    sigprocmask(SIG_UNBLOCK, &interrupts, NULL);
}

void interrupt_expect(enum interrupt_stage stage)
{
    static void (*const handlers[])(int) = { on_reading, on_before, on_during, on_reporting,
                                             on_asking };
    struct sigaction action = { .sa_handler = handlers[stage] };

    is_asked = stage == INTERRUPT_ASKING ? 0 : is_asked;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void interrupt_leave(void)
{
    signal(SIGINT, SIG_IGN);
}
