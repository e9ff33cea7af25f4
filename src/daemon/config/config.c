#include "daemon/config/config.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/suggest.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "daemon/config/public_url.h"
#include "fetch/url.h"
#include "host/relay.h"
#include "install/install.h"
#include "model/scalar.h"
#include "remote/bounds.h"
#include "sys/file.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

enum { DAY_MS = 24 * 3600 * 1000 };

/* limits of logsSize, in bytes */
#define LOGS_SIZE_MIN (UINT64_C(1) << 20)
#define LOGS_SIZE_MAX (UINT64_C(1) << 50)

/* the managed store is backed up by reeve alone, so also without a setting */
enum { BACKUPS_KEPT = 24, BACKUPS_MANAGED_MS = 600 * 1000 };

struct config config_defaults(void)
{
    return (struct config){
        .data = "/var/lib/reeve",
        .socket = "/run/reeve/reeved.sock",
        .socket_group = "reeve",
        .log = LOG_LEVEL_INFO,
        .has_control = true,
        .time_scale = 1,
        .volumes_keep_ms = LIMIT_VOLUMES_KEEP_MS,
        .bundles_retention_ms = (uint64_t)LIMIT_BUNDLES_KEEP_DAYS * DAY_MS,
        .logs_bytes = REMOTE_LOGS_BYTES,
        .backups = { .keep = BACKUPS_KEPT },
        .playbook = { .ansible = "/usr/bin/ansible-playbook", .runs = LIMIT_PLAYBOOK_RUNS },
        .fetch = { .is_enabled = true },
        .deadlines = http_deadlines_default(),
        .per_address = LIMIT_HTTP_CONNECTIONS_ADDRESS,
    };
}

/* ---- one field ---- */

struct reading {
    struct arena *arena;
    struct config *config;
    struct err_list *errors;
};

typedef void field_fn(struct reading *reading, const struct doc *value, void *target);

struct field {
    const char *name;
    field_fn *read;
    size_t offset; /* offset of the member that receives the value */
};

/* Reads every key of a map by its table of fields. */
static void config_map_read(struct reading *reading, const struct doc *map, const char *what,
                            const struct field *fields, size_t count, void *target)
{
    if (!doc_is_map(map)) {
        err_list_set(reading->errors, doc_place(map), CODE_R0302,
                     "%s must be a mapping of names to values", what);
        return;
    }
    for (size_t i = 0; i < map->entry_count; i++) {
        const struct doc_entry *entry = &map->entries[i];
        struct suggest suggest = suggest_start(entry->key);
        bool is_known = false;

        for (size_t j = 0; j < count; j++) {
            suggest_offer(&suggest, text_from(fields[j].name));
            if (text_is(entry->key, fields[j].name)) {
                fields[j].read(reading, &entry->value, (char *)target + fields[j].offset);
                is_known = true;
            }
        }
        if (!is_known) {
            struct err *err = err_list_set(reading->errors, doc_key_place(entry), CODE_R0301,
                                           "%s has no field '%.*s'", what, TEXT_ARG(entry->key));

            if (suggest_best(&suggest).length > 0) {
                err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
            }
        }
    }
}

static void path_read(struct reading *reading, const struct doc *value, void *target)
{
    if (!doc_is_scalar(value) || value->text.length == 0 || doc_is_null(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "a path or a name must be a string");
        return;
    }
    *(const char **)target = arena_string(reading->arena, value->text);
}

static void config_bool_read(struct reading *reading, const struct doc *value, void *target)
{
    if (!doc_is_scalar(value) || doc_core_type(value) != DOC_TYPE_BOOL) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "the value must be true or false");
        return;
    }
    *(bool *)target = text_is(value->text, "true") || text_is(value->text, "True") ||
                      text_is(value->text, "TRUE");
}

static void level_read(struct reading *reading, const struct doc *value, void *target)
{
    for (int i = 0; i < LOG_LEVEL_COUNT && doc_is_scalar(value); i++) {
        if (text_is(value->text, log_level_name((enum log_level)i))) {
            *(enum log_level *)target = (enum log_level)i;
            return;
        }
    }
    err_list_set(reading->errors, doc_place(value), CODE_R0307,
                 "log must be error, warn, info or debug");
}

/* ---- durations ---- */

static void retention_read(struct reading *reading, const struct doc *value, void *target)
{
    uint64_t ms = 0;

    if (!doc_is_scalar(value) || !scalar_parse_duration(value->text, &ms) || ms < DAY_MS ||
        ms > (uint64_t)LIMIT_BUNDLES_KEEP_MAX_DAYS * DAY_MS) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "bundles must be kept for 1d to %dd", LIMIT_BUNDLES_KEEP_MAX_DAYS);
        return;
    }
    *(uint64_t *)target = ms;
}

