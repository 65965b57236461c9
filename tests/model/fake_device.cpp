#include "fake_device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::fake_device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr c10::DeviceType fake = c10::DeviceType::PrivateUse1;
/// Delay after the last call, to simulate a slow device. Tests give the same result for any delay.
constexpr std::chrono::microseconds delay(300);

struct StreamWork {
    std::vector<std::function<void()>> late;
    Clock::time_point done;
};

struct Machine {
    std::mutex mutex;
    Seen seen;
    std::map<std::pair<int, std::int64_t>, StreamWork> streams;
    std::array<std::size_t, kDevices> used{};
    std::array<int, kDevices> busy{};
    std::array<std::int64_t, kDevices> next_stream{};
    std::size_t limit = std::numeric_limits<std::size_t>::max();
    std::string failing;
};

Machine& machine() {
    static Machine all;
    return all;
}

thread_local int current_device = 0;
thread_local std::array<std::int64_t, kDevices> current_stream{};
/// From now on, the processor copies the data.
thread_local bool in_operator = false;

c10::Stream stream_of(int device_number) {
    return c10::Stream(c10::Stream::UNSAFE, device(device_number),
                       current_stream[static_cast<std::size_t>(device_number)]);
}

/// Runs the work of a stream when it is due.
bool query(const c10::Stream& stream) {
    std::vector<std::function<void()>> late;  // the work's tensors are freed without the lock
    const std::scoped_lock lock(machine().mutex);
    StreamWork& work = machine().streams[{stream.device_index(), stream.id()}];
    if (Clock::now() < work.done) return false;
    late.swap(work.late);
    for (const auto& step : late) step();
    return true;
}

