#include "ssh_env.h"

#include "base/err.h"
#include "sys/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FILE_BYTES = 64 * 1024,
    MOCKS = 8,
    HOSTS_A_NET = 200,
    TRIES = 20,
    WAITS = 6000,
    WAIT_US = 10000
};

static void run(struct ssh_env *env, const char *command)
{
    struct text all = arena_printf(env->arena, "cd %s && %s", env->folder, command);

    assert_int_equal(system(all.data), 0);
}

static struct text read_all(struct ssh_env *env, const char *name)
{
    struct text path = ssh_env_path(env, name);
    struct text bytes;
    struct err err;

    assert_true(file_read(env->arena, path.data, FILE_BYTES, &bytes, &err));
    return bytes;
}

/* Returns the first two words of a public key. */
static struct text key_line(struct ssh_env *env, const char *name)
{
    struct text bytes = text_trim(read_all(env, name));
    size_t first = text_find_byte(bytes, ' ');
    struct text rest = text_slice(bytes, first + 1, bytes.length);

    return arena_printf(env->arena, "%.*s %.*s", (int)first, bytes.data,
                        TEXT_ARG(text_slice(rest, 0, text_find_byte(rest, ' '))));
}

struct text ssh_env_path(struct ssh_env *env, const char *name)
{
    return arena_printf(env->arena, "%s/%s", env->folder, name);
}

struct text ssh_env_address(struct ssh_env *env, size_t i)
{
    return arena_printf(env->arena, "127.77.%zu.%zu", i / HOSTS_A_NET, 1 + i % HOSTS_A_NET);
}

/* ---- sshd ---- */

static struct sockaddr_in address_of(const char *words, uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

    assert_int_equal(inet_pton(AF_INET, words, &address.sin_addr), 1);
    return address;
}

/* Returns a port that is free now at all addresses. Another process may take it before sshd
 * does. */
static uint16_t port_find(void)
{
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t length = sizeof(address);

    assert_int_equal(bind(probe, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(probe, (struct sockaddr *)&address, &length), 0);
    close(probe);
    return ntohs(address.sin_port);
}

/* Returns the path to which sshd writes its process id when it listens. */
static struct text number_path(struct ssh_env *env, size_t i)
{
    return arena_printf(env->arena, "%s/sshd%zu.pid", env->folder, i);
}

/* Waits until sshd listens. Returns false if it has ended, because another process has the port. */
static bool listener_wait(struct ssh_env *env, size_t i)
{
    const char *number = number_path(env, i).data;

    for (int n = 0; n < WAITS && access(number, F_OK) != 0; n++) {
        if (waitpid(env->listeners[i], NULL, WNOHANG) != 0) {
            env->listeners[i] = 0;
            return false;
        }
        usleep(WAIT_US);
    }
    assert_int_equal(access(number, F_OK), 0);
    return true;
}

/* Makes a small disk in a separate mount namespace. Without the right for that, the limit is on the
 * size of files. */
static void disk_make(struct ssh_env *env)
{
    struct rlimit limit = { SSH_ENV_DISK_BYTES, SSH_ENV_DISK_BYTES };
    struct text path = ssh_env_path(env, "disk");

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("disk", path.data, "tmpfs", 0, "size=512k") != 0) {
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

/* Starts sshd in a separate process group, so that its sessions can be ended together with it. */
static void listener_start(struct ssh_env *env, size_t i)
{
    struct text address =
        arena_printf(env->arena, "-oListenAddress=%s:%u", ssh_env_address(env, i).data, env->port);
    struct text key = arena_printf(env->arena, "-oHostKey=%s/host%zu", env->folder, i);
    struct text certificate =
        arena_printf(env->arena, "-oHostCertificate=%s/host%zu-cert.pub", env->folder, i);
    struct text number = number_path(env, i);
    struct text number_file = arena_printf(env->arena, "-oPidFile=%s", number.data);
    struct text settings = ssh_env_path(env, "sshd_config");
    struct text log = ssh_env_path(env, "sshd.log");
    const char *with = i == 0 ? certificate.data : "-oUseDNS=no";
    pid_t child;

    (void)unlink(number.data);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (i == SSH_ENV_SMALL) {
            disk_make(env);
        }
        execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-D", "-E", log.data, "-f", settings.data,
              number_file.data, address.data, key.data, with, (char *)NULL);
        _exit(127);
    }
    env->listeners[i] = child;
}

/* Starts a host again. If another process has the port, waits for it, because tests already use
 * this port. */
void ssh_env_start(struct ssh_env *env, size_t i)
{
    int n = 0;

    listener_start(env, i);
    while (!listener_wait(env, i)) {
        assert_true(++n < WAITS);
        usleep(WAIT_US);
        listener_start(env, i);
    }
}

/* Kills a process with all its descendants, because a grandchild may hold a connection. Processes
 * are stopped first, so that they start no new ones. */
static void tree_kill(struct ssh_env *env, int pid)
{
    struct text path = arena_printf(env->arena, "/proc/%d/task/%d/children", pid, pid);
    FILE *children;
    int child;

    kill(pid, SIGSTOP);
    children = fopen(path.data, "r");
    while (children != NULL && fscanf(children, "%d", &child) == 1) {
        tree_kill(env, child);
    }
    if (children != NULL) {
        fclose(children);
    }
    kill(pid, SIGKILL);
}