static void volumes_keep_read(struct reading *reading, const struct doc *value, void *target)
{
    uint64_t ms = 0;

    if (!doc_is_scalar(value) || !scalar_parse_duration(value->text, &ms) || ms < DAY_MS / 24 ||
        ms > (uint64_t)LIMIT_BUNDLES_KEEP_MAX_DAYS * DAY_MS) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "volumes without a machine must be kept for 1h to %dd",
                     LIMIT_BUNDLES_KEEP_MAX_DAYS);
        return;
    }
    *(uint64_t *)target = ms;
}

/* ---- sizes ---- */

static void logs_size_read(struct reading *reading, const struct doc *value, void *target)
{
    uint64_t bytes = 0;

    if (!doc_is_scalar(value) || !scalar_parse_size(value->text, NULL, &bytes) ||
        bytes < LOGS_SIZE_MIN || bytes > LOGS_SIZE_MAX) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "logs of stages must have a size from 1MiB to 1024TiB");
        return;
    }
    *(uint64_t *)target = bytes;
}

/* ---- backups ---- */

enum { BACKUPS_KEPT_MAX = 500, BACKUP_EVERY_MIN_MS = 60 * 1000 };

static void every_read(struct reading *reading, const struct doc *value, void *target)
{
    uint64_t ms = 0;

    if (!doc_is_scalar(value) || !scalar_parse_duration(value->text, &ms) ||
        ms < BACKUP_EVERY_MIN_MS || ms > (uint64_t)365 * DAY_MS) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "every must be a duration from 1m to 365d");
        return;
    }
    *(uint64_t *)target = ms;
}

static void kept_count_read(struct reading *reading, const struct doc *value, void *target)
{
    int64_t number = 0;

    if (!doc_is_scalar(value) || !text_parse_int64(value->text, &number) || number < 1 ||
        number > BACKUPS_KEPT_MAX) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "keep must be a number of files from 1 to %d", BACKUPS_KEPT_MAX);
        return;
    }
    *(uint64_t *)target = (uint64_t)number;
}

static void backups_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "every", every_read, offsetof(struct config_backups, every_ms) },
        { "folder", path_read, offsetof(struct config_backups, folder) },
        { "keep", kept_count_read, offsetof(struct config_backups, keep) },
    };

    config_map_read(reading, value, "backups", fields, ARRAY_COUNT(fields), target);
}

/* ---- deadlines ---- */

enum { DEADLINE_MIN_MS = 100, DEADLINE_MAX_MS = 3600 * 1000 };

static void deadline_read(struct reading *reading, const struct doc *value, void *target)
{
    uint64_t ms = 0;

    if (!doc_is_scalar(value) || !scalar_parse_duration(value->text, &ms) || ms < DEADLINE_MIN_MS ||
        ms > DEADLINE_MAX_MS) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "a deadline must be a duration from 100ms to 1h");
        return;
    }
    *(uint64_t *)target = ms;
}

static void deadlines_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "answer", deadline_read, offsetof(struct http_deadlines, answer_ms) },
        { "body", deadline_read, offsetof(struct http_deadlines, body_ms) },
        { "head", deadline_read, offsetof(struct http_deadlines, head_ms) },
        { "idle", deadline_read, offsetof(struct http_deadlines, idle_ms) },
    };

    config_map_read(reading, value, "deadlines", fields, ARRAY_COUNT(fields), target);
}

/* ---- listeners ---- */

/* Parses 127.0.0.1:8080 or [::1]:8080. */
MUST_CHECK static bool address_parse(struct text text, struct config_listener *out, struct err *err)
{
    bool is_bracketed = text.length > 0 && text.data[0] == '[';
    size_t end = is_bracketed ? text_find_byte(text, ']') : SIZE_MAX;
    struct text host;
    struct text port;
    unsigned char bytes[16];
    char string[64];
    int64_t number = 0;

    for (size_t i = 0; !is_bracketed && i < text.length; i++) {
        end = text.data[i] == ':' ? i : end;
    }
    host = is_bracketed ? text_slice(text, 1, end == SIZE_MAX ? 0 : end - 1)
                        : text_slice(text, 0, end);
    port = end == SIZE_MAX ? TEXT("") : text_slice(text, end + (is_bracketed ? 2 : 1), text.length);
    if (host.length >= sizeof(string) || !text_parse_int64(port, &number) || number < 1 ||
        number > 65535) {
        err_set(err, CODE_R0314, "'%.*s' is not an address with a port", TEXT_ARG(text));
        return err_hint(err, "write 127.0.0.1:8080 or [::1]:8080");
    }
    if (host.length > 0) {
        memcpy(string, host.data, host.length);
    }
    string[host.length] = '\0';
    if (inet_pton(is_bracketed ? AF_INET6 : AF_INET, string, bytes) != 1) {
        err_set(err, CODE_R0314, "'%.*s' is not an address of this machine", TEXT_ARG(host));
        return err_hint(err, "write a numeric address: 127.0.0.1:8080, or [::1]:8080");
    }
    out->host = host;
    out->port = (uint16_t)number;
    return true;
}

