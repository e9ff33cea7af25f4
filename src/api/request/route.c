#include "api/request/route.h"

#include "api/request/handlers.h"
#include "base/macros.h"

#include <assert.h>
#include <string.h>

static const struct route table[] = {
#define ROUTE(method, path, who, function, parameters, consumes, help) \
    { method, path, ROUTE_##who, function, parameters, consumes, help },
#include "api/request/routes.def"
#undef ROUTE
};

/* Parameters of every route. */
#define PARAMETERS_ALL "tenant min-revision"

const struct route *route_table(size_t *out_count)
{
    *out_count = ARRAY_COUNT(table);
    return table;
}

/* ---- matching ---- */

static const struct schema_kind *route_kind_find(struct text plural)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    for (size_t i = 0; i < count; i++) {
        if (kinds[i].is_in_files && schema_is_usable(kinds[i].since) &&
            text_is(plural, kinds[i].plural)) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* Returns the part up to the next '/', or the rest. */
static struct text part_at(struct text text)
{
    return text_slice(text, 0, text_find_byte(text, '/'));
}

static struct text part_skip(struct text text, struct text part)
{
    return text_slice(text, part.length + 1, text.length);
}

/* Matches the rest of the pattern with the rest of the path, after their first '/'. */
static bool rest_matches(struct text pattern, struct text path, struct route_match *match)
{
    struct text want = part_at(pattern);
    struct text part = part_at(path);

    if (text_is(want, "{name...}")) {
        /* the rest of the pattern: "/undo", or empty */
        struct text tail = text_slice(pattern, want.length, pattern.length);

        if (path.length <= tail.length || !text_has_suffix(path, tail)) {
            return false;
        }
        match->name = text_slice(path, 0, path.length - tail.length);
        return match->name.data[0] != '/' && !text_has_suffix(match->name, TEXT("/"));
    }
    if (pattern.length == 0 && path.length == 0) {
        return true; /* both end in a slash */
    }
    if (part.length == 0 || (want.length == pattern.length) != (part.length == path.length)) {
        return false;
    }
    if (text_is(want, "{kinds}")) {
        match->kind = route_kind_find(part);
        if (match->kind == NULL) {
            return false;
        }
    } else if (text_is(want, "{name}")) {
        match->name = part;
    } else if (!text_is_equal(want, part)) {
        return false;
    } else if (match->kind == NULL) {
        match->kind = route_kind_find(part); /* a route of one kind only:
                                              * /v1/clusters/{name}/facts */
    }
    return want.length == pattern.length ||
           rest_matches(part_skip(pattern, want), part_skip(path, part), match);
}

/* Compares the bytes before the first name in braces. This excludes most routes quickly. */
static bool begins_alike(const char *pattern, struct text path)
{
    size_t at = 0;

    while (at < path.length && pattern[at] == path.data[at] && pattern[at] != '{') {
        at++;
    }
    return pattern[at] == '{' || (pattern[at] == '\0' && at == path.length);
}

static bool path_matches(const struct route *route, struct text path, struct route_match *match)
{
    struct text pattern = text_from(route->path);

    match->kind = NULL;
    match->name = TEXT("");
    assert(pattern.data[0] == '/');
    return path.length > 0 && begins_alike(route->path, path) &&
           rest_matches(text_slice(pattern, 1, pattern.length), text_slice(path, 1, path.length),
                        match);
}

static void method_allow(struct route_match *match, const char *method)
{
    for (size_t i = 0; i < match->allowed_count; i++) {
        if (strcmp(match->allowed[i], method) == 0) {
            return;
        }
    }
    assert(match->allowed_count < ARRAY_COUNT(match->allowed));
    match->allowed[match->allowed_count++] = method;
}

struct route_match route_find(struct text method, struct text path)
{
    struct route_match match = { 0 };
    struct route_match allowed = { 0 };

    if (text_is(method, "HEAD")) {
        method = TEXT("GET");
    }
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        if (text_is(method, table[i].method) && path_matches(&table[i], path, &match)) {
            match.route = &table[i];
            method_allow(&match, table[i].method);
            return match;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) { /* slow search, which few requests reach */
        if (path_matches(&table[i], path, &match)) {
            method_allow(&allowed, table[i].method);
        }
    }
    return allowed;
}

/* ---- names ---- */

static bool has_route_word(const char *words, struct text word)
{
    struct text rest = text_from(words);

    while (rest.length > 0 && word.length > 0) {
        struct text one = text_slice(rest, 0, text_find_byte(rest, ' '));

        if (text_is_equal(one, word)) {
            return true;
        }
        rest = text_slice(rest, one.length + 1, rest.length);
    }
    return false;
}

bool route_has_parameter(const struct route *route, struct text name)
{
    return strcmp(route->parameters, "*") == 0 || has_route_word(route->parameters, name) ||
           has_route_word(PARAMETERS_ALL, name);
}

const char *route_who_name(enum route_who who)
{
    static const char *const names[] = {
        [ROUTE_ANYONE] = "anyone",     [ROUTE_KNOWN] = "known", [ROUTE_VIEWER] = "viewer",
        [ROUTE_OPERATOR] = "operator", [ROUTE_ADMIN] = "admin", [ROUTE_OWNER] = "owner",
    };

    assert((size_t)who < ARRAY_COUNT(names));
    return names[who];
}
