/* Faulty plugins (F5, F6, I21): each fault fails only its own call, is reported with the name of
 * the plugin, creates no duplicate, and delays no other plugin.
 *
 *     test_bad HOST PLUGINS [NAMES [BUT-NOT-NAMES]]
 *
 * A correct plugin runs at the same time and is called repeatedly until the faulty plugin's call
 * has ended. */
#include "unit.h"

#include "asking.h"
#include "base/limits.h"
#include "plugin_env.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { TURN_MS = 10, TRIES_MAX = 200, BEATS_IN_A_HANG = 3 };

#define CLUSTER "t/shop"

enum bad_call { CREATE, LIST, FIND, NONE };

enum bad_after {
    STAYS_BAD, /* the plugin is not called again */
    GOES_ON,   /* the same process answers the next call */
    COMES_BACK /* another process answers the next call */
};

struct bad_case {
    const char *name;
    enum bad_call call;
    enum outcome outcome;
    const char *says;   /* text in the message of the answer; NULL: not checked */
    const char *logged; /* text in the log line with the plugin's name; NULL: nothing is logged */
    enum bad_after after;
    bool is_hang; /* the call lasts until its deadline */
};

#define REFUSES(name, call, says, after)                      \
    {                                                         \
        name, call, OUTCOME_REFUSED, says, NULL, after, false \
    }
#define BREAKS(name, call, says)                                \
    {                                                           \
        name, call, OUTCOME_REFUSED, says, says, GOES_ON, false \
    }
#define ENDS(name, call, outcome, says, after)           \
    {                                                    \
        name, call, outcome, says, "ended", after, false \
    }
#define HANGS(name, call, outcome)                                 \
    {                                                              \
        name, call, outcome, "in time", "in time", STAYS_BAD, true \
    }

