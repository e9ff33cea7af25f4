#include "provider/plugins.h"

#include "base/limits.h"
#include "codec/json.h"
#include "reeve/plugin.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".so"

/* An instance of a plugin: for one tenant, or for one account of a tenant. */
struct instance {
    struct instance *next;
    struct text tenant;
    struct text account; /* empty: none */
    struct provider *provider;
};

struct entry {
    struct plugins *plugins;
    struct entry *next;
    struct arena *arena; /* of the entry and its HELLO */
    struct plugin_facts facts;
    bool is_known;
    bool is_fetched;
    char problem[LIMIT_ERROR_TEXT_BYTES]; /* empty: none */
    struct link *link;                    /* set while it is queried */
    uint64_t asked_until_ms;
    struct instance *instances;
    /* reason why the last attempt to open an instance failed */
    char instance_problem[LIMIT_ERROR_TEXT_BYTES];
};

/* Configured endpoints of one plugin. */
struct endpoints_row {
    struct text name;
    struct wire_list list; /* of struct text */
};

struct plugins {
    struct plugins_options options;
    struct arena *memory;
    int folder; /* options.memory */
    struct entry *entries;
    struct entry **last;
    size_t count;
    struct endpoints_row *endpoints;
    size_t endpoints_count;
    struct wire_pair *settings; /* by name; JSON */
    size_t settings_count;
    size_t alive; /* running processes */
    bool is_closed;
};

static uint64_t plugins_now_ms(const struct plugins *plugins)
{
    return loop_now_ms(plugins->options.loop);
}

/* ---- querying plugins ---- */

/* The description of a file with a given digest does not change. It is cached in
 * FOLDER/.known/DIGEST as the received frame. The cache is trusted, because a user with write
 * access there can also replace the plugins. */
static bool known_open(struct plugins *plugins, int *out)
{
    struct err err;

    return folder_make_beneath(plugins->folder, ".known", 0700, out, &err);
}

static struct wire_list properties_keep(struct arena *arena, const struct wire_list *from)
{
    struct wire_property *kept = arena_array(arena, struct wire_property, from->count);

    for (size_t i = 0; i < from->count; i++) {
        kept[i] = *wire_item(*from, const struct wire_property, i);
        kept[i].name = arena_text(arena, kept[i].name);
        kept[i].initial = arena_text(arena, kept[i].initial);
        kept[i].choices = arena_text(arena, kept[i].choices);
        kept[i].help = arena_text(arena, kept[i].help);
        kept[i].example = arena_text(arena, kept[i].example);
    }
    return (struct wire_list){ kept, from->count };
}

static const struct wire_property *property_of(const struct wire_hello *hello, size_t i)
{
    return wire_item(hello->properties, const struct wire_property, i);
}

static struct wire_list pairs_keep(struct arena *arena, const struct wire_list *from)
{
    struct wire_pair *kept = arena_array(arena, struct wire_pair, from->count);

    for (size_t i = 0; i < from->count; i++) {
        const struct wire_pair *pair = wire_item(*from, const struct wire_pair, i);

        kept[i] =
            (struct wire_pair){ arena_text(arena, pair->name), arena_text(arena, pair->value) };
    }
    return (struct wire_list){ kept, from->count };
}

static struct wire_hello plugins_hello_keep(struct arena *arena, const struct wire_hello *from)
{
    struct wire_hello kept = *from;

    kept.name = arena_text(arena, from->name);
    kept.version = arena_text(arena, from->version);
    kept.about = arena_text(arena, from->about);
    kept.properties = properties_keep(arena, &from->properties);
    kept.sandbox = pairs_keep(arena, &from->sandbox);
    return kept;
}

static void asking_end(struct entry *entry, const char *problem)
{
    struct plugins *plugins = entry->plugins;

    link_close(entry->link);
    entry->link = NULL;
    snprintf(entry->problem, sizeof(entry->problem), "%s", problem);
    if (problem[0] != '\0') {
        log_warn(plugins->options.log, "plugin", "refused",
                 log_text("plugin", entry->facts.open.name), log_string("reason", problem));
    } else {
        log_info(plugins->options.log, "plugin", "known",
                 log_text("plugin", entry->facts.open.name),
                 log_text("version", entry->facts.hello.version),
                 log_text("digest", entry->facts.open.digest));
    }
    plugins->options.wake(plugins->options.arg);
}