static bool is_config_loopback(struct text host)
{
    return text_has_prefix(host, TEXT("127.")) || text_is(host, "::1");
}

MUST_CHECK static bool listener_check(const struct config_listener *listener, struct err *err)
{
    bool has_tls = listener->certificate != NULL && listener->key != NULL;

    if (listener->is_plain && has_tls) {
        return err_set(err, CODE_R0552, "a listener is plain or has tls, not both");
    }
    if (has_tls) {
        return true;
    }
    if (!listener->is_plain) {
        err_set(err, CODE_R0552, "the listener has no tls: {certificate, key}");
        return err_hint(err, "on loopback, plain: true permits HTTP without TLS");
    }
    if (!is_config_loopback(listener->host)) {
        err_set(err, CODE_R0552, "HTTP without TLS is permitted only on loopback, not on %.*s",
                TEXT_ARG(listener->host));
        return err_hint(err, "give the listener tls: {certificate: FILE, key: FILE}");
    }
    return true;
}

struct tls {
    const char *certificate;
    const char *key;
};

struct listener_reading {
    struct doc address;
    struct tls tls;
    bool is_plain;
};

static void config_address_read(struct reading *reading, const struct doc *value, void *target)
{
    (void)reading;
    *(struct doc *)target = *value;
}

static void tls_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "certificate", path_read, offsetof(struct tls, certificate) },
        { "key", path_read, offsetof(struct tls, key) },
    };

    config_map_read(reading, value, "tls", fields, ARRAY_COUNT(fields), target);
}

static void listener_read(struct reading *reading, const struct doc *value)
{
    static const struct field fields[] = {
        { "address", config_address_read, offsetof(struct listener_reading, address) },
        { "plain", config_bool_read, offsetof(struct listener_reading, is_plain) },
        { "tls", tls_read, offsetof(struct listener_reading, tls) },
    };
    struct listener_reading read = { 0 };
    struct config_listener listener;
    size_t faults = reading->errors->errors;
    struct err err;

    config_map_read(reading, value, "a listener", fields, ARRAY_COUNT(fields), &read);
    if (reading->errors->errors > faults) {
        return;
    }
    listener = (struct config_listener){
        .is_plain = read.is_plain,
        .certificate = read.tls.certificate,
        .key = read.tls.key,
        .place = doc_place(value),
    };
    if (!doc_is_scalar(&read.address)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0330, "a listener needs an address");
    } else if (!address_parse(read.address.text, &listener, &err) ||
               !listener_check(&listener, &err)) {
        err_place(&err, doc_place(&read.address));
        err_list_add(reading->errors, &err);
    } else if (reading->config->listener_count == CONFIG_LISTENERS_MAX) {
        err_list_set(reading->errors, doc_place(value), CODE_R0320,
                     "there are more than %d listeners", CONFIG_LISTENERS_MAX);
    } else {
        reading->config->listeners[reading->config->listener_count++] = listener;
    }
}

static void listeners_read(struct reading *reading, const struct doc *value, void *target)
{
    (void)target;
    if (!doc_is_list(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "listen must be a list of listeners");
        return;
    }
    for (size_t i = 0; i < value->item_count; i++) {
        listener_read(reading, &value->items[i]);
    }
}

bool config_listen_plain(struct config *config, struct text address, struct err *err)
{
    struct config_listener listener = { .is_plain = true };

    if (!address_parse(address, &listener, err) || !listener_check(&listener, err)) {
        return false;
    }
    if (config->listener_count == CONFIG_LISTENERS_MAX) {
        return err_set(err, CODE_R0320, "there are more than %d listeners", CONFIG_LISTENERS_MAX);
    }
    config->listeners[config->listener_count++] = listener;
    return true;
}