void ssh_env_kill(struct ssh_env *env, size_t i)
{
    tree_kill(env, env->listeners[i]);
    waitpid(env->listeners[i], NULL, 0);
    env->listeners[i] = 0;
}

/* Writes settings for fast logins: no PAM, no name lookups, and bash does not read the account's
 * .bashrc (SHLVL). */
static void settings_write(struct ssh_env *env)
{
    FILE *file = fopen(ssh_env_path(env, "sshd_config").data, "w");

    assert_non_null(file);
    fprintf(
        file,
        "AuthorizedKeysFile %s/allowed\nTrustedUserCAKeys %s/ca.pub\nStrictModes no\nUsePAM no\n"
        "PermitRootLogin prohibit-password\nPasswordAuthentication no\nUseDNS no\nPrintMotd no\n"
        "KbdInteractiveAuthentication no\nMaxStartups 500\nMaxSessions 100\n"
        "SetEnv SHLVL=3\nLogLevel ERROR\n",
        env->folder, env->folder);
    assert_int_equal(fclose(file), 0);
}

static void keys_make(struct ssh_env *env)
{
    struct text command;

    run(env, "ssh-keygen -q -t ed25519 -N '' -C '' -f user && cp user.pub allowed");
    run(env, "ssh-keygen -q -t ed25519 -N '' -C '' -f other");
    run(env, "ssh-keygen -q -t ed25519 -N '' -C '' -f ca");
    command =
        arena_printf(env->arena, "ssh-keygen -q -s ca -I test -n '%s' other.pub", env->user.data);
    run(env, command.data);
    for (size_t i = 0; i < env->count; i++) {
        command = arena_printf(env->arena, "ssh-keygen -q -t ed25519 -N '' -C '' -f host%zu", i);
        run(env, command.data);
        command = arena_printf(env->arena, "host%zu.pub", i);
        env->host_keys[i] = key_line(env, command.data);
    }
    run(env, "ssh-keygen -q -s ca -I host -h -n node host0.pub");
    env->key = read_all(env, "user");
    env->other_key = read_all(env, "other");
    env->certificate = key_line(env, "other-cert.pub");
    env->authority = key_line(env, "ca.pub");
}

static void listeners_kill(struct ssh_env *env)
{
    for (size_t i = 0; i < env->count; i++) {
        if (env->listeners[i] != 0) {
            ssh_env_kill(env, i);
        }
    }
}

/* Starts all hosts on one port. Returns false if one host could not listen on it. */
static bool listeners_open(struct ssh_env *env)
{
    bool are_up = true;

    env->port = port_find();
    for (size_t i = 0; i < env->count; i++) {
        listener_start(env, i);
    }
    for (size_t i = 0; i < env->count; i++) {
        are_up = listener_wait(env, i) && are_up;
    }
    if (!are_up) {
        listeners_kill(env);
    }
    return are_up;
}

struct ssh_env *ssh_env_open(size_t count)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct ssh_env *env = arena_one(arena, struct ssh_env);
    const struct passwd *user = getpwuid(getuid());
    int tries = 1;

    assert_non_null(user);
    *env = (struct ssh_env){ .arena = arena, .count = count };
    snprintf(env->folder, sizeof(env->folder), "/tmp/reeve-ssh-XXXXXX");
    assert_non_null(mkdtemp(env->folder));
    env->user = arena_text(arena, text_from(user->pw_name));
    env->user = text_from(arena_string(arena, env->user));
    env->host_keys = arena_array(arena, struct text, count);
    env->listeners = arena_array(arena, pid_t, count + MOCKS);
    if (getuid() == 0) {
        (void)mkdir("/run/sshd", 0755);
    }
    run(env, "mkdir -m 700 disk hand");
    keys_make(env);
    settings_write(env);
    while (!listeners_open(env)) {
        assert_true(++tries <= TRIES);
    }
    return env;
}

void ssh_env_close(struct ssh_env *env)
{
    if (env == NULL) {
        return;
    }
    listeners_kill(env);
    for (size_t i = env->count; i < env->count + MOCKS; i++) {
        if (env->listeners[i] != 0) {
            kill(env->listeners[i], SIGKILL);
            waitpid(env->listeners[i], NULL, 0);
        }
    }
    run(env, "rm -rf \"$PWD\"");
    arena_free(env->arena);
}

/* ---- servers that are not sshd ---- */

static void mock_run(int listener, enum ssh_env_mock mock)
{
    static const char lines[] = "hello hello hello hello\r\n";
    static const char line[] = "hello hello hello hello ";
    int client = accept(listener, NULL, NULL);

    while (client >= 0 && mock == SSH_ENV_SILENT) {
        pause();
    }
    while (client >= 0 &&
           send(client, mock == SSH_ENV_LINES ? lines : line,
                mock == SSH_ENV_LINES ? sizeof(lines) - 1 : sizeof(line) - 1, MSG_NOSIGNAL) > 0) {
    }
}

uint16_t ssh_env_mock(struct ssh_env *env, enum ssh_env_mock mock)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = address_of("127.77.0.1", 0);
    socklen_t length = sizeof(address);
    size_t i = env->count;
    pid_t child;

    assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    while (env->listeners[i] != 0) {
        i++;
        assert_true(i < env->count + MOCKS);
    }
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            mock_run(listener, mock);
        }
    }
    env->listeners[i] = child;
    close(listener);
    return ntohs(address.sin_port);
}
