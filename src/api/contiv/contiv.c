#include "api/contiv/contiv.h"

#include "api/request/body.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"
#include "service/service_change.h"
#include "service/service_read.h"
#include "state/objects.h"

/* Bodies and answers of the compatibility API, and its routes that concern no single node: globals
 * and settings. */

/* ---- answers ---- */

void contiv_done(struct call *call)
{
    call_answer(call, 200, "text/plain; charset=utf-8", TEXT(""));
}

void contiv_refuse(struct call *call, unsigned status, struct text line)
{
    call_answer(call, status, "text/plain; charset=utf-8",
                arena_printf(call->arena, "%.*s\n", TEXT_ARG(line)));
}

/* ---- bodies ---- */

/* Read a list of texts; an absent list is empty. */
MUST_CHECK static bool contiv_list_read(struct call *call, const struct doc *list,
                                        struct text **out, size_t *out_count)
{
    *out_count = 0;
    if (!doc_is_present(list) || doc_is_null(list)) {
        return true;
    }
    if (!doc_is_list(list)) {
        return false;
    }
    *out = arena_array(call->arena, struct text, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        if (!doc_is_scalar(&list->items[i]) || list->items[i].text.length == 0) {
            return false;
        }
        (*out)[(*out_count)++] = list->items[i].text;
    }
    return true;
}

/* Read the member `extra_vars`, a text with a JSON map. */
MUST_CHECK static bool contiv_vars_read(struct call *call, struct contiv_body *out)
{
    struct text said = doc_child_text(&out->whole, "extra_vars");
    struct err err;

    out->vars = doc_map(NULL, 0, NULL);
    if (text_trim(said).length == 0) {
        return true;
    }
    out->has_vars = true;
    if (json_parse(call->arena, said, NULL, &out->vars, &err) && doc_is_map(&out->vars)) {
        return true;
    }
    contiv_refuse(call, 400,
                  arena_printf(call->arena, "extra_vars should be a valid json map: '%.*s'",
                               TEXT_ARG(text_slice(said, 0, LIMIT_WHY_BYTES))));
    return false;
}

bool contiv_body_read(struct call *call, struct contiv_body *out)
{
    *out = (struct contiv_body){ 0 };
    if (!body_take(call, &out->whole)) {
        return false;
    }
    if (!contiv_list_read(call, doc_child(&out->whole, "nodes"), &out->nodes, &out->node_count) ||
        !contiv_list_read(call, doc_child(&out->whole, "addrs"), &out->addresses,
                          &out->address_count)) {
        contiv_refuse(call, 400, TEXT("nodes and addrs are lists of names"));
        return false;
    }
    out->host_group = doc_child_text(&out->whole, "host_group");
    return contiv_vars_read(call, out);
}

/* ---- reading ---- */

void contiv_read_done(void *arg, const struct service_answer *answer)
{
    struct contiv_reader *reader = arg;
    struct err err;

    reader->is_there = answer->errors->errors == 0 &&
                       json_parse(reader->arena, answer->body, NULL, &reader->doc, &err);
}

struct doc contiv_cluster_read(struct call *call)
{
    struct contiv_reader reader = { .arena = call->arena };
    struct service_get get = { .kind = schema_kind_find(TEXT("Cluster")),
                               .name = call->api->options.contiv->cluster,
                               .view = SERVICE_VIEW_EXPORT };

    service_get(call->api->options.service, call->arena, &call->actor, &get, contiv_read_done,
                &reader);
    return reader.is_there ? reader.doc : (struct doc){ 0 };
}

struct text contiv_cluster_id(const struct call *call)
{
    const struct cache_object *object =
        objects_find(call->api->options.cache, call->actor.tenant, objects_kind("Cluster"),
                     call->api->options.contiv->cluster);

    return object == NULL ? TEXT("") : arena_text(call->arena, cache_id(object));
}

/* ---- globals ---- */

/* Routes for globals, which are the variables of the cluster: `defaults.vars`. */

