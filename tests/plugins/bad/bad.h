#ifndef REEVE_TESTS_PLUGINS_BAD_H
#define REEVE_TESTS_PLUGINS_BAD_H

/* Plugins that do wrong, each in one way: the plugin `file` with something in between. BAD is the
 * name of the one that is being built; is_bad asks for it, so that a file holds several that are
 * alike. bad_table.h makes the plugin. */
#define reeve_plugin good_plugin
#include "../../../plugins/file/file.c"
#undef reeve_plugin

#include <signal.h>

static inline bool is_bad(const char *name)
{
    return strcmp(BAD, name) == 0;
}

static inline struct plugin *own(void *self)
{
    return self;
}

/* For ever, as far as anybody is concerned. */
static inline void hang(void)
{
    for (;;) {
        pause();
    }
}

#endif
