#include "cli/plugin_parts.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* public names start with: plugin_ */

enum { DIGEST_SHORT = 12, NAME_COLUMNS = 20, FUNCTION_COLUMNS = 18 };

static void plugin_text_line_write(struct command *command, const char *title, struct text value)
{
    if (value.length > 0) {
        buf_printf(&command->out, "  %-11s", title);
        glyph_write_text(&command->out, value);
        buf_add(&command->out, TEXT("\n"));
    }
}

static struct text words_joined(struct arena *arena, const struct doc *list)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ", ", TEXT_ARG(list->items[i].text));
    }
    return buf_text(&buf);
}

static void sentences_write(struct command *command, const char *title, const struct doc *list)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        plugin_text_line_write(command, i == 0 ? title : "", list->items[i].text);
    }
}

/* Write the beginning of every page about a plugin. */
static void about_write(struct command *command, const struct doc *plugin)
{
    struct arena *arena = command->arena;
    int64_t lag = doc_child_number(plugin, "lag");
    int64_t late = doc_child_number(plugin, "late");

    plugin_text_line_write(command, "about", doc_child_text(plugin, "about"));
    plugin_text_line_write(command, "version", doc_child_text(plugin, "version"));
    plugin_text_line_write(command, "file", doc_child_text(plugin, "path"));
    plugin_text_line_write(command, "digest", doc_child_text(plugin, "digest"));
    plugin_text_line_write(command, "profile", doc_child_text(plugin, "profile"));
    plugin_text_line_write(command, "can", words_joined(arena, doc_child(plugin, "can")));
    if (lag > 0 || late > 0) {
        plugin_text_line_write(command, "lag",
                               arena_printf(arena,
                                            "listings may lag by %lld ms, calls may take effect "
                                            "%lld ms late",
                                            (long long)lag, (long long)late));
    }
    plugin_text_line_write(command, "problem", doc_child_text(plugin, "problem"));
}

static void mark_write(struct command *command, enum style_color color, const char *mark)
{
    style_add(&command->out_style, &command->out, color, mark);
    buf_add(&command->out, TEXT("  "));
}

void plugin_check_text(struct command *command, const char *path, const struct doc *about)
{
    const struct doc *faults = doc_child(about, "faults");
    size_t count = doc_is_list(faults) ? faults->item_count : 0;

    buf_add(&command->out, TEXT("plugin "));
    glyph_write_text(&command->out, doc_child_text(about, "name"));
    buf_add(&command->out, TEXT("\n"));
    about_write(command, about);
    sentences_write(command, "lacks", doc_child(about, "lacks"));
    plugin_text_line_write(command, "properties",
                           arena_printf(command->arena, "%zu; %s plugin schema %s lists them",
                                        doc_child_count(about, "properties"), command->program,
                                        path));
    for (size_t i = 0; i < count; i++) {
        mark_write(command, STYLE_ERROR, "FAIL");
        glyph_write_text(&command->out, faults->items[i].text);
        buf_add(&command->out, TEXT("\n"));
    }
    if (count == 0) {
        mark_write(command, STYLE_ADDED, "ok  ");
        buf_printf(
            &command->out,
            "the plugin can be loaded, and its table of properties is valid; %s plugin test %s tests its behaviour\n",
            command->program, path);
    }
}

/* ---- schema ---- */

static const struct output_column schema_columns[] = {
    { "PROPERTY", ".name", OUTPUT_KEEP, false },     { "TYPE", ".type", OUTPUT_KEEP, false },
    { "REQUIRED", ".required", OUTPUT_DROP, false }, { "FIELD", ".field", OUTPUT_DROP, false },
    { "TAKES", ".takes", OUTPUT_DROP, false },       { "DEFAULT", ".default", OUTPUT_DROP, false },
    { "EXAMPLE", ".example", OUTPUT_WIDE, false },   { "HELP", ".help", OUTPUT_DROP, false },
};
static const struct output_view schema_view = { "plugin/{name}", schema_columns,
                                                ARRAY_COUNT(schema_columns) };

const struct output_view *plugin_schema_view(void)
{
    return &schema_view;
}

