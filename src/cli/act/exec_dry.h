#ifndef REEVE_CLI_ACT_EXEC_DRY_H
#define REEVE_CLI_ACT_EXEC_DRY_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* names: exec_ */

/* reeve exec --dry-run: who, in which batches. Batches are counted through, for clusters follow each other. */
struct exec_dry {
    struct command *command;
    struct arena *arena;
    struct doc *batches;
    size_t count;
    size_t room;
    bool has_clusters; /* of several: names are shown in full */
};

/* What is added is kept in the arena. */
void exec_dry_init(struct exec_dry *dry, struct command *command, struct arena *arena,
                   bool has_clusters);

/* A row `batch` of the answer. */
void exec_dry_add(struct exec_dry *dry, const struct doc *batch);

/* Write all of them into command->out, in the format of -o; for people a last line says that nothing was run. */
enum exit_code exec_dry_write(struct exec_dry *dry);

#endif
