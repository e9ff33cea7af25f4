#include "stack.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "images.h"

enum { STACK_PAGES_MAX = 100, STACK_NAMES_BYTES = 300 };

/* A search for a name in a collection. */
struct stack_search {
    struct stack_call *work;
    enum stack_service service;
    struct text region;
    const char *path; /* path of the collection, with or without a query */
    const char *key;  /* name of the list in the answer */
    const char *pointer;
    const char *what; /* kind for messages: "flavor" */
};

/* Appends a name to the names that a fault lists. */
static void stack_note_name(struct buf *names, struct text name)
{
    if (name.length > 0 && names->length < STACK_NAMES_BYTES) {
        buf_add_string(names, names->length == 0 ? "" : ", ");
        buf_add(names, name);
    }
}

/* Searches one page for the name or id. Returns the number of objects with that name; an id is
 * unique. */
static size_t stack_search_page(const struct doc *list, struct text name, const struct doc **found,
                                struct buf *names)
{
    size_t count = 0;

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        const struct doc *item = &list->items[i];

        stack_note_name(names, doc_child_text(item, "name"));
        if (text_is_equal(doc_child_text(item, "id"), name)) {
            *found = item;
            return 1;
        }
        if (text_is_equal(doc_child_text(item, "name"), name)) {
            *found = item;
            count++;
        }
    }
    return count;
}

/* Finds an object by its name or id in all pages of a collection. A failure is reported. */
static int32_t stack_search(const struct stack_search *search, struct text name,
                            const struct doc **out)
{
    struct stack_call *work = search->work;
    struct text marker = TEXT("");
    unsigned restarts = 0;
    size_t count = 0;
    struct buf names;

    *out = NULL;
    buf_init(&names, work->arena);
    for (unsigned page = 0; page < STACK_PAGES_MAX; page++) {
        struct stack_answer answer;
        const struct doc *list;

        if (stack_get(work, search->service, search->region,
                      arena_printf(work->arena, "%s%s%s%.*s", search->path,
                                   marker.length == 0                  ? ""
                                   : strchr(search->path, '?') == NULL ? "?"
                                                                       : "&",
                                   marker.length == 0 ? "" : "marker=", TEXT_ARG(marker)),
                      &answer) != REEVE_OK) {
            if (marker.length > 0 && stack_is_marker_gone(&answer) &&
                restarts++ < STACK_RESTARTS_MAX) {
                marker = TEXT("");
                names.length = 0;
                count = 0;
                continue;
            }
            return stack_refuse(work, search->pointer,
                                arena_printf(work->arena, "look the %s up", search->what).data,
                                &answer);
        }
        list = doc_child(&answer.doc, search->key);
        if (!doc_is_list(list)) {
            return stack_no_list(work, search->pointer, search->key);
        }
        count += stack_search_page(list, name, out, &names);
        if (list->item_count == 0) {
            break;
        }
        marker = stack_url(work, doc_child_text(&list->items[list->item_count - 1], "id"));
    }
    if (count == 1) {
        return REEVE_OK;
    }
    return count == 0
               ? stack_fault(work, REEVE_INVALID, search->pointer,
                             "there is no %s '%.*s' in region %.*s; there are: %.*s", search->what,
                             TEXT_ARG(name), TEXT_ARG(search->region), TEXT_ARG(buf_text(&names)))
               : stack_fault(work, REEVE_INVALID, search->pointer,
                             "%zu of type %s have the name '%.*s': give the id", count,
                             search->what, TEXT_ARG(name));
}

/* ---- flavor and image ---- */

static int32_t stack_find_flavor(struct stack_call *work, const struct stack_shape *shape,
                                 struct text region, bool is_fresh, struct stack_found *out)
{
    struct stack_search search = { work,      STACK_COMPUTE, region,  "/flavors/detail",
                                   "flavors", "/flavor",     "flavor" };
    const struct doc *flavor = NULL;
    int32_t result;

    out->flavor = is_fresh
                      ? TEXT("")
                      : plain_text(work->stack->host->pinned(work->call, REEVE_TEXT("/flavor")));
    if (out->flavor.length > 0) {
        return REEVE_OK;
    }
    result = stack_search(&search, shape->flavor, &flavor);
    if (result == REEVE_OK) {
        out->flavor = doc_child_text(flavor, "id");
        out->flavor_ram = doc_child_number(flavor, "ram");
        out->flavor_cpus = doc_child_number(flavor, "vcpus");
        out->flavor_disk = doc_child_number(flavor, "disk");
    }
    return result;
}

/* Returns the query for an image: by release, or by name. */
static struct text stack_image_query(struct stack_call *work, struct text image)
{
    const struct image_release *release = images_find(image);

    return release != NULL
               ? arena_printf(work->arena,
                              "/images?os_distro=%s&os_version=%s&status=active&sort=created_at"
                              "%%3Adesc",
                              release->distribution, release->version)
               : arena_printf(work->arena,
                              "/images?name=%.*s&status=active&sort=created_at%%3Adesc",
                              TEXT_ARG(stack_url(work, image)));
}