/* Return a row of the table; one cell has the constraints of the property's value. */
static struct doc schema_row(struct arena *arena, const struct doc *property)
{
    struct text takes = doc_child_text(property, "choices");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < property->entry_count; i++) {
        doc_builder_add(&builder, &property->entries[i]);
    }
    if (takes.length == 0 && doc_is_present(doc_child(property, "most"))) {
        takes = arena_printf(arena, "%lld..%lld", (long long)doc_child_number(property, "least"),
                             (long long)doc_child_number(property, "most"));
    }
    if (takes.length > 0) {
        doc_builder_put(&builder, "takes", doc_text(takes, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

void plugin_schema_write(struct command *command, struct output *output, const struct doc *plugin)
{
    const struct doc *properties = doc_child(plugin, "properties");
    size_t count = doc_is_list(properties) ? properties->item_count : 0;
    struct doc *rows = arena_array(command->arena, struct doc, count + 1);

    for (size_t i = 0; i < count; i++) {
        rows[i] = schema_row(command->arena, &properties->items[i]);
    }
    if (output->format == OUTPUT_TEXT) {
        buf_add(&command->out, TEXT("plugin "));
        glyph_write_text(&command->out, doc_child_text(plugin, "name"));
        buf_add(&command->out, TEXT("\n"));
        about_write(command, plugin);
        buf_add(&command->out, count > 0 ? TEXT("\n") : TEXT("  the plugin has no properties\n"));
        output->format = OUTPUT_TABLE;
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ plugin, 1, rows, count }, &command->out);
}

/* ---- the test ---- */

static const struct output_column rules_columns[] = {
    { "RULE", ".rule", OUTPUT_KEEP, false },
    { "FUNCTION", ".function", OUTPUT_KEEP, false },
    { "VERDICT", ".verdict", OUTPUT_KEEP, false },
    { "WORDS", ".words", OUTPUT_DROP, false },
};
static const struct output_view rules_view = { "rule/{rule}", rules_columns,
                                               ARRAY_COUNT(rules_columns) };

const struct output_view *plugin_rules_view(void)
{
    return &rules_view;
}

/* Report a time that the command line has overridden, because the time that the plugin declares was
 * not tested. */
static void instead_write(struct command *command, const char *name, uint64_t used_ms,
                          uint64_t declared_ms)
{
    if (used_ms != UINT64_MAX) {
        buf_printf(&command->out, "with %s %llu ms, instead of the declared %llu ms\n", name,
                   (unsigned long long)used_ms, (unsigned long long)declared_ms);
    }
}

void plugin_head_text(struct command *command, const struct conformance_about *about,
                      const struct conformance_options *options)
{
    glyph_write_text(&command->out, about->hello.name);
    buf_add(&command->out, TEXT(" "));
    glyph_write_text(&command->out, about->hello.version);
    buf_printf(&command->out, ", sha256 %.*s, %zu rules, seed %llu\n", DIGEST_SHORT,
               about->digest.data, conformance_rule_count(), (unsigned long long)options->seed);
    instead_write(command, "lag", options->lag_ms, about->hello.lag_ms);
    instead_write(command, "late", options->late_ms, about->hello.late_ms);
    if (options->calls_per_s != UINT64_MAX) {
        buf_printf(&command->out, "with %llu calls/s, instead of the declared %llu; 0: no limit\n",
                   (unsigned long long)options->calls_per_s,
                   (unsigned long long)about->hello.calls_per_s);
    }
}

void plugin_finding_text(struct command *command, const struct conformance_finding *finding)
{
    switch (finding->verdict) {
    case CONFORMANCE_KEPT:
        mark_write(command, STYLE_ADDED, "ok  ");
        break;
    case CONFORMANCE_BROKEN:
        mark_write(command, STYLE_ERROR, "FAIL");
        break;
    case CONFORMANCE_NOT_TRIED:
        mark_write(command, STYLE_FAINT, "-   ");
        break;
    }
    buf_printf(&command->out, "%-*s%-*s%s\n", NAME_COLUMNS, finding->name, FUNCTION_COLUMNS,
               finding->function, finding->rule);
    if (finding->words.length > 0) {
        buf_add(&command->out, TEXT("      "));
        glyph_write_text(&command->out, finding->words);
        buf_add(&command->out, TEXT("\n"));
    }
}

void plugin_result_text(struct command *command, const struct conformance_result *result)
{
    size_t kept = result->count - result->broken - result->not_tried;

    buf_printf(&command->out, "%zu rules passed, %zu failed, %zu not tested; tested with %.*s\n",
               kept, result->broken, result->not_tried, TEXT_ARG(result->properties));
    if (result->remains.length > 0) {
        buf_printf(
            &command->out,
            "machines may be left in these clusters; look for the tag reeve.cluster_id:\n%.*s",
            TEXT_ARG(result->remains));
    }
}

static const char *verdict_name(enum conformance_verdict verdict)
{
    return verdict == CONFORMANCE_KEPT     ? "kept"
           : verdict == CONFORMANCE_BROKEN ? "broken"
                                           : "notTried";
}

static struct doc finding_doc(struct arena *arena, const struct conformance_finding *finding)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "rule", doc_text(text_from(finding->name), NULL));
    doc_builder_put(&builder, "function", doc_text(text_from(finding->function), NULL));
    doc_builder_put(&builder, "promise", doc_text(text_from(finding->rule), NULL));
    doc_builder_put(&builder, "verdict", doc_text(text_from(verdict_name(finding->verdict)), NULL));
    if (finding->words.length > 0) {
        doc_builder_put(&builder, "words", doc_text(finding->words, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static void instead_put(struct doc_builder *builder, struct arena *arena, const char *name,
                        uint64_t used)
{
    if (used != UINT64_MAX) {
        doc_builder_put(builder, name, doc_int(arena, (int64_t)used, NULL));
    }
}

struct doc plugin_result_doc(struct arena *arena, const struct conformance_about *about,
                             const struct conformance_options *options,
                             const struct conformance_result *result)
{
    struct doc *rules = arena_array(arena, struct doc, result->count + 1);
    struct doc_builder builder;

    for (size_t i = 0; i < result->count; i++) {
        rules[i] = finding_doc(arena, &result->findings[i]);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "plugin", doc_text(about->hello.name, NULL));
    doc_builder_put(&builder, "version", doc_text(about->hello.version, NULL));
    doc_builder_put(&builder, "digest", doc_text(about->digest, NULL));
    doc_builder_put(&builder, "seed", doc_int(arena, (int64_t)options->seed, NULL));
    instead_put(&builder, arena, "lagInsteadOfDeclared", options->lag_ms);
    instead_put(&builder, arena, "lateInsteadOfDeclared", options->late_ms);
    instead_put(&builder, arena, "rateInsteadOfDeclared", options->calls_per_s);
    doc_builder_put(&builder, "ok", doc_bool(result->broken == 0, NULL));
    doc_builder_put(&builder, "properties", doc_text(result->properties, NULL));
    doc_builder_put(&builder, "rules", doc_list(rules, result->count, NULL));
    return doc_builder_map(&builder, NULL);
}
