/* Operations that the manager can no longer do after it has dropped its rights. Each case runs in a
 * separate process. */

#include "host/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/fd.h"
#include "unit.h"

enum { OTHER_USER = 61000 };

static char folder[] = "/tmp/confine-XXXXXX";
static char inside[64];
static char outside[64];

#define CHECK(condition)              \
    do {                              \
        if (!(condition)) {           \
            _exit(__LINE__ % 90 + 1); \
        }                             \
    } while (0)

static void confined(bool is_user_changed, void (*run)(const struct sandbox_report *report))
{
    struct confine_options options = { .is_user_changed = is_user_changed,
                                       .user = OTHER_USER,
                                       .group = OTHER_USER,
                                       .folders = { inside },
                                       .folder_count = 1 };
    struct sandbox_report report;
    struct err err;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        CHECK(confine_enter(&options, &report, &err));
        run(&report);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool can_write(const char *where, const char *name)
{
    char path[128];
    AUTO(fd) fd = FD_NONE;

    snprintf(path, sizeof(path), "%s/%s", where, name);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1 && unlink(path) == 0;
}

static void case_nothing_more(const struct sandbox_report *report)
{
    char *const argv[] = { (char *)"true", NULL };
    struct stat status;

    CHECK(can_write(inside, "store"));
    if (report->parts[SANDBOX_LANDLOCK].state == SANDBOX_IN_FORCE) {
        CHECK(!can_write(outside, "file") && errno == EACCES);
    }
    CHECK(stat("/etc/passwd", &status) == 0);
    CHECK(close(socket(AF_INET, SOCK_STREAM, 0)) == 0);
    CHECK(close(socket(AF_UNIX, SOCK_DGRAM, 0)) == 0);
    CHECK(socket(AF_PACKET, SOCK_RAW, 0) < 0);
    execv("/bin/true", argv);
    CHECK(errno == EPERM || errno == EACCES);
    CHECK(mount("none", outside, "tmpfs", 0, NULL) < 0);
    CHECK(setresuid(0, 0, 0) < 0 || geteuid() != 0 || getuid() == 0);
    CHECK(chmod(inside, 04700) < 0);
    CHECK(syscall(SYS_unshare, 0x10000000 /* a user namespace */) < 0);
#if !defined(__SANITIZE_ADDRESS__)
    CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0);
    CHECK(fork() < 0);
#endif
}

static void test_it_writes_in_its_folder_and_starts_no_program(void **state)
{
    (void)state;
    confined(false, case_nothing_more);
}

static void case_other_user(const struct sandbox_report *report)
{
    CHECK(report->parts[SANDBOX_IDENTITY].state == SANDBOX_IN_FORCE);
    CHECK(getuid() == OTHER_USER && getegid() == OTHER_USER && getgroups(0, NULL) == 0);
    CHECK(access("/etc/shadow", R_OK) != 0);
    case_nothing_more(report);
}

static void test_as_root_it_becomes_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chown(inside, OTHER_USER, OTHER_USER), 0);
    confined(true, case_other_user);
    assert_int_equal(chown(inside, 0, 0), 0);
}

static int folders_set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0) {
        return -1;
    }
    snprintf(inside, sizeof(inside), "%s/inside", folder);
    snprintf(outside, sizeof(outside), "%s/outside", folder);
    return mkdir(inside, 0700) != 0 || mkdir(outside, 0777) != 0 ? -1 : 0;
}

static int folders_tear_down(void **state)
{
    (void)state;
    return rmdir(inside) != 0 || rmdir(outside) != 0 || rmdir(folder) != 0 ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_writes_in_its_folder_and_starts_no_program),
        cmocka_unit_test(test_as_root_it_becomes_another_user),
    };

    return cmocka_run_group_tests(tests, folders_set_up, folders_tear_down);
}
