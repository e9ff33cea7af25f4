#ifndef REEVE_BASE_ERR_H
#define REEVE_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

/* names: err_ code_ place_ */

/* What sort of failure an error is: decides the exit code and the HTTP status (UX.md 3.6). */
enum err_kind {
    ERR_KIND_FAILED,      /* the operation failed */
    ERR_KIND_LIMIT,       /* a named limit was met */
    ERR_KIND_USAGE,       /* wrong use of the command line */
    ERR_KIND_INVALID,     /* the input is wrong */
    ERR_KIND_NOT_FOUND,   /* nothing found, empty selection */
    ERR_KIND_CONFLICT,    /* changed meanwhile, protected, locked */
    ERR_KIND_DECLINED,    /* nobody has consented to it */
    ERR_KIND_DENIED,      /* not allowed, not logged in */
    ERR_KIND_UNAVAILABLE, /* no manager, or it cannot serve now */
    ERR_KIND_TIMEOUT,     /* deadline over */
    ERR_KIND_INTERNAL,    /* a fault in reeve */
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
    const char *name; /* "R0301" */
    enum err_kind kind;
    const char *title;
    const char *cause;
    const char *example; /* may be empty */
    const char *fix;
};

/* The page of a code; code must be one of the table. */
const struct code_page *code_get(enum code code);

/* The code of a name like "R0301" (case does not matter), or CODE_NONE. */
enum code code_find(struct text name);

/* A stretch of one line in a text that the user wrote. line and column count from 1, column and
 * length in code points. source is the number of the text in a table that the reporter holds (the
 * files of a command); 0 means "no place known". */
struct place {
    uint32_t line;
    uint32_t column;
    uint32_t length;
    uint16_t source;
};

/* Is it known where? */
bool place_is_known(struct place place);

/* Order of places: by source, then line, then column. Below 0, 0, above 0. */
int place_compare(struct place a, struct place b);

/* How bad it is. Warnings never fail a command unless it is --strict. */
enum err_severity { ERR_SEVERITY_ERROR, ERR_SEVERITY_WARNING, ERR_SEVERITY_COUNT };

/* One thing that is wrong, in the words of the user's document.
 *
 * Owns nothing: fixed buffers, copied by value, valid after every arena is gone. Too long a text is
 * cut at a whole code point and ends in "...". */
struct err {
    enum code code;
    enum err_severity severity;
    struct place place;
    struct place note_place;           /* where the other definition is */
    char path[LIMIT_ERROR_PATH_BYTES]; /* JSON Pointer into the document, "" = whole */
    char text[LIMIT_ERROR_TEXT_BYTES]; /* what is wrong */
    char note[LIMIT_ERROR_TEXT_BYTES]; /* why, or where the other one is; may be empty */
    char hint[LIMIT_ERROR_TEXT_BYTES]; /* what to do next; may be empty */
};

/* Make *err a new error. Always returns false, so that `return err_set(...)` reads well. */
bool err_set(struct err *err, enum code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Add what to do next, or why; a later call replaces the text. Always returns false. */
bool err_hint(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool err_note(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Say where, unless a deeper level has said so already. Always returns false. */
bool err_place(struct err *err, struct place place);

/* Put one step in front of the path: a key, or an index of a list. Always returns false. */
bool err_at(struct err *err, struct text key);
bool err_at_index(struct err *err, size_t index);

/* Kind of the error. */
enum err_kind err_kind(const struct err *err);

/* Write the path as people read it, `groups.web.zones[1]`, into out (cut to fit, NUL-terminated). */
void err_path_format(const struct err *err, char *out, size_t out_bytes);

/* All the faults of one reading, the first LIMIT_ERRORS_KEPT of them kept, all counted. */
struct err_list {
    struct arena *arena;
    struct err *items; /* of the arena; NULL while there are none */
    size_t count;      /* kept */
    size_t errors;     /* seen, kept or not */
    size_t warnings;   /* seen, kept or not */
};

/* An empty list in memory of the caller. The kept errors live in the arena. */
void err_list_init(struct err_list *list, struct arena *arena);

/* Take a copy of an error. Errors push out kept warnings, never the other way round. */
void err_list_add(struct err_list *list, const struct err *err);

/* Add a fault at a place in one call; the result may be given a hint or note. It lies in the list,
 * or in a spare place of it when the list is full, until the next call. Never NULL. */
struct err *err_list_set(struct err_list *list, struct place place, enum code code,
                         const char *format, ...) PRINTF_LIKE(4, 5);

/* The same for a warning. */
struct err *err_list_warn(struct err_list *list, struct place place, enum code code,
                          const char *format, ...) PRINTF_LIKE(4, 5);

/* Put the kept ones in order of place; equal places keep their order. */
void err_list_sort(struct err_list *list, struct arena *scratch);

#endif