/* Validates a HELLO. reeve-host has checked it, but loaded code can write to the socket before. */
static bool hello_is_fit(const struct entry *entry, const struct wire_hello *hello)
{
    size_t bytes = hello->version.length + hello->about.length;

    for (size_t i = 0; i < hello->properties.count; i++) {
        const struct wire_property *property = property_of(hello, i);

        bytes += property->name.length + property->initial.length + property->choices.length +
                 property->help.length + property->example.length;
        if (property->name.length == 0 || property->type > REEVE_TYPE_NUMBER ||
            property->role > REEVE_ROLE_DRIVER) {
            return false;
        }
    }
    return text_is_equal(hello->name, entry->facts.open.name) &&
           hello->properties.count <= LIMIT_PLUGIN_PROPERTIES && bytes <= LIMIT_PLUGIN_WORDS_BYTES;
}

/* If the description cannot be cached, the plugin is queried again next time. */
static void plugins_known_write(struct entry *entry, const struct wire_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    AUTO(fd) folder = FD_NONE;
    struct buf buf;
    struct err err;

    buf_init(&buf, arena);
    wire_format(&buf, message);
    if (known_open(entry->plugins, &folder)) {
        (void)!file_replace(folder, arena_string(arena, entry->facts.open.digest), buf_text(&buf),
                            0600, &err);
    }
}

static bool known_read(struct entry *entry)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WIRE_ARENA_BYTES + LIMIT_WIRE_FRAME_BYTES);
    AUTO(fd) folder = FD_NONE;
    struct wire_message message;
    struct text frame;
    struct err err;

    if (!known_open(entry->plugins, &folder) ||
        !file_read_beneath(arena, folder, arena_string(arena, entry->facts.open.digest),
                           LIMIT_WIRE_FRAME_BYTES, &frame, &err) ||
        !wire_parse(arena, frame, &message, &err) || message.type != WIRE_HELLO ||
        !hello_is_fit(entry, &message.hello)) {
        return false;
    }
    entry->facts.hello = plugins_hello_keep(entry->arena, &message.hello);
    /* the cached sandbox state belongs to another start, perhaps on another kernel */
    entry->facts.hello.sandbox = (struct wire_list){ NULL, 0 };
    entry->is_known = true;
    return true;
}

static void plugins_asked_reported(void *arg, const struct wire_message *message)
{
    struct entry *entry = arg;

    if (message->type == WIRE_HELLO && !hello_is_fit(entry, &message->hello)) {
        asking_end(entry, "the description of the plugin is invalid");
    } else if (message->type == WIRE_HELLO) {
        entry->facts.hello = plugins_hello_keep(entry->arena, &message->hello);
        entry->is_known = true;
        plugins_known_write(entry, message);
        asking_end(entry, "");
    } else if (message->type == WIRE_FAILED) {
        char problem[LIMIT_ERROR_TEXT_BYTES];

        snprintf(problem, sizeof(problem), "%.*s", TEXT_ARG(message->failed.message));
        asking_end(entry, problem);
    } else if (message->type != WIRE_LOG) {
        asking_end(entry, "the plugin answered before it was called");
    }
}

static void plugins_asked_ended(void *arg, const char *why)
{
    asking_end(arg, why);
}

/* Queries a plugin for its description. The plugin starts in an unused folder and stores nothing
 * there. */
static void entry_ask(struct entry *entry)
{
    struct plugins *plugins = entry->plugins;
    struct link_options options = {
        .loop = plugins->options.loop,
        .log = plugins->options.log,
        .alive = &plugins->alive,
        .program = plugins->options.program,
        .end_ms = plugins->options.patience.end_ms,
        .open = entry->facts.open,
        .reported = plugins_asked_reported,
        .ended = plugins_asked_ended,
        .arg = entry,
    };
    struct err err;

    options.open.is_question = 1;
    entry->asked_until_ms = plugins_now_ms(plugins) + plugins->options.patience.start_ms;
    if (!link_open(&options, &entry->link, &err)) {
        entry->link = NULL;
        asking_end(entry, err.text);
    }
}

/* ---- finding files ---- */

static struct entry *plugins_entry_find(const struct plugins *plugins, struct text name)
{
    for (struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (!entry->is_fetched && text_is_equal(entry->facts.open.name, name)) {
            return entry;
        }
    }
    return NULL;
}

static struct entry *fetched_find(const struct plugins *plugins, const struct plugins_file *file)
{
    for (struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (entry->is_fetched && text_is_equal(entry->facts.open.name, file->name) &&
            text_is_equal(entry->facts.open.digest, file->digest)) {
            return entry;
        }
    }
    return NULL;
}

