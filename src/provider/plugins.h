#ifndef REEVE_PROVIDER_PLUGINS_H
#define REEVE_PROVIDER_PLUGINS_H

#include "codec/doc.h"
#include "host/sandbox.h"
#include "host/trusted.h"
#include "provider/hosted.h"

/* names: plugins_ */

/* The plugins of this machine: which there are, what each says of itself, and the providers that are made of them,
 * one for each tenant.
 *
 * A plugin is a file NAME.so in one of the folders, or one that was fetched for a tenant and goes by its digest. When the registry is opened, each is asked once who it is, all at
 * the same time, in processes that end again; until all have answered or had their time, plugins_are_asked is false,
 * and nobody should decide that a plugin is missing. */
struct plugins;

/* How a plugin is shut in: nothing that a user, a file or a plugin says has a part in this. `trusted` may be NULL. */
enum sandbox_profile plugins_profile(const struct plugins_trusted *trusted, struct text digest);

struct plugins_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* reeve-host */
    const char *const
        *folders; /* where plugins are, ends with NULL; the first that has a name wins */
    struct hosted_patience patience;
    const char *memory; /* folder in which each gets folders of its own */
    const struct doc *
        settings; /* by name of plugin: what its start is told; may be NULL; read when it is opened */
    const struct doc
        *endpoints; /* by name of plugin: a list of endpoints (host/relay.h); read likewise */
    const struct plugins_trusted *trusted; /* outlive it; NULL: none */
    struct hosted_vault vault;             /* of credentials; all zero: there is none */
    void (*wake)(void *arg);               /* plugins_run has something to do */
    void *arg;
};

/* Look for them and begin to ask. Folders that are not there hold none. */
MUST_CHECK bool plugins_open(const struct plugins_options *options, struct plugins **out,
                             struct err *err);

/* One of them, as people and schemas want to know it. */
struct plugins_entry {
    struct text name;
    struct text path;
    struct text digest;
    enum sandbox_profile profile;
    bool is_known;                  /* it has said who it is */
    bool is_asked;                  /* it has not yet, and has time for it */
    const struct wire_hello *hello; /* what it said; NULL: nothing */
    const char *problem;            /* why not; NULL: nothing is wrong */
    bool is_fetched;                /* of a tenant that wanted it, not for all */
};

/* A file that was fetched. */
struct plugins_file {
    struct text name; /* or NAME/ACCOUNT */
    struct text path;
    struct text digest;
};

/* Has each been asked, and answered or failed? */
bool plugins_are_asked(const struct plugins *plugins);

/* The plugin of NAME, or of NAME/ACCOUNT. */
struct text plugins_name(struct text name);

/* The provider of a plugin in a tenant: NAME, or NAME/ACCOUNT, which has a process and a folder of its own, so that no
 * call can see the credential of another account. NULL: there is none; *problem says why, until the next one is asked for. */
struct provider *plugins_find(struct plugins *plugins, struct text tenant, struct text name,
                              const char **problem);

/* The provider of a plugin that was fetched: of the file at `path`, whose bytes must have this digest. One that is installed
 * under the name has no part in this. NULL: as above; *is_spoiled: the file is not there, or has other bytes. */
struct provider *plugins_find_fetched(struct plugins *plugins, struct text tenant,
                                      const struct plugins_file *file, const char **problem,
                                      bool *is_spoiled);

/* Who a file that was fetched is, without anything being begun with it. */
enum plugins_answer {
    PLUGINS_KNOWN,
    PLUGINS_ASKED,   /* it has not said it yet */
    PLUGINS_REFUSED, /* it is no plugin of this reeve; the problem says why */
    PLUGINS_SPOILED, /* as of plugins_find_fetched */
};
enum plugins_answer plugins_know_fetched(struct plugins *plugins, const struct plugins_file *file,
                                         struct plugins_entry *out, const char **problem);

/* Forget a file that was fetched and turned out to be no plugin, so that it takes no room. */
void plugins_forget_fetched(struct plugins *plugins, const struct plugins_file *file);

/* Is a plugin installed under this name? */
bool plugins_is_installed(const struct plugins *plugins, struct text name,
                          struct plugins_entry *out);

/* The same as plugins_find, where it was asked for before; NULL: it was not. */
const struct provider *plugins_instance(const struct plugins *plugins, struct text tenant,
                                        const struct plugins_entry *entry);

size_t plugins_count(const struct plugins *plugins);
struct plugins_entry plugins_at(const struct plugins *plugins, size_t i);

/* By name, one that is installed, else the only one that was fetched; false: there is none. */
bool plugins_look(const struct plugins *plugins, struct text name, struct plugins_entry *out);

/* Like provider_run and provider_due, for all of them. */
size_t plugins_run(struct plugins *plugins);
uint64_t plugins_due(const struct plugins *plugins);

/* End all providers; their calls end. Processes may take a moment longer: the loop has to turn until
 * plugins_are_over, before plugins_free. */
void plugins_close(struct plugins *plugins);
bool plugins_are_over(const struct plugins *plugins);
void plugins_free(struct plugins *plugins);

#endif
