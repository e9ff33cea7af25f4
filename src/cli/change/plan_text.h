#ifndef REEVE_CLI_CHANGE_PLAN_TEXT_H
#define REEVE_CLI_CHANGE_PLAN_TEXT_H

#include <stdbool.h>

#include "cli/args/command.h"
#include "plan/file_plan.h"

/* How much of a plan is written. */
enum plan_detail {
    PLAN_SUMMARY, /* one line for each object */
    PLAN_NORMAL,  /* at most PLAN_TEXT_LINES lines: values and then groups are left out to fit */
    PLAN_FULL,    /* every line of the plan */
};

/* Maximum number of lines of a plan, regardless of its size (UX.md U7). */
enum { PLAN_TEXT_LINES = 40 };

/* Write a plan for users to command->out. */
struct plan_text {
    const struct doc *plan; /* result of file_plan_make, with values unless PLAN_SUMMARY */
    const struct file_plan_summary *summary;
    enum plan_detail detail;
    bool is_compared;
    const char *full_flag; /* flag of the verb that shows everything; NULL: --full */
    /* lines that the caller prints around the plan, as a part of PLAN_TEXT_LINES */
    size_t lines_taken;
};
void plan_text_write(struct command *command, const struct plan_text *text);

/* Format the names of a group's members in a plan or an effective view, with planned members
 * marked: "web-[2-3], planned web-0". */
struct text plan_text_members(struct arena *arena, const struct doc *group);

#endif
