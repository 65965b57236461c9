// A library to preload into a program. It makes one of the program's system calls fail, or ends it
// at that call.
//
//   ASSAY_FAULT_BELOW  folders, separated by ':'; calls on other files are not changed
//
//   ASSAY_FAULT_AT     number of the call, from 1; if 0 or absent, calls are only counted
//
//   ASSAY_FAULT_AS     error:NAME (EIO, ENOSPC, ...), once:NAME (that call only), short (half of a
//                      read or write, once), kill (SIGKILL before the call), killed (after it).
// `power` is SIGKILL after the call; data written and not synchronized are
//                      halved. `cut` removes the second half of the call's file.
//
//   ASSAY_FAULT_COUNT  a file of text to which "NUMBER CALL PATH" is added for every call
//
// With `error`, the call fails, and so do later calls of its kind on the file, as on a broken disk.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

template <class Function>
Function* next_of(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Plan {
    std::string below, count;
    long at = 0;
    enum { error, once, shortened, kill_before, kill_after, power, cut } as = error;
    int code = EIO;

    Plan() {
        const auto text = [](const char* name) {
            const char* value = std::getenv(name);
            return std::string(value != nullptr ? value : "");
        };
        // Only calls of the command are counted. The processes that run its models may not write a
        // file of counts.
        if (std::string_view(::program_invocation_short_name) == "assay-model") return;
        below = text("ASSAY_FAULT_BELOW");
        count = text("ASSAY_FAULT_COUNT");
        at = std::atol(text("ASSAY_FAULT_AT").c_str());
        const std::string how = text("ASSAY_FAULT_AS");
        const std::string name = how.substr(how.find(':') + 1);
        as = how == "short"             ? shortened
             : how == "kill"            ? kill_before
             : how == "killed"          ? kill_after
             : how == "power"           ? power
             : how == "cut"             ? cut
             : how.starts_with("once:") ? once
                                        : error;
        for (const int known :
             {EIO, ENOSPC, EDQUOT, EINTR, EMFILE, ENOMEM, EACCES, EROFS, EAGAIN}) {
            if (name == ::strerrorname_np(known)) code = known;
        }
    }
};

Plan& plan() {
    static Plan made;
    return made;
}

std::atomic<long> calls{0};
thread_local bool inside = false;  ///< calls of this library are not counted
std::string failing;               ///< the "CALL PATH" that fails from now on
std::mutex dirty_mutex;
std::set<std::string> dirty;  ///< files that were written, and not synchronized since

bool is_below(const std::string& path) {
    const std::string& folders = plan().below;
    for (std::size_t begin = 0; begin < folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        if (end > begin && path.compare(0, end - begin, folders, begin, end - begin) == 0)
            return true;
        begin = end + 1;
    }
    return false;
}

std::string path_of(int descriptor) {
    char link[64], target[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t size = ::readlink(link, target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

std::string absolute(const char* path) {
    if (path == nullptr) return {};
    if (path[0] == '/') return path;
    char folder[PATH_MAX];
    return ::getcwd(folder, sizeof folder) != nullptr ? std::string(folder) + "/" + path : path;
}

void note(long number, const char* call, const std::string& path) {
    if (plan().count.empty()) return;
    static auto* const open_file = next_of<int(const char*, int, ...)>("open");
    static auto* const write_file = next_of<ssize_t(int, const void*, std::size_t)>("write");
    static const int out =
        open_file(plan().count.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const std::string line = std::to_string(number) + " " + call + " " + path + "\n";
    if (out >= 0 && write_file(out, line.data(), line.size()) < 0) std::abort();
}

enum class Verdict { pass, fail, shorten, end_after, lose_after, cut_after };

void halve(const std::string& path) {
    struct stat info {};
    static auto* const look = next_of<int(const char*, struct stat*)>("stat");
    if (look(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
        (void)!::truncate(path.c_str(), info.st_size / 2);
}

/// Called after a successful call. Records the data that a power cut would lose.
void keep_account(const char* call, const std::string& path, const std::string& from) {
    if (plan().as != Plan::power || !is_below(path)) return;
    const std::lock_guard guard(dirty_mutex);
    const std::string kind = call;
    if (kind == "write" || kind == "ftruncate") dirty.insert(path);
    if (kind == "fsync" || kind == "unlink") dirty.erase(path);
    if (kind == "rename" && dirty.erase(from) > 0) dirty.insert(path);
}

Verdict judge(const char* call, const std::string& path) {
    if (inside || !is_below(path)) return Verdict::pass;
    inside = true;
    const long number = ++calls;
    note(number, call, path);
    Verdict verdict = Verdict::pass;
    const std::string place = std::string(call) + " " + path;
    if (number == plan().at) {
        switch (plan().as) {
            case Plan::kill_before:
                ::kill(::getpid(), SIGKILL);
                break;
            case Plan::kill_after:
                verdict = Verdict::end_after;
                break;
            case Plan::power:
                verdict = Verdict::lose_after;
                break;
            case Plan::cut:
                verdict = Verdict::cut_after;
                break;
            case Plan::shortened:
                verdict = Verdict::shorten;
                break;
            case Plan::error:
                failing = place;
                verdict = Verdict::fail;
                break;
            case Plan::once:
                verdict = Verdict::fail;
                break;
        }
    } else if (!failing.empty() && place == failing) {
        verdict = Verdict::fail;
    }
    if (verdict == Verdict::fail) errno = plan().code;
    inside = false;
    return verdict;
}

template <class Result>
Result failed() {
    if constexpr (std::is_pointer_v<Result>)
        return nullptr;
    else
        return Result(-1);
}

/// Applies the fault after the call.
template <class Result>
Result ended(const char* call, const std::string& path, Verdict verdict, Result result,
             const std::string& from = {}) {
    const int code = errno;
    if (verdict == Verdict::end_after) ::kill(::getpid(), SIGKILL);
    if (verdict == Verdict::cut_after) halve(path);
    if (result != failed<Result>()) keep_account(call, path, from);
    if (verdict == Verdict::lose_after) {
        for (const std::string& lost : dirty) halve(lost);
        ::kill(::getpid(), SIGKILL);
    }
    errno = code;
    return result;
}

/// Calls on a path that return -1 on failure.
template <class Function, class... Arguments>
int about_path(const char* name, Function* next, const std::string& path, Arguments... arguments) {
    const Verdict verdict = judge(name, path);
    return verdict == Verdict::fail ? -1 : ended(name, path, verdict, next(arguments...));
}

/// Reads and writes of `size` bytes, or of half of them.
template <class Run>
ssize_t transfer(const char* name, int descriptor, size_t size, Run&& run) {
    const std::string file = path_of(descriptor);
    const Verdict verdict = judge(name, file);
    if (verdict == Verdict::fail) return -1;
    return ended(name, file, verdict, run(verdict == Verdict::shorten ? (size + 1) / 2 : size));
}

mode_t mode_in(int flags, va_list list) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

std::string at_folder(int folder, const char* path) {
    if (path != nullptr && path[0] == '/') return path;
    return folder == AT_FDCWD ? absolute(path)
                              : path_of(folder) + "/" + (path != nullptr ? path : "");
}

}  // namespace

extern "C" {

#define NEXT(name) static auto* const next = next_of<decltype(name)>(#name)

int open(const char* path, int flags, ...) {
    NEXT(open);
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_in(flags, list);
    va_end(list);
    return about_path("open", next, absolute(path), path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    NEXT(open64);
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_in(flags, list);
    va_end(list);
    return about_path("open", next, absolute(path), path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    NEXT(openat);
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_in(flags, list);
    va_end(list);
    return about_path("open", next, at_folder(folder, path), folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
    NEXT(fopen);
    const std::string file = absolute(path);
    const Verdict verdict = judge("open", file);
    return verdict == Verdict::fail ? nullptr : ended("open", file, verdict, next(path, mode));
}

FILE* fopen64(const char* path, const char* mode) {
    NEXT(fopen64);
    const std::string file = absolute(path);
    const Verdict verdict = judge("open", file);
    return verdict == Verdict::fail ? nullptr : ended("open", file, verdict, next(path, mode));
}

ssize_t read(int descriptor, void* out, size_t size) {
    NEXT(read);
    return transfer("read", descriptor, size, [&](size_t n) { return next(descriptor, out, n); });
}

ssize_t pread(int descriptor, void* out, size_t size, off_t at) {
    NEXT(pread);
    return transfer("read", descriptor, size,
                    [&](size_t n) { return next(descriptor, out, n, at); });
}

ssize_t pread64(int descriptor, void* out, size_t size, off64_t at) {
    NEXT(pread64);
    return transfer("read", descriptor, size,
                    [&](size_t n) { return next(descriptor, out, n, at); });
}

ssize_t write(int descriptor, const void* data, size_t size) {
    NEXT(write);
    return transfer("write", descriptor, size, [&](size_t n) { return next(descriptor, data, n); });
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t at) {
    NEXT(pwrite);
    return transfer("write", descriptor, size,
                    [&](size_t n) { return next(descriptor, data, n, at); });
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t at) {
    NEXT(pwrite64);
    return transfer("write", descriptor, size,
                    [&](size_t n) { return next(descriptor, data, n, at); });
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
    NEXT(writev);
    const std::string file = path_of(descriptor);
    const Verdict verdict = judge("write", file);
    if (verdict == Verdict::fail) return -1;
    return ended("write", file, verdict,
                 next(descriptor, parts, verdict == Verdict::shorten ? 1 : count));
}

int fsync(int descriptor) {
    NEXT(fsync);
    return about_path("fsync", next, path_of(descriptor), descriptor);
}

int fdatasync(int descriptor) {
    NEXT(fdatasync);
    return about_path("fsync", next, path_of(descriptor), descriptor);
}

int ftruncate(int descriptor, off_t size) {
    NEXT(ftruncate);
    return about_path("ftruncate", next, path_of(descriptor), descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    NEXT(ftruncate64);
    return about_path("ftruncate", next, path_of(descriptor), descriptor, size);
}

int rename(const char* from, const char* to) {
    NEXT(rename);
    const std::string target = absolute(to);
    const Verdict verdict = judge("rename", target);
    if (verdict == Verdict::fail) return -1;
    return ended("rename", target, verdict, next(from, to), absolute(from));
}

int link(const char* from, const char* to) {
    NEXT(link);
    return about_path("link", next, absolute(to), from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    NEXT(linkat);
    return about_path("link", next, at_folder(to_folder, to), from_folder, from, to_folder, to,
                      flags);
}

int unlink(const char* path) {
    NEXT(unlink);
    return about_path("unlink", next, absolute(path), path);
}

int remove(const char* path) {
    NEXT(remove);
    return about_path("unlink", next, absolute(path), path);
}

int mkdir(const char* path, mode_t mode) {
    NEXT(mkdir);
    return about_path("mkdir", next, absolute(path), path, mode);
}

int fchmod(int descriptor, mode_t mode) {
    NEXT(fchmod);
    return about_path("fchmod", next, path_of(descriptor), descriptor, mode);
}

int fstat(int descriptor, struct stat* out) {
    NEXT(fstat);
    return about_path("fstat", next, path_of(descriptor), descriptor, out);
}

int stat(const char* path, struct stat* out) {
    NEXT(stat);
    return about_path("stat", next, absolute(path), path, out);
}

int lstat(const char* path, struct stat* out) {
    NEXT(lstat);
    return about_path("stat", next, absolute(path), path, out);
}

DIR* opendir(const char* path) {
    NEXT(opendir);
    const Verdict verdict = judge("opendir", absolute(path));
    return verdict == Verdict::fail ? nullptr : ended("opendir", "", verdict, next(path));
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t at) {
    NEXT(mmap);
    const std::string file = descriptor < 0 ? std::string() : path_of(descriptor);
    const Verdict verdict = judge("mmap", file);
    if (verdict == Verdict::fail) return MAP_FAILED;
    return ended("mmap", file, verdict, next(address, size, protection, flags, descriptor, at));
}

int flock(int descriptor, int operation) {
    NEXT(flock);
    return about_path("flock", next, path_of(descriptor), descriptor, operation);
}

/// Starting a thread has no file. It is counted if ASSAY_FAULT_BELOW names /thread.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
    NEXT(pthread_create);
    const Verdict verdict = judge("pthread_create", "/thread");
    if (verdict == Verdict::fail) return EAGAIN;
    return ended("pthread_create", "", verdict, next(thread, attributes, run, argument));
}

}  // extern "C"
