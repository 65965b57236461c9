#include "model/torch/runtime.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "model/torch/cuda_devices.h"

namespace assay::torch_plugin {
namespace {

/// OpenBLAS has its own threads, which at::set_num_threads does not control. Other BLAS libraries
/// lack this function and do not need it.
void set_blas_threads(int threads) {
    for (const char* name : {"openblas_set_num_threads", "bli_thread_set_num_threads"}) {
        if (auto* function = dlsym(RTLD_DEFAULT, name)) {
            if (std::string_view(name).starts_with("open")) {
                reinterpret_cast<void (*)(int)>(function)(threads);
            } else {
                reinterpret_cast<void (*)(long)>(function)(threads);
            }
        }
    }
}

/// The library must not print, so LibTorch's warnings ("this function is deprecated") are dropped.
class Silence final : public c10::WarningHandler {
public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning&) override {}
#else
    void process(const c10::SourceLocation&, const std::string&, bool) override {}
#endif
};

void silence_this_thread() {
    static Silence silence;
#if TORCH_VERSION_MAJOR >= 2
    c10::WarningUtils::set_warning_handler(&silence);
#else
    c10::Warning::set_warning_handler(&silence);
#endif
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool means_memory(std::string_view message) {
    for (const std::string_view sign :
         {"out of memory", "can't allocate memory", "not enough memory", "bad_alloc",
          "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"}) {
        if (contains(message, sign)) return true;
    }
    return false;
}

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

/// The TorchScript interpreter puts the reason on this line, below its trace: "RuntimeError: what
/// happened".
bool names_an_error(std::string_view line) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos || colon > 60) return false;
    const std::string_view word = line.substr(0, colon);
    return word.find(' ') == std::string_view::npos &&
           (word.ends_with("Error") || word.ends_with("Exception"));
}

/// LibTorch's own pool starts a thread per core, and waits forever for threads that the system
/// refuses. So this starts the same number of threads first.
void check_threads() {
    const unsigned wanted = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    std::atomic<bool> enough{false};
    try {
        while (threads.size() + 1 < wanted) threads.emplace_back([&] { enough.wait(false); });
    } catch (const std::system_error& error) {
        enough = true;
        enough.notify_all();
        throw Error(ErrorCode::io,
                    fmt::format("LibTorch needs {} threads, one per core, and the system allows "
                                "{} ({}): see `ulimit -u` and the container's limit",
                                wanted, threads.size() + 1, error.code().message()));
    }
    enough = true;
    enough.notify_all();
}

}  // namespace

void prepare_process() {
    check_threads();
    // glog (in Debian's LibTorch) reads this when it first logs. A value from the user is kept.
    setenv("GLOG_minloglevel", "2", 0);
    silence_this_thread();
    at::set_num_threads(1);
    try {
        at::set_num_interop_threads(1);
    } catch (const c10::Error&) {
        // Other code in the process has already used the pool. Its size does not affect results.
    }
    set_blas_threads(1);
    // On a GPU: full float32 products unless requested otherwise, with the same algorithm in every
    // run. The default for convolutions drops 13 of their 24 bits. With several streams, cuBLAS
    // chooses algorithms by its workspaces, unless these are fixed before it starts.
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
    // If LibTorch has LLVM, TorchScript's second call compiles fused kernels for the shapes of the
    // first. For a network of one second, this takes minutes (2.6 in Debian), and the bits differ
    // from those of the first call.
    torch::jit::setTensorExprFuserEnabled(false);
}

void compute_on_threads(int threads) {
    at::set_num_threads(threads);
    set_blas_threads(threads);
}

void prepare_thread() {
    thread_local const bool once = [] {
        at::init_num_threads();
        silence_this_thread();
        return true;
    }();
    static_cast<void>(once);
}

void compute_with(Precision precision) {
    static std::mutex mutex;
    static std::optional<Precision> before;
    const std::scoped_lock lock(mutex);
    const bool tf32 = precision == Precision::tf32;
    if (before && (*before == Precision::tf32) != tf32) {
        throw Error(ErrorCode::usage,
                    fmt::format("precision \"{}\": this process already computes in {}, and tf32 "
                                "cannot share a process with another precision",
                                name_of(precision), name_of(*before)));
    }
    before = precision;
    at::globalContext().setAllowTF32CuDNN(tf32);
    at::globalContext().setAllowTF32CuBLAS(tf32);
}

CudaFacts cuda_facts() {
    CudaFacts facts{static_cast<int>(torch::cuda::device_count())};
    if (facts.devices > 0) facts.libraries = cuda_libraries();
    return facts;
}

std::string framework_name() {
    return fmt::format("LibTorch {}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR,
                       TORCH_VERSION_PATCH);
}

std::string framework_name(c10::Device device) {
    return device.is_cuda() ? fmt::format("{} ({})", framework_name(), cuda_libraries())
                            : framework_name();
}

std::string first_reason(std::string_view message) {
    std::string_view first;
    std::string_view named;
    for (std::size_t begin = 0; begin < message.size();) {
        const std::size_t end = std::min(message.find('\n', begin), message.size());
        const std::string_view line = trimmed(message.substr(begin, end - begin));
        begin = end + 1;
        if (line.starts_with("Exception raised from") || line.starts_with("frame #")) break;
        if (line.empty() || line.starts_with("The following operation failed") ||
            line.starts_with("Traceback"))
            continue;
        if (names_an_error(line)) named = line;
        if (first.empty()) first = line;
    }
    std::string_view reason = named.empty() ? first : named;
    if (reason.starts_with("RuntimeError: ")) reason.remove_prefix(14);
    constexpr std::size_t longest = 300;
    return reason.size() > longest ? std::string(reason.substr(0, longest)) + "..."
                                   : std::string(reason);
}

Error translated(std::string_view context) {
    const auto made = [&](std::string_view message) {
        const bool memory = means_memory(message);
        return Error(memory ? ErrorCode::out_of_memory : ErrorCode::bad_input,
                     fmt::format("{}: {}", context, first_reason(message)));
    };
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(ErrorCode::out_of_memory, fmt::format("{}: out of memory", context));
    } catch (const c10::OutOfMemoryError& error) {
        return Error(ErrorCode::out_of_memory,
                     fmt::format("{}: {}", context, first_reason(error.what_without_backtrace())));
    } catch (const c10::Error& error) {
        return made(error.what_without_backtrace());
    } catch (const std::exception& error) {
        return made(error.what());
    } catch (...) {
        return Error(ErrorCode::bad_input,
                     fmt::format("{}: unknown failure inside LibTorch", context));
    }
}

}  // namespace assay::torch_plugin
