#include "host/sandbox_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The filter is a BPF program. It is assembled here in 3 us; libseccomp takes 0.6 ms at every start
 * (docs/spec/LIBRARIES.md section 1.2). The program has these parts, in order: another architecture
 * ends the process; calls whose arguments matter; ranges of permitted numbers, from the highest
 * down; all other calls are rejected.
 *
 * Rejected calls return EPERM, like a call without permission. Numbers that the headers do not
 * know, and a few calls that libc tries first, return ENOSYS, so that callers fall back to older
 * calls. */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#else
#error "which architecture is this, for seccomp?"
#endif

enum { PROGRAM_MAX = 900, NUMBERS_MAX = 512, FIRST_X32 = 0x40000000 };

/* Calls with lower numbers than this are known. They are rejected with EPERM, unless they are
 * permitted. */
enum { KNOWN_END = 450 };

enum { IOCTL_INTERFACES_FIRST = 0x8910, IOCTL_INTERFACES_LAST = 0x8933, SOCK_TYPE_MASK = 0xf };

#define SPACES                                                                                    \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
     CLONE_NEWNET)

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short length;
};

#define ALLOW   SECCOMP_RET_ALLOW
#define REFUSE  (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
#define NO_KIND (SECCOMP_RET_ERRNO | EAFNOSUPPORT)

/* ---- BPF instructions ---- */

static void sandbox_filter_add(struct program *program, unsigned code, uint32_t k, unsigned yes,
                               unsigned no)
{
    assert(program->length < PROGRAM_MAX);
    assert(yes <= UINT8_MAX && no <= UINT8_MAX);
    program->code[program->length++] =
        (struct sock_filter){ (uint16_t)code, (uint8_t)yes, (uint8_t)no, k };
}

static void load(struct program *program, size_t offset)
{
    sandbox_filter_add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the lower or upper half of argument i. */
static void load_low(struct program *program, unsigned i)
{
    /* the lowest byte comes first on all supported architectures */
    load(program, offsetof(struct seccomp_data, args) + 8 * i);
}

static void load_high(struct program *program, unsigned i)
{
    load(program, offsetof(struct seccomp_data, args) + 8 * i + 4);
}

static void sandbox_filter_answer(struct program *program, uint32_t action)
{
    sandbox_filter_add(program, BPF_RET | BPF_K, action, 0, 0);
}

/* Adds a comparison of the loaded value with k: if it is equal, has a bit of k, or is at least k,
 * depending on `test`, the filter returns `action`. */
static void answer_if(struct program *program, unsigned test, uint32_t k, uint32_t action)
{
    sandbox_filter_add(program, BPF_JMP | BPF_K | test, k, 0, 1);
    sandbox_filter_answer(program, action);
}

/* sandbox_filter_call_begin begins the code for one call, sandbox_filter_call_end ends it. The code
 * between them must end with a return of an action. */
static unsigned short sandbox_filter_call_begin(struct program *program, long number)
{
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, (uint32_t)number, 0, 0);
    return (unsigned short)(program->length - 1);
}

static void sandbox_filter_call_end(struct program *program, unsigned short begin)
{
    unsigned length = program->length - begin - 1u;

    assert(length > 0 && length <= UINT8_MAX);
    program->code[begin].jf = (uint8_t)length;
}

static void call_answer(struct program *program, long number, uint32_t action)
{
    answer_if(program, BPF_JEQ, (uint32_t)number, action);
}

/* ---- calls whose arguments matter ---- */

/* Permits threads but no processes; because exec is rejected, this is sufficient. libc tries clone3
 * first. Its flags are in memory that the filter cannot read, so it is rejected with ENOSYS. */
static void threads_allow(struct program *program)
{
    unsigned short begin;

    call_answer(program, SYS_clone3, UNKNOWN);
    begin = sandbox_filter_call_begin(program, SYS_clone);
    load_low(program, 0);
    answer_if(program, BPF_JSET, SPACES, REFUSE);
    answer_if(program, BPF_JSET, CLONE_THREAD, ALLOW);
    sandbox_filter_answer(program, REFUSE);
    sandbox_filter_call_end(program, begin);
}

/* Like sockets_allow, but also permits local sockets, which name resolution and messages to the
 * service manager need. */
static void manager_sockets_allow(struct program *program)
{
    static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6 };
    unsigned short begin = sandbox_filter_call_begin(program, SYS_socket);

    load_low(program, 0);
    for (size_t i = 0; i < ARRAY_COUNT(families); i++) {
        answer_if(program, BPF_JEQ, families[i], ALLOW);
    }
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, AF_NETLINK, 0, 3);
    load_low(program, 2);
    answer_if(program, BPF_JEQ, 0, ALLOW); /* NETLINK_ROUTE */
    sandbox_filter_answer(program, NO_KIND);
    sandbox_filter_answer(program, NO_KIND);
    sandbox_filter_call_end(program, begin);
    call_answer(program, SYS_socketpair, ALLOW);
}

