#ifndef REEVE_HOST_HOST_H
#define REEVE_HOST_HOST_H

#include "base/err.h"
#include "host/trusted.h"
#include "reeve/plugin.h"
#include "wire/wire.h"

/* private to src/host */
/* public names start with: host_ plugin_ call_ out_ state_ */

/* Internals of reeve-host, the process that holds one plugin. It reads frames from a socket, makes
 * each call of the plugin on a separate thread, and sends the results back. */

/* Convert texts between the plugin interface and reeve. */
static inline struct text host_text(struct reeve_text text)
{
    return text.bytes == NULL ? (struct text){ "", 0 }
                              : (struct text){ text.bytes, (size_t)text.length };
}

static inline struct reeve_text plugin_text(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

/* ---- out.c: sending ---- */

/* Sends whole frames from any thread. Blocks while the manager does not read. */
struct out;
struct out *out_new(int socket);
void out_send(struct out *out, const struct wire_message *message);

/* ---- load.c: loading ---- */

/* Reads the plugin's file into private memory if its digest matches, so that it cannot be changed
 * afterwards. Must be called before the process enters the sandbox, which hides the file. The
 * caller closes *out. Fails with R0602. */
MUST_CHECK bool host_read(const struct wire_open *open, int *out, struct err *err);

/* Loads the plugin from the bytes that host_read has read, if its interface is supported. The
 * plugin stays loaded until the process ends. Fails with R0602. */
MUST_CHECK bool host_load(const struct wire_open *open, int memory,
                          const struct reeve_plugin_v1 **out, struct err *err);

/* Returns one bit for each enum wire_method that the plugin has. */
uint64_t host_methods(const struct reeve_plugin_v1 *plugin);

/* Writes the plugin's description. Lists live in the arena; texts belong to the plugin. The caller
 * adds the sandbox. */
void host_describe(struct arena *arena, const struct reeve_plugin_v1 *plugin,
                   struct wire_hello *out);

/* ---- state.c: the state of the plugin ---- */

/* Where the values are: with the manager, or below the plugin's folder. */
struct state;

/* `folder`: of the plugin, used if the manager does not keep the state; may be NULL. It is never
 * freed. */
struct state *state_new(struct out *out, bool has_manager, const char *folder);

struct state_request {
    uint64_t call;
    enum wire_access access;
    struct text key;
    struct text after;
    struct text value;
    uint64_t version;
    uint64_t deadline_ms; /* by CLOCK_BOOTTIME */
};

/* Makes an access and blocks until it is answered. Texts of *out live in the arena. */
void state_access(struct state *state, struct arena *arena, const struct state_request *request,
                  struct wire_state *out);

/* Passes on an answer of the manager. Called on the thread that reads frames. */
void state_answer(struct state *state, const struct wire_state *answer);

/* Ends all current and later accesses, because the manager has closed the socket. */
void state_close(struct state *state);

/* Makes an access to files below a folder (state_folder.c). */
void state_folder_access(const char *folder, struct arena *arena,
                         const struct state_request *request, struct wire_state *out);

/* ---- call.c: one call ---- */

/* The loaded plugin. */
struct held {
    const struct reeve_plugin_v1 *plugin;
    void *self;
    struct out *out;
    struct state *state;
    struct reeve_host_v1 host; /* functions that the plugin may call */
};

/* Sets up the function table for the plugin. The caller still owns the folder, the settings and the
 * state. */
void host_hold(struct held *held, const struct reeve_plugin_v1 *plugin, struct out *out,
               struct state *state, const struct wire_open *open);

/* Makes one call on this thread and sends its result. */
void call_make(struct held *held, const struct wire_call *wire);

/* ---- serve.c ---- */

/* Restrictions from the command line, which no message can change. A manager without privileges
 * starts this process with privileges through its launcher. The manager may be compromised. */
struct host_bounds {
    const char *within; /* folders of plugins must be below this one; NULL: anywhere */
    const struct plugins_trusted *trusted; /* digests that may use the profile `host`; NULL: all */
};

/* Reads frames until the manager closes the socket or sends an invalid one. The first message must
 * be OPEN. Returns the exit code of the process. */
int host_serve(int socket, const struct host_bounds *bounds);

#endif
