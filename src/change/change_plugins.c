#include "change/change_work.h"

/* Reports plugins that a group uses and that this manager does not know. Most of these names are
 * misspelled, and their machines would wait forever, so this is an error. A plugin may also be
 * installed after the files that use it are applied (decision 0042). A request can permit that, and
 * then gets a warning. A group that already used the plugin can be changed as usual. */

/* Maximum length of the list of known plugins in a hint. */
enum { KNOWN_BYTES = 200 };

struct search {
    struct change_work *work;
    /* The plugins of the tenant; absent until a name is not found among the running plugins. */
    struct doc here;
    struct map reported;
};

static struct text change_plugins_word_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
}

static bool is_change_plugins_running(const struct change_request *request, struct text name)
{
    return request->plugins != NULL && request->plugins->find(request->plugins->arg, name) != NULL;
}

/* True if the manager is still waiting for the traits of the plugin. Properties can then not be
 * validated yet, but soon. */
static bool is_change_plugins_asked(const struct change_request *request, struct text name)
{
    return request->plugins != NULL && request->plugins->is_asked != NULL &&
           request->plugins->is_asked(request->plugins->arg, name);
}

/* True if the row of a plugin has more than a name. A row with only a name exists because files of
 * other clusters refer to the plugin. */
static bool is_more_than_wanted(const struct doc *plugin)
{
    return doc_child(plugin, "path") != NULL || doc_child(plugin, "fetched") != NULL ||
           doc_child(plugin, "waiting") != NULL;
}

/* True if the plugin is known. Also offers the names of all known plugins as suggestions. */
static bool is_change_plugins_here(struct search *search, struct suggest *suggest)
{
    const struct change_request *request = search->work->request;
    bool is_found = false;

    if (!doc_is_present(&search->here)) {
        search->here =
            request->plugins_show(request->plugins_arg, search->work->arena, request->tenant);
    }
    for (size_t i = 0; i < search->here.item_count; i++) {
        const struct doc *plugin = &search->here.items[i];
        struct text name = change_plugins_word_of(plugin, "name");

        if (is_more_than_wanted(plugin)) {
            is_found = is_found || text_is_equal(name, suggest->wrong);
            suggest_offer(suggest, name);
        }
    }
    return is_found;
}

/* True if the group's current state, or one of its alternatives, uses the plugin. */
static bool is_named_by(const struct model_leaf *leaf, struct text name)
{
    const struct doc *alternatives = doc_child(&leaf->doc, "alternatives");

    if (text_is_equal(change_plugins_word_of(doc_child(&leaf->doc, "resourcePlugin"), "name"),
                      name)) {
        return true;
    }
    for (size_t i = 0; doc_is_list(alternatives) && i < alternatives->item_count; i++) {
        if (text_is_equal(change_plugins_word_of(
                              doc_child(&alternatives->items[i], "resourcePlugin"), "name"),
                          name)) {
            return true;
        }
    }
    return false;
}

/* List the known plugins: "file, local, sim". */
static struct text known_names(struct search *search)
{
    struct buf buf;

    buf_init(&buf, search->work->arena);
    for (size_t i = 0; i < search->here.item_count && buf.length < KNOWN_BYTES; i++) {
        if (is_more_than_wanted(&search->here.items[i])) {
            buf_printf(&buf, "%s%.*s", buf.length == 0 ? "" : ", ",
                       TEXT_ARG(change_plugins_word_of(&search->here.items[i], "name")));
        }
    }
    return buf_text(&buf);
}

static struct err *change_plugins_unknown_report(struct search *search,
                                                 const struct model_object *object,
                                                 struct text name)
{
    struct err_list *errors = search->work->errors;

    return search->work->request->can_miss_plugins ||
                   change_was_named(search->work, object, is_named_by, name)
               ? err_list_warn(errors, (struct place){ 0 }, CODE_R0801,
                               "this manager has no plugin '%.*s': machines of the group are "
                               "created when it is installed",
                               TEXT_ARG(name))
               : err_list_set(errors, (struct place){ 0 }, CODE_R0801,
                              "this manager has no plugin '%.*s'", TEXT_ARG(name));
}