/* ---- plugins ---- */

/* Copies the settings of plugins. Each plugin validates its settings when it starts. */
static void settings_read(struct reading *reading, const struct doc *value, void *target)
{
    for (size_t i = 0; doc_is_map(value) && i < value->entry_count; i++) {
        if (!doc_is_map(&value->entries[i].value)) {
            err_list_set(reading->errors, doc_place(&value->entries[i].value), CODE_R0302,
                         "the settings of a plugin must be a mapping");
        }
    }
    if (!doc_is_map(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "plugins must be a mapping from the name of a plugin to its settings");
        return;
    }
    *(struct doc *)target = *value;
}

static void endpoints_read(struct reading *reading, const struct doc *value, void *target)
{
    for (size_t i = 0; doc_is_map(value) && i < value->entry_count; i++) {
        const struct doc *list = &value->entries[i].value;
        struct relay_policy policy = { .count = 0 };
        struct err err;

        if (!doc_is_list(list) || list->item_count == 0) {
            err_list_set(reading->errors, doc_place(list), CODE_R0302,
                         "the endpoints of a plugin must be a list of one or more");
            continue;
        }
        for (size_t j = 0; j < list->item_count; j++) {
            const struct doc *item = &list->items[j];

            if (!doc_is_scalar(item)) {
                err_list_set(reading->errors, doc_place(item), CODE_R0302,
                             "an endpoint must be a string");
            } else if (!relay_policy_add(&policy, item->text, &err)) {
                err_place(&err, doc_place(item));
                err_list_add(reading->errors, &err);
            }
        }
    }
    if (!doc_is_map(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "endpoints must be a mapping from the name of a plugin to a list");
        return;
    }
    *(struct doc *)target = *value;
}

/* ---- fetched plugins ---- */

bool config_releases(struct config *config, struct arena *arena, struct text url, struct err *err)
{
    struct fetch_url read;

    while (url.length > 0 && url.data[url.length - 1] == '/') {
        url = text_slice(url, 0, url.length - 1);
    }
    if (!fetch_url_parse(url, &read, err)) {
        return false;
    }
    if (read.scheme != FETCH_HTTPS || text_find_byte(url, '?') != SIZE_MAX) {
        err_set(err, CODE_R0640, "releases must be at https://HOST, without a ?");
        return false;
    }
    config->fetch.releases = arena_string(arena, url);
    return true;
}

static void releases_read(struct reading *reading, const struct doc *value, void *target)
{
    struct err err;

    (void)target;
    if (!doc_is_scalar(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302, "releases must be an address");
    } else if (!config_releases(reading->config, reading->arena, value->text, &err)) {
        err_place(&err, doc_place(value));
        err_list_add(reading->errors, &err);
    }
}

static void networks_read(struct reading *reading, const struct doc *value, const char *what,
                          struct fetch_net *nets, size_t *count)
{
    *count = 0;
    if (!doc_is_list(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302, "%s must be a list of networks",
                     what);
        return;
    }
    for (size_t i = 0; i < value->item_count; i++) {
        const struct doc *item = &value->items[i];
        struct err err;

        if (*count == LIMIT_FETCH_NETWORKS) {
            err_list_set(reading->errors, doc_place(item), CODE_R0320,
                         "there are more than %d networks", LIMIT_FETCH_NETWORKS);
            return;
        }
        if (!doc_is_scalar(item)) {
            err_list_set(reading->errors, doc_place(item), CODE_R0302,
                         "a network must be a string");
        } else if (!fetch_net_parse(item->text, &nets[*count], &err)) {
            err_place(&err, doc_place(item));
            err_list_add(reading->errors, &err);
        } else {
            (*count)++;
        }
    }
}

static void allow_read(struct reading *reading, const struct doc *value, void *target)
{
    struct plugin_fetch_settings *fetch = target;

    networks_read(reading, value, "allow", fetch->allowed, &fetch->allowed_count);
}

/* ---- connection limits ---- */

static void proxies_read(struct reading *reading, const struct doc *value, void *target)
{
    struct config *config = target;

    networks_read(reading, value, "trustedProxies", config->proxies, &config->proxy_count);
}

static void per_address_read(struct reading *reading, const struct doc *value, void *target)
{
    int64_t count = 0;

    if (!doc_is_scalar(value) || !text_parse_int64(value->text, &count) || count < 1 ||
        count > LIMIT_HTTP_CONNECTIONS) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "connectionsPerAddress must be a number from 1 to %d", LIMIT_HTTP_CONNECTIONS);
        return;
    }
    *(uint64_t *)target = (uint64_t)count;
}

