#include "cli/args/command.h"
#include "codec/doc.h"
#include "codec/json.h"

#ifdef __OPTIMIZE__
#define BUILD_KIND "optimized"
#else
#define BUILD_KIND "unoptimized"
#endif

#ifdef __clang__
#define BUILD_COMPILER "clang " __clang_version__
#else
#define BUILD_COMPILER "gcc " __VERSION__
#endif

enum exit_code verb_version(struct command *command)
{
    if (command_output_is(command, "json")) {
        struct doc_builder builder;
        struct doc all;

        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "version", doc_text(TEXT(REEVE_VERSION), NULL));
        doc_builder_put(&builder, "compiler", doc_text(TEXT(BUILD_COMPILER), NULL));
        doc_builder_put(&builder, "build", doc_text(TEXT(BUILD_KIND), NULL));
        all = doc_builder_map(&builder, NULL);
        json_format_pretty(&command->out, &all);
        return EXIT_CODE_DONE;
    }
    buf_add_string(&command->out, "reeve " REEVE_VERSION "\n");
    if (command_is_verbose(command)) {
        buf_add_string(&command->out, "built with " BUILD_COMPILER ", " BUILD_KIND "\n");
    }
    return EXIT_CODE_DONE;
}
