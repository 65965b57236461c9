// A kind of device that LibTorch takes for one ("privateuseone"), with memory and streams of its own, computed by the processor:
// so that what we do with devices is tested where there is none. Opened by the test before its first model.
//
// Its streams run late: a copy that does not wait takes place when the stream is next waited for (by an event that is asked, or by
// a synchronising copy). Whoever reads too early reads what was there before.
#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr c10::DeviceType kind = c10::DeviceType::PrivateUse1;
constexpr int all_devices = 3;

struct State {
    std::mutex mutex;
    std::map<const void*, int> device_of;  ///< of each piece of memory
    std::map<std::pair<int, c10::StreamId>, std::vector<std::function<void()>>> late;  ///< by device and stream
    std::map<int, c10::StreamId> streams;  ///< made so far
    std::set<std::pair<int, c10::StreamId>> used;
    std::atomic<int> allocated{0}, fail_after{-1};
    std::atomic<int> asked{0};
};
State& state() {
    static State all;
    return all;
}

struct Current {
    int device = 0;
    std::map<int, c10::StreamId> stream;
};
Current& current() {
    thread_local Current here;
    return here;
}

void catch_up(int device, c10::StreamId stream) {
    std::vector<std::function<void()>> work;
    {
        const std::lock_guard lock(state().mutex);
        work.swap(state().late[{device, stream}]);
    }
    for (const auto& one : work) one();
}
void catch_up_here() {
    catch_up(current().device, current().stream[current().device]);
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kind; }
    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device before = getDevice();
        setDevice(device);
        return before;
    }
    c10::Device getDevice() const override {
        return c10::Device(kind, static_cast<c10::DeviceIndex>(current().device));
    }
    void setDevice(c10::Device device) const override { current().device = device.index(); }
    void uncheckedSetDevice(c10::Device device) const noexcept override {
        current().device = device.index();
    }
    c10::Stream getStream(c10::Device device) const noexcept override {
        return c10::Stream(c10::Stream::UNSAFE, device, current().stream[device.index()]);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
        const std::lock_guard lock(state().mutex);
        return c10::Stream(c10::Stream::UNSAFE, device, ++state().streams[device.index()]);
    }
    c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
        const c10::Stream before = getStream(stream.device());
        current().stream[stream.device_index()] = stream.id();
        const std::lock_guard lock(state().mutex);
        state().used.insert({stream.device_index(), stream.id()});
        return before;
    }
    c10::DeviceIndex deviceCount() const noexcept override { return all_devices; }
    void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
                const c10::EventFlag) const override {
        *event = new std::pair<int, c10::StreamId>(stream.device_index(), stream.id());
    }
    void block(void*, const c10::Stream&) const override {}
    /// The first time that it is asked it says no.
    bool queryEvent(void* event) const override {
        const auto& of = *static_cast<std::pair<int, c10::StreamId>*>(event);
        if (state().asked++ % 2 == 0) return false;
        catch_up(of.first, of.second);
        return true;
    }
    void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
        delete static_cast<std::pair<int, c10::StreamId>*>(event);
    }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

void release(void* memory) {
    {
        const std::lock_guard lock(state().mutex);
        state().device_of.erase(memory);
    }
    std::free(memory);
}

class Memory final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) const override {
        if (state().fail_after >= 0 && state().fail_after-- == 0)
            TORCH_CHECK_WITH(OutOfMemoryError, false, "the fake device is out of memory");
        void* const memory = bytes == 0 ? nullptr : std::malloc(bytes);
        ++state().allocated;
        const std::lock_guard lock(state().mutex);
        state().device_of[memory] = current().device;
        return {memory, memory, release,
                c10::Device(kind, static_cast<c10::DeviceIndex>(current().device))};
    }
    c10::DeleterFnPtr raw_deleter() const override { return release; }
};
Memory memory;
REGISTER_ALLOCATOR(kind, &memory);

at::Tensor make(c10::IntArrayRef size, c10::optional<at::ScalarType> dtype,
                c10::optional<c10::Layout>, c10::optional<c10::Device> device, c10::optional<bool>,
                c10::optional<c10::MemoryFormat> format) {
    const int before = current().device;
    if (device && device->has_index()) current().device = device->index();
    constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
    at::Tensor made = at::detail::empty_generic(size, &memory, keys,
                                                dtype.value_or(at::kFloat), format);
    current().device = before;
    return made;
}

at::Tensor make_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                        c10::optional<at::ScalarType> dtype, c10::optional<c10::Layout>,
                        c10::optional<c10::Device> device, c10::optional<bool>) {
    const int before = current().device;
    if (device && device->has_index()) current().device = device->index();
    constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
    at::Tensor made = at::detail::empty_strided_generic(size, stride, &memory, keys,
                                                        dtype.value_or(at::kFloat));
    current().device = before;
    return made;
}

/// The same numbers as a tensor of the processor.
at::Tensor on_cpu(const at::Tensor& tensor) {
    if (tensor.device().is_cpu()) return tensor;
    at::Tensor view = at::empty({0}, at::TensorOptions(tensor.scalar_type()));
    view.set_(c10::Storage(c10::Storage::use_byte_size_t(), tensor.storage().nbytes(),
                           c10::DataPtr(tensor.storage().data(), c10::Device(c10::kCPU))),
              tensor.storage_offset(), tensor.sizes(), tensor.strides());
    return view;
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
    const auto copy = [from, to] { on_cpu(to).copy_(on_cpu(from)); };
    if (non_blocking) {
        const std::lock_guard lock(state().mutex);
        const int device = current().device;
        state().late[{device, current().stream[device]}].emplace_back(copy);
    } else {
        catch_up_here();
        copy();
    }
    return to;
}

/// Every other operator: the processor's, after what the stream still owes.
void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    catch_up_here();
    at::native::cpu_fallback(op, stack);
}

at::Tensor strided_view(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
                        c10::optional<std::int64_t> offset) {
    return at::cpu::as_strided(self, size, stride, offset);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("empty.memory_format", TORCH_FN(make));
    m.impl("empty_strided", TORCH_FN(make_strided));
    m.impl("_copy_from", TORCH_FN(copy_from));
    m.impl("as_strided", TORCH_FN(strided_view));
}

}  // namespace

// For the test.
extern "C" {
/// "0:1 0:2 1:1": the streams that were current, by device.
__attribute__((visibility("default"))) const char* fake_device_streams() {
    static std::string text;
    text.clear();
    const std::lock_guard lock(state().mutex);
    for (const auto& [device, stream] : state().used)
        if (stream != 0) text += std::to_string(device) + ":" + std::to_string(stream) + " ";
    return text.c_str();
}
/// The allocation after so many fails; -1: none.
__attribute__((visibility("default"))) void fake_device_fail_after(int allocations) {
    state().fail_after = allocations;
}
}
