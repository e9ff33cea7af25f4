#ifndef REEVE_BASE_ERR_H
#define REEVE_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: err_ code_ place_ */

/* The kind of an error; it determines the exit code and the HTTP status (UX.md 3.6). */
enum err_kind {
    ERR_KIND_FAILED,      /* the operation failed */
    ERR_KIND_LIMIT,       /* a limit was exceeded; the message contains it */
    ERR_KIND_USAGE,       /* wrong use of the command line */
    ERR_KIND_INVALID,     /* the input is invalid */
    ERR_KIND_NOT_FOUND,   /* nothing was found, or a selection is empty */
    ERR_KIND_CONFLICT,    /* changed in the meantime, or protected, or locked */
    ERR_KIND_DECLINED,    /* the user did not consent */
    ERR_KIND_DENIED,      /* not allowed, not logged in */
    ERR_KIND_UNAVAILABLE, /* no manager is reachable, or it cannot serve now */
    ERR_KIND_TIMEOUT,     /* the deadline has passed */
    ERR_KIND_INTERNAL,    /* a defect of reeve */
    ERR_KIND_COUNT,
};

/* Every error has a code from codes.def: enum value CODE_R0301, text "R0301". */
enum code {
    CODE_NONE,
#define CODE(number, kind, title, cause, example, fix) CODE_##number,
#include "base/codes.def"
#undef CODE
    CODE_COUNT,
};

/* The page of one code, as `reeve explain R0301` prints it. */
struct code_page {
    const char *name; /* such as "R0301" */
    enum err_kind kind;
    const char *title;
    const char *cause;
    const char *example; /* may be empty */
    const char *fix;
};

/* Return the page of a code; the code must be in the table. */
const struct code_page *code_get(enum code code);

/* Find the code with a name such as "R0301", in upper or lower case. CODE_NONE if there is none. */
enum code code_find(struct text name);

/* A range of one line in a text of the user. line and column count from 1; column and length are in
 * code points. source is the number of the text in a table of the reporter (the files of a
 * command); 0 means that the position is unknown. */
struct place {
    uint32_t line;
    uint32_t column;
    uint32_t length;
    uint16_t source;
};

/* True if the position is known. */
bool place_is_known(struct place place);

/* Order of positions: by source, then line, then column. Below 0, 0, above 0. */
int place_compare(struct place a, struct place b);

/* The severity. Warnings fail a command only with --strict. */
enum err_severity { ERR_SEVERITY_ERROR, ERR_SEVERITY_WARNING, ERR_SEVERITY_COUNT };

/* One error, described in terms of the user's document.
 *
 * Owns no memory: the buffers are fixed, it is copied by value, and it stays valid when every arena
 * is freed. A text that is too long is cut at a whole code point and ends in "...". */
struct err {
    enum code code;
    enum err_severity severity;
    struct place place;
    struct place note_place;           /* position of the other definition */
    char path[LIMIT_ERROR_PATH_BYTES]; /* JSON Pointer into the document, "" = whole */
    char text[LIMIT_ERROR_TEXT_BYTES]; /* description of the error */
    /* The reason, or a remark about the other definition; may be empty. */
    char note[LIMIT_ERROR_TEXT_BYTES];
    char hint[LIMIT_ERROR_TEXT_BYTES]; /* the next step for the user; may be empty */
};

/* Set *err to a new error. Always returns false, so that callers can write `return
 * err_set(...)`. */
bool err_set(struct err *err, enum code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* err_hint sets the hint (the next step), err_note the note (the reason). A later call replaces the
 * text. Both always return false. */
bool err_hint(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool err_note(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Set the position, unless a called function has already set it. Always returns false. */
bool err_place(struct err *err, struct place place);

/* Prepend one step to the path of the error: err_at a key, err_at_index an index of a list. Both
 * always return false. */
bool err_at(struct err *err, struct text key);
bool err_at_index(struct err *err, size_t index);

/* Return the kind of an error. */
enum err_kind err_kind(const struct err *err);

/* Write the path in display form, `groups.web.zones[1]`, into out, NUL-terminated. It is cut if it
 * does not fit. */
void err_path_format(const struct err *err, char *out, size_t out_bytes);

/* All errors from reading one input. The first LIMIT_ERRORS_KEPT are kept, all are counted. */
struct err_list {
    struct arena *arena;
    struct err *items; /* kept errors, in the arena; NULL: there are none */
    size_t count;      /* number of kept errors */
    size_t errors;     /* number of errors added, kept or not */
    size_t warnings;   /* number of warnings added, kept or not */
};

/* Initialize an empty list in memory of the caller. The kept errors live in the arena. */
void err_list_init(struct err_list *list, struct arena *arena);

/* Add a copy of an error. An error replaces a kept warning if the list is full, never the
 * reverse. */
void err_list_add(struct err_list *list, const struct err *err);

/* Add an error with its position in one call; the caller may add a hint or note to the result. The
 * result is in the list, or in a spare item if the list is full, and is valid until the next call.
 * Never NULL. */
struct err *err_list_set(struct err_list *list, struct place place, enum code code,
                         const char *format, ...) PRINTF_LIKE(4, 5);

/* Like err_list_set(), for a warning. */
struct err *err_list_warn(struct err_list *list, struct place place, enum code code,
                          const char *format, ...) PRINTF_LIKE(4, 5);

/* Sort the kept errors by position; equal positions keep their order. */
void err_list_sort(struct err_list *list, struct arena *scratch);

#endif
