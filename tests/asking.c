#include "asking.h"

#include "base/limits.h"
/* tests make intents without the commits that make them in production */
#include "reconcile/control_parts.h"

#include <time.h>

enum { TURNS_MAX = 4000, WAIT_S = 40 };

static struct text kept(struct reply *reply, struct text text)
{
    return arena_text(reply->asking->arena, text);
}

struct reply *asking_reply(struct asking *asking)
{
    struct reply *reply = arena_one(asking->arena, struct reply);

    reply->asking = asking;
    return reply;
}

static void reply_keep(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct reply *reply = arg;
    struct provider_row *rows =
        arena_array(reply->asking->arena, struct provider_row, answer->count);

    assert_true(reply->call_has_returned);
    assert_false(reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->answer = *answer;
    reply->answer.message = kept(reply, answer->message);
    reply->answer.id = kept(reply, answer->id);
    reply->answer.mark = kept(reply, answer->mark);
    for (size_t i = 0; i < answer->count; i++) {
        const struct provider_row *row = &answer->rows[i];

        rows[i] = *row;
        rows[i].id = kept(reply, row->id);
        rows[i].zone = kept(reply, row->zone);
        rows[i].tags = (struct provider_tags){
            kept(reply, row->tags.cluster), kept(reply, row->tags.life),
            kept(reply, row->tags.group),   row->tags.slot,
            kept(reply, row->tags.token),   kept(reply, row->tags.mac),
        };
    }
    reply->answer.rows = rows;
    if (reply->then != NULL) {
        provider_list(reply->asking->provider, text_from(reply->cluster_then), TEXT(""), reply_keep,
                      reply->then);
        reply->then->call_has_returned = true;
    }
}

/* An iteration is short if many messages arrive, as from a plugin that floods its output, and long
 * otherwise. */
struct reply *asking_wait(struct asking *asking, struct reply *reply)
{
    time_t late = time(NULL) + WAIT_S;

    for (int turn = 0; !reply->has_come && (turn < TURNS_MAX || time(NULL) < late); turn++) {
        asking->turn(asking);
    }
    assert_true(reply->has_come);
    return reply;
}

/* Arguments of a call. They are freed when the call returns, to find code that keeps a pointer to
 * them. */
struct handed {
    struct arena *arena;
    struct intent intent;
};

static struct handed handed_new(const char *cluster, struct text token, struct text id)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    return (struct handed){ arena,
                            { .state = id.length == 0 ? PLAN_RECORD_CREATE : PLAN_RECORD_DELETE,
                              .token = arena_text(arena, token),
                              .id = arena_text(arena, id),
                              .cluster = arena_text(arena, text_from(cluster)),
                              .reason = arena_text(arena, TEXT("scale_in")),
                              .epoch = 1,
                              .age_ms = UINT64_MAX } };
}

static struct reply *returned(struct handed *handed, struct reply *reply)
{
    arena_free(handed->arena);
    reply->call_has_returned = true;
    return reply;
}

struct provider_tags asking_tags(struct arena *arena, const char *cluster, unsigned number)
{
    return (struct provider_tags){
        .cluster = arena_text(arena, text_from(cluster)),
        .life = arena_text(arena, TEXT("6f1c55d0-0000-4000-8000-000000000001")),
        .group = arena_text(arena, TEXT("web/front")),
        .slot = number,
        .token = arena_printf(arena, "%08u-token-of-a-machine", number),
        .mac = arena_printf(arena, "%032u", number),
    };
}

struct reply *asking_create(struct asking *asking, const char *cluster, unsigned number)
{
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct provider_tags tags = asking_tags(scratch, cluster, number);
    struct handed handed = handed_new(cluster, tags.token, TEXT(""));
    struct provider_request request = {
        .tags = tags,
        .name = arena_printf(scratch, "web-%u", number),
        .zone = arena_text(scratch, TEXT("a")),
        .properties = arena_text(scratch, TEXT("{}")),
        .labels = arena_text(scratch, TEXT("{\"labels\":{}}")),
        .more = arena_text(scratch, TEXT("{}")),
    };
    struct reply *reply = asking_reply(asking);

    provider_create(asking->provider, &handed.intent, &request, reply_keep, reply);
    arena_free(scratch);
    return returned(&handed, reply);
}

struct text asking_created(struct asking *asking, const char *cluster, unsigned number)
{
    struct reply *reply = asking_wait(asking, asking_create(asking, cluster, number));

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_true(reply->answer.id.length > 0);
    return reply->answer.id;
}

void asking_destroyed(struct asking *asking, const char *cluster, struct text id)
{
    struct handed handed = handed_new(cluster, TEXT("a-token-of-no-importance"), id);
    struct reply *reply = asking_reply(asking);

    provider_destroy(asking->provider, &handed.intent, reply_keep, reply);
    asking_wait(asking, returned(&handed, reply));
    assert_int_equal(reply->outcome, OUTCOME_OK);
}

struct reply *asking_list(struct asking *asking, const char *cluster, struct text known)
{
    struct handed handed = handed_new(cluster, known, TEXT(""));
    struct reply *reply = asking_reply(asking);

    provider_list(asking->provider, handed.intent.cluster, handed.intent.token, reply_keep, reply);
    return returned(&handed, reply);
}

struct reply *asking_listed(struct asking *asking, const char *cluster)
{
    struct reply *reply = asking_wait(asking, asking_list(asking, cluster, TEXT("")));

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_true(reply->answer.is_complete);
    assert_false(reply->answer.is_same);
    return reply;
}

struct reply *asking_find(struct asking *asking, const char *cluster, struct text id)
{
    struct handed handed = handed_new(cluster, TEXT(""), id);
    struct reply *reply = asking_reply(asking);

    provider_find(asking->provider, &handed.intent, reply_keep, reply);
    return returned(&handed, reply);
}

const struct provider_row *asking_found(struct asking *asking, const char *cluster, struct text id)
{
    struct reply *reply = asking_wait(asking, asking_find(asking, cluster, id));

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_true(reply->answer.count <= 1);
    if (reply->answer.count == 0) {
        return NULL;
    }
    assert_true(text_is_equal(reply->answer.rows[0].id, id));
    return &reply->answer.rows[0];
}

const struct provider_row *asking_row(const struct reply *reply, struct text id)
{
    const struct provider_row *found = NULL;

    for (size_t i = 0; i < reply->answer.count; i++) {
        if (text_is_equal(reply->answer.rows[i].id, id)) {
            assert_null(found);
            found = &reply->answer.rows[i];
        }
    }
    return found;
}

struct reply *asking_change(struct asking *asking, const char *cluster, struct text id,
                            const char *labels)
{
    struct handed handed = handed_new(cluster, TEXT("a-token-of-no-importance"), id);
    struct reply *reply = asking_reply(asking);

    handed.intent.state = PLAN_RECORD_ACTIVE;
    if (labels == NULL) {
        provider_reboot(asking->provider, &handed.intent, reply_keep, reply);
    } else {
        provider_label(asking->provider, &handed.intent, text_from(labels), reply_keep, reply);
    }
    return asking_wait(asking, returned(&handed, reply));
}
