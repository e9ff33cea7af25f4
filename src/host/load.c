#include "host/host.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Copies the checked bytes into private memory, from which they are loaded. So the bytes that are
 * loaded are those that were checked. */
MUST_CHECK static bool bytes_keep(struct text bytes, int *out, struct err *err)
{
    AUTO(fd) memory = memfd_create("plugin", MFD_CLOEXEC);

    for (size_t at = 0; memory >= 0 && at < bytes.length;) {
        ssize_t written = write(memory, bytes.data + at, bytes.length - at);

        if (written < 0 && errno != EINTR) {
            break;
        }
        at += written > 0 ? (size_t)written : 0;
        if (at == bytes.length) {
            *out = memory;
            memory = FD_NONE;
            return true;
        }
    }
    err_set(err, CODE_R0602, "the memory from which the plugin is loaded cannot be created: %s",
            strerror(errno));
    return false;
}

MUST_CHECK static bool load_digest_check(const struct wire_open *open, struct text bytes,
                                         struct err *err)
{
    char digest[DIGEST_TEXT_BYTES];

    digest_sha256(bytes, digest);
    if (!text_is(open->digest, digest)) {
        err_set(err, CODE_R0602, "%.*s has the digest %s, but %.*s is expected",
                TEXT_ARG(open->path), digest, TEXT_ARG(open->digest));
        return false;
    }
    return true;
}

bool host_read(const struct wire_open *open, int *out, struct err *err)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_PLUGIN_BYTES * 4);
    struct text bytes;

    return file_read(arena, arena_string(arena, open->path), LIMIT_PLUGIN_BYTES, &bytes, err) &&
           load_digest_check(open, bytes, err) && bytes_keep(bytes, out, err);
}

MUST_CHECK static bool object_load(const struct wire_open *open, int memory, void **out,
                                   struct err *err)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out == NULL) {
        err_set(err, CODE_R0602, "%.*s: %s", TEXT_ARG(open->path), dlerror());
        return false;
    }
    return true;
}

/* ---- the interface ---- */

static bool name_is_fit(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              (i > 0 && (c == '-' || (c >= 'A' && c <= 'Z'))))) {
            return false;
        }
    }
    return name.length > 0 && name.length <= LIMIT_GROUP_NAME_BYTES;
}

static bool plugin_words_are_fit(struct reeve_text text)
{
    return text.length <= LIMIT_HOST_FAULT_BYTES && (text.bytes != NULL || text.length == 0) &&
           text_find_bad_utf8(host_text(text)) == SIZE_MAX;
}

MUST_CHECK static bool properties_check(const struct reeve_plugin_v1 *plugin, struct err *err)
{
    if (plugin->property_count > LIMIT_PLUGIN_PROPERTIES ||
        (plugin->property_count > 0 && plugin->properties == NULL)) {
        err_set(err, CODE_R0602, "the plugin has %u properties; at most %d are allowed",
                plugin->property_count, LIMIT_PLUGIN_PROPERTIES);
        return false;
    }
    if (!plugin_words_are_fit(plugin->version) || !plugin_words_are_fit(plugin->about)) {
        err_set(err, CODE_R0602, "the version or description is not UTF-8, or is too long");
        return false;
    }
    for (uint32_t i = 0; i < plugin->property_count; i++) {
        const struct reeve_property_v1 *property = &plugin->properties[i];

        if (!plugin_words_are_fit(property->name) || !plugin_words_are_fit(property->initial) ||
            !plugin_words_are_fit(property->choices) || !plugin_words_are_fit(property->help) ||
            !plugin_words_are_fit(property->example)) {
            err_set(err, CODE_R0602, "property %u has a text that is not UTF-8, or too long", i);
            return false;
        }
        if (property->name.length == 0 || property->type < 0 ||
            property->type > REEVE_TYPE_NUMBER || property->role < 0 ||
            property->role > REEVE_ROLE_DRIVER) {
            err_set(err, CODE_R0602, "property %u has no name, or an unknown type or role", i);
            return false;
        }
    }
    return true;
}

/* Returns the size of the struct in the plugin's version of the interface. */
static size_t struct_size_least(const struct reeve_plugin_v1 *plugin)
{
    return plugin->abi_minor >= 1 ? sizeof(*plugin) : offsetof(struct reeve_plugin_v1, preflight);
}

