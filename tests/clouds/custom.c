/* The plugin of the first seed's fourth group: the plugin `file` with the property of the sample. */

#define reeve_plugin file_plugin
#include "../../plugins/file/file.c"
#undef reeve_plugin

extern REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin;

static const struct reeve_property_v1 custom_properties[] = {
    { .name = REEVE_STATIC("instanceSize"), .type = REEVE_TYPE_TEXT },
};

const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC(PLUGIN_NAME),
    .version = REEVE_STATIC("0.0.1"),
    .about = REEVE_STATIC("a plugin of a user, served by a release host"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_DISPOSE,
    .property_count = sizeof(custom_properties) / sizeof(custom_properties[0]),
    .properties = custom_properties,
    .start = file_start,
    .stop = file_stop,
    .create = file_create,
    .destroy = file_destroy,
    .describe = file_describe,
    .label = file_label,
    .reboot = file_reboot,
};