/* Permits internet sockets, and queries of addresses and routes. Unix sockets are rejected: on a
 * kernel without Landlock they could connect to other processes of this host by their path. */
static void sockets_allow(struct program *program)
{
    unsigned short begin = sandbox_filter_call_begin(program, SYS_socket);

    load_low(program, 1);
    sandbox_filter_add(program, BPF_ALU | BPF_AND | BPF_K, SOCK_TYPE_MASK, 0, 0);
    sandbox_filter_add(program, BPF_MISC | BPF_TAX, 0, 0, 0);
    load_low(program, 0);
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, AF_NETLINK, 0, 3);
    load_low(program, 2);
    answer_if(program, BPF_JEQ, 0, ALLOW); /* NETLINK_ROUTE */
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, AF_INET, 2, 0);
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, AF_INET6, 1, 0);
    sandbox_filter_answer(program, NO_KIND);
    sandbox_filter_add(program, BPF_MISC | BPF_TXA, 0, 0, 0);
    answer_if(program, BPF_JEQ, SOCK_STREAM, ALLOW);
    answer_if(program, BPF_JEQ, SOCK_DGRAM, ALLOW);
    sandbox_filter_answer(program, REFUSE);
    sandbox_filter_call_end(program, begin);
    /* a pair of datagram sockets could be connected to another process; a pair of stream sockets
     * could not */
    begin = sandbox_filter_call_begin(program, SYS_socketpair);
    load_low(program, 1);
    sandbox_filter_add(program, BPF_ALU | BPF_AND | BPF_K, SOCK_TYPE_MASK, 0, 0);
    sandbox_filter_add(program, BPF_MISC | BPF_TAX, 0, 0, 0);
    load_low(program, 0);
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, AF_UNIX, 1, 0);
    sandbox_filter_answer(program, NO_KIND);
    sandbox_filter_add(program, BPF_MISC | BPF_TXA, 0, 0, 0);
    answer_if(program, BPF_JEQ, SOCK_STREAM, ALLOW);
    sandbox_filter_answer(program, REFUSE);
    sandbox_filter_call_end(program, begin);
}

/* Rejects modes with set-user-ID, because other users with access to the folder could run the
 * file. */
static void mode_allow(struct program *program, long number, unsigned i)
{
    unsigned short begin = sandbox_filter_call_begin(program, number);

    load_low(program, i);
    answer_if(program, BPF_JSET, S_ISUID | S_ISGID, REFUSE);
    sandbox_filter_answer(program, ALLOW);
    sandbox_filter_call_end(program, begin);
}

/* Like mode_allow, but for open: the mode matters only if a file is created. */
static void open_allow(struct program *program, long number, unsigned flags, unsigned mode)
{
    unsigned short begin = sandbox_filter_call_begin(program, number);

    load_low(program, flags);
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JSET, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1,
                       0);
    sandbox_filter_answer(program, ALLOW);
    load_low(program, mode);
    answer_if(program, BPF_JSET, S_ISUID | S_ISGID, REFUSE);
    sandbox_filter_answer(program, ALLOW);
    sandbox_filter_call_end(program, begin);
}

static void files_allow(struct program *program)
{
    mode_allow(program, SYS_fchmod, 1);
    mode_allow(program, SYS_fchmodat, 2);
    open_allow(program, SYS_openat, 2, 3);
#ifdef SYS_open
    open_allow(program, SYS_open, 1, 2);
    mode_allow(program, SYS_chmod, 1);
    mode_allow(program, SYS_creat, 1);
#endif
    call_answer(program, SYS_openat2, UNKNOWN);
}

/* Permits a call only if argument i has one of these values. */
static void value_allow(struct program *program, long number, unsigned i, const uint32_t *values,
                        size_t count)
{
    unsigned short begin = sandbox_filter_call_begin(program, number);

    load_low(program, i);
    for (size_t at = 0; at < count; at++) {
        answer_if(program, BPF_JEQ, values[at], ALLOW);
    }
    if (number == SYS_ioctl) { /* queries of network interfaces have consecutive numbers */
        answer_if(program, BPF_JGT, IOCTL_INTERFACES_LAST, REFUSE);
        answer_if(program, BPF_JGE, IOCTL_INTERFACES_FIRST, ALLOW);
    }
    sandbox_filter_answer(program, REFUSE);
    sandbox_filter_call_end(program, begin);
}