/* Reports that the image does not exist, with the names of the existing images. */
static int32_t stack_no_image(struct stack_call *work, struct text region, struct text image)
{
    struct stack_answer answer;
    const struct doc *list;
    struct buf names;

    buf_init(&names, work->arena);
    if (stack_get(work, STACK_IMAGE, region, TEXT("/images?status=active&limit=100"), &answer) ==
        REEVE_OK) {
        list = doc_child(&answer.doc, "images");
        for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
            stack_note_name(&names, doc_child_text(&list->items[i], "name"));
        }
    }
    return stack_fault(work, REEVE_INVALID, "/image",
                       images_find(image) != NULL
                           ? "region %.*s has no active image '%.*s': none has its os_distro and "
                             "os_version. Give a name or an id; there are: %.*s"
                           : "region %.*s has no active image '%.*s'; there are: %.*s",
                       TEXT_ARG(region), TEXT_ARG(image), TEXT_ARG(buf_text(&names)));
}

/* Checks that the flavor is large enough for the image. With a boot volume, the disk of the flavor
 * is not used. */
static int32_t stack_check_image(struct stack_call *work, const struct stack_shape *shape,
                                 const struct doc *image, struct stack_found *out)
{
    int64_t disk = shape->boot_gb > 0 ? shape->boot_gb : out->flavor_disk;
    bool has_disk = shape->boot_gb > 0 || out->flavor_disk > 0;

    out->image = doc_child_text(image, "id");
    out->architecture = doc_child_text(image, "architecture");
    if (out->flavor_ram > 0 && doc_child_number(image, "min_ram") > out->flavor_ram) {
        return stack_fault(work, REEVE_INVALID, "/flavor",
                           "the image needs %lld MB of memory, the flavor has %lld",
                           (long long)doc_child_number(image, "min_ram"),
                           (long long)out->flavor_ram);
    }
    if (has_disk && doc_child_number(image, "min_disk") > disk) {
        return stack_fault(work, REEVE_INVALID, shape->boot_gb > 0 ? "/bootVolume" : "/flavor",
                           "the image needs a disk of %lld GB, the machine has %lld",
                           (long long)doc_child_number(image, "min_disk"), (long long)disk);
    }
    return REEVE_OK;
}

static int32_t stack_find_image(struct stack_call *work, const struct stack_shape *shape,
                                struct text region, bool is_fresh, struct stack_found *out)
{
    struct stack_answer answer;
    const struct doc *list;

    out->image = is_fresh ? TEXT("")
                          : plain_text(work->stack->host->pinned(work->call, REEVE_TEXT("/image")));
    if (out->image.length > 0) {
        return REEVE_OK;
    }
    if (is_stack_uuid(shape->image)) {
        if (stack_get(work, STACK_IMAGE, region,
                      arena_printf(work->arena, "/images/%.*s", TEXT_ARG(shape->image)),
                      &answer) == REEVE_OK) {
            return text_is(doc_child_text(&answer.doc, "status"), "active")
                       ? stack_check_image(work, shape, &answer.doc, out)
                       : stack_fault(work, REEVE_INVALID, "/image", "the image is not active");
        }
        return is_stack_missing(&answer) ? stack_no_image(work, region, shape->image)
                                         : stack_refuse(work, "/image", "get the image", &answer);
    }
    if (stack_get(work, STACK_IMAGE, region, stack_image_query(work, shape->image), &answer) !=
        REEVE_OK) {
        return stack_refuse(work, "/image", "look the image up", &answer);
    }
    list = doc_child(&answer.doc, "images");
    if (!doc_is_list(list)) {
        return stack_no_list(work, "/image", "images");
    }
    return list->item_count > 0 ? stack_check_image(work, shape, &list->items[0], out)
                                : stack_no_image(work, region, shape->image);
}

struct text stack_user(const struct stack_shape *shape)
{
    const struct image_release *release = images_find(shape->image);

    return shape->user.length > 0 ? shape->user
                                  : text_from(release != NULL ? release->user : "admin");
}

/* ---- network ---- */

/* Finds the only network of a kind, if the properties name none. */
static int32_t stack_only_network(struct stack_call *work, struct text region, bool is_external,
                                  struct text *out)
{
    const char *pointer = is_external ? "/externalNetwork" : "/network";
    struct stack_answer answer;
    const struct doc *list;
    struct buf names;

    if (stack_get(work, STACK_NETWORK, region,
                  text_from(is_external ? "/networks?router%3Aexternal=true"
                                        : "/networks?router%3Aexternal=false"),
                  &answer) != REEVE_OK) {
        return stack_refuse(work, pointer, "list the networks", &answer);
    }
    list = doc_child(&answer.doc, "networks");
    if (!doc_is_list(list)) {
        return stack_no_list(work, pointer, "networks");
    }
    if (list->item_count == 1) {
        *out = doc_child_text(&list->items[0], "id");
        return REEVE_OK;
    }
    buf_init(&names, work->arena);
    for (size_t i = 0; i < list->item_count; i++) {
        stack_note_name(&names, doc_child_text(&list->items[i], "name"));
    }
    return stack_fault(work, REEVE_INVALID, pointer, "give %s: region %.*s has %zu, %.*s",
                       is_external ? "externalNetwork" : "network: {name: NAME}", TEXT_ARG(region),
                       (size_t)list->item_count, TEXT_ARG(buf_text(&names)));
}

