#ifndef REEVE_BASE_MACROS_H
#define REEVE_BASE_MACROS_H

/* The caller must check the result; the compiler warns otherwise. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Arguments from `first` on (0: a va_list) are checked against the printf format at `template`. */
#define PRINTF_LIKE(template, first) __attribute__((format(printf, template, first)))

/* AUTO(arena) a = arena_new(...): the variable is cleaned up when its block ends, on every path.
 * Each type declares its own AUTO_<kind> next to it. */
#define AUTO(kind) AUTO_##kind

/* A large variable that the compiler does not clear (it clears all others). The code must write
 * each byte before it reads it. Used for variables that are created thousands of times in one piece
 * of work. */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define NOT_CLEARED __attribute__((uninitialized))
#endif
#endif
#ifndef NOT_CLEARED
#define NOT_CLEARED
#endif

/* Number of elements of a true array (not of a pointer). */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