static const struct bad_case bad_cases[] = {
    /* processes that end */
    ENDS("segv", CREATE, OUTCOME_UNKNOWN, "the process", COMES_BACK),
    ENDS("abort", CREATE, OUTCOME_UNKNOWN, "the process", COMES_BACK),
    ENDS("exit", CREATE, OUTCOME_UNKNOWN, "the process ended with code", COMES_BACK),
    ENDS("end-describe", LIST, OUTCOME_REFUSED, "the process", STAYS_BAD),
    ENDS("end-start", LIST, OUTCOME_REFUSED, "the process ended with code 3", STAYS_BAD),
    ENDS("fail-start", LIST, OUTCOME_REFUSED, "the start of the plugin failed", STAYS_BAD),
    { "end-load", NONE, OUTCOME_REFUSED, "the process", "refused", STAYS_BAD, false },
    { "hang-load", NONE, OUTCOME_REFUSED, "its description in time", "refused", STAYS_BAD, false },
    /* calls that do not */
    HANGS("hang-create", CREATE, OUTCOME_UNKNOWN),
    HANGS("hang-describe", LIST, OUTCOME_REFUSED),
    HANGS("hang-start", LIST, OUTCOME_REFUSED),
    HANGS("drip", LIST, OUTCOME_REFUSED),
    /* frames */
    ENDS("garbage", CREATE, OUTCOME_UNKNOWN, "frame", COMES_BACK),
    ENDS("cut-short", CREATE, OUTCOME_UNKNOWN, "the process ended with code 0", COMES_BACK),
    ENDS("closes", CREATE, OUTCOME_UNKNOWN, "the process ended with code 6", COMES_BACK),
    ENDS("wrong-id", CREATE, OUTCOME_UNKNOWN, "or answers a call twice", COMES_BACK),
    { "twice", CREATE, OUTCOME_OK, NULL, "answers a call twice", COMES_BACK, false },
    { "nameless", CREATE, OUTCOME_UNKNOWN, "did not report its id", "answers a call twice",
      COMES_BACK, false },
    ENDS("manager-words", CREATE, OUTCOME_UNKNOWN, "only a manager", COMES_BACK),
    ENDS("unasked-rows", CREATE, OUTCOME_UNKNOWN, "were not requested", COMES_BACK),
    ENDS("raw-row", LIST, OUTCOME_REFUSED, "missing or invalid id", STAYS_BAD),
    { "other-name", NONE, OUTCOME_REFUSED, "description of the plugin is invalid", "refused",
      STAYS_BAD, false },
    /* rows and answers */
    BREAKS("bad-utf8", LIST, "a text is not UTF-8"),
    BREAKS("nul-text", LIST, "a text is not UTF-8"),
    BREAKS("no-bytes", LIST, "a length and no bytes"),
    BREAKS("endless-text", LIST, "longer than"),
    BREAKS("empty-id", LIST, "a row has no id"),
    BREAKS("long-id", LIST, "a row has no id"),
    BREAKS("odd-state", LIST, "a row has no id, no state"),
    BREAKS("many-tags", LIST, "too many tags"),
    BREAKS("small-struct", LIST, "the wrong size"),
    BREAKS("wide-row", LIST, "longer than a megabyte"),
    BREAKS("unchanged", LIST, "the call contained no earlier listing"),
    BREAKS("odd-result", LIST, "a result that does not exist"),
    BREAKS("not-looked", FIND, "an incomplete listing"),
    REFUSES("long-faults", LIST, "www", GOES_ON),
    REFUSES("long-wait", CREATE, NULL, GOES_ON),
    { "unnamed", CREATE, OUTCOME_UNKNOWN, "returned REEVE_OK but no machine", "breaks a rule",
      GOES_ON, false },
    { "odd-create", CREATE, OUTCOME_UNKNOWN, "a result that does not exist", "breaks a rule",
      GOES_ON, false },
    /* either the deadline or the limit of a listing ends it, which depends on the load of the
     * computer */
    { "gigabyte", LIST, OUTCOME_REFUSED, NULL, "reason=", STAYS_BAD, false },
    /* the engine detects these faults */
    { "empty-list", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "duplicates", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "foreign", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "forged", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    /* calls that use too many resources */
    { "memory", LIST, OUTCOME_REFUSED, "the process", "more memory than 256 MiB", STAYS_BAD,
      false }, /* the last output of the process */
    REFUSES("descriptors", LIST, "Too many open files", GOES_ON),
    { "zombies", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "forks", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "stderr", LIST, OUTCOME_OK, NULL, "nnn", GOES_ON, false },
    { "stdout", LIST, OUTCOME_OK, NULL, NULL, GOES_ON, false },
    { "log", LIST, OUTCOME_OK, NULL, "nnn", GOES_ON, false },
};

static const char *host_path;
static const char *plugins_path;

/* ---- a good one and a bad one ---- */

struct pair {
    struct asking asking; /* must be first; calls of the faulty plugin */
    struct asking good;
    struct plugin_env *env;
    char folder[64]; /* folder with links to the two plugins */
};

static void pair_turn(struct asking *asking)
{
    plugin_env_turn(((struct pair *)asking)->env, TURN_MS);
}

static struct pair *pair_of_good;

static void good_turn(struct asking *asking)
{
    (void)asking;
    plugin_env_turn(pair_of_good->env, TURN_MS);
}

static void link_make(const struct pair *pair, const char *name)
{
    char from[4096];
    char to[4096];

    snprintf(from, sizeof(from), "%s/%s.so", plugins_path, name);
    snprintf(to, sizeof(to), "%s/%s.so", pair->folder, name);
    assert_int_equal(symlink(from, to), 0);
}

static void link_drop(const struct pair *pair, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s.so", pair->folder, name);
    unlink(path);
}

/* Returns time limits that are long enough for a correct call on a busy computer, and short enough
 * to wait for a faulty call. */
static struct hosted_patience short_patience(void)
{
    return (struct hosted_patience){ .times = 1,
                                     .judge_ms = 3000,
                                     .read_ms = 3000,
                                     .change_ms = 3000,
                                     .create_ms = 3000,
                                     .stuck_ms = 500,
                                     .start_ms = 3000,
                                     .end_ms = 300,
                                     .pause_ms = 20,
                                     .pause_max_ms = 200 };
}

static struct pair *pair_open_with(const char *bad, struct hosted_patience patience)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair *pair = arena_one(arena, struct pair);

    pair_of_good = pair;
    snprintf(pair->folder, sizeof(pair->folder), "/tmp/bad-plugins-XXXXXX");
    assert_non_null(mkdtemp(pair->folder));
    link_make(pair, "good");
    link_make(pair, bad);
    pair->env = plugin_env_open(host_path, pair->folder, patience);
    pair->good = (struct asking){ arena, plugin_env_find(pair->env, "t", "good"), good_turn };
    pair->asking = (struct asking){ arena, NULL, pair_turn };
    return pair;
}

