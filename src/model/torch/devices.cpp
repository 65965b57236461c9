#include "model/torch/devices.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/cuda.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "assay/error.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

/// A type of device that this LibTorch can use here, and how many there are.
struct Available {
    c10::DeviceType type = c10::kCPU;
    std::size_t count = 0;
};

/// Nothing: no such type.
std::optional<Available> available(std::string_view type) {
    if (type == "cuda") {
        // Without a driver, CUDA's guard may be there all the same.
        const std::size_t count = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
        return Available{c10::kCUDA, count};
    }
    try {
        const c10::Device device{std::string(type)};
        if (device.is_cpu()) return std::nullopt;
        if (!c10::impl::hasDeviceGuardImpl(device.type())) return Available{device.type(), 0};
        const c10::impl::VirtualGuardImpl guard(device.type());
        return Available{device.type(), static_cast<std::size_t>(guard.deviceCount())};
    } catch (const c10::Error&) {
        return std::nullopt;
    }
}

/// What the driver calls a CUDA device, in the order in which LibTorch counts them; "" where it
/// does not tell.
std::string name_of_cuda(int number) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return "";
    using Initialise = int (*)(unsigned);
    using Get = int (*)(int*, int);
    using Name = int (*)(char*, int, int);
    const auto initialise = reinterpret_cast<Initialise>(dlsym(driver, "cuInit"));
    const auto get = reinterpret_cast<Get>(dlsym(driver, "cuDeviceGet"));
    const auto name = reinterpret_cast<Name>(dlsym(driver, "cuDeviceGetName"));
    if (initialise == nullptr || get == nullptr || name == nullptr || initialise(0) != 0) return "";
    int device = 0;
    std::array<char, 256> text{};
    if (get(&device, number) != 0 || name(text.data(), static_cast<int>(text.size()) - 1, device) != 0)
        return "";
    return text.data();
}

std::string kind_of(c10::Device device) {
    std::string name = device.is_cuda() ? name_of_cuda(device.index()) : "";
    return name.empty() ? c10::DeviceTypeName(device.type(), /*lower_case=*/true) : name;
}

/// "0,2" after "cuda:". Throws usage.
std::vector<int> numbers_in(const std::string& name, std::string_view text) {
    std::vector<int> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string_view piece = text.substr(begin, comma - begin);
        int number = 0;
        const auto [stop, code] =
            std::from_chars(piece.data(), piece.data() + piece.size(), number);
        if (piece.empty() || stop != piece.data() + piece.size() || code != std::errc{} ||
            number < 0)
            throw Error(ErrorCode::usage,
                        fmt::format("device \"{}\": a number must follow \":\", or several with "
                                    "commas between them",
                                    name));
        if (std::ranges::find(numbers, number) != numbers.end())
            throw Error(ErrorCode::usage,
                        fmt::format("device \"{}\" names {} twice", name, number));
        numbers.push_back(number);
        begin = comma + 1;
    }
    return numbers;
}

}  // namespace

ChosenDevices devices_named(const ClassifierOptions& options) {
    const std::string& name = options.device;
    const auto only_cpu = ChosenDevices{{c10::Device(c10::kCPU)}, "cpu", {}};
    if (name == "cpu") return only_cpu;
    const std::size_t colon = std::min(name.find(':'), name.size());
    const std::string type = name == "auto" ? "cuda" : name.substr(0, colon);
    const std::optional<Available> there = available(type);
    if (!there) {
        throw Error(ErrorCode::usage,
                    fmt::format("unknown device \"{}\"; allowed: auto, cpu, cuda, cuda:N, cuda:N,M",
                                name));
    }
    if (name == "auto" && there->count == 0) return only_cpu;
    std::vector<int> wanted;
    if (colon < name.size()) wanted = numbers_in(name, std::string_view(name).substr(colon + 1));
    if (there->count == 0) {
        throw Error(ErrorCode::usage,
                    fmt::format("device \"{}\": {} finds no {} device here; use cpu or auto", name,
                                framework_name(), type == "cuda" ? "CUDA" : type));
    }
    for (const int number : wanted) {
        if (static_cast<std::size_t>(number) < there->count) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("device \"{}\": there are {} {} devices, {}:0 to {}:{}", name,
                                there->count, type == "cuda" ? "CUDA" : type, type, type,
                                there->count - 1));
    }
    ChosenDevices chosen;
    const auto device = [&](std::size_t number) {
        return c10::Device(there->type, static_cast<c10::DeviceIndex>(number));
    };
    if (!wanted.empty()) {
        for (const int number : wanted)
            chosen.devices.push_back(device(static_cast<std::size_t>(number)));
    } else if (options.processes > 1) {
        chosen.devices.push_back(device(options.process % there->count));
    } else {
        for (std::size_t i = 0; i < there->count; ++i) chosen.devices.push_back(device(i));
    }
    chosen.name = kind_of(chosen.devices.front());
    std::string others;
    std::erase_if(chosen.devices, [&](c10::Device one) {
        const std::string kind = kind_of(one);
        if (kind == chosen.name) return false;
        if (!wanted.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("device \"{}\": {} is another kind ({}) than {} ({}), whose "
                                    "scores have other bits",
                                    name, one.str(), kind, chosen.devices.front().str(),
                                    chosen.name));
        }
        others += (others.empty() ? "" : ", ") + fmt::format("{} ({})", one.str(), kind);
        return true;
    });
    if (!others.empty()) {
        chosen.notes.push_back(fmt::format(
            "{} has no part in it: scores of another kind of device than {} have other bits",
            others, chosen.name));
    }
    return chosen;
}

