#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "model/isolated/sandbox.h"

namespace assay::isolated {
namespace {

#if defined(__x86_64__)

/// Calls that no model needs, with any arguments.
constexpr int refused_calls[] = {
    // sockets
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    // programs and processes
    SYS_execve, SYS_execveat, SYS_fork, SYS_vfork, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setpgid, SYS_setsid, SYS_setpriority,
    SYS_process_madvise, SYS_migrate_pages, SYS_move_pages, SYS_unshare, SYS_setns,
    // files by name
    SYS_creat, SYS_truncate, SYS_mkdir, SYS_mkdirat, SYS_mknod, SYS_mknodat, SYS_link, SYS_linkat,
    SYS_symlink, SYS_symlinkat, SYS_unlink, SYS_unlinkat, SYS_rmdir, SYS_rename, SYS_renameat,
    SYS_renameat2, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_chown, SYS_lchown, SYS_fchown,
    SYS_fchownat, SYS_utime, SYS_utimes, SYS_futimesat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_chroot, SYS_pivot_root,
    SYS_mount, SYS_umount2, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // shared objects with names, and entry points into the kernel
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_semget, SYS_mq_open, SYS_mq_unlink,
    SYS_io_uring_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key,
    SYS_request_key, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_kexec_file_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, SYS_syslog,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
    SYS_clock_adjtime, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_setuid, SYS_setgid, SYS_setreuid,
    SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
    SYS_capset, SYS_personality, SYS_vhangup, SYS_ioprio_set};

/// The C library has alternatives for these calls if the kernel seems to lack them.
constexpr int absent_calls[] = {SYS_clone3, 437 /* openat2 */};

constexpr std::uint32_t writing =
    O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

/// A description of a call that only a malicious model makes; nullptr for any other
/// call.
constexpr const char* attempt(int call) {
    switch (call) {
        case SYS_open:
        case SYS_openat:
        case SYS_creat:
            return "open a file for writing";
        case SYS_mkdir:
        case SYS_mkdirat:
        case SYS_rename:
        case SYS_renameat:
        case SYS_renameat2:
        case SYS_rmdir:
        case SYS_unlink:
        case SYS_unlinkat:
        case SYS_truncate:
            return "change files";
        case SYS_socket:
        case SYS_connect:
        case SYS_bind:
            return "open a socket";
        case SYS_clone:
        case SYS_execve:
        case SYS_execveat:
        case SYS_fork:
        case SYS_vfork:
            return "start a program";
        default:
            return nullptr;
    }
}

std::atomic<const char*> first_attempt{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "set by a signal handler");

extern "C" void on_refused_call(int, siginfo_t* info, void* context) {
    const char* none = nullptr;
    first_attempt.compare_exchange_strong(none, attempt(info->si_syscall));
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RAX] = -EACCES;
}

class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        // Calls from the 32-bit table are not allowed.
        skip_unless(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
        give(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
        skip_unless(BPF_JGE, 0x40000000, 0, 1);  // x32
        give(SECCOMP_RET_KILL_PROCESS);
        // Calls newer than this list (from fchmodat2 on) fail as on a kernel without them.
        skip_unless(BPF_JGE, 452, 0, 1);
        give(SECCOMP_RET_ERRNO | ENOSYS);
    }
    /// Both functions leave the number of the call loaded.
    void refuse(int call) { answer(call, SECCOMP_RET_TRAP); }
    void say_absent(int call) { answer(call, SECCOMP_RET_ERRNO | ENOSYS); }
    /// Refuses a call if argument `index` has one of these bits, or with `none` if it has none of
    /// these bits.
    void refuse_with_bits(int call, unsigned index, std::uint32_t bits, bool none = false) {
        skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
        load(argument(index));
        skip_unless(BPF_JSET, bits, none ? 1 : 0, none ? 0 : 1);
        give(SECCOMP_RET_TRAP);
        give(SECCOMP_RET_ALLOW);
    }
    void refuse_unless_equal(int call, unsigned index, std::uint32_t a, std::uint32_t b) {
        skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 5);
        load(argument(index));
        skip_unless(BPF_JEQ, a, 2, 0);
        skip_unless(BPF_JEQ, b, 1, 0);
        give(SECCOMP_RET_TRAP);
        give(SECCOMP_RET_ALLOW);
    }
    void refuse_values(int call, unsigned index, const std::vector<std::uint32_t>& values) {
        const auto n = static_cast<std::uint8_t>(values.size());
        skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(n + 3));
        load(argument(index));
        for (std::uint8_t i = 0; i < n; ++i)
            skip_unless(BPF_JEQ, values[i], static_cast<std::uint8_t>(n - i), 0);
        give(SECCOMP_RET_ALLOW);
        give(SECCOMP_RET_TRAP);
    }
    std::vector<sock_filter> take() {
        give(SECCOMP_RET_ALLOW);
        return std::move(program_);
    }

private:
    /// The lower half of an argument. Flags and process numbers fit into it.
    static std::uint32_t argument(unsigned index) {
        return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index);
    }
    void load(std::uint32_t offset) {
        program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
    }
    void give(std::uint32_t value) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, value)); }
    void skip_unless(int test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
        program_.push_back(
            BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), value, yes, no));
    }
    void answer(int call, std::uint32_t value) {
        skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
        give(value);
    }
    std::vector<sock_filter> program_;
};

std::vector<sock_filter> calls_filter() {
    Filter filter;
    for (const int call : absent_calls) filter.say_absent(call);
    for (const int call : refused_calls) filter.refuse(call);
    filter.refuse_with_bits(SYS_open, 1, writing);
    filter.refuse_with_bits(SYS_openat, 2, writing);
    filter.refuse_with_bits(SYS_clone, 0, CLONE_THREAD, true);
    const auto self = static_cast<std::uint32_t>(::getpid());
    for (const int call : {SYS_kill, SYS_tgkill}) filter.refuse_unless_equal(call, 0, self, self);
    for (const int call : {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler,
                           SYS_sched_setparam, SYS_sched_setattr})
        filter.refuse_unless_equal(call, 0, 0, self);
    // A descriptor could be set to send any signal to any process when data arrives.
    filter.refuse_values(SYS_fcntl, 1, {F_SETOWN, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */});
    filter.refuse_values(SYS_ioctl, 1, {FIOSETOWN, SIOCSPGRP, TIOCSTI});
    return filter.take();
}

#endif

}  // namespace

bool has_one_thread() {
    std::error_code error;
    const std::filesystem::directory_iterator threads("/proc/self/task", error);
    return error || std::distance(begin(threads), end(threads)) == 1;
}

#if defined(__x86_64__)

std::optional<std::string> limit_calls() {
    struct sigaction action {};
    action.sa_sigaction = on_refused_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGSYS, &action, nullptr);
    std::vector<sock_filter> filter = calls_filter();
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
        return std::nullopt;
    return fmt::format("seccomp: {}", std::strerror(errno));
}

std::optional<std::string> first_refused_call() {
    const char* what = first_attempt.load();
    return what == nullptr ? std::nullopt : std::optional<std::string>(what);
}

#else

std::optional<std::string> limit_calls() {
    return "seccomp: there is no list of system calls for this processor";
}

std::optional<std::string> first_refused_call() {
    return std::nullopt;
}

#endif

}  // namespace assay::isolated
