#include "daemon/config/config.h"

struct text config_page_address(struct arena *arena, const struct config *config)
{
    const struct config_listener *listener = &config->listeners[0];
    struct text host = listener->host;
    bool is_six;

    if (config->public_url.length > 0) {
        return config->public_url;
    }
    if (config->listener_count == 0) {
        return TEXT("");
    }
    if (text_is(host, "0.0.0.0") || text_is(host, "::")) {
        /* the listener accepts connections on all addresses, so this name works on every host */
        host = TEXT("localhost");
    }
    is_six = text_find_byte(host, ':') != SIZE_MAX;
    return arena_printf(arena, "%s://%s%.*s%s:%u", listener->is_plain ? "http" : "https",
                        is_six ? "[" : "", TEXT_ARG(host), is_six ? "]" : "",
                        (unsigned)listener->port);
}
