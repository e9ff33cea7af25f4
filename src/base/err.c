#include "base/err.h"

#include "base/macros.h"
#include "base/sort.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct code_page code_pages[CODE_COUNT] = {
    [CODE_NONE] = { "", ERR_KIND_INTERNAL, "", "", "", "" },
#define CODE(number, kind, title, cause, example, fix) \
    [CODE_##number] = { #number, ERR_KIND_##kind, title, cause, example, fix },
#include "base/codes.def"
#undef CODE
};

const struct code_page *code_get(enum code code)
{
    assert(code > CODE_NONE && code < CODE_COUNT);
    return &code_pages[code];
}

enum code code_find(struct text name)
{
    for (int code = CODE_NONE + 1; code < CODE_COUNT; code++) {
        struct text page_name = text_from(code_pages[code].name);

        assert(page_name.length == 5);
        if (name.length == page_name.length && (name.data[0] == 'R' || name.data[0] == 'r') &&
            text_is_equal(text_slice(name, 1, 4), text_slice(page_name, 1, 4))) {
            return (enum code)code;
        }
    }
    return CODE_NONE;
}

bool place_is_known(struct place place)
{
    return place.source != 0;
}

int place_compare(struct place a, struct place b)
{
    if (a.source != b.source) {
        return a.source < b.source ? -1 : 1;
    }
    if (a.line != b.line) {
        return a.line < b.line ? -1 : 1;
    }
    return (a.column > b.column) - (a.column < b.column);
}

/* Replace the end of a text that did not fit with "...", without cutting a code point. */
static void text_end(char *out, size_t out_bytes, size_t wanted_bytes)
{
    size_t at = out_bytes - 4;

    assert(out_bytes > 4);
    if (wanted_bytes < out_bytes) {
        return;
    }
    while (at > 0 && ((unsigned char)out[at] & 0xc0) == 0x80) {
        at--;
    }
    memcpy(out + at, "...", 4);
}

PRINTF_LIKE(3, 0)
static void text_format(char *out, size_t out_bytes, const char *format, va_list args)
{
    int length = vsnprintf(out, out_bytes, format, args);

    assert(length >= 0);
    text_end(out, out_bytes, (size_t)length);
}

bool err_set(struct err *err, enum code code, const char *format, ...)
{
    va_list args;

    assert(code > CODE_NONE && code < CODE_COUNT);
    *err = (struct err){ .code = code };
    va_start(args, format);
    text_format(err->text, sizeof(err->text), format, args);
    va_end(args);
    return false;
}

bool err_hint(struct err *err, const char *format, ...)
{
    va_list args;

    assert(err->code != CODE_NONE);
    va_start(args, format);
    text_format(err->hint, sizeof(err->hint), format, args);
    va_end(args);
    return false;
}

bool err_note(struct err *err, const char *format, ...)
{
    va_list args;

    assert(err->code != CODE_NONE);
    va_start(args, format);
    text_format(err->note, sizeof(err->note), format, args);
    va_end(args);
    return false;
}

bool err_place(struct err *err, struct place place)
{
    assert(err->code != CODE_NONE);
    if (!place_is_known(err->place)) {
        err->place = place;
    }
    return false;
}

/* Return the number of bytes to keep when a text is cut: at most `length`, and no partial code
 * point at the end. */
static size_t whole_points(const char *text, size_t length)
{
    size_t start = length;
    struct text last;

    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--;
    }
    start -= start > 0;
    last = (struct text){ text + start, length - start };
    return text_find_bad_utf8(last) == SIZE_MAX ? length : start;
}

bool err_at(struct err *err, struct text key)
{
    char path[LIMIT_ERROR_PATH_BYTES];
    size_t used = 0;

    assert(err->code != CODE_NONE);
    path[used++] = '/';
    for (size_t i = 0; i < key.length && used + 3 < sizeof(path); i++) {
        if (key.data[i] == '~' || key.data[i] == '/') { /* escaped as ~0 and ~1 (RFC 6901) */
            path[used++] = '~';
            path[used++] = key.data[i] == '~' ? '0' : '1';
        } else {
            path[used++] = key.data[i];
        }
    }
    used = whole_points(path, used);
    for (size_t i = 0; err->path[i] != '\0' && used + 1 < sizeof(path); i++) {
        path[used++] = err->path[i];
    }
    used = whole_points(path, used);
    path[used] = '\0';
    memcpy(err->path, path, used + 1);
    return false;
}

