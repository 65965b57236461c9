// The plug-in's only exported function.
#include "model/plugin.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <string>
#include <utility>
#include <vector>

#include "model/device_choice.h"
#include "model/torch/blas.h"
#include "model/torch/cuda_devices.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"
#include "model/torch/train.h"

namespace assay::torch_plugin {
namespace {

void prepare_once() {
    static const bool prepared = (prepare_process(), define_newer_operators(), true);
    static_cast<void>(prepared);
}

DeviceGroup devices_for(const ClassifierOptions& options) {
    // Asking a driver takes time and opens its files, so it is avoided.
    const bool asked = options.device != "cpu";
    const DeviceChoice choice =
        choose_devices(options.device, asked ? cuda_device_names() : std::vector<std::string>(),
                       options.process, options.processes, framework_name());
    DeviceGroup group;
    group.precision = options.precision;
    group.notes = choice.notes;
    if (choice.numbers.empty()) {
        if (options.precision == Precision::fp32) return group;
        throw Error(
            ErrorCode::usage,
            fmt::format("precision \"{}\" needs a CUDA device; on a CPU models are computed "
                        "in fp32{}",
                        name_of(options.precision),
                        options.device == "auto" ? ", and there is no CUDA device" : ""));
    }
    group.kind = choice.type.empty() ? "cuda" : fmt::format("cuda ({})", choice.type);
    group.devices.clear();
    for (const int number : choice.numbers)
        group.devices.emplace_back(c10::kCUDA, static_cast<c10::DeviceIndex>(number));
    compute_with(options.precision);
    return group;
}

std::unique_ptr<Classifier> open(const ModelSpec& spec, const ClassifierOptions& options) {
    return translating("the model cannot be opened", [&] {
        prepare_once();
        const BlasTurn turn;  // computes constants and tests the model
        DeviceGroup group = devices_for(options);
        auto copies = load_copies(spec, group);
        return make_classifier(std::move(copies), spec, std::move(group));
    });
}

TrainedNetwork train_network(const TrainingImages& images, const TrainSpec& spec, double attack,
                             const TrainTick& tick) {
    return translating("the network cannot be trained", [&] {
        prepare_once();
        const BlasTurn turn;
        return train(images, spec, attack, tick);
    });
}

CudaFacts cuda() {
    return translating("LibTorch cannot list the CUDA devices", cuda_facts);
}

#ifdef ASSAY_HAS_ONNX
#define ASSAY_AND_ONNX ", ONNX"
#else
#define ASSAY_AND_ONNX ", without ONNX"
#endif
/// framework_file() reads this from the file; no code uses it.
[[gnu::used]] const char framework_mark[] =
    ASSAY_FRAMEWORK_MARK "LibTorch " TORCH_VERSION ASSAY_AND_ONNX "\n";

}  // namespace
}  // namespace assay::torch_plugin

extern "C" __attribute__((visibility("default"))) const assay::TorchPlugin*
assay_torch_plugin_v1() {
    static const std::string build = assay::plugin_build();
    static const std::string framework = assay::torch_plugin::framework_name();
    static const assay::TorchPlugin plugin = {assay::kPluginInterface,
                                              build.c_str(),
                                              framework.c_str(),
                                              assay::torch_plugin::open,
                                              assay::torch_plugin::train_network,
                                              assay::torch_plugin::cuda};
    return &plugin;
}
