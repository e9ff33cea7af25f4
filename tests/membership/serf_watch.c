/* Prints the reports of a serf agent, one JSON object per line: serf_watch ADDRESS PORT [KEY]. It
 * exits when its standard input ends. */
#include "membership/serf.h"

#include "sys/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const CHANGES[MEMBERSHIP_CHANGE_COUNT] = {
    [MEMBERSHIP_SNAPSHOT] = "snapshot",       [MEMBERSHIP_JOIN] = "join",
    [MEMBERSHIP_FAILED] = "failed",           [MEMBERSHIP_LEFT] = "left",
    [MEMBERSHIP_REAPED] = "reaped",           [MEMBERSHIP_UPDATED] = "updated",
    [MEMBERSHIP_UNAVAILABLE] = "unavailable", [MEMBERSHIP_AVAILABLE] = "available",
};
static const char *const STATUSES[] = {
    [MEMBERSHIP_ALIVE] = "alive",
    [MEMBERSHIP_GONE_LEFT] = "left",
    [MEMBERSHIP_GONE_FAILED] = "failed",
    [MEMBERSHIP_STATUS_UNKNOWN] = "unknown",
};

/* Prints a text without escapes. The program refuses texts that need escapes; the tests use
 * none. */
static void text_print(const char *name, struct text text)
{
    if (text_count_unescaped(text) != text.length) {
        abort();
    }
    printf("\"%s\": \"%.*s\"", name, TEXT_ARG(text));
}

static void on_report(void *arg, const struct membership_report *report)
{
    (void)arg;
    printf("{\"change\": \"%s\", ", CHANGES[report->change]);
    text_print("own", report->own);
    printf(", ");
    text_print("why", report->why);
    printf(", \"members\": [");
    for (size_t i = 0; i < report->count; i++) {
        const struct membership_member *member = &report->members[i];

        printf("%s{", i > 0 ? ", " : "");
        text_print("name", member->name);
        printf(", ");
        text_print("address", member->address);
        printf(", \"status\": \"%s\", \"tags\": {", STATUSES[member->status]);
        for (size_t tag = 0; tag < member->tags.count; tag++) {
            const struct wire_pair *pair = wire_item(member->tags, struct wire_pair, tag);
            char name[64];

            snprintf(name, sizeof(name), "%.*s", TEXT_ARG(pair->name));
            printf("%s", tag > 0 ? ", " : "");
            text_print(name, pair->value);
        }
        printf("}}");
    }
    printf("]}\n");
    fflush(stdout);
}

static void on_input(void *arg, unsigned events)
{
    char byte;

    (void)events;
    if (read(STDIN_FILENO, &byte, 1) <= 0) {
        loop_stop(arg);
    }
}

int main(int argc, char **argv)
{
    AUTO_loop loop = NULL;
    struct loop_descriptor *input;
    struct serf *serf;
    struct err err;

    stream_prepare();
    if (argc < 3 || !loop_open(&loop, &err) ||
        !loop_descriptor_open(loop, STDIN_FILENO, on_input, loop, &input, &err) ||
        !serf_start(&(struct serf_options){ .loop = loop,
                                            .address = text_from(argv[1]),
                                            .port = (uint16_t)atoi(argv[2]),
                                            .key = text_from(argc > 3 ? argv[3] : ""),
                                            .reported = on_report },
                    &serf, &err)) {
        fprintf(stderr, "usage: serf_watch ADDRESS PORT [KEY]\n");
        return 2;
    }
    loop_descriptor_want(input, LOOP_READABLE);
    loop_run(loop);
    serf_stop(serf);
    loop_descriptor_close(input);
    return 0;
}
