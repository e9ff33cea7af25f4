#ifndef REEVE_TESTS_PLUGINS_BAD_H
#define REEVE_TESTS_PLUGINS_BAD_H

/* Faulty plugins, each with one fault: the plugin `file` with one changed function. BAD is the name
 * of the plugin being built. is_bad compares it, so that one file can have several similar plugins.
 * bad_table.h makes the plugin. */
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

/* Never returns. */
static inline void hang(void)
{
    for (;;) {
        pause();
    }
}

#endif