bool config_is_proxy(void *arg, struct text address)
{
    const struct config *config = arg;
    struct fetch_ip ip;

    if (!fetch_ip_find(address, &ip)) {
        return false;
    }
    for (size_t i = 0; i < config->proxy_count; i++) {
        if (fetch_net_has(&config->proxies[i], &ip)) {
            return true;
        }
    }
    return false;
}

static void fetch_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "allow", allow_read, 0 },
        { "ca", path_read, offsetof(struct plugin_fetch_settings, ca) },
        { "enabled", config_bool_read, offsetof(struct plugin_fetch_settings, is_enabled) },
        { "files", config_bool_read, offsetof(struct plugin_fetch_settings, is_file_url_allowed) },
        { "folder", path_read, offsetof(struct plugin_fetch_settings, folder) },
        { "releases", releases_read, 0 },
    };

    config_map_read(reading, value, "fetch", fields, ARRAY_COUNT(fields), target);
}

/* ---- playbooks ---- */

static void ansible_read(struct reading *reading, const struct doc *value, void *target)
{
    if (!doc_is_scalar(value) || value->text.length == 0 || value->text.data[0] != '/') {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "ansible must be the absolute path of ansible-playbook");
        return;
    }
    path_read(reading, value, target);
}

static void playbook_runs_read(struct reading *reading, const struct doc *value, void *target)
{
    int64_t count = 0;

    if (!doc_is_scalar(value) || !text_parse_int64(value->text, &count) || count < 1 ||
        count > LIMIT_PLAYBOOK_RUNS_MAX) {
        err_list_set(reading->errors, doc_place(value), CODE_R0307,
                     "runs must be a number from 1 to %d", LIMIT_PLAYBOOK_RUNS_MAX);
        return;
    }
    *(uint64_t *)target = (uint64_t)count;
}

static void playbook_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "ansible", ansible_read, offsetof(struct config_playbook, ansible) },
        { "runs", playbook_runs_read, offsetof(struct config_playbook, runs) },
    };

    config_map_read(reading, value, "playbook", fields, ARRAY_COUNT(fields), target);
}

/* ---- public URL ---- */

static void public_url_read(struct reading *reading, const struct doc *value, void *target)
{
    struct err err;

    if (!doc_is_scalar(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302, "publicUrl must be an address");
    } else if (!public_url_parse(reading->arena, value->text, target, &err)) {
        err_place(&err, doc_place(value));
        err_list_add(reading->errors, &err);
    }
}

/* ---- inventories ---- */

static void inventory_text_read(struct reading *reading, const struct doc *value, void *target)
{
    if (!doc_is_scalar(value) || value->text.length == 0 || doc_is_null(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302, "the value must be a name");
        return;
    }
    *(struct text *)target = arena_text(reading->arena, value->text);
}

/* Reads a reference secret://NAME. The key itself is never in the file. */
static void inventory_secret_read(struct reading *reading, const struct doc *value, void *target)
{
    struct text prefix = TEXT("secret://");

    if (!doc_is_scalar(value) || !text_has_prefix(value->text, prefix) ||
        value->text.length == prefix.length) {
        err_hint(err_list_set(reading->errors, doc_place(value), CODE_R0307,
                              "a key must be the name of a secret"),
                 "write secret://NAME, and reeve create secret NAME");
        return;
    }
    *(struct text *)target =
        arena_text(reading->arena, text_slice(value->text, prefix.length, SIZE_MAX));
}

/* Reads ADDRESS:PORT of a serf agent. */
static void inventory_address_read(struct reading *reading, const struct doc *value, void *target)
{
    struct config_inventory *inventory = target;
    struct text text = doc_is_scalar(value) ? value->text : TEXT("");
    size_t colon = text.length;
    int64_t port = 0;
    struct fetch_ip ip;

    while (colon > 0 && text.data[colon - 1] != ':') {
        colon--;
    }
    inventory->serf_address = arena_text(reading->arena, text_slice(text, 0, colon - (colon > 0)));
    if (colon == 0 || !fetch_ip_find(inventory->serf_address, &ip) ||
        !text_parse_int64(text_slice(text, colon, SIZE_MAX), &port) || port < 1 ||
        port > UINT16_MAX) {
        err_hint(err_list_set(reading->errors, doc_place(value), CODE_R0307,
                              "the address of an agent must be numeric, with a port"),
                 "write 127.0.0.1:7373");
        return;
    }
    inventory->serf_port = (uint16_t)port;
}

