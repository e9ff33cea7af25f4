#include "daemon/config/config_store.h"

#include "base/macros.h"
#include "base/suggest.h"
#include "sys/address.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* public names start with: config_store_ config_manager_ */

enum {
    CONFIG_MANAGER_NAME_BYTES = 63,
    /* the ports of etcd */
    CONFIG_MEMBER_PORT = 2380,
    CONFIG_CLIENTS_PORT = 2379,
};

#define CONFIG_STORE_PREFIX "/reeve/"

struct config_store_reading {
    struct arena *arena;
    struct err_list *errors;
};

static struct err *config_store_fault(const struct config_store_reading *reading,
                                      const struct doc *value, enum code code, const char *what)
{
    return err_list_set(reading->errors, doc_place(value), code, "%s", what);
}

/* Reads the name of a file. */
static void config_store_path_read(const struct config_store_reading *reading,
                                   const struct doc *value, const char **out)
{
    if (!doc_is_scalar(value) || value->text.length == 0 || doc_is_null(value)) {
        config_store_fault(reading, value, CODE_R0302, "the name of a file must be a string");
        return;
    }
    *out = arena_string(reading->arena, value->text);
}

/* Reads a prefix of keys; a missing slash at its end is added. */
static void config_store_prefix_read(const struct config_store_reading *reading,
                                     const struct doc *value, struct config_store *out)
{
    if (!doc_is_scalar(value) || doc_is_null(value) || value->text.length == 0 ||
        value->text.data[0] != '/' || value->text.length >= LIMIT_ETCD_PREFIX_BYTES) {
        err_hint(config_store_fault(reading, value, CODE_R0307,
                                    "prefix must begin with '/' and have at most 255 bytes"),
                 "write " CONFIG_STORE_PREFIX);
        return;
    }
    out->prefix = arena_string(reading->arena,
                               text_has_suffix(value->text, TEXT("/"))
                                   ? value->text
                                   : arena_printf(reading->arena, "%.*s/", TEXT_ARG(value->text)));
}

static bool config_store_endpoint_is(struct text text)
{
    struct text prefix = TEXT("https://");
    struct text rest = text_slice(text, prefix.length, SIZE_MAX);

    return text_has_prefix(text, prefix) && rest.length > 0 &&
           text.length <= LIMIT_ETCD_ENDPOINT_BYTES && text_find_byte(rest, '/') == SIZE_MAX;
}

static void config_store_endpoints_read(const struct config_store_reading *reading,
                                        const struct doc *value, struct config_store *out)
{
    if (!doc_is_list(value) || value->item_count == 0 || value->item_count > LIMIT_ETCD_ENDPOINTS) {
        config_store_fault(reading, value, CODE_R0302,
                           "endpoints must be a list of 1 to 16 members of etcd");
        return;
    }
    out->endpoint_count = 0;
    for (size_t i = 0; i < value->item_count; i++) {
        const struct doc *item = &value->items[i];

        if (!doc_is_scalar(item) || !config_store_endpoint_is(item->text)) {
            err_hint(config_store_fault(reading, item, CODE_R0307,
                                        "an endpoint must be of the form https://HOST:PORT"),
                     "reeve connects to etcd with TLS only");
            continue;
        }
        out->endpoints[out->endpoint_count++] = arena_string(reading->arena, item->text);
    }
}

/* Reports an unknown key of a map, with the most similar known key. */
static void config_store_unknown(const struct config_store_reading *reading,
                                 const struct doc_entry *entry, const char *what,
                                 const char *const *names, size_t count)
{
    struct suggest suggest = suggest_start(entry->key);
    struct err *err = err_list_set(reading->errors, doc_key_place(entry), CODE_R0301,
                                   "%s has no field '%.*s'", what, TEXT_ARG(entry->key));

    for (size_t i = 0; i < count; i++) {
        suggest_offer(&suggest, text_from(names[i]));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    }
}

/* Checks that the required fields are present, and certificate and key both or neither. */
static void config_store_etcd_check(const struct config_store_reading *reading,
                                    const struct doc *value, const struct config_store *store)
{
    if (doc_child(value, "endpoints") == NULL) {
        config_store_fault(reading, value, CODE_R0305, "etcd needs endpoints");
    }
    if (doc_child(value, "ca") == NULL) {
        err_hint(config_store_fault(reading, value, CODE_R0305, "etcd needs ca"),
                 "name the file with the CA certificate of etcd");
    }
    if ((store->certificate == NULL) != (store->key == NULL)) {
        config_store_fault(reading, value, CODE_R0305,
                           "etcd needs certificate and key, or neither");
    }
}

static void config_store_etcd_read(const struct config_store_reading *reading,
                                   const struct doc *value, struct config_store *out)
{
    static const char *const names[] = { "ca", "certificate", "endpoints", "key", "prefix" };

    *out = (struct config_store){ .is_etcd = true, .prefix = CONFIG_STORE_PREFIX };
    if (!doc_is_map(value)) {
        config_store_fault(reading, value, CODE_R0302, "etcd must be a mapping");
        return;
    }
    for (size_t i = 0; i < value->entry_count; i++) {
        const struct doc_entry *entry = &value->entries[i];

        if (text_is(entry->key, "ca")) {
            config_store_path_read(reading, &entry->value, &out->ca);
        } else if (text_is(entry->key, "certificate")) {
            config_store_path_read(reading, &entry->value, &out->certificate);
        } else if (text_is(entry->key, "key")) {
            config_store_path_read(reading, &entry->value, &out->key);
        } else if (text_is(entry->key, "endpoints")) {
            config_store_endpoints_read(reading, &entry->value, out);
        } else if (text_is(entry->key, "prefix")) {
            config_store_prefix_read(reading, &entry->value, out);
        } else {
            config_store_unknown(reading, entry, "etcd", names, ARRAY_COUNT(names));
        }
    }
    config_store_etcd_check(reading, value, out);
}

