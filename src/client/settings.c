#include "client/settings.h"

#include "client/address.h"
#include "codec/yaml.h"
#include "sys/file.h"

#include <string.h>
#include <unistd.h>

#define PROJECT_FILE ".reeve.yaml"

static struct text settings_child_text(const struct doc *doc, const char *key)
{
    const struct doc *child = doc_child(doc, key);

    return doc_is_scalar(child) && !doc_is_null(child) ? child->text : TEXT("");
}

MUST_CHECK static bool invalid(const char *path, const char *why, struct err *err)
{
    err_set(err, CODE_R0021, "%s: %s", path, why);
    return err_hint(err, "its format is context: NAME and contexts: {NAME: {url: ..., tenant: "
                         "...}}");
}

static bool key_is_known(struct text key, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(key, known[i])) {
            return true;
        }
    }
    return false;
}

/* True if this is a list of addresses. */
static bool is_urls(const struct doc *value)
{
    bool is_list =
        doc_is_list(value) && value->item_count > 0 && value->item_count <= LIMIT_CONTEXT_URLS;

    for (size_t i = 0; is_list && i < value->item_count; i++) {
        is_list = doc_is_scalar(&value->items[i]) && value->items[i].text.length > 0;
    }
    return is_list;
}

/* Checks that a map has only known keys, with scalar values except for urls. */
MUST_CHECK static bool texts_check(const char *path, const struct doc *map,
                                   const char *const *known, size_t count, struct err *err)
{
    for (size_t i = 0; i < map->entry_count; i++) {
        const struct doc_entry *entry = &map->entries[i];

        if (!key_is_known(entry->key, known, count)) {
            err_set(err, CODE_R0021, "%s:%u: unknown setting '%.*s'", path, entry->line,
                    TEXT_ARG(entry->key));
            return err_hint(err,
                            "known keys: context, contexts; in a context: url, urls, tenant, ca");
        }
        if (text_is(entry->key, "urls") ? !is_urls(&entry->value) : !doc_is_scalar(&entry->value)) {
            return invalid(path,
                           text_is(entry->key, "urls") ? "urls must be a list of addresses"
                                                       : "a setting must be a single value",
                           err);
        }
    }
    return true;
}

MUST_CHECK static bool contexts_check(const char *path, const struct doc *contexts, struct err *err)
{
    static const char *const known[] = { "url", "urls", "tenant", "ca" };

    if (contexts == NULL) {
        return true;
    }
    if (!doc_is_map(contexts)) {
        return invalid(path, "contexts must be a map", err);
    }
    for (size_t i = 0; i < contexts->entry_count; i++) {
        const struct doc *context = &contexts->entries[i].value;

        if (!doc_is_map(context)) {
            return invalid(path, "a context must be a map", err);
        }
        if (!texts_check(path, context, known, ARRAY_COUNT(known), err)) {
            return false;
        }
    }
    return true;
}

/* Parses a settings file. *out is absent if the file does not exist. */
MUST_CHECK static bool settings_file_parse(struct arena *arena, const char *path, struct doc *out,
                                           struct err *err)
{
    struct yaml_docs docs;
    struct text bytes;

    *out = (struct doc){ 0 };
    if (path == NULL || access(path, F_OK) != 0) {
        return true;
    }
    if (!file_read(arena, path, LIMIT_SETTINGS_BYTES, &bytes, err)) {
        return false;
    }
    if (!yaml_parse(arena, bytes, NULL, &docs, err)) {
        char why[LIMIT_ERROR_TEXT_BYTES];

        memcpy(why, err->text, sizeof(why));
        err_set(err, CODE_R0021, "%s:%u: %s", path, err->place.line, why);
        return false;
    }
    if (docs.count == 0) {
        return true;
    }
    if (docs.count > 1 || !doc_is_map(&docs.items[0])) {
        return invalid(path, "it is not a map", err);
    }
    *out = docs.items[0];
    return true;
}

MUST_CHECK static bool own_parse(struct arena *arena, const char *path, struct doc *out,
                                 struct err *err)
{
    static const char *const known[] = { "context", "contexts" };
    struct doc file;

    if (!settings_file_parse(arena, path, &file, err)) {
        return false;
    }
    for (size_t i = 0; i < file.entry_count; i++) {
        if (!key_is_known(file.entries[i].key, known, ARRAY_COUNT(known))) {
            err_set(err, CODE_R0021, "%s:%u: unknown setting '%.*s'", path, file.entries[i].line,
                    TEXT_ARG(file.entries[i].key));
            return err_hint(err, "known: context, contexts");
        }
    }
    if (!contexts_check(path, doc_child(&file, "contexts"), err)) {
        return false;
    }
    *out = file;
    return true;
}

/* Returns the path of the nearest project file at or above a folder; empty: none. */
static struct text project_find(struct arena *arena, const char *folder)
{
    struct text path = text_from(folder);

    for (;;) {
        struct text name = arena_printf(arena, "%.*s/" PROJECT_FILE, TEXT_ARG(path));

        if (access(name.data, F_OK) == 0) {
            return name;
        }
        while (path.length > 0 && path.data[path.length - 1] != '/') {
            path.length--;
        }
        if (path.length == 0) {
            return TEXT("");
        }
        path.length--;
    }
}

MUST_CHECK static bool project_parse(struct arena *arena, const char *path, struct doc *out,
                                     struct err *err)
{
    static const char *const known[] = { "context", "tenant" };

