#ifndef REEVE_PROVIDER_PLUGINS_H
#define REEVE_PROVIDER_PLUGINS_H

#include "codec/doc.h"
#include "host/sandbox.h"
#include "host/trusted.h"
#include "provider/hosted.h"

/* public names start with: plugins_ */

/* Registry of the plugins of this machine, with their descriptions and their providers, one
 * provider per tenant.
 *
 * A plugin is a file NAME.so in one of the folders, or a file that was fetched for a tenant and is
 * identified by its digest. When the registry is opened, every plugin is queried once,
 * concurrently, in temporary processes. Until all have answered or timed out, plugins_are_asked
 * returns false. Before that, callers must not conclude that a plugin is missing. */
struct plugins;

/* Returns the sandbox profile of a plugin. No input of users, files or plugins affects it.
 * `trusted` may be NULL. */
enum sandbox_profile plugins_profile(const struct plugins_trusted *trusted, struct text digest);

struct plugins_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* absolute path of reeve-host */
    /* Folders of plugins, ends with NULL. If several folders have a plugin with the same name, the
     * first folder takes precedence. */
    const char *const *folders;
    struct hosted_patience patience;
    const char *memory; /* folder for the plugins' own folders */
    /* Map of plugin names to the settings that a plugin receives at its start. May be NULL. Read
     * during plugins_open only. */
    const struct doc *settings;
    /* Map of plugin names to lists of endpoints (host/relay.h). Read during plugins_open only. */
    const struct doc *endpoints;
    const struct plugins_trusted *trusted; /* must outlive it; NULL: none */
    struct hosted_vault vault;             /* source of credentials; all zero: none */
    /* NULL functions: the state is stored in the plugins' folders */
    struct hosted_state_port state;
    void (*wake)(void *arg); /* called when plugins_run has work */
    void *arg;
};

/* Finds the plugins and begins to query them. Missing folders count as empty. */
MUST_CHECK bool plugins_open(const struct plugins_options *options, struct plugins **out,
                             struct err *err);

/* Description of a plugin for display and schemas. */
struct plugins_entry {
    struct text name;
    struct text path;
    struct text digest;
    enum sandbox_profile profile;
    bool is_known;                  /* the plugin has answered the query */
    bool is_asked;                  /* the query is pending */
    const struct wire_hello *hello; /* its answer; NULL: none */
    const char *problem;            /* why there is no answer; NULL: no problem */
    bool is_fetched;                /* fetched for a tenant, not installed for all */
};

/* A file that was fetched. */
struct plugins_file {
    struct text name; /* or NAME/ACCOUNT */
    struct text path;
    struct text digest;
};

/* Returns whether every plugin has answered its query or failed. */
bool plugins_are_asked(const struct plugins *plugins);

/* Returns the plugin's name in NAME or NAME/ACCOUNT. */
struct text plugins_name(struct text name);

/* Returns the provider of a plugin for a tenant: NAME, or NAME/ACCOUNT. Each account has its own
 * process and folder, so that no call can see the credential of another account. Returns NULL if
 * there is none; *problem then has the reason, valid until the next call. */
struct provider *plugins_find(struct plugins *plugins, struct text tenant, struct text name,
                              const char **problem);

/* Returns the provider of a fetched plugin: of the file at `path`, which must have this digest. An
 * installed plugin of the same name is ignored. Returns NULL like plugins_find; *is_spoiled is then
 * true if the file is missing or has other content. */
struct provider *plugins_find_fetched(struct plugins *plugins, struct text tenant,
                                      const struct plugins_file *file, const char **problem,
                                      bool *is_spoiled);

/* Result of looking up the description of a fetched file; the file itself is not read. */
enum plugins_answer {
    PLUGINS_KNOWN,
    PLUGINS_ASKED,   /* the query is pending */
    PLUGINS_REFUSED, /* not a valid plugin for this reeve; *problem has the reason */
    PLUGINS_SPOILED, /* as *is_spoiled of plugins_find_fetched */
};
enum plugins_answer plugins_know_fetched(struct plugins *plugins, const struct plugins_file *file,
                                         struct plugins_entry *out, const char **problem);

/* Drops a fetched file that is not a plugin, to free its entry. */
void plugins_forget_fetched(struct plugins *plugins, const struct plugins_file *file);

/* Returns whether a plugin is installed under this name. */
bool plugins_is_installed(const struct plugins *plugins, struct text name,
                          struct plugins_entry *out);

/* Returns the provider like plugins_find if it was requested before, else NULL. */
const struct provider *plugins_instance(const struct plugins *plugins, struct text tenant,
                                        const struct plugins_entry *entry);

size_t plugins_count(const struct plugins *plugins);
struct plugins_entry plugins_at(const struct plugins *plugins, size_t i);

/* Finds a plugin by name: an installed one, else the only fetched one. Returns false if there is
 * none. */
bool plugins_look(const struct plugins *plugins, struct text name, struct plugins_entry *out);

/* Do the same as provider_run and provider_due (records/provider.h) for all providers: plugins_run
 * calls the due callbacks and returns their number; plugins_due returns the time until the next one
 * is due, in ms. */
size_t plugins_run(struct plugins *plugins);
uint64_t plugins_due(const struct plugins *plugins);

/* plugins_close closes all providers, whose calls end. Their processes may take longer: run the
 * loop until plugins_are_over returns true, then call plugins_free. */
void plugins_close(struct plugins *plugins);
bool plugins_are_over(const struct plugins *plugins);
void plugins_free(struct plugins *plugins);

#endif