void api_contiv_globals(struct call *call)
{
    struct doc cluster = contiv_cluster_read(call);
    const struct doc *vars = doc_child(doc_child(&cluster, "defaults"), "vars");
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "extra_vars", doc_is_map(vars) ? *vars : doc_map(NULL, 0, NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

static void contiv_written(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;

    if (answer->errors->errors > 0) {
        call_refuse_all(call, answer->errors, answer->body);
        return;
    }
    contiv_done(call);
}

struct service_allow contiv_allow_all(void)
{
    return (struct service_allow){
        .destroy = UINT64_MAX, .replace = UINT64_MAX, .reboot = UINT64_MAX, .rerun = UINT64_MAX
    };
}

static struct doc contiv_map_of(struct call *call, const char *field, struct doc value)
{
    struct doc none = doc_map(NULL, 0, NULL);

    return nest_put(call->arena, &none, field, value);
}

/* Create the cluster with one entry in one of its maps. */
static void contiv_cluster_create(struct call *call, const char *map, struct doc value,
                                  service_done *done, void *arg)
{
    struct doc *document = arena_one(call->arena, struct doc);
    struct service_change change = {
        .mode = CHANGE_CREATE, .documents = document, .document_count = 1, .why = TEXT(CONTIV_WHY)
    };
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "version", doc_text(TEXT("4"), NULL));
    doc_builder_put(&builder, "name", doc_text(call->api->options.contiv->cluster, NULL));
    doc_builder_put(&builder, "kind", doc_text(TEXT("Cluster"), NULL));
    doc_builder_put(&builder, "empty", doc_bool(true, NULL));
    doc_builder_put(&builder, map, value);
    *document = doc_builder_map(&builder, NULL);
    service_change(call->api->options.service, call->arena, &call->actor, &change, done, arg);
}

void contiv_cluster_put(struct call *call, const char *map, struct text field, struct doc value,
                        service_done *done, void *arg)
{
    struct doc cluster = contiv_cluster_read(call);
    bool has_map = doc_is_map(doc_child(&cluster, map));
    struct doc *op = arena_one(call->arena, struct doc);
    struct doc *operations = arena_one(call->arena, struct doc);
    const char *key = arena_string(call->arena, field);
    struct service_patch patch = {
        .kind = schema_kind_find(TEXT("Cluster")),
        .name = call->api->options.contiv->cluster,
        .patch_kind = CHANGE_PATCH_JSON,
        .patch = operations,
        .change = { .allow = contiv_allow_all(), .why = TEXT(CONTIV_WHY) },
    };
    struct doc_builder builder;

    if (!doc_is_map(&cluster)) {
        contiv_cluster_create(call, map, contiv_map_of(call, key, value), done, arg);
        return;
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "op", doc_text(TEXT("add"), NULL));
    doc_builder_put(&builder, "path",
                    doc_text(has_map ? arena_printf(call->arena, "/%s/%s", map, key)
                                     : arena_printf(call->arena, "/%s", map),
                             NULL));
    doc_builder_put(&builder, "value", has_map ? value : contiv_map_of(call, key, value));
    *op = doc_builder_map(&builder, NULL);
    *operations = doc_list(op, 1, NULL);
    service_patch(call->api->options.service, call->arena, &call->actor, &patch, done, arg);
}

void api_contiv_globals_set(struct call *call)
{
    struct contiv_body body;

    if (contiv_body_read(call, &body)) {
        contiv_cluster_put(call, "defaults", TEXT("vars"), body.vars, contiv_written, call);
    }
}

/* ---- settings ---- */

static struct doc contiv_text(struct text text)
{
    return doc_text(text, NULL);
}

void api_contiv_config(struct call *call)
{
    const struct api_contiv *contiv = call->api->options.contiv;
    struct doc cluster = contiv_cluster_read(call);
    const struct doc *defaults = doc_child(&cluster, "defaults");
    const struct doc *vars = doc_child(defaults, "vars");
    struct buf extra;
    struct doc_builder serf;
    struct doc_builder ansible;
    struct doc_builder manager;
    struct doc_builder builder;
    struct doc body;

    buf_init(&extra, call->arena);
    if (doc_is_map(vars)) {
        json_format(&extra, vars);
    }
    doc_builder_init(&serf, call->arena);
    doc_builder_put(&serf, "Addr", contiv_text(contiv->serf));
    doc_builder_put(&serf, "AuthKey", contiv_text(TEXT("")));
    doc_builder_init(&ansible, call->arena);
    doc_builder_put(&ansible, "configure_playbook", contiv_text(TEXT("site.yml")));
    doc_builder_put(&ansible, "cleanup_playbook", contiv_text(TEXT("cleanup.yml")));
    doc_builder_put(&ansible, "upgrade_playbook", contiv_text(TEXT("rolling-upgrade.yml")));
    doc_builder_put(&ansible, "playbook_location",
                    contiv_text(doc_child_text(defaults, "configuration")));
    doc_builder_put(&ansible, "extra_variables", contiv_text(buf_text(&extra)));
    doc_builder_put(&ansible, "user", contiv_text(doc_child_text(defaults, "user")));
    doc_builder_put(&ansible, "priv_key_file", contiv_text(TEXT("")));
    doc_builder_init(&manager, call->arena);
    doc_builder_put(&manager, "addr", contiv_text(contiv->address));
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "serf", doc_builder_map(&serf, NULL));
    doc_builder_put(&builder, "inventory", doc_map(NULL, 0, NULL));
    doc_builder_put(&builder, "ansible", doc_builder_map(&ansible, NULL));
    doc_builder_put(&builder, "manager", doc_builder_map(&manager, NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

/* This route can change only the login of machines and the variables. A configuration is a set of
 * files, so it is uploaded through another route. */
void api_contiv_config_set(struct call *call)
{
    struct contiv_body body;
    const struct doc *config;
    const struct doc *ansible;

    if (!contiv_body_read(call, &body)) {
        return;
    }
    config = doc_child(&body.whole, "config");
    for (size_t i = 0; doc_is_map(config) && i < config->entry_count; i++) {
        if (!text_is(config->entries[i].key, "ansible")) {
            contiv_refuse(call, 409, TEXT("Only changes to ansible configuration are allowed"));
            return;
        }
    }
    ansible = doc_child(config, "ansible");
    for (size_t i = 0; doc_is_map(ansible) && i < ansible->entry_count; i++) {
        if (!text_is(ansible->entries[i].key, "user")) {
            contiv_refuse(call, 409,
                          arena_printf(call->arena,
                                       "of the ansible configuration, '%.*s' cannot be changed "
                                       "here: push playbooks with reeve config push, and set "
                                       "variables as globals",
                                       TEXT_ARG(ansible->entries[i].key)));
            return;
        }
    }
    if (!doc_is_map(ansible) || doc_child_text(ansible, "user").length == 0) {
        contiv_refuse(call, 400,
                      TEXT("the body must be {\"config\":{\"ansible\":{\"user\":NAME}}}"));
        return;
    }
    contiv_cluster_put(call, "defaults", TEXT("user"),
                       doc_text(doc_child_text(ansible, "user"), NULL), contiv_written, call);
}
