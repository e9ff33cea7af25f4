#ifndef REEVE_CLI_TERM_STYLE_H
#define REEVE_CLI_TERM_STYLE_H

#include <stdbool.h>

#include "base/buf.h"

/* The display capabilities of a stream. */
struct style {
    bool is_color;
    bool is_utf8;     /* line drawing and ellipses may use non-ASCII characters */
    bool is_terminal; /* the output is a terminal, so lines are cut or folded to the width */
    /* A picture may be redrawn in place. Otherwise, output is line by line, as with REEVE_PLAIN. */
    bool is_drawn;
    unsigned columns; /* width; 0: unlimited */
};

/* The inputs of style_decide, as a separate struct so that the rules can be tested without a
 * terminal. Strings may be NULL (unset). */
struct style_facts {
    bool is_terminal;
    unsigned columns;           /* width that the terminal reports; 0: unknown */
    const char *color_flag;     /* value of --color; NULL: not given */
    bool is_ascii;              /* the flag --ascii is given */
    const char *no_color;       /* value of $NO_COLOR */
    const char *clicolor_force; /* value of $CLICOLOR_FORCE */
    const char *term;           /* value of $TERM */
    const char *plain;          /* value of $REEVE_PLAIN */
    const char *columns_text;   /* value of $COLUMNS */
    const char *locale;         /* first non-empty of LC_ALL, LC_CTYPE, LANG */
};

/* Determine the capabilities by the rules of UX.md 3.5. */
struct style style_decide(const struct style_facts *facts);

/* Colours of the 16-colour palette. No meaning is conveyed by colour alone. */
enum style_color {
    STYLE_ERROR,
    STYLE_WARNING,
    STYLE_NOTE,
    STYLE_HINT,
    STYLE_CARET,
    STYLE_FAINT,
    STYLE_STRONG,
    STYLE_ADDED,
    STYLE_REMOVED,
    STYLE_CHANGED,
    STYLE_COLOR_COUNT,
};

/* style_on switches a colour on, style_off switches it off. They write nothing if the style has no
 * colours. */
void style_on(const struct style *style, struct buf *buf, enum style_color color);
void style_off(const struct style *style, struct buf *buf);

/* Write a string in a colour. */
void style_add(const struct style *style, struct buf *buf, enum style_color color,
               const char *string);

#endif
