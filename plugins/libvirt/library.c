#include "virt.h"

#include <dlfcn.h>
#include <stddef.h>

bool virt_api_load(struct arena *arena, struct virt_api *out, const char **out_why)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define VIRT_FUNCTION(name) { #name, offsetof(struct virt_api, name) },
#include "virt_calls.def"
#undef VIRT_FUNCTION
    };
    /* the library is never closed, because libvirt has threads and thread-local data */
    void *library = dlopen("libvirt.so.0", RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        *out_why = arena_printf(arena,
                                "libvirt is missing on this computer (%s): apt-get install "
                                "libvirt0",
                                dlerror())
                       .data;
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
        void *function = dlsym(library, functions[i].name);

        if (function == NULL) {
            *out_why =
                arena_printf(arena, "this libvirt is too old: it has no %s", functions[i].name)
                    .data;
            return false;
        }
        memcpy((char *)out + functions[i].offset, &function, sizeof(function));
    }
    return true;
}
