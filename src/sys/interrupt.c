#include "sys/interrupt.h"

#include "base/macros.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define INTERRUPT_EXIT 130

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
        "\ninterrupted; the change may have been made: reeve history KIND NAME, reeve events\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(INTERRUPT_EXIT);
}

static void on_following(int number)
{
    static const char text[] =
        "\nno longer watched; the job goes on: reeve job watch, reeve get jobs\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(INTERRUPT_EXIT);
}

void interrupt_expect(enum interrupt_stage stage)
{
    static void (*const handlers[])(int) = { on_reading, on_before, on_during, on_following };
    struct sigaction action = { .sa_handler = handlers[stage] };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void interrupt_leave(void)
{
    signal(SIGINT, SIG_IGN);
}
