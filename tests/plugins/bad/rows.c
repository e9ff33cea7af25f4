/* Wrong answers, and invalid texts. */
#include "bad.h"

enum { MANY_ROWS = 4000000 };

static struct reeve_row_v1 row_of(const char *id)
{
    return (struct reeve_row_v1){ .struct_size = sizeof(struct reeve_row_v1),
                                  .id = text_of(id),
                                  .state = REEVE_RUNNING };
}

/* Reports a machine with forged tags. */
static void stamped_report(struct plugin *self, struct reeve_call *call, struct reeve_text cluster,
                           const char *id)
{
    const struct reeve_tag tags[] = {
        { REEVE_TEXT("reeve.cluster_id"), cluster },
        { REEVE_TEXT("reeve.incarnation"), REEVE_TEXT("6f1c55d0-0000-4000-8000-000000000001") },
        { REEVE_TEXT("reeve.group"), REEVE_TEXT("web") },
        { REEVE_TEXT("reeve.logical_id"), REEVE_TEXT("0") },
        { REEVE_TEXT("reeve.token"), REEVE_TEXT("00000099-token-of-a-machine") },
        { REEVE_TEXT("reeve.mac"), REEVE_TEXT("00000000000000000000000000000000") },
    };
    struct reeve_row_v1 row = row_of(id);

    row.tags = tags;
    row.tag_count = sizeof(tags) / sizeof(tags[0]);
    self->host->row(call, &row);
}

/* Rows that break the rules of the interface. */
static void odd_row_report(struct plugin *self, struct reeve_call *call)
{
    struct reeve_row_v1 row = row_of("file-odd");
    static char long_id[300];

    memset(long_id, 'x', sizeof(long_id) - 1);
    if (is_bad("bad-utf8")) {
        row.zone = text_of("\xff\xfe");
    } else if (is_bad("nul-text")) {
        row.zone = (struct reeve_text){ "a\0b", 3 };
    } else if (is_bad("no-bytes")) {
        row.zone = (struct reeve_text){ NULL, 5 };
    } else if (is_bad("endless-text")) {
        row.zone = (struct reeve_text){ "a", UINT64_MAX };
    } else if (is_bad("empty-id")) {
        row.id = text_of("");
    } else if (is_bad("long-id")) {
        row.id = text_of(long_id);
    } else if (is_bad("odd-state")) {
        row.state = 77;
    } else if (is_bad("many-tags")) {
        row.tag_count = UINT32_MAX;
    } else if (is_bad("small-struct")) {
        row.struct_size = 4;
    } else {
        return;
    }
    self->host->row(call, &row);
}

static void gigabyte_report(struct plugin *self, struct reeve_call *call)
{
    static char zone[1024];
    char id[32];

    memset(zone, 'z', sizeof(zone));
    for (int i = 0; i < MANY_ROWS; i++) {
        struct reeve_row_v1 row;

        snprintf(id, sizeof(id), "file-%d", i);
        row = row_of(id);
        row.zone = (struct reeve_text){ zone, sizeof(zone) };
        self->host->row(call, &row);
    }
}

static void wide_row_report(struct plugin *self, struct reeve_call *call)
{
    enum { TAGS = 60, BYTES = 200 * 1024 };
    static char value[BYTES];
    struct reeve_tag tags[TAGS];
    struct reeve_row_v1 row = row_of("file-wide");

    memset(value, 'v', sizeof(value));
    for (int i = 0; i < TAGS; i++) {
        tags[i] = (struct reeve_tag){ REEVE_TEXT("t"), { value, sizeof(value) } };
    }
    row.tags = tags;
    row.tag_count = TAGS;
    self->host->row(call, &row);
}

static void drip(struct plugin *self, struct reeve_call *call)
{
    for (;;) {
        struct reeve_row_v1 row = row_of("file-drip");

        self->host->row(call, &row);
        sleep(1);
    }
}

static int32_t describe(void *arg, struct reeve_call *call, const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;

    odd_row_report(self, call);
    if (is_bad("empty-list")) {
        return REEVE_OK;
    }
    if (is_bad("duplicates")) {
        file_describe(self, call, query);
    } else if (is_bad("foreign")) {
        stamped_report(self, call, REEVE_TEXT("t/another"), "file-foreign");
    } else if (is_bad("forged")) {
        stamped_report(self, call, query->cluster, "file-forged");
    } else if (is_bad("gigabyte")) {
        gigabyte_report(self, call);
    } else if (is_bad("wide-row")) {
        wide_row_report(self, call);
    } else if (is_bad("drip")) {
        drip(self, call);
    } else if (is_bad("unchanged")) {
        self->host->unchanged(call);
    } else if (is_bad("odd-result")) {
        return 4711;
    } else if (is_bad("not-looked") && query->id_count > 0) {
        self->host->incomplete(call);
        return REEVE_OK;
    } else if (is_bad("long-faults")) {
        static char words[200 * 1024];

        memset(words, 'w', sizeof(words));
        for (int i = 0; i < 100; i++) {
            self->host->fault(call, REEVE_TEXT(""), (struct reeve_text){ words, sizeof(words) });
        }
        return REEVE_TRANSIENT;
    }
    return file_describe(self, call, query);
}

static int32_t create(void *arg, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct plugin *self = arg;

    if (is_bad("unnamed")) {
        return REEVE_OK;
    }
    if (is_bad("odd-create")) {
        return -1;
    }
    if (is_bad("long-wait")) {
        self->host->retry_after(call, UINT64_MAX);
        return REEVE_THROTTLED;
    }
    return file_create(arg, call, request);
}

#define BAD_CREATE   create
#define BAD_DESCRIBE describe
#include "bad_table.h"