static void inventory_serf_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "address", inventory_address_read, 0 },
        { "authKey", inventory_secret_read, offsetof(struct config_inventory, serf_key) },
    };
    struct config_inventory *inventory = target;

    config_map_read(reading, value, "serf", fields, ARRAY_COUNT(fields), target);
    if (doc_is_map(value) && doc_child(value, "address") == NULL) {
        inventory->serf_address = TEXT("127.0.0.1");
        inventory->serf_port = 7373;
    }
}

const struct config_inventory *config_inventory_find(const struct config *config,
                                                     struct text tenant)
{
    for (size_t i = 0; i < config->inventory_count; i++) {
        if (text_is_equal(config->inventories[i].tenant, tenant)) {
            return &config->inventories[i];
        }
    }
    return NULL;
}

static void inventories_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "key", inventory_secret_read, offsetof(struct config_inventory, key) },
        { "serf", inventory_serf_read, 0 },
        { "tenant", inventory_text_read, offsetof(struct config_inventory, tenant) },
        { "user", inventory_text_read, offsetof(struct config_inventory, user) },
    };
    struct config *config = target;

    if (!doc_is_list(value) || value->item_count > CONFIG_INVENTORIES_MAX) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302,
                     "inventory must be a list of at most %d entries, one for each tenant",
                     CONFIG_INVENTORIES_MAX);
        return;
    }
    config->inventory_count = 0;
    for (size_t i = 0; i < value->item_count; i++) {
        struct config_inventory *one = &config->inventories[config->inventory_count];

        *one = (struct config_inventory){ 0 };
        config_map_read(reading, &value->items[i], "an entry of inventory", fields,
                        ARRAY_COUNT(fields), one);
        one->tenant = one->tenant.length > 0 ? one->tenant : TEXT("default");
        if (config_inventory_find(config, one->tenant) != NULL) {
            err_list_set(reading->errors, doc_place(&value->items[i]), CODE_R0307,
                         "tenant '%.*s' has two inventories", TEXT_ARG(one->tenant));
        }
        config->inventory_count++;
    }
}

/* ---- the compatibility API of Contiv ---- */

struct contiv_reading {
    struct config_contiv contiv;
    struct doc listen;
    bool is_plain;
};

/* Reads the listener of the compatibility API. It has no logins, so it must be on loopback, or have
 * `plain`. */
static void config_contiv_listen_read(struct reading *reading, const struct doc *value,
                                      const struct contiv_reading *read)
{
    struct config_listener *listener = &reading->config->contiv.listener;
    struct err err;

    if (!doc_is_present(&read->listen)) {
        return;
    }
    *listener = (struct config_listener){ .is_plain = true, .place = doc_place(value) };
    if (!doc_is_scalar(&read->listen) || !address_parse(read->listen.text, listener, &err)) {
        err_hint(err_list_set(reading->errors, doc_place(&read->listen), CODE_R0314,
                              "listen must be an address of this machine with a port"),
                 "write 127.0.0.1:9007");
    } else if (!is_config_loopback(listener->host) && !read->is_plain) {
        err_hint(
            err_list_set(
                reading->errors, doc_place(&read->listen), CODE_R0552,
                "clients of this API send no login, so every client that reaches %.*s acts as user '%.*s'",
                TEXT_ARG(listener->host), TEXT_ARG(reading->config->contiv.user)),
            "listen on loopback, or permit it with plain: true");
    }
}

static void contiv_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "cluster", inventory_text_read, offsetof(struct contiv_reading, contiv.cluster) },
        { "listen", config_address_read, offsetof(struct contiv_reading, listen) },
        { "plain", config_bool_read, offsetof(struct contiv_reading, is_plain) },
        { "tenant", inventory_text_read, offsetof(struct contiv_reading, contiv.tenant) },
        { "user", inventory_text_read, offsetof(struct contiv_reading, contiv.user) },
    };
    struct contiv_reading read = { .contiv = { .is_there = true,
                                               .tenant = TEXT("default"),
                                               .cluster = TEXT("contiv"),
                                               .user = TEXT("contiv") } };

    config_map_read(reading, value, "contiv", fields, ARRAY_COUNT(fields), &read);
    *(struct config_contiv *)target = read.contiv;
    config_contiv_listen_read(reading, value, &read);
}

/* ---- machines that boot from the network ---- */

struct netboot_reading {
    struct config_netboot netboot;
    struct doc listen;
};