static struct pair *pair_open(const char *bad)
{
    return pair_open_with(bad, short_patience());
}

/* Returns whether a process of this group runs. Zombies do not count. */
static bool is_running(int group)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    bool is_found = false;

    assert_non_null(processes);
    while ((entry = readdir(processes)) != NULL) {
        char path[300];
        char state = 'Z';
        int own = 0;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file != NULL) {
            is_found |= fscanf(file, "%*d %*[^)]) %c %*d %d", &state, &own) == 2 && own == group &&
                        state != 'Z' && state != 'X';
            fclose(file);
        }
    }
    closedir(processes);
    return is_found;
}

static size_t descriptors_open(void)
{
    DIR *listing = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(listing);
    while (readdir(listing) != NULL) {
        count++;
    }
    closedir(listing);
    return count;
}

/* Closes both plugins, and checks that no process of the group, no child and no descriptor
 * remains. */
static void pair_close(struct pair *pair, const char *bad)
{
    int pid = pair->asking.provider == NULL ? 0 : hosted_state(pair->asking.provider).pid;

    plugin_env_close(pair->env);
    for (int turn = 0; pid != 0 && is_running(pid); turn++) {
        assert_true(turn < TRIES_MAX);
        usleep(TURN_MS * 1000);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    link_drop(pair, "good");
    link_drop(pair, bad);
    rmdir(pair->folder);
    arena_free(pair->good.arena);
}

/* ---- assertions ---- */

static bool text_holds(struct text text, const char *part)
{
    return memmem(text.data, text.length, part, strlen(part)) != NULL;
}

static void assert_holds(struct text text, const char *part)
{
    if (!text_holds(text, part)) {
        fail_msg("'%s' is not in: %.*s", part, TEXT_ARG(text_slice(text, 0, 3000)));
    }
}

/* Checks that a line of the log has all of these texts. */
static void assert_logged(struct pair *pair, const char *name, const char *words)
{
    struct text rest = plugin_env_log(pair->env);
    char plugin[128];

    snprintf(plugin, sizeof(plugin), "plugin=%s", name);
    while (rest.length > 0) {
        struct text line = text_slice(rest, 0, text_find_byte(rest, '\n'));

        if (text_holds(line, plugin) && text_holds(line, words)) {
            return;
        }
        rest = text_slice(rest, line.length + 1, rest.length);
    }
    fail_msg("no line of the log has %s and '%s': %.*s", plugin, words,
             TEXT_ARG(plugin_env_log(pair->env)));
}

/* Returns the number of machines that really exist, regardless of the answers. */
static size_t machines_made(const struct pair *pair, const char *plugin)
{
    char path[300];
    size_t count = 0;
    const struct dirent *entry;
    DIR *listing;

    snprintf(path, sizeof(path), "%s/t/%s/t:shop", pair->env->folder, plugin);
    listing = opendir(path);
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        count += entry->d_name[0] == 'f';
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return count;
}

/* ---- a case ---- */

static struct reply *bad_call(struct pair *pair, enum bad_call call)
{
    return call == CREATE ? asking_create(&pair->asking, CLUSTER, 1)
           : call == FIND ? asking_find(&pair->asking, CLUSTER, TEXT("file-nobody"))
                          : asking_list(&pair->asking, CLUSTER, TEXT(""));
}

/* Calls the correct plugin until the faulty plugin's call has ended. Returns the number of
 * calls. */
static size_t beats_until(struct pair *pair, const struct reply *bad)
{
    size_t beats = 0;

    for (; !bad->has_come || beats == 0; beats++) {
        assert_int_equal(asking_listed(&pair->good, CLUSTER)->answer.count, 1);
    }
    return beats;
}

/* Checks that a repeated create returns the existing machine, from the same process or from the
 * next. */
static void after_check(struct pair *pair, const struct bad_case *bad)
{
    uint64_t starts = hosted_state(pair->asking.provider).starts;
    struct reply *reply = NULL;

    if (bad->after == STAYS_BAD) {
        return;
    }
    if (bad->after == GOES_ON) {
        reply = asking_wait(&pair->asking, bad_call(pair, bad->call));
        assert_int_equal(reply->outcome, bad->outcome);
        assert_int_equal(hosted_state(pair->asking.provider).starts, starts);
        return;
    }
    for (int tries = 0; reply == NULL || reply->outcome != OUTCOME_OK; tries++) {
        assert_true(tries < TRIES_MAX);
        plugin_env_turn(pair->env, TURN_MS);
        reply = asking_wait(&pair->asking, asking_create(&pair->asking, CLUSTER, 1));
    }
    assert_int_equal(asking_listed(&pair->asking, CLUSTER)->answer.count, 1);
    assert_true(hosted_state(pair->asking.provider).starts > 1);
}

static void load_check(struct pair *pair, const struct bad_case *bad)
{
    const char *problem = "";

    assert_null(plugins_find(pair->env->plugins, TEXT("t"), text_from(bad->name), &problem));
    assert_holds(text_from(problem), bad->says);
    asking_listed(&pair->good, CLUSTER);
}

static void call_check(struct pair *pair, const struct bad_case *bad)
{
    struct reply *reply;
    size_t beats;

    pair->asking.provider = plugin_env_find(pair->env, "t", bad->name);
    reply = bad_call(pair, bad->call);
    beats = beats_until(pair, reply);
    assert_true(!bad->is_hang || beats >= BEATS_IN_A_HANG);
    assert_int_equal(reply->outcome, bad->outcome);
    if (bad->outcome != OUTCOME_OK && bad->says != NULL) {
        assert_holds(reply->answer.message, bad->says);
    }
    assert_true(reply->answer.message.length <= LIMIT_ERROR_TEXT_BYTES + LIMIT_HOST_FAULT_BYTES);
    assert_true(reply->answer.retry_ms <= LIMIT_HOST_RETRY_MAX_MS);
    after_check(pair, bad);
    assert_true(machines_made(pair, bad->name) <= 1);
}

static void test_bad(void **state)
{
    const struct bad_case *bad = *state;
    size_t descriptors = descriptors_open();
    struct pair *pair = pair_open(bad->name);

    asking_created(&pair->good, CLUSTER, 1);
    if (bad->call == NONE) {
        load_check(pair, bad);
    } else {
        call_check(pair, bad);
    }
    if (bad->logged != NULL) {
        assert_logged(pair, bad->name, bad->logged);
    }
    assert_int_equal(machines_made(pair, "good"), 1);
    pair_close(pair, bad->name);
    assert_int_equal(descriptors_open(), descriptors);
}

/* ---- more than one call ---- */

/* The message that users see from the first late answer until the plugin answers again. */
#define LATE "plugin hang-create: the plugin has not answered in time"

/* A hanging call is abandoned, and its process is killed later. The next process executes calls
 * again. */
static void test_a_process_that_hangs_is_killed_and_comes_back(void **state)
{
    struct hosted_patience patience = short_patience();
    struct reply *reply;
    struct pair *pair;
    int first;

    (void)state;
    patience.stuck_ms = patience.read_ms; /* time in which a correct call is answered */
    pair = pair_open_with("hang-create", patience);
    pair->asking.provider = plugin_env_find(pair->env, "t", "hang-create");
    reply = asking_wait(&pair->asking, asking_create(&pair->asking, CLUSTER, 1));
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    assert_string_equal(arena_string(pair->env->arena, reply->answer.message), LATE);
    asking_listed(&pair->asking, CLUSTER); /* the other threads of the process continue */
    first = hosted_state(pair->asking.provider).pid;
    for (int turn = 0; hosted_state(pair->asking.provider).pid == first; turn++) {
        assert_true(turn < 10 * TRIES_MAX);
        plugin_env_turn(pair->env, TURN_MS);
    }
    assert_logged(pair, "hang-create", "was killed");
    for (int tries = 0;
         (reply = asking_wait(&pair->asking, asking_list(&pair->asking, CLUSTER, TEXT(""))))
             ->outcome != OUTCOME_OK;
         tries++) {
        assert_true(tries < TRIES_MAX);
        assert_string_equal(arena_string(pair->env->arena, reply->answer.message), LATE);
        plugin_env_turn(pair->env, TURN_MS);
    }
    assert_int_equal(reply->answer.count, 1);
    for (int turn = 0; is_running(first); turn++) { /* the process may take a moment to end */
        assert_true(turn < TRIES_MAX);
        plugin_env_turn(pair->env, TURN_MS);
    }
    pair_close(pair, "hang-create");
}

/* A process that always ends is not restarted for each call: the pauses grow. */
static void test_the_pauses_between_starts_grow(void **state)
{
    struct pair *pair = pair_open("end-start");
    size_t refused = 0;

    (void)state;
    pair->asking.provider = plugin_env_find(pair->env, "t", "end-start");
    for (int i = 0; i < 200; i++) {
        struct reply *reply =
            asking_wait(&pair->asking, asking_list(&pair->asking, CLUSTER, TEXT("")));

        assert_int_equal(reply->outcome, OUTCOME_REFUSED);
        refused += reply->answer.retry_ms > 0;
        plugin_env_turn(pair->env, TURN_MS);
    }
    assert_true(refused > 100);
    assert_true(hosted_state(pair->asking.provider).starts < 50);
    assert_true(hosted_state(pair->asking.provider).starts > 1);
    pair_close(pair, "end-start");
}

/* Many more calls than the process can run at the same time wait, and none is lost. Calls that
 * still wait when the process ends certainly had no effect. No call hangs here, and the time limits
 * are long enough for all calls. */
static void test_calls_wait_for_their_turn(void **state)
{
    enum { MANY = 3000, LONG_MS = 30000 };
    struct hosted_patience patience = short_patience();
    struct reply *replies[MANY];
    size_t unknown = 0;
    struct pair *pair;

    (void)state;
    patience.read_ms = patience.create_ms = patience.start_ms = LONG_MS;
    pair = pair_open_with("abort", patience);
    for (unsigned i = 0; i < MANY; i++) {
        replies[i] = asking_find(&pair->good, CLUSTER, TEXT("file-nobody"));
    }
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(asking_wait(&pair->good, replies[i])->outcome, OUTCOME_OK);
    }
    pair->asking.provider = plugin_env_find(pair->env, "t", "abort");
    for (unsigned i = 0; i < 100; i++) {
        replies[i] = asking_create(&pair->asking, CLUSTER, i);
    }
    for (unsigned i = 0; i < 100; i++) {
        asking_wait(&pair->asking, replies[i]);
        unknown += replies[i]->outcome == OUTCOME_UNKNOWN;
        assert_true(replies[i]->outcome != OUTCOME_REFUSED ||
                    replies[i]->answer.fault == PROVIDER_FAULT_TRANSIENT);
    }
    assert_in_range(unknown, 1, LIMIT_HOST_CALLS_MAX);
    assert_true(machines_made(pair, "abort") <= unknown + 100);
    pair_close(pair, "abort");
}

