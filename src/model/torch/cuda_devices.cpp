#include "model/torch/cuda_devices.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <array>
#include <cstddef>

namespace assay::torch_plugin {
namespace {

/// Three driver functions whose signatures have not changed since CUDA's first releases. Device
/// numbers are the same as LibTorch's, because the driver applies CUDA_VISIBLE_DEVICES.
class CudaDriver {
public:
    CudaDriver() : library_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
        using Initialise = int (*)(unsigned);
        using Count = int (*)(int*);
        const auto initialise = function<Initialise>("cuInit");
        const auto count = function<Count>("cuDeviceGetCount");
        device_ = function<Device>("cuDeviceGet");
        name_ = function<Name>("cuDeviceGetName");
        if (initialise == nullptr || count == nullptr || device_ == nullptr || name_ == nullptr ||
            initialise(0) != 0 || count(&devices_) != 0)
            devices_ = 0;
    }
    ~CudaDriver() {
        if (library_ != nullptr) ::dlclose(library_);
    }
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    int devices() const { return devices_; }
    std::string name_of(int number) const {
        std::array<char, 256> text{};
        int device = 0;
        if (device_(&device, number) != 0 ||
            name_(text.data(), static_cast<int>(text.size()) - 1, device) != 0)
            return "";
        return text.data();
    }

private:
    using Device = int (*)(int*, int);
    using Name = int (*)(char*, int, int);

    template <class Function>
    Function function(const char* name) const {
        return library_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library_, name));
    }

    void* library_;
    int devices_ = 0;
    Device device_ = nullptr;
    Name name_ = nullptr;
};

}  // namespace

std::vector<std::string> cuda_device_names() {
    std::vector<std::string> names(torch::cuda::is_available() ? torch::cuda::device_count() : 0);
    if (names.empty()) return names;
    const CudaDriver driver;
    if (static_cast<std::size_t>(driver.devices()) != names.size()) return names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = driver.name_of(static_cast<int>(i));
    return names;
}

std::string cuda_libraries() {
    const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
    const long runtime = hooks.versionCUDART();
    std::string text = fmt::format("CUDA {}.{}", runtime / 1000, runtime % 1000 / 10);
    if (!hooks.compiledWithCuDNN()) return text;
    const long dnn = hooks.versionCuDNN();
    // Formats 8902 as 8.9.2, and 90100 as 9.1.0.
    const long unit = dnn < 10'000 ? 1000 : 10'000;
    return text + fmt::format(", cuDNN {}.{}.{}", dnn / unit, dnn % unit / 100, dnn % 100);
}

}  // namespace assay::torch_plugin
