#ifndef REEVE_HOST_HOST_H
#define REEVE_HOST_HOST_H

#include "base/err.h"
#include "host/trusted.h"
#include "reeve/plugin.h"
#include "wire/wire.h"

/* private to src/host */
/* public names start with: host_ plugin_ call_ out_ state_ */

/* Declarations that the files of reeve-host share. This process holds one plugin. It reads frames
 * from a socket, makes each call of the plugin on a separate thread, and sends the results back. */

/* Convert a text of the plugin interface into a text of reeve, and back. */
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

/* Sends complete frames, from any thread. Blocks while the manager does not read. */
struct out;
struct out *out_new(int socket);
void out_send(struct out *out, const struct wire_message *message);

/* ---- load.c: loading ---- */

/* Reads the file of the plugin into private memory, so that it cannot be changed afterwards. Must
 * be called before the process enters the sandbox, which hides the file. The caller closes *out.
 * Fails with R0602, also if the digest does not match. */
MUST_CHECK bool host_read(const struct wire_open *open, int *out, struct err *err);

/* Loads the plugin from the memory that host_read has filled, if its interface is supported. The
 * plugin stays loaded until the process ends. Fails with R0602. */
MUST_CHECK bool host_load(const struct wire_open *open, int memory,
                          const struct reeve_plugin_v1 **out, struct err *err);

/* Returns one bit for each enum wire_method that the plugin has. */
uint64_t host_methods(const struct reeve_plugin_v1 *plugin);

/* Writes the plugin's description. Lists live in the arena; the texts belong to the plugin. The
 * sandbox is not included: the caller adds it. */
void host_describe(struct arena *arena, const struct reeve_plugin_v1 *plugin,
                   struct wire_hello *out);

/* ---- state.c: the state of the plugin ---- */

/* Access to the plugin's stored state. The manager keeps it, or it is in files below the plugin's
 * folder. */
struct state;

/* `folder` is the plugin's folder, which is used if the manager does not keep the state; it may be
 * NULL. A state is never freed. */
struct state *state_new(struct out *out, bool has_manager, const char *folder);

struct state_request {
    uint64_t call;
    enum wire_access access;
    struct text key;
    struct text after;
    struct text value;
    uint64_t version;
    uint64_t deadline_ms; /* time limit by CLOCK_BOOTTIME, in ms */
};

/* Executes an access, and blocks until it is answered. Texts of *out live in the arena. */
void state_access(struct state *state, struct arena *arena, const struct state_request *request,
                  struct wire_state *out);

/* Passes an answer of the manager to the waiting access. Called on the thread that reads frames. */
void state_answer(struct state *state, const struct wire_state *answer);

/* Fails all current and later accesses, because the manager has closed the socket. */
void state_close(struct state *state);

/* Executes an access to the files below a folder (state_folder.c). */
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

/* Creates the table of functions that the plugin may call. The caller still owns the folder, the
 * settings and the state. */
void host_hold(struct held *held, const struct reeve_plugin_v1 *plugin, struct out *out,
               struct state *state, const struct wire_open *open);

/* Makes one call of the plugin on this thread, and sends its result. */
void call_make(struct held *held, const struct wire_call *wire);

/* ---- serve.c ---- */

/* Restrictions from the command line, which no message of the manager can change. A manager without
 * privileges starts this process with privileges, through its launcher. Such a manager may be
 * compromised. */
struct host_bounds {
    const char *within; /* folder that must contain the folders of plugins; NULL: no restriction */
    const struct plugins_trusted *trusted; /* plugins that may use the profile `host`, by digest;
                                            * NULL: all plugins */
};

/* Reads frames until the manager closes the socket, or a frame is invalid. The first message must
 * be OPEN. Returns the exit code of the process. */
int host_serve(int socket, const struct host_bounds *bounds);

#endif