static int32_t stack_find_network(struct stack_call *work, const struct stack_shape *shape,
                                  struct text region, struct stack_found *out)
{
    struct stack_search subnets = { work,      STACK_NETWORK, region,  "/subnets",
                                    "subnets", "/subnet",     "subnet" };
    struct stack_search networks = { work,       STACK_NETWORK,   region,   "/networks",
                                     "networks", "/network/name", "network" };
    const struct doc *found = NULL;
    int32_t result = REEVE_OK;

    if (shape->network.length > 0) {
        result = stack_search(&networks, shape->network, &found);
        out->network = doc_child_text(found, "id");
    }
    if (result == REEVE_OK && shape->subnet.length > 0) {
        result = stack_search(&subnets, shape->subnet, &found);
        out->subnet = doc_child_text(found, "id");
        if (result == REEVE_OK && out->network.length > 0 &&
            !text_is_equal(doc_child_text(found, "network_id"), out->network)) {
            return stack_fault(work, REEVE_INVALID, "/subnet",
                               "the subnet '%.*s' is not one of the network '%.*s'",
                               TEXT_ARG(shape->subnet), TEXT_ARG(shape->network));
        }
        out->network = doc_child_text(found, "network_id");
    }
    return result == REEVE_OK && out->network.length == 0
               ? stack_only_network(work, region, false, &out->network)
               : result;
}

static int32_t stack_find_external(struct stack_call *work, const struct stack_shape *shape,
                                   struct text region, struct stack_found *out)
{
    struct stack_search search = { work,
                                   STACK_NETWORK,
                                   region,
                                   "/networks?router%3Aexternal=true",
                                   "networks",
                                   "/externalNetwork",
                                   "external network" };
    const struct doc *found = NULL;
    int32_t result;

    if (!shape->is_public) {
        return REEVE_OK;
    }
    if (shape->external.length == 0) {
        return stack_only_network(work, region, true, &out->external);
    }
    result = stack_search(&search, shape->external, &found);
    out->external = doc_child_text(found, "id");
    return result;
}

/* ---- groups ---- */

static int32_t stack_find_groups(struct stack_call *work, const struct stack_shape *shape,
                                 struct text region, struct stack_found *out)
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->group_count; i++) {
        struct stack_search search = { work,
                                       STACK_NETWORK,
                                       region,
                                       "/security-groups",
                                       "security_groups",
                                       arena_printf(work->arena, "/securityGroups/%zu", i).data,
                                       "security group" };
        const struct doc *found = NULL;
        int32_t each = stack_search(&search, shape->groups[i], &found);

        out->groups[i] = doc_child_text(found, "id");
        result = each == REEVE_OK ? result : each;
    }
    return result;
}

static int32_t stack_find_server_group(struct stack_call *work, const struct stack_shape *shape,
                                       struct text region, struct stack_found *out)
{
    struct stack_answer answer;
    const struct doc *found = NULL;
    struct buf names;

    if (shape->server_group.length == 0) {
        return REEVE_OK;
    }
    if (stack_get(work, STACK_COMPUTE, region, TEXT("/os-server-groups?limit=1000"), &answer) !=
        REEVE_OK) {
        return stack_refuse(work, "/serverGroup", "list the server groups", &answer);
    }
    buf_init(&names, work->arena);
    if (stack_search_page(doc_child(&answer.doc, "server_groups"), shape->server_group, &found,
                          &names) != 1) {
        return stack_fault(work, REEVE_INVALID, "/serverGroup",
                           "there is no server group '%.*s', or there are several; there are: "
                           "%.*s",
                           TEXT_ARG(shape->server_group), TEXT_ARG(buf_text(&names)));
    }
    out->server_group = doc_child_text(found, "id");
    return REEVE_OK;
}

int32_t stack_resolve(struct stack_call *work, const struct stack_shape *shape, struct text region,
                      bool is_fresh, struct stack_found *out)
{
    int32_t results[6];

    *out = (struct stack_found){ 0 };
    results[0] = stack_find_flavor(work, shape, region, is_fresh, out);
    if (results[0] == REEVE_AUTH) {
        return REEVE_AUTH; /* every other lookup would report the same */
    }
    results[1] = stack_find_image(work, shape, region, is_fresh, out);
    results[2] = stack_find_network(work, shape, region, out);
    results[3] = stack_find_external(work, shape, region, out);
    results[4] = stack_find_groups(work, shape, region, out);
    results[5] = stack_find_server_group(work, shape, region, out);
    for (size_t i = 0; i < ARRAY_COUNT(results); i++) {
        if (results[i] != REEVE_OK) {
            return results[i];
        }
    }
    return REEVE_OK;
}
