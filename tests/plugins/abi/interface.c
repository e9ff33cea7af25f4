/* Contains everything of include/reeve/plugin.h as the compiler lays it out; abidw reads the object
 * file. A plugin that was built earlier must find every member at the same offset. */
#include <reeve/plugin.h>

int32_t interface_take(const struct reeve_plugin_v1 *plugin, const struct reeve_host_v1 *host,
                       const struct reeve_property_v1 *property,
                       const struct reeve_wish_v1 *request, const struct reeve_query_v1 *query,
                       const struct reeve_row_v1 *row, const struct reeve_value_v1 *value,
                       const struct reeve_tag *tag, enum reeve_result result,
                       enum reeve_state state, enum reeve_level level, enum reeve_type type,
                       enum reeve_role role);

REEVE_EXPORT int32_t interface_take(
    const struct reeve_plugin_v1 *plugin, const struct reeve_host_v1 *host,
    const struct reeve_property_v1 *property, const struct reeve_wish_v1 *request,
    const struct reeve_query_v1 *query, const struct reeve_row_v1 *row,
    const struct reeve_value_v1 *value, const struct reeve_tag *tag, enum reeve_result result,
    enum reeve_state state, enum reeve_level level, enum reeve_type type, enum reeve_role role)
{
    return (int32_t)(plugin->struct_size + host->struct_size + property->flags +
                     request->struct_size + query->struct_size + row->struct_size +
                     (uint32_t)value->type + (uint32_t)tag->name.length + (uint32_t)result +
                     (uint32_t)state + (uint32_t)level + (uint32_t)type + (uint32_t)role);
}

const struct reeve_plugin_v1 reeve_plugin = { .magic = REEVE_PLUGIN_MAGIC };