/* Listings that never end leave room for a changing call. */
static void test_changes_go_on_while_listings_wait(void **state)
{
    enum { LISTINGS = 30, LONG_MS = 30000 };
    struct hosted_patience patience = short_patience();
    struct reply *reply;
    struct pair *pair;

    (void)state;
    patience.read_ms = patience.create_ms = patience.start_ms = LONG_MS;
    pair = pair_open_with("hang-describe", patience);
    pair->asking.provider = plugin_env_find(pair->env, "t", "hang-describe");
    for (unsigned i = 0; i < LISTINGS; i++) {
        (void)asking_list(&pair->asking, CLUSTER, TEXT(""));
    }
    reply = asking_wait(&pair->asking, asking_create(&pair->asking, CLUSTER, 1));
    assert_int_not_equal(reply->outcome, OUTCOME_REFUSED); /* the create was sent */
    pair_close(pair, "hang-describe");
}

/* If no process can be started, each call ends, and nothing else happens. */
static void test_a_host_that_is_not_there_ends_each_call(void **state)
{
    struct hosted_patience patience = short_patience();
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct plugin_env *env;
    const char *problem = "";

    (void)state;
    env = plugin_env_open("/nowhere/reeve-host", plugins_path, patience);
    assert_null(plugins_find(env->plugins, TEXT("t"), TEXT("good"), &problem));
    assert_holds(text_from(problem), "/nowhere/reeve-host");
    plugin_env_close(env);
    arena_free(arena);
}