struct text config_store_host(struct text address)
{
    size_t end = SIZE_MAX;

    for (size_t i = 0; i < address.length; i++) {
        end = address.data[i] == ':' ? i : end;
    }
    return end == SIZE_MAX ? TEXT("") : text_slice(address, 0, end);
}

void config_managed_complete(struct arena *arena, struct config_managed *managed, struct text peer)
{
    struct text host = config_store_host(managed->address.length > 0 ? managed->address : peer);

    if (host.length > 0 && managed->address.length == 0) {
        managed->address = arena_printf(arena, "%.*s:%d", TEXT_ARG(host), CONFIG_MEMBER_PORT);
    }
    if (host.length > 0 && managed->clients.length == 0) {
        managed->clients = arena_printf(arena, "%.*s:%d", TEXT_ARG(host), CONFIG_CLIENTS_PORT);
    }
}

/* Reads HOST:PORT with a numeric address that other hosts can reach. */
static void config_managed_address_read(const struct config_store_reading *reading,
                                        const struct doc *value, struct text *out)
{
    struct text host = config_store_host(doc_is_scalar(value) ? value->text : TEXT(""));
    int64_t port = 0;
    struct fetch_ip ip;

    if (host.length == 0 ||
        !text_parse_int64(text_slice(value->text, host.length + 1, SIZE_MAX), &port) || port < 1 ||
        port > UINT16_MAX ||
        !fetch_ip_find(host.data[0] == '[' ? text_slice(host, 1, host.length - 2) : host, &ip) ||
        text_is(host, "0.0.0.0") || text_is(host, "[::]")) {
        err_hint(config_store_fault(reading, value, CODE_R0314,
                                    "the address of a member must be numeric, with a port"),
                 "write 192.0.2.11:2380");
        return;
    }
    *out = arena_text(reading->arena, value->text);
}

static void config_managed_read(const struct config_store_reading *reading, const struct doc *value,
                                struct config_store *out)
{
    static const char *const names[] = { "address", "clients" };

    *out = (struct config_store){ .is_etcd = true, .prefix = CONFIG_STORE_PREFIX };
    out->managed = arena_one(reading->arena, struct config_managed);
    out->managed->arena = reading->arena;
    if (doc_is_scalar(value)) {
        return;
    }
    if (!doc_is_map(value)) {
        config_store_fault(reading, value, CODE_R0302, "managed must be a mapping");
        return;
    }
    for (size_t i = 0; i < value->entry_count; i++) {
        const struct doc_entry *entry = &value->entries[i];

        if (text_is(entry->key, "address")) {
            config_managed_address_read(reading, &entry->value, &out->managed->address);
        } else if (text_is(entry->key, "clients")) {
            config_managed_address_read(reading, &entry->value, &out->managed->clients);
        } else {
            config_store_unknown(reading, entry, "managed", names, ARRAY_COUNT(names));
        }
    }
}

void config_store_read(struct arena *arena, struct err_list *errors, const struct doc *value,
                       struct config_store *out)
{
    static const char *const names[] = { "etcd", "managed" };
    struct config_store_reading reading = { arena, errors };

    if (doc_is_scalar(value) && text_is(value->text, "sqlite")) {
        *out = (struct config_store){ .is_etcd = false };
        return;
    }
    if (doc_is_scalar(value) && text_is(value->text, "managed")) {
        config_managed_read(&reading, value, out);
        return;
    }
    if (!doc_is_map(value) || value->entry_count != 1) {
        err_hint(config_store_fault(&reading, value, CODE_R0307,
                                    "store must be sqlite, managed, or a mapping with etcd"),
                 "write store: {etcd: {endpoints: [https://HOST:2379], ca: FILE}}");
        return;
    }
    if (text_is(value->entries[0].key, "managed")) {
        config_managed_read(&reading, &value->entries[0].value, out);
        return;
    }
    if (!text_is(value->entries[0].key, "etcd")) {
        config_store_unknown(&reading, &value->entries[0], "store", names, ARRAY_COUNT(names));
        return;
    }
    config_store_etcd_read(&reading, &value->entries[0].value, out);
}

static bool config_manager_name_is(struct text text)
{
    if (text.length == 0 || text.length > CONFIG_MANAGER_NAME_BYTES) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];
        bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9');

        if (!is_word && (i == 0 || (byte != '-' && byte != '_' && byte != '.'))) {
            return false;
        }
    }
    return true;
}

void config_manager_name_read(struct arena *arena, struct err_list *errors, const struct doc *value,
                              const char **out)
{
    if (!doc_is_scalar(value) || doc_is_null(value) || !config_manager_name_is(value->text)) {
        err_list_set(
            errors, doc_place(value), CODE_R0307,
            "the name must be 1 to %d letters, digits, '-', '_' or '.', beginning with a letter or a digit",
            CONFIG_MANAGER_NAME_BYTES);
        return;
    }
    *out = arena_string(arena, value->text);
}

const char *config_manager_name(struct arena *arena)
{
    char name[HOST_NAME_MAX + 1] = "";
    struct text text;

    if (gethostname(name, sizeof(name)) != 0) {
        name[0] = '\0';
    }
    name[sizeof(name) - 1] = '\0';
    text = text_from(name);
    text = text_slice(
        text, 0, text.length < CONFIG_MANAGER_NAME_BYTES ? text.length : CONFIG_MANAGER_NAME_BYTES);
    return config_manager_name_is(text) ? arena_string(arena, text) : "manager";
}
