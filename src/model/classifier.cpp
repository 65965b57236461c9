#include "assay/model/classifier.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "assay/error.h"
#include "model/isolated/isolated_classifier.h"
#include "model/plugin.h"
#include "model/python/onnxruntime.h"
#include "model/python/python_model.h"
#include "model/python/source.h"
#include "model/two_classes.h"

namespace assay {
namespace {

/// Not for GPUs: a driver must write to files, and processes that share a GPU would interfere.
bool may_use_gpu(const std::string& device) {
    if (device != "auto") return device != "cpu";
    std::error_code ignored;
    for (const char* driver : {"/dev/nvidiactl", "/dev/kfd", "/dev/dxg"}) {
        if (std::filesystem::exists(driver, ignored)) return true;
    }
    return false;
}

/// Assay's own code interprets ONNX graphs, and it opens no other files.
bool runs_foreign_code(ModelFormat format) {
    return format != ModelFormat::onnx;
}

std::unique_ptr<Classifier> open_as_it_is(const ModelSpec& spec, const ClassifierOptions& options) {
    if (options.runtime == ModelRuntime::onnxruntime) return open_in_onnxruntime(spec, options);
    if (spec.python != nullptr) return open_python(spec, options);
    const bool gpu = may_use_gpu(options.device);
    const bool asked = options.isolate == Isolation::on;
    const bool isolated = asked || (options.isolate == Isolation::automatic && !gpu);
    if (!isolated || !runs_foreign_code(spec.format)) return opened_plugin().open(spec, options);
    return isolated::open_isolated(spec, options, !gpu, asked);
}

}  // namespace

std::unique_ptr<Classifier> open_classifier(const ModelSpec& spec,
                                            const ClassifierOptions& options) {
    // Distinguishes objects by their name.
    const bool object = kind_of_source(spec.source) == "process";
    return with_note(fmt::format("opening the model {}", object ? spec.name : spec.path.string()),
                     [&] {
                         auto model = open_as_it_is(spec, options);
                         if (model->facts().classes > 1) return model;
                         return two_classes_of(std::move(model), spec.outputs);
                     });
}

}  // namespace assay
