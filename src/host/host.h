#ifndef REEVE_HOST_HOST_H
#define REEVE_HOST_HOST_H

#include "base/err.h"
#include "host/trusted.h"
#include "reeve/plugin.h"
#include "wire/wire.h"

/* names: host_ plugin_ call_ out_ */

/* The process that holds one plugin: it reads frames from a socket, lets the plugin do each call on a thread of its
 * own, and sends back what came of it. */

/* Text there and here. */
static inline struct text host_text(struct reeve_text text)
{
    return text.bytes == NULL ? (struct text){ "", 0 }
                              : (struct text){ text.bytes, (size_t)text.length };
}

static inline struct reeve_text plugin_text(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

/* ---- out.c: what is sent ---- */

/* Frames go out whole, whoever sends them; waits while the manager does not read. */
struct out;
struct out *out_new(int socket);
void out_send(struct out *out, const struct wire_message *message);

/* ---- load.c: what is loaded ---- */

/* Read the plugin's file into memory of our own, if its digest is right: nobody can change it from then on. Done
 * before the sandbox is entered, from where the file cannot be seen. The caller closes it. R0602. */
MUST_CHECK bool host_read(const struct wire_open *open, int *out, struct err *err);

/* Load what was read, if its interface is ours. The object stays loaded until the process ends. R0602. */
MUST_CHECK bool host_load(const struct wire_open *open, int memory,
                          const struct reeve_plugin_v1 **out, struct err *err);

/* What it says of itself. Lists live in the arena, texts are the plugin's; the sandbox is for the caller to add. */
void host_describe(struct arena *arena, const struct reeve_plugin_v1 *plugin,
                   struct wire_hello *out);

/* ---- call.c: one call ---- */

/* The plugin as it stands here. */
struct held {
    const struct reeve_plugin_v1 *plugin;
    void *self;
    struct out *out;
    struct reeve_host_v1 host; /* what the plugin is given */
};

/* The table that the plugin is given; folder and settings stay the caller's. */
void host_hold(struct held *held, const struct reeve_plugin_v1 *plugin, struct out *out,
               const struct wire_open *open);

/* Make one call on this thread, and send what came of it. `frame` is the message it came in. */
void call_make(struct held *held, const struct wire_call *wire);

/* ---- serve.c ---- */

/* What the process was started with, which no message can change: a manager that has given up its
 * rights starts it with rights through its launcher, and may have been taken over. */
struct host_bounds {
    const char *within; /* folders of plugins lie beneath this one; NULL: anywhere */
    const struct plugins_trusted *trusted; /* may run in the profile `host`; NULL: all may */
};

/* Read frames until the manager goes away, or says what nobody can read; a message that was read begins with
 * OPEN. Returns the exit code of the process. */
int host_serve(int socket, const struct host_bounds *bounds);

#endif