/* Calls that are active when the manager ends are reported, and active creates are completed. */
static void test_closing_in_the_middle_leaves_nothing(void **state)
{
    struct pair *pair = pair_open("hang-create");
    struct reply *replies[20];

    (void)state;
    pair->asking.provider = plugin_env_find(pair->env, "t", "hang-create");
    for (unsigned i = 0; i < ARRAY_COUNT(replies); i++) {
        replies[i] = asking_create(i % 2 == 0 ? &pair->asking : &pair->good, CLUSTER, i);
    }
    plugin_env_turn(pair->env, TURN_MS);
    pair_close(pair, "hang-create");
    (void)replies;
}

/* Lets libraries open the descriptors that they keep, so that these do not count as leaks of a test
 * case. */
static int warm_up(void **state)
{
    (void)state;
    pair_close(pair_open("stdout"), "stdout");
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest more[] = {
        cmocka_unit_test(test_a_process_that_hangs_is_killed_and_comes_back),
        cmocka_unit_test(test_changes_go_on_while_listings_wait),
        cmocka_unit_test(test_the_pauses_between_starts_grow),
        cmocka_unit_test(test_calls_wait_for_their_turn),
        cmocka_unit_test(test_a_host_that_is_not_there_ends_each_call),
        cmocka_unit_test(test_closing_in_the_middle_leaves_nothing),
    };
    struct CMUnitTest cases[ARRAY_COUNT(bad_cases) + ARRAY_COUNT(more)] = { 0 };

    if (argc < 3) {
        fprintf(stderr, "use: test_bad HOST PLUGINS [NAMES [BUT-NOT-NAMES]]\n");
        return 2;
    }
    host_path = argv[1];
    plugins_path = argv[2];
    for (size_t i = 0; i < ARRAY_COUNT(bad_cases); i++) {
        cases[i] = (struct CMUnitTest){ .name = bad_cases[i].name,
                                        .test_func = test_bad,
                                        .initial_state = (void *)(uintptr_t)&bad_cases[i] };
    }
    memcpy(cases + ARRAY_COUNT(bad_cases), more, sizeof(more));
    if (argc > 3) {
        cmocka_set_test_filter(argv[3]);
    }
    if (argc > 4) {
        cmocka_set_skip_filter(argv[4]);
    }
    return _cmocka_run_group_tests("plugins/bad", cases, ARRAY_COUNT(cases), warm_up, NULL);
}