void synchronise(const c10::Stream& stream) {
    while (!query(stream)) std::this_thread::sleep_for(delay / 4);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return fake; }
    c10::Device exchangeDevice(c10::Device to) const override {
        return device(std::exchange(current_device, to.index()));
    }
    c10::Device getDevice() const override { return device(current_device); }
    void setDevice(c10::Device to) const override { current_device = to.index(); }
    void uncheckedSetDevice(c10::Device to) const noexcept override { current_device = to.index(); }
    c10::Stream getStream(c10::Device of) const noexcept override {
        return stream_of(of.has_index() ? of.index() : current_device);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device of, bool /*important*/) const override {
        const std::scoped_lock lock(machine().mutex);
        return c10::Stream(c10::Stream::UNSAFE, of,
                           ++machine().next_stream[static_cast<std::size_t>(of.index())]);
    }
    c10::Stream exchangeStream(c10::Stream to) const noexcept override {
        const c10::Stream before = stream_of(to.device_index());
        current_stream[static_cast<std::size_t>(to.device_index())] = to.id();
        return before;
    }
    c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
    bool queryStream(const c10::Stream& stream) const override { return query(stream); }
    void synchronizeStream(const c10::Stream& stream) const override { synchronise(stream); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Block {
    int device;
    std::size_t bytes;
    void* data;
};

void release(void* context) {
    const auto* block = static_cast<Block*>(context);
    {
        const std::scoped_lock lock(machine().mutex);
        machine().used[static_cast<std::size_t>(block->device)] -= block->bytes;
    }
    std::free(block->data);
    delete block;
}

struct Memory final : c10::Allocator {
#if TORCH_VERSION_MAJOR >= 2
    c10::DataPtr allocate(std::size_t bytes) override {
        return allocated(bytes);
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
#else
    c10::DataPtr allocate(std::size_t bytes) const override {
        return allocated(bytes);
    }
#endif

private:
    static c10::DataPtr allocated(std::size_t bytes) {
        const int where = current_device;
        {
            const std::scoped_lock lock(machine().mutex);
            std::size_t& used = machine().used[static_cast<std::size_t>(where)];
            if (used + bytes > machine().limit) {
                ++machine().seen.out_of_memory;
                TORCH_CHECK_WITH(OutOfMemoryError, false, "fake device: out of memory");
            }
            used += bytes;
            machine().seen.most_bytes = std::max(machine().seen.most_bytes, used);
        }
        auto* block = new Block{where, bytes, std::malloc(std::max<std::size_t>(bytes, 1))};
        // Memory that was not written holds NaN.
        std::memset(block->data, 0xff, bytes);
        return {block->data, block, &release, device(where)};
    }
};

Memory& memory() {
    static Memory all;
    return all;
}

at::Tensor empty(c10::IntArrayRef sizes, c10::optional<at::ScalarType> type,
                 c10::optional<at::Layout> /*layout*/, c10::optional<at::Device> where,
                 c10::optional<bool> /*pinned*/, c10::optional<at::MemoryFormat> format) {
    const c10::OptionalDeviceGuard guard(where);
    return at::detail::empty_generic(sizes, &memory(),
                                     c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     type.value_or(at::kFloat), format);
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                         c10::optional<at::ScalarType> type, c10::optional<at::Layout> /*layout*/,
                         c10::optional<at::Device> where, c10::optional<bool> /*pinned*/) {
    const c10::OptionalDeviceGuard guard(where);
    return at::detail::empty_strided_generic(sizes, strides, &memory(),
                                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                             type.value_or(at::kFloat));
}

/// A tensor of the processor that shares this memory.
at::Tensor as_host(const at::Tensor& x) {
    std::int64_t numbers = x.numel() > 0 ? 1 : 0;
    for (std::int64_t d = 0; d < x.dim() && numbers > 0; ++d)
        numbers += (x.size(d) - 1) * x.stride(d);
    return at::from_blob(x.data_ptr(), {numbers}, at::TensorOptions(x.scalar_type()))
        .as_strided(x.sizes(), x.strides());
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
    const at::Tensor source = as_host(from), target = as_host(to);
    if (in_operator) {
        target.copy_(source);
        return to;
    }
    const int number = from.is_cpu() ? to.device().index() : from.device().index();
    const c10::Stream stream = stream_of(number);
    if (!non_blocking) {
        synchronise(stream);
        target.copy_(source);
        return to;
    }
    // Copies the current numbers. A target on the processor gets them late, and a source on the
    // processor must keep them until then.
    const at::Tensor snapshot = source.clone();
    const bool out = to.is_cpu();
    if (out) {
        std::memset(target.data_ptr(), 0xff, target.nbytes());
    } else {
        target.copy_(snapshot);
    }
    const std::scoped_lock lock(machine().mutex);
    ++machine().seen.late_copies;
    StreamWork& work = machine().streams[{number, stream.id()}];
    work.done = Clock::now() + delay;
    work.late.emplace_back([from, to, source, target, snapshot, out] {
        if (out) {
            target.copy_(snapshot);
        } else if (std::memcmp(source.data_ptr(), snapshot.data_ptr(), source.nbytes()) != 0) {
            ++machine().seen.overwritten;
        }
    });
    return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
    to.resize_(from.sizes());
    return copy_from(from, to, false);
}

/// Marks one operator as running on a device for the lifetime of the object.
class Running {
public:
    Running(const std::string& name, int on) : on_(static_cast<std::size_t>(on)) {
        Machine& all = machine();
        const std::scoped_lock lock(all.mutex);
        if (all.failing == name) {
            all.failing.clear();
            TORCH_CHECK(false, "fake device: ", name, " failed");
        }
        all.seen.devices.insert(on);
        const std::int64_t stream = current_stream[on_];
        if (stream == 0) ++all.seen.on_default_stream;
        if (on != current_device) ++all.seen.elsewhere;
        all.seen.streams.insert(stream * kDevices + on);
        all.seen.most_at_once = std::max(all.seen.most_at_once, ++all.busy[on_]);
        all.streams[{on, stream}].done = Clock::now() + delay;
        in_operator = true;
    }
    ~Running() {
        in_operator = false;
        const std::scoped_lock lock(machine().mutex);
        --machine().busy[on_];
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    std::size_t on_;
};

int device_of(const torch::jit::Stack& stack, std::size_t arguments) {
    for (const c10::IValue& value : torch::jit::last(stack, arguments)) {
        if (value.isTensor() && value.toTensor().defined() &&
            value.toTensor().device().type() == fake)
            return value.toTensor().device().index();
        if (value.isTensorList()) {
            for (const at::Tensor& one : value.toTensorVector()) {
                if (one.defined() && one.device().type() == fake) return one.device().index();
            }
        }
        if (value.isDevice() && value.toDevice().type() == fake) return value.toDevice().index();
    }
    return current_device;
}

void on_processor(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const std::size_t arguments = op.schema().arguments().size();
    const Running running(op.schema().name(), device_of(*stack, arguments));
    // LibTorch 1.13 does not move lists of optional tensors (indices) to another device.
    for (std::size_t i = stack->size() - arguments; i < stack->size(); ++i) {
        c10::IValue& value = (*stack)[i];
        if (!value.isOptionalTensorList()) continue;
        c10::List<c10::optional<at::Tensor>> list;
        for (const c10::optional<at::Tensor>& one : value.toOptionalTensorVector()) {
            const bool move = one && one->defined() && one->device().type() == fake;
            list.push_back(move ? c10::optional<at::Tensor>(as_host(*one)) : one);
        }
        value = std::move(list);
    }
    at::native::cpu_fallback(op, stack);
}

/// For private backends, convolutions have an error instead of the fallback.
at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const c10::optional<at::Tensor>& bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, std::int64_t groups) {
    const Running running("aten::convolution", input.device().index());
    const bool has_bias = bias && bias->defined();
    return at::convolution(as_host(input), as_host(weight),
                           has_bias ? c10::optional<at::Tensor>(as_host(*bias)) : c10::nullopt,
                           stride, padding, dilation, transposed, output_padding, groups)
        .to(input.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight,
    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, std::int64_t groups, std::array<bool, 3> wanted) {
    const Running running("aten::convolution_backward", input.device().index());
    const at::Tensor by_input = std::get<0>(at::convolution_backward(
        as_host(gradient), as_host(input), as_host(weight), c10::nullopt, stride, padding, dilation,
        transposed, output_padding, groups, {wanted[0], false, false}));
    return {wanted[0] ? by_input.to(input.device()) : at::Tensor(), at::Tensor(), at::Tensor()};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_processor>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("convolution_overrideable", &convolution);
    library.impl("convolution_backward_overrideable", &convolution_backward);
    library.impl("resize_", &at::native::resize_);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("as_strided", &at::native::as_strided_tensorimpl);
}

}  // namespace

void reset() {
    Machine& all = machine();
    const std::scoped_lock lock(all.mutex);
    all.seen = {};
    all.limit = std::numeric_limits<std::size_t>::max();
    all.failing.clear();
}

Seen seen() {
    const std::scoped_lock lock(machine().mutex);
    return machine().seen;
}

void limit_memory(std::size_t bytes) {
    const std::scoped_lock lock(machine().mutex);
    machine().limit = bytes;
}

void fail_once(const std::string& op) {
    const std::scoped_lock lock(machine().mutex);
    machine().failing = op;
}

}  // namespace assay::fake_device