    if (!settings_file_parse(arena, path, out, err)) {
        return false;
    }
    for (size_t i = 0; i < out->entry_count; i++) {
        if (!key_is_known(out->entries[i].key, known, ARRAY_COUNT(known))) {
            err_set(err, CODE_R0022, "%s:%u: a project file may not set '%.*s'", path,
                    out->entries[i].line, TEXT_ARG(out->entries[i].key));
            return err_hint(err, "a project file may set only context and tenant; put other "
                                 "settings in your own configuration: reeve context login URL");
        }
    }
    return texts_check(path, out, known, ARRAY_COUNT(known), err);
}

/* Sets a value unless a source of higher priority has set it. */
static void setting_take(struct setting *setting, struct text value, struct text source)
{
    if (setting->value.length == 0 && value.length > 0) {
        *setting = (struct setting){ value, source };
    }
}

const struct doc *settings_context(const struct settings *settings, struct text name)
{
    const struct doc *found = doc_find(doc_child(&settings->user, "contexts"), name);

    return found != NULL ? found : doc_find(doc_child(&settings->system, "contexts"), name);
}

/* Reads the addresses of a context: url, then urls. */
static void urls_take(struct arena *arena, const struct doc *context, struct settings *out)
{
    const struct doc *urls = doc_child(context, "urls");
    struct text url = settings_child_text(context, "url");
    size_t count = doc_is_list(urls) ? urls->item_count : 0;
    struct text *all = arena_array(arena, struct text, count + 1);

    if (url.length > 0) {
        all[out->url_count++] = url;
    }
    for (size_t i = 0; i < count; i++) {
        if (!text_is_equal(urls->items[i].text, url)) {
            all[out->url_count++] = urls->items[i].text;
        }
    }
    out->urls = all;
}

/* Reads the settings of the context in use. */
MUST_CHECK static bool context_take(struct arena *arena, const struct settings_facts *facts,
                                    struct settings *out, struct err *err)
{
    struct text name = out->context.value;
    const struct doc *context = settings_context(out, name);
    struct text source = arena_printf(arena, "context %.*s", TEXT_ARG(name));
    bool is_url_own = out->url.value.length > 0;

    if (context == NULL && is_url_own && text_from(facts->context).length == 0) {
        /* the context comes from a file, and REEVE_URL takes precedence over files */
        out->context = (struct setting){ 0 };
        return true;
    }
    if (context == NULL) {
        err_set(err, CODE_R0026, "there is no context '%.*s' (%.*s)", TEXT_ARG(name),
                TEXT_ARG(out->context.source));
        return err_hint(err,
                        "reeve context list shows all contexts; reeve context login URL makes one");
    }
    setting_take(&out->tenant, settings_child_text(context, "tenant"), source);
    /* REEVE_URL may be another manager, so it gets no token and no certificates of this context */
    if (is_url_own) {
        return true;
    }
    urls_take(arena, context, out);
    if (out->url_count > 0) {
        setting_take(&out->url, out->urls[0], source);
    }
    setting_take(&out->ca, settings_child_text(context, "ca"), source);
    if (out->url.value.length == 0) {
        err_set(err, CODE_R0021, "context '%.*s' has no url", TEXT_ARG(name));
        return err_hint(err, "reeve context rm %.*s; reeve context login URL", TEXT_ARG(name));
    }
    if (facts->token_folder != NULL && text_find_byte(name, '/') == SIZE_MAX) {
        struct text path = arena_printf(arena, "%s/%.*s", facts->token_folder, TEXT_ARG(name));

        if (access(path.data, F_OK) == 0) {
            setting_take(&out->token_file, path, source);
        }
    }
    return true;
}

static bool context_choose(const struct settings_facts *facts, const struct doc *project,
                           struct text project_path, struct settings *out)
{
    setting_take(&out->context, text_from(facts->context_flag), TEXT("flag --context"));
    setting_take(&out->context, text_from(facts->context), TEXT("environment REEVE_CONTEXT"));
    setting_take(&out->context, settings_child_text(project, "context"), project_path);
    setting_take(&out->context, settings_child_text(&out->user, "context"),
                 text_from(facts->user_file));
    setting_take(&out->context, settings_child_text(&out->system, "context"),
                 text_from(facts->system_file));
    return out->context.value.length > 0;
}

bool settings_read(struct arena *arena, const struct settings_facts *facts, struct settings *out,
                   struct err *err)
{
    struct settings settings = { 0 };
    struct text project_path =
        facts->folder == NULL ? TEXT("") : project_find(arena, facts->folder);
    struct doc project = { 0 };

    if (!own_parse(arena, facts->user_file, &settings.user, err) ||
        !own_parse(arena, facts->system_file, &settings.system, err) ||
        (project_path.length > 0 && !project_parse(arena, project_path.data, &project, err))) {
        return false;
    }
    setting_take(&settings.timeout, text_from(facts->timeout_flag), TEXT("flag --timeout"));
    setting_take(&settings.timeout, text_from(facts->timeout), TEXT("environment REEVE_TIMEOUT"));
    setting_take(&settings.tenant, text_from(facts->tenant), TEXT("environment REEVE_TENANT"));
    setting_take(&settings.tenant, settings_child_text(&project, "tenant"), project_path);
    setting_take(&settings.token_file, text_from(facts->token_file),
                 TEXT("environment REEVE_TOKEN_FILE"));
    if (facts->context_flag == NULL) { /* a flag takes precedence over the environment */
        setting_take(&settings.url, text_from(facts->url), TEXT("environment REEVE_URL"));
    }
    if (context_choose(facts, &project, project_path, &settings) &&
        !context_take(arena, facts, &settings, err)) {
        return false;
    }
    setting_take(&settings.url, TEXT(ADDRESS_STANDARD_URL), TEXT("default"));
    if (settings.url_count == 0) {
        struct text *only = arena_one(arena, struct text);

        *only = settings.url.value;
        settings.urls = only;
        settings.url_count = 1;
    }
    *out = settings;
    return true;
}
