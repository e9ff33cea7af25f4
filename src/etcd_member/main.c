/* reeve-store: runs this host's member of the managed store, beside reeved, and longer than it.
 *
 * reeve-store serve FOLDER: in the foreground, for a service manager. reeve-store detach FOLDER:
 * returns when the process serves in the background; reeved uses it where no service manager
 * does. FOLDER is the data folder of the manager. */
#include "base/limits.h"
#include "etcd_member/member.h"
#include "etcd_member/member_etcd.h"
#include "etcd_member/member_serve.h"
#include "sys/fd.h"
#include "sys/folder.h"
#include "sys/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_PROCESS_LOCK "lock"
#define STORE_PROCESS_LOG  "log"

enum { STORE_EXIT_TAKEN = 3, STORE_EXIT_UNUSABLE = 4 };

struct store_process {
    struct member_runner *runner;
    struct log *log;
    int folder;
    int lock;
    char path[PATH_MAX];
};

/* Switches from root to the owner of the data folder, and gives up what a member does not need. */
MUST_CHECK static bool store_rights_drop(const char *data, struct err *err)
{
    struct stat status;

    if (stat(data, &status) != 0) {
        return err_set(err, CODE_R0596, "%s: %s", data, strerror(errno));
    }
    if (geteuid() == 0 && status.st_uid != 0 &&
        (setgroups(0, NULL) != 0 || setresgid(status.st_gid, status.st_gid, status.st_gid) != 0 ||
         setresuid(status.st_uid, status.st_uid, status.st_uid) != 0)) {
        return err_set(err, CODE_R0596, "the owner of %s: %s", data, strerror(errno));
    }
    umask(0077);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ||
           err_set(err, CODE_R0596, "privileges cannot be given up: %s", strerror(errno));
}

/* Opens and locks the member's folder, and makes it the current one. */
MUST_CHECK static bool store_folder_take(struct store_process *process, const char *data,
                                         struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    AUTO(fd) above = FD_NONE;
    const char *path;

    if (!folder_resolve(arena, data, &path, err) || !folder_open(path, &above, err) ||
        !folder_make_beneath(above, MEMBER_FOLDER, 0700, &process->folder, err) ||
        !folder_check_owner(process->folder, MEMBER_FOLDER, err)) {
        return false;
    }
    if (snprintf(process->path, sizeof(process->path), "%s/" MEMBER_FOLDER, path) >=
            (int)sizeof(process->path) ||
        fchdir(process->folder) != 0) {
        return err_set(err, CODE_R0596, "the folder %s: %s", path, strerror(errno));
    }
    return file_lock(process->folder, STORE_PROCESS_LOCK, &process->lock, err);
}

/* The log of a process without a service manager is a file in the folder. */
static int store_log_open(void)
{
    struct stat status;

    if (stat(STORE_PROCESS_LOG, &status) == 0 && status.st_size > LIMIT_MEMBER_LOG_BYTES) {
        (void)!rename(STORE_PROCESS_LOG, STORE_PROCESS_LOG ".1");
    }
    return open(STORE_PROCESS_LOG, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Continues in a process of its own session. The first process ends when `ready` is written: with
 * its byte as the exit code. Returns the end to write to; FD_NONE in the first process. */
static int store_detach(int *out_code)
{
    int ends[2];
    unsigned char code = STORE_EXIT_UNUSABLE;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
        *out_code = STORE_EXIT_UNUSABLE;
        return FD_NONE;
    }
    if (pid > 0) {
        close(ends[1]);
        (void)!read(ends[0], &code, 1);
        *out_code = code;
        return FD_NONE;
    }
    close(ends[0]);
    setsid();
    return ends[1];
}

static void store_detached(int ready)
{
    unsigned char code = 0;
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    int log = store_log_open();

    if (none >= 0) {
        dup2(none, STDIN_FILENO);
        dup2(none, STDOUT_FILENO);
        dup2(log >= 0 ? log : none, STDERR_FILENO);
    }
    (void)!write(ready, &code, 1);
    close(ready);
}

static void on_store_signal(void *arg, int number)
{
    struct store_process *process = arg;

    log_info(process->log, "member", "stopping", log_int("signal", number));
    member_runner_end(process->runner);
}

MUST_CHECK static bool store_serve(struct store_process *process, int ready, struct err *err)
{
    AUTO(loop) loop = NULL;
    struct member_runner_options options = { .log = process->log,
                                             .folder = process->folder,
                                             .path = process->path,
                                             .etcd = MEMBER_ETCD_PROGRAM,
                                             .etcdctl = MEMBER_ETCD_CONTROL };
    struct loop_signal *term;
    struct loop_signal *interrupt;
    struct member_serve *serve;

    if (!loop_open(&loop, err)) {
        return false;
    }
    options.loop = loop;
    if (!member_runner_open(&options, &process->runner, err)) {
        return false;
    }
    if (!member_serve_open(loop, process->log, process->runner, &serve, err) ||
        !loop_signal_open(loop, SIGTERM, on_store_signal, process, &term, err) ||
        !loop_signal_open(loop, SIGINT, on_store_signal, process, &interrupt, err)) {
        member_runner_free(process->runner);
        return false;
    }
    if (ready != FD_NONE) {
        store_detached(ready);
    }
    log_info(process->log, "member", "serving", log_string("folder", process->path));
    loop_run(loop);
    member_serve_close(serve);
    member_runner_free(process->runner);
    return true;
}

static int store_run(const char *data, bool is_detached)
{
    struct store_process process = { .folder = FD_NONE, .lock = FD_NONE };
    struct err err = { 0 };
    int ready = FD_NONE;
    int code = EXIT_SUCCESS;

    if (!store_rights_drop(data, &err) || !store_folder_take(&process, data, &err)) {
        fprintf(stderr, "reeve-store: %s\n", err.text);
        return err.code == CODE_R0535 ? STORE_EXIT_TAKEN : STORE_EXIT_UNUSABLE;
    }
    if (is_detached && (ready = store_detach(&code)) == FD_NONE) {
        return code;
    }
    process.log = log_new(&(struct log_options){ .fd = STDERR_FILENO,
                                                 .identifier = "reeve-store",
                                                 .journal_stream = getenv("JOURNAL_STREAM"),
                                                 .level = LOG_LEVEL_INFO });
    if (!store_serve(&process, ready, &err)) {
        fprintf(stderr, "reeve-store: %s\n", err.text);
        code = STORE_EXIT_UNUSABLE;
    }
    log_free(process.log);
    return code;
}

int main(int argc, char **argv)
{
    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-store " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc != 3 || (strcmp(argv[1], "serve") != 0 && strcmp(argv[1], "detach") != 0)) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs("reeve-store runs this host's member of the managed store (man reeved).\n\n"
              "Usage: reeve-store serve FOLDER   in the foreground, for a service manager\n"
              "       reeve-store detach FOLDER  in the background\n\n"
              "FOLDER is the data folder of the manager.\n",
              is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    return store_run(argv[2], strcmp(argv[1], "detach") == 0);
}