/* Reads the arguments of the kernel of the netboot system. */
static void netboot_arguments_read(struct reading *reading, const struct doc *value, void *target)
{
    struct err err;
    struct buf buf;

    buf_init(&buf, reading->arena);
    for (size_t i = 0; doc_is_list(value) && i < value->item_count; i++) {
        const struct doc *item = &value->items[i];

        if (!doc_is_scalar(item) || !install_argument_check(item->text, &err)) {
            err_hint(err_list_set(reading->errors, doc_place(item), CODE_R0314,
                                  "a kernel argument has no blanks and no quotes"),
                     "write [console=ttyS1, console=tty0]");
            return;
        }
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : " ", TEXT_ARG(item->text));
    }
    if (!doc_is_list(value)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0302, "kernelArgs must be a list");
    }
    *(struct text *)target = buf_text(&buf);
}

static void netboot_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "files", path_read, offsetof(struct netboot_reading, netboot.files) },
        { "kernelArgs", netboot_arguments_read,
          offsetof(struct netboot_reading, netboot.kernel_arguments) },
        { "listen", config_address_read, offsetof(struct netboot_reading, listen) },
        { "tenant", inventory_text_read, offsetof(struct netboot_reading, netboot.tenant) },
    };
    struct netboot_reading read = { .netboot = { .is_there = true,
                                                 .tenant = TEXT("default"),
                                                 .kernel_arguments =
                                                     TEXT("console=ttyS0,115200 console=tty0") } };
    struct config_netboot *netboot = target;
    struct err err;

    config_map_read(reading, value, "netboot", fields, ARRAY_COUNT(fields), &read);
    *netboot = read.netboot;
    if (!doc_is_present(&read.listen)) {
        return;
    }
    netboot->listener = (struct config_listener){ .is_plain = true, .place = doc_place(value) };
    if (!doc_is_scalar(&read.listen) ||
        !address_parse(read.listen.text, &netboot->listener, &err)) {
        err_hint(err_list_set(reading->errors, doc_place(&read.listen), CODE_R0314,
                              "listen must be an address of this machine with a port"),
                 "write the address in the network of the machines: 10.20.0.1:8480");
    }
}

/* ---- the store, and the other managers ---- */

struct peer_reading {
    struct doc address;
    struct doc listen;
};

/* Reads an address of `peer`. If it is invalid, reports an error and returns false. */
static bool is_config_peer_address(struct reading *reading, const struct doc *value,
                                   struct config_listener *out)
{
    struct err err;

    if (doc_is_scalar(value) && address_parse(value->text, out, &err) && out->host.length > 0) {
        return true;
    }
    err_hint(err_list_set(reading->errors, doc_place(value), CODE_R0314,
                          "the address of a manager must be numeric, with a port"),
             "write 192.0.2.11:7443");
    return false;
}

static void config_peer_read(struct reading *reading, const struct doc *value, void *target)
{
    static const struct field fields[] = {
        { "address", config_address_read, offsetof(struct peer_reading, address) },
        { "listen", config_address_read, offsetof(struct peer_reading, listen) },
    };
    struct config_peer *peer = target;
    struct peer_reading read = { 0 };
    size_t faults = reading->errors->errors;

    config_map_read(reading, value, "peer", fields, ARRAY_COUNT(fields), &read);
    if (reading->errors->errors > faults) {
        return;
    }
    if (!doc_is_present(&read.address)) {
        err_list_set(reading->errors, doc_place(value), CODE_R0330, "peer needs an address");
        return;
    }
    peer->listener = (struct config_listener){ .place = doc_place(value) };
    if (!is_config_peer_address(reading, &read.address, &peer->listener)) {
        return;
    }
    if (text_is(peer->listener.host, "0.0.0.0") || text_is(peer->listener.host, "::")) {
        err_hint(err_list_set(reading->errors, doc_place(&read.address), CODE_R0314,
                              "other managers cannot connect to %.*s", TEXT_ARG(read.address.text)),
                 "write the address of this host here, and the address to listen at in listen:");
        return;
    }
    peer->address = arena_text(reading->arena, read.address.text);
    if (doc_is_present(&read.listen) &&
        !is_config_peer_address(reading, &read.listen, &peer->listener)) {
        return;
    }
    peer->is_there = true;
}

static void store_read(struct reading *reading, const struct doc *value, void *target)
{
    config_store_read(reading->arena, reading->errors, value, target);
}

static void manager_name_read(struct reading *reading, const struct doc *value, void *target)
{
    config_manager_name_read(reading->arena, reading->errors, value, target);
}

