#ifndef REEVE_CLI_CHANGE_CHANGE_TEXT_H
#define REEVE_CLI_CHANGE_CHANGE_TEXT_H

#include "cli/change/plan_text.h"

/* Writes the planned and the actual effect of a change, for users and for programs. */

struct change_text {
    const struct doc *plan; /* plans of all answers, a list */
    const struct doc *answers;
    size_t answer_count;
    struct text words; /* context and tenant */
    struct text id;    /* id of the plan; may be empty */
    struct text revision;
    enum plan_detail detail;
};

/* Write the first line, the plan and the values that were kept, in at most PLAN_TEXT_LINES lines
 * unless PLAN_FULL. */
void change_text_write(struct command *command, const struct change_text *text);

/* Return the number of kept values in an answer: values that a file sets, that were changed by hand
 * later, and that applying the file does not change. */
size_t change_text_kept_count(const struct doc *answer);
/* Write at most `most` kept values, one per line. Returns the number of unused lines. */
size_t change_text_kept_write(struct command *command, const struct doc *answer, size_t most);

/* Write the effect of the change: as text for users, or as the answer in the format of -o. With
 * CHANGE_TEXT_UNSEEN the text is one line, because the plan has nothing to show for the change. */
enum change_text_seen { CHANGE_TEXT_DONE, CHANGE_TEXT_UNSEEN };
void change_text_done(struct command *command, const struct doc *answer,
                      enum change_text_seen seen);

/* Return the number of volumes that the change of an answer deletes with their data. */
int64_t change_text_lost_count(const struct doc *answer);

/* Report that nothing had to change. */
void change_text_nothing(struct command *command, const struct doc *answer);

/* Write the answer in the format of -o; nothing for users. */
void change_text_answer(struct command *command, const struct doc *answer);

#endif