/* Returns the only fetched plugin of this name, of any tenant. */
static const struct entry *fetched_only(const struct plugins *plugins, struct text name)
{
    const struct entry *found = NULL;

    for (const struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (entry->is_fetched && text_is_equal(entry->facts.open.name, name)) {
            if (found != NULL) {
                return NULL;
            }
            found = entry;
        }
    }
    return found;
}

/* Copies the settings, because plugins that are fetched later need them too. */
static void settings_keep(struct plugins *plugins, const struct doc *settings)
{
    size_t count = doc_is_map(settings) ? settings->entry_count : 0;

    plugins->settings = arena_array(plugins->memory, struct wire_pair, count);
    for (size_t i = 0; i < count; i++) {
        struct buf buf;

        buf_init(&buf, plugins->memory);
        json_format(&buf, &settings->entries[i].value);
        plugins->settings[plugins->settings_count++] =
            (struct wire_pair){ arena_text(plugins->memory, settings->entries[i].key),
                                buf_text(&buf) };
    }
}

static void endpoints_keep(struct plugins *plugins, const struct doc *endpoints)
{
    size_t count = doc_is_map(endpoints) ? endpoints->entry_count : 0;

    plugins->endpoints = arena_array(plugins->memory, struct endpoints_row, count);
    for (size_t i = 0; i < count; i++) {
        const struct doc *list = &endpoints->entries[i].value;
        size_t texts_count = doc_is_list(list) ? list->item_count : 0;
        struct text *texts = arena_array(plugins->memory, struct text, texts_count);

        for (size_t j = 0; j < texts_count; j++) {
            texts[j] = arena_text(plugins->memory, list->items[j].text);
        }
        plugins->endpoints[plugins->endpoints_count++] =
            (struct endpoints_row){ arena_text(plugins->memory, endpoints->entries[i].key),
                                    { texts, texts_count } };
    }
}

/* Returns the endpoints of a plugin by name; empty if none are configured. */
static struct wire_list endpoints_of(const struct plugins *plugins, struct text name)
{
    for (size_t i = 0; i < plugins->endpoints_count; i++) {
        if (text_is_equal(plugins->endpoints[i].name, name)) {
            return plugins->endpoints[i].list;
        }
    }
    return (struct wire_list){ NULL, 0 };
}

static struct text settings_of(const struct plugins *plugins, struct text name)
{
    for (size_t i = 0; i < plugins->settings_count; i++) {
        if (text_is_equal(plugins->settings[i].name, name)) {
            return plugins->settings[i].value;
        }
    }
    return TEXT("{}");
}

enum sandbox_profile plugins_profile(const struct plugins_trusted *trusted, struct text digest)
{
    for (; trusted != NULL && trusted->name != NULL; trusted++) {
        if (text_is(digest, trusted->digest)) {
            return SANDBOX_HOST;
        }
    }
    return SANDBOX_CLOUD;
}

static struct entry *entry_new(struct plugins *plugins, struct text name, struct text path)
{
    struct arena *arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct entry *entry = arena_one(arena, struct entry);

    *entry = (struct entry){ .plugins = plugins, .arena = arena };
    entry->facts.open = (struct wire_open){
        .path = arena_text(arena, path),
        .name = arena_text(arena, name),
        .settings = settings_of(plugins, name),
        .endpoints = endpoints_of(plugins, name),
        .calls_max = LIMIT_HOST_CALLS,
    };
    *plugins->last = entry;
    plugins->last = &entry->next;
    plugins->count++;
    return entry;
}

MUST_CHECK static bool digest_make(struct text path, char out[static DIGEST_TEXT_BYTES],
                                   struct err *err)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_PLUGIN_BYTES * 2);
    struct text bytes;

    if (!file_read(arena, arena_string(arena, path), LIMIT_PLUGIN_BYTES, &bytes, err)) {
        return false;
    }
    digest_sha256(bytes, out);
    return true;
}

static void entry_begin(struct entry *entry, const char *digest)
{
    struct plugins *plugins = entry->plugins;

    entry->facts.open.digest = arena_text(entry->arena, text_from(digest));
    entry->facts.open.profile =
        entry->is_fetched ? SANDBOX_CLOUD
                          : plugins_profile(plugins->options.trusted, entry->facts.open.digest);
    if (!known_read(entry)) {
        entry_ask(entry);
    }
}

