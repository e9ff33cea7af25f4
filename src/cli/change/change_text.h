#ifndef REEVE_CLI_CHANGE_CHANGE_TEXT_H
#define REEVE_CLI_CHANGE_CHANGE_TEXT_H

#include "cli/change/plan_text.h"

/* What a change would do, and what it did, for people and for programs. */

struct change_text {
    const struct doc *plan; /* plans of all answers, a list */
    const struct doc *answers;
    size_t answer_count;
    struct text words; /* context and tenant */
    struct text id;    /* of the plan; may be empty */
    struct text revision;
    enum plan_detail detail;
};

/* Write the first line, the plan and the values that were kept, in PLAN_TEXT_LINES lines but for
 * PLAN_FULL. */
void change_text_write(struct command *command, const struct change_text *text);

/* The values of an answer that a file sets and that were changed by hand since: applying it keeps
 * them. */
size_t change_text_kept_count(const struct doc *answer);
/* Write at most so many of them, a line each. Returns how many more lines there is room for. */
size_t change_text_kept_write(struct command *command, const struct doc *answer, size_t most);

/* What was done: lines for people, one where nothing of it can be seen in the plan; or the answer
 * in the format of -o. */
enum change_text_seen { CHANGE_TEXT_DONE, CHANGE_TEXT_UNSEEN };
void change_text_done(struct command *command, const struct doc *answer,
                      enum change_text_seen seen);

/* There was nothing to do. */
void change_text_nothing(struct command *command, const struct doc *answer);

/* The answer in the format of -o; nothing for people. */
void change_text_answer(struct command *command, const struct doc *answer);

#endif
