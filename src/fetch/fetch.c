#include "fetch/fetch.h"

#include "fetch/transfer.h"
#include "sys/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { URL_SHOWN_BYTES = 110 }; /* bytes of a URL in a message, so that the reason fits */

/* The processing of one order, from its URL to the file. */
struct walk {
    struct arena *arena;
    const struct fetch_order *order;
    struct fetch_resolver resolver;
    struct transfer *transfer;
    struct clock clock;
    uint64_t due_ms;
    struct text seen[LIMIT_FETCH_REDIRECTS + 1];
    size_t seen_count;
    struct text version;
    struct text url;
};

/* Adds the URL to an error. */
MUST_CHECK static bool at_address(struct text url, struct err *err)
{
    struct err inner = *err;

    return err_set(err, inner.code, "%.*s: %.200s", TEXT_ARG(text_slice(url, 0, URL_SHOWN_BYTES)),
                   inner.text) ||
           (inner.hint[0] != '\0' && err_hint(err, "%s", inner.hint));
}

static bool was_seen(const struct walk *walk, struct text url)
{
    for (size_t i = 0; i < walk->seen_count; i++) {
        if (text_is_equal(walk->seen[i], url)) {
            return true;
        }
    }
    return false;
}

/* Validates a URL. The rules for a redirect are the same as for the first URL. */
MUST_CHECK static bool step_judge(struct walk *walk, struct text url, struct fetch_target *target,
                                  struct err *err)
{
    char reason[LIMIT_ERROR_TEXT_BYTES];

    if (fetch_target_find(walk->order, url, walk->resolver, target, err)) {
        return true;
    }
    if (walk->seen_count > 1 && err->code != CODE_R0642) {
        memcpy(reason, err->text, sizeof(reason));
        err_set(err, CODE_R0648, "the server redirects to an address that is not permitted: %.200s",
                reason);
    }
    return at_address(url, err);
}

static enum transfer_end walk_run(struct walk *walk, struct text url, struct err *err)
{
    enum transfer_end end;

    walk->seen_count = 0;
    walk->version = TEXT("");
    do {
        uint64_t now_ms = clock_monotonic_ms(walk->clock);
        struct text version = fetch_url_version(url);
        struct fetch_target target;

        if (was_seen(walk, url) || walk->seen_count > LIMIT_FETCH_REDIRECTS) {
            err_set(err, CODE_R0648, "the server redirects %s",
                    was_seen(walk, url) ? "in a loop" : "more than five times");
            (void)!at_address(url, err);
            return TRANSFER_FAILED;
        }
        walk->seen[walk->seen_count++] = walk->url = url;
        walk->version = version.length > 0 ? version : walk->version;
        if (!step_judge(walk, url, &target, err)) {
            return TRANSFER_FAILED;
        }
        if (now_ms >= walk->due_ms) {
            err_set(err, CODE_R0645, "the deadline of the fetch has passed");
            (void)!at_address(url, err);
            return TRANSFER_FAILED;
        }
        end = transfer_run(walk->transfer, &target, walk->due_ms - now_ms, err);
        if (end == TRANSFER_ELSEWHERE) {
            url = arena_text(walk->arena, transfer_next(walk->transfer));
        } else if (end != TRANSFER_DONE) {
            (void)!at_address(url, err);
        }
    } while (end == TRANSFER_ELSEWHERE);
    return end;
}

MUST_CHECK static bool fetch_file_take(struct transfer *transfer, struct text url, struct err *err)
{
    char bytes[64 * 1024];

    for (;;) {
        ssize_t got = read(FETCH_FD_FILE, bytes, sizeof(bytes));

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            err_set(err, CODE_R0642, "%s", strerror(errno));
            return at_address(url, err);
        }
        if (got == 0) {
            return transfer_finish(transfer, err) || at_address(url, err);
        }
        if (!transfer_take(transfer, (struct text){ bytes, (size_t)got }, err)) {
            return at_address(url, err);
        }
    }
}

void fetch_run(struct arena *arena, const struct fetch_order *order, struct fetch_resolver resolver,
               const char *authorities, int out, struct fetch_answer *answer)
{
    struct walk walk = { .arena = arena,
                         .order = order,
                         .resolver = resolver,
                         .transfer = transfer_new(order, authorities, out),
                         .clock = clock_system(),
                         .url = order->url };
    enum transfer_end end;

    assert(order->deadline_ms > 0);
    *answer = (struct fetch_answer){ 0 };
    walk.due_ms = clock_monotonic_ms(walk.clock) + order->deadline_ms;
    if (order->has_file) {
        answer->is_good = fetch_file_take(walk.transfer, order->url, &answer->err);
    } else {
        end = walk_run(&walk, order->url, &answer->err);
        if (end == TRANSFER_ABSENT && order->also.length > 0) {
            end = walk_run(&walk, order->also, &answer->err);
        }
        answer->is_good = end == TRANSFER_DONE;
    }
    if (answer->is_good) {
        transfer_digest(walk.transfer, answer);
        answer->url = walk.url;
        answer->version = walk.version;
    }
    transfer_free(walk.transfer);
}
