#ifndef REEVE_BASE_MACROS_H
#define REEVE_BASE_MACROS_H

/* The caller has to look at the result; the compiler warns when it does not. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Arguments from `first` on (0: a va_list) are checked against the printf format at `template`. */
#define PRINTF_LIKE(template, first) __attribute__((format(printf, template, first)))

/* AUTO(arena) a = arena_new(...): the variable is cleaned up when its block ends, on every path.
 * Each kind declares its own AUTO_<kind> beside its type. */
#define AUTO(kind) AUTO_##kind

/* A large variable that is not cleared for us where it begins, as all others are: whoever uses this shows that nothing
 * of it is read before it was written. For what is begun a thousand times in a piece of work. */
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