static void ioctls_allow(struct program *program)
{
    static const uint32_t ioctls[] = {
        0x541b /* FIONREAD */, 0x5421 /* FIONBIO */, 0x5452 /* FIOASYNC */,   0x5451 /* FIOCLEX */,
        0x5450 /* FIONCLEX */, 0x5401 /* TCGETS */,  0x5413 /* TIOCGWINSZ */, 0x5411 /* TIOCOUTQ */,
    };

    value_allow(program, SYS_ioctl, 1, ioctls, ARRAY_COUNT(ioctls));
}

/* Permits queries about the process itself, and setting the names of its threads. */
static void self_allow(struct program *program)
{
    static const uint32_t prctls[] = {
        PR_SET_NAME,     PR_GET_NAME,    PR_GET_DUMPABLE,  PR_GET_NO_NEW_PRIVS,
        PR_CAPBSET_READ, PR_GET_SECCOMP, PR_GET_PDEATHSIG, 0x53564d41 /* PR_SET_VMA */,
    };
    unsigned short begin;

    value_allow(program, SYS_prctl, 0, prctls, ARRAY_COUNT(prctls));
    /* limits may be read, but not set */
    begin = sandbox_filter_call_begin(program, SYS_prlimit64);
    load_low(program, 2);
    sandbox_filter_add(program, BPF_JMP | BPF_K | BPF_JEQ, 0, 1, 0);
    sandbox_filter_answer(program, REFUSE);
    load_high(program, 2);
    answer_if(program, BPF_JEQ, 0, ALLOW);
    sandbox_filter_answer(program, REFUSE);
    sandbox_filter_call_end(program, begin);
}

/* ---- calls by number ---- */

/* Permits ranges of numbers, from the highest down. Numbers between two ranges are rejected. */
static void ranges_allow(struct program *program, const bool allowed[static NUMBERS_MAX])
{
    answer_if(program, BPF_JGE, KNOWN_END, UNKNOWN);
    for (int last = KNOWN_END - 1; last >= 0; last--) {
        int first = last;

        if (!allowed[last]) {
            continue;
        }
        while (first > 0 && allowed[first - 1]) {
            first--;
        }
        answer_if(program, BPF_JGT, (uint32_t)last, REFUSE);
        answer_if(program, BPF_JGE, (uint32_t)first, ALLOW);
        last = first;
    }
    sandbox_filter_answer(program, REFUSE);
}

/* Sets `allowed` for the calls in sandbox_calls.def. */
static void calls_list(bool allowed[static NUMBERS_MAX])
{
#define CALL(name) allowed[SYS_##name] = true;
#ifdef SYS_open
#define OLD(name) CALL(name)
#else
#define OLD(name)
#endif
#include "host/sandbox_calls.def"
#undef OLD
#undef CALL
}

static void sandbox_filter_cloud_make(struct program *program)
{
    bool allowed[NUMBERS_MAX] = { false };

    calls_list(allowed);
    threads_allow(program);
    sockets_allow(program);
    files_allow(program);
    ioctls_allow(program);
    self_allow(program);
    ranges_allow(program, allowed);
}

/* Rejects memory that is both writable and executable. */
static void memory_allow(struct program *program, long number)
{
    unsigned short begin = sandbox_filter_call_begin(program, number);

    load_low(program, 2);
    answer_if(program, BPF_JSET, PROT_EXEC, REFUSE);
    sandbox_filter_answer(program, ALLOW);
    sandbox_filter_call_end(program, begin);
}

/* Makes the filter of the profile keys. It permits I/O on open descriptors, memory, time, random
 * numbers, and exit. */
static void keys_make(struct program *program)
{
    static const long calls[] = {
        SYS_read,           SYS_write,        SYS_recvfrom,        SYS_sendto,
        SYS_close,          SYS_ppoll,        SYS_fstat,           SYS_brk,
        SYS_munmap,         SYS_mremap,       SYS_madvise,         SYS_mlock,
        SYS_munlock,        SYS_futex,        SYS_getrandom,       SYS_clock_gettime,
        SYS_gettimeofday,   SYS_exit,         SYS_exit_group,      SYS_rt_sigreturn,
        SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_sigaltstack,     SYS_tgkill,
        SYS_gettid,         SYS_getpid,       SYS_getppid,         SYS_getuid,
        SYS_sched_yield,    SYS_geteuid,      SYS_restart_syscall,
    };
    bool allowed[NUMBERS_MAX] = { false };

    for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
        allowed[calls[i]] = true;
    }
    memory_allow(program, SYS_mmap);
    memory_allow(program, SYS_mprotect);
    self_allow(program);
    ranges_allow(program, allowed);
}

