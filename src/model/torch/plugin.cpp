// The plug-in's one exported function.
#include "model/plugin.h"

#include <torch/version.h>

#include "model/torch/blas.h"
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

std::unique_ptr<Classifier> open(const ModelSpec& spec, const ClassifierOptions& options) {
    return translating("the model cannot be opened", [&]() -> std::unique_ptr<Classifier> {
        prepare_once();
        const BlasTurn turn;  // constants are computed, and the model is tried
        const c10::Device device = device_named(options.device, options.process);
        if (spec.format == ModelFormat::torchscript)
            return make_classifier(load_torchscript(spec, device), spec, device);
        if (spec.format == ModelFormat::torch_export)
            return make_classifier(load_pt2(spec, device), spec, device);
#ifdef ASSAY_HAS_ONNX
        return make_classifier(load_onnx(spec, device), spec, device);
#else
        throw Error(ErrorCode::usage, "this build of assay has no ONNX; install libonnx-dev and build again, or use TorchScript");
#endif
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
    return translating("LibTorch cannot say which CUDA devices there are", cuda_facts);
}

#ifdef ASSAY_HAS_ONNX
#define ASSAY_AND_ONNX ", ONNX"
#else
#define ASSAY_AND_ONNX ", without ONNX"
#endif
/// Read from the file (framework_file()), by nobody here.
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
