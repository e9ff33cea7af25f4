/* File transfers as commands, run by a real shell; and the arguments and messages of OpenSSH. */
#include "unit.h"

#include "base/limits.h"
#include "session/openssh_config.h"
#include "session/script.h"
#include "sys/digest.h"

#include <fcntl.h>
#include <sys/stat.h>

static char folder[] = "/tmp/reeve-script-XXXXXX";

/* Runs a command as sshd does, with this input. Returns its exit code. */
static int shell(struct arena *arena, struct text command, struct text input)
{
    struct text quoted = script_quote(arena, command);
    struct text all =
        arena_printf(arena, "sh -c %.*s >%s/out 2>%s/err", TEXT_ARG(quoted), folder, folder);
    FILE *pipe = popen(all.data, "w");
    int status;

    assert_non_null(pipe);
    if (input.length > 0) {
        assert_int_equal(fwrite(input.data, 1, input.length, pipe), input.length);
    }
    status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct text slurp(struct arena *arena, const char *name)
{
    struct text path = arena_printf(arena, "%s/%s", folder, name);
    char *bytes = arena_alloc(arena, 65536);
    int file = open(path.data, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, bytes, 65536);

    assert_true(file >= 0 && got >= 0);
    close(file);
    return (struct text){ bytes, (size_t)got };
}

static bool is_there(struct arena *arena, const char *name)
{
    return access(arena_printf(arena, "%s/%s", folder, name).data, F_OK) == 0;
}

static int put(struct arena *arena, const char *name, struct text sent, struct text meant)
{
    struct text path = arena_printf(arena, "%s/%s", folder, name);
    char digest[DIGEST_TEXT_BYTES];

    digest_sha256(meant, digest);
    return shell(arena, script_put(arena, path, 0604, text_from(digest)), sent);
}

static void a_word_is_one_word(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    static const char *const words[] = { "", "a b", "it's", "'", "$(false) `x` \\ \" *", "a\nb" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        struct text word = script_quote(arena, text_from(words[i]));

        assert_int_equal(
            shell(arena, arena_printf(arena, "printf %%s %.*s", TEXT_ARG(word)), TEXT("")), 0);
        assert_text(slurp(arena, "out"), words[i]);
    }
}

static void a_file_is_put_whole_or_not_at_all(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct stat status;

    (void)state;
    assert_int_equal(put(arena, "it's a file", TEXT("bytes"), TEXT("bytes")), 0);
    assert_text(slurp(arena, "it's a file"), "bytes");
    assert_int_equal(stat(arena_printf(arena, "%s/it's a file", folder).data, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    assert_int_equal(script_put_fault(put(arena, "it's a file", TEXT("byt"), TEXT("bytes!"))),
                     TRANSPORT_FAULT_DIGEST);
    assert_text(slurp(arena, "it's a file"), "bytes");
    assert_false(is_there(arena, "it's a file.part"));
    assert_int_equal(script_put_fault(put(arena, "nowhere/file", TEXT("b"), TEXT("b"))),
                     TRANSPORT_FAULT_NODE);
    assert_int_equal(script_put_fault(0), TRANSPORT_FAULT_NONE);
}

static enum transport_fault get(struct arena *arena, const char *name, uint64_t limit,
                                struct text *out)
{
    struct text path = arena_printf(arena, "%s/%s", folder, name);
    int code = shell(arena, script_get(arena, path, limit), TEXT(""));

    return script_get_read(code, slurp(arena, "out"), limit, out);
}

static void a_file_is_got_up_to_its_limit(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct text out;

    (void)state;
    assert_int_equal(put(arena, "five", TEXT("a\nb\n\n"), TEXT("a\nb\n\n")), 0);
    assert_int_equal(get(arena, "five", 5, &out), TRANSPORT_FAULT_NONE);
    assert_text(out, "a\nb\n\n");
    assert_int_equal(get(arena, "five", 4, &out), TRANSPORT_FAULT_LIMIT);
    assert_int_equal(get(arena, "none", 4, &out), TRANSPORT_FAULT_NODE);
    assert_int_equal(get(arena, "", 4, &out), TRANSPORT_FAULT_NODE); /* the path is a folder */
}

/* A node's answer is never longer than requested, and is accepted only if it has the right
 * digest. */
static void a_lying_node_is_not_believed(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    char digest[DIGEST_TEXT_BYTES];
    struct text out = TEXT("untouched");

    (void)state;
    digest_sha256(TEXT("abc"), digest);
    assert_int_equal(script_get_read(0, arena_printf(arena, "%s\nabc", digest), 3, &out),
                     TRANSPORT_FAULT_NONE);
    assert_text(out, "abc");
    assert_int_equal(script_get_read(0, arena_printf(arena, "%s\nabd", digest), 3, &out),
                     TRANSPORT_FAULT_DIGEST);
    assert_int_equal(script_get_read(0, arena_printf(arena, "%s\nabc", digest), 2, &out),
                     TRANSPORT_FAULT_LIMIT);
    assert_int_equal(script_get_read(0, TEXT("short\nabc"), 3, &out), TRANSPORT_FAULT_DIGEST);
    assert_int_equal(script_get_read(0, TEXT(""), 3, &out), TRANSPORT_FAULT_DIGEST);
    assert_int_equal(script_get_read(1, TEXT(""), 3, &out), TRANSPORT_FAULT_NODE);
    assert_text(script_plain(arena, TEXT(" a\n\x1b[31mb\xff ")), "a ?[31mb?");
    assert_int_equal(script_plain(arena, (struct text){ arena_alloc(arena, 5000), 5000 }).length,
                     LIMIT_SESSION_WHY_BYTES);
}

/* ---- OpenSSH ---- */

static void the_end_is_found_at_the_end_alone(void **state)
{
    struct text mark = TEXT("0123456789abcdef");
    int code = -1;

    (void)state;
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdef:0"), mark, &code), 0);
    assert_int_equal(code, 0);
    assert_int_equal(openssh_end(TEXT("oh\n0123456789abcdef:255"), mark, &code), 2);
    assert_int_equal(code, 255);
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdef:256"), mark, &code), SIZE_MAX);
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdef:"), mark, &code), SIZE_MAX);
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdef:-1"), mark, &code), SIZE_MAX);
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdef:1 "), mark, &code), SIZE_MAX);
    assert_int_equal(openssh_end(TEXT("\n0123456789abcdeX:1"), mark, &code), SIZE_MAX);
    assert_int_equal(openssh_end(TEXT(""), mark, &code), SIZE_MAX);
}

static void a_shell_writes_that_end(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct text mark = TEXT("0123456789abcdef");
    static const struct {
        const char *command;
        int code;
        const char *error;
    } cases[] = {
        { "true", 0, "" },
        { "echo 'it''s' >&2; exit 3", 3, "its\n" },
        { "kill -TERM $$", 143, "" },
        { "printf no-end >&2; exit 255", 255, "no-end" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text error;
        int code = -1;
        size_t before;

        (void)shell(arena, openssh_command(arena, text_from(cases[i].command), mark), TEXT(""));
        error = slurp(arena, "err");
        before = openssh_end(error, mark, &code);
        assert_int_not_equal(before, SIZE_MAX);
        assert_int_equal(code, cases[i].code);
        assert_text(text_slice(error, 0, before), cases[i].error);
    }
}

static void what_ssh_says_has_its_fault(void **state)
{
    static const struct {
        const char *words;
        enum transport_fault fault;
    } cases[] = {
        { "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed.",
          TRANSPORT_FAULT_HOST_KEY },
        { "root@192.0.2.1: Permission denied (publickey).", TRANSPORT_FAULT_USER_KEY },
        { "Load key \"/k\": error in libcrypto\nroot@h: Permission denied (publickey).",
          TRANSPORT_FAULT_INVALID },
        { "ssh: connect to host h port 22: Connection refused", TRANSPORT_FAULT_UNREACHABLE },
        { "ssh: connect to host h port 22: No route to host", TRANSPORT_FAULT_UNREACHABLE },
        { "kex_exchange_identification: Connection closed by remote host",
          TRANSPORT_FAULT_PROTOCOL },
        { "", TRANSPORT_FAULT_PROTOCOL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(openssh_fault(text_from(cases[i].words)), cases[i].fault);
    }
}

/* Known hosts: the file has all key lines under one name, and authorities as such. */
static void known_hosts_have_the_keys_alone(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct transport_target target = { .host_keys = TEXT("ssh-ed25519 AAAA\n\nssh-rsa BBBB\n"),
                                       .authority = TEXT("ssh-ed25519 CCCC") };
    struct openssh_paths paths = { "f", "k", "c", "h", "s" };

    (void)state;
    assert_text(
        openssh_known_hosts(arena, &target),
        "node ssh-ed25519 AAAA\nnode ssh-rsa BBBB\n@cert-authority node ssh-ed25519 CCCC\n");
    target.host_name = TEXT("web-3");
    target.host_keys = TEXT("");
    assert_text(openssh_known_hosts(arena, &target), "@cert-authority web-3 ssh-ed25519 CCCC\n");
    assert_non_null(
        strstr(openssh_config(arena, &target, &paths).data, "\nStrictHostKeyChecking yes\n"));
    target.authority = TEXT("");
    assert_text(openssh_known_hosts(arena, &target), "");
    assert_non_null(strstr(openssh_config(arena, &target, &paths).data,
                           "\nStrictHostKeyChecking accept-new\n"));
    assert_text(openssh_first_key(TEXT("web-3 ssh-ed25519 DDDD\n")), "ssh-ed25519 DDDD");
    assert_text(openssh_first_key(TEXT("")), "");
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_end(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_one_word),
        cmocka_unit_test(a_file_is_put_whole_or_not_at_all),
        cmocka_unit_test(a_file_is_got_up_to_its_limit),
        cmocka_unit_test(a_lying_node_is_not_believed),
        cmocka_unit_test(the_end_is_found_at_the_end_alone),
        cmocka_unit_test(a_shell_writes_that_end),
        cmocka_unit_test(what_ssh_says_has_its_fault),
        cmocka_unit_test(known_hosts_have_the_keys_alone),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_end);
}