/* Reports settings that have no effect with a store in etcd. */
static void store_conflicts_report(struct reading *reading, const struct doc *doc)
{
    const struct config *config = reading->config;

    if (config->store.managed != NULL) {
        config_managed_complete(reading->arena, config->store.managed, config->peer.address);
    }
    if (config->store.managed != NULL && !doc_is_present(doc_child(doc, "backups"))) {
        reading->config->backups.every_ms = BACKUPS_MANAGED_MS;
    }
    if (config->store.is_etcd && config->store.managed == NULL && config->backups.every_ms > 0) {
        err_hint(err_list_set(reading->errors, doc_place(doc_child(doc, "backups")), CODE_R0307,
                              "backups at intervals need store: sqlite or managed"),
                 "back up etcd with its own tool: etcdctl snapshot save FILE");
    }
}

/* ---- the file ---- */

static void whole_read(struct reading *reading, const struct doc *doc)
{
    static const struct field fields[] = {
        { "backups", backups_read, offsetof(struct config, backups) },
        { "bundlesKeep", retention_read, offsetof(struct config, bundles_retention_ms) },
        { "connectionsPerAddress", per_address_read, offsetof(struct config, per_address) },
        { "contiv", contiv_read, offsetof(struct config, contiv) },
        { "control", config_bool_read, offsetof(struct config, has_control) },
        { "data", path_read, offsetof(struct config, data) },
        { "deadlines", deadlines_read, offsetof(struct config, deadlines) },
        { "endpoints", endpoints_read, offsetof(struct config, endpoints) },
        { "fetch", fetch_read, offsetof(struct config, fetch) },
        { "inventory", inventories_read, 0 },
        { "listen", listeners_read, 0 },
        { "log", level_read, offsetof(struct config, log) },
        { "logsSize", logs_size_read, offsetof(struct config, logs_bytes) },
        { "name", manager_name_read, offsetof(struct config, name) },
        { "netboot", netboot_read, offsetof(struct config, netboot) },
        { "peer", config_peer_read, offsetof(struct config, peer) },
        { "playbook", playbook_read, offsetof(struct config, playbook) },
        { "plugins", settings_read, offsetof(struct config, plugin_settings) },
        { "publicUrl", public_url_read, offsetof(struct config, public_url) },
        { "secretKey", path_read, offsetof(struct config, secret_key) },
        { "socket", path_read, offsetof(struct config, socket) },
        { "socketGroup", path_read, offsetof(struct config, socket_group) },
        { "store", store_read, offsetof(struct config, store) },
        { "trustedProxies", proxies_read, 0 },
        { "user", path_read, offsetof(struct config, user) },
        { "volumesKeep", volumes_keep_read, offsetof(struct config, volumes_keep_ms) },
        { "zone", manager_name_read, offsetof(struct config, zone) },
    };

    config_map_read(reading, doc, "the configuration", fields, ARRAY_COUNT(fields),
                    reading->config);
    if (doc_is_map(doc)) {
        store_conflicts_report(reading, doc);
    }
}

MUST_CHECK static bool config_file_parse(struct reading *reading, const char *path,
                                         struct text bytes, const struct origin *origin,
                                         struct yaml_docs *out, struct err *err)
{
    struct doc *document = arena_one(reading->arena, struct doc);

    if (!text_has_suffix(text_from(path), TEXT(".json"))) {
        return yaml_parse_tolerant(reading->arena, bytes, origin, out, reading->errors, err);
    }
    *out = (struct yaml_docs){ document, 1 };
    return json_parse_tolerant(reading->arena, bytes, origin, document, reading->errors, err);
}

void config_read(struct arena *arena, struct source_set *sources, const char *path,
                 struct config *config, struct err_list *errors)
{
    struct reading reading = { arena, config, errors };
    struct origin *origin = arena_one(arena, struct origin);
    struct yaml_docs docs = { 0 };
    struct text bytes;
    struct err err;

    if (!file_read(arena, path, LIMIT_DOCUMENT_BYTES, &bytes, &err)) {
        err_list_add(errors, &err);
        return;
    }
    origin->source = source_set_add(sources, path, bytes);
    if (!config_file_parse(&reading, path, bytes, origin, &docs, &err)) {
        err_list_add(errors, &err);
        return;
    }
    if (docs.count > 1) {
        err_list_set(errors, doc_place(&docs.items[1]), CODE_R0302,
                     "a configuration must be one document");
        return;
    }
    if (docs.count == 1) { /* an empty file sets nothing */
        whole_read(&reading, &docs.items[0]);
    }
}