MUST_CHECK static bool interface_check(const struct reeve_plugin_v1 *plugin,
                                       const struct wire_open *open, struct err *err)
{
    struct text name;

    if (plugin->magic != REEVE_PLUGIN_MAGIC) {
        err_set(err, CODE_R0602, "reeve_plugin does not begin with REEVE_PLUGIN_MAGIC");
        return false;
    }
    if (plugin->abi_major != REEVE_PLUGIN_ABI_MAJOR || plugin->abi_minor > REEVE_PLUGIN_ABI_MINOR ||
        plugin->struct_size < struct_size_least(plugin)) {
        err_set(err, CODE_R0602,
                "made for interface %u.%u (%u bytes); this reeve has %d.%d (%zu bytes)",
                plugin->abi_major, plugin->abi_minor, plugin->struct_size, REEVE_PLUGIN_ABI_MAJOR,
                REEVE_PLUGIN_ABI_MINOR, sizeof(*plugin));
        return false;
    }
    name = host_text(plugin->name);
    if (!name_is_fit(name) || (open->name.length > 0 && !text_is_equal(name, open->name))) {
        err_set(err, CODE_R0602, "the plugin calls itself '%.*s', but is used as '%.*s'",
                TEXT_ARG(name), TEXT_ARG(open->name));
        return false;
    }
    if (plugin->create == NULL || plugin->destroy == NULL || plugin->describe == NULL) {
        err_set(err, CODE_R0602, "the plugin does not implement create, destroy or describe");
        return false;
    }
    return properties_check(plugin, err);
}

bool host_load(const struct wire_open *open, int memory, const struct reeve_plugin_v1 **out,
               struct err *err)
{
    const struct reeve_plugin_v1 *plugin;
    void *object;

    if (!object_load(open, memory, &object, err)) {
        return false;
    }
    plugin = dlsym(object, "reeve_plugin");
    if (plugin == NULL) {
        err_set(err, CODE_R0602, "%s",
                dlsym(object, "_cgo_topofstack") != NULL || dlsym(object, "runtime.main") != NULL
                    ? "this is a Go plugin for a different program: reeve supports plugins in C"
                    : "the file does not export reeve_plugin");
        return false;
    }
    if (!interface_check(plugin, open, err)) {
        return false;
    }
    *out = plugin;
    return true;
}

uint64_t host_methods(const struct reeve_plugin_v1 *plugin)
{
    uint64_t methods = UINT64_C(1) << WIRE_CREATE | UINT64_C(1) << WIRE_DESTROY |
                       UINT64_C(1) << WIRE_DESCRIBE |
                       (uint64_t)(plugin->validate != NULL) << WIRE_VALIDATE |
                       (uint64_t)(plugin->label != NULL) << WIRE_LABEL |
                       (uint64_t)(plugin->reboot != NULL) << WIRE_REBOOT;

    if (plugin->abi_minor == 0) {
        return methods;
    }
    return methods | (uint64_t)(plugin->preflight != NULL) << WIRE_PREFLIGHT |
           (uint64_t)(plugin->resources != NULL) << WIRE_RESOURCES |
           (uint64_t)(plugin->resource_destroy != NULL) << WIRE_RESOURCE_DESTROY |
           (uint64_t)(plugin->console != NULL) << WIRE_CONSOLE;
}

void host_describe(struct arena *arena, const struct reeve_plugin_v1 *plugin,
                   struct wire_hello *out)
{
    struct wire_property *properties =
        arena_array(arena, struct wire_property, plugin->property_count);

    for (uint32_t i = 0; i < plugin->property_count; i++) {
        const struct reeve_property_v1 *from = &plugin->properties[i];

        properties[i] = (struct wire_property){
            .name = host_text(from->name),
            .type = (uint64_t)from->type,
            .role = (uint64_t)from->role,
            .flags = from->flags,
            .initial = host_text(from->initial),
            .choices = host_text(from->choices),
            .help = host_text(from->help),
            .example = host_text(from->example),
            .least = from->least,
            .most = from->most,
        };
    }
    *out = (struct wire_hello){
        .contract = (uint64_t)plugin->abi_major << 16 | plugin->abi_minor,
        .name = host_text(plugin->name),
        .version = host_text(plugin->version),
        .about = host_text(plugin->about),
        .capabilities = plugin->capabilities,
        .lag_ms = plugin->lag_ms,
        .late_ms = plugin->late_ms,
        .create_ms = plugin->create_ms,
        .calls_max = plugin->calls_max,
        .calls_per_s = plugin->calls_per_s,
        .methods = host_methods(plugin),
        .properties = { properties, plugin->property_count },
    };
}