/* Makes the filter of the profile host. It rejects calls that neither machines nor plugins need.
 * Machines inherit the filter, so it must permit calls of tools inside machines, such as ptrace. */
static void host_make(struct program *program)
{
    static const long refused[] = {
        SYS_kexec_load,     SYS_kexec_file_load, SYS_init_module,       SYS_finit_module,
        SYS_delete_module,  SYS_perf_event_open, SYS_userfaultfd,       SYS_acct,
        SYS_swapon,         SYS_swapoff,         SYS_open_by_handle_at, SYS_lookup_dcookie,
        SYS_io_uring_setup, SYS_io_uring_enter,  SYS_io_uring_register,
#ifdef SYS_iopl
        SYS_iopl,           SYS_ioperm,
#endif
    };

    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        call_answer(program, refused[i], REFUSE);
    }
    sandbox_filter_answer(program, ALLOW);
}

/* Makes the filter of the manager. It permits the calls of a plugin, and those that lock and change
 * the files of its store, share memory, protect its memory, and watch its child processes. */
static void manager_make(struct program *program)
{
    static const long more[] = {
        SYS_fchown,
        SYS_fchownat,
        SYS_mlockall,
        SYS_pidfd_open,
        SYS_memfd_create,
        SYS_syncfs,
        SYS_pidfd_send_signal,
        SYS_setpriority,
#ifdef SYS_chown
        SYS_chown,
        SYS_lchown,
#endif
#if defined(__SANITIZE_ADDRESS__) /* needed by the leak checker */
        SYS_ptrace,
        SYS_clone,
        SYS_personality,
        SYS_process_vm_readv,
        SYS_prctl,
#endif
    };
    bool allowed[NUMBERS_MAX] = { false };
#if !defined(__SANITIZE_ADDRESS__)
    unsigned short begin;
#endif

    calls_list(allowed);
    for (size_t i = 0; i < ARRAY_COUNT(more); i++) {
        allowed[more[i]] = true;
    }
#if defined(__SANITIZE_ADDRESS__)
    call_answer(program, SYS_clone3, UNKNOWN);
    call_answer(program, SYS_clone, ALLOW);
    call_answer(program, SYS_prctl, ALLOW);
#else
    threads_allow(program);
    /* self_allow handles the other options of prctl */
    begin = sandbox_filter_call_begin(program, SYS_prctl);
    load_low(program, 0);
    answer_if(program, BPF_JEQ, PR_SET_DUMPABLE, ALLOW);
    load(program, offsetof(struct seccomp_data, nr));
    sandbox_filter_call_end(program, begin);
#endif
    manager_sockets_allow(program);
    files_allow(program);
    ioctls_allow(program);
    self_allow(program);
    ranges_allow(program, allowed);
}

/* Assembles the program and loads it into the kernel. */
static bool filter_load(void (*make)(struct program *))
{
    struct program program = { .length = 0 };
    struct sock_fprog loaded;

    load(&program, offsetof(struct seccomp_data, arch));
    sandbox_filter_add(&program, BPF_JMP | BPF_K | BPF_JEQ, ARCHITECTURE, 1, 0);
    sandbox_filter_answer(&program, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
    answer_if(&program, BPF_JGE, FIRST_X32, SECCOMP_RET_KILL_PROCESS);
    make(&program);
    loaded = (struct sock_fprog){ program.length, program.code };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded, 0, 0) == 0;
}

void sandbox_filter(const struct sandbox_options *options, struct sandbox_report *report)
{
    static void (*const makers[SANDBOX_PROFILE_COUNT])(struct program *) = {
        [SANDBOX_CLOUD] = sandbox_filter_cloud_make,
        [SANDBOX_HOST] = host_make,
        [SANDBOX_KEYS] = keys_make,
    };

    if (options->without[SANDBOX_CALLS]) {
        return;
    }
    if (!filter_load(makers[options->profile])) {
        sandbox_miss(report, SANDBOX_CALLS, "the kernel refuses", errno);
        return;
    }
    sandbox_note(report, SANDBOX_CALLS);
    snprintf(report->parts[SANDBOX_CALLS].why, SANDBOX_WHY_BYTES, "a list of calls that are %s",
             options->profile == SANDBOX_HOST ? "refused" : "allowed");
}

void sandbox_filter_manager(struct sandbox_report *report)
{
    if (!filter_load(manager_make)) {
        sandbox_miss(report, SANDBOX_CALLS, "the kernel refuses", errno);
        return;
    }
    sandbox_note(report, SANDBOX_CALLS);
    snprintf(report->parts[SANDBOX_CALLS].why, SANDBOX_WHY_BYTES,
             "a list of calls that are allowed");
}
