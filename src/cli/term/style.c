#include "cli/term/style.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

/* The assumed width of a terminal that does not report one. */
#define STYLE_COLUMNS_DEFAULT 80
#define STYLE_COLUMNS_MIN     20

static const char *const color_codes[STYLE_COLOR_COUNT] = {
    [STYLE_ERROR] = "\x1b[1;31m", [STYLE_WARNING] = "\x1b[1;33m", [STYLE_NOTE] = "\x1b[1;36m",
    [STYLE_HINT] = "\x1b[1;32m",  [STYLE_CARET] = "\x1b[1;31m",   [STYLE_FAINT] = "\x1b[2m",
    [STYLE_STRONG] = "\x1b[1m",   [STYLE_ADDED] = "\x1b[32m",     [STYLE_REMOVED] = "\x1b[31m",
    [STYLE_CHANGED] = "\x1b[33m",
};

static bool string_is_set(const char *string)
{
    return string != NULL && string[0] != '\0';
}

static bool color_decide(const struct style_facts *facts)
{
    if (facts->color_flag != NULL && strcmp(facts->color_flag, "auto") != 0) {
        return strcmp(facts->color_flag, "always") == 0;
    }
    if (string_is_set(facts->no_color)) {
        return false;
    }
    if (string_is_set(facts->clicolor_force) && strcmp(facts->clicolor_force, "0") != 0) {
        return true;
    }
    return facts->is_terminal && string_is_set(facts->term) && strcmp(facts->term, "dumb") != 0;
}

static bool locale_is_utf8(const char *locale)
{
    return locale != NULL &&
           (strcasestr(locale, ".utf-8") != NULL || strcasestr(locale, ".utf8") != NULL);
}

static unsigned columns_decide(const struct style_facts *facts)
{
    int64_t columns = facts->columns;

    if (!facts->is_terminal) {
        return 0;
    }
    if (columns == 0 && !text_parse_int64(text_from(facts->columns_text), &columns)) {
        columns = STYLE_COLUMNS_DEFAULT;
    }
    if (columns <= 0 || columns > 100000) {
        columns = STYLE_COLUMNS_DEFAULT;
    }
    return columns < STYLE_COLUMNS_MIN ? STYLE_COLUMNS_MIN : (unsigned)columns;
}

struct style style_decide(const struct style_facts *facts)
{
    return (struct style){
        .is_color = color_decide(facts),
        .is_utf8 = !facts->is_ascii && locale_is_utf8(facts->locale),
        .is_terminal = facts->is_terminal,
        .is_drawn = facts->is_terminal && !string_is_set(facts->plain) &&
                    (facts->term == NULL || strcmp(facts->term, "dumb") != 0),
        .columns = columns_decide(facts),
    };
}

void style_on(const struct style *style, struct buf *buf, enum style_color color)
{
    assert(color < STYLE_COLOR_COUNT);
    if (style->is_color) {
        buf_add_string(buf, color_codes[color]);
    }
}

void style_off(const struct style *style, struct buf *buf)
{
    if (style->is_color) {
        buf_add_string(buf, "\x1b[0m");
    }
}

void style_add(const struct style *style, struct buf *buf, enum style_color color,
               const char *string)
{
    style_on(style, buf, color);
    buf_add_string(buf, string);
    style_off(style, buf);
}
