/* Changes the members of an etcd as commands on standard input say, one a line: list, status,
 * add URL, promote ID, remove ID, update ID URL, move ID, expect CLUSTER. Prints one line for each:
 *
 *     ok CLUSTER [added ID] [ID NAME PEER CLIENT voter|learner]...
 *     ok CLUSTER ID LEADER TERM INDEX APPLIED voter|learner VERSION PROBLEM   (status)
 *     refused|unknown PROBLEM CODE TEXT
 */

#include "etcd_env.h"
#include "etcd/etcd_members.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
    bool is_status;
    bool is_done;
};

static const char *shown(struct text text)
{
    static char room[4][512];
    static unsigned next;
    char *out = room[next++ % 4];

    snprintf(out, sizeof(room[0]), "%.*s", TEXT_ARG(text));
    return text.length == 0 ? "-" : out;
}

static void on_answer(void *arg, const struct etcd_members_answer *answer)
{
    struct command *command = arg;

    command->is_done = true;
    if (answer->outcome != OUTCOME_OK) {
        printf("%s %s %s %s\n", answer->outcome == OUTCOME_REFUSED ? "refused" : "unknown",
               etcd_members_problem_name(answer->problem), code_get(answer->err.code)->name,
               answer->err.text);
        return;
    }
    printf("ok %" PRIu64, answer->cluster_id);
    if (command->is_status) {
        const struct etcd_members_status *status = &answer->status;

        printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s %s\n",
               status->id, status->leader, status->term, status->index, status->applied,
               status->is_learner ? "learner" : "voter", shown(status->version),
               etcd_members_problem_name(answer->problem));
        return;
    }
    if (answer->added != 0) {
        printf(" added %" PRIu64, answer->added);
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct etcd_members_row *row = &answer->rows[i];

        printf(" %" PRIu64 " %s %s %s %s", row->id, shown(row->name), shown(row->peer),
               shown(row->client), row->is_learner ? "learner" : "voter");
    }
    printf("\n");
}

static struct etcd_members *members_open(const struct etcd_options *options, uint64_t cluster_id)
{
    struct etcd_members *members;
    struct err err;

    if (!etcd_members_open(options, cluster_id, &members, &err)) {
        printf("not opened: %s\n", err.text);
        exit(1);
    }
    return members;
}

static bool command_start(struct etcd_members *members, struct command *command, const char *line)
{
    char word[16] = "";
    char url[256] = "";
    uint64_t id = 0;

    *command = (struct command){ 0 };
    if (sscanf(line, "%15s", word) != 1) {
        return false;
    }
    (void)sscanf(line, "%*s %" SCNu64 " %255s", &id, url);
    if (strcmp(word, "list") == 0) {
        etcd_members_list(members, on_answer, command);
    } else if (strcmp(word, "status") == 0) {
        command->is_status = true;
        etcd_members_status(members, on_answer, command);
    } else if (strcmp(word, "add") == 0 && sscanf(line, "%*s %255s", url) == 1) {
        etcd_members_add(members, text_from(url), on_answer, command);
    } else if (strcmp(word, "promote") == 0) {
        etcd_members_promote(members, id, on_answer, command);
    } else if (strcmp(word, "remove") == 0) {
        etcd_members_remove(members, id, on_answer, command);
    } else if (strcmp(word, "update") == 0) {
        etcd_members_update(members, id, text_from(url), on_answer, command);
    } else if (strcmp(word, "move") == 0) {
        etcd_members_move_leader(members, id, on_answer, command);
    } else {
        return false;
    }
    return true;
}

MUST_CHECK static bool options_use(const struct etcd_options *options, void *arg, struct err *err)
{
    struct etcd_members *members = members_open(options, 0);
    struct command command;
    char line[512];

    (void)arg;
    (void)err;
    while (fgets(line, sizeof(line), stdin) != NULL) {
        uint64_t cluster_id;

        if (sscanf(line, "expect %" SCNu64, &cluster_id) == 1) {
            etcd_members_close(members);
            members = members_open(options, cluster_id);
            printf("ok\n");
        } else if (!command_start(members, &command, line)) {
            printf("no such command\n");
        } else {
            while (!command.is_done) {
                struct pollfd ready = { etcd_members_descriptor(members), POLLIN, 0 };

                (void)poll(&ready, 1, 100);
                etcd_members_run(members);
            }
        }
        fflush(stdout);
    }
    /* a call in progress ends with the link */
    etcd_members_list(members, on_answer, &command);
    etcd_members_close(members);
    return true;
}

int main(void)
{
    struct err err;

    if (!etcd_env_use("/unused/", options_use, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return 0;
}