static void change_plugins_plugin_check(struct search *search, const struct model_object *object,
                                        const struct model_leaf *leaf, const struct doc *plugin)
{
    const struct doc *value = doc_child(plugin, "name");
    struct text name = change_plugins_word_of(plugin, "name");
    struct suggest suggest = suggest_start(name);
    struct err *err;

    if (name.length > 0 && is_change_plugins_asked(search->work->request, name)) {
        search->work->is_early = true;
        return;
    }
    /* A plugin with a URL or a digest is downloaded, and the download reports errors. */
    if (name.length == 0 || change_plugins_word_of(plugin, "url").length > 0 ||
        change_plugins_word_of(plugin, "sha256").length > 0 ||
        is_change_plugins_running(search->work->request, name) ||
        map_find(&search->reported, name) != NULL || is_change_plugins_here(search, &suggest)) {
        return;
    }
    map_put(&search->reported, name, search);
    err = change_plugins_unknown_report(search, object, name);
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err,
                 "installed: %.*s; reeve plugin install adds a plugin, --allow-missing-plugin "
                 "accepts the file without it",
                 TEXT_ARG(known_names(search)));
    }
    model_blame(err, value);
    err_place(err, leaf->place);
}

static void change_plugins_leaf_check(void *arg, const struct model_object *object,
                                      const struct model_leaf *leaf)
{
    struct search *search = arg;
    const struct doc *alternatives = doc_child(&leaf->doc, "alternatives");

    change_plugins_plugin_check(search, object, leaf, doc_child(&leaf->doc, "resourcePlugin"));
    for (size_t i = 0; doc_is_list(alternatives) && i < alternatives->item_count; i++) {
        const struct doc *plugin = doc_child(&alternatives->items[i], "resourcePlugin");

        if (doc_is_map(plugin)) {
            change_plugins_plugin_check(search, object, leaf, plugin);
        }
    }
}

void change_plugins_check(struct change_work *work)
{
    struct search search = { .work = work };

    if (work->request->plugins_show == NULL || work->request->mode == CHANGE_DELETE) {
        return;
    }
    map_init(&search.reported, work->arena);
    change_leaves_visit(work, change_plugins_leaf_check, &search);
}

/* True if machines of this plugin have no address, so that reeve cannot log in to them. */
static bool is_without_login(struct text plugin)
{
    return text_is(plugin, "file") || text_is(plugin, "sim");
}

/* Warns about stages that never run. The nodes of the group become ready without these stages, like
 * nodes without stages. */
static void stages_leaf_check(void *arg, const struct model_object *object,
                              const struct model_leaf *leaf)
{
    struct change_work *work = arg;
    struct text plugin = change_plugins_word_of(doc_child(&leaf->doc, "resourcePlugin"), "name");
    const struct doc *own = doc_child(&leaf->doc, "bootstrap");
    const struct doc *stages =
        doc_is_list(own) && own->item_count > 0 ? own : doc_child(&leaf->doc, "configuration");
    struct err *err;

    (void)object;
    if (stages == NULL || doc_is_null(stages) || !is_without_login(plugin)) {
        return;
    }
    err = err_list_warn(work->errors, (struct place){ 0 }, CODE_R0347,
                        "the stages of group '%.*s' never run: machines of plugin %.*s have no "
                        "address to log in to",
                        TEXT_ARG(leaf->path), TEXT_ARG(plugin));
    err_hint(
        err,
        "nodes of this plugin become ready without running stages; to run them, use a plugin whose machines reeve can log in to, such as local or static");
    model_blame(err, stages);
    err_place(err, leaf->place);
}

void change_stages_check(struct change_work *work)
{
    if (work->request->mode != CHANGE_DELETE) {
        change_leaves_visit(work, stages_leaf_check, work);
    }
}