static void plugins_entry_add(struct plugins *plugins, const char *folder, struct text name)
{
    struct text path = arena_printf(plugins->memory, "%s/%.*s" SUFFIX, folder, TEXT_ARG(name));
    struct entry *entry = entry_new(plugins, name, path);
    char digest[DIGEST_TEXT_BYTES];
    struct err err;

    if (digest_make(path, digest, &err)) {
        entry_begin(entry, digest);
    } else {
        asking_end(entry, err.text);
    }
}

static void plugins_folder_look(struct plugins *plugins, const char *folder)
{
    DIR *listing = opendir(folder);
    const struct dirent *file;

    while (listing != NULL && (file = readdir(listing)) != NULL) {
        struct text name = text_from(file->d_name);

        if (!text_has_suffix(name, TEXT(SUFFIX)) || name.data[0] == '.') {
            continue;
        }
        name = text_slice(name, 0, name.length - strlen(SUFFIX));
        if (plugins_entry_find(plugins, name) == NULL && plugins->count < LIMIT_PLUGINS) {
            plugins_entry_add(plugins, folder, name);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

bool plugins_open(const struct plugins_options *options, struct plugins **out, struct err *err)
{
    AUTO(fd) folder = FD_NONE;
    struct arena *memory;
    struct plugins *plugins;

    if (!folder_open(options->memory, &folder, err)) {
        return false;
    }
    memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    plugins = arena_one(memory, struct plugins);
    *plugins = (struct plugins){ .options = *options, .memory = memory, .folder = folder };
    plugins->options.program = arena_string(memory, text_from(options->program));
    plugins->options.memory = arena_string(memory, text_from(options->memory));
    folder = FD_NONE;
    plugins->last = &plugins->entries;
    settings_keep(plugins, options->settings);
    endpoints_keep(plugins, options->endpoints);
    for (size_t i = 0; options->folders[i] != NULL; i++) {
        plugins_folder_look(plugins, options->folders[i]);
    }
    plugins->options.folders = NULL; /* owned by the caller, like the settings, and already read */
    plugins->options.settings = NULL;
    plugins->options.endpoints = NULL;
    *out = plugins;
    return true;
}

bool plugins_are_asked(const struct plugins *plugins)
{
    for (const struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (entry->link != NULL) {
            return false;
        }
    }
    return true;
}

/* ---- instances ---- */

struct text plugins_name(struct text name)
{
    return text_slice(name, 0, text_find_byte(name, '/'));
}

/* Splits NAME[/ACCOUNT] into plugin and account. */
static struct text account_split(struct text *name)
{
    size_t slash = text_find_byte(*name, '/');
    struct text account = slash == SIZE_MAX ? TEXT("") : text_slice(*name, slash + 1, name->length);

    *name = plugins_name(*name);
    return account;
}

/* Returns FOLDER/TENANT/NAME, or NAME@ACCOUNT for an account. Tenants never share a plugin's
 * folder. */
MUST_CHECK static bool instance_folder(struct arena *arena, const struct plugins *plugins,
                                       const struct instance *instance, struct text name,
                                       struct text *out, struct err *err)
{
    struct text own =
        instance->account.length == 0
            ? name
            : arena_printf(arena, "%.*s@%.*s", TEXT_ARG(name), TEXT_ARG(instance->account));
    AUTO(fd) above = FD_NONE;

    /* the innermost folder belongs to the plugin's user; it is not opened here */
    if (!folder_make_beneath(plugins->folder, arena_string(arena, instance->tenant), 0700, &above,
                             err) ||
        !folder_ensure_beneath(above, arena_string(arena, own), 0700, err)) {
        return false;
    }
    *out = arena_printf(arena, "%s/%.*s/%.*s", plugins->options.memory, TEXT_ARG(instance->tenant),
                        TEXT_ARG(own));
    return true;
}

static struct provider *instance_add(struct plugins *plugins, struct entry *entry,
                                     const struct instance *wanted, const char **problem)
{
    struct hosted_options options = {
        .loop = plugins->options.loop,
        .log = plugins->options.log,
        .alive = &plugins->alive,
        .program = plugins->options.program,
        .facts = &entry->facts,
        .patience = plugins->options.patience,
        .tenant = wanted->tenant,
        .account = wanted->account,
        .vault = plugins->options.vault,
        .state = plugins->options.state,
        .wake = plugins->options.wake,
        .arg = plugins->options.arg,
    };
    /* a separate arena for each attempt, because attempts may repeat without limit */
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct instance *instance;
    struct err err;

    if (!instance_folder(arena, plugins, wanted, entry->facts.open.name, &options.folder, &err)) {
        snprintf(entry->instance_problem, sizeof(entry->instance_problem), "%s", err.text);
        *problem = entry->instance_problem;
        return NULL;
    }
    instance = arena_one(plugins->memory, struct instance);
    *instance = (struct instance){ .next = entry->instances,
                                   .tenant = arena_text(plugins->memory, wanted->tenant),
                                   .account = arena_text(plugins->memory, wanted->account),
                                   .provider = hosted_open(&options) };
    entry->instances = instance;
    return instance->provider;
}

static const struct instance *instance_find(const struct entry *entry,
                                            const struct instance *wanted)
{
    for (const struct instance *instance = entry->instances; instance != NULL;
         instance = instance->next) {
        if (text_is_equal(instance->tenant, wanted->tenant) &&
            text_is_equal(instance->account, wanted->account)) {
            return instance;
        }
    }
    return NULL;
}

static struct provider *entry_instance(struct plugins *plugins, struct entry *entry,
                                       const struct instance *wanted, const char **problem)
{
    const struct hosted_vault *vault = &plugins->options.vault;
    struct provider *provider;
    const struct instance *instance;

    if (!entry->is_known) {
        *problem = entry->problem[0] != '\0' ? entry->problem
                                             : "the plugin has not sent its description yet";
        return NULL;
    }
    instance = instance_find(entry, wanted);
    provider =
        instance != NULL ? instance->provider : instance_add(plugins, entry, wanted, problem);
    if (provider != NULL && wanted->account.length > 0 && vault->rate != NULL) {
        hosted_rate(provider, vault->rate(vault->arg, wanted->tenant, wanted->account));
    }
    if (provider != NULL && wanted->account.length > 0 && vault->settings != NULL) {
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

        hosted_settings(provider,
                        vault->settings(vault->arg, arena, wanted->tenant, wanted->account));
    }
    return provider;
}

struct provider *plugins_find(struct plugins *plugins, struct text tenant, struct text name,
                              const char **problem)
{
    struct instance wanted = { .tenant = tenant, .account = account_split(&name) };
    struct entry *entry = plugins_entry_find(plugins, name);

    if (entry == NULL) {
        *problem = "this manager has no such plugin";
        return NULL;
    }
    return entry_instance(plugins, entry, &wanted, problem);
}

/* Returns the entry of a fetched file, created if missing. NULL: *problem has the reason,
 * *is_spoiled as in plugins_find_fetched. */
static struct entry *fetched_get(struct plugins *plugins, const struct plugins_file *file,
                                 const char **problem, bool *is_spoiled)
{
    struct entry *entry = fetched_find(plugins, file);
    char digest[DIGEST_TEXT_BYTES];
    struct err err;

    *is_spoiled = false;
    if (entry != NULL) {
        return entry;
    }
    if (plugins->is_closed || plugins->count >= LIMIT_PLUGINS) {
        *problem = "there are too many plugins here";
        return NULL;
    }
    if (!digest_make(file->path, digest, &err) || !text_is(file->digest, digest)) {
        *is_spoiled = true;
        *problem = "the fetched file has changed: it is fetched again";
        return NULL;
    }
    entry = entry_new(plugins, file->name, file->path);
    entry->is_fetched = true;
    entry_begin(entry, digest);
    return entry;
}

struct provider *plugins_find_fetched(struct plugins *plugins, struct text tenant,
                                      const struct plugins_file *asked, const char **problem,
                                      bool *is_spoiled)
{
    struct plugins_file file = *asked;
    struct instance wanted = { .tenant = tenant, .account = account_split(&file.name) };
    struct entry *entry = fetched_get(plugins, &file, problem, is_spoiled);

    return entry == NULL ? NULL : entry_instance(plugins, entry, &wanted, problem);
}

static struct plugins_entry entry_show(const struct entry *entry)
{
    return (struct plugins_entry){
        .name = entry->facts.open.name,
        .path = entry->facts.open.path,
        .digest = entry->facts.open.digest,
        .profile = (enum sandbox_profile)entry->facts.open.profile,
        .is_known = entry->is_known,
        .is_asked = entry->link != NULL,
        .is_fetched = entry->is_fetched,
        .hello = entry->is_known ? &entry->facts.hello : NULL,
        .problem = entry->problem[0] == '\0' ? NULL : entry->problem,
    };
}

enum plugins_answer plugins_know_fetched(struct plugins *plugins, const struct plugins_file *file,
                                         struct plugins_entry *out, const char **problem)
{
    bool is_spoiled;
    struct entry *entry = fetched_get(plugins, file, problem, &is_spoiled);

    if (entry == NULL) {
        return is_spoiled ? PLUGINS_SPOILED : PLUGINS_REFUSED;
    }
    *out = entry_show(entry);
    *problem = entry->problem;
    return entry->is_known ? PLUGINS_KNOWN : entry->link != NULL ? PLUGINS_ASKED : PLUGINS_REFUSED;
}

void plugins_forget_fetched(struct plugins *plugins, const struct plugins_file *file)
{
    struct entry *entry = fetched_find(plugins, file);
    struct entry **place = &plugins->entries;

    if (entry == NULL || entry->is_known || entry->link != NULL) {
        return; /* in use, or a query is pending */
    }
    while (*place != entry) {
        place = &(*place)->next;
    }
    *place = entry->next;
    if (plugins->last == &entry->next) {
        plugins->last = place;
    }
    plugins->count--;
    arena_free(entry->arena);
}

const struct provider *plugins_instance(const struct plugins *plugins, struct text tenant,
                                        const struct plugins_entry *shown)
{
    const struct plugins_file file = { shown->name, shown->path, shown->digest };
    const struct entry *entry =
        shown->is_fetched ? fetched_find(plugins, &file) : plugins_entry_find(plugins, shown->name);
    const struct instance *instance =
        entry == NULL ? NULL : instance_find(entry, &(struct instance){ .tenant = tenant });

    return instance == NULL ? NULL : instance->provider;
}

/* ---- listing ---- */

size_t plugins_count(const struct plugins *plugins)
{
    return plugins->count;
}

struct plugins_entry plugins_at(const struct plugins *plugins, size_t i)
{
    const struct entry *entry = plugins->entries;

    assert(i < plugins->count);
    while (i-- > 0) {
        entry = entry->next;
    }
    return entry_show(entry);
}

bool plugins_is_installed(const struct plugins *plugins, struct text name,
                          struct plugins_entry *out)
{
    const struct entry *entry = plugins_entry_find(plugins, name);

    if (entry == NULL) {
        return false;
    }
    *out = entry_show(entry);
    return true;
}

bool plugins_look(const struct plugins *plugins, struct text name, struct plugins_entry *out)
{
    const struct entry *entry = plugins_entry_find(plugins, name);

    entry = entry != NULL ? entry : fetched_only(plugins, name);
    if (entry == NULL) {
        return false;
    }
    *out = entry_show(entry);
    return true;
}

/* ---- running ---- */

size_t plugins_run(struct plugins *plugins)
{
    size_t count = 0;

    for (struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (entry->link != NULL && plugins_now_ms(plugins) >= entry->asked_until_ms) {
            asking_end(entry, "the plugin did not send its description in time");
        }
        for (struct instance *instance = entry->instances; instance != NULL;
             instance = instance->next) {
            count += provider_run(instance->provider);
        }
    }
    return count;
}

uint64_t plugins_due(const struct plugins *plugins)
{
    uint64_t now = plugins_now_ms(plugins);
    uint64_t due = UINT64_MAX;

    for (const struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        if (entry->link != NULL) {
            uint64_t left = entry->asked_until_ms > now ? entry->asked_until_ms - now : 0;

            due = left < due ? left : due;
        }
        for (const struct instance *instance = entry->instances; instance != NULL;
             instance = instance->next) {
            uint64_t left = provider_due(instance->provider);

            due = left < due ? left : due;
        }
    }
    return due;
}

/* ---- closing ---- */

void plugins_close(struct plugins *plugins)
{
    if (plugins == NULL || plugins->is_closed) {
        return;
    }
    plugins->is_closed = true;
    for (struct entry *entry = plugins->entries; entry != NULL; entry = entry->next) {
        link_close(entry->link);
        entry->link = NULL;
        for (struct instance *instance = entry->instances; instance != NULL;
             instance = instance->next) {
            provider_close(instance->provider);
        }
        entry->instances = NULL;
    }
}

bool plugins_are_over(const struct plugins *plugins)
{
    return plugins->alive == 0;
}

void plugins_free(struct plugins *plugins)
{
    if (plugins != NULL) {
        assert(plugins->is_closed && plugins->alive == 0);
        close(plugins->folder);
        for (struct entry *entry = plugins->entries, *next; entry != NULL; entry = next) {
            next = entry->next;
            arena_free(entry->arena);
        }
        arena_free(plugins->memory);
    }
}
