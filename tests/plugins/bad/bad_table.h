/* Makes the plugin: the functions that the including file has defined as BAD_..., and otherwise
 * those of the plugin `file`. */
#ifndef BAD_START
#define BAD_START file_start
#endif
#ifndef BAD_CREATE
#define BAD_CREATE file_create
#endif
#ifndef BAD_DESCRIBE
#define BAD_DESCRIBE file_describe
#endif

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC(BAD),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("does something wrong, for tests"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_TOKEN,
    .start = BAD_START,
    .stop = file_stop,
    .create = BAD_CREATE,
    .destroy = file_destroy,
    .describe = BAD_DESCRIBE,
};