void compute_in(Precision precision, const ChosenDevices& chosen) {
    const bool cpu = chosen.devices.front().is_cpu();
    if (cpu && precision != Precision::fp32) {
        throw Error(ErrorCode::usage,
                    fmt::format("precision {} is for CUDA devices; this is the processor, which "
                                "computes in fp32",
                                name_of(precision)));
    }
    if (cpu) return;
    static std::mutex mutex;
    static std::optional<bool> set;
    const bool tf32 = precision == Precision::tf32;
    const std::lock_guard lock(mutex);
    if (set && *set != tf32) {
        throw Error(ErrorCode::usage,
                    "LibTorch has one setting for tf32 in a process: models of precision tf32 and "
                    "of others are run apart");
    }
    set = tf32;
    at::globalContext().setAllowTF32CuDNN(tf32);
    at::globalContext().setAllowTF32CuBLAS(tf32);
}

Lane::Lane(c10::Device on, std::size_t which) : device(on), copy(which) {
    if (!c10::impl::hasDeviceGuardImpl(on.type())) return;
    const c10::impl::VirtualGuardImpl guard(on.type());
    try {
        stream = guard.getStreamFromGlobalPool(on);
    } catch (const c10::Error&) {
        // Its work is done when a call returns.
    }
}

at::Tensor Lane::pinned(at::Tensor& memory, std::int64_t count, at::ScalarType type) const {
    if (!memory.defined() || memory.numel() < count)
        memory = at::empty({count}, at::TensorOptions(type).pinned_memory(device.is_cuda()));
    return memory.narrow(0, 0, count);
}

void Lane::within(const std::function<void()>& work) const {
    const c10::OptionalDeviceGuard on(device);
    const c10::OptionalStreamGuard in(stream);
    work();
}

void Lane::wait() const {
    if (!stream) return;
    c10::Event done(device.type());
    done.record(*stream);
    constexpr auto between_looks = std::chrono::microseconds(50);
    while (!done.query()) std::this_thread::sleep_for(between_looks);
}

Lanes::Lanes(const std::vector<c10::Device>& devices) {
    for (std::size_t lane = 0; lane < of_a_device; ++lane) {
        for (std::size_t copy = 0; copy < devices.size(); ++copy) {
            lanes_.push_back(std::make_unique<Lane>(devices[copy], copy));
            free_.push_back(lanes_.back().get());
        }
    }
}

void Lanes::run(const std::function<void(Lane&)>& work) {
    Lane* lane = nullptr;
    {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return !free_.empty(); });
        lane = free_.front();
        free_.pop_front();
    }
    const auto give_back = [&] {
        const std::lock_guard lock(mutex_);
        free_.push_back(lane);
        freed_.notify_one();
    };
    try {
        lane->within([&] { work(*lane); });
    } catch (...) {
        try {
            lane->within([&] { lane->wait(); });  // it may still read the lane's memory
        } catch (...) {
            // The device itself has failed; what failed first is what is told.
        }
        give_back();
        throw;
    }
    give_back();
}

}  // namespace assay::torch_plugin
