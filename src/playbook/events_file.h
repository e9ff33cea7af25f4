#ifndef REEVE_PLAYBOOK_EVENTS_FILE_H
#define REEVE_PLAYBOOK_EVENTS_FILE_H

#include "base/text.h"

/* public names start with: playbook_ */

/* The callback reeve_events.py. embed.py writes it into events_file.c at build time. */
struct playbook_file {
    const char *name;
    struct text bytes;
};

extern const struct playbook_file playbook_files[];
extern const size_t playbook_file_count;

#endif
