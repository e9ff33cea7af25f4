#ifndef REEVE_PLAN_GUARD_H
#define REEVE_PLAN_GUARD_H

/* The guards of the controller, G1 to G14 of SAFETY.md 5. Where one takes effect the code says GUARD(limits, Gn):
 * in production that is a constant, in the simulator a bit that may be off, so that a test can show what
 * each of them prevents. */
enum plan_guard {
    G1 = 1, /* intent before act */
    G2,     /* list before read */
    G3,     /* one token for every try */
    G4,     /* incarnation stamp */
    G5,     /* three absences and by id */
    G6,     /* terminate before replace */
    G7,     /* listing brake that opens */
    G8,     /* one deleting function, with its bounds */
    G9,     /* shrink from observed, grow from recorded */
    G10,    /* epoch of the snapshot */
    G11,    /* stop on the unacknowledged */
    G12,    /* wait out late effects */
    G13,    /* quarantine */
    G14,    /* forward only */
};

#ifdef REEVE_GUARD_SWITCHES
#define GUARD(limits, guard) (((limits)->guards_off & 1u << (guard)) == 0)
#else
#define GUARD(limits, guard) ((void)(limits), (void)(guard), true)
#endif

#endif