bool err_at_index(struct err *err, size_t index)
{
    char key[24];

    snprintf(key, sizeof(key), "%zu", index);
    return err_at(err, text_from(key));
}

enum err_kind err_kind(const struct err *err)
{
    return code_get(err->code)->kind;
}

static bool step_is_index(const char *step)
{
    size_t digits = strspn(step, "0123456789");

    return digits > 0 && (step[digits] == '/' || step[digits] == '\0');
}

void err_path_format(const struct err *err, char *out, size_t out_bytes)
{
    const char *at = err->path;
    size_t used = 0;

    assert(out_bytes > 4);
    while (*at == '/' && used + 4 < out_bytes) {
        bool is_index = step_is_index(++at);

        if (is_index) {
            out[used++] = '[';
        } else if (used > 0) {
            out[used++] = '.';
        }
        for (; *at != '\0' && *at != '/' && used + 3 < out_bytes; at++) {
            if (*at == '~' && (at[1] == '0' || at[1] == '1')) {
                out[used++] = *++at == '0' ? '~' : '/';
            } else {
                out[used++] = *at;
            }
        }
        if (is_index) {
            out[used++] = ']';
        }
        at += strcspn(at, "/");
    }
    out[whole_points(out, used)] = '\0';
}

void err_list_init(struct err_list *list, struct arena *arena)
{
    *list = (struct err_list){ .arena = arena };
}

/* Return the item that stores the next error: a new item at the end, the item of a kept warning, or
 * the spare item. */
static struct err *slot_choose(struct err_list *list, enum err_severity severity)
{
    assert(list->count <= LIMIT_ERRORS_KEPT);
    /* Allocated only when needed, because most lists stay empty and the items take 64 KiB. */
    if (list->items == NULL) {
        /* There is one spare item, to which err_list_set() writes when the list is full. */
        list->items = arena_array(list->arena, struct err, LIMIT_ERRORS_KEPT + 1);
    }
    if (list->count < LIMIT_ERRORS_KEPT) {
        return &list->items[list->count++];
    }
    for (size_t i = list->count; severity == ERR_SEVERITY_ERROR && i > 0; i--) {
        if (list->items[i - 1].severity == ERR_SEVERITY_WARNING) {
            memmove(&list->items[i - 1], &list->items[i], (list->count - i) * sizeof(struct err));
            return &list->items[list->count - 1];
        }
    }
    return &list->items[LIMIT_ERRORS_KEPT];
}

void err_list_add(struct err_list *list, const struct err *err)
{
    assert(err->code != CODE_NONE);
    if (err->severity == ERR_SEVERITY_ERROR) {
        list->errors++;
    } else {
        list->warnings++;
    }
    *slot_choose(list, err->severity) = *err;
}

struct err *err_list_set(struct err_list *list, struct place place, enum code code,
                         const char *format, ...)
{
    struct err *err = slot_choose(list, ERR_SEVERITY_ERROR);
    va_list args;

    assert(code > CODE_NONE && code < CODE_COUNT);
    list->errors++;
    *err = (struct err){ .code = code, .place = place };
    va_start(args, format);
    text_format(err->text, sizeof(err->text), format, args);
    va_end(args);
    return err;
}

struct err *err_list_warn(struct err_list *list, struct place place, enum code code,
                          const char *format, ...)
{
    struct err *err = slot_choose(list, ERR_SEVERITY_WARNING);
    va_list args;

    assert(code > CODE_NONE && code < CODE_COUNT);
    list->warnings++;
    *err = (struct err){ .code = code, .severity = ERR_SEVERITY_WARNING, .place = place };
    va_start(args, format);
    text_format(err->text, sizeof(err->text), format, args);
    va_end(args);
    return err;
}

static int err_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return place_compare(((const struct err *)a)->place, ((const struct err *)b)->place);
}

void err_list_sort(struct err_list *list, struct arena *scratch)
{
    sort_stable(scratch, list->items, list->count, sizeof(struct err), err_compare, NULL);
}
